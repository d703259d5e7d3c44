/* rotation.h: attitudes as files write them. SERVICE context. */
#ifndef ROTATION_H
#define ROTATION_H

#include "services/load/text/value.h"

/* Read {axis, angle}, {quaternion} or {rpy}, or a list of them done one after the
 * other about fixed axes, as a unit quaternion. Returns 0 after a message. */
int rotation_read(const struct value_reader *r, const struct node *node, const char *what,
                  double q[4]);

#endif
