/* Theory. Unknown is the increment D of the step; the rule gives v and a from it (MFC 3, 4),
 * so that each round solves
 *   [ M~ G'; G -1/alpha' ] [ d; mu ] = -[ s (M a + w x Jw - f + G'lambda); Phi ],
 *   D += d, lambda += mu/s                                                 (MFC 12, 17, 18)
 * with tree joints carried exactly. A turn is added on the group: D_th = log(exp(d) exp(D_th)). */
#include "rt/solve/newton.h"

#include <math.h>

#include "rt/solve/eliminate.h"
#include "rt/solve/index3.h"
#include "rt/solve/links.h"

#include "rt/rtsafe.h"

/* 1 if an iteration of size d after one of size `before` (0: it was the first) is enough. */
static int is_enough(const struct step_limits *l, double h, double d, double before)
{
    double fine = h < 1e-3 ? h * h * 1e6 : 1;
    if (!(l->left > 0)) return d <= l->tolerance;
    if (before == 0) return d <= l->tolerance * fine;
    return d <= l->tolerance && d * d <= l->left * fine * before;
}

/* Tangent and loads at the present iterate, factored. */
static double linearise(const struct evaluation *ev, const struct step_limits *limits)
{
    struct increments step = index3_increments(ev->ws);
    evaluate_bodies(ev, &step);
    step_stamp(limits);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_rows(ev);
    step_stamp(limits);
    links_position(ev, ev->s);
    if (ev->p->geometric) links_stiffen(ev);
    evaluate_loads(ev, 1);
    evaluate_assemble(ev); /* leading matrix of MFC 18 */
    step_stamp(limits);
    return eliminate_factor(ev->p, ev->ws);
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
    struct six *D = index3_own(ws)->D;
    struct size z = {0, 0, 0};
    for (int k = 0; k < p->n; k++) {
        const struct plan_body *b = &p->body[k];
        struct six e = ws->d[k];
        vec3 lin = six_point(e, ws->kin[k].x - ws->o[b->segment]);
        D[k].l += lin;
        D[k].a = index3_turn(D[k].a, e.a);
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

/* lambda += mu/s (MFC 16, 17); redundant rows have no multiplier. */
static void add_multipliers(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    evaluate_multipliers(ev, ws->kappa_k);
    for (int r = 0; r < ev->p->n_rows; r++)
        if (!ev->p->row[r].redundant) ws->lambda_k[r] += ws->kappa_k[r] / ev->s;
}

enum status newton_solve(const struct evaluation *ev, const struct step_limits *limits,
                         struct step_report *report)
{
    double before = 0;
    report->status = STATUS_NOT_CONVERGED;
    for (int i = 0; i < limits->iterations; i++) {
        if (i > 0 && limits->may_iterate && !limits->may_iterate(limits->context, i))
            return report->status = STATUS_BUDGET;
        if (!(linearise(ev, limits) > 0)) return report->status = STATUS_SINGULAR;
        step_stamp(limits);
        eliminate_solve(ev->p, ev->ws, ev->ws->S);
        step_stamp(limits);
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
