#include "services/load/model/forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rt/mech/force.h"
#include "services/load/model/fields.h"
#include "services/load/model/references.h"
#include "services/load/model/targets.h"

/* ---- types --------------------------------------------------------------------- */

/* Row of the type that was proposed, or -1. */
static int report_type(struct element *el, const struct node *type, enum force_section section)
{
    const char *known[64];
    int row[64], n = 0;
    for (int i = 0; i < FORCE_TYPE_COUNT && n < 64; i++)
        if (FORCE_TYPE[i]->section == section) known[n] = FORCE_TYPE[i]->name, row[n++] = i;
    int near = references_report_type(el, type, section == FORCE_IN_FORCES ? "force" : "actuator",
                                      known, n);
    return near < 0 ? -1 : row[near];
}

/* Of the rows with the type's name the one whose refs stand in the file, else the
 * first; -1 after a message. */
static int force_type(struct element *el, enum force_section section)
{
    const struct node *map = el->source->node, *type = reader_find(map, "type");
    const struct schema_key only_type = KEYS_ELEMENT[ELEMENT_KEY_TYPE];
    const struct schema schema = {"a force", &only_type, 1, NULL, 0};
    const struct node *found[SCHEMA_MAX_KEYS];
    if (!type || type->kind != NODE_SCALAR) {
        const struct node bare = {
            .kind = map->kind, .text = map->text, .place = map->place, .key = map->key};
        (void)schema_walk(&schema, &bare, el->path, el->build->diags, found);
        references_check_names(el);
        return -1;
    }
    int first = force_find(type->text, section, 0), known = first >= 0;
    if (!known) first = report_type(el, type, section);
    const char *name = first < 0 ? "" : FORCE_TYPE[first]->name;
    for (int row = first; row >= 0; row = force_find(name, section, row + 1))
        if (targets_fit(map, FORCE_TYPE[row]->refs)) return row;
    if (known) return first;
    references_check_names(el);
    return -1;
}

/* ---- one force ----------------------------------------------------------------- */

/* 1 if a field `frame` with the words "world body" says body. */
static int is_in_body(const struct targets *r, const struct force_type *t)
{
    const struct node *const *found = targets_fields(r);
    for (int i = 0; i < t->n_fields; i++)
        if (t->field[i].kind == FIELD_CHOICE && strcmp(t->field[i].choices, "world body") == 0)
            return found[i] && found[i]->kind == NODE_SCALAR && strcmp(found[i]->text, "body") == 0;
    return 0;
}

static void add_force(struct build *b, const struct source_element *source)
{
    struct model_force force = {.origin = build_origin(b, source->node->key->place),
                                .name = build_text(b, source->path),
                                .component = source->scope.component,
                                .type = -1,
                                .body = {MODEL_GROUND, MODEL_GROUND},
                                .joint = MODEL_NONE,
                                .coordinate = MODEL_NONE,
                                .phase = MODEL_NONE,
                                .actuator = MODEL_NONE};
    for (int i = 0; i < MODEL_FUNCTIONS_PER_FORCE; i++) force.function[i] = MODEL_NONE;
    struct model_force *f = build_add(b, BUILD_FORCES, 1);
    if (f) *f = force;
}

/* A force on a joint belongs to the joint's component, wherever it is written. */
static int32_t force_component(const struct targets *r, const struct element *el)
{
    if (r->joint < 0) return el->where.component;
    return ((const struct model_joint *)build_at(el->build, BUILD_JOINTS, (size_t)r->joint))
        ->component;
}

/* What its numbers say together. */
static void check_together(const struct force_type *t, const struct fields *f, uint32_t pool_at)
{
    struct build *b = f->element->build;
    unsigned given = 0;
    if (!t->check) return;
    for (int i = 0; i < t->n_fields; i++) given |= (unsigned)(f->found[i] != NULL) << i;
    const char *wrong = t->check(build_at(b, BUILD_POOL, pool_at), given, f->is_angle);
    if (wrong)
        message_add(b->diags, f->element->source->node->key->place, MESSAGE_OUT_OF_RANGE, "%s: %s",
                    f->element->path, wrong);
}

/* Fill force `index` by its type; returns the type, NULL where it has none. A force whose
 * names are wrong is read for its other messages and stays without type in the model. */
static const struct force_type *compile_force(struct element *el, enum force_section section,
                                              struct targets *r, size_t index)
{
    struct build *b = el->build;
    int row = force_type(el, section);
    if (row < 0) return NULL;
    const struct force_type *t = FORCE_TYPE[row];
    targets_schema(r, t->name, t->refs,
                   section == FORCE_IN_ACTUATORS ? TARGETS_UNIT | TARGETS_COMMAND : 0, t->field,
                   t->n_fields);
    int named = targets_read(r, el, t->refs, 1);
    struct fields fill = {.element = el,
                          .field = t->field,
                          .n_fields = t->n_fields,
                          .found = targets_fields(r),
                          .body = {r->body[0], r->body[1]},
                          .is_angle = targets_is_angle(r, b),
                          .is_axial = t->unit && strcmp(t->unit, "N.m") == 0,
                          .in_body = is_in_body(r, t)};
    int32_t function[MODEL_FUNCTIONS_PER_FORCE] = {MODEL_NONE, MODEL_NONE, MODEL_NONE, MODEL_NONE};
    int errors = b->diags->n_errors;
    uint32_t pool_at = fields_fill(&fill, function, MODEL_FUNCTIONS_PER_FORCE);
    if (named && b->diags->n_errors == errors) check_together(t, &fill, pool_at);
    struct model_force *f = build_at(b, BUILD_FORCES, index);
    if (!named) return t;
    f->type = row;
    f->component = force_component(r, el);
    f->body[0] = r->body[0], f->body[1] = r->body[1];
    f->joint = r->joint;
    f->coordinate = r->coordinate;
    f->phase = r->phase;
    f->actuator = r->follows;
    memcpy(f->function, function, sizeof function);
    f->pool_at = pool_at;
    f->state_at = (uint32_t)b->head.n_states;
    b->head.n_states += t->n_states;
    return t;
}

