/* Which stiffness a step resolves: effective masses and frequencies of force elements,
 * rho of `auto`, contacts that last too few steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/mech/force.h"
#include "rt/solve/accelerate.h"
#include "rt/solve/eliminate.h"
#include "services/base/message.h"
#include "services/plan/judge.h"
#include "services/plan/start.h"

static const double UNRESOLVED = 2; /* omega h beyond which the trapezoidal rule rings */
static const double RHO_STIFF = 0.8, RHO_DAMPED = 0.5, RHO_OVERDAMPED = 0.2;
enum { POWER_PASSES = 12 };

static void factor_here(const struct evaluation *ev)
{
    evaluate_accepted(ev);
    accelerate_factor(ev);
}

/* Relative twist of the element's bodies under a wrench, through the whole mechanism. */
static struct six response(const struct evaluation *ev, const struct plan_force *f, struct six w)
{
    struct workspace *ws = ev->ws;
    struct six rel = six_zero();
    for (int k = 0; k < ev->p->n; k++) ws->f[k] = ws->dp[k] = six_zero();
    for (int s = 0; s < 2; s++) {
        if (f->slot[s] < 0) continue;
        int seg = ev->p->body[f->slot[s]].segment;
        struct six l = evaluate_shift_wrench(w, ws->o[f->segment] - ws->o[seg]);
        ws->f[f->slot[s]] = six_axpy(s ? -1 : 1, l, ws->f[f->slot[s]]);
    }
    eliminate_solve(ev->p, ws, ws->S);
    for (int s = 0; s < 2; s++) {
        if (f->slot[s] < 0) continue;
        int seg = ev->p->body[f->slot[s]].segment;
        struct six t = evaluate_shift_twist(ws->d[f->slot[s]], ws->o[f->segment] - ws->o[seg]);
        rel = six_axpy(s ? 1 : -1, t, rel);
    }
    return rel;
}

/* Largest omega² of K against the mechanism, by power iteration. */
static double frequency2(const struct evaluation *ev, const struct plan_force *f,
                         const struct mat6 *K)
{
    struct six u = {vec_make(1, 0.7, 0.4), vec_make(0.6, 0.9, 0.3)};
    double w2 = 0;
    for (int i = 0; i < POWER_PASSES; i++) {
        struct six w = mat6_mul(K, u);
        double size = six_dot(w, w);
        if (!(size > 0)) return 0;
        u = response(ev, f, six_scale(1 / sqrt(size), w));
        struct six next = mat6_mul(K, u);
        w2 = sqrt(six_dot(next, next));
    }
    return w2;
}

static double row_mass(const struct evaluation *ev, const struct plan_force *f, struct six w)
{
    double c = six_dot(w, response(ev, f, w));
    return c > 0 ? 1 / c : 1e300;
}

/* Least effective mass at a point, over all directions: the largest eigenvalue of how the
 * point answers a force there, by power iteration. */
static double least_mass(const struct evaluation *ev, const struct plan_force *f, vec3 point)
{
    struct mat3 answer; /* columns: velocity of the point per unit impulse along x, y, z */
    vec3 p = point - ev->ws->o[f->segment], u = vec_make(1, 0.7, 0.4);
    for (int i = 0; i < 3; i++) {
        vec3 e = vec_make(i == 0, i == 1, i == 2);
        answer.c[i] = six_point(response(ev, f, six_wrench_at(e, vec_zero(), p)), p);
    }
    double most = 0;
    for (int i = 0; i < POWER_PASSES; i++) {
        u = mat3_mul(&answer, u);
        most = vec_norm(u);
        if (!(most > 0)) return 1e300;
        u = u * vec_splat(1 / most);
    }
    return 1 / most;
}

static struct force_in bare_view(const struct evaluation *ev, const struct plan_force *f)
{
    const struct model_force *e = &model_forces(ev->m)[f->force];
    return (struct force_in){.model = ev->m,
                             .element = e,
                             .p = ev->ws->pool + e->pool_at,
                             .a = &ev->ws->kin[f->kin[0]],
                             .b = &ev->ws->kin[f->kin[1]]};
}

/* Effective masses along the element's coordinate; of a contact, where it rubs, and in
 * *normal where its normal force acts, in any attitude the body may come to touch in. */
static double effective_mass(const struct evaluation *ev, const struct plan_force *f,
                             double *normal)
{
    const struct force_type *t = FORCE_TYPE[model_forces(ev->m)[f->force].type];
    if (f->active_at >= 0) return *normal = row_mass(ev, f, ev->ws->coord[f->active_at].row);
    *normal = 1;
    if (!t->touch) return 1;
    struct force_in in = bare_view(ev, f);
    struct force_touch touch;
    t->touch(&in, &touch);
    *normal = least_mass(ev, f, touch.centre);
    return least_mass(ev, f, touch.point);
}

