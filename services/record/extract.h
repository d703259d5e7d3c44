/* extract.h: what can be had from a recording: what is in it, a table of one topic, a whole
 * file from one that is cut off. SERVICE context; blocks on the file system. */
#ifndef EXTRACT_H
#define EXTRACT_H

#include <stdio.h>

#include "rt/status.h"

/* Say what is in a file. STATUS_REFUSED after a message (on stderr, begun with `who`). */
enum status extract_info(const char *path, const char *who, FILE *to) MUST_CHECK;

/* The messages of a topic as CSV, first column `time`, s since the file's first message;
 * names as in the model, and the units in FILE.units beside it (unless out is "-"). */
enum status extract_csv(const char *path, const char *topic, const char *out,
                        const char *who) MUST_CHECK;

/* A new file of all that can be read in a damaged one. */
enum status extract_recover(const char *path, const char *out, const char *who) MUST_CHECK;

#endif
