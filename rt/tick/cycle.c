/* cycle.c: the list of the tick: latch, apply, step, sensors, publish, account. */
#include "rt/tick/cycle.h"

#include "rt/tick/apply.h"
#include "rt/tick/cause.h"
#include "rt/tick/control.h"
#include "rt/tick/fault.h"
#include "rt/tick/latch.h"
#include "rt/tick/policy.h"
#include "rt/tick/publish.h"
#include "rt/tick/monitor.h"

#include "rt/rtsafe.h"

enum { CYCLE_AWAKE_NS = 5000 }; /* a release this near is not slept for */

static int64_t cycle_slot_ns(const struct tick *t)
{
    return t->config->pace == PACE_LOCKSTEP ? t->config->poll_ns : t->config->period_ns;
}

static void cycle_wait(struct tick *t)
{
    int64_t before = t->time.now(t->time.self);

    t->release_ns = t->config->start_ns + (int64_t)t->slot * cycle_slot_ns(t);
    t->no_sleep = t->release_ns - before < CYCLE_AWAKE_NS;
    t->sleeps++;
    t->time.sleep_until(t->time.self, t->release_ns - t->config->spin_ns);
    if (t->config->spin_ns > 0) t->time.burn_until(t->time.self, t->release_ns);
    t->wake_ns = t->time.now(t->time.self);
    cause_begin(t);
}

static void cycle_latch(struct tick *t)
{
    latch_epochs(t);
    control_watch(t);
    control_take(t);
    latch_commands(t);
}

/* Does this tick integrate? In lockstep only when the frame for the last step is
 * here; too long without it leads to holding. */
static int cycle_is_stepping(struct tick *t)
{
    if (t->state == STATE_SAFE) return (int)t->moving;
    if (t->state != STATE_RUNNING) return 0;
    if (t->config->pace != PACE_LOCKSTEP) return 1;
    if (t->frame_step == t->step) {
        t->waiting_since_ns = t->release_ns;
        return 1;
    }
    if (t->release_ns - t->waiting_since_ns >= t->config->lockstep_timeout_ns) {
        tick_event(t, (struct event){.kind = EVENT_LOCKSTEP, .a = t->step});
        control_change(t, STATE_PAUSE);
    }
    return 0;
}

/* Lockstep looks more often than it shows: between heartbeats only a step shows. */
static int cycle_is_due(const struct tick *t)
{
    int64_t since = t->release_ns - t->heartbeat_ns;

    if (t->config->pace != PACE_LOCKSTEP || since >= t->config->period_ns) return 1;
    return t->stepping && t->state == STATE_RUNNING;
}

static void cycle_fail(struct tick *t)
{
    tick_event(t, (struct event){.kind = EVENT_SOLVER,
                                 .a = t->report.status,
                                 .b = (uint64_t)t->report.element_kind,
                                 .index = t->report.element});
    control_change(t, STATE_FAIL);
    t->stepping = 0;
}

/* One event for each switch of the model that acted, or could not. */
static void cycle_tell_switched(struct tick *t)
{
    const struct step_report *r = &t->report;

    for (int i = 0; i < r->n_switched && i < STEP_SWITCHED; i++) {
        const struct step_switched *s = &r->switched[i];
        tick_event(t, (struct event){.kind = EVENT_SWITCH,
                                     .index = s->index,
                                     .a = s->opposed >= 0 ? 2 : (uint64_t)s->late,
                                     .b = s->opposed >= 0 ? (uint64_t)s->opposed : 0,
                                     .value = s->loss});
    }
    if (r->n_switched) t->dirty = 1;
}

static void cycle_step(struct tick *t)
{
    double h = (double)(t->config->period_ns * t->policy.span) / 1e9;
    int64_t busy;

    t->interval = 0;
    if (!t->stepping) return;
    busy = fault_busy_ns(t);
    if (busy > 0) {
        t->cause.injected = 1;
        t->time.burn_until(t->time.self, t->time.now(t->time.self) + busy);
    }
    t->plant.type->step(t->plant.self, h, t->command_si, &t->plant.limits, &t->report);
    if (status_severity(t->report.status) == SEVERITY_BAD) {
        cycle_fail(t);
        return;
    }
    t->interval = h;
    t->step++;
    cycle_tell_switched(t);
    control_stepped(t);
}

/* The last tick: safe for two ticks at least, ramps at their end or 1 s gone. */
static int cycle_is_last(struct tick *t)
{
    if (!t->ending) return 0;
    t->end_ticks++;
    return t->end_ticks > 2 && (!apply_is_ramping(t) || t->release_ns >= t->end_by_ns);
}

/* The next slot: after a miss the slots passed are dropped. */
static void cycle_next(struct tick *t)
{
    uint64_t passed = t->skipped;

    if (t->config->pace == PACE_LOCKSTEP)
        passed = (uint64_t)((t->end_ns - t->release_ns) / t->config->poll_ns);
    t->slot += 1 + passed;
}

int cycle_tick(struct tick *t)
{
    int last;

    cycle_wait(t);
    t->plant.limits.context = t;
    cycle_latch(t);
    t->stepping = (uint32_t)cycle_is_stepping(t);
    if (!cycle_is_due(t)) {
        t->slot++;
        return 1;
    }
    t->heartbeat_ns = t->release_ns;
    t->tick++;
    if (t->stepping) fault_advance(t);
    cause_phase(t, PHASE_LATCH);
    apply_commands(t);
    cause_phase(t, PHASE_APPLY);
    cycle_step(t);
    cause_phase(t, PHASE_STEP);
    publish_sensors(t);
    cause_phase(t, PHASE_SENSORS);
    last = cycle_is_last(t);
    publish_publish(t, last);
    policy_judge(t);
    monitor_account(t);
    cycle_next(t);
    return !last;
}

void cycle_run(struct tick *t)
{
    t->time.usage(t->time.self, &t->usage); /* of this thread, not of set-up's */
    while (cycle_tick(t)) continue;
    witness_close(t);
}
