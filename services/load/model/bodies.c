#include "services/load/model/bodies.h"

#include <string.h>

#include "rt/math/quat.h"
#include "services/load/model/inertia.h"
#include "services/load/model/rotation.h"
#include "services/load/model/shapes.h"
#include "services/load/model/solid.h"

static void bodies_flag(struct element *el, const struct node *node, const char *key, uint32_t bit,
                        struct model_body *body)
{
    int on = 0;
    if (node && value_flag(&el->reader, node, key, &on) && on) body->flags |= bit;
}

static void bodies_check_still(struct element *el, const struct node *given, const double v[3],
                               const struct model_body *body)
{
    if (!(body->flags & BODY_FIXED) || vec_norm(vec_load(v)) == 0) return;
    message_add(el->build->diags, given->key->place, MESSAGE_EXCLUSIVE,
                "%s: only one of fixed and %s may be given", el->path, given->key->text);
}

static void bodies_place(struct element *el, const struct node *const *found,
                         struct model_body *body)
{
    const struct value_reader *r = &el->reader;
    double x[3] = {0}, q[4] = {1, 0, 0, 0}, v[3], w[3];
    const struct node *position = found[BODY_KEY_POSITION], *rotation = found[BODY_KEY_ROTATION];
    const struct node *velocity = found[BODY_KEY_VELOCITY],
                      *spin = found[BODY_KEY_ANGULAR_VELOCITY];
    if (position) (void)value_numbers(r, position, "position", "m", 3, x);
    if (rotation) (void)rotation_read(r, rotation, "rotation", q);
    placement_point(el->placement, x, body->x);
    placement_attitude(el->placement, q, body->q);
    if (velocity && value_numbers(r, velocity, "velocity", "m/s", 3, v)) {
        bodies_check_still(el, velocity, v, body);
        placement_polar(el->placement, v, body->v);
        body->flags |= BODY_GIVEN_V;
    }
    if (spin && value_numbers(r, spin, "angular-velocity", "rad/s", 3, w)) {
        bodies_check_still(el, spin, w, body);
        placement_axial(el->placement, w, body->w);
        body->flags |= BODY_GIVEN_W;
    }
}

/* The solid of a body: its kind, SOLID_COUNT if there is none, -1 if several. */
static int bodies_solid(const struct node *const *found)
{
    int solid = SOLID_COUNT;
    for (int k = 0; k < SOLID_COUNT; k++) {
        if (!found[BODY_KEY_BOX + k]) continue;
        if (solid != SOLID_COUNT) return -1;
        solid = k;
    }
    return solid;
}

static int bodies_mass(struct element *el, const struct node *node, double *mass)
{
    if (!value_number(&el->reader, node, "mass", "kg", mass)) return 0;
    if (*mass > 0) return 1;
    message_add(el->build->diags, node->place, MESSAGE_MASS,
                "%s: the mass must be positive, not %g", el->path, *mass);
    return 0;
}

/* Inertia from the tensor or the solid. */
static int bodies_inertia(struct element *el, const struct node *const *found,
                          struct model_body *body)
{
    const struct value_reader *r = &el->reader;
    const struct node *tensor = found[BODY_KEY_INERTIA];
    struct place at = el->source->node->key->place;
    int solid = bodies_solid(found), point = (body->flags & BODY_POINT) != 0;
    if (solid < 0 || (tensor != 0) + (solid < SOLID_COUNT) + point > 1) {
        message_add(r->diags, at, MESSAGE_EXCLUSIVE,
                    "%s: only one of inertia, point, box, cylinder, sphere and rod may be given",
                    el->path);
        return 0;
    }
    if (solid < SOLID_COUNT)
        return solid_read(r, (enum keys_solid)solid, found[BODY_KEY_BOX + solid], el->path,
                          &body->mass, body->inertia);
    if (tensor)
        return inertia_read(r, tensor, el->path, body->inertia) &&
               inertia_check(r, tensor->place, el->path, body->inertia);
    if (point || body->flags & BODY_FIXED) return 1;
    if (reader_find(el->source->node, "inertia")) return 0; /* of a wrong kind, and reported */
    message_add(r->diags, at, MESSAGE_NO_INERTIA,
                "%s: 'inertia' is missing; give it, a solid such as box, or point: true", el->path);
    return 0;
}

static void bodies_weigh(struct element *el, const struct node *const *found,
                         struct model_body *body)
{
    const struct node *mass = found[BODY_KEY_MASS];
    int good = !mass || bodies_mass(el, mass, &body->mass);
    if (!good) body->mass = 1;
    good = bodies_inertia(el, found, body) && good;
    int weighed = reader_find(el->source->node, "mass") || bodies_solid(found) != SOLID_COUNT;
    if (!weighed && !(body->flags & BODY_FIXED)) {
        message_add(el->build->diags, el->source->node->key->place, MESSAGE_MASS,
                    "%s: 'mass' is missing; a body that moves needs it", el->path);
        good = 0;
    }
    placement_inertia(el->placement, body->inertia);
    if (!good) body->mass = 1;
}

