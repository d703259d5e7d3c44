/* Requests, one claim per kind; the end of the program; snapshots. Virtual clock. */
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

static void the_heartbeat_counts_in_every_state(void **state)
{
    struct testrig *r = *state;
    uint64_t tick;

    testrig_ticks(r, 3);
    assert_int_equal(r->record->tick, 3);
    assert_int_equal(r->record->step, 0);
    assert_int_equal(r->record->quality, RECORD_INITIAL);
    testrig_start(r);
    testrig_do(r, 0, REQUEST_PAUSE);
    tick = r->record->tick;
    testrig_ticks(r, 5);
    assert_int_equal(r->record->tick, tick + 5);
    assert_int_equal(r->record->step, 1);
    assert_int_equal(r->record->quality, RECORD_HELD);
    assert_close(r->record->t, 0.001, 1e-15);
}

static void step_n_makes_n_steps_then_holds_and_says_so(void **state)
{
    struct testrig *r = *state;
    struct reply reply;
    struct event e;
    uint64_t cursor = 0;

    testrig_do(r, 0, REQUEST_ARM);
    reply = testrig_ask(r, 2, (struct request){.kind = REQUEST_STEP, .count = 5, .session = 77});
    assert_int_equal(reply.result, REPLY_STARTED);
    testrig_ticks(r, 10);
    assert_int_equal(r->record->step, 5);
    assert_int_equal(r->record->state, STATE_HOLDING);
    assert_true(testrig_event(r, &cursor, EVENT_STEPS_DONE, &e));
    assert_int_equal(e.a, 5);
    assert_int_equal(e.service, 2);
    assert_int_equal(e.session, 77);
    assert_int_equal(testrig_ask(r, 2, (struct request){.kind = REQUEST_STEP}).result, REPLY_RANGE);
}

static void refused_requests_change_nothing_and_say_why(void **state)
{
    struct testrig *r = *state;
    struct fault_order no_channel = {.kind = FAULT_BIAS, .target = 3};
    struct fault_order bad_delay = {.kind = FAULT_DELAY, .value = 1.5};
    const struct {
        struct request request;
        enum reply_result result;
    } CASE[] = {
        {{.kind = REQUEST_START}, REPLY_STATE},
        {{.kind = REQUEST_PAUSE}, REPLY_STATE},
        {{.kind = REQUEST_DISARM}, REPLY_STATE},
        {{.kind = REQUEST_COUNT}, REPLY_UNKNOWN},
        {{.kind = UINT32_MAX}, REPLY_UNKNOWN},
        {{.kind = REQUEST_PARAMETER, .index = 0, .value = 1}, REPLY_RESTART},
        {{.kind = REQUEST_PARAMETER, .index = 2, .value = 1}, REPLY_INDEX},
        {{.kind = REQUEST_PARAMETER, .index = -1, .value = 1}, REPLY_INDEX},
        {{.kind = REQUEST_PARAMETER, .index = 1, .value = 21}, REPLY_RANGE},
        {{.kind = REQUEST_PARAMETER, .index = 1, .value = (double)NAN}, REPLY_RANGE},
        {{.kind = REQUEST_POLICY, .index = POLICY_COUNT}, REPLY_INDEX},
        {{.kind = REQUEST_FAULT, .fault = no_channel}, REPLY_INDEX},
        {{.kind = REQUEST_FAULT, .fault = bad_delay}, REPLY_RANGE},
        {{.kind = REQUEST_FAULT}, REPLY_UNKNOWN},
        {{.kind = REQUEST_CLEAR, .index = FAULT_SLOTS}, REPLY_INDEX},
        {{.kind = REQUEST_RESTORE}, REPLY_EMPTY},
        {{.kind = REQUEST_RELEASE}, REPLY_NOBODY},
        {{.kind = REQUEST_RESTORE, .name = "other"}, REPLY_EMPTY},
        {{.kind = REQUEST_JOINT_RELEASE, .index = 0}, REPLY_INDEX},
        {{.kind = REQUEST_JOINT_LOCK, .index = 9}, REPLY_INDEX},
        {{.kind = REQUEST_STOP}, REPLY_NOT_ALLOWED},
    };

    testrig_ticks(r, 1);
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        assert_int_equal(testrig_ask(r, 1, CASE[i].request).result, CASE[i].result);
        assert_int_equal(r->record->state, STATE_READY);
        assert_int_equal(r->record->policy, POLICY_SKIP);
        assert_int_equal(r->record->faults, 0);
        assert_close(r->plant.live, 7, 0);
    }
}

