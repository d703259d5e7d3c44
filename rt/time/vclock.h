/* vclock.h: virtual time. Sleeping jumps to the wanted moment, working takes what
 * the plant or an injection says it takes. Exact and repeatable: for tests, and for
 * pace `free`. A single thread's object. */
#ifndef VCLOCK_H
#define VCLOCK_H

#include "rt/time/timebase.h"

struct vclock {
    int64_t now_ns;
    int64_t wake_late_ns;        /* added to the next sleep, then 0 */
    struct timebase_usage usage; /* what the next usage() reports */
    int64_t nap_ns;              /* > 0: really sleep so long ... */
    const uint32_t *working;     /* ... where this is 0 (pace free: nothing moves) */
};

/* Virtual time that begins at now_ns. */
struct timebase vclock_init(struct vclock *v, int64_t now_ns);

#endif
