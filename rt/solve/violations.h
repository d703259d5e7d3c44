/* violations.h: by how much the joints are violated, row by row, tree joints included.
 * RT context, wait-free. */
#ifndef VIOLATIONS_H
#define VIOLATIONS_H

#include "rt/solve/evaluate.h"

/* Largest |row| of joint j (sums and its driven coordinates included) at a level, with
 * kin as it stands. Radians are taken as they are. Needs: coordinates evaluated. */
double violations_joint(const struct evaluation *ev, int joint, enum evaluate_level level);

/* Largest over all joints; *joint (may be NULL) says which. Redundant rows are left out
 * when `independent`. */
double violations_largest(const struct evaluation *ev, enum evaluate_level level, int independent,
                          int *joint);

#endif
