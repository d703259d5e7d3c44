/* publish.c: see publish.h. */
#include "rt/tick/publish.h"

#include <string.h>

#include "rt/tick/cause.h"
#include "rt/tick/fault.h"
#include "rt/tick/policy.h"

#include "rt/rtsafe.h"

void publish_sensors(struct tick *t)
{
    int stepped = t->stepping && t->interval > 0;

    if (!stepped && (!t->dirty || t->restored)) {
        t->restored = 0;
        return;
    }
    t->restored = 0;
    t->plant.type->sensors(t->plant.self, t->raw);
    fault_sensors(t, stepped);
}

static uint32_t publish_flags(const struct tick_actuator *a, int ramping)
{
    uint32_t flags = (a->refused ? ACTUATOR_REFUSED : 0) | (a->stuck ? ACTUATOR_STUCK : 0);
    switch (a->mode) {
    case ACTUATOR_FOLLOWS:
        return flags | ACTUATOR_LIVE;
    case ACTUATOR_TIMED_OUT:
        return flags | ACTUATOR_TIMEOUT | (ramping ? ACTUATOR_RAMPING : 0);
    case ACTUATOR_MADE_SAFE:
        return flags | ACTUATOR_SAFE | (ramping ? ACTUATOR_RAMPING : 0);
    default:
        return flags;
    }
}

static void publish_actuators(struct tick *t, struct record *r)
{
    struct record_actuator *to = record_set_actuators(&t->layout, r);

    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        const struct tick_actuator *a = &t->actuator[i];
        const struct tick_rule *rule = &t->config->rule[i];
        int ramping = rule->action == SAFE_RAMP &&
                      t->release_ns + t->config->period_ns - a->safe_ns < rule->ramp_ns;
        to[i] = (struct record_actuator){.value = a->applied,
                                         .counter = a->counter,
                                         .age_ns = a->seen_ns ? t->release_ns - a->seen_ns : -1,
                                         .flags = publish_flags(a, ramping),
                                         .timeouts = a->timeouts};
    }
}

/* Values of the accepted state. Not called when policy hold keeps the last ones. */
static void publish_values(struct tick *t, struct record *r)
{
    const struct record_layout *l = &t->layout;

    if (!t->dirty && !(t->stepping && t->interval > 0)) return;
    if (t->dirty)
        t->plant.type->settings(t->plant.self, record_set_live(l, r), record_set_released(l, r));
    memcpy(record_set_channels(l, r), t->channel, l->n_channels * sizeof(double));
    memcpy(record_set_channel_flags(l, r), t->channel_flags, l->n_channels * sizeof(uint32_t));
    t->plant.type->poses(t->plant.self, record_set_poses(l, r));
    t->shown_t = t->plant.type->time(t->plant.self);
    t->dirty = 0;
}

static uint32_t publish_quality(const struct tick *t, int late)
{
    uint32_t quality = 0;

    if (t->state == STATE_READY || t->state == STATE_ARMED)
        quality |= RECORD_INITIAL;
    else if (!t->stepping || t->held)
        quality |= RECORD_HELD;
    if (late) quality |= RECORD_LATE;
    if (status_severity(t->report.status) != SEVERITY_GOOD) quality |= RECORD_SUBNORMAL;
    return quality;
}

static void publish_head(struct tick *t, struct record *r)
{
    r->tick = t->tick;
    r->slot = t->slot;
    r->step = t->step;
    r->release_ns = t->release_ns;
    r->t = t->shown_t;
    r->interval = t->interval;
    r->state = t->state;
    r->status = t->report.status;
    r->iterations = (uint32_t)t->report.iterations;
    r->d = t->report.d;
    r->residual = t->report.residual;
    r->element_kind = (uint32_t)t->report.element_kind;
    r->element = (uint32_t)t->report.element;
    r->policy = t->policy_now;
    r->pace = t->config->pace;
    r->misses = t->monitor->misses;
    r->skipped = t->monitor->skipped;
    r->steps_left = t->steps_left;
    r->snapshot_tick = t->snapshot_tick;
    r->faults = fault_mask(t);
    r->trip = t->trip;
    r->lease = t->lease;
}

void publish_publish(struct tick *t, int final)
{
    struct record *r = tick_record(t);
    int late = policy_is_miss(t, t->time.now(t->time.self));

    t->held = late && t->policy_now == POLICY_HOLD && t->state == STATE_RUNNING && t->stepping;
    if (!t->held) publish_values(t, r);
    publish_actuators(t, r);
    publish_head(t, r);
    r->publish_ns = t->time.now(t->time.self);
    late = policy_is_miss(t, r->publish_ns);
    r->quality = publish_quality(t, late) | (final ? RECORD_FINAL : 0);
    ring_publish(&t->record_ring, r);
    t->end_ns = cause_phase(t, PHASE_PUBLISH);
    if (!late && policy_is_miss(t, t->end_ns)) {
        r->quality |= RECORD_LATE;
        ring_publish(&t->record_ring, r);
    }
}