/* All masses at their distance from the element's joint: more than any coordinate moves. */
static double largest_mass(const struct evaluation *ev, const struct plan_force *f)
{
    const struct plan_joint *j = &ev->p->joint[model_forces(ev->m)[f->force].joint];
    const struct kin *second = &ev->ws->kin[j->kin[1]];
    vec3 at = second->x + mat3_mul(&second->R, j->point[1]);
    int turns = vec_norm(ev->ws->coord[f->active_at].row.l) == 0;
    double sum = 0;
    for (int k = 0; k < ev->p->n; k++) {
        const struct plan_body *b = &ev->p->body[k];
        vec3 r = ev->ws->x[k] - at;
        sum += b->m * (turns ? b->length * b->length + vec_dot(r, r) : 1);
    }
    return sum;
}

/* Stiffness and damping of dry friction at rest (bristle.h), for the mass it has to hold. */
static void choose_bristle(const struct evaluation *ev, struct plan_force *f, double h)
{
    const struct force_type *t = FORCE_TYPE[model_forces(ev->m)[f->force].type];
    if (!t->sticks) return;
    double m = f->active_at >= 0 ? fmin(f->m_eff, largest_mass(ev, f)) : f->m_eff;
    f->stick_k = 4 * m / (h * h);
    f->stick_c = 4 * m / h;
}

/* Pool number of the scalar field `key`, or 0. */
static double number_of(const struct model *m, const struct model_force *e, const char *key)
{
    const struct force_type *t = FORCE_TYPE[e->type];
    int at = 0;
    for (int i = 0; i < t->n_fields; i++) {
        if (strcmp(t->field[i].key, key) == 0 && t->field[i].kind == FIELD_SCALAR)
            return model_pool(m)[e->pool_at + (uint32_t)at];
        at += field_pool_count(t->field[i].kind);
    }
    return 0;
}

/* Contacts must last: warning below ten steps, refused below three. */
static int judge_contact(const struct model *m, const struct model_force *e, double mass, double h,
                         struct diag_list *diags)
{
    double k = number_of(m, e, "stiffness"), steps = M_PI * sqrt(mass / k) / h;
    if (!(k > 0) || steps >= 10) return 1;
    double fit = mass * (M_PI / (10 * h)) * (M_PI / (10 * h));
    message_add(diags, message_place(m, e->origin),
                steps < 3 ? MESSAGE_SHORT_CONTACT : MESSAGE_COARSE_CONTACT,
                "contact %s lasts %.2g steps of %g s%s; a stiffness of %.3g would give ten",
                model_text(m, e->name), steps, h, steps < 3 ? ", at least three are needed" : "",
                fit);
    return steps >= 3;
}

/* What is faster than a step resolves, over all elements. */
struct fast {
    double vibration; /* w h, largest unresolved; 0: none */
    double damping;   /* c h/m, largest unresolved; 0: none */
};

static void note_vibration(const struct model *m, const struct model_force *e, double w, double h,
                           struct diag_list *diags)
{
    message_add(
        diags, message_place(m, e->origin), MESSAGE_UNRESOLVED,
        "stiffness of %s is not resolved by a step of %g s (%.3g Hz): its vibration is damped by "
        "the rule",
        model_text(m, e->name), h, w / (2 * M_PI));
}

static void note_damping(const struct model *m, const struct model_force *e, double rate, double h,
                         struct diag_list *diags)
{
    message_add(
        diags, message_place(m, e->origin), MESSAGE_UNRESOLVED,
        "damping of %s is not resolved by a step of %g s (it stops what it acts on within %.3g s): "
        "the rule lets it settle over the next steps",
        model_text(m, e->name), h, 1 / rate);
}

/* A winding that settles within a step takes its quasi-static form, force_motor.c. */
static void note_winding(const struct model *m, const struct model_force *e, double h,
                         struct diag_list *diags)
{
    double L = number_of(m, e, "inductance"), R = number_of(m, e, "resistance");
    if (!(L > 0) || L >= 0.5 * h * R) return;
    message_add(diags, message_place(m, e->origin), MESSAGE_UNRESOLVED,
                "current of %s settles within %.3g s, faster than a step of %g s: it follows the "
                "voltage at once",
                model_text(m, e->name), L / R, h);
}

static int judge_force(const struct evaluation *ev, struct plan_force *f, const struct mat6 *K,
                       const struct mat6 *C, double h, struct fast *fast, struct diag_list *diags)
{
    const struct model_force *e = &model_forces(ev->m)[f->force];
    double normal;
    f->m_eff = effective_mass(ev, f, &normal);
    choose_bristle(ev, f, h);
    if (FORCE_TYPE[e->type]->can_open) return judge_contact(ev->m, e, normal, h, diags);
    double w = sqrt(frequency2(ev, f, K)), rate = frequency2(ev, f, C);
    if (w * h > UNRESOLVED) {
        note_vibration(ev->m, e, w, h, diags);
        fast->vibration = fmax(fast->vibration, w * h);
    }
    if (rate * h > UNRESOLVED) {
        note_damping(ev->m, e, rate, h, diags);
        fast->damping = fmax(fast->damping, rate * h);
    }
    note_winding(ev->m, e, h, diags);
    return 1;
}

