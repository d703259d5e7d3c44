/* rtclock.h: real time: CLOCK_MONOTONIC by the vDSO, clock_nanosleep to an absolute
 * time, getrusage of the calling thread. Stateless. */
#ifndef RTCLOCK_H
#define RTCLOCK_H

#include "rt/time/timebase.h"

/* The real timebase. Context: any; the functions serve the calling thread. */
struct timebase rtclock_init(void);

#endif
