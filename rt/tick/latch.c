/* latch.c: see latch.h. */
#include "rt/tick/latch.h"

#include <math.h>

#include "rt/tick/control.h"
#include "rt/tick/fault.h"

#include "rt/rtsafe.h"

static struct command_frame *latch_frame(const struct tick *t)
{
    return (struct command_frame *)(void *)t->frame_words;
}

void latch_epochs(struct tick *t)
{
    if (!t->board) return;
    for (uint32_t i = 1; i < BLOCK_SERVICES; i++) {
        struct tick_service *s = &t->service[i];
        uint32_t epoch;
        if (!s->attached) continue;
        epoch = atomic_load_explicit(&t->board->service[i].epoch, memory_order_acquire);
        if (epoch == s->epoch) continue;
        s->epoch = epoch;
        s->frame = 0;
        s->cursor = 0;
        if (t->lease.number && t->lease.service == i) control_end_lease(t, LEASE_END_EPOCH);
        if (epoch > 1)
            tick_event(t, (struct event){.kind = EVENT_SERVICE, .service = i, .b = epoch});
    }
}

static void latch_value(struct tick *t, uint32_t i, const struct command_value *v)
{
    const struct model_actuator *m = &model_actuators(t->model)[i];
    struct tick_actuator *a = &t->actuator[i];

    if (v->counter == a->counter || fault_cuts(t, i)) return;
    a->counter = v->counter;
    if (!state_takes_commands(t->state)) return;
    if (!isfinite(v->value) || v->value < m->lower || v->value > m->upper) {
        a->refused = 1;
        t->monitor->refused_commands++;
        return;
    }
    a->refused = 0;
    a->wanted = v->value;
    a->seen_ns = t->release_ns;
    a->mode = ACTUATOR_FOLLOWS;
    t->lease.expires_ns = t->release_ns + t->config->lease_ns;
}

void latch_commands(struct tick *t)
{
    struct command_frame *frame = latch_frame(t);
    struct tick_service *s = &t->service[t->lease.service];
    uint64_t n;

    if (t->lease.number == 0) return;
    n = ring_latest(&s->command, frame);
    if (n <= s->frame) return;
    s->frame = n;
    if (frame->lease != t->lease.number) return;
    t->frame_step = frame->step;
    if (t->lease.mode == LEASE_MANUAL && frame->refresh != t->lease_refresh)
        t->lease.expires_ns = t->release_ns + t->config->lease_ns;
    t->lease_refresh = frame->refresh;
    for (uint32_t i = 0; i < t->layout.n_actuators; i++) latch_value(t, i, &frame->value[i]);
}

void latch_baseline(struct tick *t, uint32_t service)
{
    struct command_frame *frame = latch_frame(t);
    struct tick_service *s = &t->service[service];

    uint64_t n = ring_latest(&s->command, frame);
    t->frame_step = UINT64_MAX;
    t->lease_refresh = n ? frame->refresh : 0;
    if (n > s->frame) s->frame = n;
    for (uint32_t i = 0; i < t->layout.n_actuators; i++)
        t->actuator[i].counter = n ? frame->value[i].counter : 0;
}
