#include "services/load/model/curve.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "services/load/text/keys.h"

#define TWO_PI 6.28318530717958647692

struct curve curve_constant(double value)
{
    return (struct curve){.kind = FUNCTION_CONSTANT, .value = {{.value = value}}};
}

/* One number of a ramp or sine; live parameters as the element allows, never t. */
static int curve_number(struct element *el, const struct node *node, const char *what,
                        const char *unit, double fallback, struct expr_value *out)
{
    struct expr_scope still = el->names;
    struct value_reader r = el->reader;
    *out = (struct expr_value){.value = fallback};
    if (!node) return 1;
    still.allow &= ~(unsigned)EXPR_TIME;
    r.scope = &still;
    return value_expression(&r, node, what, unit, out);
}

/* The unit of a rate; NULL stays NULL. */
static const char *curve_rate_unit(const char *unit, char text[UNIT_TEXT])
{
    if (!unit) return NULL;
    snprintf(text, UNIT_TEXT, "%s/s", unit[0] ? unit : "1");
    return text;
}

static int curve_fixed(struct element *el, const struct node *node, const struct expr_value *v)
{
    if (!v->uses) return 1;
    message_add(el->build->diags, node->place, MESSAGE_NO_LIVE,
                "%s: a live parameter may move from, rate, start and end of a ramp, not its to",
                el->path);
    return 0;
}

/* start, from, and two of rate, to, end (or rate alone). */
static int curve_ramp(struct element *el, const struct node *node, const char *unit,
                      struct curve *c)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    char per_s[UNIT_TEXT];
    struct expr_value start, from, rate, to, end;
    if (!schema_walk(&KEYS_RAMP, node, el->path, el->build->diags, f)) return 0;
    int good = curve_number(el, f[RAMP_KEY_START], "start", "s", 0, &start);
    good &= curve_number(el, f[RAMP_KEY_FROM], "from", unit, 0, &from);
    good &= curve_number(el, f[RAMP_KEY_RATE], "rate", curve_rate_unit(unit, per_s), 0, &rate);
    good &= curve_number(el, f[RAMP_KEY_TO], "to", unit, 0, &to);
    good &= curve_number(el, f[RAMP_KEY_END], "end", "s", DBL_MAX, &end);
    if (!good) return 0;
    int has_rate = f[RAMP_KEY_RATE] != 0, has_to = f[RAMP_KEY_TO] != 0,
        has_end = f[RAMP_KEY_END] != 0;
    if ((!has_rate && !(has_to && has_end)) || (has_rate && has_to && has_end)) {
        message_add(el->build->diags, node->place, MESSAGE_EXCLUSIVE,
                    "%s: a ramp needs rate; rate and end; rate and to; or to and end", el->path);
        return 0;
    }
    if (has_to) {
        const struct expr_value *part[] = {&start, &from, &rate, &to, &end};
        for (int i = 0; i < 5; i++)
            if (!curve_fixed(el, f[RAMP_KEY_TO], part[i])) return 0;
    }
    if (!has_rate) rate.value = (to.value - from.value) / (end.value - start.value);
    if (has_to && !has_end) end.value = start.value + (to.value - from.value) / rate.value;
    if (!(end.value > start.value) || !isfinite(rate.value)) {
        message_add(el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                    "%s: a ramp must end after it starts; it starts at %g s and would end at %g s",
                    el->path, start.value, end.value);
        return 0;
    }
    *c = (struct curve){.kind = FUNCTION_RAMP, .value = {start, from, rate, end}};
    return 1;
}

/* v x k, also where v is a program. */
static int curve_scale(struct build *b, struct expr_value *v, double k)
{
    v->value *= k;
    if (!v->uses || k == 1) return 1;
    struct function_code *code = memory_take(b->memory, (size_t)v->n_code + 2, sizeof *code);
    if (!code) return 0;
    memcpy(code, v->code, (size_t)v->n_code * sizeof *code);
    code[v->n_code] = (struct function_code){.op = OP_CONST, .value = k};
    code[v->n_code + 1] = (struct function_code){.op = OP_MUL};
    v->code = code;
    v->n_code += 2;
    return 1;
}

