/* Recursive descent that emits a stack program as it goes. An operation on
 * constants is folded at once, so a constant expression ends as one instruction
 * and the program of any other holds no constant arithmetic.
 * sum := product {(+|-) product};  product := unary {(*|/) unary};
 * unary := - unary | power;  power := primary [^ unary];
 * primary := number [unit] | ( sum ) [unit] | name | name ( sum {, sum} ) */
#include "services/load/text/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/text/operation.h"

struct operand {
    double value;
    int has_dimension;
    struct dimension dimension;
    unsigned uses;
};

struct expr {
    const char *text;
    size_t at;
    const struct expr_scope *scope;
    struct expr_error *error;
    struct function_code code[EXPR_MAX_CODE];
    int n_code;
    int nesting; /* of the descent */
    int stack;   /* values on the program's stack; a few are left to those who mix programs */
    int failed;
};

/* What a call asks of the dimensions of its arguments, and what it returns. */
enum call_rule {
    CALL_PURE, /* pure in, bare out */
    CALL_ROOT, /* halves the exponents */
    CALL_SAME, /* all alike, and so is the result */
    CALL_RATIO, /* all alike in, bare out */
    CALL_STEP  /* anything in, bare out */
};

static const struct {
    const char *name;
    int least, most; /* arguments */
    enum function_op op;
    enum call_rule rule;
} CALL[] = {
    {"sin", 1, 1, OP_SIN, CALL_PURE},   {"cos", 1, 1, OP_COS, CALL_PURE},
    {"tan", 1, 1, OP_TAN, CALL_PURE},   {"exp", 1, 1, OP_EXP, CALL_PURE},
    {"log", 1, 1, OP_LOG, CALL_PURE},   {"sqrt", 1, 1, OP_SQRT, CALL_ROOT},
    {"abs", 1, 1, OP_ABS, CALL_SAME},   {"min", 2, 8, OP_MIN, CALL_SAME},
    {"max", 2, 8, OP_MAX, CALL_SAME},   {"atan2", 2, 2, OP_ATAN2, CALL_RATIO},
    {"step", 1, 1, OP_STEP, CALL_STEP},
};
enum { N_CALLS = sizeof CALL / sizeof CALL[0] };

static struct operand sum(struct expr *e);

static void __attribute__((format(printf, 4, 5)))
fail(struct expr *e, enum message kind, size_t at, const char *format, ...)
{
    if (e->failed) return;
    va_list args;
    va_start(args, format);
    e->failed = 1;
    e->error->kind = kind;
    e->error->offset = (int)at;
    vsnprintf(e->error->text, sizeof e->error->text, format, args);
    va_end(args);
}

static void skip_blanks(struct expr *e)
{
    while (e->text[e->at] == ' ' || e->text[e->at] == '\t' || e->text[e->at] == '\n') e->at++;
}

static char next(struct expr *e)
{
    skip_blanks(e);
    return e->text[e->at];
}

static int takes(struct expr *e, char c)
{
    if (e->failed || next(e) != c) return 0;
    e->at++;
    return 1;
}

static void emit(struct expr *e, struct function_code c)
{
    if (e->failed) return;
    e->stack += 1 - operation_arguments(c.op);
    if (e->n_code == EXPR_MAX_CODE || e->stack > FUNCTION_STACK - 4) {
        fail(e, MESSAGE_EXPRESSION, e->at, "the expression is too long");
        return;
    }
    e->code[e->n_code++] = c;
}

static struct operand constant(struct expr *e, double value)
{
    emit(e, (struct function_code){.op = OP_CONST, .value = value});
    return (struct operand){.value = value};
}

/* Apply an operation to the top one or two operands; fold constants. The result
 * takes the dimension fields of `a`. */
static struct operand apply(struct expr *e, enum function_op op, struct operand a, struct operand b)
{
    int n = operation_arguments(op);
    a.value = operation_value(op, a.value, b.value);
    a.uses |= n == 2 ? b.uses : 0;
    if (e->failed) return a;
    if (a.uses == 0) {
        e->n_code -= n;
        e->stack -= n;
        emit(e, (struct function_code){.op = OP_CONST, .value = a.value});
    } else {
        emit(e, (struct function_code){.op = op});
    }
    return a;
}

