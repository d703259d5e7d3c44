/* jointkin.h: one joint at the present iterate: what it holds, what it leaves free.
 *
 * Symbols: A first body, B second; P_B the joint point on B; d = P_B - P_A;
 * x_A y_A z_A, x_B y_B z_B the joint frames' axes in world; a twist is taken about
 * the reference point o. Rows are wrenches w at P_B with G_B = w, G_A = -w
 * (primitives dot1, dot2, distance: the point joint is three dot2 rows along A's
 * axes). Relative motion as seen from A:
 *   d'  = v(P_B) - v(A at P_B),   Om  = w_B - w_A,
 *   d'' = a(P_B) - a(A at P_B) - 2 w_A x d',   Om' = al_B - al_A - w_A x Om.
 * RT context, wait-free. */
#ifndef JOINTKIN_H
#define JOINTKIN_H

#include "rt/mech/function.h"
#include "rt/mech/kin.h"
#include "rt/mech/plan.h"

struct jointkin {
    const struct plan_joint *j;
    vec3 p;               /* P_B - o */
    vec3 d;               /* P_B - P_A */
    vec3 sa, sb;          /* arms from the mass centres */
    vec3 xa, ya, za;      /* axes of A's joint frame, world */
    vec3 xb, yb, zb;
    double length;        /* distance joint: L, and its rates */
    double length_d1, length_d2;
    double angle;         /* screw: its angle, unwrapped by the caller */
};

/* Place the joint: arms, frames, violation vector d. */
void jointkin_place(struct jointkin *k, const struct plan_joint *j, const struct kin *a,
                    const struct kin *b, vec3 o, struct jet length);

/* The same with all six axes, which cuts and coordinates need. */
void jointkin_place_full(struct jointkin *k, const struct plan_joint *j, const struct kin *a,
                         const struct kin *b, vec3 o, struct jet length);

/* Free directions of the type in S[0 .. n_free-1] (translations, then rotations). */
void jointkin_free(const struct jointkin *k, struct six *S);

/* Twist c that removes the violation of the held directions: B must move by c. */
struct six jointkin_close_position(const struct jointkin *k);
struct six jointkin_close_velocity(const struct jointkin *k, const struct kin *a,
                                   const struct kin *b);
struct six jointkin_close_acceleration(const struct jointkin *k, const struct kin *a,
                                       const struct kin *b);

/* Rows: wrenches w[n_rows] and their values at each level. */
void jointkin_rows(const struct jointkin *k, struct six *w, double *phi);
void jointkin_rows_velocity(const struct jointkin *k, const struct kin *a, const struct kin *b,
                            double *value);
void jointkin_rows_acceleration(const struct jointkin *k, const struct kin *a, const struct kin *b,
                                double *value);

/* Coordinate `which`: value (angles in (-pi, pi]), rate, row and bias. */
struct coord jointkin_coordinate(const struct jointkin *k, const struct kin *a, const struct kin *b,
                                 int which);

/* Column of S that belongs to coordinate `which`. */
int jointkin_column(const struct joint_type *t, int which);

/* theta + 2 pi n nearest to the reference. */
double jointkin_unwrap(double raw, double reference);

#endif
