/* index3.h: the index-3 formulation (MFC section 2.2): Newton on positions with the rule
 * embedded, then velocities and accelerations projected with the same tangent.
 *
 * What it shares with other methods (bodies, joints, forces, rows, elimination) is scratch
 * of the workspace; what is its own stands here, in the workspace's room `own`.
 * RT context, wait-free, no allocation. */
#ifndef INDEX3_H
#define INDEX3_H

#include "rt/solve/evaluate.h"
#include "rt/solve/method.h"

/* X(type, name, count): scratch of this method alone.   unit, meaning | writer */
#define INDEX3_SCRATCH(X)                                                                     \
    X(struct six, D, p->n)   /* m, rad, increments of the step | index3_predict, newton.c */  \
    X(struct six, v0, p->n)  /* m/s, rad/s, v = c_v D + v0 | index3_predict */                \
    X(struct six, a0, p->n)  /* m/s2, rad/s2, a = D/s + a0 | index3_predict */                \
    X(struct six, a_n, p->n) /* m/s2, rad/s2, a of step n, corrected | index3_begin, opening.c */ \
    X(struct six, ab_n, p->n) /* m/s2, rad/s2, auxiliary a of n | index3_begin, opening.c */  \
    X(struct six, S_end, p->n_columns + 1) /* free directions at the final configuration, where \
                                the factor is that of the last iterate | project.c */         \
    X(int, opened, p->n_forces + 1) /* 1: contact that opens in this step | opening.c */

struct index3 {
#define X(type, name, count) type *name;
    INDEX3_SCRATCH(X)
#undef X
};

/* Its scratch, placed by index3_init. */
static inline struct index3 *index3_own(const struct workspace *ws)
{
    return (struct index3 *)(void *)ws->own;
}

static inline struct increments index3_increments(const struct workspace *ws)
{
    const struct index3 *x = index3_own(ws);
    return (struct increments){.D = x->D, .v0 = x->v0, .a0 = x->a0};
}

/* Row of the table of methods. */
extern const struct method INDEX3;

/* The step's copy of the accelerations at n, rescaled where h differs from the step before. */
void index3_begin(const struct evaluation *ev);

/* Reference points, v0, a0 and the predictor D = h v + h²/2 a (MFC 3, 4, 23), with what the
 * last step went beyond its own: h³/4 of the jerk, so that what it misses is of order h⁴. */
void index3_predict(const struct evaluation *ev);

/* D_th += d - 1/2 D_th x d + 1/12 D_th x (D_th x d), first terms of log(exp(d) exp(D_th)). */
static inline vec3 index3_turn(vec3 D, vec3 d)
{
    vec3 c = vec_cross(D, d);
    return D + d - vec_splat(0.5) * c + vec_splat(1. / 12) * vec_cross(D, c);
}

/* h v + h²/2 a (MFC 23). */
static inline struct six index3_extrapolation(double h, struct six v, struct six a)
{
    return six_axpy(h, v, six_scale(0.5 * h * h, a));
}

/* Accept body k as it is in kin; da: what the projection changed in its acceleration. */
static inline void index3_accept_body(const struct evaluation *ev, int k, struct six da)
{
    struct workspace *ws = ev->ws;
    const struct index3 *x = index3_own(ws);
    const struct rule *r = &ev->rule;
    const struct kin *b = &ws->kin[k];
    struct six a = {b->dv, b->dw};
    struct six ab = rule_auxiliary(r, x->D[k], ws->v[k], x->ab_n[k]);
    ws->lead[k] = six_sub(x->D[k], index3_extrapolation(r->h, ws->v[k], x->a_n[k]));
    ws->ab[k] = r->rho < 1 ? six_axpy((1 - r->af) / (1 - r->am), da, ab) : a;
    ws->x[k] = b->x;
    ws->q[k] = quat_unit(ws->qk[k]);
    ws->v[k] = (struct six){b->v, b->w};
    ws->a[k] = a;
}

#endif