/* Let b agree with a: both get the known dimension of either. */
static void agree(struct expr *e, struct operand *a, struct operand *b, size_t at, const char *what)
{
    char left[UNIT_TEXT], right[UNIT_TEXT];
    if (!a->has_dimension) a->has_dimension = b->has_dimension, a->dimension = b->dimension;
    if (!b->has_dimension || unit_is_same(&a->dimension, &b->dimension)) return;
    unit_write(&a->dimension, left);
    unit_write(&b->dimension, right);
    fail(e, MESSAGE_WRONG_DIMENSION, at, "%s of %s and %s", what, left, right);
}

static void expect_pure(struct expr *e, const struct operand *a, size_t at, const char *what)
{
    static const struct dimension PURE;
    char text[UNIT_TEXT];
    if (!a->has_dimension || unit_is_same(&a->dimension, &PURE)) return;
    unit_write(&a->dimension, text);
    fail(e, MESSAGE_WRONG_DIMENSION, at, "%s must be a pure number or an angle, this is %s", what,
         text);
}

/* Dimension of a product or quotient: a bare factor may carry any dimension, so the
 * result is bare unless both are known. */
static void combine(struct expr *e, struct operand *a, const struct operand *b, int power,
                    size_t at)
{
    a->has_dimension = a->has_dimension && b->has_dimension;
    if (!a->has_dimension) return;
    if (!unit_combine(&a->dimension, &b->dimension, power, &a->dimension))
        fail(e, MESSAGE_WRONG_DIMENSION, at, "the powers of the units grow too large");
}

static double number_value(struct expr *e)
{
    const char *start = e->text + e->at, *c = start;
    while (isdigit((unsigned char)*c)) c++;
    if (*c == '.') c++;
    while (isdigit((unsigned char)*c)) c++;
    const char *x = c;
    if (*x == 'e' || *x == 'E') {
        x++;
        if (*x == '+' || *x == '-') x++;
        if (isdigit((unsigned char)*x)) {
            while (isdigit((unsigned char)*x)) x++;
            c = x;
        }
    }
    char digits[64];
    size_t n = (size_t)(c - start);
    if (n >= sizeof digits) {
        fail(e, MESSAGE_EXPRESSION, e->at, "the number has too many digits");
        return 0;
    }
    memcpy(digits, start, n);
    digits[n] = 0;
    e->at += n;
    return strtod(digits, NULL);
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    return n;
}

/* A unit behind a number or parenthesis whose value is on top of the stack. */
static struct operand with_unit(struct expr *e, struct operand a)
{
    char c = next(e);
    int starts = isalpha((unsigned char)c) || c == '%' || c == '1';
    struct unit u;
    if (e->failed || !starts) return a;
    size_t at = e->at, taken = unit_read(e->text + at, strlen(e->text + at), &u);
    if (taken == 0) {
        int n = (int)word_length(e->text + at);
        fail(e, MESSAGE_UNKNOWN_UNIT, at,
             "'%.*s' is no unit; known are m, mm, kg, s, ms, deg, N, "
             "N/m, N.m, N.s/m, rpm ...; * stands between factors",
             n > 40 ? 40 : n, e->text + at);
        return a;
    }
    expect_pure(e, &a, at, "what stands before a unit");
    e->at += taken;
    struct operand scale = constant(e, u.scale);
    a = apply(e, OP_MUL, a, scale);
    a.has_dimension = 1;
    a.dimension = u.dimension;
    return a;
}

static void check_arguments(struct expr *e, int call, struct operand *a, struct operand *b,
                            size_t at)
{
    switch (CALL[call].rule) {
    case CALL_PURE:
        expect_pure(e, a, at, "the argument");
        break;
    case CALL_SAME:
    case CALL_RATIO:
        agree(e, a, b, at, "the arguments are");
        break;
    case CALL_ROOT:
    case CALL_STEP:
        break;
    }
}

static void result_dimension(struct expr *e, int call, struct operand *a, size_t at)
{
    static const struct dimension PURE;
    if (CALL[call].rule == CALL_ROOT && a->has_dimension) {
        if (!unit_combine(&PURE, &a->dimension, 1, &a->dimension))
            fail(e, MESSAGE_WRONG_DIMENSION, at, "this has no square root that is a unit");
    } else if (CALL[call].rule != CALL_SAME) {
        a->has_dimension = 0;
    }
}

