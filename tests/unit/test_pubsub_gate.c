/* Commands of the fast lane on their way to the step: order, authority, and that no value
 * of one holder is ever taken under the lease of another. Virtual clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "services/opcua/lane/pubsub_gate.h"
#include "tests/rt/testrig.h"

struct world {
    struct testrig rig;
    struct gate gate;
    uint64_t lease, epoch;
};

/* Session 11 of service 1 lends its authority. */
static int begin(void **state)
{
    static struct world w;
    struct rig rig = {.step = 1e-3};

    testrig_create(&w.rig);
    w.rig.config.preempt = 1u << 1;
    testrig_begin(&w.rig);
    testrig_start(&w.rig);
    assert_true(gate_init(&w.gate, &w.rig.port[1], &rig));
    w.lease = testrig_acquire(&w.rig, 1, 11, LEASE_STREAM);
    w.epoch = gate_open(&w.gate, w.lease, w.rig.record->tick, w.rig.frame[1]);
    *state = &w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;

    gate_free(&w->gate);
    testrig_destroy(&w->rig);
    return 0;
}

static int offer_at(struct world *w, const struct record *now, uint64_t counter, double value)
{
    double all[TESTRIG_ACTUATORS] = {value, value, value};
    struct uadp_command c = {
        .epoch = w->epoch, .counter = counter, .value = all, .n = TESTRIG_ACTUATORS};

    return gate_offer(&w->gate, now, &c);
}

static int offer(struct world *w, uint64_t counter, double value)
{
    return offer_at(w, w->rig.record, counter, value);
}

static const struct record_actuator *shown(struct world *w, int i)
{
    return &record_actuators(&w->rig.layout.step.record, w->rig.record)[i];
}

static void all_values_act_in_the_next_tick_and_their_counter_is_known(void **state)
{
    struct world *w = *state;

    assert_int_equal(offer(w, 5000, 3), GATE_OK);
    assert_int_equal(gate_acting(&w->gate, w->rig.record), 0);
    testrig_ticks(&w->rig, 1);
    for (int i = 0; i < TESTRIG_ACTUATORS; i++) {
        assert_close(shown(w, i)->value, 3, 0);
        assert_true(shown(w, i)->flags & ACTUATOR_LIVE);
    }
    assert_int_equal(gate_acting(&w->gate, w->rig.record), 5000);
}

static void counters_must_rise_and_epochs_be_right(void **state)
{
    struct world *w = *state;
    uint64_t old = w->epoch;

    assert_int_equal(offer(w, 0, 3), PUBSUB_COUNTER);
    assert_int_equal(offer(w, 7, 3), GATE_OK);
    assert_int_equal(offer(w, 7, 4), PUBSUB_COUNTER);
    assert_int_equal(offer(w, 6, 4), PUBSUB_COUNTER);
    assert_int_equal(offer(w, 8, 11), PUBSUB_RANGE);
    assert_int_equal(offer(w, 8, 4), PUBSUB_COUNTER);
    assert_int_equal(offer(w, UINT64_MAX, 3), GATE_OK);
    w->epoch = gate_open(&w->gate, w->lease, w->rig.record->tick, w->rig.frame[1]);
    assert_true(w->epoch != old);
    assert_int_equal(offer(w, 1, 3), GATE_OK);
    w->epoch = old;
    assert_int_equal(offer(w, 2, 3), PUBSUB_EPOCH);
}

static void a_rig_that_takes_no_commands_gets_none(void **state)
{
    struct world *w = *state;
    double all[TESTRIG_ACTUATORS] = {1, 1, 1};
    struct uadp_command c = {.epoch = w->epoch, .counter = 1, .value = all, .n = TESTRIG_ACTUATORS};

    assert_int_equal(gate_offer(&w->gate, NULL, &c), PUBSUB_NOT_NOW); /* the step is gone */
    assert_int_equal(testrig_do(&w->rig, 0, REQUEST_ESTOP), REPLY_DONE);
    assert_int_equal(offer(w, 2, 1), PUBSUB_AUTHORITY); /* it ends every lease */
}

