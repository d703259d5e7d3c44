/* orthogonalise.h: small dense orthogonalisation for the rank of loops. SETUP context. */
#ifndef ORTHOGONALISE_H
#define ORTHOGONALISE_H

#include <stddef.h>

/* Orthonormalise the n columns of a (height m, one after the other) in place; r (n x n,
 * row-major, upper) holds the factor. A column without length of its own gets 0. */
void orthogonalise_factor(double *a, size_t m, size_t n, double *r);

/* row <- row R^-1. */
void orthogonalise_divide(const double *r, size_t n, double *row);

/* Pivoted orthogonalisation of n rows of length m (destroyed): kept[i] = 1 for rows
 * chosen with a pivot >= least, largest first; rows with early[i] (may be NULL) before all
 * others while their pivot is >= ORTHOGONALISE_EARLY. Returns their number; *smallest is the least
 * pivot kept (1 if none), *largest the largest left over (0 if none). */
int orthogonalise_choose(double *rows, size_t n, size_t m, double least, const int *early,
                         int *kept, double *smallest, double *largest);

#define ORTHOGONALISE_EARLY 0.1

#endif
