/* admit.c: see admit.h. */
#include "rt/tick/admit.h"

#include <stdatomic.h>

#include "rt/rtsafe.h"

/* Shell sort: in place, no recursion, n <= ADMIT_SAMPLES. */
static void admit_sort(int64_t *v, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int64_t x = v[i];
            int k = i;
            for (; k >= gap && v[k - gap] > x; k -= gap) v[k] = v[k - gap];
            v[k] = x;
        }
}

static int64_t admit_step(struct admit *a, const struct step_limits *limits,
                          struct step_report *report)
{
    int64_t before = a->time.now(a->time.self);
    a->plant.type->step(a->plant.self, (double)a->period_ns / 1e9, a->command, limits, report);
    a->plant.type->sensors(a->plant.self, a->channel);
    return a->time.now(a->time.self) - before;
}

static int64_t admit_share(const struct admit *a, int n, int percent)
{
    return n > 0 ? a->sample[(n - 1) * percent / 100] : 0;
}

/* Steps on the grid until the time is up. A bad step ends it. */
static void admit_way(struct admit *a, const struct step_limits *limits, int64_t until,
                      struct admission_way *way, uint64_t *status)
{
    int64_t release = a->time.now(a->time.self);
    struct step_report report;
    int n = 0;

    while (n < ADMIT_SAMPLES && a->time.now(a->time.self) < until) {
        release += a->period_ns;
        a->time.sleep_until(a->time.self, release);
        a->sample[n++] = admit_step(a, limits, &report);
        if ((uint64_t)report.iterations > way->iterations)
            way->iterations = (uint64_t)report.iterations;
        way->redone += report.redone != 0;
        if (report.status > *status) *status = report.status;
        if (status_severity(report.status) == SEVERITY_BAD) break;
        release += (a->time.now(a->time.self) - release) / a->period_ns * a->period_ns;
    }
    admit_sort(a->sample, n);
    way->n = (uint64_t)n;
    way->median_ns = admit_share(a, n, 50);
    way->p99_ns = admit_share(a, n, 99);
    way->worst_ns = admit_share(a, n, 100);
}

void admit_measure(struct admit *a, struct admission *out)
{
    struct step_limits limits = a->plant.limits;
    struct step_report report;
    int64_t begin = a->time.now(a->time.self), part = a->limit_ns / (a->contacts ? 3 : 2);

    *out = (struct admission){.contacts = (uint64_t)a->contacts};
    limits.may_iterate = 0;
    limits.stamp = 0;
    a->plant.type->reset(a->plant.self);
    out->cold_ns = admit_step(a, &limits, &report);
    admit_way(a, &limits, begin + part, &out->runs, &out->status);
    limits.fixed = 1;
    admit_way(a, &limits, begin + 2 * part, &out->full, &out->status);
    out->bound_ns = out->full.p99_ns;
    if (a->contacts) {
        limits.longest = 1;
        admit_way(a, &limits, begin + 3 * part, &out->longest, &out->status);
        if (out->longest.p99_ns > out->bound_ns) out->bound_ns = out->longest.p99_ns;
    }
    a->plant.type->reset(a->plant.self);
    atomic_thread_fence(memory_order_release);
    out->done = 1;
}
