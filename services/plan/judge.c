#include "services/plan/judge.h"

#include <math.h>
#include <string.h>

#include "rt/mech/force.h"
#include "rt/mech/function.h"
#include "rt/mech/jointkin.h"
#include "rt/solve/accelerate.h"
#include "rt/solve/violations.h"
#include "services/base/message.h"
#include "services/plan/settle.h"
#include "services/plan/start.h"

static const double CLOSURE = 1e-5;      /* of the length, where the model is silent */
static const double INERTIA_LEAST = 1e-9; /* relative pivot that counts as none */

static double joint_length(const struct model *m, int joint)
{
    const struct model_joint *j = &model_joints(m)[joint];
    double l = 0;
    for (int s = 0; s < 2; s++)
        if (j->body[s] != MODEL_GROUND) l = fmax(l, vec_norm(vec_load(j->point[s])));
    return l > 0 ? l : 1;
}

double judge_closure(const struct model *m, int joint)
{
    return m->closure >= 0 ? m->closure : CLOSURE * joint_length(m, joint);
}

/* Where the file's pose misses a joint most. */
struct miss {
    double error;  /* m, or rad */
    double length; /* the same in m: angles at the joint's lever */
    int row;
    int opposite;  /* the axes point against each other */
};

static double value_at_start(const struct model *m, int32_t function)
{
    return function < 0 ? 0 : function_eval(m, function, 0, model_pool(m), NULL).f;
}

/* By how much the start misses a gear's sum, over its largest ratio: rad or m. */
static double gear_miss(const struct model *m, const struct model_joint *j)
{
    double sum = -value_at_start(m, j->function), largest = 0;
    for (uint32_t i = 0; i < j->n_terms; i++) {
        const struct model_term *t = &model_terms(m)[j->term_at + i];
        const struct model_coordinate *c = &model_coordinates(m)[t->coordinate];
        sum += t->factor *
               (c->motion < 0 ? c->start : value_at_start(m, model_motions(m)[c->motion].function));
        largest = fmax(largest, fabs(t->factor));
    }
    return fabs(sum) / largest;
}

static struct miss joint_miss(const struct evaluation *ev, int joint)
{
    const struct plan_joint *j = &ev->p->joint[joint];
    struct jointkin k;
    struct six w[PLAN_MAX_ROWS];
    struct miss worst = {0};
    double phi[PLAN_MAX_ROWS], l = joint_length(ev->m, joint);
    if (j->type->special == JOINT_SUM) {
        worst.error = worst.length = gear_miss(ev->m, &model_joints(ev->m)[joint]);
        return worst;
    }
    evaluate_place(ev, joint, ev->ws->kin[j->kin[1]].x, 1, &k);
    jointkin_rows(&k, w, phi);
    if (j->type->special == JOINT_DISTANCE) phi[0] = vec_norm(k.d) - k.length; /* not its square */
    for (int r = 0; r < j->type->n_rows; r++) {
        double e = fabs(phi[r]) * (joint_row_is_angle(j->type, r) ? l : 1);
        if (e > worst.length) worst = (struct miss){.error = fabs(phi[r]), .length = e, .row = r};
    }
    worst.opposite = j->type->rotation == ROTATION_ALIGN && vec_dot(k.za, k.zb) < 0;
    return worst;
}

static void report_miss(const struct model *m, const struct plan *p, int joint,
                        const struct miss *miss, struct diag_list *diags)
{
    const struct model_joint *mj = &model_joints(m)[joint];
    const struct joint_type *t = p->joint[joint].type;
    const char *name = model_text(m, mj->name);
    if (t->special == JOINT_SUM)
        message_add(
            diags, message_place(m, mj->origin), MESSAGE_MISSED_JOINT,
            "%s %s is missed by %.3g (rad or m) at the start pose (closure %.3g m): give its "
            "joints other start values, a gear another offset, or allow more with closure:",
            t->name, name, miss->error, judge_closure(m, joint));
    else if (miss->opposite)
        message_add(diags, message_place(m, mj->origin), MESSAGE_MISSED_JOINT,
                    "joint %s is missed by half a turn at the start pose: axis and axis-b point "
                    "against each other; turn the body or one of them",
                    name);
    else
        message_add(
            diags, message_place(m, mj->origin), MESSAGE_MISSED_JOINT,
            "joint %s is missed by %.3g %s in %s at the start pose (closure %.3g m%s): move "
            "the bodies or its points together, or allow more with closure:",
            name, miss->error, joint_row_is_angle(t, miss->row) ? "rad" : "m",
            joint_row_name(t, miss->row), judge_closure(m, joint),
            joint_row_is_angle(t, miss->row) ? " at its lever" : "");
}

