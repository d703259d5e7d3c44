/* policy.h: what a miss leads to.
 *
 * A miss is a publish at or after release + deadline. skipped = floor((end -
 * release) / h) slots are dropped, never caught up in a burst. After `skip`, `hold`
 * and `stop` the next step covers min(skipped + 1, 2) periods, after `finish-late`
 * always one; the rest is lost time and counted. RT context, wait-free. */
#ifndef POLICY_H
#define POLICY_H

#include "rt/tick/tick.h"

/* 1 if ending now would be a miss; always 0 without deadlines (lockstep, free). */
int policy_is_miss(const struct tick *t, int64_t end_ns);

/* Judge the tick that ended at t->end_ns: missed, skipped, span of the next step,
 * trips. */
void policy_judge(struct tick *t);

/* Forget misses in a row and the window (start, reset). */
void policy_reset(struct tick *t);

#endif
