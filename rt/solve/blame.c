#include "rt/solve/blame.h"

#include <math.h>

#include "rt/rtsafe.h"

static int bad_six(struct six x)
{
    vec3 s = x.l + x.a;
    return !isfinite(s[0] + s[1] + s[2]);
}

static void put(struct step_report *r, int kind, int element)
{
    r->element_kind = kind;
    r->element = element;
}

void blame_find(const struct evaluation *ev, struct step_report *report)
{
    const struct plan *p = ev->p;
    const struct workspace *ws = ev->ws;
    for (int i = 0; i < (int)ev->m->actuators.n; i++)
        if (!isfinite(ws->command[i])) {
            put(report, STEP_ACTUATOR, i);
            return;
        }
    for (int i = 0; i < p->n_forces; i++)
        if (bad_six(ws->out[i].f) || bad_six(ws->out[i].P.c[0])) {
            put(report, STEP_FORCE, p->force[i].force);
            return;
        }
    for (int k = 0; k < p->n; k++) {
        const struct plan_link *l = &p->link[k];
        for (int j = 0; j < l->n_free; j++)
            if (!(ws->Dinv[l->s_at + j] > 0) || !isfinite(ws->Dinv[l->s_at + j])) {
                put(report, l->joint == PLAN_NONE ? STEP_BODY : STEP_JOINT,
                    l->joint == PLAN_NONE ? p->body[k].body : l->joint);
                return;
            }
    }
    for (int k = 0; k < p->n; k++)
        if (bad_six(ws->d[k])) {
            put(report, STEP_BODY, p->body[k].body);
            return;
        }
    put(report, STEP_BODY, p->n ? p->body[0].body : 0);
}
