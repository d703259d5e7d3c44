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

    insert(r, (struct fault_order){.kind = FAULT_BIAS,
                                   .target = 1,
                                   .from = 5,
                                   .n = 3,
                                   .value = 100,
                                   .flags = FAULT_VISIBLE});
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
    assert_int_equal(testrig_ask(r, 1,
                                 (struct request){.kind = REQUEST_FAULT,
                                                  .lease = 1,
                                                  .fault = {.kind = FAULT_STUCK,
                                                            .flags = FAULT_ACTUATOR,
                                                            .n = 3,
                                                            .value = (double)NAN}})
                         .result,
                     REPLY_DONE);
    testrig_write(r, 1, 0, 9);
    testrig_ticks(r, 2);
    assert_close(r->plant.command[0], 8, 0);
    testrig_ticks(r, 1);
    assert_close(r->plant.command[0], 18, 0);
    assert_int_equal(
        testrig_ask(
            r, 1,
            (struct request){.kind = REQUEST_FAULT,
                             .lease = 1,
                             .fault = {.kind = FAULT_STUCK, .flags = FAULT_ACTUATOR, .value = -3}})
            .result,
        REPLY_DONE);
    assert_close(r->plant.command[0], -6, 0);
    testrig_do(r, 2, REQUEST_ESTOP); /* a stuck actuator is stuck also when safe */
    assert_close(r->plant.command[0], -6, 0);
}

/* ---- every kind, against what it says it does ------------------------------------------ */

/* What kind does to the value `clean` made in the n-th faulty step (n from 1); kinds with
 * random numbers have tests of their own. NaN: no claim. */
static double claimed(enum fault_kind kind, double value, double now, double first, uint64_t n,
                      double before)
{
    switch (kind) {
    case FAULT_BIAS:
        return now + value;
    case FAULT_GAIN:
        return now * value;
    case FAULT_DRIFT:
        return now + value * 1e-3 * (double)n;
    case FAULT_FREEZE:
        return first;
    case FAULT_STUCK:
        return value;
    case FAULT_QUANTISATION:
        return round(now / value) * value;
    case FAULT_DISCONNECT:
        return 0;
    case FAULT_DELAY:
        return before;
    default:
        return (double)NAN;
    }
}

static const struct {
    enum fault_kind kind;
    double value;
} EACH[] = {{FAULT_BIAS, 0.25},    {FAULT_GAIN, -2},   {FAULT_DRIFT, 30},
            {FAULT_FREEZE, 0},     {FAULT_STUCK, 0.7}, {FAULT_QUANTISATION, 0.0043},
            {FAULT_DISCONNECT, 0}, {FAULT_DELAY, 3}};

static void each_kind_does_to_a_sensor_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof EACH / sizeof EACH[0]; i++) {
        static struct testrig rig;
        struct testrig *r = &rig;
        testrig_create(r);
        testrig_begin(r);
        insert(r,
               (struct fault_order){
                   .kind = EACH[i].kind, .target = 1, .from = 6, .n = 10, .value = EACH[i].value});
        testrig_start(r);
        for (uint64_t step = 2; step < 25; step++) {
            int on = step >= 6 && step < 16;
            double want = on ? claimed(EACH[i].kind, EACH[i].value, clean(step), clean(6), step - 5,
                                       clean(step - 3))
                             : clean(step);
            testrig_ticks(r, 1);
            assert_close(shown(r, 1), want, 1e-12);
            assert_close(shown(r, 0), clean(step), 1e-12);
            assert_int_equal(faulted(r, 1), 0); /* silent unless it is to be seen */
        }
        testrig_destroy(r);
    }
}

static double done(struct testrig *r, int a)
{
    return record_actuators(&r->layout.step.record, r->record)[a].value;
}

/* The controller writes k/100 in the k-th step. */
static void each_kind_does_to_an_actuator_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof EACH / sizeof EACH[0]; i++) {
        static struct testrig rig;
        struct testrig *r = &rig;
        if (EACH[i].kind == FAULT_DISCONNECT) continue;
        testrig_create(r);
        testrig_begin(r);
        testrig_start(r);
        testrig_acquire(r, 1, 11, LEASE_MANUAL);
        insert(r, (struct fault_order){.kind = EACH[i].kind,
                                       .target = 2,
                                       .flags = FAULT_ACTUATOR,
                                       .from = 12,
                                       .n = 10,
                                       .value = EACH[i].value});
        for (;;) {
            uint64_t step = r->record->step + 1;
            int on = step >= 12 && step < 22;
            double now = (double)step / 100, want = now;
            if (step == 30) break;
            if (on)
                want = claimed(EACH[i].kind, EACH[i].value, now, 0.12, step - 11,
                               (double)(step - 3) / 100);
            testrig_write(r, 1, 2, now);
            testrig_ticks(r, 1);
            if (step < 10) continue; /* the delay line has its past */
            assert_close(done(r, 2), want, 1e-12);
            assert_close(r->plant.command[2], 2 * want, 1e-12);
            assert_int_equal(
                record_actuators(&r->layout.step.record, r->record)[2].flags & ACTUATOR_STUCK, 0);
        }
        testrig_destroy(r);
    }
}

