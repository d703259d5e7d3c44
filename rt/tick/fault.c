/* fault.c: see fault.h. Slots act in their order, each on what the one before left. One
 * function per kind, in one table. */
#include "rt/tick/fault.h"

#include <math.h>
#include <string.h>

#include "rt/rtsafe.h"

enum fault_target { FAULT_TARGET_TIME, FAULT_TARGET_SIGNAL };
enum fault_limit {
    FAULT_LIMIT_NONE,
    FAULT_LIMIT_ANY,
    FAULT_LIMIT_SIZE,
    FAULT_LIMIT_STEP,
    FAULT_LIMIT_SHARE,
    FAULT_LIMIT_STEPS,
    FAULT_LIMIT_HELD,
    FAULT_LIMIT_SECONDS
};

#define X(code, text, target, value, help) [code] = FAULT_TARGET_##target,
static const uint8_t FAULT_TARGET[FAULT_COUNT] = {FAULT_LIST(X)};
#undef X
#define X(code, text, target, value, help) [code] = FAULT_LIMIT_##value,
static const uint8_t FAULT_LIMIT[FAULT_COUNT] = {FAULT_LIST(X)};
#undef X
#define FAULT_BUSY_MAX_S 10.0
#define FAULT_SPIKES 50.0

/* A value on its way through a slot. */
struct fault_signal {
    struct tick *t;
    uint32_t slot;
    const double *history; /* [FAULT_DELAY_MAX + 1][n], by row */
    uint64_t row, n;       /* rows written so far; values in a row */
};

static struct tick_fault *fault_of(const struct fault_signal *s) { return &s->t->fault[s->slot]; }

