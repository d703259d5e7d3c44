#include "services/load/model/sensors.h"

#include <math.h>
#include <string.h>

#include "rt/mech/force.h"
#include "rt/mech/sensor.h"
#include "services/load/model/fields.h"
#include "services/load/model/references.h"
#include "services/load/model/targets.h"

static int sensor_type(struct element *el)
{
    const char *known[64];
    const struct node *found[SCHEMA_MAX_KEYS], *map = el->source->node,
                                               *type = reader_find(map, "type");
    if (!type || type->kind != NODE_SCALAR) {
        const struct schema_key only_type = KEYS_ELEMENT[ELEMENT_KEY_TYPE];
        const struct schema schema = {"a sensor", &only_type, 1, NULL, 0};
        const struct node bare = {
            .kind = map->kind, .text = map->text, .place = map->place, .key = map->key};
        (void)schema_walk(&schema, &bare, el->path, el->build->diags, found);
        references_check_names(el);
        return -1;
    }
    int row = sensor_find(type->text);
    if (row >= 0) return row;
    for (int i = 0; i < SENSOR_TYPE_COUNT && i < 64; i++) known[i] = SENSOR_TYPE[i].name;
    row = references_report_type(el, type, "sensor", known, SENSOR_TYPE_COUNT);
    if (row >= 0 && targets_fit(map, SENSOR_TYPE[row].refs)) return row;
    references_check_names(el);
    return -1;
}

/* Type of the force a sensor watches, NULL if it is none or wrong. */
static const struct force_type *watched(const struct build *b, const struct targets *r)
{
    if (r->force < 0 || (size_t)r->force >= build_count(b, BUILD_FORCES)) return NULL;
    const struct model_force *f = build_at(b, BUILD_FORCES, (size_t)r->force);
    return f->type < 0 ? NULL : FORCE_TYPE[f->type];
}

/* 1, 0: the coordinate, or that of the force watched, is an angle, a length; -1: there is none. */
static int unit_is_angle(const struct build *b, const struct targets *r)
{
    if (r->coordinate >= 0) return targets_is_angle(r, b);
    if (!watched(b, r)) return -1;
    const struct model_force *f = build_at(b, BUILD_FORCES, (size_t)r->force);
    if (f->coordinate < 0) return -1;
    return ((const struct model_coordinate *)build_at(b, BUILD_COORDINATES, (size_t)f->coordinate))
        ->is_angle;
}

/* Points a file leaves out are at the mass centre. */
static void fill_mass_centres(struct build *b, uint32_t pool_at)
{
    for (size_t i = pool_at; i < build_count(b, BUILD_POOL); i++) {
        double *p = build_at(b, BUILD_POOL, i);
        if (isnan(*p)) *p = 0;
    }
}

/* Read unit, range and fields; returns 0 after a message. */
static int read_values(struct element *el, const struct sensor_type *t, const struct targets *r,
                       struct model_sensor *s)
{
    struct build *b = el->build;
    const struct force_type *force = watched(b, r);
    struct fields fill = {.element = el,
                          .field = t->field,
                          .n_fields = t->n_fields,
                          .found = targets_fields(r),
                          .body = {r->body[0], r->body[1]},
                          .is_angle = targets_is_angle(r, b)};
    int32_t no_function;
    struct unit unit;
    char si[UNIT_TEXT];
    const char *text;
    s->pool_at = fields_fill(&fill, &no_function, 0);
    fill_mass_centres(b, s->pool_at);
    if (t->refs & REF_FORCE && !force) return 0;
    if (!fields_unit(force ? force->unit : t->unit, unit_is_angle(b, r), si)) return 0;
    int good = targets_read_unit(r, el, si, &unit, &text);
    good &= targets_read_range(r, el, &unit, &s->lower, &s->upper);
    s->unit = good ? build_text(b, text) : 0;
    s->scale = 1 / unit.scale;
    s->n_channels = (uint32_t)(t->n_channels ? t->n_channels : force ? force->n_values : 1);
    return good;
}

static void compile_sensor(struct element *el)
{
    struct build *b = el->build;
    struct targets r;
    int row = sensor_type(el);
    if (row < 0) return;
    const struct sensor_type *t = &SENSOR_TYPE[row];
    struct model_sensor s = {.type = row};
    targets_schema(&r, t->name, t->refs, TARGETS_UNIT, t->field, t->n_fields);
    int named = targets_read(&r, el, t->refs, 0);
    if (!read_values(el, t, &r, &s) || !named) return;
    s.origin = build_origin(b, el->source->node->key->place);
    s.name = build_text(b, el->path);
    s.component = el->where.component;
    s.body[0] = r.body[0], s.body[1] = r.body[1];
    s.joint = r.joint, s.coordinate = r.coordinate, s.force = r.force;
    s.channel_at = (uint32_t)b->head.n_channels;
    s.help = targets_description(&r, b);
    b->head.n_channels += (int32_t)s.n_channels;
    struct model_sensor *slot = build_add(b, BUILD_SENSORS, 1);
    if (slot) *slot = s;
}

void sensors_compile(struct build *b)
{
    const struct source_elements *list = &b->source->section[SECTION_SENSORS];
    struct element el;
    for (size_t i = 0; i < list->n && !source_is_hopeless(b->source); i++) {
        build_open(b, &list->item[i], 0, &el);
        compile_sensor(&el);
    }
}
