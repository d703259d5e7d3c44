#include "services/load/model/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/math/quat.h"
#include "services/load/model/bodies.h"
#include "services/load/model/curve.h"
#include "services/load/model/rotation.h"

/* One field while it is read. */
struct slot {
    struct fields *fill;
    const struct field *field;
    const struct node *node; /* NULL: fallback */
    const char *unit; /* NULL: depends on a joint that is wrong */
    uint32_t pool_at;
    int32_t *function;
};

int fields_unit(const char *unit, int is_angle, char text[48])
{
    size_t at = 0;
    text[0] = 0;
    if (is_angle < 0 && strpbrk(unit, "qQ")) return 0;
    for (const char *c = unit; *c && at + 4 < UNIT_TEXT; c++) {
        const char one[2] = {*c, 0};
        const char *put = *c == 'q'   ? (is_angle ? "rad" : "m")
                          : *c == 'Q' ? (is_angle ? "N.m" : "N")
                                      : one;
        int n = snprintf(text + at, UNIT_TEXT - at, "%s", put);
        at += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

/* Allocation may move the pool, so numbers are put one by one. */
static void put(struct slot *s, int i, double value)
{
    struct build *b = s->fill->element->build;
    if (s->pool_at + (uint32_t)i < build_count(b, BUILD_POOL))
        *(double *)build_at(b, BUILD_POOL, s->pool_at + (uint32_t)i) = value;
}

static void put3(struct slot *s, const double v[3])
{
    for (int i = 0; i < 3; i++) put(s, i, v[i]);
}

static void put_value(struct slot *s, int i, const struct expr_value *v)
{
    put(s, i, v->value);
    if (v->uses)
        build_derive(s->fill->element->build, s->pool_at + (uint32_t)i, v->code, v->n_code);
}

static int is_nan(const struct field *f) { return f->fallback && strcmp(f->fallback, "nan") == 0; }

/* Numbers of a fallback, blanks or commas between them; the last stands for the rest. */
static void fallback_numbers(const struct field *f, int n, double *out)
{
    const char *c = f->fallback ? f->fallback : "0";
    double last = 0;
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        double v = strtod(c, &end);
        if (end != c) last = v;
        c = end + strspn(end, ", ");
        out[i] = last;
    }
}

static void put_fallback(struct slot *s)
{
    double v[36] = {0};
    int n = field_pool_count(s->field->kind);
    fallback_numbers(s->field, n, v);
    for (int i = 0; i < n; i++) put(s, i, is_nan(s->field) ? NAN : v[i]);
}

static int wrong_count(struct slot *s, const char *wanted)
{
    message_add(s->fill->element->build->diags, s->node->place, MESSAGE_WRONG_COUNT,
                "%s: %s must be %s", s->fill->element->path, s->field->key, wanted);
    return 0;
}

static void turned_axes(struct slot *s, struct place at)
{
    message_add(s->fill->element->build->diags, at, MESSAGE_TURNED_AXES,
                "%s: %s is given along the axes of a component that is turned; only quarter turns "
                "can be followed here",
                s->fill->element->path, s->field->key);
}

static int sign_fits(enum field_sign sign, double value)
{
    switch (sign) {
    case SIGN_NOT_NEGATIVE:
        return value >= 0;
    case SIGN_POSITIVE:
        return value > 0;
    case SIGN_ABOVE_ONE:
        return value > 1;
    default:
        return 1;
    }
}

static int check_sign(struct slot *s, struct place at, double value)
{
    static const char *const MUST[] = {[SIGN_ANY] = "",
                                       [SIGN_NOT_NEGATIVE] = "not be negative",
                                       [SIGN_POSITIVE] = "be positive",
                                       [SIGN_ABOVE_ONE] = "be greater than 1"};
    if (sign_fits(s->field->sign, value)) return 1;
    message_add(s->fill->element->build->diags, at, MESSAGE_OUT_OF_RANGE,
                "%s: %s is %g; it must %s", s->fill->element->path, s->field->key, value,
                MUST[s->field->sign]);
    return 0;
}

/* ---- numbers ------------------------------------------------------------------- */

static void fields_scalar(struct slot *s)
{
    struct expr_value v;
    if (!s->node)
        put_fallback(s);
    else if (value_expression(&s->fill->element->reader, s->node, s->field->key, s->unit, &v) &&
             check_sign(s, s->node->place, v.value))
        put_value(s, 0, &v);
}

static void fields_flag(struct slot *s)
{
    int on = s->field->fallback && strcmp(s->field->fallback, "true") == 0;
    if (s->node) (void)value_flag(&s->fill->element->reader, s->node, s->field->key, &on);
    put(s, 0, on);
}

static void fields_choice(struct slot *s)
{
    int which = 0;
    struct node fallback = {.kind = NODE_SCALAR, .text = s->field->fallback};
    const struct node *node = s->node ? s->node : &fallback;
    (void)value_choice(&s->fill->element->reader, node, s->field->key, s->field->choices, &which);
    put(s, 0, which);
}

/* Row i of the map from the element's axes to the axes its numbers are stored in:
 * out_i = sum_j row[j] in_j. */
static void axis_row(const struct fields *f, int i, double row[3])
{
    struct placement p = *f->element->placement;
    if (f->in_body) p.q[0] = 1, p.q[1] = p.q[2] = p.q[3] = 0;
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        if (f->is_axial)
            placement_axial(&p, e, e);
        else
            placement_polar(&p, e, e);
        row[j] = fabs(e[i]) < 1e-12 ? 0 : e[i];
    }
}

