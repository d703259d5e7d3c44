/* apply.h: from latched commands to what the plant gets.
 *
 * Per actuator: timeout of its writes (stream authority), safe action (zero, hold,
 * ramp), stuck faults, range once more, SI. RT context, wait-free. */
#ifndef APPLY_H
#define APPLY_H

#include "rt/tick/tick.h"

/* Compute applied and command_si for this tick. */
void apply_commands(struct tick *t);

/* Begin the safe action of all actuators that follow commands; `idle_too`: also of
 * those that never had one. */
void apply_make_safe(struct tick *t, int idle_too);

/* Back to the start commands; counters stay seen. */
void apply_reset(struct tick *t);

/* 1 while an actuator is on its way to its safe value. */
int apply_is_ramping(const struct tick *t);

#endif
