/* sensors.h: from the sensors of a source to those of a model. SERVICE context.
 * Needs: bodies, joints and forces compiled. */
#ifndef SENSORS_H
#define SENSORS_H

#include "services/load/model/build.h"

/* Compile all sensors and number their channels. */
void sensors_compile(struct build *b);

#endif
