/* dense_rows.h: rows of the dense system, primitive by primitive. For dense.c only. */
#ifndef DENSE_ROWS_H
#define DENSE_ROWS_H

#include "rt/solve/dense.h"
#include "rt/solve/evaluate.h"

/* Evaluate G and value[] of all rows at a level from kin. */
void dense_rows_eval(const struct evaluation *ev, struct dense *d, enum evaluate_level level);

#endif
