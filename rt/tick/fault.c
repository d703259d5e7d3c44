/* fault.c: see fault.h. Slots act in their order, each on what the one before left. */
#include "rt/tick/fault.h"

#include <math.h>

#include "rt/rtsafe.h"

enum fault_target { FAULT_TARGET_NONE, FAULT_TARGET_CHANNEL, FAULT_TARGET_ACTUATOR };

#define X(code, text, target) [code] = FAULT_TARGET_##target,
static const uint8_t FAULT_TARGET[FAULT_COUNT] = {FAULT_LIST(X)};
#undef X
#define FAULT_BUSY_MAX_S 10.0

/* splitmix64, uniform in [0, 1). */
static double fault_random(struct tick *t)
{
    uint64_t z = t->memory[0] += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int fault_value_is_ok(const struct tick *t, const struct fault_order *o)
{
    const struct model_actuator *m;

    switch (o->kind) {
    case FAULT_BIAS:
    case FAULT_FREEZE:
        return isfinite(o->value) != 0;
    case FAULT_NOISE:
        return o->value >= 0 && isfinite(o->value);
    case FAULT_DROPOUT:
        return o->value >= 0 && o->value <= 1;
    case FAULT_DELAY:
        return o->value >= 1 && o->value <= FAULT_DELAY_MAX && o->value == floor(o->value);
    case FAULT_STUCK:
        m = &model_actuators(t->model)[o->target];
        return isnan(o->value) || (o->value >= m->lower && o->value <= m->upper);
    case FAULT_OVERRUN:
        return o->value >= 0 && o->value <= FAULT_BUSY_MAX_S;
    default:
        return 0;
    }
}

enum reply_result fault_insert(struct tick *t, const struct fault_order *order, uint64_t *slot)
{
    uint32_t n[] = {1, t->layout.n_channels, t->layout.n_actuators};

    if (order->kind == FAULT_NONE || order->kind >= FAULT_COUNT) return REPLY_UNKNOWN;
    if (FAULT_TARGET[order->kind] != FAULT_TARGET_NONE &&
        order->target >= n[FAULT_TARGET[order->kind]])
        return REPLY_INDEX;
    if (!fault_value_is_ok(t, order)) return REPLY_RANGE;
    for (uint32_t i = 0; i < FAULT_SLOTS; i++)
        if (t->fault[i].order.kind == FAULT_NONE) {
            t->fault[i] = (struct tick_fault){.order = *order};
            if (order->from == 0) t->fault[i].order.from = t->step + 1;
            *slot = i;
            return REPLY_DONE;
        }
    return REPLY_FULL;
}

static void fault_report(struct tick *t, uint32_t i, int begins)
{
    const struct fault_order *o = &t->fault[i].order;
    tick_event(t, (struct event){.kind = EVENT_FAULT,
                                 .a = o->kind,
                                 .b = (uint64_t)begins,
                                 .index = (int32_t)i,
                                 .value = (double)o->target});
}

static void fault_free(struct tick *t, uint32_t i)
{
    struct tick_fault *f = &t->fault[i];
    if (f->acting) {
        fault_report(t, i, 0);
        if (FAULT_TARGET[f->order.kind] == FAULT_TARGET_ACTUATOR)
            t->actuator[f->order.target].stuck = 0;
    }
    *f = (struct tick_fault){.acting = 0};
}

enum reply_result fault_clear(struct tick *t, int32_t slot)
{
    if (slot < -1 || slot >= FAULT_SLOTS) return REPLY_INDEX;
    for (uint32_t i = 0; i < FAULT_SLOTS; i++)
        if (slot < 0 || (uint32_t)slot == i) fault_free(t, i);
    t->dirty = 1;
    return REPLY_DONE;
}

void fault_advance(struct tick *t)
{
    uint64_t making = t->step + 1;

    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        struct tick_fault *f = &t->fault[i];
        if (f->order.kind == FAULT_NONE || making < f->order.from) continue;
        if (f->order.n > 0 && making - f->order.from >= f->order.n) {
            fault_free(t, i);
            continue;
        }
        if (f->acting) continue;
        f->acting = 1;
        if (f->order.kind == FAULT_STUCK)
            f->frozen = isnan(f->order.value) ? t->actuator[f->order.target].applied
                                              : f->order.value;
        if (f->order.kind == FAULT_DROPOUT) f->frozen = t->channel[f->order.target];
        if (f->order.kind == FAULT_FREEZE) f->frozen = NAN;
        fault_report(t, i, 1);
    }
}

int64_t fault_busy_ns(struct tick *t)
{
    const struct tick_config *c = t->config;
    uint64_t making = t->step + 1;
    int64_t busy = 0;

    for (uint32_t i = 0; i < FAULT_SLOTS; i++)
        if (t->fault[i].acting && t->fault[i].order.kind == FAULT_OVERRUN)
            busy += (int64_t)(t->fault[i].order.value * 1e9);
    while (t->i_inject < c->n_inject && c->inject[t->i_inject].step < making) t->i_inject++;
    if (t->i_inject < c->n_inject && c->inject[t->i_inject].step == making)
        busy += c->inject[t->i_inject].busy_ns;
    return busy;
}

void fault_actuators(struct tick *t)
{
    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        const struct tick_fault *f = &t->fault[i];
        if (f->acting && f->order.kind == FAULT_STUCK) {
            t->actuator[f->order.target].applied = f->frozen;
            t->actuator[f->order.target].stuck = 1;
        }
    }
}

static double fault_channel(struct tick *t, struct tick_fault *f, double v)
{
    uint32_t c = f->order.target, n = t->layout.n_channels;
    uint64_t row;

    switch (f->order.kind) {
    case FAULT_BIAS:
        return v + f->order.value;
    case FAULT_NOISE:
        return v + f->order.value * (2 * fault_random(t) - 1);
    case FAULT_FREEZE:
        if (isnan(f->frozen)) f->frozen = v;
        return f->frozen;
    case FAULT_DROPOUT:
        if (fault_random(t) >= f->order.value) f->frozen = v;
        return f->frozen;
    case FAULT_DELAY:
        row = t->memory[1] - 1 - (uint64_t)f->order.value;
        return t->history[(row & FAULT_DELAY_MAX) * n + c];
    default:
        return v;
    }
}

void fault_sensors(struct tick *t, int stepped)
{
    uint32_t n = t->layout.n_channels;
    uint64_t rows = stepped ? 1 : FAULT_DELAY_MAX + 1; /* without a past: all the same */

    for (uint64_t k = 0; k < rows; k++, t->memory[1]++)
        for (uint32_t c = 0; c < n; c++)
            t->history[(t->memory[1] & FAULT_DELAY_MAX) * n + c] = t->raw[c];
    for (uint32_t c = 0; c < n; c++) {
        t->channel[c] = t->raw[c];
        t->channel_flags[c] = 0;
    }
    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        struct tick_fault *f = &t->fault[i];
        if (!f->acting || FAULT_TARGET[f->order.kind] != FAULT_TARGET_CHANNEL) continue;
        t->channel[f->order.target] = fault_channel(t, f, t->channel[f->order.target]);
        t->channel_flags[f->order.target] |= RECORD_CHANNEL_FAULTED;
    }
}

uint32_t fault_mask(const struct tick *t)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < FAULT_SLOTS; i++)
        if (t->fault[i].order.kind != FAULT_NONE) mask |= 1u << i;
    return mask;
}
