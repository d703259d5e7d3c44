/* What a miss leads to, exactly, on the virtual clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rt/testrig.h"

static int begin(void **state)
{
    static struct testrig rig;
    testrig_create(&rig);
    *state = &rig;
    return 0;
}

static int end(void **state)
{
    testrig_destroy(*state);
    return 0;
}

/* Busy time of 0.5, 1.5, 2.5, 10 periods at one step, deadline = h. */
static void injected_overruns_give_exact_misses_and_skips(void **state)
{
    static const struct {
        double periods;
        unsigned misses, skipped;
    } CASE[] = {{0.5, 0, 0}, {1.5, 1, 1}, {2.5, 1, 2}, {10, 1, 10}};

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct testrig r;
        struct tick_inject inject = {.step = 5,
                                     .busy_ns = (int64_t)(CASE[i].periods * TESTRIG_H_NS)};
        testrig_create(&r);
        r.config.inject = &inject;
        r.config.n_inject = 1;
        testrig_begin(&r);
        testrig_start(&r);
        testrig_ticks(&r, 50);
        assert_int_equal(r.tick.monitor->misses, CASE[i].misses);
        assert_int_equal(r.tick.monitor->skipped, CASE[i].skipped);
        assert_int_equal(r.tick.monitor->cause[CAUSE_INJECTED], CASE[i].misses);
        assert_int_equal(r.record->slot, r.record->tick - 1 + CASE[i].skipped);
        testrig_destroy(&r);
    }
}

/* After 1.5 periods the next step covers 2h: nothing is lost. After 2.5 it covers 2h
 * and one slot is lost. */
static void skip_takes_one_step_of_2h_and_counts_the_rest_as_lost(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject[] = {{3, 1500000}, {8, 2500000}};

    r->config.inject = inject;
    r->config.n_inject = 2;
    testrig_begin(r);
    testrig_start(r); /* step 1 */
    testrig_ticks(r, 2);
    assert_int_equal(r->record->step, 3);
    assert_true(r->record->quality & RECORD_LATE);
    assert_close(r->record->t, 0.003, 1e-12);
    testrig_ticks(r, 1);
    assert_close(r->record->interval, 0.002, 0);
    assert_int_equal(r->record->quality, 0);
    testrig_ticks(r, 1);
    assert_close(r->record->interval, 0.001, 0);
    assert_int_equal(r->tick.monitor->lost_slots, 0);
    testrig_ticks(r, 4); /* steps 6..9, 8 overruns */
    assert_close(r->record->interval, 0.002, 0);
    assert_int_equal(r->tick.monitor->lost_slots, 1);
}

static void finish_late_always_takes_h(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject = {3, 2500000};

    r->config.inject = &inject;
    r->config.n_inject = 1;
    r->config.policy = POLICY_FINISH_LATE;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 2);
    assert_true(r->record->quality & RECORD_LATE);
    testrig_ticks(r, 1);
    assert_close(r->record->interval, 0.001, 0);
    assert_int_equal(r->tick.monitor->lost_slots, 2);
    assert_close(r->record->t, 0.004, 1e-12);
}

static void hold_shows_the_last_values_and_goes_on(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject = {3, 1500000};
    double shown;

    r->config.inject = &inject;
    r->config.n_inject = 1;
    r->config.policy = POLICY_HOLD;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 1);
    shown = record_channels(&r->layout.step.record, r->record)[0];
    testrig_ticks(r, 1);
    assert_close(record_channels(&r->layout.step.record, r->record)[0], shown, 0);
    assert_close(r->record->t, 0.002, 1e-12);
    assert_int_equal(r->record->step, 3);
    assert_true(r->record->quality & RECORD_HELD);
    assert_int_equal(r->tick.monitor->held, 1);
    testrig_ticks(r, 1);
    assert_close(r->record->t, 0.005, 1e-12);
    assert_int_equal(r->record->quality, 0);
}

static void stop_goes_safe_at_the_first_miss(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject = {3, 1500000};

    r->config.inject = &inject;
    r->config.n_inject = 1;
    r->config.policy = POLICY_STOP;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 3);
    assert_int_equal(r->record->state, STATE_SAFE);
    assert_int_equal(r->record->trip, TRIP_POLICY);
    assert_int_equal(r->tick.monitor->trips, 1);
}

