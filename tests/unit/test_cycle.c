/* Lockstep and the grid of releases. Virtual clock. */
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

static void answer(struct testrig *r, uint64_t step, double value)
{
    r->frame[1]->step = step;
    testrig_write(r, 1, 0, value);
}

/* Tick until a record of a new tick is there. */
static void one_record(struct testrig *r)
{
    uint64_t before = r->tick.tick;
    while (r->tick.tick == before) testrig_ticks(r, 1);
}

static void lockstep_steps_exactly_when_the_frame_is_there(void **state)
{
    struct testrig *r = *state;

    r->config.pace = PACE_LOCKSTEP;
    testrig_begin(r);
    testrig_ticks(r, 20);
    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    for (uint64_t k = 0; k < 50; k++) {
        testrig_ticks(r, 7); /* a slow controller */
        assert_int_equal(r->tick.step, k);
        answer(r, k, (double)k / 10);
        testrig_ticks(r, 1);
        assert_int_equal(r->tick.step, k + 1);
        assert_int_equal(r->record->step, k + 1);
        assert_close(r->plant.command[0], (double)k / 5, 1e-12);
    }
    answer(r, 49, 1); /* an answer to an old step moves nothing */
    testrig_ticks(r, 5);
    assert_int_equal(r->tick.step, 50);
    assert_int_equal(r->tick.monitor->misses, 0);
}

static void lockstep_without_a_frame_holds_after_its_timeout(void **state)
{
    struct testrig *r = *state;
    struct event e;
    uint64_t cursor = 0;

    r->config.pace = PACE_LOCKSTEP;
    testrig_begin(r);
    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    answer(r, 0, 2);
    testrig_ticks(r, 1);
    assert_int_equal(r->tick.step, 1);
    testrig_ticks(r, 20 * 20 - 1); /* 20 ms in polls of 50 us */
    assert_int_equal(r->tick.state, STATE_RUNNING);
    testrig_ticks(r, 1);
    assert_int_equal(r->tick.state, STATE_HOLDING);
    assert_true(testrig_event(r, &cursor, EVENT_LOCKSTEP, &e));
    assert_int_equal(e.a, 1);
    assert_int_equal(testrig_ask(r, 1, (struct request){.kind = REQUEST_START, .lease = 1}).result,
                     REPLY_DONE);
    answer(r, 1, 2);
    testrig_ticks(r, 1);
    assert_int_equal(r->tick.step, 2);
}

static void lockstep_shows_life_once_per_period_while_waiting(void **state)
{
    struct testrig *r = *state;

    r->config.pace = PACE_LOCKSTEP;
    testrig_begin(r);
    testrig_ticks(r, 1 + 20 * 10);
    assert_int_equal(r->record->tick, 11);
}

static void an_emergency_stop_acts_while_lockstep_waits(void **state)
{
    struct testrig *r = *state;

    r->config.pace = PACE_LOCKSTEP;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 3);
    testrig_do(r, 2, REQUEST_ESTOP);
    assert_int_equal(r->tick.state, STATE_SAFE);
    one_record(r);
    assert_int_equal(r->record->state, STATE_SAFE);
    assert_int_equal(r->record->step, 1); /* goes on moving, safely */
}

/* Releases lie on T0 + k h for ever, whatever the misses. */
static void releases_never_leave_the_grid(void **state)
{
    struct testrig *r = *state;
    uint64_t seed = 7;

    testrig_begin(r);
    testrig_start(r);
    for (int i = 0; i < 2000; i++) {
        int64_t before = r->tick.release_ns, late;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        late = (int64_t)(seed >> 33) % 5000000;
        r->clock.wake_late_ns = seed >> 62 ? 0 : late;
        testrig_ticks(r, 1);
        assert_int_equal((r->record->release_ns - r->config.start_ns) % TESTRIG_H_NS, 0);
        assert_true(r->record->release_ns > before);
        assert_int_equal(r->record->release_ns,
                         r->config.start_ns + (int64_t)r->record->slot * TESTRIG_H_NS);
        assert_int_equal(testrig_account(r).skipped, testrig_account(r).end_ns / TESTRIG_H_NS);
    }
    /* The first step was made in slot 1. From step to step the slots passed are the
     * span of the next step + what was lost; the last tick's loss is ahead. */
    assert_close(r->record->t,
                 1e-3 * ((double)r->record->slot - (double)r->tick.monitor->lost_slots +
                         (double)testrig_account(r).skipped + 1 - (double)r->tick.policy.span),
                 1e-9);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lockstep_steps_exactly_when_the_frame_is_there),
        TEST(lockstep_without_a_frame_holds_after_its_timeout),
        TEST(lockstep_shows_life_once_per_period_while_waiting),
        TEST(an_emergency_stop_acts_while_lockstep_waits),
        TEST(releases_never_leave_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
