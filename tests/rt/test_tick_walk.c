/* A random walk of 10^6 ticks against a small second writing of the rules.
 *
 * Each tick draws: a request, a write, a refresh, a restart of a service, a late
 * wake-up, a long step, a failing step. walkrules.h predicts from the text of the design
 * alone what the record must say; every tick is compared. Seeded: a
 * failure prints the seed and the tick. TRAPEZE_WALK_TICKS makes it longer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rt/testrig.h"
#include "tests/rt/walkrules.h"

#define H ((int64_t)TESTRIG_H_NS)
enum { N = WALK_ACTUATORS, S = WALK_SERVICES };

/* ---- what is drawn ----------------------------------------------------------------- */

static uint64_t draw_word(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int draw_below(uint64_t *seed, int n) { return (int)(draw_word(seed) % (uint64_t)n); }

static double draw_value(uint64_t *seed)
{
    switch (draw_below(seed, 12)) {
    case 0:
        return (double)NAN;
    case 1:
        return 10.5;
    case 2:
        return -1e9;
    case 3:
        return (double)INFINITY;
    default:
        return (double)draw_below(seed, 2001) / 100 - 10;
    }
}

static void draw_request(uint64_t *seed, struct draw *d, const uint64_t *lease)
{
    static const uint32_t LIKELY[] = {
        REQUEST_ARM,     REQUEST_START,     REQUEST_START,   REQUEST_ACQUIRE, REQUEST_ACQUIRE,
        REQUEST_STEP,    REQUEST_RESET,     REQUEST_ARM,     REQUEST_PAUSE,   REQUEST_DISARM,
        REQUEST_ESTOP,   REQUEST_POLICY,    REQUEST_RELEASE, REQUEST_RESET,   REQUEST_START,
        REQUEST_NOTHING, REQUEST_PARAMETER, REQUEST_COUNT};

    d->asker = 1 + draw_below(seed, S + 1);
    d->request = (struct request){
        .kind = LIKELY[draw_below(seed, sizeof LIKELY / sizeof LIKELY[0])],
        .lease = draw_below(seed, 8) ? lease[d->asker - 1] : draw_word(seed) % 4,
        .session = (uint64_t)draw_below(seed, 3),
        .count = (uint64_t)draw_below(seed, 6),
        .index = draw_below(seed, 5),
        .preempt = (uint32_t)draw_below(seed, 3) / 2,
        .value = draw_value(seed)};
}

static struct draw draw_tick(uint64_t *seed, const uint64_t *lease)
{
    struct draw d = {0};

    if (draw_below(seed, 500) == 0) d.restart = 1 + draw_below(seed, S);
    if (draw_below(seed, 6) == 0) draw_request(seed, &d, lease);
    if (draw_below(seed, 3) == 0) {
        d.writer = 1 + draw_below(seed, S);
        d.right_lease = draw_below(seed, 10) > 0;
        d.refresh = draw_below(seed, 4) == 0;
        for (int i = 0; i < N; i++) {
            d.write[i] = draw_below(seed, 2);
            d.value[i] = draw_value(seed);
        }
    }
    d.late = draw_below(seed, 12) ? draw_below(seed, 100000) : draw_below(seed, (int)(4 * H));
    d.cost = draw_below(seed, 10) ? draw_below(seed, 500000) : draw_below(seed, (int)(6 * H));
    d.fail = draw_below(seed, 3000) == 0;
    return d;
}

/* ---- the comparison ---------------------------------------------------------------- */

static void play(struct testrig *r, const struct draw *d, struct walkrules *m)
{
    if (d->restart) {
        int s = d->restart;
        ring_clear(&r->port[s].command);
        ring_clear(&r->port[s].request);
        r->port[s].epoch = ++r->board->service[s].epoch;
        memset(&m->frame[s], 0, sizeof m->frame[s]);
        memset(r->frame[s], 0, r->layout.service.command_bytes);
    }
    if (d->writer) {
        int s = d->writer;
        struct command_frame *f = r->frame[s];
        uint64_t lease = f->lease;
        if (!d->right_lease) f->lease = 999999999;
        f->refresh += (uint64_t)d->refresh;
        for (int i = 0; i < N; i++)
            if (d->write[i]) {
                f->value[i].counter++;
                f->value[i].value = d->value[i];
                m->frame[s].fresh[i] = 1;
                m->frame[s].value[i] = d->value[i];
            }
        m->frame[s].lease = f->lease;
        m->frame[s].news = 1;
        m->frame[s].refreshed |= d->refresh;
        port_command(&r->port[s], f);
        f->lease = lease;
    }
    r->clock.wake_late_ns = d->late;
    r->plant.cost_ns = d->cost;
    r->plant.fail = d->fail;
}

#define SAME(a, b)                                                                     \
    do {                                                                               \
        if ((a) != (b)) {                                                              \
            print_error("seed %llu tick %llu: " #a " %g, by the rules %g\n",           \
                        (unsigned long long)seed0, (unsigned long long)m->tick, (double)(a), \
                        (double)(b));                                                        \
            fail();                                                                    \
        }                                                                              \
    } while (0)

static void compare(struct testrig *r, const struct walkrules *m, uint32_t state, uint32_t trip,
                    uint64_t seed0)
{
    const struct record *q = r->record;
    const struct record_actuator *a = record_actuators(&r->layout.step.record, q);
    static const uint32_t FLAG[] = {0, ACTUATOR_LIVE, ACTUATOR_TIMEOUT, ACTUATOR_SAFE};

    SAME(q->tick, m->tick);
    SAME(q->step, m->step);
    SAME(q->state, state);
    SAME(q->trip, trip);
    SAME(q->policy, m->policy);
    SAME(r->tick.steps_left, m->steps_left);
    SAME(r->tick.state, m->state);
    SAME(r->tick.slot, m->slot);
    SAME(r->tick.monitor->misses, m->misses);
    SAME(r->tick.monitor->skipped, m->skipped);
    SAME(r->tick.monitor->lost_slots, m->lost);
    SAME(r->tick.policy.span, m->span);
    SAME(r->tick.lease.number, m->lease.number);
    if (fabs(r->plant.t - m->t) > 1e-9 * (1 + m->t)) SAME(r->plant.t, m->t);
    for (int i = 0; i < N; i++) {
        SAME(a[i].value, m->a[i].out);
        (void)FLAG;
        if (r->tick.state == state) /* else the safe action began after publishing */
            SAME(a[i].flags & 7, FLAG[m->a[i].kind]);
    }
    SAME(r->plant.live, m->live);
}

static void walk(uint64_t seed0, uint64_t ticks, uint64_t seen[STATE_COUNT][TRIP_COUNT])
{
    static struct walkrules rules;
    struct walkrules *m = &rules;
    struct testrig r;
    uint64_t seed = seed0;

    walkrules_init(m);
    testrig_create(&r);
    r.config.preempt = 1u << 3;
    r.config.trip_consecutive = 4;
    r.config.trip_misses = 6;
    r.config.trip_window = 30;
    testrig_begin(&r);
    for (uint64_t k = 0; k < ticks; k++) {
        uint64_t lease[S + 1], ticket = 0;
        struct draw d;
        struct reply reply;
        uint32_t want, state, trip;
        int64_t end;
        for (int s = 0; s <= S; s++) lease[s] = r.frame[s]->lease;
        d = draw_tick(&seed, lease);
        play(&r, &d, m);
        if (d.asker) ticket = port_send(&r.port[d.asker - 1], &d.request);
        testrig_ticks(&r, 1);
        want = walkrules_tick(m, &d, &end);
        state = m->state;
        trip = m->trip;
        walkrules_judge(m, r.record->interval > 0, end, r.record->release_ns);
        if (d.asker) {
            if (!port_reply(&r.port[d.asker - 1], ticket, &reply))
                fail_msg("seed %llu tick %llu: no reply", (unsigned long long)seed0,
                         (unsigned long long)m->tick);
            SAME(reply.result, want);
            if (d.request.kind == REQUEST_ACQUIRE && reply.result == REPLY_DONE)
                r.frame[d.asker - 1]->lease = reply.number;
        }
        compare(&r, m, state, trip, seed0);
        seen[m->state][m->trip]++;
    }
    testrig_destroy(&r);
}

static void a_million_ticks_follow_the_rules(void **state)
{
    const char *text = getenv("TRAPEZE_WALK_TICKS");
    uint64_t ticks = text ? strtoull(text, NULL, 10) : 1000000;
    uint64_t seen[STATE_COUNT][TRIP_COUNT] = {{0}};

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) walk(seed, ticks / 10, seen);
    /* the walk got everywhere, or it shows nothing */
    assert_true(seen[STATE_READY][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_ARMED][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_RUNNING][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_HOLDING][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_SAFE][TRIP_ESTOP] > ticks / 1000);
    assert_true(seen[STATE_SAFE][TRIP_POLICY] > ticks / 10000);
    assert_true(seen[STATE_SAFE][TRIP_CONSECUTIVE] > 0);
    assert_true(seen[STATE_SAFE][TRIP_WINDOW] > 0);
    assert_true(seen[STATE_FAULTED][TRIP_NONE] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_ticks_follow_the_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
