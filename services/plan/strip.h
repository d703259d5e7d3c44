/* strip.h: a row of numbers of which most are zero: blocks of eight that hold something, in
 * order. Sums run over them in the order, and in the lanes, of the full row: what is left
 * out is zero, so that every result is that of the full row, bit by bit. SETUP context. */
#ifndef STRIP_H
#define STRIP_H

#include <stddef.h>

enum { STRIP_BLOCK = 8 };

struct strip {
    size_t n, most; /* blocks there are, and room for */
    size_t *block;  /* ascending; block b holds elements 8 b ... 8 b + 7 */
    double *value;  /* 8 n */
};

/* n empty strips, and their end (NULL is fine); NULL without memory. */
struct strip *strip_make(size_t n);
void strip_free(struct strip *s, size_t n);

/* Set element `at`, which lies in the last block or behind it; 0 without memory. */
int strip_put(struct strip *s, size_t at, double value);

/* The strip becomes the full row of m elements, or a copy; 0 without memory. */
int strip_pack(struct strip *s, const double *full, size_t m);
int strip_copy(struct strip *to, const struct strip *from);

/* All m elements, zeros too. */
void strip_unpack(const struct strip *s, double *full, size_t m);

/* Write the strip's blocks into a full row (rounded up to whole blocks) that is zero elsewhere;
 * wipe makes them zero again. */
void strip_spread(const struct strip *s, double *full);
void strip_wipe(const struct strip *s, double *full);

/* Products with itself and with a full row; all rows have m elements. */
double strip_square(const struct strip *s, size_t m);
double strip_dot(const struct strip *s, const double *full, size_t m);

/* s <- s - k p; 0 without memory. */
int strip_subtract(struct strip *s, double k, const struct strip *p);

/* All elements divided by d. */
void strip_divide(struct strip *s, double d);

#endif