/* Which entry goes to axis i, or -1 unless the map only exchanges axes. */
static int axis_from(const struct fields *f, int i)
{
    double row[3];
    axis_row(f, i, row);
    for (int j = 0; j < 3; j++)
        if (fabs(fabs(row[j]) - 1) < 1e-12) return j;
    return -1;
}

static int read_triple(struct slot *s, struct expr_value v[3])
{
    const struct value_reader *r = &s->fill->element->reader;
    const struct node *node = s->node;
    if (node->kind != NODE_LIST) {
        if (!value_expression(r, node, s->field->key, s->unit, &v[0])) return 0;
        v[1] = v[2] = v[0];
        return 1;
    }
    if (node->n != 3) return wrong_count(s, "a list of three numbers, or one for all");
    int i = 0, good = 1;
    for (const struct node *e = node->first; e; e = e->next)
        good &= value_expression(r, e, s->field->key, s->unit, &v[i++]);
    return good;
}

/* Numbers per axis, without sign: quarter turns exchange them. */
static void fields_triple(struct slot *s)
{
    struct expr_value v[3] = {{0}};
    if (!s->node) {
        put_fallback(s);
        return;
    }
    if (!read_triple(s, v)) return;
    int alike = s->node->kind != NODE_LIST;
    for (int i = 0; i < 3; i++) {
        int from = alike ? i : axis_from(s->fill, i);
        if (from < 0) {
            turned_axes(s, s->node->place);
            return;
        }
        if (!check_sign(s, s->node->place, v[from].value)) return;
        put_value(s, i, &v[from]);
    }
}

static void fields_vector(struct slot *s)
{
    double v[3] = {0}, row[3], out[3];
    if (!s->node) {
        put_fallback(s);
        return;
    }
    if (!value_numbers(&s->fill->element->reader, s->node, s->field->key, s->unit, 3, v)) return;
    for (int i = 0; i < 3; i++) {
        axis_row(s->fill, i, row);
        out[i] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    }
    put3(s, out);
}

/* ---- places -------------------------------------------------------------------- */

static int32_t slot_body(const struct slot *s)
{
    return s->field->ref == REF_WORLD ? MODEL_GROUND : s->fill->body[s->field->ref];
}

static void fields_point(struct slot *s)
{
    struct element *el = s->fill->element;
    double p[3] = {0};
    if (!s->node && is_nan(s->field)) {
        put_fallback(s);
        return;
    }
    if (!s->node)
        fallback_numbers(s->field, 3, p);
    else if (value_numbers(&el->reader, s->node, s->field->key, s->unit, 3, p))
        placement_point(el->placement, p, p);
    else
        return;
    bodies_local_point(el->build, slot_body(s), p, p);
    if (s->node) (void)bodies_check_attachment(el, slot_body(s), p, s->node->place);
    put3(s, p);
}

static void fields_direction(struct slot *s)
{
    struct element *el = s->fill->element;
    double d[3] = {0};
    if (!s->node) {
        fallback_numbers(s->field, 3, d);
    } else {
        if (!value_numbers(&el->reader, s->node, s->field->key, "", 3, d)) return;
        if (s->fill->is_axial)
            placement_axial(el->placement, d, d);
        else
            placement_polar(el->placement, d, d);
    }
    if (vec_norm(vec_load(d)) == 0) {
        message_add(el->build->diags, s->node ? s->node->place : el->source->node->place,
                    MESSAGE_ZERO_AXIS, "%s: %s has no length; a direction is needed", el->path,
                    s->field->key);
        return;
    }
    vec_store(d, vec_unit(vec_load(d)));
    bodies_local_direction(el->build, slot_body(s), d, d);
    put3(s, d);
}

