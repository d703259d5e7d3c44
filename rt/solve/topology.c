#include "rt/solve/topology.h"

#include <string.h>

#include "rt/solve/accelerate.h"

#include "rt/rtsafe.h"

static double kinetic(const struct plan *p, const struct workspace *ws)
{
    double t = 0;
    for (int k = 0; k < p->n; k++) {
        struct mat3 R = quat_matrix(ws->q[k]);
        vec3 w = mat3_tmul(&R, ws->v[k].a);
        t += 0.5 * p->body[k].m * vec_dot(ws->v[k].l, ws->v[k].l) +
             0.5 * vec_dot(w, mat3_mul(&p->body[k].J, w));
    }
    return t;
}

/* The first body's side takes the second's place and axes: all rows are zero here. */
static void lock_here(const struct workspace *ws, struct plan_joint *j)
{
    const struct kin *a = &ws->kin[j->kin[0]], *b = &ws->kin[j->kin[1]];
    vec3 place = b->x + mat3_mul(&b->R, j->point[1]);
    j->point[0] = mat3_tmul(&a->R, place - a->x);
    for (int i = 0; i < 3; i++)
        j->frame[0].c[i] = mat3_tmul(&a->R, mat3_mul(&b->R, j->frame[1].c[i]));
}

static void clear_multipliers(const struct plan *p, struct workspace *ws, int joint)
{
    const struct plan_cut *c = &p->cut[p->joint_cut[joint]];
    for (int r = c->row_at; r < c->row_at + c->n_rows; r++) ws->lambda[r] = ws->kappa[r] = 0;
}

enum status topology_apply(const struct model *m, const struct plan *p, struct workspace *ws,
                           const struct topology_change *change, int n, double *loss)
{
    struct evaluation ev = {.m = m, .p = p, .ws = ws, .t = ws->t, .s = 1, .rule = {.h = 0}};
    for (int i = 0; i < n; i++)
        if (p->joint_switch[change[i].joint] == PLAN_NONE) return STATUS_REFUSED;
    double before = kinetic(p, ws);
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    for (int i = 0; i < n; i++) {
        int s = p->joint_switch[change[i].joint];
        if (change[i].on) lock_here(ws, &ws->switched[s]);
        ws->on[s] = change[i].on ? 1 : 0;
        clear_multipliers(p, ws, change[i].joint);
    }
    if (!(accelerate_jump(&ev) > 0)) return STATUS_SINGULAR;
    if (!(accelerate_solve(&ev, ws->a) > 0)) return STATUS_SINGULAR;
    memcpy(ws->ab, ws->a, sizeof(struct six) * (size_t)p->n);
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa, 0, sizeof(double) * (size_t)p->n_rows);
    if (loss) *loss = before - kinetic(p, ws);
    return STATUS_OK;
}
