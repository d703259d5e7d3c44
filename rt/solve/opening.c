#include "rt/solve/opening.h"

#include "rt/solve/accelerate.h"
#include "rt/solve/index3.h"

#include "rt/rtsafe.h"

int opening_find(const struct evaluation *ev, double *tau)
{
    struct workspace *ws = ev->ws;
    int *opened = index3_own(ws)->opened, any = 0;
    *tau = 1;
    for (int i = 0; i < ev->p->n_forces; i++) {
        opened[i] = ws->closed[i] && ws->out[i].depth <= 0 && ws->depth[i] > 0;
        if (!opened[i]) continue;
        double part = ws->depth[i] / (ws->depth[i] - ws->out[i].depth);
        if (part < *tau) *tau = part;
        any = 1;
    }
    return any;
}

void opening_soften(const struct evaluation *ev, double tau)
{
    struct workspace *ws = ev->ws;
    const struct index3 *own = index3_own(ws);
    struct evaluation at_n = evaluation_at_state(ev->m, ev->p, ws);
    at_n.h = ev->h;
    at_n.left_out = own->opened;
    accelerate_solve(&at_n, own->a_n);
    for (int k = 0; k < ev->p->n; k++) {
        own->a_n[k] = six_axpy(tau, ws->a[k], six_scale(1 - tau, own->a_n[k]));
        own->ab_n[k] = own->a_n[k];
    }
}