static void bodies_one(struct build *b, const struct source_element *source)
{
    struct element el;
    const struct node *found[SCHEMA_MAX_KEYS];
    struct model_origin origin = build_origin(b, source->node->key->place);
    uint32_t name = build_text(b, source->path);
    struct model_body *body = build_add(b, BUILD_BODIES, 1);
    if (!body) return;
    *body = (struct model_body){.origin = origin,
                                .name = name,
                                .mass = 0,
                                .q = {1, 0, 0, 0},
                                .component = source->scope.component};
    build_open(b, source, 0, &el);
    if (!schema_walk(&KEYS_BODY, source->node, el.path, b->diags, found) &&
        source->node->kind != NODE_MAP)
        return;
    bodies_flag(&el, found[BODY_KEY_FIXED], "fixed", BODY_FIXED, body);
    bodies_flag(&el, found[BODY_KEY_POINT], "point", BODY_POINT, body);
    if (names_find(&b->source->component[body->component].shows, el.path) >= 0)
        body->flags |= BODY_SHOWN;
    bodies_place(&el, found, body);
    bodies_weigh(&el, found, body);
    int solid = bodies_solid(found);
    if (solid < 0) solid = SOLID_COUNT;
    shapes_read(&el, found[BODY_KEY_SHAPE], (int32_t)build_count(b, BUILD_BODIES) - 1,
                (enum keys_solid)solid, solid < SOLID_COUNT ? found[BODY_KEY_BOX + solid] : NULL);
}

void bodies_compile(struct build *b)
{
    const struct source_elements *list = &b->source->section[SECTION_BODIES];
    for (size_t i = 0; i < list->n && !source_is_hopeless(b->source); i++)
        bodies_one(b, &list->item[i]);
    if (list->n == 0 && b->diags->n_errors == 0)
        message_add(b->diags, b->source->component[0].place, MESSAGE_NO_BODIES,
                    "the model has no bodies");
}

static vec3 bodies_turn_back(const struct model_body *body, vec3 v)
{
    struct mat3 R = quat_matrix(quat_load(body->q));
    return mat3_tmul(&R, v);
}

void bodies_local_point(const struct build *b, int32_t body, const double world[3], double local[3])
{
    vec3 p = vec_load(world);
    if (body >= 0) {
        const struct model_body *m = build_at(b, BUILD_BODIES, (size_t)body);
        p = bodies_turn_back(m, p - vec_load(m->x));
    }
    vec_store(local, p);
}

void bodies_local_direction(const struct build *b, int32_t body, const double world[3],
                            double local[3])
{
    vec3 d = vec_load(world);
    if (body >= 0) d = bodies_turn_back(build_at(b, BUILD_BODIES, (size_t)body), d);
    vec_store(local, d);
}

int bodies_check_attachment(struct element *el, int32_t body, const double local[3],
                            struct place at)
{
    if (body < 0) return 1;
    const struct model_body *m = build_at(el->build, BUILD_BODIES, (size_t)body);
    double far = vec_norm(vec_load(local));
    if (!(m->flags & BODY_POINT) || far <= 1e-9) return 1;
    message_add(
        el->build->diags, at, MESSAGE_POINT_BODY,
        "%s: '%s' is a point mass and can only be held at its mass centre, which is %.3g m away",
        el->path, el->build->source->section[SECTION_BODIES].item[body].path, far);
    return 0;
}

static void bodies_report_free(struct build *b, const struct source_element *e, size_t more)
{
    if (more)
        message_add(b->diags, e->node->key->place, MESSAGE_FREE_BODY,
                    "body %s has no joint: it moves freely; so do %zu more bodies", e->path, more);
    else
        message_add(b->diags, e->node->key->place, MESSAGE_FREE_BODY,
                    "body %s has no joint: it moves freely", e->path);
}

void bodies_note_free(struct build *b)
{
    enum { NAMED = 10 };
    size_t n = build_count(b, BUILD_BODIES), n_free = 0, said = 0;
    char *held = memory_take(b->memory, n + 1, 1);
    if (!held) return;
    for (size_t j = 0; j < build_count(b, BUILD_JOINTS); j++) {
        const struct model_joint *joint = build_at(b, BUILD_JOINTS, j);
        for (int side = 0; side < 2; side++)
            if (joint->body[side] >= 0) held[joint->body[side]] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        const struct model_body *body = build_at(b, BUILD_BODIES, i);
        if (body->flags & BODY_FIXED) held[i] = 1;
        n_free += !held[i];
    }
    for (size_t i = 0; i < n && said < NAMED; i++) {
        if (held[i]) continue;
        said++;
        bodies_report_free(b, &b->source->section[SECTION_BODIES].item[i],
                           said == NAMED ? n_free - said : 0);
    }
}
