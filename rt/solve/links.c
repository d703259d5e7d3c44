/* Theory. d_B = d_A + S theta + c. Hinges and balls, the common case, are written out:
 * with P the joint point from o and u the axis, S = (P x u, u), and c is the twist at P
 * that closes the point and the axis. Other types go through jointkin.h. */
#include "rt/solve/links.h"

#include "rt/mech/jointkin.h"

#include "rt/rtsafe.h"

static inline const struct kin *first(const struct evaluation *ev, int joint)
{
    return &ev->ws->kin[ev->p->joint[joint].kin[0]];
}

static inline const struct kin *second(const struct evaluation *ev, int joint)
{
    return &ev->ws->kin[ev->p->joint[joint].kin[1]];
}

/* dp and f of slot k from its c; parents come before. */
static inline void carry(const struct evaluation *ev, int k, struct six c, double r)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    const struct plan_link *l = &p->link[k];
    struct six dp = c;
    if (l->parent != PLAN_NONE) dp = six_add(dp, ws->dp[l->parent]);
    if (l->shift) dp = evaluate_shift_twist(dp, ws->o[p->body[k].segment] - ws->o[l->segment]);
    ws->dp[k] = dp;
    ws->f[k] = six_axpy(r, ws->r_o[k], evaluate_mass_times(ws, p, k, dp));
}

static inline struct six signed_c(const struct plan_link *l, struct six c)
{
    return l->sign > 0 ? c : six_scale(-1, c);
}

static void free_root(struct six *S, const struct plan_link *l)
{
    for (int j = 0; j < l->n_free; j++) { /* a point mass has no turns */
        vec3 e = vec_make(j % 3 == 0, j % 3 == 1, j % 3 == 2);
        S[l->s_at + j] = j < 3 ? (struct six){e, vec_zero()} : (struct six){vec_zero(), e};
    }
}

static inline void ball_columns(struct six *S, vec3 P)
{
    for (int j = 0; j < 3; j++) {
        vec3 e = vec_make(j == 0, j == 1, j == 2);
        S[j] = (struct six){vec_cross(P, e), e};
    }
}

/* Joint point and S (into `to`) of a hinge or ball; returns d = P_B - P_A. */
static inline vec3 place_point(const struct evaluation *ev, int k, struct six *to, vec3 *axis)
{
    struct workspace *ws = ev->ws;
    const struct plan_link *l = &ev->p->link[k];
    const struct plan_joint *j = &ev->p->joint[l->joint];
    const struct kin *a = first(ev, l->joint), *b = second(ev, l->joint);
    vec3 pb = b->x + mat3_mul(&b->R, j->point[1]), pa = a->x + mat3_mul(&a->R, j->point[0]);
    vec3 P = pb - ws->o[l->segment];
    ws->P[k] = P;
    if (l->kind == LINK_HINGE) {
        *axis = mat3_mul(&a->R, j->frame[0].c[2]);
        to[l->s_at] = (struct six){vec_cross(P, *axis), *axis};
    } else {
        ball_columns(to + l->s_at, P);
    }
    return pb - pa;
}

static void place_other(const struct evaluation *ev, const struct plan_link *l, int full,
                        struct jointkin *jk, struct six *S, struct six *to)
{
    evaluate_place(ev, l->joint, ev->ws->o[l->segment], full, jk);
    jointkin_free(jk, S);
    for (int j = 0; j < l->n_free; j++) to[l->s_at + j] = S[(int)l->column[j]];
}

void links_free(const struct evaluation *ev, struct six *to)
{
    for (int k = ev->p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &ev->p->link[k];
        struct jointkin jk;
        struct six S[PLAN_MAX_FREE];
        vec3 axis;
        if (l->kind == LINK_FREE)
            free_root(to, l);
        else if (l->kind == LINK_OTHER)
            place_other(ev, l, 0, &jk, S, to);
        else
            place_point(ev, k, to, &axis);
    }
}

/* Drives: the coordinate's value less its motion, along its column. */
static struct six driven(const struct evaluation *ev, const struct plan_link *l,
                         const struct six *S, struct six c, enum evaluate_level level)
{
    for (int i = 0; i < l->n_driven; i++) {
        double v;
        int a = evaluate_drive(ev, l->driven_coordinate[i], l->driven_motion[i], level, &v);
        if (model_coordinates(ev->m)[ev->p->active[a].coordinate].reversed) v = -v;
        c = six_axpy(-v, S[(int)l->driven_column[i]], c);
    }
    return c;
}

static struct six other_position(const struct evaluation *ev, const struct plan_link *l)
{
    struct jointkin jk;
    struct six S[PLAN_MAX_FREE];
    place_other(ev, l, l->n_driven > 0, &jk, S, ev->ws->S);
    return signed_c(l, driven(ev, l, S, jointkin_close_position(&jk), LEVEL_POSITION));
}

