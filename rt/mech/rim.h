/* rim.h: where a thin wheel touches a plane, at every inclination.
 *
 * Problem: circle of radius 1 about the centre, axle z, plane normal n. Its lowest point lies in
 * the direction (n.z) z - n, of length s = sin(inclination), and reaches s below the centre.
 * Lying flat (s = 0) the circle has no lowest point and the contact runs around it: there the
 * reach is rounded off, g(s) = s0/2 + s²/(2 s0) below s0, and the point of contact moves
 * inwards with the gradient g'(s) = s/s0, to the centre when flat. Depth and point stay the
 * function and its gradient, so that a contact gives back what it takes.
 * RT context. Pure. */
#ifndef RIM_H
#define RIM_H

#include "rt/math/vec.h"

static const double RIM_FLAT = 0.02; /* s0, rad */

struct rim {
    vec3 down;    /* from the centre to the point of contact, of a wheel of radius 1 */
    double reach; /* how far that is below the centre, g(s) */
};

static inline struct rim rim_below(vec3 n, vec3 z)
{
    vec3 d = z * vec_splat(vec_dot(n, z)) - n;
    double s = vec_norm(d);
    if (s < RIM_FLAT)
        return (struct rim){d * vec_splat(1 / RIM_FLAT), 0.5 * RIM_FLAT + 0.5 * s * s / RIM_FLAT};
    return (struct rim){d * vec_splat(1 / s), s};
}

#endif