static void a_lease_that_expired_is_no_authority(void **state)
{
    struct world *w = *state;

    assert_int_equal(offer(w, 1, 2), GATE_OK);
    testrig_ticks(&w->rig, 60);
    assert_int_equal(w->rig.record->lease.number, 0);
    assert_int_equal(offer(w, 2, 2), PUBSUB_AUTHORITY);
}

/* A request for authority that is refused costs the lane nothing. */
static void what_waits_for_a_refused_request_goes_out_afterwards(void **state)
{
    struct world *w = *state;
    struct request q = {.kind = REQUEST_ACQUIRE, .index = LEASE_STREAM, .session = 12};

    gate_hold(&w->gate);
    assert_int_equal(offer(w, 1, 4), GATE_OK);
    assert_int_equal(offer(w, 2, 5), GATE_OK);
    assert_int_equal(testrig_ask(&w->rig, 1, q).result, REPLY_AUTHORITY);
    assert_false(shown(w, 0)->flags & ACTUATOR_LIVE);
    gate_resume(&w->gate);
    testrig_ticks(&w->rig, 1);
    assert_close(shown(w, 2)->value, 5, 0);
    assert_int_equal(gate_acting(&w->gate, w->rig.record), 2);
}

/* Another session of the same service takes the authority while the lane sends: what the
 * lane sent last must not come with the session's first write. */
static void values_of_the_lane_never_act_under_anothers_lease(void **state)
{
    struct world *w = *state;
    struct request q = {
        .kind = REQUEST_ACQUIRE, .index = LEASE_STREAM, .session = 12, .preempt = 1};
    struct record before;
    struct reply r;

    assert_int_equal(offer(w, 1, 4), GATE_OK);
    testrig_ticks(&w->rig, 1);
    before = *w->rig.record;
    gate_hold(&w->gate);
    r = testrig_ask(&w->rig, 1, q);
    assert_int_equal(r.result, REPLY_DONE);
    assert_int_equal(offer_at(w, &before, 2, 9), GATE_OK); /* the lane does not know yet */
    assert_int_equal(offer(w, 3, 9), PUBSUB_AUTHORITY);
    gate_close(&w->gate, w->rig.frame[1]);
    assert_int_equal(offer(w, 4, 9), PUBSUB_AUTHORITY);
    w->rig.frame[1]->lease = r.number;
    testrig_write(&w->rig, 1, 0, 1);
    testrig_ticks(&w->rig, 3);
    assert_close(shown(w, 0)->value, 1, 0);
    assert_true(shown(w, 0)->flags & ACTUATOR_LIVE);
    for (int i = 1; i < TESTRIG_ACTUATORS; i++) assert_false(shown(w, i)->flags & ACTUATOR_LIVE);
    assert_int_equal(gate_acting(&w->gate, w->rig.record), 0);
}

/* And the other way round: the lane goes on from the session's frame. */
static void the_lanes_first_message_is_new_to_the_step(void **state)
{
    struct world *w = *state;

    gate_close(&w->gate, w->rig.frame[1]);
    w->rig.frame[1]->lease = w->lease;
    for (int i = 0; i < 5; i++) testrig_write(&w->rig, 1, 0, 2);
    testrig_ticks(&w->rig, 1);
    w->lease = testrig_acquire(&w->rig, 1, 11, LEASE_STREAM);
    w->epoch = gate_open(&w->gate, w->lease, w->rig.record->tick, w->rig.frame[1]);
    for (uint64_t n = 1; n < 10; n++) {
        assert_int_equal(offer(w, n, (double)n), GATE_OK);
        testrig_ticks(&w->rig, 1);
        for (int i = 0; i < TESTRIG_ACTUATORS; i++) assert_close(shown(w, i)->value, (double)n, 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(all_values_act_in_the_next_tick_and_their_counter_is_known),
        TEST(counters_must_rise_and_epochs_be_right),
        TEST(a_rig_that_takes_no_commands_gets_none),
        TEST(a_lease_that_expired_is_no_authority),
        TEST(what_waits_for_a_refused_request_goes_out_afterwards),
        TEST(values_of_the_lane_never_act_under_anothers_lease),
        TEST(the_lanes_first_message_is_new_to_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
