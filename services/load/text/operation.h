/* operation.h: the instructions of function.h as arithmetic on plain numbers, for folding
 * constants. Pure; any context. */
#ifndef OPERATION_H
#define OPERATION_H

#include "rt/mech/function.h"

/* Values an instruction takes from the stack: 0, 1 or 2. */
int operation_arguments(uint32_t op);

/* Its result; b is ignored where it takes one value, both where it takes none. */
double operation_value(uint32_t op, double a, double b);

/* What a call asks of the dimensions of its arguments, and what it returns. */
enum call_rule {
    CALL_PURE, /* pure in, bare out */
    CALL_ROOT, /* halves the exponents */
    CALL_SAME, /* all alike, and so is the result */
    CALL_RATIO, /* all alike in, an angle of known ones out */
    CALL_STEP  /* anything in, bare out */
};

/* A function expressions may call. */
struct operation_call {
    const char *name;
    int least, most; /* arguments */
    enum function_op op;
    enum call_rule rule;
};

/* The function of this name, or NULL. */
const struct operation_call *operation_find(const char *name);

#endif