static void arming_needs_the_machines_blessing(void **state)
{
    struct testrig *r = *state;

    r->config.arm_allowed = 0;
    assert_int_equal(testrig_do(r, 0, REQUEST_ARM), REPLY_NOT_ALLOWED);
    assert_int_equal(r->record->state, STATE_READY);
}

/* While one session holds the authority another may do everything but release it: only
 * commands need it, and those of others are not taken. */
static void anothers_lease_protects_its_commands_alone(void **state)
{
    static const enum request_kind FREE[] = {REQUEST_NOTHING, REQUEST_ARM,        REQUEST_START,
                                             REQUEST_POLICY,  REQUEST_STATISTICS, REQUEST_SNAPSHOT,
                                             REQUEST_RESTORE, REQUEST_CLEAR,      REQUEST_PAUSE};
    struct testrig *r = *state;
    struct fault_order bias = {.kind = FAULT_BIAS, .value = 1};

    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    for (size_t i = 0; i < sizeof FREE / sizeof FREE[0]; i++)
        assert_int_equal(testrig_do(r, 2, FREE[i]), REPLY_DONE);
    assert_int_equal(
        testrig_ask(r, 2, (struct request){.kind = REQUEST_FAULT, .fault = bias}).result,
        REPLY_DONE);
    assert_int_equal(
        testrig_ask(r, 2, (struct request){.kind = REQUEST_PARAMETER, .index = 1, .value = 9})
            .result,
        REPLY_DONE);
    assert_int_equal(testrig_ask(r, 2, (struct request){.kind = REQUEST_STEP, .count = 1}).result,
                     REPLY_STARTED);
    assert_int_equal(testrig_do(r, 2, REQUEST_RELEASE), REPLY_AUTHORITY);
    assert_int_equal(testrig_do(r, 1, REQUEST_RELEASE), REPLY_AUTHORITY); /* no number */
    assert_int_equal(r->record->lease.service, 1);
    testrig_write(r, 2, 0, 5);
    testrig_write(r, 1, 1, 6);
    testrig_ticks(r, 1);
    assert_close(record_actuators(&r->layout.step.record, r->record)[0].value, 0.5, 0);
    assert_close(record_actuators(&r->layout.step.record, r->record)[1].value, 6, 0);
    assert_int_equal(testrig_do(r, 2, REQUEST_ESTOP), REPLY_DONE);
    assert_int_equal(r->record->state, STATE_SAFE);
}

/* What a reply says is in the record it names, and in none before: a service that reads
 * the answer first and an old record after it draws no wrong conclusion. */
static void a_reply_names_the_first_record_that_shows_it(void **state)
{
    struct testrig *r = *state;
    struct reply reply;
    uint64_t before;

    testrig_ticks(r, 5);
    before = r->record->tick;
    reply = testrig_ask(
        r, 1, (struct request){.kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL, .session = 3});
    assert_int_equal(reply.tick, before + 1);
    assert_int_equal(r->record->tick, reply.tick);
    assert_int_equal(r->record->lease.number, reply.number);
}

/* In lockstep requests are answered between two heartbeats, where no record is shown. */
static void in_lockstep_too(void **state)
{
    static struct testrig rig;
    struct testrig *r = &rig;
    uint64_t ticket, head;
    struct reply reply;
    struct request q = {.kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL, .session = 3};

    (void)state;
    testrig_create(r);
    r->config.pace = PACE_LOCKSTEP;
    r->config.poll_ns = TESTRIG_H_NS / 10;
    r->config.lockstep_timeout_ns = INT64_C(1000000000);
    testrig_begin(r);
    testrig_ticks(r, 25);
    head = ring_head(&r->port[0].record);
    ticket = port_send(&r->port[1], &q);
    do testrig_ticks(r, 1);
    while (!port_reply(&r->port[1], ticket, &reply));
    assert_int_equal(ring_head(&r->port[0].record), head); /* nothing shown meanwhile */
    assert_true(r->record->tick < reply.tick);
    while (r->record->tick < reply.tick) testrig_ticks(r, 1);
    assert_int_equal(r->record->lease.number, reply.number);
    testrig_destroy(r);
}

