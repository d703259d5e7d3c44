/* apply.c: see apply.h. */
#include "rt/tick/apply.h"

#include <math.h>

#include "rt/tick/fault.h"

#include "rt/rtsafe.h"

static double apply_clip(const struct model_actuator *m, double v)
{
    return v < m->lower ? m->lower : v > m->upper ? m->upper : v;
}

static void apply_begin(struct tick *t, struct tick_actuator *a, enum actuator_mode mode)
{
    a->mode = mode;
    a->from = a->asked;
    a->safe_ns = t->release_ns;
}

/* Value of a safe action now; ramps from where it began to the safe value. */
static double apply_safe(const struct tick *t, uint32_t i)
{
    const struct tick_rule *rule = &t->config->rule[i];
    const struct tick_actuator *a = &t->actuator[i];
    double safe = model_actuators(t->model)[i].safe;
    int64_t since = t->release_ns + t->config->period_ns - a->safe_ns;

    switch (rule->action) {
    case SAFE_HOLD:
        return a->from;
    case SAFE_RAMP:
        if (since >= rule->ramp_ns) return safe;
        return a->from + (safe - a->from) * ((double)since / (double)rule->ramp_ns);
    default:
        return 0;
    }
}

static void apply_timeout(struct tick *t, uint32_t i)
{
    const struct tick_rule *rule = &t->config->rule[i];
    struct tick_actuator *a = &t->actuator[i];

    if (a->mode != ACTUATOR_FOLLOWS || t->lease.mode != LEASE_STREAM ||
        t->config->pace == PACE_LOCKSTEP || rule->timeout_ns == 0 ||
        t->release_ns - a->seen_ns < rule->timeout_ns)
        return;
    apply_begin(t, a, ACTUATOR_TIMED_OUT);
    a->timeouts++;
    t->monitor->timeouts++;
    tick_event(t, (struct event){.kind = EVENT_TIMEOUT,
                                 .index = (int32_t)i,
                                 .value = a->asked,
                                 .service = t->lease.service,
                                 .session = t->lease.session});
}

void apply_commands(struct tick *t)
{
    const struct model_actuator *m = model_actuators(t->model);

    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        struct tick_actuator *a = &t->actuator[i];
        apply_timeout(t, i);
        a->asked = apply_clip(&m[i], a->mode == ACTUATOR_FOLLOWS ? a->wanted
                                     : a->mode == ACTUATOR_IDLE  ? m[i].start
                                                                 : apply_safe(t, i));
    }
    fault_actuators(t);
    for (uint32_t i = 0; i < t->layout.n_actuators; i++)
        t->command_si[i] = t->actuator[i].applied * m[i].scale;
}

void apply_make_safe(struct tick *t, int idle_too)
{
    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        struct tick_actuator *a = &t->actuator[i];
        if (a->mode == ACTUATOR_FOLLOWS || (idle_too && a->mode == ACTUATOR_IDLE))
            apply_begin(t, a, ACTUATOR_MADE_SAFE);
    }
}

void apply_reset(struct tick *t)
{
    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        struct tick_actuator *a = &t->actuator[i];
        a->mode = ACTUATOR_IDLE;
        a->wanted = a->asked = a->applied = model_actuators(t->model)[i].start;
    }
}

int apply_is_ramping(const struct tick *t)
{
    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        const struct tick_actuator *a = &t->actuator[i];
        const struct tick_rule *rule = &t->config->rule[i];
        if (a->mode >= ACTUATOR_TIMED_OUT && rule->action == SAFE_RAMP &&
            t->release_ns + t->config->period_ns - a->safe_ns < rule->ramp_ns)
            return 1;
    }
    return 0;
}
