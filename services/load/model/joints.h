/* joints.h: from the joints and motions of a source to those of a model.
 * SERVICE context. Needs: bodies_compile before. */
#ifndef JOINTS_H
#define JOINTS_H

#include "services/load/model/build.h"

/* Compile all joints, in order; then gears, which name other joints. A wrong one is
 * reported and keeps type -1. */
void joints_compile(struct build *b);

/* Compile the prescribed motions. */
void joints_compile_motions(struct build *b);

#endif