/* splitmix64, uniform in [0, 1), of the slot's own generator. */
static double fault_random(const struct fault_signal *s)
{
    uint64_t z = s->t->memory[TICK_MEMORY_RANDOM + s->slot] += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ---- what each kind does to a value --------------------------------------------------- */

static double fault_bias(const struct fault_signal *s, double v)
{
    return v + fault_of(s)->order.value;
}

static double fault_gain(const struct fault_signal *s, double v)
{
    return v * fault_of(s)->order.value;
}

static double fault_drift(const struct fault_signal *s, double v)
{
    return v + fault_of(s)->order.value * fault_of(s)->elapsed;
}

static double fault_noise(const struct fault_signal *s, double v)
{
    return v + fault_of(s)->order.value * (2 * fault_random(s) - 1);
}

static double fault_spike(const struct fault_signal *s, double v)
{
    return fault_random(s) * FAULT_SPIKES < 1 ? v + fault_of(s)->order.value : v;
}

static double fault_freeze(const struct fault_signal *s, double v)
{
    struct tick_fault *f = fault_of(s);
    if (isnan(f->frozen)) f->frozen = v;
    return f->frozen;
}

static double fault_stuck(const struct fault_signal *s, double v)
{
    (void)v;
    return fault_of(s)->frozen;
}

static double fault_dropout(const struct fault_signal *s, double v)
{
    struct tick_fault *f = fault_of(s);
    if (fault_random(s) >= f->order.value) f->frozen = v;
    return f->frozen;
}

static double fault_delay(const struct fault_signal *s, double v)
{
    const struct fault_order *o = &fault_of(s)->order;
    uint64_t row = s->row - 1 - (uint64_t)o->value;
    (void)v;
    return s->history[(row & FAULT_DELAY_MAX) * s->n + o->target];
}

static double fault_quantisation(const struct fault_signal *s, double v)
{
    double least = fault_of(s)->order.value;
    return round(v / least) * least;
}

/* Of a sensor; an actuator's writes are left out where they come in (latch.c). */
static double fault_disconnect(const struct fault_signal *s, double v)
{
    return fault_of(s)->order.flags & FAULT_ACTUATOR ? v : 0;
}

typedef double fault_act(const struct fault_signal *s, double v);

static fault_act *const FAULT_ACT[FAULT_COUNT] = {
    [FAULT_BIAS] = fault_bias,
    [FAULT_GAIN] = fault_gain,
    [FAULT_DRIFT] = fault_drift,
    [FAULT_NOISE] = fault_noise,
    [FAULT_SPIKE] = fault_spike,
    [FAULT_FREEZE] = fault_freeze,
    [FAULT_STUCK] = fault_stuck,
    [FAULT_DROPOUT] = fault_dropout,
    [FAULT_DELAY] = fault_delay,
    [FAULT_QUANTISATION] = fault_quantisation,
    [FAULT_DISCONNECT] = fault_disconnect,
};

/* ---- inserting and clearing ---------------------------------------------------------- */

static int fault_value_is_held(const struct tick *t, const struct fault_order *o)
{
    const struct model_actuator *m = model_actuators(t->model);

    if (isnan(o->value)) return 1;
    if (!(o->flags & FAULT_ACTUATOR)) return isfinite(o->value) != 0;
    return o->value >= m[o->target].lower && o->value <= m[o->target].upper;
}

static int fault_value_is_ok(const struct tick *t, const struct fault_order *o)
{
    switch (FAULT_LIMIT[o->kind]) {
    case FAULT_LIMIT_ANY:
        return isfinite(o->value) != 0;
    case FAULT_LIMIT_SIZE:
        return o->value >= 0 && isfinite(o->value);
    case FAULT_LIMIT_STEP:
        return o->value > 0 && isfinite(o->value);
    case FAULT_LIMIT_SHARE:
        return o->value >= 0 && o->value <= 1;
    case FAULT_LIMIT_STEPS:
        return o->value >= 1 && o->value <= FAULT_DELAY_MAX && o->value == floor(o->value);
    case FAULT_LIMIT_HELD:
        return fault_value_is_held(t, o);
    case FAULT_LIMIT_SECONDS:
        return o->value >= 0 && o->value <= FAULT_BUSY_MAX_S;
    default:
        return 1;
    }
}

static enum reply_result fault_check(const struct tick *t, const struct fault_order *o)
{
    uint32_t n = o->flags & FAULT_ACTUATOR ? t->layout.n_actuators : t->layout.n_channels;

    if (o->kind == FAULT_NONE || o->kind >= FAULT_COUNT) return REPLY_UNKNOWN;
    if (FAULT_TARGET[o->kind] == FAULT_TARGET_SIGNAL && o->target >= n) return REPLY_INDEX;
    if (!fault_value_is_ok(t, o)) return REPLY_RANGE;
    return o->from > 0 && o->from <= t->step ? REPLY_PAST : REPLY_DONE;
}

enum reply_result fault_insert(struct tick *t, const struct request *request, uint32_t service,
                               uint64_t *slot)
{
    const struct fault_order *o = &request->fault;
    enum reply_result result = fault_check(t, o);

    if (result != REPLY_DONE) return result;
    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        struct tick_fault *f = &t->fault[i];
        if (f->order.kind != FAULT_NONE) continue;
        *f = (struct tick_fault){
            .order = *o, .frozen = NAN, .service = service, .session = request->session};
        memcpy(f->who, request->who, sizeof f->who);
        if (o->from == 0) f->order.from = t->step + 1;
        t->memory[TICK_MEMORY_RANDOM + i] = o->seed ? o->seed : 1 + i + ((uint64_t)o->target << 8);
        *slot = i;
        return REPLY_DONE;
    }
    return REPLY_FULL;
}

static void fault_report(struct tick *t, uint32_t i, int begins)
{
    const struct tick_fault *f = &t->fault[i];
    struct event e = {.kind = EVENT_FAULT,
                      .a = f->order.kind,
                      .b = (begins ? 1 : 0) | (f->order.flags & FAULT_ACTUATOR ? 2 : 0),
                      .index = (int32_t)i,
                      .value = (double)f->order.target,
                      .service = f->service,
                      .session = f->session};
    memcpy(e.who, f->who, sizeof e.who);
    tick_event(t, e);
}

