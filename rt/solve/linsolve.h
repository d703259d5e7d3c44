/* linsolve.h: the only door to LAPACKE. Column-major `_work` calls alone, which
 * allocate nothing; info is turned into a status here. RT context for the solves. */
#ifndef LINSOLVE_H
#define LINSOLVE_H

#include "rt/status.h"

/* LU factors of the n x n matrix a (column-major, leading dimension n), in place. */
MUST_CHECK enum status linsolve_lu(int n, double *a, int *pivot);

/* Solve with these factors; b becomes the solution. */
MUST_CHECK enum status linsolve_lu_solve(int n, const double *a, const int *pivot, double *b);

#endif
