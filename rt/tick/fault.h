/* fault.h: inserted faults of sensors, actuators and time, addressed by step number.
 * RT context, wait-free. */
#ifndef FAULT_H
#define FAULT_H

#include "rt/tick/tick.h"

/* Keep the fault of a request of this service. Returns REPLY_DONE and its slot, or why not. */
enum reply_result fault_insert(struct tick *t, const struct request *request, uint32_t service,
                               uint64_t *slot);

/* Clear one slot, or all with -1. */
enum reply_result fault_clear(struct tick *t, int32_t slot);

/* Begin and end faults for the step about to be made (number t->step + 1). */
void fault_advance(struct tick *t);

/* Busy time the faults and injections add to this step, ns. */
int64_t fault_busy_ns(struct tick *t);

/* 1 while a fault cuts the writes to an actuator off. */
int fault_cuts(const struct tick *t, uint32_t actuator);

/* From what is asked of the actuators to what they do, in their range. */
void fault_actuators(struct tick *t);

/* From raw to shown channels, and their flags. `stepped`: a new step was made. */
void fault_sensors(struct tick *t, int stepped);

/* Bit i: slot i is in use. */
uint32_t fault_mask(const struct tick *t);

#endif
