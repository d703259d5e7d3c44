/* orthogonalise.h: orthogonalisation for the rank of loops, of rows that are mostly zero.
 * SETUP context. */
#ifndef ORTHOGONALISE_H
#define ORTHOGONALISE_H

#include <stddef.h>

#include "services/plan/strip.h"

/* Upper triangular factor: its diagonal, and what stands right of it. */
struct triangle {
    size_t n;
    double *diagonal;
    struct triangle_row {
        size_t n, most;
        struct triangle_entry {
            size_t column;
            double value;
        } * entry;
    } * row;
};

/* Orthonormalise the n columns (of height m) of a in place; r becomes the factor, to be
 * freed in any case. A column without length of its own gets 0. Returns 0 without memory. */
int orthogonalise_factor(struct strip *a, size_t m, size_t n, struct triangle *r);
void orthogonalise_free(struct triangle *r);

/* row <- row R^-1, of a full row. */
void orthogonalise_divide(const struct triangle *r, double *row);

/* Pivoted orthogonalisation of n rows of length m (destroyed): kept[i] = 1 for rows
 * chosen with a pivot >= least, largest first; rows with early[i] (may be NULL) before all
 * others while their pivot is >= ORTHOGONALISE_EARLY. Returns their number, or -1 without
 * memory; *smallest is the least pivot kept (1 if none), *largest the largest left over (0 if
 * none). Where least > 0, rows are followed down to ORTHOGONALISE_NOTHING only. */
int orthogonalise_choose(struct strip *rows, size_t n, size_t m, double least, const int *early,
                         int *kept, double *smallest, double *largest);

#define ORTHOGONALISE_EARLY 0.1
#define ORTHOGONALISE_NOTHING 1e-12

#endif
