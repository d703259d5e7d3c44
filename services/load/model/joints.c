#include "services/load/model/joints.h"

#include <string.h>

#include "rt/math/vec.h"
#include "rt/mech/joint.h"
#include "services/load/model/bodies.h"
#include "services/load/model/curve.h"
#include "services/load/model/fields.h"
#include "services/load/model/gears.h"
#include "services/load/text/keys.h"
#include "services/load/model/references.h"

/* A joint while it is read, world frame at the start. */
struct joint_work {
    struct element *el;
    const struct joint_type *type;
    const struct node *found[SCHEMA_MAX_KEYS];
    int32_t body[2];
    vec3 point[2];
    vec3 x[2], y[2], z[2]; /* axes of the two joint frames */
};

/* Row of the joint table, or -1 after a message. */
static int joint_type(struct element *el)
{
    const char *known[64];
    const struct node *found[SCHEMA_MAX_KEYS], *type = reader_find(el->source->node, "type");
    if (!type || type->kind != NODE_SCALAR) {
        (void)schema_walk(&KEYS_JOINT, el->source->node, el->path, el->build->diags, found);
        references_check_names(el);
        return -1;
    }
    int row = joint_find(type->text);
    if (row >= 0) return row;
    for (int i = 0; i < JOINT_TYPE_COUNT && i < 64; i++) known[i] = JOINT_TYPE[i].name;
    row = references_report_type(el, type, "joint", known, JOINT_TYPE_COUNT);
    int ties = reader_find(el->source->node, "joints") != NULL;
    if (row >= 0 && (JOINT_TYPE[row].special == JOINT_SUM) == ties) return row;
    references_check_names(el);
    return -1;
}

/* ---- geometry ------------------------------------------------------------------ */

/* Axes of turning keep their sense in a mirror, axes of sliding their direction. */
static int axis_is_axial(const struct joint_type *t)
{
    switch (t->coordinates) {
    case COORDINATES_ANGLE:
    case COORDINATES_CROSS:
    case COORDINATES_X_Y_ANGLE:
        return 1;
    default:
        return 0;
    }
}

static vec3 to_world(const struct joint_work *w, const double v[3])
{
    double out[3];
    if (axis_is_axial(w->type))
        placement_axial(w->el->placement, v, out);
    else
        placement_polar(w->el->placement, v, out);
    return vec_load(out);
}

/* A point of the file in the world; side 0 is `at`, side 1 `at-b`. */
static int read_point(struct joint_work *w, int side)
{
    const struct node *node = w->found[side ? JOINT_KEY_AT_B : JOINT_KEY_AT];
    double p[3], local[3];
    if (!node && side) {
        w->point[1] = w->point[0];
        node = w->found[JOINT_KEY_AT];
        if (!node) return 0;
    } else {
        if (!node || !value_numbers(&w->el->reader, node, side ? "at-b" : "at", "m", 3, p))
            return 0;
        placement_point(w->el->placement, p, p);
        w->point[side] = vec_load(p);
    }
    vec_store(p, w->point[side]);
    bodies_local_point(w->el->build, w->body[side], p, local);
    return bodies_check_attachment(w->el, w->body[side], local, node->place);
}

static int read_axis(struct joint_work *w, const struct node *node, const char *key, vec3 *out)
{
    double v[3];
    if (!value_numbers(&w->el->reader, node, key, "", 3, v)) return 0;
    if (vec_norm(vec_load(v)) == 0) {
        message_add(w->el->build->diags, node->place, MESSAGE_ZERO_AXIS,
                    "%s: %s has no length; a direction such as [0, 0, 1] is needed", w->el->path,
                    key);
        return 0;
    }
    *out = vec_unit(to_world(w, v));
    return 1;
}

/* The part of v perpendicular to the unit vector n, made a unit; else any. */
static vec3 perpendicular(vec3 v, vec3 n)
{
    vec3 p = v - n * vec_splat(vec_dot(v, n));
    return vec_norm(p) > 1e-6 ? vec_unit(p) : vec_perp(n);
}

/* x axis of side 0: the component's own x, or y where the joint lies along x. */
static vec3 first_x(const struct joint_work *w)
{
    double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    placement_polar(w->el->placement, x, x);
    placement_polar(w->el->placement, y, y);
    int along_x = vec_dot(vec_load(x), w->z[0]) * vec_dot(vec_load(x), w->z[0]) > 0.8;
    return perpendicular(vec_load(along_x ? y : x), w->z[0]);
}