int judge_pose(const struct model *m, struct plan *p, struct workspace *ws, struct diag_list *diags)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    evaluate_coordinates(&ev, p->n_watched);
    int before = diags->n_errors;
    for (int j = 0; j < p->n_joints; j++) {
        struct miss miss = joint_miss(&ev, j);
        if (model_joints(m)[j].flags & JOINT_RELEASED) continue;
        if (miss.opposite || miss.length > judge_closure(m, j)) report_miss(m, p, j, &miss, diags);
    }
    return diags->n_errors == before;
}

int judge_motions(const struct model *m, const struct plan *p, struct diag_list *diags)
{
    int before = diags->n_errors;
    for (uint32_t i = 0; i < m->motions.n; i++) {
        const struct model_motion *mo = &model_motions(m)[i];
        int j = model_coordinates(m)[mo->coordinate].joint;
        if (p->joint[j].kin[0] < p->n || p->joint[j].kin[1] < p->n) continue;
        message_add(diags, message_place(m, mo->origin), MESSAGE_MOTION,
                    "motion %s: joint %s lies between things that are fixed in space, nothing can "
                    "move there; leave `fixed: true` away from what it shall move",
                    model_text(m, mo->name), model_text(m, model_joints(m)[j].name));
    }
    return diags->n_errors == before;
}

/* ---- point masses ---- */

/* Turns of a bushing that are stiff or damped: its fields are two points, two frames, K, C. */
static int bushing_turns(const double *pool)
{
    for (int i = 0; i < 36; i++)
        if ((i / 6 >= 3 || i % 6 >= 3) && (pool[24 + i] != 0 || pool[60 + i] != 0)) return 1;
    return 0;
}

/* A body on which the element exerts a torque it has no inertia for, or -1. */
static int torque_on_point(const struct model *m, const struct draft *d,
                           const struct model_force *f)
{
    const char *type = FORCE_TYPE[f->type]->name;
    int angle = f->coordinate >= 0 && model_coordinates(m)[f->coordinate].is_angle;
    int turns = strcmp(type, "torque") == 0 || strcmp(type, "tyre") == 0 ||
                strcmp(type, "wheel-contact") == 0 ||
                (strcmp(type, "bushing") == 0 && bushing_turns(model_pool(m) + f->pool_at));
    for (int s = 0; s < 2; s++) {
        int b = angle ? model_joints(m)[f->joint].body[s] : f->body[s];
        if (b < 0 || !(model_bodies(m)[b].flags & BODY_POINT)) continue;
        if (angle ? draft_turns_idle(d, d->vertex[b], f->joint) : turns) return b;
    }
    return -1;
}

int judge_points(const struct model *m, const struct draft *d, struct diag_list *diags)
{
    int before = diags->n_errors;
    for (uint32_t i = 0; i < m->forces.n; i++) {
        const struct model_force *f = &model_forces(m)[i];
        int b = torque_on_point(m, d, f);
        if (b < 0) continue;
        message_add(
            diags, message_place(m, f->origin), MESSAGE_POINT_BODY,
            "%s: a %s exerts a torque, and '%s' is a point mass, which cannot be turned; give it "
            "an inertia",
            model_text(m, f->name), FORCE_TYPE[f->type]->name,
            model_text(m, model_bodies(m)[b].name));
    }
    return diags->n_errors == before;
}

/* ---- inertia ---- */

static void factor_mass(const struct evaluation *ev)
{
    evaluate_accepted(ev);
    accelerate_factor(ev);
}

static int weak_pivot(const struct plan *p, const struct workspace *ws, int k)
{
    const struct plan_link *l = &p->link[k];
    const struct plan_body *b = &p->body[k];
    for (int i = 0; i < l->n_free; i++) {
        struct six S = ws->S[l->s_at + i];
        double arm = fmax(b->length, 1e-6), size = vec_norm(S.a) > 0 ? arm * arm : 1;
        double d = 1 / ws->Dinv[l->s_at + i];
        if (!(d > INERTIA_LEAST * b->m * size)) return 1;
    }
    return 0;
}

/* 1 if some turn of a slot has less inertia behind it than `least`, or nonsense. */
static int turns_nothing(const struct plan *p, const struct workspace *ws, int k, double least)
{
    const struct plan_link *l = &p->link[k];
    for (int i = 0; i < l->n_free; i++) {
        if (!(vec_norm(ws->S[l->s_at + i].a) > 0)) continue;
        if (!(1 / ws->Dinv[l->s_at + i] > least)) return 1;
    }
    return 0;
}

/* Point masses have none; `all` of them, or those that can turn with nothing to turn: an
 * inertia that nobody feels, of a lever of 3e-5 of the mechanism. */
