/* Inserted faults act on exactly the steps they are addressed to. Virtual clock. */
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

/* Without faults channel c after step n is n x 1 mm/s x 1 ms: command 0.5, scale 2. */
static double clean(uint64_t n) { return (double)n * 0.001; }

static double shown(struct testrig *r, int c)
{
    return record_channels(&r->layout.step.record, r->record)[c];
}

static int faulted(struct testrig *r, int c)
{
    return record_channel_flags(&r->layout.step.record, r->record)[c] == RECORD_CHANNEL_FAULTED;
}

static void insert(struct testrig *r, struct fault_order order)
{
    assert_int_equal(
        testrig_ask(r, 1, (struct request){.kind = REQUEST_FAULT, .fault = order}).result,
        REPLY_DONE);
}

static void bias_acts_on_its_steps_only(void **state)
{
    struct testrig *r = *state;
    struct event e;
    uint64_t cursor = 0;

    insert(r,
           (struct fault_order){.kind = FAULT_BIAS, .target = 1, .from = 5, .n = 3, .value = 100});
    testrig_start(r);
    for (uint64_t step = 2; step < 12; step++) {
        int on = step >= 5 && step < 8;
        testrig_ticks(r, 1);
        assert_int_equal(r->record->step, step);
        assert_close(shown(r, 1), clean(step) + (on ? 100 : 0), 1e-12);
        assert_int_equal(faulted(r, 1), on);
        assert_int_equal(faulted(r, 0), 0);
        assert_close(shown(r, 0), clean(step), 1e-12);
    }
    assert_int_equal(r->record->faults, 0);
    assert_true(testrig_event(r, &cursor, EVENT_FAULT, &e));
    assert_int_equal(e.b, 1);
    assert_true(testrig_event(r, &cursor, EVENT_FAULT, &e));
    assert_int_equal(e.b, 0);
}

static void freeze_keeps_the_value_of_its_first_step(void **state)
{
    struct testrig *r = *state;
    insert(r, (struct fault_order){.kind = FAULT_FREEZE, .target = 0, .from = 4});
    testrig_start(r);
    testrig_ticks(r, 20);
    assert_close(shown(r, 0), clean(4), 1e-12);
    assert_int_equal(testrig_ask(r, 1, (struct request){.kind = REQUEST_CLEAR, .index = 0}).result,
                     REPLY_DONE);
    assert_close(shown(r, 0), clean(22), 1e-12);
    assert_int_equal(faulted(r, 0), 0);
}

static void delay_shows_the_value_of_k_steps_before(void **state)
{
    struct testrig *r = *state;
    insert(r, (struct fault_order){.kind = FAULT_DELAY, .target = 2, .value = 255});
    testrig_start(r);
    for (int i = 0; i < 600; i++) {
        testrig_ticks(r, 1);
        assert_close(shown(r, 2), r->record->step > 255 ? clean(r->record->step - 255) : 0, 1e-9);
    }
}

static void noise_stays_in_its_band_and_fills_it(void **state)
{
    struct testrig *r = *state;
    double least = 1e9, most = -1e9, sum = 0;

    insert(r, (struct fault_order){.kind = FAULT_NOISE, .target = 0, .value = 2});
    testrig_start(r);
    for (int i = 0; i < 2000; i++) {
        double e;
        testrig_ticks(r, 1);
        e = shown(r, 0) - clean(r->record->step);
        least = e < least ? e : least;
        most = e > most ? e : most;
        sum += e;
    }
    assert_true(least >= -2 && least < -1.98);
    assert_true(most <= 2 && most > 1.98);
    assert_true(fabs(sum / 2000) < 0.13); /* 5 sigma of the mean: 5 x 2/sqrt(3)/sqrt(2000) */
}

static void dropout_loses_the_given_share(void **state)
{
    struct testrig *r = *state;
    int lost = 0;

    insert(r, (struct fault_order){.kind = FAULT_DROPOUT, .target = 0, .value = 0.25});
    testrig_start(r);
    for (int i = 0; i < 2000; i++) {
        testrig_ticks(r, 1);
        lost += fabs(shown(r, 0) - clean(r->record->step)) > 1e-9;
    }
    assert_in_range(lost, 403, 597); /* 500 +- 5 sqrt(2000 0.25 0.75) */
}

static void stuck_holds_an_actuator_where_it_is_or_is_told(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_MANUAL);
    testrig_write(r, 1, 0, 4);
    testrig_ticks(r, 1);
    assert_int_equal(
        testrig_ask(r, 1,
                    (struct request){
                        .kind = REQUEST_FAULT,
                        .lease = 1,
                        .fault = {.kind = FAULT_STUCK, .target = 0, .n = 3, .value = (double)NAN}})
            .result,
        REPLY_DONE);
    testrig_write(r, 1, 0, 9);
    testrig_ticks(r, 2);
    assert_close(r->plant.command[0], 8, 0);
    testrig_ticks(r, 1);
    assert_close(r->plant.command[0], 18, 0);
    assert_int_equal(
        testrig_ask(r, 1,
                    (struct request){.kind = REQUEST_FAULT,
                                     .lease = 1,
                                     .fault = {.kind = FAULT_STUCK, .target = 0, .value = -3}})
            .result,
        REPLY_DONE);
    assert_close(r->plant.command[0], -6, 0);
    testrig_do(r, 2, REQUEST_ESTOP); /* a stuck actuator is stuck also when safe */
    assert_close(r->plant.command[0], -6, 0);
}

static void sixteen_faults_and_no_more(void **state)
{
    struct testrig *r = *state;
    struct request ask = {.kind = REQUEST_FAULT,
                          .fault = {.kind = FAULT_BIAS, .from = 1000, .value = 1}};

    for (int i = 0; i < FAULT_SLOTS; i++) assert_int_equal(testrig_ask(r, 1, ask).number, i);
    assert_int_equal(testrig_ask(r, 1, ask).result, REPLY_FULL);
    assert_int_equal(testrig_ask(r, 1, (struct request){.kind = REQUEST_CLEAR, .index = -1}).result,
                     REPLY_DONE);
    assert_int_equal(r->record->faults, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bias_acts_on_its_steps_only),
        TEST(freeze_keeps_the_value_of_its_first_step),
        TEST(delay_shows_the_value_of_k_steps_before),
        TEST(noise_stays_in_its_band_and_fills_it),
        TEST(dropout_loses_the_given_share),
        TEST(stuck_holds_an_actuator_where_it_is_or_is_told),
        TEST(sixteen_faults_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