static void at_most_four_requests_per_tick_and_nobody_starves(void **state)
{
    struct testrig *r = *state;
    struct request ping = {.kind = REQUEST_NOTHING};
    uint64_t first[4] = {0};
    struct reply reply;

    for (int i = 0; i < 20; i++) port_send(&r->port[1], &ping);
    for (int s = 2; s <= 3; s++) port_send(&r->port[s], &ping);
    for (int k = 1; k <= 8; k++) {
        uint64_t before = ring_head(&r->port[0].reply);
        testrig_ticks(r, 1);
        assert_true(ring_head(&r->port[0].reply) - before <= REQUEST_PER_TICK);
        for (int s = 2; s <= 3; s++)
            if (!first[s] && port_reply(&r->port[s], 1, &reply)) first[s] = (uint64_t)k;
    }
    assert_int_equal(first[2], 1);
    assert_int_equal(first[3], 1);
    assert_int_equal(ring_head(&r->port[0].reply), 22);
}

static void live_parameters_and_joints_change_at_a_step_boundary(void **state)
{
    struct testrig *r = *state;
    const struct record_layout *l = &r->layout.step.record;

    testrig_ticks(r, 1);
    assert_close(record_live(l, r->record)[0], 7, 0);
    testrig_ask(r, 1, (struct request){.kind = REQUEST_PARAMETER, .index = 1, .value = 20});
    assert_close(record_live(l, r->record)[0], 20, 0);
    testrig_ask(r, 1, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 1});
    assert_int_equal(record_released(l, r->record)[1], 1);
    testrig_ask(r, 1, (struct request){.kind = REQUEST_JOINT_LOCK, .index = 1});
    assert_int_equal(record_released(l, r->record)[1], 0);
    r->plant.singular = 1;
    assert_int_equal(
        testrig_ask(r, 1, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 1}).result,
        REPLY_SOLVER);
}

/* Snapshot, run on with noise and a delay line, restore, run again: bit-equal. */
static void a_restored_run_repeats_bit_by_bit(void **state)
{
    struct testrig *r = *state;
    const struct record_layout *l = &r->layout.step.record;
    struct fault_order noise = {.kind = FAULT_NOISE, .target = 0, .value = 1};
    struct fault_order delay = {.kind = FAULT_DELAY, .target = 1, .value = 7};
    double first[20][TESTRIG_CHANNELS];

    testrig_start(r);
    testrig_ask(r, 1, (struct request){.kind = REQUEST_FAULT, .fault = noise});
    testrig_ask(r, 1, (struct request){.kind = REQUEST_FAULT, .fault = delay});
    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    testrig_write(r, 1, 0, 3);
    testrig_ticks(r, 20);
    testrig_ask(r, 1, (struct request){.kind = REQUEST_PAUSE, .lease = 1});
    testrig_do(r, 1, REQUEST_SNAPSHOT);
    assert_true(r->record->snapshot_tick > 0);
    for (int run = 0; run < 2; run++) {
        struct request step = {.kind = REQUEST_STEP, .count = 20, .lease = 1};
        port_send(&r->port[1], &step);
        for (int k = 0; k < 20; k++) {
            testrig_ticks(r, 1);
            if (run == 0)
                memcpy(first[k], record_channels(l, r->record), sizeof first[k]);
            else
                assert_memory_equal(first[k], record_channels(l, r->record), sizeof first[k]);
        }
        assert_int_equal(
            testrig_ask(r, 1, (struct request){.kind = REQUEST_RESTORE, .lease = 1}).result,
            REPLY_DONE);
        testrig_refresh(r, 1);
    }
}

/* Restored while it runs, it goes on from there at once, and just as the first time. */
static void restore_while_running_goes_on_from_there(void **state)
{
    struct testrig *r = *state;
    const struct record_layout *l = &r->layout.step.record;
    double first[20][TESTRIG_CHANNELS], t0;
    uint64_t step;

    testrig_start(r);
    testrig_ticks(r, 10);
    testrig_do(r, 1, REQUEST_SNAPSHOT);
    t0 = r->record->t;
    for (int k = 0; k < 20; k++) {
        testrig_ticks(r, 1);
        memcpy(first[k], record_channels(l, r->record), sizeof first[k]);
    }
    step = r->record->step;
    assert_int_equal(testrig_do(r, 1, REQUEST_RESTORE), REPLY_DONE);
    assert_int_equal(r->record->state, STATE_RUNNING);
    assert_int_equal(r->record->step, step + 1);
    assert_close(r->record->t, t0, 1e-12); /* the snapshot was before the step of its tick */
    for (int k = 0; k < 20; k++) {
        testrig_ticks(r, 1);
        assert_memory_equal(first[k], record_channels(l, r->record), sizeof first[k]);
    }
}