/* Axes at the start in body axes, row-major with columns x y z; missing: the axes of
 * the component. */
static void fields_frame(struct slot *s)
{
    struct element *el = s->fill->element;
    double q[4] = {1, 0, 0, 0};
    if (s->node && !rotation_read(&el->reader, s->node, s->field->key, q)) return;
    placement_attitude(el->placement, q, q);
    struct mat3 F = quat_matrix(quat_load(q));
    for (int j = 0; j < 3; j++) {
        double c[3];
        vec_store(c, F.c[j]);
        bodies_local_direction(el->build, slot_body(s), c, c);
        for (int i = 0; i < 3; i++) put(s, 3 * i + j, c[i]);
    }
}

/* ---- 6x6 ----------------------------------------------------------------------- */

/* Unit of entry (i, j): that of the translations, times m for every turn. */
static void matrix_unit(const struct slot *s, int i, int j, char text[UNIT_TEXT])
{
    static const char *const LEVER[] = {"", ".m", ".m2"};
    snprintf(text, UNIT_TEXT, "%.40s%s", s->unit ? s->unit : "", LEVER[(i >= 3) + (j >= 3)]);
}

static int matrix_entry(struct slot *s, const struct node *node, int i, int j)
{
    struct expr_value v;
    char unit[UNIT_TEXT];
    int mirror = s->fill->element->placement->mirror;
    matrix_unit(s, i, j, unit);
    const char *u = s->unit && s->unit[0] ? unit : NULL;
    if (!value_expression(&s->fill->element->reader, node, s->field->key, u, &v)) return 0;
    /* a mirror turns the sign of one translation and of the two other rotations */
    int odd = mirror >= 0 && ((i < 3) == (i % 3 == mirror)) != ((j < 3) == (j % 3 == mirror));
    if (odd && v.uses) {
        message_add(s->fill->element->build->diags, node->place, MESSAGE_NO_LIVE,
                    "%s: a live parameter cannot stand off the diagonal of a mirrored component",
                    s->fill->element->path);
        return 0;
    }
    if (odd) v.value = -v.value;
    put_value(s, 6 * i + j, &v);
    return 1;
}

static int matrix_rows(struct slot *s)
{
    int i = 0;
    for (const struct node *row = s->node->first; row; row = row->next, i++) {
        int j = 0;
        if (row->kind != NODE_LIST || row->n != 6)
            return wrong_count(s, "6 numbers or 6 lists of 6");
        for (const struct node *e = row->first; e; e = e->next)
            if (!matrix_entry(s, e, i, j++)) return 0;
    }
    return 1;
}

static void matrix_check_symmetric(struct slot *s)
{
    const double *m = build_at(s->fill->element->build, BUILD_POOL, s->pool_at);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double scale = fabs(m[7 * i]) + fabs(m[7 * j]);
            if (fabs(m[6 * i + j] - m[6 * j + i]) <= 1e-9 * scale) continue;
            message_add(s->fill->element->build->diags, s->node->place, MESSAGE_OUT_OF_RANGE,
                        "%s: %s must be symmetric; entries (%d, %d) and (%d, %d) differ",
                        s->fill->element->path, s->field->key, i + 1, j + 1, j + 1, i + 1);
            return;
        }
}

/* 1 if u'Mu >= 0 for all u: elimination meets no negative pivot. */
static int matrix_is_positive(const double *entry)
{
    double m[36];
    memcpy(m, entry, sizeof m);
    for (int k = 0; k < 6; k++) {
        double scale = 1e-9 * (fabs(entry[7 * k]) + 1e-300);
        if (m[7 * k] < -scale) return 0;
        for (int i = k + 1; i < 6; i++) {
            if (m[7 * k] <= scale && fabs(m[6 * i + k]) > 1e-4 * sqrt(fabs(entry[7 * i]) * scale))
                return 0;
            double f = m[7 * k] > scale ? m[6 * i + k] / m[7 * k] : 0;
            for (int j = k + 1; j < 6; j++) m[6 * i + j] -= f * m[6 * k + j];
        }
    }
    return 1;
}

