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
    return a->time.now(a->time.self) - before;
}

/* Steps on the grid until the time is up; returns how many. A bad step ends it. */
static int admit_run(struct admit *a, const struct step_limits *limits, int64_t until,
                     uint64_t *iterations, enum status *status)
{
    int64_t release = a->time.now(a->time.self);
    struct step_report report;
    int n = 0;

    while (n < ADMIT_SAMPLES && a->time.now(a->time.self) < until) {
        release += a->period_ns;
        a->time.sleep_until(a->time.self, release);
        a->sample[n++] = admit_step(a, limits, &report);
        if ((uint64_t)report.iterations > *iterations) *iterations = (uint64_t)report.iterations;
        if (report.status > *status) *status = report.status;
        if (status_severity(report.status) == SEVERITY_BAD) break;
        if (release < a->time.now(a->time.self)) release = a->time.now(a->time.self);
    }
    admit_sort(a->sample, n);
    return n;
}

static int64_t admit_share(const struct admit *a, int n, int percent)
{
    return n > 0 ? a->sample[(n - 1) * percent / 100] : 0;
}

void admit_measure(struct admit *a, struct admission *out)
{
    struct step_limits limits = a->plant.limits;
    struct step_report report;
    int64_t begin = a->time.now(a->time.self);
    enum status status = STATUS_OK;
    int n;

    *out = (struct admission){.contacts = (uint64_t)a->contacts};
    limits.may_iterate = 0;
    limits.stamp = 0;
    a->plant.type->reset(a->plant.self);
    out->cold_ns = admit_step(a, &limits, &report);
    n = admit_run(a, &limits, begin + a->limit_ns / 2, &out->iterations, &status);
    out->n = (uint64_t)n;
    out->median_ns = admit_share(a, n, 50);
    out->p99_ns = admit_share(a, n, 99);
    out->worst_ns = admit_share(a, n, 100);
    limits.fixed = 1;
    n = admit_run(a, &limits, begin + a->limit_ns, &out->iterations_full, &status);
    out->full_median_ns = admit_share(a, n, 50);
    out->full_p99_ns = admit_share(a, n, 99);
    out->full_worst_ns = admit_share(a, n, 100);
    out->bound_ns = a->contacts ? out->full_p99_ns * 5 / 2 : out->full_p99_ns;
    out->status = status;
    a->plant.type->reset(a->plant.self);
    atomic_thread_fence(memory_order_release);
    out->done = 1;
}
