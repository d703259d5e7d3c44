/* six.h: twists and wrenches as two 3-vectors (linear, angular), and 6x6 matrices
 * as six padded columns. A twist is (velocity of the reference point, omega), a
 * wrench (force, moment about the reference point). Any context. */
#ifndef SIX_H
#define SIX_H

#include "rt/math/vec.h"

struct six {
    vec3 l, a;
};

/* Column j of a 6x6 is six[j]; symmetric where the text says so. */
struct mat6 {
    struct six c[6];
};

static inline struct six six_zero(void) { return (struct six){vec_zero(), vec_zero()}; }
static inline struct six six_add(struct six x, struct six y)
{
    return (struct six){x.l + y.l, x.a + y.a};
}
static inline struct six six_sub(struct six x, struct six y)
{
    return (struct six){x.l - y.l, x.a - y.a};
}
static inline struct six six_scale(double k, struct six x)
{
    return (struct six){vec_splat(k) * x.l, vec_splat(k) * x.a};
}
/* k x + y */
static inline struct six six_axpy(double k, struct six x, struct six y)
{
    vec3 kk = vec_splat(k);
    return (struct six){kk * x.l + y.l, kk * x.a + y.a};
}
static inline double six_dot(struct six x, struct six y)
{
    vec3 p = x.l * y.l + x.a * y.a;
    return p[0] + p[1] + p[2];
}
/* Component i, 0..5. */
static inline double six_get(struct six x, int i) { return i < 3 ? x.l[i] : x.a[i - 3]; }

/* A twist (lin, ang) given at point p (from the reference point), about the
 * reference point: lin_o = lin_p + p x ang. */
static inline struct six six_twist_at(vec3 lin_p, vec3 ang, vec3 p)
{
    return (struct six){lin_p + vec_cross(p, ang), ang};
}
/* Velocity of the point p of the field: lin_o + ang x p. */
static inline vec3 six_point(struct six t, vec3 p) { return t.l + vec_cross(t.a, p); }
/* A force f at p and a free moment m, as wrench about the reference point. */
static inline struct six six_wrench_at(vec3 f, vec3 m, vec3 p)
{
    return (struct six){f, m + vec_cross(p, f)};
}

/* y = M x, M symmetric or by columns. */
static inline struct six mat6_mul(const struct mat6 *m, struct six x)
{
    vec3 l0 = m->c[0].l * vec_splat(x.l[0]), a0 = m->c[0].a * vec_splat(x.l[0]);
    vec3 l1 = m->c[1].l * vec_splat(x.l[1]), a1 = m->c[1].a * vec_splat(x.l[1]);
    l0 += m->c[2].l * vec_splat(x.l[2]), a0 += m->c[2].a * vec_splat(x.l[2]);
    l1 += m->c[3].l * vec_splat(x.a[0]), a1 += m->c[3].a * vec_splat(x.a[0]);
    l0 += m->c[4].l * vec_splat(x.a[1]), a0 += m->c[4].a * vec_splat(x.a[1]);
    l1 += m->c[5].l * vec_splat(x.a[2]), a1 += m->c[5].a * vec_splat(x.a[2]);
    return (struct six){l0 + l1, a0 + a1};
}

static inline void mat6_zero(struct mat6 *m)
{
    for (int j = 0; j < 6; j++) m->c[j] = six_zero();
}

static inline void mat6_add(struct mat6 *m, const struct mat6 *n)
{
    for (int j = 0; j < 6; j++) m->c[j] = six_add(m->c[j], n->c[j]);
}

static inline void mat6_sub(struct mat6 *m, const struct mat6 *n)
{
    for (int j = 0; j < 6; j++) m->c[j] = six_sub(m->c[j], n->c[j]);
}

/* Column j += x_j k y, i.e. M += k y x'. */
static inline void mat6_outer(struct mat6 *m, double k, struct six y, struct six x)
{
    struct six z = six_scale(k, y);
    for (int j = 0; j < 3; j++) m->c[j] = six_axpy(x.l[j], z, m->c[j]);
    for (int j = 0; j < 3; j++) m->c[3 + j] = six_axpy(x.a[j], z, m->c[3 + j]);
}

/* M += k w w'. */
static inline void mat6_rank1(struct mat6 *m, double k, struct six w) { mat6_outer(m, k, w, w); }

static inline double mat6_get(const struct mat6 *m, int i, int j) { return six_get(m->c[j], i); }

static inline void mat6_put(struct mat6 *m, int i, int j, double v)
{
    if (i < 3)
        m->c[j].l[i] = v;
    else
        m->c[j].a[i - 3] = v;
}

#endif
