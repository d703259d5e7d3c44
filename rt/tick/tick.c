/* tick.c: place a tick in memory. */
#include "rt/tick/tick.h"

#include <string.h>

#include "rt/link/name.h"
#include "rt/tick/apply.h"
#include "rt/tick/policy.h"

#include "rt/rtsafe.h"

static size_t tick_round(size_t bytes)
{
    return (bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

static size_t tick_state_size(const struct record_layout *l)
{
    size_t size = 0;
#define X(type, name, count) size += tick_round(sizeof(type) * (size_t)(count));
    TICK_STATE(X)
#undef X
    return size;
}

size_t tick_memsize(const struct block_head *layout)
{
    const struct record_layout *l = &layout->step.record;
    size_t command_bytes = layout->service.command_bytes;
    size_t size = tick_state_size(l), state_words = size / 8;
#define X(type, name, count) size += tick_round(sizeof(type) * (size_t)(count));
    TICK_SCRATCH(X)
#undef X
    return size;
}

static void tick_place(struct tick *t, const struct block_head *layout, char *at)
{
    const struct record_layout *l = &layout->step.record;
    size_t command_bytes = layout->service.command_bytes;
    size_t state_words = tick_state_size(l) / 8;

    t->state_at = at;
    t->state_size = tick_state_size(l);
#define X(type, name, count)  \
    t->name = (type *)(void *)at; \
    at += tick_round(sizeof(type) * (size_t)(count));
    TICK_STATE(X)
    TICK_SCRATCH(X)
#undef X
}

static void tick_attach(struct tick *t, const struct block_head *layout,
                        const struct tick_blocks *blocks)
{
    const struct block_step_layout *l = &layout->step;
    const struct block_service_layout *s = &layout->supervisor;
    char *own = blocks->step;
    const char *at = blocks->supervisor;

    ring_init(&t->record_ring, own + l->record_at, l->n_records, l->record.bytes);
    ring_init(&t->account_ring, own + l->account_at, BLOCK_ACCOUNTS, sizeof(struct account));
    ring_init(&t->event_ring, own + l->event_at, BLOCK_EVENTS, sizeof(struct event));
    ring_init(&t->reply_ring, own + l->reply_at, BLOCK_REPLIES, sizeof(struct reply));
    t->monitor = (struct monitor *)(void *)(own + l->monitor_at);
    ring_clear(&t->record_ring);
    ring_clear(&t->account_ring);
    ring_clear(&t->event_ring);
    ring_clear(&t->reply_ring);
    memset((char *)t->monitor + sizeof t->monitor->admission, 0,
           sizeof *t->monitor - sizeof t->monitor->admission);
    if (at) t->board = (const struct board *)(const void *)(at + s->board_at);
    for (int i = 0; i < BLOCK_SERVICES; i++) {
        struct tick_service *v = &t->service[i];
        if (i > 0) {
            s = &layout->service;
            at = blocks->service[i];
        }
        if (!at) continue;
        v->attached = 1;
        ring_init(&v->command, at + s->command_at, BLOCK_COMMANDS, s->command_bytes);
        ring_init(&v->request, at + s->request_at, BLOCK_REQUESTS, sizeof(struct request));
        if (t->board)
            v->epoch = atomic_load_explicit(&t->board->service[i].epoch, memory_order_acquire);
    }
}

enum status tick_init(struct tick *t, const struct tick_config *config,
                      const struct block_head *layout, const struct tick_blocks *blocks,
                      struct plant plant, struct timebase timebase, void *memory, size_t size)
{
    if (size < tick_memsize(layout)) return STATUS_TOO_SMALL;
    memset(t, 0, sizeof *t);
    t->config = config;
    t->layout = layout->step.record;
    t->plant = plant;
    t->time = timebase;
    tick_place(t, layout, memory);
    tick_attach(t, layout, blocks);
    t->model = (const struct model *)(const void *)((char *)blocks->step + layout->step.model_at);
    t->monitor->period_ns = config->period_ns;
    t->monitor->deadline_ns = config->deadline_ns;
    t->policy_now = config->policy;
    t->frame_step = UINT64_MAX;
    t->heartbeat_ns = config->start_ns - config->period_ns;
    t->state = STATE_READY;
    policy_reset(t);
    plant.type->reset(plant.self);
    apply_reset(t);
    t->dirty = 1;
    timebase.usage(timebase.self, &t->usage);
    return STATUS_OK;
}

struct event tick_stamped(const struct tick *t, struct event event)
{
    event.tick = t->tick;
    event.step = t->step;
    event.time_ns = t->release_ns;
    if (event.t == 0) event.t = t->shown_t;
    event.severity = name_event_severity(event.kind);
    return event;
}

void tick_event(struct tick *t, struct event event)
{
    event = tick_stamped(t, event);
    ring_publish(&t->event_ring, &event);
}