static int curve_sine(struct element *el, const struct node *node, const char *unit,
                      struct curve *c)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    struct expr_value amplitude, omega, phase, offset;
    if (!schema_walk(&KEYS_SINE, node, el->path, el->build->diags, f)) return 0;
    const struct node *frequency = f[SINE_KEY_FREQUENCY];
    if ((frequency != 0) == (f[SINE_KEY_OMEGA] != 0)) {
        message_add(el->build->diags, node->place, MESSAGE_EXCLUSIVE,
                    "%s: a sine needs one of: frequency (Hz); omega (rad/s)", el->path);
        return 0;
    }
    int good = curve_number(el, f[SINE_KEY_AMPLITUDE], "amplitude", unit, 0, &amplitude);
    good &= curve_number(el, frequency ? frequency : f[SINE_KEY_OMEGA],
                         frequency ? "frequency" : "omega", "1/s", 0, &omega);
    good &= curve_number(el, f[SINE_KEY_PHASE], "phase", "rad", 0, &phase);
    good &= curve_number(el, f[SINE_KEY_OFFSET], "offset", unit, 0, &offset);
    if (!good || (frequency && !curve_scale(el->build, &omega, TWO_PI))) return 0;
    *c = (struct curve){.kind = FUNCTION_SINE, .value = {offset, amplitude, omega, phase}};
    return 1;
}

static int curve_numbers(struct element *el, const struct node *list, const char *what,
                         const char *unit, double *out)
{
    struct expr_scope fixed = el->names;
    struct value_reader r = el->reader;
    fixed.allow = 0;
    r.scope = &fixed;
    return value_numbers(&r, list, what, unit, list->n, out);
}

static int curve_table(struct element *el, const struct node *node, const char *unit,
                       struct curve *c)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    if (!schema_walk(&KEYS_TABLE, node, el->path, el->build->diags, f)) return 0;
    const struct node *times = f[TABLE_KEY_TIMES], *values = f[TABLE_KEY_VALUES];
    if (times->n != values->n || times->n < 2) {
        message_add(
            el->build->diags, node->place, MESSAGE_TABLE,
            "%s: a table needs as many values as times, at least 2; here are %d times and %d "
            "values",
            el->path, times->n, values->n);
        return 0;
    }
    double *v = memory_take(el->build->memory, 2 * (size_t)times->n, sizeof *v);
    if (!v || !curve_numbers(el, times, "times", "s", v)) return 0;
    if (!curve_numbers(el, values, "values", unit, v + times->n)) return 0;
    for (int i = 1; i < times->n; i++) {
        if (v[i] > v[i - 1]) continue;
        message_add(el->build->diags, times->place, MESSAGE_TABLE,
                    "%s: the times of a table must rise; entry %d is %g after %g", el->path, i + 1,
                    v[i], v[i - 1]);
        return 0;
    }
    *c = (struct curve){.kind = FUNCTION_TABLE, .table = v, .n = times->n};
    return 1;
}

static int curve_expression(struct element *el, const struct node *node, const char *what,
                            const char *unit, struct curve *c)
{
    struct expr_scope moving = el->names;
    struct value_reader r = el->reader;
    moving.allow |= EXPR_TIME;
    r.scope = &moving;
    *c = curve_constant(0);
    if (!value_expression(&r, node, what, unit, &c->value[0])) return 0;
    if (c->value[0].uses & EXPR_TIME) c->kind = FUNCTION_EXPRESSION;
    return 1;
}

int curve_read(struct element *el, const struct node *node, const char *what, const char *unit,
               struct curve *out)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    if (node->kind != NODE_MAP) return curve_expression(el, node, what, unit, out);
    if (!schema_walk(&KEYS_FUNCTION, node, el->path, el->build->diags, f)) return 0;
    const struct node *ramp = f[FUNCTION_KEY_RAMP], *sine = f[FUNCTION_KEY_SINE];
    const struct node *table = f[FUNCTION_KEY_TABLE];
    if ((ramp != 0) + (sine != 0) + (table != 0) != 1) {
        message_add(el->build->diags, node->place, MESSAGE_EXCLUSIVE,
                    "%s: %s needs one of: ramp; sine; table", el->path, what);
        return 0;
    }
    if (ramp) return curve_ramp(el, ramp, unit, out);
    if (sine) return curve_sine(el, sine, unit, out);
    return curve_table(el, table, unit, out);
}

/* ---- mixing -------------------------------------------------------------------- */

static int curve_is_plain(const struct curve *c)
{
    return c->kind == FUNCTION_CONSTANT || c->kind == FUNCTION_EXPRESSION;
}