/* ---- actuators ----------------------------------------------------------------- */

static double command(struct element *el, const struct node *node, const char *key,
                      const struct unit *unit, double fallback, const struct model_actuator *a)
{
    double v = fmin(fmax(fallback, a->lower), a->upper);
    if (!node || !value_in_unit(&el->reader, node, key, unit, &v)) return v;
    if (v >= a->lower && v <= a->upper) return v;
    message_add(el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s: %s must lie in the range [%g, %g], not be %g", el->path, key, a->lower,
                a->upper, v);
    return v;
}

static void compile_actuator(struct element *el, size_t actuator, size_t force)
{
    struct build *b = el->build;
    struct targets r;
    const struct force_type *t = compile_force(el, FORCE_IN_ACTUATORS, &r, force);
    char si[UNIT_TEXT];
    struct unit unit;
    const char *text;
    const char *command_unit = t && t->command_unit ? t->command_unit : t ? t->unit : "";
    if (!t || !fields_unit(command_unit, targets_is_angle(&r, b), si)) return;
    struct model_actuator a = {.lower = -DBL_MAX, .upper = DBL_MAX};
    int good = targets_read_unit(&r, el, si, &unit, &text);
    good &= targets_read_range(&r, el, &unit, &a.lower, &a.upper);
    if (!targets_node(&r, ELEMENT_KEY_RANGE))
        message_add(b->diags, el->source->node->key->place, MESSAGE_NO_RANGE,
                    "actuator %s has no range: every command is taken", el->path);
    a.origin = build_origin(b, el->source->node->key->place);
    a.name = build_text(b, el->path);
    a.component = el->where.component;
    a.force = (int32_t)force;
    a.unit = build_text(b, text);
    a.help = targets_description(&r, b);
    a.scale = unit.scale;
    a.safe = command(el, targets_node(&r, ELEMENT_KEY_SAFE), "safe", &unit, 0, &a);
    a.start = command(el, targets_node(&r, ELEMENT_KEY_START), "start", &unit, a.safe, &a);
    if (!good) return;
    *(struct model_actuator *)build_at(b, BUILD_ACTUATORS, actuator) = a;
    ((struct model_force *)build_at(b, BUILD_FORCES, force))->actuator = (int32_t)actuator;
}

void forces_compile(struct build *b)
{
    const struct source_elements *forces = &b->source->section[SECTION_FORCES];
    const struct source_elements *actuators = &b->source->section[SECTION_ACTUATORS];
    struct element el;
    struct targets r;
    for (size_t i = 0; i < forces->n && !source_is_hopeless(b->source); i++) {
        add_force(b, &forces->item[i]);
        if (b->memory->failed) return;
        build_open(b, &forces->item[i], EXPR_LIVE, &el);
        (void)compile_force(&el, FORCE_IN_FORCES, &r, i);
    }
    for (size_t i = 0; i < actuators->n && !source_is_hopeless(b->source); i++) {
        add_force(b, &actuators->item[i]);
        if (!build_add(b, BUILD_ACTUATORS, 1) || b->memory->failed) return;
        build_open(b, &actuators->item[i], EXPR_LIVE, &el);
        compile_actuator(&el, i, forces->n + i);
    }
}

/* ---- start values -------------------------------------------------------------- */

static struct kin start_kin(const struct model *m, int32_t body)
{
    struct kin k = {.R = quat_matrix((quat){1, 0, 0, 0})};
    if (body < 0) return k;
    const struct model_body *b = &model_bodies(m)[body];
    k.x = vec_load(b->x);
    k.R = quat_matrix(quat_load(b->q));
    k.v = vec_load(b->v);
    k.w = vec_load(b->w);
    return k;
}

void forces_start(struct model *m)
{
    double *pool = (double *)((char *)m + m->pool.at);
    for (uint32_t i = 0; i < m->forces.n; i++) {
        const struct model_force *f = &model_forces(m)[i];
        const struct force_type *t = FORCE_TYPE[f->type];
        if (!t->start) continue;
        struct kin a = start_kin(m, f->body[0]), b = start_kin(m, f->body[1]);
        struct coord q = {.q = f->coordinate >= 0 ? model_coordinates(m)[f->coordinate].start : 0};
        struct force_in in = {.model = m,
                              .element = f,
                              .p = pool + f->pool_at,
                              .pool = pool,
                              .a = &a,
                              .b = &b,
                              .coordinate = f->coordinate >= 0 ? &q : NULL};
        t->start(&in, pool + f->pool_at);
    }
}
