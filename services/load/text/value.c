#include "services/load/text/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "services/load/text/quantity.h"
#include "services/base/version.h"

/* The place of character `offset` of a scalar, or its beginning where unknown. */
static struct place value_place(const struct node *node, int offset)
{
    struct place at = node->place;
    if (node->text_column) at.column = node->text_column + offset;
    return at;
}

void value_complain(const struct value_reader *r, struct place at, enum message kind,
                    const char *what, const char *format, ...)
{
    char text[DIAG_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    message_add(r->diags, at, kind, "%s%s%s%s", r->owner ? r->owner : "", r->owner ? ": " : "",
                what, text);
}

static int value_is_scalar(const struct value_reader *r, const struct node *node, const char *what,
                           const char *expected)
{
    if (node->kind == NODE_SCALAR && !reader_is_empty(node)) return 1;
    value_complain(r, node->place, MESSAGE_WRONG_KIND, what, " must be %s, not %s", expected,
                   reader_kind_text(node));
    return 0;
}

/* Evaluate without a check of the dimension. */
static int value_eval(const struct value_reader *r, const struct node *node, const char *what,
                      struct expr_value *out)
{
    struct expr_error error = {0};
    if (!value_is_scalar(r, node, what, "a number")) return 0;
    if (!expr_eval(node->text, r->scope, r->memory, out, &error)) {
        if (!r->memory->failed && !error.silent)
            value_complain(r, value_place(node, error.offset), error.kind, what, ": %s",
                           error.text);
        return 0;
    }
    if (out->uses || isfinite(out->value)) return 1;
    value_complain(r, node->place, MESSAGE_NOT_FINITE, what,
                   ": a finite number is needed, '%.60s' is %s", node->text,
                   isnan(out->value) ? "not a number" : "infinite");
    return 0;
}

/* What to write instead of a value of another dimension than is needed. */
static const char *value_remedy(const struct dimension *found, const struct dimension *wanted)
{
    struct dimension product;
    static const struct dimension PURE;
    int inverse = unit_combine(found, wanted, 2, &product) && unit_is_same(&product, &PURE);
    if (unit_is_same(found, &PURE)) return "";
    if (inverse) return "; if the unit is that of a whole quotient, write (a/b) unit";
    return "; in products and quotients a number without unit is a pure number";
}

static int value_check_dimension(const struct value_reader *r, const struct node *node,
                                 const char *what, const char *si, const struct dimension *wanted,
                                 const struct expr_value *v)
{
    char found[UNIT_TEXT];
    struct quantity q = {
        .has_dimension = v->has_dimension, .dimension = v->dimension, .loose = v->loose};
    if (quantity_fits(&q, wanted)) return 1;
    unit_write(&v->dimension, found);
    static const struct dimension PURE;
    int pure = unit_is_same(&v->dimension, &PURE);
    value_complain(r, node->place, MESSAGE_WRONG_DIMENSION, what, " must be given %s%s, not %s%s%s",
                   si[0] ? "in " : "as a pure number", si,
                   pure ? "as a pure number or angle" : "in ", pure ? "" : found,
                   v->single ? "" : value_remedy(&v->dimension, wanted));
    return 0;
}

int value_fits(const struct value_reader *r, const struct node *node, const char *what,
               const char *unit, const struct expr_value *v)
{
    struct unit u;
    return !unit_parse(unit, &u) || value_check_dimension(r, node, what, unit, &u.dimension, v);
}

int value_expression(const struct value_reader *r, const struct node *node, const char *what,
                     const char *unit, struct expr_value *out)
{
    struct unit u;
    if (!value_eval(r, node, what, out)) return 0;
    if (!unit || !unit_parse(unit, &u)) return 1;
    return value_check_dimension(r, node, what, unit, &u.dimension, out);
}

int value_number(const struct value_reader *r, const struct node *node, const char *what,
                 const char *unit, double *out)
{
    struct expr_value v;
    struct expr_scope fixed = {0};
    struct value_reader constant = *r;
    if (r->scope) {
        fixed = *r->scope;
        fixed.allow = 0;
        constant.scope = &fixed;
    }
    if (!value_expression(&constant, node, what, unit, &v)) return 0;
    *out = v.value;
    return 1;
}

int value_in_unit(const struct value_reader *r, const struct node *node, const char *what,
                  const struct unit *unit, double *out)
{
    struct expr_value v;
    char si[UNIT_TEXT];
    struct expr_scope fixed = {0};
    struct value_reader constant = *r;
    if (r->scope) {
        fixed = *r->scope;
        fixed.allow = 0;
        constant.scope = &fixed;
    }
    if (!value_eval(&constant, node, what, &v)) return 0;
    static const struct dimension PURE;
    si[0] = 0;
    if (!unit_is_same(&unit->dimension, &PURE)) unit_write(&unit->dimension, si);
    if (!value_check_dimension(r, node, what, si, &unit->dimension, &v)) return 0;
    if (!v.has_dimension && !v.literal && unit->scale != 1) {
        value_complain(
            r, node->place, MESSAGE_WRONG_DIMENSION, what,
            ": %.60s has no unit, and a bare number stands for other than SI units here: "
            "give its parameters units, or write (%.60s) and a unit",
            node->text, node->text);
        return 0;
    }
    *out = v.has_dimension ? v.value / unit->scale : v.value;
    return 1;
}

int value_integer(const struct value_reader *r, const struct node *node, const char *what,
                  long lower, long upper, long *out)
{
    double v;
    if (!value_number(r, node, what, "", &v)) return 0;
    if (v >= (double)lower && v <= (double)upper && v == floor(v)) {
        *out = (long)v;
        return 1;
    }
    value_complain(r, node->place, MESSAGE_OUT_OF_RANGE, what,
                   " must be a whole number from %ld to %ld, not %g", lower, upper, v);
    return 0;
}

int value_numbers(const struct value_reader *r, const struct node *node, const char *what,
                  const char *unit, int n, double *out)
{
    char entry[96];
    int i = 0, good = 1;
    if (node->kind != NODE_LIST || node->n != n) {
        value_complain(r, node->place, MESSAGE_WRONG_COUNT, what, " must be a list of %d numbers",
                       n);
        return 0;
    }
    for (const struct node *e = node->first; e; e = e->next, i++) {
        snprintf(entry, sizeof entry, "%s, entry %d", what, i + 1);
        good &= value_number(r, e, entry, unit, &out[i]);
    }
    return good;
}

int value_flag(const struct value_reader *r, const struct node *node, const char *what, int *out)
{
    static const char *const WORD[] = {"false", "true", "no", "yes", "off", "on"};
    if (!value_is_scalar(r, node, what, "true or false")) return 0;
    for (int i = 0; i < 6; i++) {
        if (strcasecmp(node->text, WORD[i]) != 0) continue;
        *out = i % 2;
        return 1;
    }
    value_complain(r, node->place, MESSAGE_NOT_FLAG, what, " must be true or false, not '%.40s'",
                   node->text);
    return 0;
}

/* 1 if the word at *c (up to a blank) is `text`; steps *c behind it. */
static int value_next_word(const char **c, const char *text)
{
    size_t n = strcspn(*c, " ");
    int same = strlen(text) == n && memcmp(*c, text, n) == 0;
    *c += n;
    while (**c == ' ') (*c)++;
    return same;
}

int value_choice(const struct value_reader *r, const struct node *node, const char *what,
                 const char *choices, int *out)
{
    int i = 0;
    if (!value_is_scalar(r, node, what, "a word")) return 0;
    for (const char *c = choices; *c; i++) {
        if (!value_next_word(&c, node->text)) continue;
        *out = i;
        return 1;
    }
    value_complain(r, node->place, MESSAGE_UNKNOWN_WORD, what,
                   " cannot be '%.40s'; it is one of: %s", node->text, choices);
    return 0;
}

int value_text(const struct value_reader *r, const struct node *node, const char *what,
               const char **out)
{
    if (node->kind != NODE_SCALAR) {
        value_complain(r, node->place, MESSAGE_WRONG_KIND, what, " must be text, not %s",
                       reader_kind_text(node));
        return 0;
    }
    *out = node->text;
    return 1;
}

int value_unit(const struct value_reader *r, const struct node *node, const char *what,
               const char *si, struct unit *out)
{
    struct unit expected;
    struct expr_value v = {.has_dimension = 1, .single = 1};
    char right[UNIT_TEXT];
    if (!value_is_scalar(r, node, what, "a unit")) return 0;
    if (!unit_parse(node->text, out) && unit_other_case(node->text, strlen(node->text), right)) {
        value_complain(r, node->place, MESSAGE_UNKNOWN_UNIT, what,
                       ": '%.40s' is no unit; did you mean '%s'?", node->text, right);
        return 0;
    }
    if (!unit_parse(node->text, out)) {
        value_complain(r, node->place, MESSAGE_UNKNOWN_UNIT, what,
                       ": '%.40s' is no unit; %s would fit", node->text,
                       si[0] ? si : "1 (a pure number)");
        return 0;
    }
    v.dimension = out->dimension;
    if (!unit_parse(si, &expected)) return 1;
    return value_check_dimension(r, node, what, si, &expected.dimension, &v);
}

void value_format(const struct value_reader *r, const struct node *node)
{
    long form;
    if (!node || !value_integer(r, node, "format", 1, 1000000, &form) || form <= VERSION_FORMAT)
        return;
    value_complain(r, node->place, MESSAGE_OUT_OF_RANGE, "format",
                   " %ld is newer than this program, %s, which reads %d: use a newer one", form,
                   VERSION_RELEASE, VERSION_FORMAT);
}
