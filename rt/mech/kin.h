/* kin.h: the motion of a body and of a joint coordinate, as elements see them. */
#ifndef KIN_H
#define KIN_H

#include "rt/math/quat.h"
#include "rt/math/six.h"

/* Motion of a body at the present iterate; ground is all zero with R = 1. */
struct kin {
    vec3 x;        /* m, mass centre, world */
    struct mat3 R; /* body to world */
    vec3 v, w;     /* m/s, rad/s, world */
    vec3 dv, dw;   /* m/s2, rad/s2, world */
};

/* A joint coordinate at the present iterate. */
struct coord {
    double q, qd;     /* rad or m, and rate */
    struct six row;   /* dq = row . (twist_B - twist_A), about o */
    double bias;      /* qdd = row . (a_B - a_A) + bias */
};

/* World position, velocity of a point given in body axes. */
static inline vec3 kin_arm(const struct kin *k, const double *local)
{
    return mat3_mul(&k->R, vec_load(local));
}
static inline vec3 kin_velocity(const struct kin *k, vec3 arm)
{
    return k->v + vec_cross(k->w, arm);
}

#endif
