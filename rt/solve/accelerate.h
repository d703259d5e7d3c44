/* accelerate.h: accelerations and joint wrenches at a given position and velocity.
 * [M G'; G -1/alpha'][a; lambda] = [f - w x Jw; -gamma], metric M, independent rows
 * only. RT context, wait-free. */
#ifndef ACCELERATE_H
#define ACCELERATE_H

#include "rt/solve/evaluate.h"

/* Evaluate all at the motion in kin and factor it with ev's weights. Returns the smallest
 * pivot. */
double accelerate_factor(const struct evaluation *ev);

/* Accelerations of the accepted state at ev->t into a[n], multipliers into lambda_k.
 * Uses the scratch; leaves kin at the accepted state with these accelerations.
 * Returns the smallest pivot (not > 0: singular). Cost: one factor, three solves. */
double accelerate_solve(const struct evaluation *ev, struct six *a);

/* Change velocities of the accepted state (in kin, from accelerate's place) so that
 * all rows hold at velocity level, smallest change in the metric M. Returns the
 * smallest pivot. */
double accelerate_jump(const struct evaluation *ev);

/* Wrench of every tree joint on its child, about the child's mass centre, after the
 * acceleration projection of a step: W = sum over the subtree of
 * (M a + w x Jw - f + G'(lambda + kappa) + M~ da). Writes ws->wrench. */
void accelerate_wrenches(const struct evaluation *ev);

#endif
