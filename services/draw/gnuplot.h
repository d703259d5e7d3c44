/* gnuplot.h: a script for gnuplot, and its end. SERVICE context; blocks. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stdio.h>

#include "rt/status.h"

/* A string of a script: in single quotes only the quote itself is special. */
void gnuplot_text(FILE *to, const char *text);

/* A path; a leading < or | would mean a command to gnuplot. */
void gnuplot_path(FILE *to, const char *path);

/* Start gnuplot; NULL after a sentence on standard error that begins with `who`. */
FILE *gnuplot_open(const char *who);

/* End it. Returns STATUS_REFUSED after a sentence where it failed. */
enum status gnuplot_close(FILE *to, const char *who) MUST_CHECK;

#endif
