#include "rt/solve/advance.h"

#include <string.h>

#include "rt/rtsafe.h"

struct evaluation advance_evaluation(const struct model *m, const struct plan *p,
                                     struct workspace *ws, double h)
{
    struct rule rule = rule_make(p->rho, h);
    return (struct evaluation){.m = m,
                               .p = p,
                               .ws = ws,
                               .rule = rule,
                               .t = ws->t + h,
                               .s = rule.s,
                               .wk = rule.s,
                               .wc = rule.sc,
                               .soft = 1};
}

void advance_begin(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    size_t n = sizeof(struct six) * (size_t)ev->p->n;
    memcpy(ws->a_n, ws->a, n);
    memcpy(ws->ab_n, ws->ab, n);
    double ratio = ws->h_last > 0 ? ev->rule.h / ws->h_last : 1;
    if (ratio != 1)
        for (int k = 0; k < ev->p->n; k++)
            ws->ab_n[k] = six_axpy(ratio, six_sub(ws->ab[k], ws->a[k]), ws->a[k]);
}

void advance_end(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    memcpy(ws->z, ws->z_k, sizeof(double) * (size_t)ev->m->n_states);
    for (int i = 0; i < p->n_forces; i++) {
        ws->closed[i] = ws->out[i].closed;
        ws->depth[i] = ws->out[i].depth;
    }
    memcpy(ws->command_n, ws->command, sizeof(double) * ev->m->actuators.n);
    evaluate_coordinates(ev, p->n_watched);
    for (int i = 0; i < p->n_watched; i++) {
        ws->angle[p->active[i].coordinate] = ws->coord[i].q;
        ws->rate[p->active[i].coordinate] = ws->coord[i].qd;
    }
    ws->t = ev->t;
    ws->h_last = ev->rule.h;
}
