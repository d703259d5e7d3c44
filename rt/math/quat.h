/* quat.h: unit quaternions (w, x, y, z), body to world, and rotation vectors. */
#ifndef QUAT_H
#define QUAT_H

#include "rt/math/vec.h"

typedef double quat __attribute__((vector_size(32)));

static inline quat quat_load(const double *p) { return (quat){p[0], p[1], p[2], p[3]}; }

/* a after b: the rotation b first, then a. */
static inline quat quat_mul(quat a, quat b)
{
    return (quat){a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
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

/* Rotation matrix, columns are the body axes in world. */
static inline struct mat3 quat_matrix(quat q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    double wx = w * x, wy = w * y, wz = w * z;
    return (struct mat3){{{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy), 0},
                          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx), 0},
                          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy), 0}}};
}

#endif
