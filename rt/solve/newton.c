/* Theory. Unknown is the increment D of the step; the rule gives v and a from it (MFC 3, 4),
 * so that each round solves
 *   [ M~ G'; G -1/alpha' ] [ d; mu ] = -[ s (M a + w x Jw - f + G'lambda); Phi ],
 *   D += d, lambda += mu/s                                                 (MFC 12, 17, 18)
 * with tree joints carried exactly. A turn is added on the group: D_th = log(exp(d) exp(D_th)).
 *
 * When to stop. What is left undone, about |d| c/(1 - c) with c the contraction seen, enters the
 * velocity as 2 d/h in every step, mostly with the same sign. The rule's own error there is
 * h³/12 of the snap (fourth derivative of x), so in D it is h⁴/24 of it; the predictor misses by
 * h⁴/4 of it (index3_predict): the first |d| is six times the truncation error. Newton may leave
 * `left` of that error, not less than rounding. Contraction is that of the last two iterations;
 * before there are two, that of an earlier step, trusted less with each step, so that it is seen
 * again now and then. All sizes are those of the bodies' motion: a mechanism of micrometres is
 * solved as one of metres is. */
#include "rt/solve/newton.h"

#include <math.h>

#include "rt/solve/eliminate.h"
#include "rt/solve/index3.h"
#include "rt/solve/links.h"
#include "rt/solve/verdict.h"

#include "rt/rtsafe.h"

static const double ROUNDING = 2.2e-16; /* of numbers that are subtracted from each other */
static const double DOUBT = 10;       /* by which a contraction of an earlier step may be wrong */
static const double FORGET = 1.05;    /* and more so with each step */

/* How far Newton has come. */
struct progress {
    double first;       /* m, |d| of the first iteration: 6 times the truncation error */
    double before;      /* m, |d| of the iteration before; 0: none */
    double contraction; /* of |d|, from one to the next */
    double length;      /* of the mechanism, in metres, 1 at most */
};

/* What an iteration of size d tells of the contraction: where it found rounding alone, no more
 * than that what is left will be rounding too. */
static void look_back(struct progress *p, double d, double least)
{
    double seen = p->before > 0 ? d / p->before : 0;
    if (d > 4 * least)
        p->contraction = seen;
    else
        p->contraction = fmin(p->contraction, fmin(seen, 0.25 / DOUBT * least / p->before));
}

/* 1 if an iteration of size d is enough. */
static int is_enough(const struct step_limits *l, const struct progress *p, double d, double least)
{
    double c = p->contraction * (p->before > 0 ? 1 : DOUBT), left = c < 0.5 ? d * c / (1 - c) : d;
    if (!(l->left > 0)) return d <= l->tolerance;
    if (d > l->tolerance * p->length) return 0;
    return left <= l->left * p->first / 6 || left <= least;
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
    int slot;        /* of the largest */
    double residual; /* N */
    double sum;      /* not finite if any part is not */
};

/* Add the solution to D. */
static struct size update(const struct evaluation *ev, int norm2)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    struct six *D = index3_own(ws)->D;
    struct size z = {0};
    for (int k = 0; k < p->n; k++) {
        const struct plan_body *b = &p->body[k];
        struct six e = ws->d[k];
        vec3 lin = six_point(e, ws->kin[k].x - ws->o[b->segment]);
        D[k].l += lin;
        D[k].a = index3_turn(D[k].a, e.a);
        double l2 = vec_dot(lin, lin), a2 = vec_dot(e.a, e.a) * (norm2 ? 1 : b->length * b->length);
        double part = l2 > a2 ? l2 : a2, force = b->m * b->m * part;
        z.sum += l2 + a2;
        if (part > z.d) z.d = part, z.slot = k;
        if (force > z.residual) z.residual = force;
    }
    z.d = sqrt(norm2 ? z.sum : z.d);
    z.residual = sqrt(z.residual) / ev->s;
    return z;
}

/* What of |d| is rounding, m: joints subtract places, of a body without one its increment. */
static double rounding(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    const struct six *D = index3_own(ev->ws)->D;
    double far = 0; /* m2 */
    for (int k = 0; k < p->n; k++) {
        int loose = p->link[k].joint == PLAN_NONE;
        double l2 = p->body[k].length * p->body[k].length;
        vec3 x = loose ? D[k].l : ev->ws->kin[k].x;
        far = fmax(far, vec_dot(x, x) + (loose ? l2 * vec_dot(D[k].a, D[k].a) : l2));
    }
    return ROUNDING * sqrt(far);
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
    double seen = ev->ws->contraction, least = 0;
    struct progress p = {.contraction = seen > 0 ? fmin(seen * FORGET, 1) : 1,
                         .length = fmin(ev->p->length, 1)};
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
        if (i == 0) p.first = z.d;
        if (i == 0 && !limits->fixed && limits->left > 0) least = rounding(ev);
        if (i > 0) look_back(&p, z.d, least);
        report->iterations = i + 1;
        report->d = z.d;
        report->slot = z.slot;
        report->contraction = p.contraction;
        report->residual = z.residual;
        if (!isfinite(z.sum)) return report->status = STATUS_NOT_FINITE;
        report->status = z.d <= limits->tolerance ? STATUS_OK : STATUS_NOT_CONVERGED;
        if (is_enough(limits, &p, z.d, least) && !limits->fixed) break;
        p.before = z.d;
    }
    verdict_measure(ev, report);
    return report->status;
}
