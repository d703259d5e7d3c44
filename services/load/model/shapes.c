#include "services/load/model/shapes.h"

#include <stdio.h>
#include <string.h>

#include "rt/math/quat.h"
#include "services/load/model/bodies.h"
#include "services/load/model/rotation.h"

static quat conjugate(quat q) { return (quat){q[0], -q[1], -q[2], -q[3]}; }

static void store(quat q, double to[4])
{
    for (int i = 0; i < 4; i++) to[i] = q[i];
}

/* A shape being read: its keys, and what they gave. */
struct reading {
    struct element *el;
    const struct node *node;
    const struct node *found[SCHEMA_MAX_KEYS];
    struct model_shape shape;
};

enum { BY_SIZE = 1, BY_RADIUS = 2, BY_LENGTH = 4, BY_FILE = 8 };

/* What each kind must be given, and the keys it may have besides. */
static const struct {
    const char *name;
    unsigned needs;
    unsigned may; /* bits of enum keys_shape */
} KIND[] = {
    [SHAPE_BOX] = {"a box", BY_SIZE, 0},
    [SHAPE_CYLINDER] = {"a cylinder", BY_RADIUS | BY_LENGTH,
                        1u << SHAPE_KEY_INNER | 1u << SHAPE_KEY_AXIS | 1u << SHAPE_KEY_FROM |
                            1u << SHAPE_KEY_TO},
    [SHAPE_SPHERE] = {"a sphere", BY_RADIUS, 0},
    [SHAPE_CAPSULE] = {"a capsule", BY_RADIUS | BY_LENGTH,
                       1u << SHAPE_KEY_AXIS | 1u << SHAPE_KEY_FROM | 1u << SHAPE_KEY_TO},
    [SHAPE_MESH] = {"a mesh", BY_FILE, 1u << SHAPE_KEY_SCALE},
};

static const struct {
    enum keys_shape key;
    unsigned bit;
} GIVEN[] = {{SHAPE_KEY_SIZE, BY_SIZE},
             {SHAPE_KEY_RADIUS, BY_RADIUS},
             {SHAPE_KEY_LENGTH, BY_LENGTH},
             {SHAPE_KEY_FILE, BY_FILE}};

static int complain(const struct reading *r, enum message kind, const char *text, const char *key)
{
    message_add(r->el->build->diags, r->node->place, kind, "%s: shape: %s %s '%s'", r->el->path,
                KIND[r->shape.kind].name, text, key);
    return 0;
}

/* The ends of a cylinder or capsule stand instead of its length, axis, place and attitude. */
static int has_ends(const struct reading *r)
{
    return r->found[SHAPE_KEY_FROM] || r->found[SHAPE_KEY_TO];
}

/* Each key where it belongs: what is needed is there, what means nothing is not. */
static int check_keys(struct reading *r)
{
    const unsigned common = 1u << SHAPE_KEY_TYPE | 1u << SHAPE_KEY_COLOUR;
    const unsigned place = 1u << SHAPE_KEY_AT | 1u << SHAPE_KEY_ROTATION;
    unsigned may = KIND[r->shape.kind].may | common | place, needs = KIND[r->shape.kind].needs;
    if (has_ends(r)) {
        needs &= ~(unsigned)BY_LENGTH;
        may &= ~(place | 1u << SHAPE_KEY_AXIS);
        if (!r->found[SHAPE_KEY_FROM] || !r->found[SHAPE_KEY_TO])
            return complain(r, MESSAGE_MISSING_KEY, "with one end needs the other, key",
                            r->found[SHAPE_KEY_FROM] ? "to" : "from");
    }
    for (int i = 0; i < 4; i++) {
        if (!(needs & GIVEN[i].bit)) continue;
        may |= 1u << GIVEN[i].key;
        if (!r->found[GIVEN[i].key])
            return complain(r, MESSAGE_MISSING_KEY, "needs the key",
                            KEYS_SHAPE.key[GIVEN[i].key].key);
    }
    for (int k = 0; k < KEYS_SHAPE.n_keys; k++)
        if (r->found[k] && !(may >> k & 1))
            return complain(r, MESSAGE_EXCLUSIVE, "has no use here for the key",
                            KEYS_SHAPE.key[k].key);
    return 1;
}

static int read_length(const struct reading *r, enum keys_shape key, double *to)
{
    const struct node *node = r->found[key];
    if (!node) return 1;
    if (!value_number(&r->el->reader, node, KEYS_SHAPE.key[key].key, KEYS_SHAPE.key[key].unit, to))
        return 0;
    if (*to > 0) return 1;
    message_add(r->el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s: shape: %s must be positive, not %g", r->el->path, KEYS_SHAPE.key[key].key,
                *to);
    return 0;
}

