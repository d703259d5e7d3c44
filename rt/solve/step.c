/* The step, as a list: predict, Newton on positions, then velocities and accelerations
 * projected with the tangent at the final configuration, accept (MFC section 2.2).
 *
 * The projections use the tangent of the last iterate where Newton has converged, with
 * violations and downward directions of the final configuration: constraints then hold to
 * |d| x |correction|, rounding in effect. Where a joint wrench, a contact or an element
 * with states must be known at the end, or Newton stopped early, the tangent is made and
 * factored anew there. */
#include "rt/solve/step.h"

#include <math.h>
#include <string.h>

#include "rt/solve/accelerate.h"
#include "rt/solve/advance.h"
#include "rt/solve/blame.h"
#include "rt/solve/eliminate.h"
#include "rt/solve/evaluate.h"
#include "rt/solve/links.h"
#include "rt/solve/reactions.h"

#include "rt/rtsafe.h"

static const double KEEP_FACTOR = 1e-7; /* m, |d| below which the last tangent is kept */

static const double DEFAULT_TOLERANCE = 1e-9; /* m, of a model that gives none */

struct step_limits step_limits(const struct model *m)
{
    double left = m->tolerance == DEFAULT_TOLERANCE ? 1e-4 * m->tolerance : 0;
    return (struct step_limits){
        .iterations = m->iterations, .tolerance = m->tolerance, .left = left};
}

/* 1 if an iteration of size d after one of size `before` (0: it was the first) is enough. */
static int is_enough(const struct step_limits *l, double h, double d, double before)
{
    double fine = h < 1e-3 ? h * h * 1e6 : 1;
    if (!(l->left > 0)) return d <= l->tolerance;
    if (before == 0) return d <= l->tolerance * fine;
    return d <= l->tolerance && d * d <= l->left * fine * before;
}

static void stamp(const struct step_limits *l)
{
    if (l->stamp) l->stamp(l->context);
}

/* Tangent and loads of Newton at the present iterate. */
static double linearise(const struct evaluation *ev, const struct step_limits *limits)
{
    evaluate_bodies(ev);
    stamp(limits);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_rows(ev);
    stamp(limits);
    links_position(ev, ev->s);
    if (ev->p->geometric) links_stiffen(ev);
    evaluate_loads(ev, 1);
    evaluate_assemble(ev);
    stamp(limits);
    return eliminate_factor(ev->p, ev->ws);
}

/* D_th += d - 1/2 D_th x d + 1/12 D_th x (D_th x d). */
static vec3 turn_update(vec3 D, vec3 d)
{
    vec3 c = vec_cross(D, d);
    return D + d - vec_splat(0.5) * c + vec_splat(1. / 12) * vec_cross(D, c);
}

struct size {
    double d;        /* m, |d| */
    double residual; /* N */
    double sum;      /* not finite if any part is not */
};

/* Add the solution to D. */
static struct size update(const struct evaluation *ev, int norm2)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    struct size z = {0, 0, 0};
    for (int k = 0; k < p->n; k++) {
        const struct plan_body *b = &p->body[k];
        struct six e = ws->d[k];
        vec3 lin = six_point(e, ws->kin[k].x - ws->o[b->segment]);
        ws->D[k].l += lin;
        ws->D[k].a = turn_update(ws->D[k].a, e.a);
        double l2 = vec_dot(lin, lin), a2 = vec_dot(e.a, e.a) * (norm2 ? 1 : b->length * b->length);
        double part = l2 > a2 ? l2 : a2, force = b->m * b->m * part;
        z.sum += l2 + a2;
        if (part > z.d) z.d = part;
        if (force > z.residual) z.residual = force;
    }
    z.d = sqrt(norm2 ? z.sum : z.d);
    z.residual = sqrt(z.residual) / ev->s;
    return z;
}

static void add_multipliers(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    evaluate_multipliers(ev, ws->kappa_k);
    for (int r = 0; r < ev->p->n_rows; r++)
        if (!ev->p->row[r].redundant) ws->lambda_k[r] += ws->kappa_k[r] / ev->s;
}

