/* monitor.c: see monitor.h. The monitor is shared memory that others only read: each
 * value is one aligned word, written by this thread alone. */
#include "rt/tick/monitor.h"

#include <string.h>

#include "rt/tick/cause.h"

#include "rt/rtsafe.h"

enum { MONITOR_NS_PER_S = 1000000000, MONITOR_NS_PER_US = 1000 };

static void monitor_sample(const struct tick *t, uint32_t series, int64_t ns)
{
    struct monitor *m = t->monitor;
    struct monitor_series *s = &m->series[series];
    uint64_t second = m->second % MONITOR_SECONDS;
    int64_t us = ns / MONITOR_NS_PER_US;

    if (us < 0) us = 0;
    if (us < MONITOR_BINS)
        s->bin[us]++;
    else
        s->overflow++;
    s->n++;
    s->sum_ns += (uint64_t)(ns > 0 ? ns : 0);
    s->last_ns = ns;
    if (ns > s->max_ns) {
        s->max_ns = ns;
        s->max_tick = t->tick;
        s->max_step = t->step;
    }
    if (ns > s->second_max_ns[second]) {
        s->second_max_ns[second] = ns;
        s->second_step[second] = t->step;
    }
}

/* Begin the next second's maxima; seconds without a tick are empty. */
static void monitor_seconds(struct tick *t)
{
    struct monitor *m = t->monitor;
    uint64_t now = (uint64_t)((t->release_ns - t->config->start_ns) / MONITOR_NS_PER_S);

    if (now > m->second + MONITOR_SECONDS) m->second = now - MONITOR_SECONDS;
    while (m->second < now) {
        m->second++;
        for (int i = 0; i < SERIES_COUNT; i++)
            m->series[i].second_max_ns[m->second % MONITOR_SECONDS] = 0;
    }
}

/* Clear one series per tick; the counters go with the last one. */
static void monitor_clear(struct tick *t)
{
    struct monitor *m = t->monitor;

    if (m->clearing == 0) return;
    m->clearing--;
    memset(&m->series[m->clearing], 0, sizeof m->series[0]);
    if (m->clearing > 0) return;
    m->ticks = m->steps = m->misses = m->skipped = m->held = m->trips = m->timeouts = 0;
    m->late_wakes = m->budget_stops = m->not_converged = 0;
    m->refused_commands = m->refused_requests = m->lost_slots = m->iterations_max = 0;
    m->minor = m->major = m->voluntary = m->involuntary = m->no_sleeps = 0;
    memset(m->cause, 0, sizeof m->cause);
    memset(m->cause_phase, 0, sizeof m->cause_phase);
    m->resets++;
}

void monitor_reset(struct tick *t) { t->monitor->clearing = SERIES_COUNT; }

static void monitor_usage(struct tick *t)
{
    struct account *a = &t->account;
    struct monitor *m = t->monitor;
    struct timebase_usage now, *last = &t->usage;

    t->time.usage(t->time.self, &now);
    a->minor = (uint32_t)(now.minor - last->minor);
    a->major = (uint32_t)(now.major - last->major);
    a->voluntary = (uint32_t)(now.voluntary - last->voluntary);
    a->involuntary = (uint32_t)(now.involuntary - last->involuntary);
    m->minor += a->minor;
    m->major += a->major;
    m->voluntary += a->voluntary;
    m->involuntary += a->involuntary;
    a->unasked = a->voluntary > t->sleeps ? a->voluntary - t->sleeps : 0;
    t->sleeps = 0;
    *last = now;
}

static void monitor_fill(struct tick *t)
{
    struct account *a = &t->account;

    a->tick = t->tick;
    a->slot = t->slot;
    a->step = t->step;
    a->release_ns = t->release_ns;
    a->wake_ns = t->wake_ns - t->release_ns;
    a->end_ns = t->end_ns - t->release_ns;
    a->slack_ns = t->config->deadline_ns - a->end_ns;
    a->phase_ns[PHASE_ACCOUNT] = t->account_took_ns;
    a->iterations = t->stepping ? (uint32_t)t->report.iterations : 0;
    a->redone = t->stepping ? (uint32_t)t->report.redone : 0;
    a->state = t->state;
    a->skipped = t->skipped;
    a->status = t->report.status;
    a->interval = t->interval;
    a->residual = t->report.residual;
    a->flags = (t->missed ? ACCOUNT_MISS : 0) | (t->stepping ? ACCOUNT_STEPPED : 0) |
               (t->held ? ACCOUNT_HELD : 0) | (t->cause.budget_stop ? ACCOUNT_BUDGET : 0) |
               (t->no_sleep ? ACCOUNT_NO_SLEEP : 0);
}

static void monitor_count(struct tick *t)
{
    const struct account *a = &t->account;
    struct monitor *m = t->monitor;

    m->ticks++;
    m->steps += t->stepping && t->interval > 0;
    m->skipped += t->skipped;
    m->held += t->held;
    m->no_sleeps += t->no_sleep;
    m->late_wakes += a->wake_ns > t->config->deadline_ns / 10;
    m->budget_stops += t->cause.budget_stop;
    m->not_converged += t->stepping && a->status == STATUS_NOT_CONVERGED;
    if (a->iterations > m->iterations_max) m->iterations_max = a->iterations;
    m->ever.ticks++;
    m->ever.steps += t->stepping && t->interval > 0;
    m->ever.skipped += t->skipped;
}

/* Count a miss by its cause and tell it; of a late wake-up perhaps later. */
static void monitor_miss(struct tick *t)
{
    const struct account *a = &t->account;
    struct monitor *m = t->monitor;
    struct event miss = tick_stamped(
        t, (struct event){.kind = EVENT_MISS,
                          .a = a->cause,
                          .b = t->skipped,
                          .index = (int32_t)a->cause_phase,
                          .value = -(double)a->slack_ns / MONITOR_NS_PER_S});

    if (!t->missed) return;
    m->misses++;
    m->ever.misses++;
    m->cause_phase[a->cause_phase]++;
    if (a->cause == CAUSE_LATE_WAKE && witness_hold(t, &miss)) return;
    m->cause[a->cause]++;
    m->ever.cause[a->cause]++;
    ring_publish(&t->event_ring, &miss);
}

void monitor_account(struct tick *t)
{
    struct account *a = &t->account;

    monitor_usage(t);
    monitor_fill(t);
    cause_judge(t);
    monitor_seconds(t);
    witness_settle(t);
    monitor_count(t);
    monitor_miss(t);
    monitor_sample(t, SERIES_WAKE, a->wake_ns);
    monitor_sample(t, SERIES_END, a->end_ns);
    for (uint32_t i = 0; i < PHASE_COUNT; i++) monitor_sample(t, SERIES_PHASE + i, a->phase_ns[i]);
    ring_publish(&t->account_ring, a);
    monitor_clear(t);
    t->account_took_ns = t->time.now(t->time.self) - t->mark_ns;
}
