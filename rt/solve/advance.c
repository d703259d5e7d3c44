#include "rt/solve/advance.h"

#include <string.h>

#include "rt/rtsafe.h"

void advance_states(const struct evaluation *ev)
{
    size_t size = sizeof(double) * (size_t)ev->m->n_states;
    memcpy(ev->ws->z_k, ev->ws->z, size);
    memcpy(ev->ws->zd_k, ev->ws->zd, size);
}

void advance_end(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    memcpy(ws->z, ws->z_k, sizeof(double) * (size_t)ev->m->n_states);
    memcpy(ws->zd, ws->zd_k, sizeof(double) * (size_t)ev->m->n_states);
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
    ws->line = timeline_after(&ws->line, ws->t, ev->h);
    ws->t = ev->t;
    ws->h_last = ev->h;
}
