/* Fuzz the shared memory: whatever bytes services leave in their blocks, the tick goes
 * on, in bounded time, applies nothing out of range and keeps its own invariants.
 *
 * The input is a list of writes into the three services' blocks (block, offset, eight
 * bytes), requests and commands, with ticks between, some of them long; virtual clock, a
 * stand-in for the mechanism. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rt/testrig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct testrig *r)
{
    const struct record_layout *l = &r->layout.step.record;

    for (int i = 0; i < TESTRIG_ACTUATORS; i++) {
        double v = record_actuators(l, r->record)[i].value, w = r->tick.actuator[i].wanted;
        if (!(v >= -10 && v <= 10) || !(fabs(r->plant.command[i]) <= 20)) abort();
        if (!(w >= -10 && w <= 10)) abort(); /* clipping is not what keeps them in range */
    }
    if (r->record->state == STATE_UNLOADED || r->record->state >= STATE_COUNT) abort();
    if (r->tick.policy.span < 1 || r->tick.policy.span > 2) abort();
    if (r->record->lease.number && r->record->lease.service > TESTRIG_SERVICES) abort();
}

/* One write: most go to the heads, marks and frames by being taken modulo the block. */
static void scribble(struct testrig *r, const uint8_t *at)
{
    uint32_t offset;
    uint64_t word, *block = r->block[1 + at[0] % TESTRIG_SERVICES];

    memcpy(&offset, at + 1, sizeof offset);
    memcpy(&word, at + 5, sizeof word);
    block[offset % (r->layout.service.size / 8)] = word;
}

/* A well-formed piece: a request or a command frame with the fuzzer's numbers. */
static void send(struct testrig *r, const uint8_t *at)
{
    int service = 1 + at[0] % TESTRIG_SERVICES;
    uint64_t word;
    struct request q = {.kind = at[1],
                        .index = (int8_t)at[2],
                        .lease = r->tick.lease.number,
                        .session = at[3],
                        .preempt = at[4] & 1,
                        .count = at[4]};

    memcpy(&word, at + 5, sizeof word);
    memcpy(&q.value, &word, sizeof word);
    q.fault = (struct fault_order){.kind = at[2], .target = at[3], .n = at[4], .value = q.value};
    if (at[0] & 0x80) {
        r->frame[service]->lease = r->tick.lease.number;
        testrig_write(r, service, at[1] % TESTRIG_ACTUATORS, q.value);
    } else {
        port_send(&r->port[service], &q);
    }
}

/* The rig as new, running, service 1 in authority; its memory is taken once. */
static struct testrig *begin(void)
{
    static struct testrig r;

    if (!r.record) {
        testrig_create(&r);
        r.config.preempt = 14;
    }
    for (int i = 0; i <= TESTRIG_SERVICES; i++) {
        if (i > 0) memset(r.block[i], 0, r.layout.service.size);
        memset(r.frame[i], 0, r.layout.service.command_bytes);
    }
    memset(r.tick_memory, 0, tick_memsize(&r.layout));
    r.plant = (struct testrig_plant){.iterations = 1};
    testrig_begin(&r);
    testrig_start(&r);
    testrig_acquire(&r, 1, 1, LEASE_STREAM);
    return &r;
}

enum { PIECE = 14, PIECES = 300, MORE = 60 };

static void play(struct testrig *r, const uint8_t *at)
{
    if (at[0] & 1)
        scribble(r, at + 1);
    else
        send(r, at + 1);
    r->plant.cost_ns = (at[0] & 24) == 24 ? 3 * TESTRIG_H_NS + at[1] : 0;
    if (at[0] & 6) {
        testrig_ticks(r, 1 + (at[0] >> 5));
        check(r);
    }
}

/* The input's pieces, then some drawn from it: the shortest input goes somewhere too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct testrig *r = begin();
    uint64_t seed = size;
    uint8_t piece[PIECE];

    for (size_t i = 0; i < size; i++) seed = (seed ^ data[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < PIECES && (i + 1) * PIECE <= size; i++) play(r, data + i * PIECE);
    for (int i = 0; i < MORE; i++) {
        for (int k = 0; k < PIECE; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            piece[k] = (uint8_t)(seed >> 56);
        }
        play(r, piece);
    }
    return 0;
}
