/* Commands and leases: who may, what is taken, what stops. Virtual clock. */
#include <math.h>
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
    testrig_begin(&rig);
    *state = &rig;
    return 0;
}

static int end(void **state)
{
    testrig_destroy(*state);
    return 0;
}

static const struct record_actuator *shown(struct testrig *r, int i)
{
    return &record_actuators(&r->layout.step.record, r->record)[i];
}

static void a_command_acts_in_the_next_tick(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    assert_true(testrig_acquire(r, 1, 11, LEASE_STREAM) > 0);
    testrig_write(r, 1, 0, 3.0);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 3.0, 0);
    assert_int_equal(shown(r, 0)->flags, ACTUATOR_LIVE);
    assert_int_equal(shown(r, 0)->counter, 1);
    assert_close(r->plant.command[0], 6.0, 0); /* scale 2 */
    assert_close(r->plant.command[1], 1.0, 0); /* start value 0.5 */
    assert_int_equal(shown(r, 0)->age_ns, 0);
    assert_int_equal(shown(r, 1)->age_ns, -1);
    testrig_ticks(r, 2);
    assert_int_equal(shown(r, 0)->age_ns, 2 * TESTRIG_H_NS);
}

static void not_finite_and_out_of_range_values_are_never_applied(void **state)
{
    struct testrig *r = *state;
    static const double BAD[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 10.0001, -1e300};

    r->rule[0].timeout_ns = 6 * TESTRIG_H_NS;
    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 0, -10.0);
    testrig_ticks(r, 1);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        testrig_write(r, 1, 0, BAD[i]);
        testrig_ticks(r, 1);
        assert_true(shown(r, 0)->flags & ACTUATOR_REFUSED);
        assert_close(r->plant.command[0], -20.0, 0);
    }
    assert_int_equal(r->tick.monitor->refused_commands, 5);
    testrig_ticks(r, 1); /* refused writes do not feed the timeout */
    assert_true(shown(r, 0)->flags & ACTUATOR_TIMEOUT);
}

static void frames_without_the_current_lease_are_ignored(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_write(r, 1, 0, 5); /* no lease at all */
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0.5, 0);
    assert_true(testrig_acquire(r, 1, 11, LEASE_STREAM) > 0);
    assert_int_equal(testrig_acquire(r, 2, 22, LEASE_STREAM), 0);
    r->frame[2]->lease = r->record->lease.number; /* a stolen number */
    testrig_write(r, 2, 0, 7);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0.5, 0);
    r->frame[1]->lease--;
    testrig_write(r, 1, 0, 6);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0.5, 0);
}

static void what_was_written_before_the_lease_is_not_fresh(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_write(r, 1, 0, 5);
    testrig_write(r, 1, 1, 6);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 1, 7);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0.5, 0);
    assert_close(shown(r, 1)->value, 7, 0);
}

/* zero, hold, ramp; each begins in the tick in which its writes are 5 ms old. */
static void stream_timeout_leads_to_the_safe_action(void **state)
{
    struct testrig *r = *state;
    static const double RAMP[] = {6.25, 4.5, 2.75, 1, 1}; /* 8 to 1 in 4 steps */
    uint64_t cursor = 0;
    struct event e;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    for (int i = 0; i < 3; i++) testrig_write(r, 1, i, 8);
    for (int k = 0; k < 5; k++) {
        testrig_ticks(r, 1);
        assert_int_equal(shown(r, 0)->flags, ACTUATOR_LIVE);
    }
    for (int k = 0; k < 5; k++) {
        testrig_ticks(r, 1);
        assert_true(shown(r, 0)->flags & ACTUATOR_TIMEOUT);
        assert_close(shown(r, 0)->value, 0, 0);
        assert_close(shown(r, 1)->value, 8, 0);
        assert_close(shown(r, 2)->value, RAMP[k], 1e-12);
        assert_int_equal((shown(r, 2)->flags & ACTUATOR_RAMPING) != 0, k < 3);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(testrig_event(r, &cursor, EVENT_TIMEOUT, &e));
        assert_int_equal(e.index, i);
    }
    testrig_write(r, 1, 2, 4); /* fresh writes take over again */
    testrig_ticks(r, 1);
    assert_close(shown(r, 2)->value, 4, 0);
    assert_int_equal(shown(r, 2)->timeouts, 1);
    assert_true(shown(r, 0)->flags & ACTUATOR_TIMEOUT);
}

/* Age is the step's own count: the same frame again, or the same counter, feeds
 * nothing. */
static void only_a_changed_counter_feeds(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 0, 8);
    for (int k = 0; k < 6; k++) {
        r->frame[1]->sent_ns = INT64_MAX;
        port_command(&r->port[1], r->frame[1]);
        testrig_ticks(r, 1);
    }
    assert_true(shown(r, 0)->flags & ACTUATOR_TIMEOUT);
}

