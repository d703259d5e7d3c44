#include "services/load/model/references.h"

#include <stdio.h>
#include <string.h>

#include "rt/mech/field.h"
#include "rt/mech/joint.h"

/* The local part of a full path, as the element's component would write it. */
static const char *references_local(const struct element *el, const char *path)
{
    size_t n = strlen(el->build->source->component[el->where.component].path);
    return n > 0 && strncmp(path, el->build->source->component[el->where.component].path, n) == 0 &&
                   path[n] == '/'
               ? path + n + 1
               : path;
}

/* Index of a name in a section, or -1; *path is the full path looked for, NULL if it
 * could not be made, or leads into a component that could not; that was reported. */
static int references_find(struct element *el, const struct node *node, enum source_section section,
                           const char **path)
{
    struct source *s = el->build->source;
    *path = NULL;
    if (node->kind != NODE_SCALAR || reader_is_empty(node)) {
        message_add(s->diags, node->place, MESSAGE_WRONG_KIND, "%s: a name is expected, not %s",
                    el->path, reader_kind_text(node));
        return -1;
    }
    const char *name = source_name(&el->where, node);
    if (name) *path = source_path(s, el->where.component, name, node->place);
    if (*path && source_is_broken(s, *path)) *path = NULL;
    return *path ? names_find(&s->section[section].names, *path) : -1;
}

static void references_report(struct element *el, const struct node *node,
                              enum source_section section, enum message kind, const char *what,
                              const char *path)
{
    const struct names *names = &el->build->source->section[section].names;
    const char *near = source_nearest(el->build->source, names, path);
    if (near)
        message_add(el->build->diags, node->place, kind,
                    "%s: there is no %s '%s'; did you mean '%s'?", el->path, what,
                    references_local(el, path), references_local(el, near));
    else
        message_add(el->build->diags, node->place, kind, "%s: there is no %s '%s'", el->path, what,
                    references_local(el, path));
}

/* What a component shows, in one line. */
static void references_shown(const struct source_component *c, char *text, size_t size)
{
    size_t skip = strlen(c->path) + 1, at = 0;
    snprintf(text, size, "nothing");
    for (int i = 0; i < c->shows.n; i++) {
        int n = snprintf(text + at, size - at, "%s%s", i ? ", " : "", c->shows.key[i] + skip);
        at += n > 0 ? (size_t)n : 0;
        if (at >= size) return;
    }
}

int references_is_shown(struct element *el, int32_t body, struct place at)
{
    struct source *s = el->build->source;
    const struct source_element *b = &s->section[SECTION_BODIES].item[body];
    int own = el->where.component;
    for (int c = b->scope.component; c > 0 && c != own; c = s->component[c].parent) {
        char shown[200];
        if (names_find(&s->component[c].shows, b->path) >= 0) continue;
        references_shown(&s->component[c], shown, sizeof shown);
        message_add(s->diags, at, MESSAGE_NOT_SHOWN,
                    "%s: component %s does not show '%s'; it shows %s", el->path,
                    s->component[c].path, b->path + strlen(s->component[c].path) + 1, shown);
        return 0;
    }
    return 1;
}

int references_body(struct element *el, const struct node *node, int connects, int32_t *body)
{
    const char *path;
    if (node->kind == NODE_SCALAR && strcmp(node->text, "ground") == 0) {
        *body = MODEL_GROUND;
        return 1;
    }
    int found = references_find(el, node, SECTION_BODIES, &path);
    if (found < 0) {
        if (path) references_report(el, node, SECTION_BODIES, MESSAGE_UNKNOWN_BODY, "body", path);
        return 0;
    }
    *body = found;
    return !connects || references_is_shown(el, found, node->place);
}

int references_between(struct element *el, const struct node *node, int connects, int32_t body[2])
{
    if (node->kind != NODE_LIST || node->n != 2) {
        message_add(el->build->diags, node->place, MESSAGE_WRONG_COUNT,
                    "%s: between must be a list of two bodies, [first, second]", el->path);
        return 0;
    }
    int first = references_body(el, node->first, connects, &body[0]);
    int second = references_body(el, node->first->next, connects, &body[1]);
    if (!first || !second) return 0;
    if (body[0] != body[1]) return 1;
    message_add(el->build->diags, node->place, MESSAGE_SAME_BODY,
                "%s: both sides are '%s'; two different bodies are needed", el->path,
                node->first->text);
    return 0;
}

int references_joint(struct element *el, const struct node *node, int32_t *joint)
{
    const char *path;
    int found = references_find(el, node, SECTION_JOINTS, &path);
    if (found < 0 && path)
        references_report(el, node, SECTION_JOINTS, MESSAGE_UNKNOWN_JOINT, "joint", path);
    *joint = found;
    return found >= 0;
}

int references_force(struct element *el, const struct node *node, int32_t *force)
{
    const char *path;
    const struct source *s = el->build->source;
    int found = references_find(el, node, SECTION_FORCES, &path);
    if (found < 0 && path) {
        found = names_find(&s->section[SECTION_ACTUATORS].names, path);
        if (found >= 0) found += (int)s->section[SECTION_FORCES].n;
    }
    if (found < 0 && path)
        references_report(el, node, SECTION_FORCES, MESSAGE_UNKNOWN_FORCE, "force or actuator",
                          path);
    *force = found;
    return found >= 0;
}

int references_actuator(struct element *el, const struct node *node, int32_t *actuator)
{
    const char *path;
    int found = references_find(el, node, SECTION_ACTUATORS, &path);
    if (found < 0 && path)
        references_report(el, node, SECTION_ACTUATORS, MESSAGE_UNKNOWN_FORCE, "actuator", path);
    *actuator = found;
    return found >= 0;
}