static void fault_free(struct tick *t, uint32_t i)
{
    struct tick_fault *f = &t->fault[i];

    if (f->acting) fault_report(t, i, 0);
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

/* ---- acting -------------------------------------------------------------------------- */

static void fault_begin(struct tick *t, uint32_t i)
{
    struct tick_fault *f = &t->fault[i];
    const struct fault_order *o = &f->order;
    double now = 0;

    if (FAULT_TARGET[o->kind] == FAULT_TARGET_SIGNAL)
        now = o->flags & FAULT_ACTUATOR ? t->actuator[o->target].applied : t->channel[o->target];
    f->acting = 1;
    if (o->kind == FAULT_STUCK) f->frozen = isnan(o->value) ? now : o->value;
    if (o->kind == FAULT_DROPOUT) f->frozen = now;
    fault_report(t, i, 1);
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
        if (!f->acting) fault_begin(t, i);
        f->elapsed += (double)(t->config->period_ns * t->policy.span) / 1e9;
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

int fault_cuts(const struct tick *t, uint32_t actuator)
{
    uint64_t making = t->step + 1;

    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        const struct fault_order *o = &t->fault[i].order;
        if (o->kind == FAULT_DISCONNECT && o->flags & FAULT_ACTUATOR && o->target == actuator &&
            making >= o->from && (o->n == 0 || making - o->from < o->n))
            return 1;
    }
    return 0;
}

/* Slot i acts on signals of this side; `flag`: 0 channels, FAULT_ACTUATOR actuators. */
static int fault_acts_on(const struct tick *t, uint32_t i, uint32_t flag)
{
    const struct tick_fault *f = &t->fault[i];

    return f->acting && FAULT_TARGET[f->order.kind] == FAULT_TARGET_SIGNAL &&
           (f->order.flags & FAULT_ACTUATOR) == flag;
}

void fault_actuators(struct tick *t)
{
    const struct model_actuator *m = model_actuators(t->model);
    uint32_t n = t->layout.n_actuators;
    uint64_t *row = &t->memory[TICK_MEMORY_SENT];
    uint64_t rows = *row == 0 ? FAULT_DELAY_MAX + 1 : t->stepping; /* at first: all the same */

    for (; rows > 0; rows--, (*row)++)
        for (uint32_t a = 0; a < n; a++)
            t->sent[(*row & FAULT_DELAY_MAX) * n + a] = t->actuator[a].asked;
    for (uint32_t a = 0; a < n; a++) {
        t->actuator[a].applied = t->actuator[a].asked;
        t->actuator[a].stuck = 0;
    }
    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        struct fault_signal s = {.t = t, .slot = i, .history = t->sent, .row = *row, .n = n};
        const struct fault_order *o = &t->fault[i].order;
        struct tick_actuator *a = &t->actuator[o->target];
        if (!fault_acts_on(t, i, FAULT_ACTUATOR)) continue;
        a->applied = FAULT_ACT[o->kind](&s, a->applied);
        a->applied = fmin(fmax(a->applied, m[o->target].lower), m[o->target].upper);
        a->stuck |= (o->flags & FAULT_VISIBLE) != 0;
    }
}

void fault_sensors(struct tick *t, int stepped)
{
    uint32_t n = t->layout.n_channels;
    uint64_t *row = &t->memory[TICK_MEMORY_SHOWN];
    uint64_t rows = stepped ? 1 : FAULT_DELAY_MAX + 1; /* without a past: all the same */

    for (uint64_t k = 0; k < rows; k++, (*row)++)
        for (uint32_t c = 0; c < n; c++) t->history[(*row & FAULT_DELAY_MAX) * n + c] = t->raw[c];
    for (uint32_t c = 0; c < n; c++) {
        t->channel[c] = t->raw[c];
        t->channel_flags[c] = 0;
    }
    for (uint32_t i = 0; i < FAULT_SLOTS; i++) {
        struct fault_signal s = {.t = t, .slot = i, .history = t->history, .row = *row, .n = n};
        const struct fault_order *o = &t->fault[i].order;
        if (!fault_acts_on(t, i, 0)) continue;
        t->channel[o->target] = FAULT_ACT[o->kind](&s, t->channel[o->target]);
        if (o->flags & FAULT_VISIBLE) t->channel_flags[o->target] |= RECORD_CHANNEL_FAULTED;
    }
}

uint32_t fault_mask(const struct tick *t)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < FAULT_SLOTS; i++)
        if (t->fault[i].order.kind != FAULT_NONE) mask |= 1u << i;
    return mask;
}