static void a_stream_lease_ends_without_fresh_writes(void **state)
{
    struct testrig *r = *state;
    uint64_t cursor = 0;
    struct event e;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 1, 8);
    testrig_ticks(r, 50);
    assert_int_equal(r->record->lease.number, 1);
    testrig_ticks(r, 1);
    assert_int_equal(r->record->lease.number, 0);
    assert_true(testrig_event(r, &cursor, EVENT_LEASE, &e));
    assert_int_equal(e.a, LEASE_END_NOT);
    assert_true(testrig_event(r, &cursor, EVENT_LEASE, &e));
    assert_int_equal(e.a, LEASE_END_EXPIRED);
}

static void a_manual_lease_lives_by_its_refresh_and_has_no_timeouts(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    testrig_write(r, 1, 0, 8);
    for (int k = 0; k < 10; k++) {
        testrig_ticks(r, 49);
        testrig_refresh(r, 1);
        assert_int_equal(shown(r, 0)->flags, ACTUATOR_LIVE);
        assert_close(shown(r, 0)->value, 8, 0);
    }
    testrig_ticks(r, 1); /* takes the last refresh */
    testrig_ticks(r, 49);
    assert_int_equal(shown(r, 0)->flags, ACTUATOR_LIVE);
    testrig_ticks(r, 1);
    assert_int_equal(r->record->lease.number, 0);
    assert_true(shown(r, 0)->flags & ACTUATOR_SAFE);
    assert_close(shown(r, 0)->value, 0, 0);
}

static void a_restarted_service_loses_its_authority(void **state)
{
    struct testrig *r = *state;
    uint64_t lease;

    testrig_start(r);
    lease = testrig_acquire(r, 1, 11, LEASE_MANUAL);
    testrig_write(r, 1, 0, 8);
    testrig_ticks(r, 3);
    ring_clear(&r->port[1].command); /* as the supervisor does */
    ring_clear(&r->port[1].request);
    r->board->service[1].epoch = 2;
    r->port[1].epoch = 2;
    testrig_ticks(r, 1);
    assert_int_equal(r->record->lease.number, 0);
    assert_true(shown(r, 0)->flags & ACTUATOR_SAFE);
    testrig_write(r, 1, 0, 5); /* old number */
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0, 0);
    assert_true(testrig_acquire(r, 1, 12, LEASE_STREAM) > lease);
    testrig_write(r, 1, 0, 5);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 5, 0);
}

static void pre_emption_only_where_the_rig_allows(void **state)
{
    struct testrig *r = *state;
    struct request ask = {
        .kind = REQUEST_ACQUIRE, .index = LEASE_STREAM, .session = 9, .preempt = 1};

    r->config.preempt = 1u << 3;
    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    assert_int_equal(testrig_ask(r, 2, ask).result, REPLY_NOT_ALLOWED);
    assert_int_equal(r->record->lease.service, 1);
    assert_int_equal(testrig_ask(r, 3, ask).result, REPLY_DONE);
    assert_int_equal(r->record->lease.service, 3);
    assert_int_equal(r->record->lease.session, 9);
}

static void the_holder_may_acquire_again_in_another_mode(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    assert_int_equal(testrig_acquire(r, 1, 11, LEASE_STREAM), 1);
    assert_int_equal(testrig_acquire(r, 1, 11, LEASE_MANUAL), 2);
    assert_int_equal(r->record->lease.mode, LEASE_MANUAL);
    assert_int_equal(testrig_acquire(r, 1, 12, LEASE_MANUAL), 0);
    assert_int_equal(
        testrig_ask(r, 1, (struct request){.kind = REQUEST_ACQUIRE, .index = 7}).result,
        REPLY_RANGE);
}

static void commands_are_not_taken_in_ready_safe_and_faulted(void **state)
{
    struct testrig *r = *state;

    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 0, 5);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0.5, 0);
    testrig_do(r, 0, REQUEST_ARM);
    assert_close(shown(r, 0)->value, 0.5, 0); /* nor when armed later */
    testrig_write(r, 1, 0, 6);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 6, 0);
    testrig_do(r, 0, REQUEST_START);
    testrig_do(r, 3, REQUEST_ESTOP);
    assert_int_equal(r->record->lease.number, 0);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 0, 7);
    testrig_ticks(r, 1);
    assert_close(shown(r, 0)->value, 0, 0);
    assert_int_equal(shown(r, 0)->flags, ACTUATOR_SAFE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_command_acts_in_the_next_tick),
        TEST(not_finite_and_out_of_range_values_are_never_applied),
        TEST(frames_without_the_current_lease_are_ignored),
        TEST(what_was_written_before_the_lease_is_not_fresh),
        TEST(stream_timeout_leads_to_the_safe_action),
        TEST(only_a_changed_counter_feeds),
        TEST(a_stream_lease_ends_without_fresh_writes),
        TEST(a_manual_lease_lives_by_its_refresh_and_has_no_timeouts),
        TEST(a_restarted_service_loses_its_authority),
        TEST(pre_emption_only_where_the_rig_allows),
        TEST(the_holder_may_acquire_again_in_another_mode),
        TEST(commands_are_not_taken_in_ready_safe_and_faulted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