static int read_sizes(struct reading *r)
{
    double *s = r->shape.size;
    const struct node *size = r->found[SHAPE_KEY_SIZE];
    if (size) {
        if (!value_numbers(&r->el->reader, size, "size", "m", 3, s)) return 0;
        if (s[0] > 0 && s[1] > 0 && s[2] > 0) return 1;
        message_add(r->el->build->diags, size->place, MESSAGE_OUT_OF_RANGE,
                    "%s: shape: the edges of a box must be positive", r->el->path);
        return 0;
    }
    if (r->shape.kind == SHAPE_MESH) {
        s[0] = 1;
        int good = read_length(r, SHAPE_KEY_SCALE, &s[0]);
        s[1] = s[2] = s[0];
        return good;
    }
    int good = read_length(r, SHAPE_KEY_RADIUS, &s[0]) & read_length(r, SHAPE_KEY_LENGTH, &s[1]) &
               read_length(r, SHAPE_KEY_INNER, &s[2]);
    if (good && r->shape.kind == SHAPE_CYLINDER && s[2] >= s[0])
        return complain(r, MESSAGE_OUT_OF_RANGE, "is a tube only where less than its radius is its",
                        "inner-radius");
    return good;
}

/* '#rrggbb'. */
static int read_colour(struct reading *r)
{
    const struct node *node = r->found[SHAPE_KEY_COLOUR];
    const char *text;
    unsigned rgb = 0;
    char rest;
    r->shape.colour = SHAPE_NO_COLOUR;
    if (!node) return 1;
    if (!value_text(&r->el->reader, node, "colour", &text)) return 0;
    if (strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6 &&
        sscanf(text, "#%6x%c", &rgb, &rest) == 1) {
        r->shape.colour = (int32_t)rgb;
        return 1;
    }
    message_add(r->el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s: shape: a colour is written '#rrggbb' in quotes, such as '#4477aa', not '%s'",
                r->el->path, text);
    return 0;
}

/* The path of a mesh: from the folder of the file that names it. */
static int read_mesh(struct reading *r)
{
    const struct node *node = r->found[SHAPE_KEY_FILE];
    struct build *b = r->el->build;
    const char *text;
    char path[4096];
    if (!node) return 1;
    if (!value_text(&r->el->reader, node, "file", &text)) return 0;
    const char *from = node->place.file, *slash = strrchr(from, '/');
    int dir = text[0] == '/' || !slash ? 0 : (int)(slash - from) + 1;
    if (snprintf(path, sizeof path, "%.*s%s", dir, from, text) >= (int)sizeof path)
        return complain(r, MESSAGE_OUT_OF_RANGE, "has too long a name for its", "file");
    r->shape.mesh = build_text(b, path);
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    else
        message_add(b->diags, node->place, MESSAGE_NO_MESH,
                    "%s: the mesh '%s' cannot be read; the body is drawn without it", r->el->path,
                    path);
    return 1;
}

/* The attitude that lays z along an axis of the body. */
static quat along(int axis)
{
    static const double HALF[3][4] = {
        {M_SQRT1_2, 0, M_SQRT1_2, 0}, {M_SQRT1_2, -M_SQRT1_2, 0, 0}, {1, 0, 0, 0}};
    return quat_load(HALF[axis]);
}

/* The shortest turn from z to a direction. */
static quat onto(vec3 d)
{
    if (d[2] < -1 + 1e-12) return (quat){0, 1, 0, 0};
    return quat_unit((quat){1 + d[2], -d[1], d[0], 0});
}

/* Where the ends are, its middle, length and attitude. */
static int place_ends(struct reading *r, const struct model_body *body)
{
    double from[3], to[3], middle[3], a[3], b[3];
    struct element *el = r->el;
    if (!value_numbers(&el->reader, r->found[SHAPE_KEY_FROM], "from", "m", 3, from) ||
        !value_numbers(&el->reader, r->found[SHAPE_KEY_TO], "to", "m", 3, to))
        return 0;
    placement_point(el->placement, from, a);
    placement_point(el->placement, to, b);
    vec3 d = vec_load(b) - vec_load(a);
    double length = vec_norm(d);
    if (!(length > 0))
        return complain(r, MESSAGE_OUT_OF_RANGE, "ends where it begins: move one of", "from, to");
    r->shape.size[1] = length;
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (a[i] + b[i]);
    bodies_local_point(el->build, r->shape.body, middle, r->shape.x);
    quat local = quat_mul(conjugate(quat_load(body->q)), onto(d / length));
    store(quat_unit(local), r->shape.q);
    return 1;
}

