/* monitor.h: the deadline monitor: accounts, histograms, maxima, counters.
 *
 * Written after publishing, < 2 us. A reset clears one series per tick, so that no
 * tick is burdened by it. RT context, wait-free. */
#ifndef MONITOR_H
#define MONITOR_H

#include "rt/tick/tick.h"

/* Account for this tick: usage, cause, ring, histograms, counters. */
void monitor_account(struct tick *t);

/* Begin to clear the statistics. */
void monitor_reset(struct tick *t);

#endif
