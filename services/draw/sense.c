/* A body's size is what is drawn of it: its shapes, else the box that has its inertia. A
 * joint is far from a body when the way from the mass centre to it leaves that size behind
 * FAR times; mass points and bodies without size are judged by nothing. */
#include "services/draw/sense.h"

#include <math.h>
#include <stdlib.h>

#include "rt/math/quat.h"
#include "rt/mech/joint.h"
#include "services/base/message.h"
#include "services/draw/scene.h"

static const double FAR = 1.9, APART = 1000, EARTH[2] = {9.7, 9.9};

static struct place place_of(const struct model *m, const struct model_origin *o)
{
    return (struct place){model_text(m, o->file), (int)o->line, (int)o->column};
}

/* Half the size of what is drawn of a shape, about the body's mass centre. */
static double shape_reach(const struct model_shape *s)
{
    double away = vec_norm(vec_load(s->x));
    switch ((enum model_shape_kind)s->kind) {
    case SHAPE_BOX:
        return away + vec_norm(vec_load(s->size)) / 2;
    case SHAPE_CYLINDER:
        return away + hypot(s->size[0], s->size[1] / 2);
    case SHAPE_SPHERE:
        return away + s->size[0];
    case SHAPE_CAPSULE:
        return away + s->size[0] + s->size[1] / 2;
    case SHAPE_MESH:
        break;
    }
    return 0;
}

/* m, how far a body reaches from its mass centre; 0: not known. */
static double body_reach(const struct model *m, int32_t body)
{
    const struct model_body *b = &model_bodies(m)[body];
    double reach = 0, half[3], axes[9];
    for (uint32_t k = 0; k < m->shapes.n; k++)
        if (model_shapes(m)[k].body == body) reach = fmax(reach, shape_reach(&model_shapes(m)[k]));
    if (b->flags & (BODY_POINT | BODY_FIXED)) return reach;
    scene_inertia_box(b, half, axes);
    return fmax(reach, vec_norm(vec_load(half)));
}

static double arm(const struct model_joint *j, int side)
{
    return vec_norm(vec_load(j->point[side]));
}

/* What all joints of a body have in common: how near the nearest comes, in sizes. */
static void judge_bodies(const struct model *m, const double *reach, struct diag_list *diags)
{
    for (uint32_t i = 0; i < m->bodies.n; i++) {
        const struct model_body *b = &model_bodies(m)[i];
        double nearest = HUGE_VAL;
        if (!(reach[i] > 0)) continue;
        for (uint32_t k = 0; k < m->joints.n; k++) {
            const struct model_joint *j = &model_joints(m)[k];
            for (int side = 0; side < 2 && !j->n_terms; side++)
                if (j->body[side] == (int32_t)i) nearest = fmin(nearest, arm(j, side));
        }
        if (!isfinite(nearest) || nearest < FAR * reach[i]) continue;
        message_add(diags, place_of(m, &b->origin), MESSAGE_FAR,
                    "body %s lies %.3g m from its nearest joint, but reaches %.3g m by its inertia "
                    "or shape: is its position, or the joint's place, meant?",
                    model_text(m, b->name), nearest, reach[i]);
    }
}

static void judge_joints(const struct model *m, const double *reach, struct diag_list *diags)
{
    for (uint32_t k = 0; k < m->joints.n; k++) {
        const struct model_joint *j = &model_joints(m)[k];
        if (j->n_terms || j->body[0] < 0 || j->body[1] < 0) continue;
        double r[2] = {reach[j->body[0]], reach[j->body[1]]}, a[2] = {arm(j, 0), arm(j, 1)};
        if (!(r[0] > 0 && r[1] > 0) || a[0] < FAR * r[0] || a[1] < FAR * r[1]) continue;
        message_add(diags, place_of(m, &j->origin), MESSAGE_FAR,
                    "joint %s lies %.3g m from %s and %.3g m from %s, far outside both: is its "
                    "place meant?",
                    model_text(m, j->name), a[0], model_text(m, model_bodies(m)[j->body[0]].name),
                    a[1], model_text(m, model_bodies(m)[j->body[1]].name));
    }
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

/* A body a thousand times larger or smaller than the median one. */
static void judge_scale(const struct model *m, const double *reach, struct diag_list *diags)
{
    double *sorted = calloc(m->bodies.n + 1, sizeof *sorted);
    size_t n = 0;
    for (uint32_t i = 0; sorted && i < m->bodies.n; i++)
        if (reach[i] > 0) sorted[n++] = reach[i];
    if (n > 1) {
        qsort(sorted, n, sizeof *sorted, by_value);
        double median = sorted[n / 2];
        for (uint32_t i = 0; i < m->bodies.n; i++) {
            if (!(reach[i] > 0) || (reach[i] < APART * median && reach[i] * APART > median))
                continue;
            const struct model_body *b = &model_bodies(m)[i];
            message_add(diags, place_of(m, &b->origin), MESSAGE_SCALE,
                        "body %s reaches %.3g m where the others reach %.3g m: are its numbers in "
                        "the unit you mean?",
                        model_text(m, b->name), reach[i], median);
        }
    }
    free(sorted);
}

static void judge_gravity(const struct model *m, struct diag_list *diags)
{
    static const char *const AXIS[] = {"x", "y", "z"};
    double g = vec_norm(vec_load(m->gravity));
    struct place at = {model_text(m, m->file), 0, 0};
    if (g == 0) return;
    if (g < EARTH[0] || g > EARTH[1])
        message_add(diags, at, MESSAGE_GRAVITY, "gravity is %.4g m/s2; on the earth it is 9.81", g);
    for (int i = 0; i < 3; i++)
        if (m->gravity[i] > 0.7 * g)
            message_add(diags, at, MESSAGE_GRAVITY,
                        "gravity pulls along +%s: what falls gains %s; upwards is -%s here",
                        AXIS[i], AXIS[i], AXIS[i]);
}

void sense_check(const struct model *m, struct diag_list *diags)
{
    double *reach = calloc(m->bodies.n + 1, sizeof *reach);
    if (!reach) return;
    for (uint32_t i = 0; i < m->bodies.n; i++) reach[i] = body_reach(m, (int32_t)i);
    judge_bodies(m, reach, diags);
    judge_joints(m, reach, diags);
    judge_scale(m, reach, diags);
    judge_gravity(m, diags);
    free(reach);
}