static int place_shape(struct reading *r, const struct model_body *body)
{
    struct element *el = r->el;
    const struct value_reader *v = &el->reader;
    const struct node *at = r->found[SHAPE_KEY_AT], *rotation = r->found[SHAPE_KEY_ROTATION];
    double x[3], world[3], q[4] = {1, 0, 0, 0};
    int axis = 2;
    if (has_ends(r)) return place_ends(r, body);
    if (r->found[SHAPE_KEY_AXIS] &&
        !value_choice(v, r->found[SHAPE_KEY_AXIS], "axis", "x y z", &axis))
        return 0;
    if (rotation && !rotation_read(v, rotation, "rotation", q)) return 0;
    store(quat_mul(quat_load(q), along(axis)), r->shape.q);
    if (el->placement->mirror >= 0) { /* against the body's axes the image is mirrored too */
        quat m = quat_load(r->shape.q);
        for (int i = 0; i < 3; i++)
            if (i != el->placement->mirror) m[1 + i] = -m[1 + i];
        store(m, r->shape.q);
        if (r->shape.kind == SHAPE_MESH) r->shape.size[el->placement->mirror] *= -1;
    }
    if (!at) return 1;
    if (!value_numbers(v, at, "at", "m", 3, x)) return 0;
    placement_point(el->placement, x, world);
    bodies_local_point(el->build, r->shape.body, world, r->shape.x);
    return 1;
}

static void read_one(struct element *el, const struct node *node, int32_t index)
{
    struct reading r = {.el = el, .node = node, .shape = {.body = index, .q = {1, 0, 0, 0}}};
    const struct model_body *body = build_at(el->build, BUILD_BODIES, (size_t)index);
    int kind;
    if (!schema_walk(&KEYS_SHAPE, node, el->path, el->build->diags, r.found)) return;
    if (!value_choice(&el->reader, r.found[SHAPE_KEY_TYPE], "type",
                      KEYS_SHAPE.key[SHAPE_KEY_TYPE].choices, &kind))
        return;
    r.shape.kind = kind;
    if (!check_keys(&r) || !read_sizes(&r) || !read_colour(&r) || !read_mesh(&r) ||
        !place_shape(&r, body))
        return;
    struct model_shape *shape = build_add(el->build, BUILD_SHAPES, 1);
    if (shape) *shape = r.shape;
}

/* The solid a body is made of, read again for its looks; mistakes in it are told already. */
static void from_solid(struct element *el, int32_t body, enum keys_solid kind,
                       const struct node *node)
{
    static const enum model_shape_kind LOOKS[SOLID_COUNT] = {[SOLID_BOX] = SHAPE_BOX,
                                                             [SOLID_CYLINDER] = SHAPE_CYLINDER,
                                                             [SOLID_SPHERE] = SHAPE_SPHERE,
                                                             [SOLID_ROD] = SHAPE_CAPSULE};
    struct model_shape s = {.body = body, .kind = LOOKS[kind], .colour = SHAPE_NO_COLOUR};
    int axis = kind == SOLID_ROD ? 0 : 2;
    const struct value_reader *v = &el->reader;
    for (const struct node *e = node->first; e; e = e->next) {
        const char *key = e->key->text;
        int good = 1;
        if (strcmp(key, "size") == 0) good = value_numbers(v, e, key, "m", 3, s.size);
        if (strcmp(key, "radius") == 0) good = value_number(v, e, key, "m", &s.size[0]);
        if (strcmp(key, "length") == 0) good = value_number(v, e, key, "m", &s.size[1]);
        if (strcmp(key, "inner-radius") == 0) good = value_number(v, e, key, "m", &s.size[2]);
        if (strcmp(key, "axis") == 0) good = value_choice(v, e, key, "x y z", &axis);
        if (!good) return;
    }
    if (kind == SOLID_ROD) s.size[0] = s.size[1] / 40;
    store(kind == SOLID_CYLINDER || kind == SOLID_ROD ? along(axis) : along(2), s.q);
    struct model_shape *shape = build_add(el->build, BUILD_SHAPES, 1);
    if (shape) *shape = s;
}

void shapes_read(struct element *el, const struct node *node, int32_t body, enum keys_solid kind,
                 const struct node *solid)
{
    size_t errors = (size_t)el->build->diags->n_errors;
    if (node && node->kind == NODE_LIST)
        for (const struct node *e = node->first; e; e = e->next) read_one(el, e, body);
    else if (node)
        read_one(el, node, body);
    else if (kind != SOLID_COUNT && errors == 0)
        from_solid(el, body, kind, solid);
}
