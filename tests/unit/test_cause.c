/* Every miss has a cause, by the precedence of cause.h; Newton's budget; lockstep;
 * statistics. Virtual clock: what happens to the thread is set by the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rt/testrig.h"

/* A warm rig: 200 steps of 600 us in 120 blocks of 5 us. */
static int begin(void **state)
{
    static struct testrig rig;
    testrig_create(&rig);
    rig.plant.cost_ns = 600000;
    rig.plant.blocks = 120;
    testrig_begin(&rig);
    testrig_start(&rig);
    testrig_ticks(&rig, 200);
    *state = &rig;
    return 0;
}

static int end(void **state)
{
    testrig_destroy(*state);
    return 0;
}

static uint32_t cause_of_next(struct testrig *r)
{
    struct account a;
    testrig_ticks(r, 1);
    a = testrig_account(r);
    assert_true(a.flags & ACCOUNT_MISS);
    return a.cause;
}

static void all_blocks_slower_by_2_5_is_long_compute(void **state)
{
    struct testrig *r = *state;
    r->plant.cost_ns = 1500000;
    for (int i = 0; i < 50; i++) assert_int_equal(cause_of_next(r), CAUSE_LONG_COMPUTE);
    assert_int_equal(testrig_account(r).cause_phase, PHASE_STEP);
}

/* A delay after the last stamp: one block is long, all others are as always. */
static void delayed_step(struct testrig *r, int64_t ns) { r->plant.iteration_ns = ns; }

static void one_long_gap_is_a_hole(void **state)
{
    struct testrig *r = *state;
    delayed_step(r, 500000);
    assert_int_equal(cause_of_next(r), CAUSE_HOLE);
    assert_int_equal(testrig_account(r).gap_block, CAUSE_FIRST_STEP_BLOCK + 120);
    assert_in_range(testrig_account(r).gap_ns, 500000, 500001);
}

static void a_late_wake_up_is_named(void **state)
{
    struct testrig *r = *state;
    r->clock.wake_late_ns = 450000;
    assert_int_equal(cause_of_next(r), CAUSE_LATE_WAKE);
}

static void precedence_is_injected_fault_switch_then_time(void **state)
{
    struct testrig *r = *state;
    struct fault_order overrun = {.kind = FAULT_OVERRUN, .n = 1, .value = 0.0015};

    r->clock.wake_late_ns = 450000;
    r->clock.usage.involuntary++;
    assert_int_equal(cause_of_next(r), CAUSE_PREEMPTED);
    r->clock.wake_late_ns = 450000;
    r->clock.usage.involuntary++;
    r->clock.usage.minor++;
    assert_int_equal(cause_of_next(r), CAUSE_PAGE_FAULT);
    r->clock.wake_late_ns = 450000;
    r->clock.usage.major++;
    assert_int_equal(cause_of_next(r), CAUSE_PAGE_FAULT);
    r->clock.usage.minor++;
    r->clock.usage.involuntary++;
    struct request ask = {.kind = REQUEST_FAULT, .fault = overrun};
    port_send(&r->port[1], &ask);
    assert_int_equal(cause_of_next(r), CAUSE_INJECTED);
    testrig_ticks(r, 1);
    assert_false(testrig_account(r).flags & ACCOUNT_MISS);
}

/* It gave up the core once more than it slept: stopped, whether that made it wake late or
 * tore a hole; a longer computation stays one. */
static void a_switch_nobody_asked_for_is_a_stop(void **state)
{
    struct testrig *r = *state;

    r->clock.wake_late_ns = 450000;
    r->clock.usage.voluntary += 1; /* beside its own sleep */
    assert_int_equal(cause_of_next(r), CAUSE_STOPPED);
    assert_int_equal(testrig_account(r).unasked, 1);
    r->clock.wake_late_ns = 450000;
    assert_int_equal(cause_of_next(r), CAUSE_LATE_WAKE);
    delayed_step(r, 500000);
    r->clock.usage.voluntary += 1; /* beside its own sleep */
    assert_int_equal(cause_of_next(r), CAUSE_STOPPED);
    delayed_step(r, 0);
    r->plant.cost_ns = 1500000;
    r->clock.usage.voluntary += 1; /* beside its own sleep */
    assert_int_equal(cause_of_next(r), CAUSE_LONG_COMPUTE);
}

/* A late wake-up of 450 us, and what the witness says of it 5 ticks later; one second
 * before and after nothing. Returns the cause counted, 0: none yet. */
