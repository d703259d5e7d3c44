/* imported.h: robots in URDF on stage, for tests. */
#ifndef IMPORTED_H
#define IMPORTED_H

#include "services/load/urdf/urdf.h"
#include "tests/physics/model_run.h"

/* The model text of a file in tests/data/urdf; free() it. Fails the test where refused. */
char *imported_text(const char *file, const struct urdf_options *o);

/* Text with `more` behind it; frees the first. */
char *imported_add(char *text, const char *more);

/* Text with the first `old` replaced, which must be there; frees it. */
char *imported_change(char *text, const char *old, const char *new);

/* A model of this text at 1 ms; frees the text. */
void imported_open(struct model_run *p, char *text);

#endif
