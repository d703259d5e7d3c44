/* advance.h: what opens and closes a step, whichever solver does it: the step's copy of the
 * accelerations at n, and the acceptance of the state at n + 1.
 *
 * The two solvers (step.c, dense.c) share this bookkeeping and no line of the solving.
 * RT context, wait-free. */
#ifndef ADVANCE_H
#define ADVANCE_H

#include "rt/solve/evaluate.h"

/* The evaluation of a step of h from the accepted state on. */
struct evaluation advance_evaluation(const struct model *m, const struct plan *p,
                                     struct workspace *ws, double h);

/* Writes a_n and ab_n, rescaled where h differs from the step before. */
void advance_begin(const struct evaluation *ev);

/* Accept body k as it is in ws->kin; da: correction of its acceleration by the projection. */
static inline void advance_body(const struct evaluation *ev, int k, struct six da)
{
    struct workspace *ws = ev->ws;
    const struct rule *r = &ev->rule;
    const struct kin *b = &ws->kin[k];
    struct six a = {b->dv, b->dw};
    struct six ab = rule_auxiliary(r, ws->D[k], ws->v[k], ws->ab_n[k]);
    ws->ab[k] = r->rho < 1 ? six_axpy((1 - r->af) / (1 - r->am), da, ab) : a;
    ws->x[k] = b->x;
    ws->q[k] = quat_unit(ws->qk[k]);
    ws->v[k] = (struct six){b->v, b->w};
    ws->a[k] = a;
}

/* Accept all that is not bodies and multipliers: element states, contacts, coordinates,
 * commands, time. */
void advance_end(const struct evaluation *ev);

#endif