static int parallel_axes(struct joint_work *w, vec3 other)
{
    if (vec_norm(vec_cross(w->z[0], other)) > 1e-6) return 0;
    message_add(w->el->build->diags, w->found[JOINT_KEY_AXIS_B]->place, MESSAGE_PARALLEL_AXES,
                "%s: axis and axis-b of a %s joint must not be parallel", w->el->path,
                w->type->name);
    return 1;
}

/* The frames of both sides: z along the axis, x of side 1 as near to x of side 0 as
 * axis-b lets it be. A universal joint turns about z of side 0 and x of side 1. */
static void read_frames(struct joint_work *w)
{
    const struct node *axis = w->found[JOINT_KEY_AXIS], *axis_b = w->found[JOINT_KEY_AXIS_B];
    double up[3] = {0, 0, 1};
    vec3 other;
    w->z[0] = vec_unit(to_world(w, up));
    int good = !axis || read_axis(w, axis, "axis", &w->z[0]);
    other = w->z[0];
    if (axis_b) good &= read_axis(w, axis_b, "axis-b", &other);
    if (!good) return;
    if (w->type->needs_axis_b) {
        if (!axis_b || parallel_axes(w, other)) return;
        w->x[1] = other;
        w->z[1] = perpendicular(w->z[0], other);
        w->x[0] = perpendicular(other, w->z[0]);
    } else {
        w->z[1] = other;
        w->x[0] = first_x(w);
        w->x[1] = perpendicular(w->x[0], other);
    }
    for (int side = 0; side < 2; side++) w->y[side] = vec_cross(w->z[side], w->x[side]);
}

static void store_side(const struct joint_work *w, struct model_joint *j, int side)
{
    const struct build *b = w->el->build;
    const vec3 axis[3] = {w->x[side], w->y[side], w->z[side]};
    double v[3];
    vec_store(v, w->point[side]);
    bodies_local_point(b, w->body[side], v, j->point[side]);
    for (int k = 0; k < 3; k++) {
        vec_store(v, axis[k]);
        bodies_local_direction(b, w->body[side], v, v);
        for (int i = 0; i < 3; i++) j->frame[side][3 * i + k] = v[i];
    }
}

/* Value of a coordinate at the start; the same formulas as rt/mech/jointkin.c. */
static double start_value(const struct joint_work *w, int which)
{
    vec3 d = w->point[1] - w->point[0];
    double turn = atan2(vec_dot(w->y[0], w->x[1]), vec_dot(w->x[0], w->x[1]));
    switch (w->type->coordinates) {
    case COORDINATES_ANGLE:
        return turn;
    case COORDINATES_Z:
        return vec_dot(w->z[0], d);
    case COORDINATES_Z_ANGLE:
        return which == 0 ? vec_dot(w->z[0], d) : turn;
    case COORDINATES_X_Y_ANGLE:
        return which == 2 ? turn : vec_dot(which ? w->y[0] : w->x[0], d);
    case COORDINATES_CROSS:
        return which == 0 ? turn
                          : atan2(vec_dot(w->x[1], vec_cross(w->z[0], w->z[1])),
                                  vec_dot(w->z[0], w->z[1]));
    case COORDINATES_DISTANCE:
        return vec_norm(d);
    case COORDINATES_NONE:
        break;
    }
    return 0;
}

/* ---- one joint ----------------------------------------------------------------- */

/* Whether `start` has one number per coordinate; else 0 after a message. */
static int check_start(const struct joint_work *w)
{
    const struct node *node = w->found[JOINT_KEY_START];
    int n = joint_coordinate_count(w->type);
    if (!node || n == 1 || (n > 1 && node->kind == NODE_LIST && node->n == n)) return node != NULL;
    if (n)
        message_add(w->el->build->diags, node->place, MESSAGE_WRONG_COUNT,
                    "%s: start must be a list of %d numbers, one for each coordinate of a %s joint",
                    w->el->path, n, w->type->name);
    else
        message_add(w->el->build->diags, node->place, MESSAGE_WRONG_COUNT,
                    "%s: a %s joint has no coordinates; leave start out", w->el->path,
                    w->type->name);
    return 0;
}

/* What a coordinate shows at the start, as `start` says. */
static void read_start(const struct joint_work *w, int which, double *start)
{
    const struct node *node = w->found[JOINT_KEY_START];
    int n = joint_coordinate_count(w->type);
    if (n > 1) node = node->first;
    for (int i = 0; n > 1 && i < which; i++) node = node->next;
    (void)value_number(&w->el->reader, node, "start",
                       joint_coordinate_is_angle(w->type, which) ? "rad" : "m", start);
}

