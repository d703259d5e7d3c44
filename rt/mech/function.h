/* function.h: functions of time with exact first and second derivatives.
 *
 * A function is a constant, a ramp, a sine, a C2 cubic spline through a table, or
 * an expression in t compiled to a short stack program; the program is run on
 * jets (f, f', f''), so no derivative is ever approximated. The same programs,
 * without t, recompute pool numbers from live parameters.
 * RT context, wait-free, no allocation; SI units. */
#ifndef FUNCTION_H
#define FUNCTION_H

#include <stdint.h>

#include "rt/mech/model.h"

/* Value and time derivatives of a scalar. */
struct jet {
    double f, d1, d2;
};

enum function_op {
    OP_CONST, /* push value */
    OP_TIME,  /* push t */
    OP_PARAM, /* push live parameter `arg` */
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW, /* base ^ exponent; the exponent may vary only where base > 0 */
    OP_NEG,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_SQRT,
    OP_ATAN2, /* y below x on the stack */
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_MIN,
    OP_MAX,
    OP_STEP, /* 0 below 0, 1 from 0 on; derivatives 0 */
    OP_COUNT
};

enum { FUNCTION_STACK = 32 };

struct function_code {
    uint32_t op;  /* enum function_op */
    uint32_t arg;
    double value;
};

enum function_kind {
    FUNCTION_CONSTANT,   /* pool: value */
    FUNCTION_RAMP,       /* pool: start time, value before, rate, end time;
                            constant before and after */
    FUNCTION_SINE,       /* pool: offset, amplitude, angular frequency rad/s,
                            phase rad */
    FUNCTION_TABLE,      /* pool: n times, n values, n second derivatives of the
                            C2 spline; first slope continues before, last after */
    FUNCTION_EXPRESSION, /* code */
    FUNCTION_KIND_COUNT
};

struct model_function {
    int32_t kind;
    int32_t n;         /* table: points; expression: instructions */
    uint32_t at;       /* pool index, or first instruction in code */
    int32_t constant;  /* 1: does not depend on t (live parameters may move it) */
};

/* Evaluate function i at time t. `pool` and `param` are the workspace's copies.
 * Memory: reads only. Returns (0,0,0) for MODEL_NONE. Cost: table log2(n) steps,
 * expression n instructions. */
struct jet function_eval(const struct model *m, int i, double t, const double *pool,
                         const double *param);

/* Run a stack program at time t. Needs: a program checked by function_check_code. */
struct jet function_run(const struct function_code *code, int n, double t, const double *param);

/* 1 if the program never leaves its stack and ends with one value. Context: any. */
int function_check_code(const struct function_code *code, int n, int n_params);

/* Second derivatives `d2` of the C2 spline through (t, f), n >= 2 points. Natural
 * ends; n = 2 is a straight line. Context: setup; needs 2n doubles of `scratch`. */
void function_spline(const double *t, const double *f, double *d2, int n, double *scratch);

#endif