void links_position(const struct evaluation *ev, double r)
{
    for (int k = ev->p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &ev->p->link[k];
        struct six c;
        if (l->kind == LINK_FREE) {
            free_root(ev->ws->S, l);
            c = six_zero();
        } else if (l->kind == LINK_OTHER) {
            c = other_position(ev, l);
        } else {
            vec3 axis = vec_zero(), turn = vec_zero(), d = place_point(ev, k, ev->ws->S, &axis);
            if (l->kind == LINK_HINGE) {
                const struct kin *b = second(ev, l->joint);
                turn = vec_cross(mat3_mul(&b->R, ev->p->joint[l->joint].frame[1].c[2]), axis);
            }
            c = signed_c(l, six_twist_at(-d, turn, ev->ws->P[k]));
        }
        carry(ev, k, c, r);
    }
}

/* Eigenvalues of (s.F) 1 - (s F' + F s')/2: (s.F + |s||F|)/2 along s/|s| - F/|F|, s.F
 * across both, and one that is never positive. */
static void add_positive(struct mat6 *K, vec3 arm, vec3 F, double weight)
{
    double a = vec_norm(arm), f = vec_norm(F), sf = vec_dot(arm, F);
    if (!(a * f > 0)) return;
    vec3 s = arm * vec_splat(1 / a), u = F * vec_splat(1 / f), m = s - u, n = vec_cross(s, u);
    if (vec_dot(n, n) < 1e-12) { /* in line: two equal eigenvalues across, or none */
        m = vec_perp(s);
        n = vec_cross(s, m);
    }
    m = vec_unit(m) * vec_splat(sqrt(weight * fmax(0.5 * (sf + a * f), 0)));
    n = vec_unit(n) * vec_splat(sqrt(weight * fmax(sf, 0)));
    for (int j = 0; j < 3; j++) K->c[3 + j].a += m * vec_splat(m[j]) + n * vec_splat(n[j]);
}

void links_stiffen(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int k = 0; k < p->n; k++) {
        const struct plan_link *l = &p->link[k];
        if (l->joint == PLAN_NONE) continue;
        const struct plan_joint *j = &p->joint[l->joint];
        int child = l->sign > 0 ? 1 : 0;
        vec3 F = ws->wrench[k].l;
        add_positive(&ws->K[k], mat3_mul(&ws->kin[k].R, j->point[child]), F, ev->s);
        if (l->parent == PLAN_NONE) continue;
        add_positive(&ws->K[l->parent], mat3_mul(&ws->kin[l->parent].R, j->point[1 - child]), -F,
                     ev->s);
    }
}

static struct six other_rates(const struct evaluation *ev, const struct plan_link *l,
                              enum evaluate_level level)
{
    const struct kin *a = first(ev, l->joint), *b = second(ev, l->joint);
    struct jointkin jk;
    struct six S[PLAN_MAX_FREE];
    evaluate_place(ev, l->joint, ev->ws->o[l->segment], l->n_driven > 0, &jk);
    struct six c = level == LEVEL_VELOCITY ? jointkin_close_velocity(&jk, a, b)
                                           : jointkin_close_acceleration(&jk, a, b);
    if (l->n_driven) jointkin_free(&jk, S);
    return signed_c(l, driven(ev, l, S, c, level));
}

/* Part of a relative turn that a hinge holds. */
static inline vec3 held_turn(const struct six *S, const struct plan_link *l, vec3 w)
{
    if (l->kind == LINK_BALL) return vec_zero();
    vec3 u = S[l->s_at].a;
    return w - u * vec_splat(vec_dot(u, w));
}

void links_velocity(const struct evaluation *ev, const struct six *S, double r)
{
    struct workspace *ws = ev->ws;
    for (int k = ev->p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &ev->p->link[k];
        struct six c = six_zero();
        if (l->kind == LINK_OTHER) {
            c = other_rates(ev, l, LEVEL_VELOCITY);
        } else if (l->kind != LINK_FREE) {
            const struct kin *a = first(ev, l->joint), *b = second(ev, l->joint);
            vec3 P = ws->P[k], at = P + ws->o[l->segment];
            vec3 lin = kin_velocity(a, at - a->x) - kin_velocity(b, at - b->x);
            vec3 ang = -held_turn(S, l, b->w - a->w);
            c = signed_c(l, six_twist_at(lin, ang, P));
        }
        carry(ev, k, c, r);
    }
}

static inline vec3 point_acceleration(const struct kin *b, vec3 s)
{
    return b->dv + vec_cross(b->dw, s) + vec_cross(b->w, vec_cross(b->w, s));
}

/* Hinges and balls hold P_B on P_A: the point has no relative velocity, no Coriolis term. */
void links_acceleration(const struct evaluation *ev, const struct six *S, double r)
{
    struct workspace *ws = ev->ws;
    for (int k = ev->p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &ev->p->link[k];
        struct six c = six_zero();
        if (l->kind == LINK_OTHER) {
            c = other_rates(ev, l, LEVEL_ACCELERATION);
        } else if (l->kind != LINK_FREE) {
            const struct kin *a = first(ev, l->joint), *b = second(ev, l->joint);
            vec3 P = ws->P[k], at = P + ws->o[l->segment];
            vec3 lin = point_acceleration(a, at - a->x) - point_acceleration(b, at - b->x);
            vec3 om = b->dw - a->dw - vec_cross(a->w, b->w);
            c = signed_c(l, six_twist_at(lin, -held_turn(S, l, om), P));
        }
        carry(ev, k, c, r);
    }
}