static uint32_t cause_by_witness(struct testrig *r, struct witness *w, int64_t waited_ns,
                                 int64_t stolen_ns)
{
    uint64_t before[CAUSE_COUNT], cursor = ring_head(&r->port[0].event);
    struct event e;
    uint32_t cause = 0;

    memcpy(before, r->tick.monitor->cause, sizeof before);
    witness_tell(w, r->clock.now_ns, 1000000, 10000000);
    testrig_ticks(r, 2);
    r->clock.wake_late_ns = 450000;
    assert_int_equal(cause_of_next(r), CAUSE_LATE_WAKE);
    assert_false(testrig_event(r, &cursor, EVENT_MISS, &e)); /* held back */
    testrig_ticks(r, 5);
    if (waited_ns >= 0) witness_tell(w, r->clock.now_ns, 1000000 + waited_ns, 10000000 + stolen_ns);
    testrig_ticks(r, 2);
    for (uint32_t i = 1; i < CAUSE_COUNT; i++)
        if (r->tick.monitor->cause[i] != before[i]) cause = i;
    if (!cause) return 0;
    assert_true(testrig_event(r, &cursor, EVENT_MISS, &e));
    assert_int_equal(e.a, cause);
    assert_int_equal(e.severity, 400);
    return cause;
}

static void who_had_the_core_is_known_from_the_witness(void **state)
{
    struct testrig *r = *state;
    struct witness w = {0};
    uint64_t misses = r->tick.monitor->ever.misses;

    r->tick.witness.witness = &w;
    assert_int_equal(cause_by_witness(r, &w, 440000, 0), CAUSE_STOLEN);
    assert_int_equal(cause_by_witness(r, &w, 100000, 0), CAUSE_LATE_WAKE);
    assert_int_equal(cause_by_witness(r, &w, 0, 10000000), CAUSE_STOLEN);
    assert_int_equal(cause_by_witness(r, &w, -1, 0), 0);
    testrig_ticks(r, 200); /* silent for too long */
    assert_int_equal(r->tick.monitor->cause[CAUSE_LATE_WAKE], 2);
    assert_int_equal(r->tick.monitor->ever.misses, misses + 4);
}

/* What ordinary ticks of the same time waited is not held against the late one. */
static void waits_of_other_ticks_prove_nothing(void **state)
{
    struct testrig *r = *state;
    struct witness w = {0};

    r->tick.witness.witness = &w;
    testrig_ticks(r, 1);
    witness_tell(&w, r->clock.now_ns, 0, 0);
    testrig_ticks(r, 1);
    for (int i = 0; i < 20; i++) {
        r->clock.wake_late_ns = 20000;
        testrig_ticks(r, 1);
    }
    r->clock.wake_late_ns = 450000;
    testrig_ticks(r, 2);
    witness_tell(&w, r->clock.now_ns, 400000, 0);
    testrig_ticks(r, 1);
    assert_int_equal(r->tick.monitor->cause[CAUSE_LATE_WAKE], 1);
    assert_int_equal(r->tick.monitor->cause[CAUSE_STOLEN], 0);
}

/* One block longer than ever, but by less than a hole: nobody can say why. */
static void a_miss_without_evidence_stays_unexplained(void **state)
{
    struct testrig *r = *state;
    struct testrig bad;

    (void)r;
    testrig_create(&bad);
    bad.plant.cost_ns = 600000; /* one block only */
    testrig_begin(&bad);
    testrig_start(&bad);
    testrig_ticks(&bad, 200);
    bad.plant.cost_ns = 1100000;
    assert_int_equal(cause_of_next(&bad), CAUSE_UNEXPLAINED);
    assert_int_equal(bad.tick.monitor->cause[CAUSE_UNEXPLAINED], 1);
    testrig_destroy(&bad);
}

static void more_iterations_than_ever_is_long_compute(void **state)
{
    struct testrig r;

    (void)state;
    testrig_create(&r);
    r.plant.cost_ns = 600000;
    r.plant.iterations = 1;
    r.config.pace = PACE_REALTIME;
    testrig_begin(&r);
    testrig_start(&r);
    testrig_ticks(&r, 200);
    r.plant.iterations = 3; /* never asked before: no estimate, so it goes on */
    r.plant.iteration_ns = 200000;
    assert_int_equal(cause_of_next(&r), CAUSE_LONG_COMPUTE);
    testrig_destroy(&r);
}

/* 2 iterations of 150 us after 300 us. Woken 600 us late the second would end after
 * the deadline: it is not begun, the value is published on time and uncertain. */
static void an_iteration_that_cannot_finish_is_not_begun(void **state)
{
    struct testrig r;

    (void)state;
    testrig_create(&r);
    r.plant.cost_ns = 300000;
    r.plant.iteration_ns = 150000;
    r.plant.iterations = 2;
    testrig_begin(&r);
    testrig_start(&r);
    testrig_ticks(&r, 200);
    assert_int_equal(r.record->iterations, 2);
    r.clock.wake_late_ns = 450000;
    testrig_ticks(&r, 1);
    assert_int_equal(r.record->iterations, 1);
    assert_int_equal(r.record->status, STATUS_BUDGET);
    assert_int_equal(r.record->quality, RECORD_SUBNORMAL);
    assert_int_equal(r.tick.monitor->misses, 0);
    assert_int_equal(r.tick.monitor->budget_stops, 1);
    r.clock.wake_late_ns = 350000;
    testrig_ticks(&r, 1);
    assert_int_equal(r.record->iterations, 2);
    assert_int_equal(r.record->quality, 0);
    testrig_destroy(&r);
}