static struct operand call_function(struct expr *e, int call, size_t at)
{
    struct operand a = sum(e);
    int n = 1;
    check_arguments(e, call, &a, &a, at);
    while (takes(e, ',')) {
        struct operand b = sum(e);
        check_arguments(e, call, &a, &b, at);
        n++;
        if (n <= CALL[call].most) a = apply(e, CALL[call].op, a, b);
    }
    if (!takes(e, ')')) fail(e, MESSAGE_EXPRESSION, e->at, "')' is missing");
    if (n < CALL[call].least || n > CALL[call].most)
        fail(e, MESSAGE_EXPRESSION, at, "%s takes %d argument%s, not %d", CALL[call].name,
             CALL[call].least, CALL[call].least == 1 ? "" : "s", n);
    if (CALL[call].most == 1) a = apply(e, CALL[call].op, a, a);
    result_dimension(e, call, &a, at);
    return a;
}

static struct operand call(struct expr *e, const char *name, size_t at)
{
    struct operand none = {0};
    for (int i = 0; i < N_CALLS; i++)
        if (strcmp(CALL[i].name, name) == 0) return call_function(e, i, at);
    fail(e, MESSAGE_EXPRESSION, at,
         "there is no function '%s'; known are sin cos tan sqrt atan2 "
         "exp log abs min max step",
         name);
    return none;
}

static struct operand time_value(struct expr *e, size_t at)
{
    if (!e->scope || !(e->scope->allow & EXPR_TIME))
        fail(e, MESSAGE_NO_TIME, at, "t has no meaning here: this number is fixed at the start");
    emit(e, (struct function_code){.op = OP_TIME});
    return (struct operand){.uses = EXPR_TIME};
}

/* Copy the program of a named value behind ours. */
static struct operand paste(struct expr *e, const struct expr_value *v, const char *name, size_t at)
{
    struct operand a = {v->value, v->has_dimension, v->dimension, v->uses};
    if (v->uses == 0) {
        emit(e, (struct function_code){.op = OP_CONST, .value = v->value});
        return a;
    }
    if (v->uses & ~e->scope->allow)
        fail(e, MESSAGE_NO_LIVE, at,
             "'%s' is live and may change while running; this number is "
             "fixed at the start",
             name);
    for (int i = 0; i < v->n_code; i++) emit(e, v->code[i]);
    return a;
}

static struct operand unknown(struct expr *e, const char *name, size_t at)
{
    const char *near = e->scope && e->scope->nearest ? e->scope->nearest(e->scope->context, name)
                                                     : 0;
    if (strcasecmp(name, "nan") == 0 || strcasecmp(name, "inf") == 0)
        fail(e, MESSAGE_NOT_FINITE, at, "a finite number is needed, not '%s'", name);
    else if (near)
        fail(e, MESSAGE_UNKNOWN_PARAMETER, at, "there is no parameter '%s'; did you mean '%s'?",
             name, near);
    else
        fail(e, MESSAGE_UNKNOWN_PARAMETER, at, "there is no parameter '%s'", name);
    return (struct operand){0};
}

static struct operand named(struct expr *e, const char *name, size_t at)
{
    struct expr_value v = {0};
    if (strcmp(name, "pi") == 0) return constant(e, 3.14159265358979323846);
    if (strcmp(name, "t") == 0) return time_value(e, at);
    int found = e->scope && e->scope->find ? e->scope->find(e->scope->context, name, &v) : 0;
    if (found == 0) return unknown(e, name, at);
    if (found > 0) return paste(e, &v, name, at);
    fail(e, MESSAGE_UNKNOWN_PARAMETER, at, "'%s' has no value", name);
    e->error->silent = 1;
    return (struct operand){0};
}

static struct operand word(struct expr *e)
{
    char name[EXPR_NAME];
    size_t at = e->at, n = word_length(e->text + at);
    if (n >= sizeof name) {
        fail(e, MESSAGE_EXPRESSION, at, "the name is too long");
        return (struct operand){0};
    }
    memcpy(name, e->text + at, n);
    name[n] = 0;
    e->at += n;
    if (takes(e, '(')) return call(e, name, at);
    struct operand a = named(e, name, at);
    if (!e->failed && isalpha((unsigned char)next(e)))
        fail(e, MESSAGE_EXPRESSION, e->at, "a unit follows a number or a parenthesis: (%s) %.20s",
             name, e->text + e->at);
    return a;
}

