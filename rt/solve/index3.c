#include "rt/solve/index3.h"

#include <string.h>

#include "rt/solve/step.h"

#include "rt/rtsafe.h"

static size_t index3_memsize(const struct model *m, const struct plan *p)
{
    size_t n = workspace_room(sizeof(struct index3));
    (void)m;
#define X(type, name, count) n += workspace_room(sizeof(type) * (size_t)(count));
    INDEX3_SCRATCH(X)
#undef X
    return n;
}

static void index3_init(const struct model *m, const struct plan *p, struct workspace *ws)
{
    struct index3 *own = index3_own(ws);
    char *at = ws->own + workspace_room(sizeof *own);
    (void)m;
#define X(type, name, count)                                     \
    own->name = (type *)(void *)at;                              \
    at += workspace_room(sizeof(type) * (size_t)(count));
    INDEX3_SCRATCH(X)
#undef X
}

const struct method INDEX3 = {
    .name = "index3",
    .help = "positions by Newton, velocities and accelerations projected; order 2",
    .memsize = index3_memsize,
    .init = index3_init,
    .advance = step_advance,
};

void index3_begin(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    const struct index3 *own = index3_own(ws);
    size_t n = sizeof(struct six) * (size_t)ev->p->n;
    memcpy(own->a_n, ws->a, n);
    memcpy(own->ab_n, ws->ab, n);
    double ratio = ws->h_last > 0 ? ev->rule.h / ws->h_last : 1;
    if (ratio != 1)
        for (int k = 0; k < ev->p->n; k++)
            own->ab_n[k] = six_axpy(ratio, six_sub(ws->ab[k], ws->a[k]), ws->a[k]);
}

void index3_predict(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    const struct index3 *own = index3_own(ws);
    const struct rule *r = &ev->rule;
    double ratio = ws->h_last > 0 ? r->h / ws->h_last : 0, more = ratio * ratio * ratio;
    for (int k = 0; k < p->n; k++) {
        struct six v = ws->v[k], a = own->a_n[k], ab = own->ab_n[k];
        own->D[k] = six_axpy(more, ws->lead[k], index3_extrapolation(r->h, v, a)); /* MFC 23 */
        own->v0[k] = six_axpy(r->v_v, v, six_scale(r->v_ab, ab));              /* MFC 3, AB */
        own->a0[k] = six_axpy(r->a_v, v, six_axpy(r->a_ab, ab, six_scale(r->a_a, a))); /* MFC 4 */
    }
    for (int i = 0; i < p->n_segments; i++) {
        int b = p->segment_base[i];
        ws->o[i] = ws->x[b] + own->D[b].l;
    }
}
