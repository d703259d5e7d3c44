/* rtclock.c: see rtclock.h. */
#include "rt/time/rtclock.h"

#include <sys/resource.h>
#include <time.h>

#include "rt/rtsafe.h"

enum { RTCLOCK_NS = 1000000000 };

static int64_t rtclock_now(void *self)
{
    struct timespec t;
    (void)self;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * RTCLOCK_NS + t.tv_nsec;
}

static void rtclock_sleep_until(void *self, int64_t until_ns)
{
    struct timespec t = {.tv_sec = until_ns / RTCLOCK_NS, .tv_nsec = until_ns % RTCLOCK_NS};
    (void)self;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        continue; /* a debugger's signal */
}

static void rtclock_burn_until(void *self, int64_t until_ns)
{
    while (rtclock_now(self) < until_ns) continue;
}

static void rtclock_usage(void *self, struct timebase_usage *usage)
{
    struct rusage u;
    (void)self;
    getrusage(RUSAGE_THREAD, &u);
    *usage = (struct timebase_usage){.minor = u.ru_minflt,
                                     .major = u.ru_majflt,
                                     .voluntary = u.ru_nvcsw,
                                     .involuntary = u.ru_nivcsw};
}

struct timebase rtclock_init(void)
{
    return (struct timebase){.now = rtclock_now,
                             .sleep_until = rtclock_sleep_until,
                             .burn_until = rtclock_burn_until,
                             .usage = rtclock_usage};
}
