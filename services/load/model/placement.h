/* placement.h: where a component stands: mirrored first, then turned, then moved.
 *
 * Points and forces are polar vectors, angular velocities, torques and axes of
 * rotation axial ones: under a mirror they keep the sense of the turning motion.
 * Pure; any context. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

struct placement {
    double x[3];  /* m, origin of the component in the world */
    double q[4];  /* attitude, (w, x, y, z) */
    int mirror;   /* 0, 1, 2: that axis of the component is reversed; -1: none */
};

/* The component stands in the world itself. */
struct placement placement_none(void);

/* What stands at `inner` inside what stands at `outer`. */
struct placement placement_compose(const struct placement *outer, const struct placement *inner);

/* Component to world: a point, a polar and an axial vector. In and out may be the
 * same. */
void placement_point(const struct placement *p, const double in[3], double out[3]);
void placement_polar(const struct placement *p, const double in[3], double out[3]);
void placement_axial(const struct placement *p, const double in[3], double out[3]);

/* The attitude of a body of the component; a mirrored body keeps right-handed axes,
 * its own axis `mirror` is the one reversed. */
void placement_attitude(const struct placement *p, const double in[4], double out[4]);

/* The inertia of such a body in its own axes, row-major 3x3. */
void placement_inertia(const struct placement *p, double inertia[9]);

#endif
