#include "services/load/text/quantity.h"

enum { SECONDS = 2 }; /* its place among the bases */

static const struct dimension PURE;

static int is_alike(const struct dimension *a, const struct dimension *b, int loose)
{
    for (int i = 0; i < UNIT_BASES; i++)
        if (a->half[i] != b->half[i] && !(loose && i == SECONDS)) return 0;
    return 1;
}

int quantity_fits(const struct quantity *a, const struct dimension *wanted)
{
    return !a->has_dimension || is_alike(&a->dimension, wanted, a->loose);
}

int quantity_is_pure(const struct quantity *a) { return quantity_fits(a, &PURE); }

/* Known and a pure number, such as an angle or a ratio. */
static int is_known_pure(const struct quantity *a)
{
    return a->has_dimension && unit_is_same(&a->dimension, &PURE);
}

int quantity_multiply(struct quantity *a, const struct quantity *b, int power)
{
    int pure = a->has_dimension ? !b->has_dimension && is_known_pure(a) : is_known_pure(b);
    int fine = unit_combine(&a->dimension, &b->dimension, power, &a->dimension);
    int bare = !a->has_dimension && !b->has_dimension;
    int named = (!a->has_dimension && a->named) || (!b->has_dimension && b->named);
    a->has_dimension = !bare && !(pure && named);
    a->literal &= b->literal;
    a->named = named;
    a->loose |= b->loose || !fine;
    return fine || !a->has_dimension;
}

int quantity_agree(struct quantity *a, const struct quantity *b)
{
    int fits = 1;
    if (a->has_dimension && b->has_dimension) {
        int loose = a->loose || b->loose;
        fits = is_alike(&a->dimension, &b->dimension, loose);
        if (a->loose) a->dimension = b->dimension;
        a->loose &= b->loose;
    } else if (a->has_dimension || b->has_dimension) {
        if (b->has_dimension) a->dimension = b->dimension, a->loose = b->loose;
        a->has_dimension = 1;
    } else if (!unit_is_same(&a->dimension, &b->dimension)) {
        a->dimension = PURE;
        a->loose = 1;
    } else {
        a->loose |= b->loose;
    }
    a->literal &= b->literal;
    a->named |= b->named;
    return fits;
}

int quantity_raise(struct quantity *a, int halves)
{
    return unit_combine(&PURE, &a->dimension, halves, &a->dimension);
}
