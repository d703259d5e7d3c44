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
    quat i = s1 * __builtin_shufflevector(b, b, 1, 0, 3, 2), j = s2 * __builtin_shufflevector(b, b, 2, 3, 0, 1);
    quat k = s3 * __builtin_shufflevector(b, b, 3, 2, 1, 0);
    return vec_splat(a[0]) * b + vec_splat(a[1]) * i + (vec_splat(a[2]) * j + vec_splat(a[3]) * k);
}

/* exp(rotation vector / 2). */
static inline quat quat_exp(vec3 th)
{
    double x = 0.25 * vec_dot(th, th), c, s; /* s = sin(|th|/2) / |th| */
    if (x < 0.25) {
        c = 1 - x * (1. / 2) *
                    (1 - x * (1. / 12) *
                             (1 - x * (1. / 30) *
                                      (1 - x * (1. / 56) *
                                               (1 - x * (1. / 90) *
                                                        (1 - x * (1. / 132) * (1 - x * (1. / 182)))))));
        s = 0.5 * (1 - x * (1. / 6) *
                           (1 - x * (1. / 20) *
                                    (1 - x * (1. / 42) *
                                             (1 - x * (1. / 72) *
                                                      (1 - x * (1. / 110) *
                                                               (1 - x * (1. / 156)))))));
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
    return (struct mat3){{w * (s0 * __builtin_shufflevector(q, q, 0, 3, 2, 1)) + (vec_splat(d[1]) * v - vec_make(1, 0, 0)),
                          w * (s1 * __builtin_shufflevector(q, q, 3, 0, 1, 2)) + (vec_splat(d[2]) * v - vec_make(0, 1, 0)),
                          w * (s2 * __builtin_shufflevector(q, q, 2, 1, 0, 3)) + (vec_splat(d[3]) * v - vec_make(0, 0, 1))}};
}

#endif
