#include "services/load/text/operation.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double negate(double a) { return -a; }
static double step(double a) { return a >= 0 ? 1 : 0; }

static double (*const TWO[OP_COUNT])(double, double) = {
    [OP_ADD] = add, [OP_SUB] = subtract, [OP_MUL] = multiply, [OP_DIV] = divide,
    [OP_POW] = pow, [OP_ATAN2] = atan2,  [OP_MIN] = fmin,     [OP_MAX] = fmax,
};

static double (*const ONE[OP_COUNT])(double) = {
    [OP_NEG] = negate, [OP_SIN] = sin, [OP_COS] = cos,  [OP_TAN] = tan,   [OP_SQRT] = sqrt,
    [OP_EXP] = exp,    [OP_LOG] = log, [OP_ABS] = fabs, [OP_STEP] = step,
};

int operation_arguments(uint32_t op) { return TWO[op] ? 2 : ONE[op] ? 1 : 0; }

double operation_value(uint32_t op, double a, double b)
{
    return TWO[op] ? TWO[op](a, b) : ONE[op] ? ONE[op](a) : 0;
}

static const struct operation_call CALL[] = {
    {"sin", 1, 1, OP_SIN, CALL_PURE},   {"cos", 1, 1, OP_COS, CALL_PURE},
    {"tan", 1, 1, OP_TAN, CALL_PURE},   {"exp", 1, 1, OP_EXP, CALL_PURE},
    {"log", 1, 1, OP_LOG, CALL_PURE},   {"sqrt", 1, 1, OP_SQRT, CALL_ROOT},
    {"abs", 1, 1, OP_ABS, CALL_SAME},   {"min", 2, 8, OP_MIN, CALL_SAME},
    {"max", 2, 8, OP_MAX, CALL_SAME},   {"atan2", 2, 2, OP_ATAN2, CALL_RATIO},
    {"step", 1, 1, OP_STEP, CALL_STEP},
};

const struct operation_call *operation_find(const char *name)
{
    for (size_t i = 0; i < sizeof CALL / sizeof CALL[0]; i++)
        if (strcmp(CALL[i].name, name) == 0) return &CALL[i];
    return NULL;
}
