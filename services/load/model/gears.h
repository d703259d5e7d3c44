/* gears.h: gears and racks, sums over coordinates of other joints. SERVICE context. */
#ifndef GEARS_H
#define GEARS_H

#include "rt/mech/joint.h"
#include "services/load/model/build.h"

/* Compile a gear or rack into joint i: its terms. Needs: all other joints done. */
void gears_compile(struct element *el, const struct joint_type *t, size_t i);

#endif
