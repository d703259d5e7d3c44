/* cause.h: why a deadline was missed.
 *
 * Stamps divide the tick into blocks (the phases, and inside the step at most 5 us
 * of plan). Each block's warm maximum is learned over clean ticks: the second
 * largest of the first CAUSE_LEARN, then whatever stays below the threshold of a
 * hole. RT context, wait-free. */
#ifndef CAUSE_H
#define CAUSE_H

#include "rt/tick/tick.h"

/* The tick woke at t->wake_ns. */
void cause_begin(struct tick *t);

/* End of a phase: its gap, from the stamp before, and its length into the account.
 * Returns now. */
int64_t cause_phase(struct tick *t, enum phase phase);

/* Between blocks of the step; struct step_limits.stamp. */
void cause_stamp(void *tick);

/* May Newton go on? struct step_limits.may_iterate: not if, by what it took so
 * far, the end of the tick would fall after the deadline. */
int cause_may_iterate(void *tick, int done);

/* Name the cause of this tick's miss in t->account (usage already there), or learn
 * from a clean tick. */
void cause_judge(struct tick *t);

#endif