/* One block grows by half, again and again, without a miss: not believed. */
static void noise_does_not_raise_the_bar_for_holes(void **state)
{
    struct testrig *r = *state;

    for (int64_t ns = 10000; ns < 390000; ns += ns / 2) {
        delayed_step(r, ns);
        testrig_ticks(r, 5);
        assert_int_equal(r->tick.monitor->misses, 0);
    }
    delayed_step(r, 500000);
    assert_int_equal(cause_of_next(r), CAUSE_HOLE);
}

/* Both the hole and the late wake-up would have missed alone: the hole is named. */
static void a_hole_goes_before_a_late_wake_up(void **state)
{
    struct testrig *r = *state;
    delayed_step(r, 1200000);
    r->clock.wake_late_ns = 450000;
    assert_int_equal(cause_of_next(r), CAUSE_HOLE);
    delayed_step(r, 60000); /* a small hole does not explain a wake-up later than it */
    r->clock.wake_late_ns = 1700000;
    assert_int_equal(cause_of_next(r), CAUSE_LATE_WAKE);
}

static void statistics_count_every_tick_once(void **state)
{
    struct testrig *r = *state;
    const struct monitor *m = r->tick.monitor;
    uint64_t sum = 0;

    for (int s = 0; s < SERIES_COUNT; s++) {
        const struct monitor_series *q = &m->series[s];
        sum = q->overflow;
        for (int i = 0; i < MONITOR_BINS; i++) sum += q->bin[i];
        assert_int_equal(sum, m->ticks);
        assert_int_equal(q->n, m->ticks);
    }
    assert_int_equal(m->series[SERIES_PHASE + PHASE_STEP].bin[600], 201);
    assert_int_equal(m->series[SERIES_END].max_ns, 600000);
    assert_int_equal(monitor_minute_max(&m->series[SERIES_END]), 600000);
}

/* A maximum is forgotten by the last minute after 60 s, never by the all-time one;
 * a reset clears all within SERIES_COUNT ticks. */
static void the_last_minute_forgets_and_a_reset_clears(void **state)
{
    struct testrig *r = *state;
    const struct monitor_series *s = &r->tick.monitor->series[SERIES_WAKE];

    r->plant.cost_ns = 0;
    r->clock.wake_late_ns = 70000;
    testrig_ticks(r, 59000);
    assert_int_equal(monitor_minute_max(s), 70000);
    assert_int_equal(monitor_minute_step(s), s->max_step);
    assert_int_equal(s->max_step, 202); /* the tick that armed did not step */
    testrig_ticks(r, 2000);
    assert_int_equal(monitor_minute_max(s), 0);
    assert_int_equal(s->max_ns, 70000);
    assert_int_equal(s->max_tick, 203);
    r->clock.wake_late_ns = 1000000;
    testrig_ticks(r, 1);
    assert_int_equal(r->tick.monitor->misses, 1);
    testrig_do(r, 1, REQUEST_STATISTICS);
    testrig_ticks(r, SERIES_COUNT - 1);
    assert_int_equal(r->tick.monitor->resets, 1);
    assert_int_equal(s->max_ns, 0);
    assert_int_equal(r->tick.monitor->ticks, 0);
    /* a record that no request erases */
    assert_int_equal(r->tick.monitor->misses, 0);
    assert_int_equal(r->tick.monitor->ever.misses, 1);
    assert_int_equal(r->tick.monitor->ever.cause[CAUSE_LATE_WAKE], 1);
    assert_true(r->tick.monitor->ever.ticks > 61000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_blocks_slower_by_2_5_is_long_compute),
        TEST(one_long_gap_is_a_hole),
        TEST(a_late_wake_up_is_named),
        TEST(precedence_is_injected_fault_switch_then_time),
        TEST(a_switch_nobody_asked_for_is_a_stop),
        TEST(who_had_the_core_is_known_from_the_witness),
        TEST(waits_of_other_ticks_prove_nothing),
        TEST(a_miss_without_evidence_stays_unexplained),
        cmocka_unit_test(more_iterations_than_ever_is_long_compute),
        cmocka_unit_test(an_iteration_that_cannot_finish_is_not_begun),
        TEST(noise_does_not_raise_the_bar_for_holes),
        TEST(a_hole_goes_before_a_late_wake_up),
        TEST(statistics_count_every_tick_once),
        TEST(the_last_minute_forgets_and_a_reset_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
