/* operation.h: the instructions of function.h as arithmetic on plain numbers, for folding
 * constants. Pure; any context. */
#ifndef OPERATION_H
#define OPERATION_H

#include "rt/mech/function.h"

/* Values an instruction takes from the stack: 0, 1 or 2. */
int operation_arguments(uint32_t op);

/* Its result; b is ignored where it takes one value, both where it takes none. */
double operation_value(uint32_t op, double a, double b);

#endif
