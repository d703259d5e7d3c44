/* cycle.h: one tick, and the loop of ticks.
 *
 * System calls of the loop: those of the timebase, nothing else. */
#ifndef CYCLE_H
#define CYCLE_H

#include "rt/tick/tick.h"

/* Sleep to the next release and do one tick. Returns 0 when it was the last. */
int cycle_tick(struct tick *t);

/* Tick until told to end. Blocks: for ever, on its timebase. */
void cycle_run(struct tick *t);

#endif
