/* quantity.h: what dimension the parts of an expression have, and what comes of them.
 *
 * A part is known (something in it carries a unit) or bare. A bare part has dimension 1
 * beside a known one in products and quotients; where it stands alone, or is a summand, it
 * takes the dimension that is needed. The time t counts as seconds beside a known part; an
 * angle times bare parameters is bare, since both are pure numbers. Pure; any context. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include "services/load/text/unit.h"

struct quantity {
    int has_dimension;          /* 0: bare, takes any dimension */
    struct dimension dimension; /* of a bare part: what its t make of it beside a known one */
    int literal;                /* digits and operators only: no name, call or unit */
    int named;                  /* bare, with a parameter or t in it */
    int loose;                  /* t added to numbers: the power of seconds is open */
};

/* 1 if it may stand where this dimension is needed. */
int quantity_fits(const struct quantity *a, const struct dimension *wanted);

/* 1 if it may stand where a pure number is needed. */
int quantity_is_pure(const struct quantity *a);

/* a = a b^power, power in halves as for unit_combine; 0 if the powers grow too large. */
int quantity_multiply(struct quantity *a, const struct quantity *b, int power);

/* Let a be of one kind with b, as in a sum; 0 if both are known and differ. */
int quantity_agree(struct quantity *a, const struct quantity *b);

/* a = a^(halves/2); 0 if that is no dimension. */
int quantity_raise(struct quantity *a, int halves);

#endif
