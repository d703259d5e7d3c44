/* dense.h: the same step by another road, as the check of the fast one.
 *
 * Absolute coordinates at the mass centres, all rows of all joints written out, one dense
 * system [M~ G'; G -E][d; mu] = -[s r; Phi] solved by LU (LAPACKE): E = 0 on rows of tree
 * joints, 1/alpha' on independent cut rows, 1/w without multiplier on redundant ones
 * (MFC eq. 12 to 18). Rows, Jacobians and gamma are written here anew; only the rule,
 * the force elements' laws and the plan's weights are shared. Does not redo opening
 * contacts. RT context (no allocation), but cost grows with the cube of the size. */
#ifndef DENSE_H
#define DENSE_H

#include <stddef.h>

#include "rt/mech/workspace.h"
#include "rt/solve/step.h"

struct dense {
    int n;          /* unknowns of motion, 6 per moving body */
    int n_rows;     /* rows of all joints, drives and sums */
    double *A;      /* (n + n_rows) squared, column-major */
    double *b;      /* right side, then solution */
    double *G;      /* n_rows x n, row-major */
    double *P;      /* n x n, mass and force elements */
    double *lambda; /* n_rows, kept between steps */
    double *kappa;
    double *value;  /* n_rows: Phi, its first and second rate */
    double *weight; /* n_rows: 0 on tree rows, else 1/weight */
    int *soft;      /* n_rows: 1 redundant */
    int *plan_row;  /* n_rows: row of the plan, or -1 (tree) */
    int *pivot;
};

/* Bytes a dense system needs, and placing it (64-byte aligned). Context: setup. */
size_t dense_memsize(const struct model *m, const struct plan *p);
MUST_CHECK enum status dense_init(struct dense *d, const struct model *m, const struct plan *p,
                                  void *memory, size_t size);

/* As method_advance. */
MUST_CHECK enum status dense_advance(const struct model *m, const struct plan *p,
                                     struct workspace *ws, struct dense *d, double h,
                                     const struct step_limits *limits, struct step_report *report);

#endif
