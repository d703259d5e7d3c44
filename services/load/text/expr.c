/* Recursive descent that emits a stack program as it goes. An operation on
 * constants is folded at once, so a constant expression ends as one instruction
 * and the program of any other holds no constant arithmetic.
 * sum := product {(+|-) product};  product := unary {(*|/) unary};
 * unary := - unary | power;  power := primary [^ unary];
 * primary := number [unit] | ( sum ) [unit] | name | name ( sum {, sum} )
 * A unit behind a quotient of plain numbers is that of the quotient: 1/2 mm. */
#include "services/load/text/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/text/operation.h"
#include "services/load/text/quantity.h"

struct operand {
    double value;
    struct quantity q;
    unsigned uses;
    double number;     /* with has_unit: what stands before the unit */
    double unit_scale;
    int has_unit;      /* it is a plain number and a unit, nothing else */
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
    return (struct operand){.value = value, .q = {.literal = 1}};
}

/* Apply an operation to the top one or two operands; fold constants. The result
 * has the quantity of `a`. */
static struct operand apply(struct expr *e, enum function_op op, struct operand a, struct operand b)
{
    int n = operation_arguments(op);
    a.value = operation_value(op, a.value, b.value);
    a.uses |= n == 2 ? b.uses : 0;
    a.has_unit = 0;
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

/* Let a be of one kind with b, as the terms of a sum are. */
static void agree(struct expr *e, struct operand *a, const struct operand *b, size_t at,
                  const char *what)
{
    char left[UNIT_TEXT], right[UNIT_TEXT];
    struct quantity before = a->q;
    if (quantity_agree(&a->q, &b->q)) return;
    unit_write(&before.dimension, left);
    unit_write(&b->q.dimension, right);
    fail(e, MESSAGE_WRONG_DIMENSION, at, "%s of %s and %s", what, left, right);
}

static void expect_pure(struct expr *e, const struct operand *a, size_t at, const char *what)
{
    char text[UNIT_TEXT];
    if (quantity_is_pure(&a->q)) return;
    unit_write(&a->q.dimension, text);
    fail(e, MESSAGE_WRONG_DIMENSION, at, "%s must be a pure number or an angle, this is %s", what,
         text);
}

static void combine(struct expr *e, struct operand *a, const struct operand *b, int power,
                    size_t at)
{
    if (!quantity_multiply(&a->q, &b->q, power))
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

/* What stands before a unit must have none: neither metres nor, before deg, an angle. */
static void expect_bare(struct expr *e, const struct operand *a, const struct unit *u, size_t at)
{
    char text[UNIT_TEXT];
    static const struct dimension PURE;
    int turns = unit_is_same(&u->dimension, &PURE) && u->scale != 1;
    if (!a->q.has_dimension || (quantity_is_pure(&a->q) && !turns)) return;
    unit_write(&a->q.dimension, text);
    fail(e, MESSAGE_WRONG_DIMENSION, at,
         "what stands before a unit must be a pure number, this is %s already: leave the unit away",
         quantity_is_pure(&a->q) ? "an angle or ratio" : text);
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
        char right[UNIT_TEXT];
        if (unit_other_case(e->text + at, (size_t)n, right))
            fail(e, MESSAGE_UNKNOWN_UNIT, at, "'%.*s' is no unit; did you mean '%s'?",
                 n > 40 ? 40 : n, e->text + at, right);
        else
            fail(e, MESSAGE_UNKNOWN_UNIT, at,
                 "'%.*s' is no unit; known are m, mm, kg, s, ms, deg, N, "
                 "N/m, N.m, N.s/m, rpm ...; * stands between factors",
                 n > 40 ? 40 : n, e->text + at);
        return a;
    }
    expect_bare(e, &a, &u, at);
    e->at += taken;
    struct operand plain = a, scale = constant(e, u.scale);
    a = apply(e, OP_MUL, a, scale);
    a.q = (struct quantity){.has_dimension = 1, .dimension = u.dimension};
    a.has_unit = plain.q.literal;
    a.number = plain.value;
    a.unit_scale = u.scale;
    return a;
}

static void check_arguments(struct expr *e, const struct operation_call *call, struct operand *a,
                            struct operand *b, size_t at)
{
    switch (call->rule) {
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

static void result_dimension(struct expr *e, const struct operation_call *call, struct operand *a,
                             size_t at)
{
    a->q.literal = 0;
    if (call->rule == CALL_ROOT) {
        int fine = quantity_raise(&a->q, 1);
        if (!fine && a->q.has_dimension)
            fail(e, MESSAGE_WRONG_DIMENSION, at, "this has no square root that is a unit");
    } else if (call->rule == CALL_RATIO) {
        a->q = (struct quantity){.has_dimension = a->q.has_dimension};
    } else if (call->rule != CALL_SAME) {
        a->q = (struct quantity){0};
    }
}

static struct operand call_function(struct expr *e, const struct operation_call *call, size_t at)
{
    struct operand a = sum(e);
    int n = 1;
    check_arguments(e, call, &a, &a, at);
    while (takes(e, ',')) {
        struct operand b = sum(e);
        check_arguments(e, call, &a, &b, at);
        n++;
        if (n <= call->most) a = apply(e, call->op, a, b);
    }
    if (!takes(e, ')')) fail(e, MESSAGE_EXPRESSION, e->at, "')' is missing");
    if (n < call->least || n > call->most)
        fail(e, MESSAGE_EXPRESSION, at, "%s takes %d argument%s, not %d", call->name, call->least,
             call->least == 1 ? "" : "s", n);
    if (call->most == 1) a = apply(e, call->op, a, a);
    result_dimension(e, call, &a, at);
    return a;
}

static struct operand call(struct expr *e, const char *name, size_t at)
{
    const struct operation_call *known = operation_find(name);
    if (known) return call_function(e, known, at);
    fail(e, MESSAGE_EXPRESSION, at,
         "there is no function '%s'; known are sin cos tan sqrt atan2 "
         "exp log abs min max step",
         name);
    return (struct operand){0};
}

static struct operand time_value(struct expr *e, size_t at)
{
    if (!e->scope || !(e->scope->allow & EXPR_TIME))
        fail(e, MESSAGE_NO_TIME, at, "t has no meaning here: this number is fixed at the start");
    struct unit second = {0};
    (void)unit_parse("s", &second);
    emit(e, (struct function_code){.op = OP_TIME});
    return (struct operand){.q = {.dimension = second.dimension, .named = 1}, .uses = EXPR_TIME};
}

/* Copy the program of a named value behind ours. */
static struct operand paste(struct expr *e, const struct expr_value *v, const char *name, size_t at)
{
    struct operand a = {.value = v->value, .uses = v->uses};
    a.q = (struct quantity){.has_dimension = v->has_dimension,
                            .dimension = v->dimension,
                            .literal = v->literal,
                            .named = !v->has_dimension && !v->literal};
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
    if (strcmp(name, "pi") == 0) {
        struct operand pi = constant(e, 3.14159265358979323846);
        pi.q.literal = 0;
        return pi;
    }
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
        a.has_unit = 0;
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
    a->q.literal &= x->q.literal;
    if (unit_is_same(&a->q.dimension, &PURE)) return;
    int halves = fabs(x->value) <= 16 ? (int)lround(2 * x->value) : 0;
    int whole = x->uses == 0 && 2 * x->value == (double)halves;
    if ((whole && quantity_raise(&a->q, halves)) || !a->q.has_dimension) return;
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

static struct operand negative(struct expr *e, struct operand a)
{
    int has_unit = a.has_unit;
    a = apply(e, OP_NEG, a, a);
    a.has_unit = has_unit;
    a.number = -a.number;
    return a;
}

static struct operand unary(struct expr *e)
{
    struct operand a = {0};
    if (++e->nesting > EXPR_MAX_DEPTH)
        fail(e, MESSAGE_EXPRESSION, e->at, "the expression is nested too deeply");
    else if (takes(e, '-'))
        a = negative(e, unary(e));
    else if (takes(e, '+'))
        a = unary(e);
    else
        a = power(e);
    e->nesting--;
    return a;
}

/* a / b on top of the stack, b = number unit. Of plain numbers the unit is that of the
 * quotient; n/2 deg could be either, and no dimension would tell. */
static struct operand quotient(struct expr *e, struct operand a, struct operand b, size_t at)
{
    int turns = b.has_unit && unit_is_same(&b.q.dimension, &a.q.dimension) && b.unit_scale != 1;
    if (b.has_unit && a.q.literal && !e->failed) {
        e->code[e->n_code - 1].value = b.value = b.number;
        a = apply(e, OP_DIV, a, b);
        a = apply(e, OP_MUL, a, constant(e, b.unit_scale));
        a.q = b.q;
        return a;
    }
    if (!a.q.has_dimension && turns)
        fail(e, MESSAGE_WRONG_DIMENSION, at,
             "is the unit that of the quotient or of its divisor? Write (a/b) unit or a/(b unit)");
    combine(e, &a, &b, -2, at);
    return apply(e, OP_DIV, a, b);
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
        if (c == '/') {
            a = quotient(e, a, b, at);
        } else {
            combine(e, &a, &b, 2, at);
            a = apply(e, OP_MUL, a, b);
        }
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
                               .has_dimension = a.q.has_dimension,
                               .uses = a.uses,
                               .literal = a.q.literal,
                               .single = a.has_unit,
                               .loose = a.q.has_dimension && a.q.loose};
    if (a.q.has_dimension) out->dimension = a.q.dimension;
    if (a.uses == 0) return 1;
    struct function_code *code = memory_take(memory, (size_t)e.n_code, sizeof *code);
    if (!code) return 0;
    memcpy(code, e.code, (size_t)e.n_code * sizeof *code);
    out->code = code;
    out->n_code = e.n_code;
    return 1;
}
