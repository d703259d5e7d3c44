/* latch.h: command frames in.
 *
 * Copies the newest frame of the service that holds the lease, and only then looks
 * at the copy: lease number, then per actuator a changed counter, then finite and
 * in range. RT context, wait-free, bounded by the number of actuators. */
#ifndef LATCH_H
#define LATCH_H

#include "rt/tick/tick.h"

/* Notice restarted services: their cursors begin anew. */
void latch_epochs(struct tick *t);

/* Take the commands of the current lease. */
void latch_commands(struct tick *t);

/* A lease was granted to `service`: what it wrote before is not fresh. */
void latch_baseline(struct tick *t, uint32_t service);

#endif