static enum reply_result named(struct testrig *r, enum request_kind kind, const char *name)
{
    struct request q = {.kind = kind};
    memcpy(q.name, name, strlen(name));
    return testrig_ask(r, 1, q).result;
}

static void snapshots_have_names(void **state)
{
    struct testrig *r = *state;
    static const char *const NAME[PLANT_SNAPSHOTS] = {"", "a", "b", "c"};
    double t[PLANT_SNAPSHOTS];

    testrig_start(r);
    for (int i = 0; i < PLANT_SNAPSHOTS; i++) {
        testrig_ticks(r, 7);
        t[i] = r->record->t;
        assert_int_equal(named(r, REQUEST_SNAPSHOT, NAME[i]), REPLY_DONE);
    }
    assert_int_equal(named(r, REQUEST_SNAPSHOT, "d"), REPLY_FULL);
    assert_int_equal(named(r, REQUEST_RESTORE, "d"), REPLY_EMPTY);
    testrig_do(r, 0, REQUEST_PAUSE);
    for (int i = PLANT_SNAPSHOTS - 1; i >= 0; i--) {
        assert_int_equal(named(r, REQUEST_RESTORE, NAME[i]), REPLY_DONE);
        assert_close(r->record->t, t[i], 1e-12);
    }
    assert_int_equal(named(r, REQUEST_SNAPSHOT, "b"), REPLY_DONE); /* takes the place */
    assert_int_equal(named(r, REQUEST_RESTORE, "c"), REPLY_DONE);
    assert_int_equal(named(r, REQUEST_RESTORE, "b"), REPLY_DONE);
    assert_close(r->record->t, t[0], 1e-12);
}

static void events_say_who(void **state)
{
    struct testrig *r = *state;
    struct request q = {.kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL, .who = "otto"};
    uint64_t cursor = 0;
    struct event e;

    r->config.preempt = 1u << 2;
    testrig_ask(r, 1, q);
    assert_true(testrig_event(r, &cursor, EVENT_LEASE, &e));
    assert_string_equal(e.who, "otto");
    q = (struct request){
        .kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL, .preempt = 1, .who = "ella"};
    testrig_ask(r, 2, q);
    assert_true(testrig_event(r, &cursor, EVENT_LEASE, &e));
    assert_int_equal(e.a, LEASE_END_PREEMPTED);
    assert_string_equal(e.who, "ella");
    cursor = 0;
    assert_true(testrig_event(r, &cursor, EVENT_REQUEST, &e));
    assert_string_equal(e.who, "otto");
}

/* --steps and --until: it holds with exactly that step, once, and says so. */
static void a_run_with_an_end_holds_there(void **state)
{
    (void)state;
    for (int by_time = 0; by_time < 2; by_time++) {
        static struct testrig rig;
        struct testrig *r = &rig;
        uint64_t cursor = 0;
        struct event e;
        testrig_create(r);
        if (by_time)
            r->config.until_ns = 25 * TESTRIG_H_NS;
        else
            r->config.until_step = 25;
        testrig_begin(r);
        testrig_start(r);
        testrig_ticks(r, 50);
        assert_int_equal(r->record->step, 25);
        assert_close(r->record->t, 0.025, 1e-12);
        assert_int_equal(r->record->state, STATE_HOLDING);
        assert_true(testrig_event(r, &cursor, EVENT_DONE, &e));
        assert_int_equal(e.a, 25);
        assert_close(e.t, 0.025, 1e-12);
        assert_int_equal(testrig_do(r, 1, REQUEST_START), REPLY_DONE); /* asked to go on: it does */
        testrig_ticks(r, 5);
        assert_int_equal(r->record->step, 31);
        assert_false(testrig_event(r, &cursor, EVENT_DONE, &e));
        testrig_destroy(r);
    }
}

/* What moves on in the safe state stands at the end too. */
static void a_safe_run_with_an_end_stands_there(void **state)
{
    static struct testrig rig;
    struct testrig *r = &rig;

    (void)state;
    testrig_create(r);
    r->config.until_step = 25;
    testrig_begin(r);
    testrig_start(r);
    testrig_ticks(r, 9);
    testrig_do(r, 1, REQUEST_ESTOP);
    testrig_ticks(r, 50);
    assert_int_equal(r->record->state, STATE_SAFE);
    assert_int_equal(r->record->step, 25);
    testrig_destroy(r);
}

