#include "services/load/model/targets.h"

#include "services/load/model/references.h"

/* 1 if a type with these refs and extras has this key. */
static int targets_has(enum keys_element key, unsigned refs, unsigned extra)
{
    switch (key) {
    case ELEMENT_KEY_BETWEEN:
        return (refs & REF_BETWEEN) != 0;
    case ELEMENT_KEY_BODY:
        return (refs & REF_BODY) != 0;
    case ELEMENT_KEY_JOINT:
        return (refs & REF_JOINT) != 0;
    case ELEMENT_KEY_COORDINATE:
        return (refs & (REF_ANGLE | REF_LENGTH)) != 0;
    case ELEMENT_KEY_FORCE:
        return (refs & REF_FORCE) != 0;
    case ELEMENT_KEY_FOLLOWS:
        return (refs & REF_FOLLOWS) != 0;
    case ELEMENT_KEY_PHASE:
        return (refs & REF_PHASE) != 0;
    case ELEMENT_KEY_UNIT:
    case ELEMENT_KEY_RANGE:
        return (extra & TARGETS_UNIT) != 0;
    case ELEMENT_KEY_SAFE:
    case ELEMENT_KEY_START:
        return (extra & TARGETS_COMMAND) != 0;
    default:
        return 1;
    }
}

void targets_schema(struct targets *r, const char *what, unsigned refs, unsigned extra,
                    const struct field *field, int n_fields)
{
    int n = 0;
    for (int k = 0; k < ELEMENT_KEY_COUNT; k++) {
        r->at[k] = -1;
        if (!targets_has((enum keys_element)k, refs, extra)) continue;
        r->at[k] = n;
        r->key[n++] = KEYS_ELEMENT[k];
    }
    r->schema = (struct schema){what, r->key, n, field, n_fields};
    r->body[0] = r->body[1] = MODEL_GROUND;
    r->joint = r->coordinate = r->force = r->phase = r->follows = MODEL_NONE;
}

const struct node *targets_node(const struct targets *r, enum keys_element key)
{
    return r->at[key] < 0 ? NULL : r->found[r->at[key]];
}

const struct node *const *targets_fields(const struct targets *r)
{
    return r->found + r->schema.n_keys;
}

static int targets_read_joint(struct targets *r, struct element *el, unsigned refs)
{
    const struct node *node = targets_node(r, ELEMENT_KEY_JOINT);
    if (!node || !references_joint(el, node, &r->joint)) return 0;
    const struct model_joint *j = build_at(el->build, BUILD_JOINTS, (size_t)r->joint);
    r->body[0] = j->body[0], r->body[1] = j->body[1];
    if (!(refs & (REF_ANGLE | REF_LENGTH))) return 1;
    return references_coordinate(el, r->joint, targets_node(r, ELEMENT_KEY_COORDINATE), node->place,
                                 refs, &r->coordinate);
}

static int targets_read_phase(struct targets *r, struct element *el)
{
    const struct node *node = targets_node(r, ELEMENT_KEY_PHASE);
    int32_t joint;
    return node && references_joint(el, node, &joint) &&
           references_coordinate(el, joint, NULL, node->place, REF_ANGLE, &r->phase);
}

int targets_read(struct targets *r, struct element *el, unsigned refs, int connects)
{
    int good = 1;
    (void)schema_walk(&r->schema, el->source->node, el->path, el->build->diags, r->found);
    const struct node *between = targets_node(r, ELEMENT_KEY_BETWEEN);
    const struct node *body = targets_node(r, ELEMENT_KEY_BODY),
                      *force = targets_node(r, ELEMENT_KEY_FORCE);
    if (refs & REF_BETWEEN) good &= between && references_between(el, between, connects, r->body);
    if (refs & REF_BODY) good &= body && references_body(el, body, connects, &r->body[1]);
    if (refs & REF_JOINT) good &= targets_read_joint(r, el, refs);
    if (refs & REF_PHASE) good &= targets_read_phase(r, el);
    if (refs & REF_FOLLOWS) {
        const struct node *node = targets_node(r, ELEMENT_KEY_FOLLOWS);
        good &= node && references_actuator(el, node, &r->follows);
    }
    if (refs & REF_FORCE) good &= force && references_force(el, force, &r->force);
    if (body && good && r->body[1] == MODEL_GROUND) {
        message_add(el->build->diags, body->place, MESSAGE_SAME_BODY,
                    "%s: ground itself cannot be the body here", el->path);
        good = 0;
    }
    return good;
}

int targets_fit(const struct node *map, unsigned refs)
{
    if (refs & REF_BETWEEN) return reader_find(map, "between") != NULL;
    if (refs & REF_BODY) return reader_find(map, "body") != NULL;
    if (refs & REF_JOINT) return reader_find(map, "joint") != NULL;
    if (refs & REF_FORCE) return reader_find(map, "force") != NULL;
    return 1;
}

int targets_is_angle(const struct targets *r, const struct build *b)
{
    if (r->coordinate < 0) return -1;
    return ((const struct model_coordinate *)build_at(b, BUILD_COORDINATES, (size_t)r->coordinate))
        ->is_angle;
}

int targets_read_unit(const struct targets *r, struct element *el, const char *si,
                      struct unit *unit, const char **text)
{
    const struct node *node = targets_node(r, ELEMENT_KEY_UNIT);
    *text = si;
    if (!node) return unit_parse(si, unit);
    if (!value_unit(&el->reader, node, "unit", si, unit)) {
        (void)unit_parse(si, unit);
        return 0;
    }
    *text = node->text;
    return 1;
}

int targets_read_range(const struct targets *r, struct element *el, const struct unit *unit,
                       double *lower, double *upper)
{
    const struct node *node = targets_node(r, ELEMENT_KEY_RANGE);
    double low, high;
    if (!node) return 1;
    if (node->n != 2) {
        message_add(el->build->diags, node->place, MESSAGE_WRONG_COUNT,
                    "%s: range must be a list of two numbers, [least, most]", el->path);
        return 0;
    }
    int good = value_in_unit(&el->reader, node->first, "range", unit, &low);
    good &= value_in_unit(&el->reader, node->first->next, "range", unit, &high);
    if (!good) return 0;
    if (low >= high) {
        message_add(el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                    "%s: the range [%g, %g] is empty; the smaller number comes first", el->path,
                    low, high);
        return 0;
    }
    *lower = low, *upper = high;
    return 1;
}

uint32_t targets_description(const struct targets *r, struct build *b)
{
    const struct node *node = targets_node(r, ELEMENT_KEY_DESCRIPTION);
    return node ? build_text(b, node->text) : 0;
}