static void matrix_check(struct slot *s)
{
    const double *m = build_at(s->fill->element->build, BUILD_POOL, s->pool_at);
    matrix_check_symmetric(s);
    if (!matrix_is_positive(m))
        message_add(s->fill->element->build->diags, s->node->place, MESSAGE_OUT_OF_RANGE,
                    "%s: %s must be positive in every direction; some motion would gain energy",
                    s->fill->element->path, s->field->key);
}

static void fields_matrix6(struct slot *s)
{
    int i = 0;
    if (!s->node) {
        put_fallback(s);
    } else if (s->node->kind != NODE_LIST || s->node->n != 6) {
        (void)wrong_count(s, "6 numbers or 6 lists of 6");
    } else if (s->node->first->kind == NODE_LIST) {
        if (matrix_rows(s)) matrix_check(s);
    } else {
        for (const struct node *e = s->node->first; e; e = e->next, i++)
            if (!matrix_entry(s, e, i, i)) return;
        matrix_check(s);
    }
}

/* ---- functions ----------------------------------------------------------------- */

static void fields_function(struct slot *s)
{
    double fallback = 0;
    struct curve c;
    struct element *el = s->fill->element;
    s->function[0] = MODEL_NONE;
    if (!s->node && is_nan(s->field)) return;
    fallback_numbers(s->field, 1, &fallback);
    c = curve_constant(fallback);
    if (s->node && !curve_read(el, s->node, s->field->key, s->unit, &c)) return;
    s->function[0] = curve_add(el->build, &c);
}

static int read_curves(struct slot *s, struct curve c[3])
{
    int i = 0, good = 1;
    for (const struct node *e = s->node->first; e; e = e->next)
        good &= curve_read(s->fill->element, e, s->field->key, s->unit, &c[i++]);
    return good;
}

static void fields_function3(struct slot *s)
{
    double v[3], row[3];
    struct curve in[3], out;
    struct build *b = s->fill->element->build;
    fallback_numbers(s->field, 3, v);
    for (int i = 0; i < 3; i++) s->function[i] = MODEL_NONE, in[i] = curve_constant(v[i]);
    if (s->node && (s->node->kind != NODE_LIST || s->node->n != 3)) {
        (void)wrong_count(s, "a list of three functions of time, one per axis");
        return;
    }
    if (s->node && !read_curves(s, in)) return;
    for (int i = 0; i < 3; i++) {
        axis_row(s->fill, i, row);
        if (!curve_mix(b, in, row, &out)) {
            turned_axes(s, s->node ? s->node->place : s->fill->element->source->node->place);
            return;
        }
        s->function[i] = curve_add(b, &out);
    }
}

/* ---- all ----------------------------------------------------------------------- */

static void (*const FILL[FIELD_KIND_COUNT])(struct slot *) = {
    [FIELD_SCALAR] = fields_scalar,       [FIELD_VECTOR] = fields_vector,
    [FIELD_TRIPLE] = fields_triple,       [FIELD_POINT] = fields_point,
    [FIELD_DIRECTION] = fields_direction, [FIELD_MATRIX6] = fields_matrix6,
    [FIELD_FUNCTION] = fields_function,   [FIELD_FUNCTION3] = fields_function3,
    [FIELD_FRAME] = fields_frame,         [FIELD_FLAG] = fields_flag,
    [FIELD_CHOICE] = fields_choice};

uint32_t fields_fill(struct fields *f, int32_t *function, int max_functions)
{
    struct build *b = f->element->build;
    uint32_t pool_at = (uint32_t)build_count(b, BUILD_POOL);
    int n_pool = 0, n_functions = 0;
    for (int i = 0; i < f->n_fields; i++) n_pool += field_pool_count(f->field[i].kind);
    if (n_pool && !build_add(b, BUILD_POOL, (size_t)n_pool)) return pool_at;
    uint32_t at = pool_at;
    for (int i = 0; i < f->n_fields; i++) {
        const struct field *field = &f->field[i];
        char unit[UNIT_TEXT];
        struct slot s = {.fill = f, .field = field, .node = f->found[i], .pool_at = at};
        s.function = function + n_functions;
        if (fields_unit(field->unit, f->is_angle, unit)) s.unit = unit;
        int more = field_function_count(field->kind);
        if (n_functions + more > max_functions) return pool_at;
        FILL[field->kind](&s);
        at += (uint32_t)field_pool_count(field->kind);
        n_functions += more;
    }
    return pool_at;
}
