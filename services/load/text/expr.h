/* expr.h: numbers as expressions.
 *
 * Grammar: sums, products, powers and calls over numbers, parameters, pi and,
 * where allowed, t. A unit may follow a number or a closing parenthesis:
 * `90 deg`, `(2*k) N/m`; it extends as far as it reads as a unit, without blanks; behind
 * a quotient of plain numbers it is that of the quotient: `1/2 mm`.
 * A bare number is SI and takes the dimension that is needed, alone or as a summand; beside
 * a dimension in a product it is a pure number (quantity.h). An expression without t and
 * live parameters is a number; others become a stack program of function.h.
 * Bounded depth and length. SERVICE context; pure but for the given memory. */
#ifndef EXPR_H
#define EXPR_H

#include "rt/mech/function.h"
#include "services/base/memory.h"
#include "services/base/message.h"
#include "services/load/text/unit.h"

enum { EXPR_MAX_TEXT = 2000, EXPR_MAX_CODE = 256, EXPR_MAX_DEPTH = 24, EXPR_NAME = 64 };

enum expr_use {
    EXPR_TIME = 1, /* depends on t */
    EXPR_LIVE = 2  /* depends on a live parameter */
};

/* A number, or a program where `uses` is not 0. */
struct expr_value {
    double value;                     /* SI; with EXPR_LIVE its start value */
    int has_dimension;                /* 0: bare, takes any dimension */
    struct dimension dimension;
    unsigned uses;                    /* enum expr_use */
    int literal;                      /* digits, operators and repeat indices only */
    int single;                       /* a plain number and its unit */
    int loose;                        /* the power of seconds is open: t beside numbers */
    const struct function_code *code; /* where uses != 0 */
    int n_code;
};

/* What a name in an expression means. */
struct expr_scope {
    /* Fill *out with the value of a name and return 1; 0 if unknown; -1 if known
     * but wrong, and already reported elsewhere. */
    int (*find)(void *context, const char *name, struct expr_value *out);
    /* The known name nearest to this one, or NULL. */
    const char *(*nearest)(void *context, const char *name);
    void *context;
    unsigned allow; /* enum expr_use: what may appear */
};

/* What is wrong with an expression and where. */
struct expr_error {
    enum message kind;
    int offset;     /* characters from the start of the text */
    int silent;     /* already reported elsewhere */
    char text[200];
};

/* Evaluate an expression. `scope` may be NULL (no names but pi). Returns 1, or 0
 * with *error filled; 0 with memory->failed when there was no memory. */
int expr_eval(const char *text, const struct expr_scope *scope, struct memory *memory,
              struct expr_value *out, struct expr_error *error);

#endif
