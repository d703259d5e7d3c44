/* latency.h: wake-up latencies as histograms with bins of 1 us, of three contenders on
 * one core: a bare loop of our own, a rig's real step process, and cyclictest.
 * SERVICE context; each measurement blocks for as long as it is told. */
#ifndef LATENCY_H
#define LATENCY_H

#include <signal.h>
#include <stdint.h>

#include "rt/link/account.h"
#include "services/run/rig_setup.h"

struct latency {
    const char *name;
    uint64_t n, overflow;
    int64_t max_us;
    uint64_t bin[MONITOR_BINS];
};

/* How to measure. */
struct latency_set {
    int core, priority;
    double period;                 /* s */
    const volatile sig_atomic_t *stop;
    /* called some times a second with the slice's largest latency so far; may be NULL */
    void (*progress)(void *context, int64_t max_us);
    void *progress_context;
};

/* latency_rig also adds to *results (may be NULL) how long from the release to the result.
 * Add what a slice of so many seconds gives. Each returns a status and leaves the
 * histogram alone on failure. */
MUST_CHECK enum status latency_bare(const struct latency_set *set, double seconds,
                                    struct latency *l);
MUST_CHECK enum status latency_rig(const struct latency_set *set, struct rig_setup *rig,
                                   double seconds, struct latency *l, struct latency *results);
MUST_CHECK enum status latency_cyclictest(const struct latency_set *set, double seconds,
                                          struct latency *l);

/* The latency (us) below which this share of the samples lies. */
int64_t latency_share(const struct latency *l, double share);

/* Start stress-ng: cpu, io or all. Returns its pid, 0 for none, -1 after a message. */
pid_t latency_load_start(const char *what);
void latency_load_stop(pid_t pid);

#endif
