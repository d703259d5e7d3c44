/* Gears and racks: sums over coordinates of other joints. */
#include "services/load/model/gears.h"

#include "services/load/model/curve.h"
#include "services/load/text/keys.h"
#include "services/load/model/references.h"

enum { GEAR_MOST = 3 };

struct gear_work {
    struct element *el;
    const struct joint_type *type;
    const struct node *found[SCHEMA_MAX_KEYS];
    int n;
    int32_t coordinate[GEAR_MOST];
    double factor[GEAR_MOST];
};

static int is_rack(const struct joint_type *t)
{
    return t->field == NULL || t->field[0].kind != FIELD_FUNCTION;
}

/* A gear couples the bodies of its joints, so they must be shown to it. */
static int joint_is_shown(struct gear_work *w, int32_t joint, struct place at)
{
    const struct model_joint *j = build_at(w->el->build, BUILD_JOINTS, (size_t)joint);
    for (int side = 0; side < 2; side++)
        if (j->body[side] >= 0 && !references_is_shown(w->el, j->body[side], at)) return 0;
    return 1;
}

static int read_coordinates(struct gear_work *w, const struct node *joints)
{
    const struct node *names = w->found[GEAR_KEY_COORDINATES];
    const struct node *name = names ? names->first : NULL;
    struct diag_list *diags = w->el->build->diags;
    int rack = is_rack(w->type), most = rack ? 2 : GEAR_MOST, good = 1;
    if (joints->n < w->type->n_refs || joints->n > most) {
        message_add(diags, joints->place, MESSAGE_WRONG_COUNT, "%s: a %s names %s joints, not %d",
                    w->el->path, w->type->name, rack ? "two" : "two or three", joints->n);
        return 0;
    }
    w->n = joints->n;
    if (names && names->n != joints->n) {
        message_add(diags, names->place, MESSAGE_WRONG_COUNT,
                    "%s: coordinates must be as many as joints, %d", w->el->path, joints->n);
        return 0;
    }
    int i = 0;
    for (const struct node *e = joints->first; e; e = e->next, name = name ? name->next : NULL) {
        int32_t joint;
        unsigned wanted = !rack ? REF_ANGLE | REF_LENGTH : i == 0 ? REF_ANGLE : REF_LENGTH;
        good &= references_joint(w->el, e, &joint) && joint_is_shown(w, joint, e->place) &&
                references_coordinate(w->el, joint, name, e->place, wanted, &w->coordinate[i]);
        i++;
    }
    return good;
}

/* Ratios may mix angles and lengths, so their dimension is free. */
static int read_ratios(struct gear_work *w, const struct node *ratios)
{
    int any = 0;
    if (w->n == 0) return 0;
    if (ratios->n != w->n) {
        message_add(w->el->build->diags, ratios->place, MESSAGE_WRONG_COUNT,
                    "%s: ratios must be as many as joints, %d", w->el->path, w->n);
        return 0;
    }
    if (!value_numbers(&w->el->reader, ratios, "ratios", NULL, w->n, w->factor)) return 0;
    for (int i = 0; i < w->n; i++) any |= w->factor[i] != 0;
    if (!any)
        message_add(w->el->build->diags, ratios->place, MESSAGE_OUT_OF_RANGE,
                    "%s: the ratios of a gear must not all be zero", w->el->path);
    return any;
}

/* position - radius angle = 0. */
static int read_radius(struct gear_work *w, const struct node *node)
{
    double radius;
    if (!value_number(&w->el->reader, node, "radius", "m", &radius)) return 0;
    w->factor[0] = -radius;
    w->factor[1] = 1;
    return 1;
}

static int32_t read_offset(struct gear_work *w, const struct node *node)
{
    struct curve c = curve_constant(0);
    if (node && !curve_read(w->el, node, "offset", NULL, &c)) return MODEL_NONE;
    return curve_add(w->el->build, &c);
}

static void store(struct gear_work *w, size_t i, int32_t function)
{
    struct build *b = w->el->build;
    uint32_t at = (uint32_t)build_count(b, BUILD_TERMS);
    struct model_term *t = build_add(b, BUILD_TERMS, (size_t)w->n);
    for (int k = 0; t && k < w->n; k++)
        t[k] = (struct model_term){.coordinate = w->coordinate[k], .factor = w->factor[k]};
    struct model_joint *j = build_at(b, BUILD_JOINTS, i);
    j->type = (int32_t)(w->type - JOINT_TYPE);
    j->function = function;
    j->term_at = at;
    j->n_terms = (uint32_t)w->n;
    j->pool_at = (uint32_t)build_count(b, BUILD_POOL);
}

void gears_compile(struct element *el, const struct joint_type *t, size_t i)
{
    struct gear_work w = {.el = el, .type = t};
    int rack = is_rack(t);
    struct schema s = rack ? KEYS_RACK : KEYS_GEAR;
    s.what = t->name;
    s.field = t->field;
    s.n_fields = t->n_fields;
    int good = schema_walk(&s, el->source->node, el->path, el->build->diags, w.found);
    const struct node *joints = w.found[GEAR_KEY_JOINTS];
    const struct node *factor = w.found[rack ? KEYS_RACK.n_keys : GEAR_KEY_RATIOS];
    good = joints && read_coordinates(&w, joints) && good;
    if (factor) good &= rack ? read_radius(&w, factor) : read_ratios(&w, factor);
    int32_t offset = rack ? MODEL_NONE : read_offset(&w, w.found[KEYS_GEAR.n_keys]);
    if (good) store(&w, i, offset);
}