static void a_faulty_actuator_stays_in_its_range(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    insert(r, (struct fault_order){.kind = FAULT_BIAS,
                                   .target = 0,
                                   .flags = FAULT_ACTUATOR | FAULT_VISIBLE,
                                   .value = 1000});
    assert_close(done(r, 0), 10, 0);
    assert_true(record_actuators(&r->layout.step.record, r->record)[0].flags & ACTUATOR_STUCK);
}

/* Its writes do not arrive any more: it does what a silent controller leads to, and obeys
 * again afterwards. */
static void a_disconnected_actuator_times_out(void **state)
{
    struct testrig *r = *state;

    testrig_start(r);
    testrig_acquire(r, 1, 11, LEASE_STREAM);
    insert(
        r,
        (struct fault_order){
            .kind = FAULT_DISCONNECT, .target = 0, .flags = FAULT_ACTUATOR, .from = 10, .n = 20});
    while (r->record->step < 40) {
        uint64_t step = r->record->step + 1;
        testrig_write(r, 1, 0, 3);
        testrig_write(r, 1, 1, 4);
        testrig_ticks(r, 1);
        if (step < 3) continue;
        assert_close(done(r, 0), step >= 14 && step < 30 ? 0 : 3, 0); /* 5 ms after step 9 */
        assert_close(done(r, 1), 4, 0);
    }
    assert_int_equal(record_actuators(&r->layout.step.record, r->record)[0].timeouts, 1);
}

static void random_faults_follow_their_seed(void **state)
{
    static const struct {
        enum fault_kind kind;
        double value;
    } RANDOM[] = {{FAULT_NOISE, 2}, {FAULT_SPIKE, 7}, {FAULT_DROPOUT, 0.4}};
    double first[400];

    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int run = 0; run < 3; run++) { /* seeds 5, 5, 6 */
            static struct testrig rig;
            struct testrig *r = &rig;
            int same = 1, hit = 0;
            testrig_create(r);
            testrig_begin(r);
            insert(r, (struct fault_order){.kind = FAULT_NOISE, .target = 1, .value = run});
            insert(r, (struct fault_order){.kind = RANDOM[kind].kind,
                                           .target = 0,
                                           .value = RANDOM[kind].value,
                                           .seed = run == 2 ? 6 : 5});
            testrig_start(r);
            for (int k = 0; k < 400; k++) {
                testrig_ticks(r, 1);
                hit += fabs(shown(r, 0) - clean(r->record->step)) > 1e-9;
                if (run == 0)
                    first[k] = shown(r, 0);
                else
                    same &= first[k] == shown(r, 0);
            }
            if (run > 0) assert_int_equal(same, run == 1);
            if (RANDOM[kind].kind == FAULT_SPIKE) assert_in_range(hit, 1, 22); /* 8 +- 5 sigma */
            testrig_destroy(r);
        }
}

static void a_begin_in_the_past_is_refused(void **state)
{
    struct testrig *r = *state;
    struct request ask = {.kind = REQUEST_FAULT, .fault = {.kind = FAULT_BIAS, .value = 1}};

    testrig_start(r);
    testrig_ticks(r, 9); /* step 10 is made */
    ask.fault.from = r->record->step;
    assert_int_equal(testrig_ask(r, 1, ask).result, REPLY_PAST);
    assert_int_equal(r->record->faults, 0);
    ask.fault.from = r->record->step + 1; /* the one about to be made */
    assert_int_equal(testrig_ask(r, 1, ask).result, REPLY_DONE);
    assert_close(shown(r, 0), clean(r->record->step) + 1, 1e-12);
}

/* Target, kind, slot and who are in the events of its begin and end. */
static void events_of_a_fault_name_it(void **state)
{
    struct testrig *r = *state;
    struct request ask = {
        .kind = REQUEST_FAULT,
        .session = 77,
        .who = "ella",
        .fault = {.kind = FAULT_GAIN, .target = 2, .flags = FAULT_ACTUATOR, .n = 3, .value = 2}};
    uint64_t cursor = 0;
    struct event e;

    testrig_start(r);
    testrig_ask(r, 1, ask);
    assert_int_equal(testrig_ask(r, 2, ask).number, 1);
    testrig_ticks(r, 5);
    for (uint64_t begins = 1; begins + 1 > 0; begins--)
        for (int slot = 0; slot < 2; slot++) {
            assert_true(testrig_event(r, &cursor, EVENT_FAULT, &e));
            assert_int_equal(e.a, FAULT_GAIN);
            assert_int_equal(e.b, begins | 2);
            assert_int_equal(e.index, slot);
            assert_close(e.value, 2, 0);
            assert_int_equal(e.service, slot + 1);
            assert_int_equal(e.session, 77);
            assert_string_equal(e.who, "ella");
        }
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
        cmocka_unit_test(each_kind_does_to_a_sensor_what_it_says),
        cmocka_unit_test(each_kind_does_to_an_actuator_what_it_says),
        TEST(a_faulty_actuator_stays_in_its_range),
        TEST(a_disconnected_actuator_times_out),
        cmocka_unit_test(random_faults_follow_their_seed),
        TEST(a_begin_in_the_past_is_refused),
        TEST(events_of_a_fault_name_it),
        TEST(sixteen_faults_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
