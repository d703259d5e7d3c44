/* forces.h: from the forces and actuators of a source to those of a model. An
 * actuator makes one force element that obeys its command.
 * SERVICE context. Needs: bodies and joints compiled. */
#ifndef FORCES_H
#define FORCES_H

#include "services/load/model/build.h"

/* Compile all forces, then all actuators: force i is element i of the first, force
 * n_forces + i element i of the second. A wrong one keeps type -1. */
void forces_compile(struct build *b);

/* Let the elements find their own defaults at the start pose, in the finished block. */
void forces_start(struct model *m);

#endif