static void add_coordinates(const struct joint_work *w, size_t joint)
{
    struct build *b = w->el->build;
    int n = joint_coordinate_count(w->type);
    struct model_joint *j = build_at(b, BUILD_JOINTS, joint);
    j->coordinate_at = (int32_t)build_count(b, BUILD_COORDINATES);
    j->n_coordinates = n;
    struct model_coordinate *c = n ? build_add(b, BUILD_COORDINATES, (size_t)n) : NULL;
    int given = check_start(w);
    for (int i = 0; c && i < n; i++) {
        int turns = joint_coordinate_is_angle(w->type, i);
        int reversed = turns && w->el->placement->mirror >= 0 && !axis_is_axial(w->type);
        double placed = start_value(w, i) * (reversed ? -1 : 1), shown = placed;
        if (given) read_start(w, i, &shown);
        c[i] = (struct model_coordinate){.joint = (int32_t)joint,
                                         .which = i,
                                         .motion = MODEL_NONE,
                                         .reversed = reversed,
                                         .is_angle = joint_coordinate_is_angle(w->type, i),
                                         .start = shown,
                                         .offset = shown - placed};
    }
}

/* The fields of the type; a distance keeps its length as placed unless given. */
static void add_fields(struct joint_work *w, size_t joint)
{
    struct build *b = w->el->build;
    int32_t function = MODEL_NONE;
    struct fields f = {.element = w->el,
                       .field = w->type->field,
                       .n_fields = w->type->n_fields,
                       .found = w->found + KEYS_JOINT.n_keys,
                       .body = {w->body[0], w->body[1]},
                       .is_angle = -1};
    uint32_t pool_at = fields_fill(&f, &function, 1);
    if (w->type->special == JOINT_DISTANCE && function == MODEL_NONE) {
        struct curve placed = curve_constant(vec_norm(w->point[1] - w->point[0]));
        function = curve_add(b, &placed);
    }
    int mirrored_screw = w->type->special == JOINT_SCREW && w->el->placement->mirror >= 0;
    if (mirrored_screw && pool_at < build_count(b, BUILD_POOL))
        *(double *)build_at(b, BUILD_POOL, pool_at) *= -1;
    struct model_joint *j = build_at(b, BUILD_JOINTS, joint);
    j->function = function;
    j->pool_at = pool_at;
}

static void check_distance(struct joint_work *w)
{
    if (w->type->special != JOINT_DISTANCE || vec_norm(w->point[1] - w->point[0]) > 0) return;
    message_add(w->el->build->diags, w->el->source->node->key->place, MESSAGE_MISSING_KEY,
                "%s: the two points of a distance joint must differ; give at-b", w->el->path);
}

static int joint_flags(struct joint_work *w)
{
    int switchable = 0, released = 0;
    const struct value_reader *r = &w->el->reader;
    if (w->found[JOINT_KEY_SWITCHABLE])
        (void)value_flag(r, w->found[JOINT_KEY_SWITCHABLE], "switchable", &switchable);
    if (w->found[JOINT_KEY_RELEASED])
        (void)value_flag(r, w->found[JOINT_KEY_RELEASED], "released", &released);
    if (released) switchable = 1;
    return (switchable ? JOINT_SWITCHABLE : 0) | (released ? JOINT_RELEASED : 0);
}