static void reset_goes_back_to_the_start(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    testrig_write(r, 1, 0, 3);
    testrig_ticks(r, 4);
    assert_int_equal(testrig_do(r, 0, REQUEST_RESET), REPLY_STATE);
    testrig_do(r, 0, REQUEST_PAUSE);
    assert_int_equal(testrig_do(r, 0, REQUEST_RESET), REPLY_DONE);
    assert_int_equal(r->record->state, STATE_READY);
    assert_close(r->record->t, 0, 0);
    assert_close(record_channels(&r->layout.step.record, r->record)[0], 0, 0);
    assert_close(record_actuators(&r->layout.step.record, r->record)[0].value, 0.5, 0);
}

static void a_solver_fault_freezes_the_last_good_state(void **state)
{
    struct testrig *r = *state;
    const struct record_layout *l = &r->layout.step.record;
    struct event e;
    uint64_t cursor = 0;
    double x;

    testrig_start(r);
    testrig_ticks(r, 3);
    x = record_channels(l, r->record)[0];
    r->plant.fail = 1;
    testrig_ticks(r, 5);
    assert_int_equal(r->record->state, STATE_FAULTED);
    assert_int_equal(r->record->status, STATUS_NOT_FINITE);
    assert_int_equal(r->record->element, 4);
    assert_close(record_channels(l, r->record)[0], x, 0);
    assert_close(record_actuators(l, r->record)[0].value, 0, 0);
    assert_true(record_actuators(l, r->record)[2].flags & ACTUATOR_SAFE);
    assert_true(testrig_event(r, &cursor, EVENT_SOLVER, &e));
    assert_false(testrig_event(r, &cursor, EVENT_SOLVER, &e));
    r->plant.fail = 0;
    assert_int_equal(testrig_do(r, 0, REQUEST_START), REPLY_STATE);
    assert_int_equal(testrig_do(r, 0, REQUEST_RESET), REPLY_DONE);
    testrig_start(r);
    assert_int_equal(r->record->status, STATUS_OK);
    assert_int_equal(r->record->state, STATE_RUNNING);
}

/* Asked to end: safe, the ramp of 4 steps run to its end, a last marked record. */
static void the_end_is_safe_first(void **state)
{
    struct testrig *r = *state;
    const struct record_layout *l = &r->layout.step.record;
    struct request stop = {.kind = REQUEST_STOP};
    int ticks = 1;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    testrig_write(r, 1, 2, 9);
    testrig_ticks(r, 2);
    port_send(&r->port[0], &stop);
    while (cycle_tick(&r->tick)) ticks++;
    port_record(&r->port[0], r->record);
    assert_int_equal(ticks, 4);
    assert_int_equal(r->record->state, STATE_SAFE);
    assert_true(r->record->quality & RECORD_FINAL);
    assert_close(record_actuators(l, r->record)[2].value, 1, 0);
    assert_close(record_actuators(l, r->record)[0].value, 0, 0);
}

static void a_stop_flag_ends_the_loop_even_when_faulted(void **state)
{
    struct testrig *r = *state;
    atomic_uint stop = 0;
    int ticks = 0;

    r->tick.stop = &stop;
    testrig_start(r);
    r->plant.fail = 1;
    testrig_ticks(r, 1);
    atomic_store(&stop, TRIP_SUPERVISOR);
    while (cycle_tick(&r->tick) && ticks < 100) ticks++;
    assert_true(ticks < 10);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_heartbeat_counts_in_every_state),
        TEST(step_n_makes_n_steps_then_holds_and_says_so),
        TEST(refused_requests_change_nothing_and_say_why),
        TEST(arming_needs_the_machines_blessing),
        TEST(anothers_lease_protects_its_commands_alone),
        TEST(a_reply_names_the_first_record_that_shows_it),
        cmocka_unit_test(in_lockstep_too),
        TEST(at_most_four_requests_per_tick_and_nobody_starves),
        TEST(live_parameters_and_joints_change_at_a_step_boundary),
        TEST(a_restored_run_repeats_bit_by_bit),
        TEST(restore_while_running_goes_on_from_there),
        TEST(snapshots_have_names),
        TEST(events_say_who),
        cmocka_unit_test(a_run_with_an_end_holds_there),
        cmocka_unit_test(a_safe_run_with_an_end_stands_there),
        TEST(reset_goes_back_to_the_start),
        TEST(a_solver_fault_freezes_the_last_good_state),
        TEST(the_end_is_safe_first),
        TEST(a_stop_flag_ends_the_loop_even_when_faulted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
