#include "rt/solve/linsolve.h"

#include <lapacke.h>

#include "rt/rtsafe.h"

enum status linsolve_lu(int n, double *a, int *pivot)
{
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot) == 0 ? STATUS_OK
                                                                         : STATUS_SINGULAR;
}

enum status linsolve_lu_solve(int n, const double *a, const int *pivot, double *b)
{
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, a, n, pivot, b, n) == 0
               ? STATUS_OK
               : STATUS_SINGULAR;
}
