/* switches.h: from the switches of a source to those of a model. SERVICE context.
 * Needs: joints and sensors compiled. */
#ifndef SWITCHES_H
#define SWITCHES_H

#include "services/load/model/build.h"

/* Compile all switches. */
void switches_compile(struct build *b);

#endif