/* Tangents of all elements at the start, for stiffness (weights 1, 0) or damping (0, 1). */
static void tangents(const struct model *m, const struct plan *p, struct workspace *ws, double wk,
                     double wc, struct mat6 *P)
{
    struct evaluation ev = evaluation_of_stiffness(m, p, ws);
    ev.wk = wk, ev.wc = wc;
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    evaluate_inertia(&ev);
    evaluate_coordinates(&ev, p->n_active);
    evaluate_forces(&ev);
    for (int i = 0; i < p->n_forces; i++) P[i] = ws->out[i].P;
}

/* Spectral radius for what is not resolved. A vibration is let die over some steps, at little
 * cost in accuracy. A damper that acts within a step would make speeds and forces change their
 * sign for 1/(1 - rho) steps and more. */
static double fitting_rho(const struct fast *fast)
{
    if (fast->damping > 10 * UNRESOLVED) return RHO_OVERDAMPED;
    if (fast->damping > 0) return RHO_DAMPED;
    return fast->vibration > 0 ? RHO_STIFF : 1;
}

int judge_rule(const struct model *m, struct plan *p, struct workspace *ws,
               const struct plan_options *o, struct diag_list *diags)
{
    int ok = 1;
    struct fast fast = {0};
    struct mat6 *K = aligned_alloc(32, 2 * sizeof *K * ((size_t)p->n_forces + 1));
    if (!K) return 0;
    struct mat6 *C = K + p->n_forces;
    p->h = o->h;
    tangents(m, p, ws, 1, 0, K);
    tangents(m, p, ws, 0, 1, C);
    struct evaluation mass = evaluation_at_state(m, p, ws);
    if (p->n_forces) factor_here(&mass);
    for (int i = 0; i < p->n_forces; i++)
        ok &= judge_force(&mass, &p->force[i], &K[i], &C[i], o->h, &fast, diags);
    if (p->rho < 0) p->rho = fitting_rho(&fast);
    free(K);
    return ok;
}

/* Loop a joint is part of, or -1. */
static int joint_loop(const struct plan *p, int joint)
{
    if (joint < 0) return -1;
    if (p->joint_slot[joint] != PLAN_NONE) return p->slot_loop[p->joint_slot[joint]];
    if (p->joint_cut[joint] == PLAN_NONE) return -1;
    return p->row[p->cut[p->joint_cut[joint]].row_at].loop;
}

int judge_friction(const struct model *m, const struct plan *p, struct diag_list *diags)
{
    int ok = 1;
    for (uint32_t i = 0; i < m->forces.n; i++) {
        const struct model_force *e = &model_forces(m)[i];
        int loop = joint_loop(p, e->joint);
        if (strcmp(FORCE_TYPE[e->type]->name, "friction") != 0 || loop < 0) continue;
        if (!p->loop[loop].redundant || !(number_of(m, e, "coefficient") > 0)) continue;
        message_add(
            diags, message_place(m, e->origin), MESSAGE_LOOP_FRICTION,
            "friction %s asks for the reaction of joint %s, which is not unique: its loop has "
            "%d redundant rows; give constant: instead of coefficient:, or replace joints of the "
            "loop by ones that hold less",
            model_text(m, e->name), model_text(m, model_joints(m)[e->joint].name),
            p->loop[loop].redundant);
        ok = 0;
    }
    return ok;
}

/* Mass a tree joint may have to carry: the child and all that hangs on it. */
static void carried_masses(const struct plan *p, double *mass)
{
    for (int k = 0; k < p->n; k++) mass[k] = p->body[k].m;
    for (int k = 0; k < p->n; k++)
        if (p->link[k].parent != PLAN_NONE) mass[p->link[k].parent] += mass[k];
}

int judge_geometric(const struct model *m, struct plan *p, const struct workspace *ws, double h)
{
    static const double FELT = 4e-3; /* s |arm| |F| against the body's inertia */
    double largest = 0, g = vec_norm(vec_load(m->gravity)),
           *mass = malloc(sizeof *mass * ((size_t)p->n + 1));
    if (!mass) return 0;
    carried_masses(p, mass);
    for (int k = 0; k < p->n; k++) {
        const struct plan_link *l = &p->link[k];
        if (l->joint == PLAN_NONE) continue;
        vec3 arm = p->joint[l->joint].point[l->sign > 0 ? 1 : 0];
        double J = p->body[k].m * (p->body[k].length * p->body[k].length + vec_dot(arm, arm));
        double F = fmax(vec_norm(ws->wrench[k].l), g * mass[k]);
        if (J > 0) largest = fmax(largest, vec_norm(arm) * F / J);
    }
    free(mass);
    p->geometric = 0.25 * h * h * largest > FELT;
    p->wrenches |= p->geometric;
    return 1;
}
