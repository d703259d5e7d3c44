/* project.h: velocities and accelerations on the constraints, by mass-orthogonal projection
 * with Newton's tangent (MFC 13, 14 and 19 to 22).
 * RT context, wait-free. */
#ifndef PROJECT_H
#define PROJECT_H

#include "rt/solve/evaluate.h"
#include "rt/solve/step.h"

/* The final configuration in kin and a factor to project with: that of the last iterate where
 * Newton has converged and nobody needs more, else one made here. Returns the free directions
 * at the final configuration, or NULL where the factor is singular. */
const struct six *project_prepare(const struct evaluation *ev, const struct step_limits *limits,
                                  const struct step_report *report);

/* kin.v, kin.w onto G v + Phi_t = 0. S: what project_prepare returned. */
void project_velocities(const struct evaluation *ev, const struct six *S);

/* kin.dv, kin.dw onto G a + gamma = 0; multipliers into kappa_k. Needs: velocities projected. */
void project_accelerations(const struct evaluation *ev, const struct six *S);

#endif