static double bearing_length(struct joint_work *w)
{
    double length = 0;
    const struct node *node = w->found[JOINT_KEY_BEARING_LENGTH];
    if (!node || !value_number(&w->el->reader, node, "bearing-length", "m", &length)) return 0;
    if (length >= 0) return length;
    message_add(w->el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s: bearing-length must not be negative", w->el->path);
    return 0;
}

/* A key that only some types need. */
static void want_key(const struct joint_work *w, const char *key)
{
    if (reader_find(w->el->source->node, key)) return;
    message_add(w->el->build->diags, w->el->source->node->key->place, MESSAGE_MISSING_KEY,
                "%s: '%s' is missing; %s needs it", w->el->path, key, w->type->name);
}

/* Everything that is wrong is said, not only the first. */
static void read_joint(struct joint_work *w)
{
    struct schema s = KEYS_JOINT;
    s.what = w->type->name;
    s.field = w->type->field;
    s.n_fields = w->type->n_fields;
    (void)schema_walk(&s, w->el->source->node, w->el->path, w->el->build->diags, w->found);
    if (w->type->needs_axis) want_key(w, "axis");
    if (w->type->needs_axis_b) want_key(w, "axis-b");
    const struct node *between = w->found[JOINT_KEY_BETWEEN];
    if (between) (void)references_between(w->el, between, 1, w->body);
    read_frames(w);
    int first = read_point(w, 0), second = read_point(w, 1);
    if (first && second) check_distance(w);
}

/* A joint that is wrong is kept too, by its type: what names it can be checked. */
static void compile_plain(struct element *el, int type, size_t joint)
{
    struct joint_work w = {
        .el = el, .type = &JOINT_TYPE[type], .body = {MODEL_GROUND, MODEL_GROUND}};
    read_joint(&w);
    struct model_joint *j = build_at(el->build, BUILD_JOINTS, joint);
    j->body[0] = w.body[0], j->body[1] = w.body[1];
    j->type = type;
    j->flags = joint_flags(&w);
    j->bearing_length = bearing_length(&w);
    store_side(&w, j, 0);
    store_side(&w, j, 1);
    add_coordinates(&w, joint);
    add_fields(&w, joint);
}

static void add_joint(struct build *b, const struct source_element *source)
{
    struct model_origin origin = build_origin(b, source->node->key->place);
    uint32_t name = build_text(b, source->path);
    struct model_joint *j = build_add(b, BUILD_JOINTS, 1);
    if (j)
        *j = (struct model_joint){.origin = origin,
                                  .name = name,
                                  .component = source->scope.component,
                                  .type = -1,
                                  .function = MODEL_NONE,
                                  .body = {MODEL_NONE, MODEL_NONE}};
}

void joints_compile(struct build *b)
{
    const struct source_elements *list = &b->source->section[SECTION_JOINTS];
    struct element el;
    for (size_t i = 0; i < list->n; i++) {
        add_joint(b, &list->item[i]);
        if (b->memory->failed) return;
    }
    int32_t *row = memory_take(b->memory, list->n, sizeof *row);
    for (size_t i = 0; row && i < list->n && !source_is_hopeless(b->source); i++) {
        build_open(b, &list->item[i], 0, &el);
        row[i] = joint_type(&el);
        if (row[i] >= 0 && JOINT_TYPE[row[i]].special != JOINT_SUM) compile_plain(&el, row[i], i);
    }
    for (size_t i = 0; row && i < list->n && !source_is_hopeless(b->source); i++) {
        build_open(b, &list->item[i], 0, &el);
        if (row[i] >= 0 && JOINT_TYPE[row[i]].special == JOINT_SUM)
            gears_compile(&el, &JOINT_TYPE[row[i]], i);
    }
}

/* ---- motions ------------------------------------------------------------------- */

static void compile_motion(struct build *b, const struct source_element *source)
{
    struct element el;
    const struct node *found[SCHEMA_MAX_KEYS];
    int32_t joint, coordinate;
    struct curve c;
    build_open(b, source, 0, &el);
    (void)schema_walk(&KEYS_MOTION, source->node, el.path, b->diags, found);
    const struct node *of = found[MOTION_KEY_JOINT], *value = found[MOTION_KEY_VALUE];
    int known = of && references_joint(&el, of, &joint) &&
                references_coordinate(&el, joint, found[MOTION_KEY_COORDINATE], of->place,
                                      REF_ANGLE | REF_LENGTH, &coordinate);
    if (!known && value) (void)curve_read(&el, value, "value", NULL, &c);
    if (!known || !value) return;
    struct model_coordinate *q = build_at(b, BUILD_COORDINATES, (size_t)coordinate);
    if (q->motion != MODEL_NONE) {
        const struct model_motion *other = build_at(b, BUILD_MOTIONS, (size_t)q->motion);
        message_add(b->diags, source->node->key->place, MESSAGE_TWO_MOTIONS,
                    "%s: this coordinate is moved already, by %s", el.path,
                    (const char *)build_at(b, BUILD_TEXT, other->name));
        return;
    }
    if (!curve_read(&el, value, "value", q->is_angle ? "rad" : "m", &c)) return;
    q->motion = (int32_t)build_count(b, BUILD_MOTIONS);
    struct model_motion motion = {.origin = build_origin(b, source->node->key->place),
                                  .name = build_text(b, source->path),
                                  .coordinate = coordinate,
                                  .function = curve_add(b, &c)};
    struct model_motion *m = build_add(b, BUILD_MOTIONS, 1);
    if (m) *m = motion;
}

void joints_compile_motions(struct build *b)
{
    const struct source_elements *list = &b->source->section[SECTION_MOTIONS];
    for (size_t i = 0; i < list->n && !source_is_hopeless(b->source); i++)
        compile_motion(b, &list->item[i]);
}
