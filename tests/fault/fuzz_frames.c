/* Fuzz the shared memory: whatever bytes services leave in their blocks, the tick goes
 * on, in bounded time, applies nothing out of range and keeps its own invariants.
 *
 * The input is a list of writes into the three services' blocks (block, offset, eight
 * bytes), with ticks between; virtual clock, a stand-in for the mechanism. */
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
        double v = record_actuators(l, r->record)[i].value;
        if (!(v >= -10 && v <= 10) || !(fabs(r->plant.command[i]) <= 20)) abort();
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PIECE = 13 };
    struct testrig r;

    testrig_create(&r);
    r.config.preempt = 14;
    testrig_begin(&r);
    testrig_start(&r);
    for (size_t at = 0; at + PIECE + 1 <= size && at < 4096; at += PIECE + 1) {
        if (data[at] & 1)
            scribble(&r, data + at + 1);
        else
            send(&r, data + at + 1);
        if (data[at] & 6) {
            testrig_ticks(&r, 1 + (data[at] >> 5));
            check(&r);
        }
    }
    testrig_destroy(&r);
    return 0;
}