/* Two in a row, one on time, two in a row: no trip at three; then three: trip. */
static void trip_by_misses_in_a_row(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject[] = {{3, 1500000},  {4, 1500000},  {6, 1500000}, {7, 1500000},
                                   {10, 1500000}, {11, 1500000}, {12, 1500000}};

    r->config.inject = inject;
    r->config.n_inject = 7;
    r->config.trip_consecutive = 3;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 10);
    assert_int_equal(r->record->state, STATE_RUNNING);
    testrig_ticks(r, 2);
    assert_int_equal(r->record->state, STATE_SAFE);
    assert_int_equal(r->record->trip, TRIP_CONSECUTIVE);
}

/* 3 misses in 20 slots trip, 3 in 21 do not; a lifetime total never does. */
static void trip_by_misses_per_window(void **state)
{
    (void)state;
    for (int apart = 9; apart <= 10; apart++) {
        struct testrig r;
        struct tick_inject inject[40];
        for (int i = 0; i < 40; i++) /* each miss drops one slot: apart slots between */
            inject[i] = (struct tick_inject){.step = (uint64_t)(5 + i * (apart - 1)),
                                             .busy_ns = 1500000};
        testrig_create(&r);
        r.config.inject = inject;
        r.config.n_inject = 40;
        r.config.trip_misses = 3;
        r.config.trip_window = 2 * 9 + 1;
        testrig_begin(&r);
        testrig_start(&r);
        testrig_ticks(&r, 200);
        assert_int_equal(r.record->state, apart == 9 ? STATE_SAFE : STATE_RUNNING);
        assert_int_equal(r.record->trip, apart == 9 ? TRIP_WINDOW : TRIP_NONE);
        if (apart == 10) assert_true(r.tick.monitor->misses > 20);
        testrig_destroy(&r);
    }
}

/* A deadline shorter than h is missed without a slot being passed. */
static void a_miss_need_not_skip(void **state)
{
    struct testrig *r = *state;
    struct tick_inject inject = {3, 600000};

    r->config.deadline_ns = 500000;
    r->config.inject = &inject;
    r->config.n_inject = 1;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 5);
    assert_int_equal(r->tick.monitor->misses, 1);
    assert_int_equal(r->tick.monitor->skipped, 0);
    assert_close(r->plant.last_h, 0.001, 0);
}

static void misses_while_nothing_runs_do_not_trip(void **state)
{
    struct testrig *r = *state;

    r->config.trip_consecutive = 1;
    testrig_begin(r);
    for (int i = 0; i < 5; i++) {
        r->clock.wake_late_ns = 1500000;
        testrig_ticks(r, 1);
    }
    assert_int_equal(r->tick.monitor->misses, 5);
    assert_int_equal(r->record->state, STATE_READY);
}

static void safe_goes_on_moving_and_does_not_trip_again(void **state)
{
    struct testrig *r = *state;
    uint64_t step;

    r->config.trip_consecutive = 1;
    testrig_begin(r);
    testrig_start(r);
    testrig_do(r, 2, REQUEST_ESTOP);
    assert_int_equal(r->record->state, STATE_SAFE);
    step = r->record->step;
    r->clock.wake_late_ns = 3500000;
    testrig_ticks(r, 4);
    assert_int_equal(r->record->step, step + 4);
    assert_int_equal(r->record->trip, TRIP_ESTOP);
    assert_int_equal(r->tick.monitor->trips, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(injected_overruns_give_exact_misses_and_skips),
        TEST(skip_takes_one_step_of_2h_and_counts_the_rest_as_lost),
        TEST(finish_late_always_takes_h),
        TEST(hold_shows_the_last_values_and_goes_on),
        TEST(stop_goes_safe_at_the_first_miss),
        TEST(trip_by_misses_in_a_row),
        cmocka_unit_test(trip_by_misses_per_window),
        TEST(a_miss_need_not_skip),
        TEST(misses_while_nothing_runs_do_not_trip),
        TEST(safe_goes_on_moving_and_does_not_trip_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