/* One curve times a number; every kind is linear in some of its numbers. */
static int curve_times(struct build *b, const struct curve *in, double k, struct curve *out)
{
    static const unsigned char LINEAR[FUNCTION_KIND_COUNT] = {[FUNCTION_CONSTANT] = 1,
                                                              [FUNCTION_EXPRESSION] = 1,
                                                              [FUNCTION_RAMP] = 6,
                                                              [FUNCTION_SINE] = 3};
    *out = *in;
    for (int i = 0; i < 4; i++)
        if (LINEAR[in->kind] >> i & 1 && !curve_scale(b, &out->value[i], k)) return 0;
    if (in->kind != FUNCTION_TABLE) return 1;
    double *v = memory_take(b->memory, 2 * (size_t)in->n, sizeof *v);
    if (!v) return 0;
    for (int i = 0; i < in->n; i++) v[i] = in->table[i], v[in->n + i] = k * in->table[in->n + i];
    out->table = v;
    return 1;
}

/* a + b of two plain curves. */
static int curve_plus(struct build *b, struct curve *a, const struct curve *c)
{
    struct expr_value *v = &a->value[0];
    const struct expr_value *w = &c->value[0];
    v->value += w->value;
    if (!v->uses && !w->uses) return 1;
    int nv = v->uses ? v->n_code : 1, nw = w->uses ? w->n_code : 1;
    struct function_code *code = memory_take(b->memory, (size_t)nv + (size_t)nw + 1, sizeof *code);
    if (!code) return 0;
    if (v->uses)
        memcpy(code, v->code, (size_t)nv * sizeof *code);
    else
        code[0] = (struct function_code){.op = OP_CONST, .value = v->value - w->value};
    if (w->uses)
        memcpy(code + nv, w->code, (size_t)nw * sizeof *code);
    else
        code[nv] = (struct function_code){.op = OP_CONST, .value = w->value};
    code[nv + nw] = (struct function_code){.op = OP_ADD};
    v->uses |= w->uses;
    v->code = code;
    v->n_code = nv + nw + 1;
    if (v->uses & EXPR_TIME) a->kind = FUNCTION_EXPRESSION;
    return 1;
}

int curve_mix(struct build *b, const struct curve in[3], const double factor[3], struct curve *out)
{
    int used = 0, first = 0;
    for (int j = 2; j >= 0; j--)
        if (fabs(factor[j]) > 1e-12) used++, first = j;
    if (used == 0) {
        *out = curve_constant(0);
        return 1;
    }
    if (!curve_times(b, &in[first], factor[first], out)) return 1; /* memory: reported at the end */
    for (int j = first + 1; j < 3; j++) {
        struct curve term;
        if (fabs(factor[j]) <= 1e-12) continue;
        if (!curve_is_plain(out) || !curve_is_plain(&in[j])) return 0;
        if (!curve_times(b, &in[j], factor[j], &term) || !curve_plus(b, out, &term)) return 1;
    }
    return 1;
}

/* ---- into the model ------------------------------------------------------------ */

static void curve_add_numbers(struct build *b, const struct curve *c, int n,
                              struct model_function *f)
{
    f->at = (uint32_t)build_count(b, BUILD_POOL);
    double *pool = build_add(b, BUILD_POOL, (size_t)n);
    for (int i = 0; pool && i < n; i++) {
        pool[i] = c->value[i].value;
        if (c->value[i].uses)
            build_derive(b, f->at + (uint32_t)i, c->value[i].code, c->value[i].n_code);
    }
}

static void curve_add_table(struct build *b, const struct curve *c, struct model_function *f)
{
    size_t n = (size_t)c->n;
    f->n = c->n;
    f->at = (uint32_t)build_count(b, BUILD_POOL);
    double *pool = build_add(b, BUILD_POOL, 3 * n);
    double *scratch = memory_take(b->memory, 2 * n, sizeof *scratch);
    if (!pool || !scratch) return;
    memcpy(pool, c->table, 2 * n * sizeof *pool);
    function_spline(pool, pool + n, pool + 2 * n, c->n, scratch);
}

int32_t curve_add(struct build *b, const struct curve *c)
{
    struct model_function f = {.kind = (int32_t)c->kind, .constant = c->kind == FUNCTION_CONSTANT};
    if (c->kind == FUNCTION_EXPRESSION) {
        f.n = c->value[0].n_code;
        f.at = build_code(b, c->value[0].code, c->value[0].n_code);
    } else if (c->kind == FUNCTION_TABLE) {
        curve_add_table(b, c, &f);
    } else {
        curve_add_numbers(b, c, c->kind == FUNCTION_CONSTANT ? 1 : 4, &f);
    }
    int32_t index = (int32_t)build_count(b, BUILD_FUNCTIONS);
    struct model_function *slot = build_add(b, BUILD_FUNCTIONS, 1);
    if (slot) *slot = f;
    return index;
}