int references_sensor(struct element *el, const struct node *node, int32_t *sensor)
{
    const char *path;
    int found = references_find(el, node, SECTION_SENSORS, &path);
    if (found < 0 && path)
        references_report(el, node, SECTION_SENSORS, MESSAGE_UNKNOWN_SENSOR, "sensor", path);
    *sensor = found;
    return found >= 0;
}

void references_check_names(struct element *el)
{
    const struct node *map = el->source->node, *between = reader_find(map, "between");
    const struct node *body = reader_find(map, "body"), *joint = reader_find(map, "joint");
    int32_t unused[2];
    if (between) (void)references_between(el, between, 1, unused);
    if (body) (void)references_body(el, body, 0, unused);
    if (joint) (void)references_joint(el, joint, unused);
}

static int references_is_first(const char *const *known, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(known[k], known[i]) == 0) return 0;
    return 1;
}

/* What others call these types. */
static int references_synonym(const char *word, const char *const *known, int n_known)
{
    static const struct {
        const char *word, *type;
    } SYNONYM[] = {
        {"slider", "prismatic"},
        {"translational", "prismatic"},
        {"hinge", "revolute"},
        {"rotational", "revolute"},
        {"pin", "revolute"},
        {"continuous", "revolute"},
        {"ball", "spherical"},
        {"weld", "fixed"},
        {"encoder", "joint-angle"},
        {"tachometer", "joint-speed"},

        {"load-cell", "reaction-force"},
    };
    for (size_t i = 0; i < sizeof SYNONYM / sizeof SYNONYM[0]; i++)
        for (int k = 0; strcmp(SYNONYM[i].word, word) == 0 && k < n_known; k++)
            if (strcmp(known[k], SYNONYM[i].type) == 0) return k;
    return -1;
}

int references_report_type(struct element *el, const struct node *node, const char *what,
                           const char *const *known, int n_known)
{
    char all[360] = "";
    int best = 1000, near = -1;
    size_t at = 0;
    for (int i = 0; i < n_known; i++) {
        int d = names_distance(node->text, known[i]);
        if (d < best) best = d, near = i;
        if (!references_is_first(known, i) || at + strlen(known[i]) + 2 > sizeof all) continue;
        int w = snprintf(all + at, sizeof all - at, "%s%s", at ? " " : "", known[i]);
        at += w > 0 ? (size_t)w : 0;
    }
    int other = references_synonym(node->text, known, n_known);
    if (other >= 0) near = other, best = 0;
    if (near >= 0 && names_is_near(node->text, best)) {
        message_add(el->build->diags, node->place, MESSAGE_UNKNOWN_TYPE,
                    "%s: there is no %s of type '%.40s'; did you mean '%s'?", el->path, what,
                    node->text, known[near]);
        return near;
    }
    message_add(el->build->diags, node->place, MESSAGE_UNKNOWN_TYPE,
                "%s: there is no %s of type '%.40s'; known are %s", el->path, what, node->text,
                all);
    return -1;
}

/* ---- coordinates --------------------------------------------------------------- */

static int references_fits(const struct joint_type *t, int which, unsigned wanted)
{
    return (wanted & (joint_coordinate_is_angle(t, which) ? REF_ANGLE : REF_LENGTH)) != 0;
}

/* The coordinates of a type that fit, in one line. Returns how many. */
static int references_choices(const struct joint_type *t, unsigned wanted, char *text, size_t size,
                              int *only)
{
    int n = 0;
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < joint_coordinate_count(t); i++) {
        if (!references_fits(t, i, wanted)) continue;
        int w = snprintf(text + at, size - at, "%s%s", n ? ", " : "", joint_coordinate_name(t, i));
        at += w > 0 ? (size_t)w : 0;
        *only = i;
        n++;
    }
    return n;
}

static int references_which(const struct joint_type *t, const char *word, unsigned wanted)
{
    for (int i = 0; i < joint_coordinate_count(t); i++)
        if (references_fits(t, i, wanted) && strcmp(joint_coordinate_name(t, i), word) == 0)
            return i;
    return -1;
}

int references_coordinate(struct element *el, int32_t joint, const struct node *node,
                          struct place at, unsigned wanted, int32_t *coordinate)
{
    struct diag_list *diags = el->build->diags;
    const struct model_joint *j = build_at(el->build, BUILD_JOINTS, (size_t)joint);
    const char *name = el->build->source->section[SECTION_JOINTS].item[joint].path;
    if (j->type < 0) return 0; /* the joint itself is wrong, and reported */
    const struct joint_type *t = &JOINT_TYPE[j->type];
    char choices[80];
    int only = -1, n = references_choices(t, wanted, choices, sizeof choices, &only);
    const char *kind = wanted == REF_ANGLE    ? " that is an angle"
                       : wanted == REF_LENGTH ? " that is a length"
                                              : "";
    if (n == 0)
        message_add(diags, at, MESSAGE_COORDINATE, "%s: the %s joint %s has no coordinate%s",
                    el->path, t->name, name, kind);
    else if (node && node->kind == NODE_SCALAR) {
        only = references_which(t, node->text, wanted);
        if (only < 0)
            message_add(diags, node->place, MESSAGE_COORDINATE,
                        "%s: the %s joint %s has no coordinate '%.40s'%s; it has %s", el->path,
                        t->name, name, node->text, kind, choices);
    } else if (n > 1) {
        only = -1;
        message_add(diags, at, MESSAGE_COORDINATE,
                    "%s: the %s joint %s has several coordinates; say which with coordinate: %s",
                    el->path, t->name, name, choices);
    }
    if (n == 0 || only < 0) return 0;
    *coordinate = j->coordinate_at + only;
    return 1;
}