static enum status newton(const struct evaluation *ev, const struct step_limits *limits,
                          struct step_report *report)
{
    double before = 0;
    report->status = STATUS_NOT_CONVERGED;
    for (int i = 0; i < limits->iterations; i++) {
        if (i > 0 && limits->may_iterate && !limits->may_iterate(limits->context, i))
            return report->status = STATUS_BUDGET;
        if (!(linearise(ev, limits) > 0)) return report->status = STATUS_SINGULAR;
        stamp(limits);
        eliminate_solve(ev->p, ev->ws);
        stamp(limits);
        struct size z = update(ev, limits->norm2);
        add_multipliers(ev);
        report->iterations = i + 1;
        report->d = z.d;
        report->residual = z.residual;
        if (!isfinite(z.sum)) return report->status = STATUS_NOT_FINITE;
        report->status = z.d <= limits->tolerance ? STATUS_OK : STATUS_NOT_CONVERGED;
        if (is_enough(limits, ev->rule.h, z.d, before) && !limits->fixed) break;
        before = z.d;
    }
    return report->status;
}

/* Springs of redundant rows: their force, and the alarm when one has opened. */
static void note_soft_rows(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    ws->alarm_row = -1;
    for (int r = 0; r < ev->p->n_rows; r++) {
        const struct plan_row *row = &ev->p->row[r];
        if (!row->redundant) continue;
        ws->lambda_k[r] = ws->weight[r] * ws->phi[r] / ev->s;
        if (fabs(ws->phi[r]) > row->alarm) ws->alarm_row = r;
    }
}

/* The tangent of the last iterate serves the projections too. */
static int may_keep_factor(const struct evaluation *ev, const struct step_report *report)
{
    return report->d <= KEEP_FACTOR && !ev->p->wrenches && !ev->p->n_nulls && !ev->p->can_open &&
           ev->m->n_states == 0;
}

static void refresh(const struct evaluation *ev)
{
    evaluate_motion(ev);
    links_refresh(ev);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_cut_places(ev);
    note_soft_rows(ev);
}

/* Tangent of the projections at the final configuration. */
static double prepare(const struct evaluation *ev, const struct step_limits *limits)
{
    evaluate_bodies(ev);
    stamp(limits);
    links_free(ev);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_rows(ev);
    note_soft_rows(ev);
    stamp(limits);
    evaluate_assemble(ev);
    return eliminate_factor(ev->p, ev->ws);
}

static void project_velocities(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    evaluate_row_values(ev, LEVEL_VELOCITY);
    links_velocity(ev, 0);
    evaluate_loads(ev, 0);
    eliminate_solve(ev->p, ws);
    for (int k = 0; k < ev->p->n; k++) {
        struct kin *b = &ws->kin[k];
        b->v += six_point(ws->d[k], b->x - ws->o[ev->p->body[k].segment]);
        b->w += ws->d[k].a;
    }
}

static void project_accelerations(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_row_values(ev, LEVEL_ACCELERATION);
    links_acceleration(ev, 0);
    evaluate_loads(ev, 0);
    eliminate_solve(ev->p, ws);
    evaluate_multipliers(ev, ws->kappa_k);
    for (int k = 0; k < ev->p->n; k++) {
        struct kin *b = &ws->kin[k];
        b->dv += six_point(ws->d[k], b->x - ws->o[ev->p->body[k].segment]);
        b->dw += ws->d[k].a;
    }
}

static void accept(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int k = 0; k < p->n; k++) {
        vec3 c = ws->kin[k].x - ws->o[p->body[k].segment];
        advance_body(ev, k, (struct six){six_point(ws->d[k], c), ws->d[k].a});
    }
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memcpy(ws->kappa, ws->kappa_k, sizeof(double) * (size_t)p->n_rows);
    advance_end(ev);
}

