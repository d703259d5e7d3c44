/* timebase.h: time as an input of the tick. An object of functions, real
 * (rtclock.h) or virtual (vclock.h); the tick knows no other source of time and no
 * other view of its own thread. Defaults: RT context. */
#ifndef TIMEBASE_H
#define TIMEBASE_H

#include <stdint.h>

/* What the system did to the thread since it began. */
struct timebase_usage {
    int64_t minor, major;           /* page faults */
    int64_t voluntary, involuntary; /* switches */
};

struct timebase {
    void *self;
    int64_t (*now)(void *self);                        /* ns, monotonic */
    void (*sleep_until)(void *self, int64_t until_ns); /* gives up the core */
    void (*burn_until)(void *self, int64_t until_ns);  /* keeps the core busy */
    void (*usage)(void *self, struct timebase_usage *usage);
};

#endif
