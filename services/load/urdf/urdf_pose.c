/* Where everything stands at the start: joints at zero, or in the middle of their range
 * where zero is outside, or as the file or the user says. */
#include <stdlib.h>
#include <string.h>

#include "services/load/urdf/urdf_parts.h"
#include "services/load/text/value.h"

static int in_limits(const struct urdf_joint *j, double q)
{
    return !j->has_limits || (q >= j->lower && q <= j->upper);
}

/* Joint by the name of the URDF or of the model. */
static int find_joint(const struct urdf *u, const char *name)
{
    int at = names_find(&u->joints, name);
    for (int i = 0; at < 0 && i < u->n_joints; i++)
        if (strcmp(u->joint[i].id, name) == 0) at = i;
    return at;
}

static void set_start(struct urdf *u, const char *setting)
{
    struct place at = {"--set", 0, 0};
    const char *equals = strchr(setting, '=');
    struct value_reader r = {u->memory, u->diags, NULL, NULL};
    char *name = memory_text(u->memory, setting, equals ? (size_t)(equals - setting) : 0);
    if (!name) return;
    int i = equals ? find_joint(u, name) : -1;
    const char *near = i < 0 ? urdf_nearest(u, &u->joints, name) : NULL;
    struct urdf_joint *j = i >= 0 ? &u->joint[i] : NULL;
    if (!equals)
        urdf_error(u, at, "'%.60s': write joint=value", setting);
    else if (!j)
        urdf_error(u, at, "there is no joint '%.60s'%s%.60s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    else if (!urdf_is_single(j) || j->mimic >= 0)
        urdf_error(u, at, "joint '%s' cannot be set: it %s", j->name,
                   j->mimic >= 0 ? "follows another" : "has no single coordinate");
    else {
        struct node node = {.kind = NODE_SCALAR, .text = equals + 1, .place = at};
        if (!value_number(&r, &node, name, urdf_is_angle(j) ? "rad" : "m", &j->initial)) {
            u->broken = 1;
            return;
        }
        j->has_initial = 1;
        if (!in_limits(j, j->initial))
            urdf_error(u, at, "joint '%s': %g is outside of its limits, %g to %g", j->name,
                       j->initial, j->lower, j->upper);
    }
}

static void choose_start(struct urdf *u, struct urdf_joint *j)
{
    if (!urdf_is_single(j) || j->mimic >= 0) return;
    if (j->has_initial && in_limits(j, j->initial))
        j->start = j->initial;
    else if (j->has_initial || !in_limits(j, 0)) {
        j->start = in_limits(j, 0) ? 0 : 0.5 * (j->lower + j->upper);
        urdf_note(u, j->limit_place,
                  "joint '%s': its start value %g is outside of its limits, %g to %g; it starts "
                  "at %g (--set %s=... gives another)",
                  j->name, j->has_initial ? j->initial : 0, j->lower, j->upper, j->start, j->name);
    }
}

/* Along the chain of mimics to the joint that leads: q = a q_lead + b. */
static void follow(struct urdf *u, struct urdf_joint *j)
{
    double a = 1, b = 0;
    const struct urdf_joint *at = j;
    while (at->mimic >= 0) {
        b += a * at->offset;
        a *= at->multiplier;
        at = &u->joint[at->mimic];
    }
    j->start = a * at->start + b;
}

static struct urdf_frame motion(const struct urdf_joint *j, double q)
{
    struct urdf_frame f = {vec_zero(), {1, 0, 0, 0}};
    if (j->kind == URDF_PRISMATIC) f.x = j->axis * vec_splat(q);
    if (urdf_is_angle(j)) {
        vec3 s = j->axis * vec_splat(sin(q / 2));
        f.q = (quat){cos(q / 2), s[0], s[1], s[2]};
    }
    return f;
}

static void place_link(struct urdf *u, struct urdf_link *l)
{
    struct urdf_joint *j = &u->joint[l->joint];
    struct urdf_frame base = urdf_compose(u->link[j->parent].pose, j->origin);
    struct mat3 R = quat_matrix(base.q);
    l->pose = urdf_compose(base, motion(j, j->start));
    j->at = l->pose.x;
    j->axis_w = mat3_mul(&R, j->axis);
}

/* A joint that mimics by a factor of zero, or one that does, stands still. */
static int freeze(struct urdf *u, struct urdf_joint *j)
{
    int still = j->mimic >= 0 && (j->multiplier == 0 || u->joint[j->mimic].kind == URDF_FIXED);
    if (!still) return 0;
    urdf_note(u, j->mimic_place, "joint '%s' mimics with a multiplier of 0: it is fixed at %g",
              j->name, j->start);
    j->origin = urdf_compose(j->origin, motion(j, j->start));
    j->kind = URDF_FIXED;
    j->mimic = -1;
    j->start = 0;
    return 1;
}

static void freeze_all(struct urdf *u)
{
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < u->n_joints; i++) more |= freeze(u, &u->joint[i]);
    }
}

void urdf_pose(struct urdf *u)
{
    for (int i = 0; i < u->options->n_starts; i++) set_start(u, u->options->starts[i]);
    if (u->broken) return;
    for (int i = 0; i < u->n_joints; i++) choose_start(u, &u->joint[i]);
    for (int i = 0; i < u->n_joints; i++)
        if (u->joint[i].mimic >= 0) follow(u, &u->joint[i]);
    freeze_all(u);
    u->link[u->root].pose = (struct urdf_frame){vec_zero(), {1, 0, 0, 0}};
    for (int i = 1; i < u->n_links; i++) place_link(u, &u->link[u->order[i]]);
}