/* Contacts closed at n and open after the step; 1 if there are any. */
static int find_opened(const struct evaluation *ev, double *tau)
{
    struct workspace *ws = ev->ws;
    int any = 0;
    *tau = 1;
    for (int i = 0; i < ev->p->n_forces; i++) {
        ws->opened[i] = ws->closed[i] && ws->out[i].depth <= 0 && ws->depth[i] > 0;
        if (!ws->opened[i]) continue;
        double part = ws->depth[i] / (ws->depth[i] - ws->out[i].depth);
        if (part < *tau) *tau = part;
        any = 1;
    }
    return any;
}

/* The opening step is done again from accelerations that know the contact ends at
 * tau h: a_n = tau a_n + (1 - tau) a_off (an impact shorter than two steps would otherwise gain energy). */
static void soften_opening(const struct evaluation *ev, double tau)
{
    struct workspace *ws = ev->ws;
    struct evaluation at_n = *ev;
    at_n.t = ws->t;
    at_n.off = 1;
    accelerate_solve(&at_n, ws->a_n);
    for (int k = 0; k < ev->p->n; k++) {
        ws->a_n[k] = six_axpy(tau, ws->a[k], six_scale(1 - tau, ws->a_n[k]));
        ws->ab_n[k] = ws->a_n[k];
    }
}

/* Kept from the last step, but for redundant rows, which have none, and for joints that can be
 * switched: they may hold what other joints hold too, and in what those share a kept multiplier
 * would grow by rounding. They are locked where they are, without misfit, so one step's
 * share of it stays at rounding level. */
static void start_multipliers(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int r = 0; r < p->n_rows; r++) {
        int anew = p->row[r].redundant ||
                   (p->n_switches && p->joint_switch[p->row[r].joint] != PLAN_NONE);
        ws->lambda_k[r] = anew ? 0 : ws->lambda[r];
    }
}

static enum status attempt(const struct evaluation *ev, const struct step_limits *limits,
                           struct step_report *report)
{
    start_multipliers(ev);
    evaluate_functions(ev);
    evaluate_weights(ev);
    evaluate_predict(ev);
    enum status s = newton(ev, limits, report);
    if (status_severity(s) == SEVERITY_BAD) return s;
    if (may_keep_factor(ev, report))
        refresh(ev);
    else if (!(prepare(ev, limits) > 0))
        return report->status = STATUS_SINGULAR;
    stamp(limits);
    return s;
}

static int all_finite(const struct evaluation *ev)
{
    double sum = 0;
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        vec3 all = b->x + b->v + b->w + b->dv + b->dw;
        sum += all[0] + all[1] + all[2];
    }
    return isfinite(sum);
}

enum status step_advance(const struct model *m, const struct plan *plan, struct workspace *ws,
                         double h, const struct step_limits *limits, struct step_report *report)
{
    struct evaluation ev = advance_evaluation(m, plan, ws, h);
    memset(report, 0, sizeof *report);
    advance_begin(&ev);
    enum status s = attempt(&ev, limits, report);
    double tau;
    if (plan->can_open && status_severity(s) != SEVERITY_BAD &&
        (find_opened(&ev, &tau) || limits->longest)) {
        report->redone = 1;
        soften_opening(&ev, tau);
        s = attempt(&ev, limits, report);
    }
    if (status_severity(s) != SEVERITY_BAD) {
        project_velocities(&ev);
        stamp(limits);
        project_accelerations(&ev);
        stamp(limits);
        if (!all_finite(&ev)) s = report->status = STATUS_NOT_FINITE;
    }
    if (status_severity(s) == SEVERITY_BAD) {
        blame_find(&ev, report);
        return s;
    }
    if (plan->wrenches) accelerate_wrenches(&ev);
    if (plan->n_nulls) reactions_find(&ev);
    accept(&ev);
    ws->d_last = report->d;
    if (s == STATUS_OK && ws->alarm_row >= 0) s = report->status = STATUS_REDUNDANT_OPEN;
    return s;
}
