/* vclock.c: see vclock.h. */
#include "rt/time/vclock.h"

#include <time.h>

#include "rt/rtsafe.h"

enum { VCLOCK_SECOND = 1000000000 };

static int64_t vclock_now(void *self) { return ((struct vclock *)self)->now_ns; }

static void vclock_burn_until(void *self, int64_t until_ns)
{
    struct vclock *v = self;
    if (v->now_ns < until_ns) v->now_ns = until_ns;
}

static void vclock_sleep_until(void *self, int64_t until_ns)
{
    struct vclock *v = self;

    if (v->now_ns < until_ns) {
        v->now_ns = until_ns;
        v->usage.voluntary++;
    }
    v->now_ns += v->wake_late_ns;
    v->wake_late_ns = 0;
    if (v->nap_ns > 0 && !*v->working) {
        struct timespec until; /* absolute: a stopped and continued process may not restart it */
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += v->nap_ns;
        if (until.tv_nsec >= VCLOCK_SECOND) {
            until.tv_sec++;
            until.tv_nsec -= VCLOCK_SECOND;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
}

static void vclock_usage(void *self, struct timebase_usage *usage)
{
    *usage = ((struct vclock *)self)->usage;
}

struct timebase vclock_init(struct vclock *v, int64_t now_ns)
{
    *v = (struct vclock){.now_ns = now_ns};
    return (struct timebase){.self = v,
                             .now = vclock_now,
                             .sleep_until = vclock_sleep_until,
                             .burn_until = vclock_burn_until,
                             .usage = vclock_usage};
}
