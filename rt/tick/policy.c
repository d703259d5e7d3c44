/* policy.c: see policy.h. */
#include "rt/tick/policy.h"

#include "rt/tick/control.h"

#include "rt/rtsafe.h"

int policy_is_miss(const struct tick *t, int64_t end_ns)
{
    return t->config->pace == PACE_REALTIME && end_ns - t->release_ns >= t->config->deadline_ns;
}

/* Trip to the safe state by misses in a row or per window, never by a total. */
static void policy_trip(struct tick *t)
{
    const struct tick_config *c = t->config;
    struct tick_policy *p = &t->policy;
    uint64_t first;

    p->miss_slot[p->n_misses++ % TICK_WINDOW_MISSES] = t->slot;
    p->consecutive++;
    if (t->policy_now == POLICY_STOP) {
        control_trip(t, TRIP_POLICY, 1);
        return;
    }
    if (c->trip_consecutive && p->consecutive >= c->trip_consecutive) {
        control_trip(t, TRIP_CONSECUTIVE, p->consecutive);
        return;
    }
    if (c->trip_misses == 0 || p->n_misses < c->trip_misses) return;
    first = p->miss_slot[(p->n_misses - c->trip_misses) % TICK_WINDOW_MISSES];
    if (t->slot - first < c->trip_window) control_trip(t, TRIP_WINDOW, c->trip_misses);
}

void policy_judge(struct tick *t)
{
    struct tick_policy *p = &t->policy;
    uint32_t span = 1;

    t->missed = (uint32_t)policy_is_miss(t, t->end_ns);
    t->skipped = 0;
    if (t->config->pace == PACE_REALTIME)
        t->skipped = (uint32_t)((t->end_ns - t->release_ns) / t->config->period_ns);
    if (t->stepping && t->policy_now != POLICY_FINISH_LATE && t->skipped > 0) span = 2;
    if (t->stepping) t->monitor->lost_slots += t->skipped + 1 - span;
    if (t->state == STATE_RUNNING && t->stepping) {
        if (t->missed)
            policy_trip(t);
        else
            p->consecutive = 0;
    }
    p->span = span;
}

void policy_reset(struct tick *t)
{
    t->policy.span = 1;
    t->policy.consecutive = 0;
    t->policy.n_misses = 0;
}
