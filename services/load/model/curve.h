/* curve.h: functions of time as files write them: a number, an expression in t, or
 * {ramp: ...}, {sine: ...}, {table: ...}. SERVICE context. */
#ifndef CURVE_H
#define CURVE_H

#include "services/load/model/build.h"

/* A function read but not yet placed in the model. */
struct curve {
    enum function_kind kind;
    struct expr_value value[4]; /* constant, expression: [0]; ramp, sine: as in function.h */
    const double *table;        /* n times, n values */
    int n;
};

/* Read a function whose values have the SI unit `unit` (NULL: any). The element's
 * scope says whether live parameters are allowed. Returns 0 after a message. */
int curve_read(struct element *el, const struct node *node, const char *what, const char *unit,
               struct curve *out);

/* A constant function. */
struct curve curve_constant(double value);

/* The sum of factor[j] x in[j]. Returns 0 if that is no function of one of the kinds:
 * tables, ramps and sines cannot be mixed with others. */
int curve_mix(struct build *b, const struct curve in[3], const double factor[3], struct curve *out);

/* Place a function in the model; returns its index. */
int32_t curve_add(struct build *b, const struct curve *c);

#endif