static void fill_points(const struct model *m, struct plan *p, struct workspace *ws, int all)
{
    double l = 0;
    for (int j = 0; j < p->n_joints; j++) l = fmax(l, joint_length(m, j));
    for (int k = 0; k < p->n; k++) {
        struct plan_body *b = &p->body[k];
        if (!(model_bodies(m)[b->body].flags & BODY_POINT)) continue;
        if (!all && !turns_nothing(p, ws, k, 1e-12 * b->m * l * l)) continue;
        for (int i = 0; i < 3; i++) {
            b->J.c[i] = vec_zero();
            b->J.c[i][i] = all ? 0 : 1e-9 * b->m * l * l;
        }
        b->diagonal = 1;
        b->length = 0;
    }
}

static double diagonal(const struct plan_body *b, int i) { return b->J.c[i][i]; }

static double largest_moment(const struct plan_body *b)
{
    return fmax(diagonal(b, 0), fmax(diagonal(b, 1), diagonal(b, 2)));
}

static double smallest_moment(const struct plan_body *b)
{
    return fmin(diagonal(b, 0), fmin(diagonal(b, 1), diagonal(b, 2)));
}

/* Raise the axis without inertia (all, where it lies between the body's axes). */
static void raise_inertia(const struct model *m, struct plan_body *b, struct diag_list *diags)
{
    const struct model_body *mb = &model_bodies(m)[b->body];
    double least = 1e-3 * largest_moment(b);
    int along_axis = smallest_moment(b) < least;
    for (int i = 0; i < 3; i++)
        if (!along_axis || diagonal(b, i) < least) b->J.c[i][i] += least;
    message_add(diags, message_place(m, mb->origin), MESSAGE_WEAK_AXIS,
                "body %s can turn about an axis without inertia; that axis gets %.3g kg.m2",
                model_text(m, mb->name), least);
}

/* A pivot of zero spoils those after it: bodies that are thin themselves come first, the
 * others are judged again when these are mended. */
void judge_inertia(const struct model *m, struct plan *p, struct workspace *ws,
                   struct diag_list *diags)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    fill_points(m, p, ws, 1);
    factor_mass(&ev);
    fill_points(m, p, ws, 0);
    for (int pass = 0; pass < 2; pass++) {
        factor_mass(&ev);
        for (int k = 0; k < p->n; k++) {
            struct plan_body *b = &p->body[k];
            int thin = smallest_moment(b) < 1e-6 * largest_moment(b);
            int point = (model_bodies(m)[b->body].flags & BODY_POINT) != 0;
            if ((pass || thin) && !point && largest_moment(b) > 0 && weak_pivot(p, ws, k))
                raise_inertia(m, b, diags);
        }
    }
}

int judge_assembly(const struct model *m, struct plan *p, struct workspace *ws, double left,
                   struct diag_list *diags)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    int joint;
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    evaluate_coordinates(&ev, p->n_watched);
    violations_largest(&ev, LEVEL_POSITION, 1, &joint);
    if (left <= 1e-9) return 1;
    const struct model_joint *mj = &model_joints(m)[joint < 0 ? 0 : joint];
    message_add(
        diags, message_place(m, mj->origin), MESSAGE_OPEN_LOOP,
        "loop does not close: joint %s stays open by %.3g m (or rad) after assembly; correct its "
        "place or axis",
        model_text(m, mj->name), left);
    return 0;
}

void judge_settled(const struct model *m, double left, struct diag_list *diags)
{
    if (left <= SETTLE_LEFT) return;
    struct place whole = {model_text(m, m->file), 0, 0};
    message_add(
        diags, whole, MESSAGE_NOT_SETTLED,
        "settle: no equilibrium was found; where the search ended the mechanism still accelerates "
        "by %.3g m/s2; it starts in the file's pose; place it nearer to equilibrium, or hold what "
        "can fall or roll away",
        left);
}

enum status judge_singular(const struct model *m, const struct plan *p, struct workspace *ws,
                           struct diag_list *diags)
{
    for (int k = 0; k < p->n; k++) {
        const struct plan_link *l = &p->link[k];
        for (int i = 0; i < l->n_free; i++) {
            double inv = ws->Dinv[l->s_at + i];
            if (inv > 0 && isfinite(inv)) continue;
            const struct model_body *mb = &model_bodies(m)[p->body[k].body];
            message_add(diags, message_place(m, mb->origin), MESSAGE_NO_INERTIA,
                        "body %s has a freedom without inertia; give it mass and inertia",
                        model_text(m, mb->name));
            return STATUS_REFUSED;
        }
    }
    return STATUS_REFUSED;
}
