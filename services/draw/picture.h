/* picture.h: a scene as a drawing: three views and one from aside, with gnuplot.
 * SERVICE context; blocks: it runs a program. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

#include "rt/status.h"
#include "services/draw/scene.h"

struct picture_text {
    const char *title;  /* above all */
    vec3 down;          /* the way gravity pulls, or zero */
};

/* Draw into a file whose name ends in .svg or .png. Returns STATUS_REFUSED after a sentence
 * on standard error, which begins with `who`. */
enum status picture_write(const struct scene *s, const struct picture_text *text, const char *path,
                          const char *who) MUST_CHECK;

/* The script alone. */
void picture_script(const struct scene *s, const struct picture_text *text, const char *path,
                    FILE *to);

#endif
