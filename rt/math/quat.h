/* quat.h: unit quaternions (w, x, y, z), body to world, and rotation vectors. */
#ifndef QUAT_H
#define QUAT_H

#include "rt/math/vec.h"

typedef double quat __attribute__((vector_size(32)));

static inline quat quat_load(const double *p) { return (quat){p[0], p[1], p[2], p[3]}; }

/* a after b: the rotation b first, then a. */
static inline quat quat_mul(quat a, quat b)
{
    const quat s1 = {-1, 1, -1, 1}, s2 = {-1, 1, 1, -1}, s3 = {-1, -1, 1, 1};
    quat i = s1 * __builtin_shufflevector(b, b, 1, 0, 3, 2),
         j = s2 * __builtin_shufflevector(b, b, 2, 3, 0, 1);
    quat k = s3 * __builtin_shufflevector(b, b, 3, 2, 1, 0);
    return vec_splat(a[0]) * b + vec_splat(a[1]) * i + (vec_splat(a[2]) * j + vec_splat(a[3]) * k);
}

/* exp(rotation vector / 2). */
static inline quat quat_exp(vec3 th)
{
    double x = 0.25 * vec_dot(th, th), c, s; /* s = sin(|th|/2) / |th| */
    if (x < 0.25) {
        c = 1 -
            x * (1. / 2) *
                (1 - x * (1. / 12) *
                         (1 - x * (1. / 30) *
                                  (1 - x * (1. / 56) *
                                           (1 - x * (1. / 90) *
                                                    (1 - x * (1. / 132) * (1 - x * (1. / 182)))))));
        s = 0.5 *
            (1 - x * (1. / 6) *
                     (1 - x * (1. / 20) *
                              (1 - x * (1. / 42) *
                                       (1 - x * (1. / 72) *
                                                (1 - x * (1. / 110) * (1 - x * (1. / 156)))))));
    } else {
        double r = sqrt(x);
        c = cos(r);
        s = 0.5 * sin(r) / r;
    }
    return (quat){c, s * th[0], s * th[1], s * th[2]};
}

/* Scale to unit length. */
static inline quat quat_unit(quat q)
{
    quat p = q * q;
    return q * (1 / sqrt(p[0] + p[1] + p[2] + p[3]));
}

/* Rotation matrix, columns are the body axes in world: 2w (w, z, -y) + 2x (x, y, z) less
 * the unit matrix, and so on around. */
static inline struct mat3 quat_matrix(quat q)
{
    const vec3 s0 = {1, 1, -1, 0}, s1 = {-1, 1, 1, 0}, s2 = {1, -1, 1, 0}, all = {1, 1, 1, 0};
    quat d = q + q;
    vec3 w = vec_splat(d[0]), v = all * __builtin_shufflevector(q, q, 1, 2, 3, 0);
    return (struct mat3){{w * (s0 * __builtin_shufflevector(q, q, 0, 3, 2, 1)) +
                              (vec_splat(d[1]) * v - vec_make(1, 0, 0)),
                          w * (s1 * __builtin_shufflevector(q, q, 3, 0, 1, 2)) +
                              (vec_splat(d[2]) * v - vec_make(0, 1, 0)),
                          w * (s2 * __builtin_shufflevector(q, q, 2, 1, 0, 3)) +
                              (vec_splat(d[3]) * v - vec_make(0, 0, 1))}};
}

/* The rows of a 4x4 become its columns: four vectors of one body each become one vector
 * per component, a body in each lane; and back. */
static inline void quat_lanes(vec3 *a)
{
    vec3 x = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
    vec3 y = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    vec3 z = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
    vec3 w = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    a[0] = __builtin_shufflevector(x, z, 0, 1, 4, 5);
    a[1] = __builtin_shufflevector(y, w, 0, 1, 4, 5);
    a[2] = __builtin_shufflevector(x, z, 2, 3, 6, 7);
    a[3] = __builtin_shufflevector(y, w, 2, 3, 6, 7);
}

/* q = exp(th) q and its matrix R for four bodies at once. Needs: |th| < 1 rad.
 * The series of quat_exp, summed in pairs for a short chain of operations. */
static inline void quat_turn_four(vec3 *th, quat *q, struct mat3 *R)
{
    vec3 *t = th, *n = q;
    quat_lanes(t);
    quat_lanes(n);
    vec3 x = 0.25 * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), x2 = x * x, x4 = x2 * x2;
    vec3 c = (1 - x * (1. / 2)) + x2 * (1. / 24 - x * (1. / 720)) +
             x4 * ((1. / 40320 - x * (1. / 3628800)) +
                   x2 * (1. / 479001600 - x * (1. / 87178291200.)));
    vec3 s = 0.5 * ((1 - x * (1. / 6)) + x2 * (1. / 120 - x * (1. / 5040)) +
                    x4 * ((1. / 362880 - x * (1. / 39916800)) + x2 * (1. / 6227020800.)));
    vec3 ex = s * t[0], ey = s * t[1], ez = s * t[2];
    vec3 p[4] = {
        c * n[0] - ex * n[1] - ey * n[2] - ez * n[3], c * n[1] + ex * n[0] + ey * n[3] - ez * n[2],
        c * n[2] - ex * n[3] + ey * n[0] + ez * n[1], c * n[3] + ex * n[2] - ey * n[1] + ez * n[0]};
    vec3 X = p[1] + p[1], Y = p[2] + p[2], Z = p[3] + p[3];
    vec3 xx = X * p[1], yy = Y * p[2], zz = Z * p[3], xy = X * p[2], xz = X * p[3], yz = Y * p[3];
    vec3 wx = X * p[0], wy = Y * p[0], wz = Z * p[0];
    vec3 r[3][4] = {{1 - (yy + zz), xy + wz, xz - wy, vec_zero()},
                    {xy - wz, 1 - (xx + zz), yz + wx, vec_zero()},
                    {xz + wy, yz - wx, 1 - (xx + yy), vec_zero()}};
    quat_lanes(p);
    for (int j = 0; j < 3; j++) quat_lanes(r[j]);
    for (int i = 0; i < 4; i++) {
        q[i] = p[i];
        R[i] = (struct mat3){{r[0][i], r[1][i], r[2][i]}};
    }
}

#endif