static struct operand primary(struct expr *e)
{
    char c = next(e);
    size_t at = e->at;
    if (takes(e, '(')) {
        struct operand a = sum(e);
        if (!takes(e, ')')) fail(e, MESSAGE_EXPRESSION, e->at, "')' is missing");
        return with_unit(e, a);
    }
    int has_digit = isdigit((unsigned char)c) ||
                    (c == '.' && isdigit((unsigned char)e->text[e->at + 1]));
    if (has_digit) return with_unit(e, constant(e, number_value(e)));
    if (c == '.') e->at++; /* .nan, .inf */
    if (isalpha((unsigned char)e->text[e->at]) || e->text[e->at] == '_') return word(e);
    if (c == 0)
        fail(e, MESSAGE_EXPRESSION, at, "a number is missing here");
    else
        fail(e, MESSAGE_EXPRESSION, at, "a number is expected before '%.20s'", e->text + at);
    return (struct operand){0};
}

static struct operand unary(struct expr *e);

static void power_dimension(struct expr *e, struct operand *a, const struct operand *x, size_t at)
{
    static const struct dimension PURE;
    expect_pure(e, x, at, "an exponent");
    if (!a->has_dimension || unit_is_same(&a->dimension, &PURE)) return;
    int halves = fabs(x->value) <= 16 ? (int)lround(2 * x->value) : 0;
    int whole = x->uses == 0 && 2 * x->value == (double)halves;
    if (!whole || !unit_combine(&PURE, &a->dimension, halves, &a->dimension))
        fail(e, MESSAGE_WRONG_DIMENSION, at,
             "the exponent of a quantity with a unit must be a small whole or half number");
}

static struct operand power(struct expr *e)
{
    struct operand a = primary(e);
    if (!takes(e, '^')) return a;
    size_t at = e->at;
    struct operand x = unary(e);
    power_dimension(e, &a, &x, at);
    return apply(e, OP_POW, a, x);
}

static struct operand unary(struct expr *e)
{
    struct operand a = {0};
    if (++e->nesting > EXPR_MAX_DEPTH)
        fail(e, MESSAGE_EXPRESSION, e->at, "the expression is nested too deeply");
    else if (takes(e, '-'))
        a = unary(e), a = apply(e, OP_NEG, a, a);
    else if (takes(e, '+'))
        a = unary(e);
    else
        a = power(e);
    e->nesting--;
    return a;
}

static struct operand product(struct expr *e)
{
    struct operand a = unary(e);
    for (;;) {
        char c = e->failed ? 0 : next(e);
        size_t at = e->at;
        if (c != '*' && c != '/') return a;
        e->at++;
        struct operand b = unary(e);
        combine(e, &a, &b, c == '*' ? 2 : -2, at);
        a = apply(e, c == '*' ? OP_MUL : OP_DIV, a, b);
    }
}

static struct operand sum(struct expr *e)
{
    struct operand a = product(e);
    for (;;) {
        char c = e->failed ? 0 : next(e);
        size_t at = e->at;
        if (c != '+' && c != '-') return a;
        e->at++;
        struct operand b = product(e);
        agree(e, &a, &b, at, c == '+' ? "a sum" : "a difference");
        a = apply(e, c == '+' ? OP_ADD : OP_SUB, a, b);
    }
}

int expr_eval(const char *text, const struct expr_scope *scope, struct memory *memory,
              struct expr_value *out, struct expr_error *error)
{
    struct expr e = {.text = text, .scope = scope, .error = error};
    error->silent = 0;
    if (strnlen(text, EXPR_MAX_TEXT + 1) > EXPR_MAX_TEXT)
        fail(&e, MESSAGE_EXPRESSION, 0, "the expression is longer than %d letters", EXPR_MAX_TEXT);
    struct operand a = e.failed ? (struct operand){0} : sum(&e);
    if (!e.failed && next(&e) != 0)
        fail(&e, MESSAGE_EXPRESSION, e.at, "'%.30s' is not expected here", e.text + e.at);
    if (e.failed) return 0;
    *out = (struct expr_value){.value = a.value,
                               .has_dimension = a.has_dimension,
                               .dimension = a.dimension,
                               .uses = a.uses};
    if (a.uses == 0) return 1;
    struct function_code *code = memory_take(memory, (size_t)e.n_code, sizeof *code);
    if (!code) return 0;
    memcpy(code, e.code, (size_t)e.n_code * sizeof *code);
    out->code = code;
    out->n_code = e.n_code;
    return 1;
}
