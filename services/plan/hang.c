/* Theory. A driven tree joint that is missed by c moves all that hangs on it by c; the sum
 * of the c towards the root is dp (links.h), and exp(dp) moves a body exactly, so that
 * bodies with the same dp move as one. A joint in a loop has the loop to follow: that is
 * assembled from there (start.h), after which every body outside the loops with motions is
 * put back to where it stood on the body it hangs on. */
#include "services/plan/hang.h"

#include <math.h>
#include <stdlib.h>

#include "rt/mech/function.h"
#include "rt/solve/links.h"
#include "services/base/message.h"
#include "services/plan/judge.h"
#include "services/plan/start.h"

enum { PASSES = 30 };

/* A pose in plain numbers: memory of the heap is not aligned for vectors. */
struct pose {
    double x[3], q[4];
};

static struct pose pose_of(vec3 x, quat q)
{
    return (struct pose){{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
}

static double value_at_start(const struct model *m, int motion)
{
    int f = model_motions(m)[motion].function;
    return function_eval(m, f, 0, model_pool(m), NULL).f;
}

/* By how much the file's pose misses a motion, m or rad. */
static double missed_by(const struct model *m, int motion)
{
    int c = model_motions(m)[motion].coordinate;
    return value_at_start(m, motion) - model_coordinates(m)[c].start;
}

static int moves_visibly(const struct model *m, int motion)
{
    const struct model_coordinate *c = &model_coordinates(m)[model_motions(m)[motion].coordinate];
    return fabs(missed_by(m, motion)) > (c->is_angle ? 1e-5 : judge_closure(m, c->joint));
}

static quat conjugate(quat q) { return (quat){q[0], -q[1], -q[2], -q[3]}; }

/* x and q of a body moved by exp(t), t about o. */
static void move_by(struct six t, vec3 o, vec3 *x, quat *q)
{
    double a = vec_norm(t.a), a2 = a * a;
    double f = a > 1e-4 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
    double g = a > 1e-4 ? (a - sin(a)) / (a2 * a) : 1. / 6 - a2 / 120;
    vec3 v = t.l + vec_cross(t.a, *x - o); /* of the body's centre: the same screw about it */
    vec3 wv = vec_cross(t.a, v);
    *x += v + vec_splat(f) * wv + vec_splat(g) * vec_cross(t.a, wv);
    *q = quat_unit(quat_mul(quat_exp(t.a), *q));
}

/* Angles are followed: the motion's value is what the coordinate shows now. */
static void show_motions(const struct model *m, const struct plan *p, struct workspace *ws)
{
    for (uint32_t i = 0; i < m->motions.n; i++) {
        int c = model_motions(m)[i].coordinate;
        const struct model_coordinate *mc = &model_coordinates(m)[c];
        const struct plan_joint *j = &p->joint[mc->joint];
        double value = value_at_start(m, (int)i);
        ws->angle[c] = value;
        if (j->type->special != JOINT_SCREW || mc->which != 0) continue;
        const struct model_coordinate *turn = mc + 1;
        ws->angle[c + 1] = turn->offset +
                           model_coordinate_sign(turn) * (value - mc->offset) / j->lead;
    }
}

static void carry_along(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    for (int pass = 0; pass < PASSES; pass++) {
        double most = 0;
        evaluate_functions(ev);
        evaluate_accepted(ev);
        evaluate_inertia(ev);
        if (pass) show_motions(ev->m, ev->p, ws);
        evaluate_coordinates(ev, ev->p->n_watched);
        links_position(ev, 0);
        for (int k = 0; k < ev->p->n; k++) {
            struct six t = ws->dp[k];
            most = fmax(most, fmax(vec_norm(t.l), vec_norm(t.a)));
            move_by(t, ws->o[ev->p->body[k].segment], &ws->x[k], &ws->q[k]);
        }
        if (most < 1e-13) return;
    }
}

/* Blocks of loops whose joints a motion drives. */
static char *driven_blocks(const struct model *m, const struct draft *d)
{
    char *driven = calloc((size_t)d->n_blocks + 1, 1);
    for (uint32_t i = 0; driven && i < m->motions.n; i++) {
        int b = d->block[model_coordinates(m)[model_motions(m)[i].coordinate].joint];
        if (b >= 0) driven[b] = 1;
    }
    return driven;
}

/* Bodies that hang on others, put back onto them: parents come after their children. */
static void put_back(const struct plan *p, const struct draft *d, struct workspace *ws,
                     const struct pose *was, const char *driven)
{
    for (int k = p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &p->link[k];
        if (l->joint == PLAN_NONE) continue;
        int b = d->block[l->joint], at = l->parent;
        if (b >= 0 && driven[b]) continue;
        vec3 x = vec_load(was[k].x);
        quat q = quat_load(was[k].q);
        if (at != PLAN_NONE) {
            quat turn = quat_unit(quat_mul(ws->q[at], conjugate(quat_load(was[at].q))));
            struct mat3 R = quat_matrix(turn);
            x = ws->x[at] + mat3_mul(&R, x - vec_load(was[at].x));
            q = quat_unit(quat_mul(turn, q));
        }
        ws->x[k] = x;
        ws->q[k] = q;
    }
}

static void note_moved(const struct model *m, struct diag_list *diags)
{
    for (uint32_t i = 0; i < m->motions.n; i++) {
        const struct model_motion *mo = &model_motions(m)[i];
        const struct model_coordinate *c = &model_coordinates(m)[mo->coordinate];
        if (!moves_visibly(m, (int)i)) continue;
        message_add(
            diags, message_place(m, mo->origin), MESSAGE_MOTION_START,
            "motion %s starts at %.6g %s where the file's pose has %.6g: what hangs on joint "
            "%s is moved there",
            model_text(m, mo->name), value_at_start(m, (int)i), c->is_angle ? "rad" : "m", c->start,
            model_text(m, model_joints(m)[c->joint].name));
    }
}

int hang_motions(const struct model *m, const struct plan *p, const struct draft *d,
                 struct workspace *ws, struct diag_list *diags)
{
    int any = 0;
    for (uint32_t i = 0; i < m->motions.n; i++) any |= moves_visibly(m, (int)i);
    if (!any) return 1;
    char *driven = driven_blocks(m, d);
    struct pose *was = calloc((size_t)p->n + 1, sizeof *was);
    int ok = driven && was;
    if (ok) {
        struct evaluation ev = evaluation_at_state(m, p, ws);
        double moved;
        carry_along(&ev);
        for (int k = 0; k < p->n; k++) was[k] = pose_of(ws->x[k], ws->q[k]);
        start_assemble(m, p, ws, &moved);
        put_back(p, d, ws, was, driven);
        note_moved(m, diags);
    }
    free(driven);
    free(was);
    return ok;
}
