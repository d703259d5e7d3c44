/* The tick with the real solver, on the virtual clock: bit-equal repetition of a run
 * with its misses, snapshots, live parameters, joints released and locked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/link/port.h"
#include "rt/solve/method.h"
#include "rt/solve/observe.h"
#include "rt/tick/cycle.h"
#include "rt/time/vclock.h"
#include "services/run/rig_setup.h"

enum { MS = 1000000 };

/* A rig in this process, the test being its supervisor. */
struct bench {
    struct rig_setup loaded;
    struct tick tick;
    struct tick_config config;
    struct tick_rule rule[8];
    struct vclock clock;
    struct block_head layout;
    struct port port;
    void *step, *supervisor, *memory;
    struct command_frame *frame;
    struct record *record;
};

static void *take(size_t n)
{
    void *p = aligned_alloc(64, (n + 63) / 64 * 64);
    assert_non_null(p);
    return memset(p, 0, (n + 63) / 64 * 64);
}

static void begin_tick(struct bench *b)
{
    struct tick_blocks blocks = {.step = b->step, .supervisor = b->supervisor};

    memset(b->memory, 0, tick_memsize(&b->layout));
    assert_int_equal(tick_init(&b->tick, &b->config, &b->layout, &blocks, b->loaded.options.plant,
                               vclock_init(&b->clock, 0), b->memory, tick_memsize(&b->layout)),
                     STATUS_OK);
    port_init(&b->port, &b->layout, b->step, b->supervisor);
    port_own(&b->port, 0, 0, b->supervisor);
    ((struct board *)((char *)b->supervisor + b->layout.supervisor.board_at))->arm_allowed = 1;
}

/* Load a rig whose model is given as text. */
static void bench_create(struct bench *b, const char *model)
{
    char dir[] = "/tmp/trapeze-multibody-XXXXXX", path[80], rig[80];
    FILE *f;

    memset(b, 0, sizeof *b);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/m.yaml", dir);
    f = fopen(path, "w");
    fputs(model, f);
    fclose(f);
    snprintf(rig, sizeof rig, "%s/r.yaml", dir);
    f = fopen(rig, "w");
    fputs("model: m.yaml\nstep: 1 ms\n", f);
    fclose(f);
    assert_int_equal(rig_setup_create(&b->loaded, rig, NULL, 0), STATUS_OK);
    remove(path);
    remove(rig);
    remove(dir);
    assert_int_equal(block_layout(b->loaded.model, &b->layout), STATUS_OK);
    b->step = take(b->layout.step.size);
    memcpy((char *)b->step + b->layout.step.model_at, b->loaded.model, b->loaded.model->size);
    b->supervisor = take(b->layout.supervisor.size);
    b->memory = take(tick_memsize(&b->layout));
    b->frame = take(b->layout.service.command_bytes);
    b->record = take(b->layout.step.record.bytes);
    b->config = (struct tick_config){.start_ns = 0,
                                     .period_ns = MS,
                                     .deadline_ns = MS,
                                     .lease_ns = INT64_MAX / 4,
                                     .arm_allowed = 1,
                                     .rule = b->rule};
    begin_tick(b);
}

static void bench_destroy(struct bench *b)
{
    free(b->step);
    free(b->supervisor);
    free(b->memory);
    free(b->frame);
    free(b->record);
    rig_setup_destroy(&b->loaded);
}

static void ticks(struct bench *b, int n)
{
    for (int i = 0; i < n; i++) assert_int_equal(cycle_tick(&b->tick), 1);
    port_record(&b->port, b->record);
}

static enum reply_result ask(struct bench *b, struct request q)
{
    struct reply reply;
    uint64_t ticket = port_send(&b->port, &q);
    ticks(b, 1);
    assert_int_equal(port_reply(&b->port, ticket, &reply), 1);
    if (q.kind == REQUEST_ACQUIRE) b->frame->lease = reply.number;
    return (enum reply_result)reply.result;
}

static void start(struct bench *b)
{
    assert_int_equal(ask(b, (struct request){.kind = REQUEST_ARM}), REPLY_DONE);
    assert_int_equal(ask(b, (struct request){.kind = REQUEST_START}), REPLY_DONE);
}

static double channel(const struct bench *b, const char *sensor, int k)
{
    const struct model *m = b->loaded.model;
    for (uint32_t i = 0; i < m->sensors.n; i++)
        if (strcmp(model_text(m, model_sensors(m)[i].name), sensor) == 0)
            return record_channels(&b->layout.step.record,
                                   b->record)[model_sensors(m)[i].channel_at + (uint32_t)k];
    fail_msg("no sensor %s", sensor);
    return 0;
}

/* A double pendulum with a drive: chaotic enough that one lost bit shows. */
static const char DOUBLE[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: {value: 5 N/m, live: true, range: [0 N/m, 50 N/m]}}\n"
    "bodies:\n"
    "  upper: {mass: 1, inertia: [0.01, 0.09, 0.09], position: [0.5, 0, 0]}\n"
    "  lower: {mass: 1, inertia: [0.01, 0.09, 0.09], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  s: {type: spring-damper, between: [ground, lower], from: [2, 0, 2], to: [2, 0, 0], "
    "stiffness: k, damping: 0.1}\n"
    "actuators:\n"
    "  drive: {type: torque, joint: a, unit: N.m, range: [-20, 20], safe: 0}\n"
    "sensors:\n"
    "  tip: {type: position, body: lower, at: [2, 0, 0]}\n"
    "  energy: {type: energy}\n"
    "  support: {type: reaction-force, joint: a}\n";

static void write_command(struct bench *b, double value)
{
    b->frame->value[0].counter++;
    b->frame->value[0].value = value;
    port_command(&b->port, b->frame);
}

/* What the records must hold for a bit-equal replay: interval, iterations, commands. */
struct step_taken {
    double interval, command, tip[3];
    uint32_t iterations;
};

/* Run with late wake-ups, skipped slots and cut iterations; then repeat the steps by the
 * solver alone, from the records. */
static void a_run_with_misses_is_replayed_bit_by_bit(void **state)
{
    enum { STEPS = 3000 };
    struct step_taken *taken = calloc(STEPS, sizeof *taken);
    struct workspace ws;
    struct bench b;
    uint64_t seed = 3;
    int cut = 0, twice = 0;

    (void)state;
    bench_create(&b, DOUBLE);
    start(&b);
    b.config.lease_ns = INT64_MAX / 4;
    ask(&b, (struct request){.kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL});
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_PAUSE, .lease = 1}), REPLY_DONE);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_RESET, .lease = 1}), REPLY_DONE);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_ARM, .lease = 1}), REPLY_DONE);
    struct request go = {.kind = REQUEST_START, .lease = 1};
    port_send(&b.port, &go);
    for (int i = 0; i < STEPS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        b.clock.wake_late_ns = seed >> 61 == 0 ? (int64_t)(seed >> 40) % (4 * MS) : 0;
        b.tick.cause.after_warm = 200000; /* as if an iteration and the rest took 200 us */
        if (seed >> 60 == 5)
            b.clock.wake_late_ns = MS - 150000; /* late, but in time for one iteration */
        write_command(&b, 20 * sin(i * 0.01));
        ticks(&b, 1);
        taken[i].interval = b.record->interval;
        taken[i].iterations = b.record->iterations;
        taken[i].command = record_actuators(&b.layout.step.record, b.record)[0].value;
        for (int k = 0; k < 3; k++) taken[i].tip[k] = channel(&b, "tip", k);
        cut += b.record->status == STATUS_BUDGET;
        twice += b.record->interval > 0.0015;
    }
    assert_true(cut > 10);
    assert_true(twice > 10);

    assert_int_equal(mechanism_workspace(&b.loaded.mechanism, &ws), STATUS_OK);
    for (int i = 0; i < STEPS; i++) {
        struct step_limits limits = b.loaded.options.plant.limits;
        struct step_report report;
        struct observation o;
        double now[64];
        limits.may_iterate = NULL;
        limits.stamp = NULL;
        limits.fixed = 1;
        limits.iterations = (int)taken[i].iterations;
        ws.command[0] = taken[i].command;
        assert_true(status_severity(method_advance(b.loaded.model, b.loaded.mechanism.plan, &ws,
                                                   taken[i].interval, &limits, &report)) !=
                    SEVERITY_BAD);
        observe_state(b.loaded.model, b.loaded.mechanism.plan, &ws, PLAN_ASK_ALL, &o);
        observe_sensors(&o, now);
        assert_memory_equal(now, taken[i].tip, sizeof taken[i].tip);
    }
    free(taken);
    bench_destroy(&b);
}

static void a_restored_snapshot_continues_bit_by_bit(void **state)
{
    struct bench b;
    double first[500][3], t0;

    (void)state;
    bench_create(&b, DOUBLE);
    start(&b);
    ask(&b, (struct request){.kind = REQUEST_ACQUIRE, .index = LEASE_MANUAL});
    write_command(&b, 7);
    ticks(&b, 700);
    ask(&b, (struct request){.kind = REQUEST_PAUSE, .lease = 1});
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_SNAPSHOT}), REPLY_DONE);
    t0 = b.record->t;
    for (int run = 0; run < 2; run++) {
        struct request go = {.kind = REQUEST_STEP, .count = 500, .lease = 1};
        port_send(&b.port, &go);
        for (int i = 0; i < 500; i++) {
            ticks(&b, 1);
            for (int k = 0; k < 3; k++) {
                double now = channel(&b, "tip", k);
                if (run == 0)
                    first[i][k] = now;
                else
                    assert_memory_equal(&now, &first[i][k], sizeof now);
            }
        }
        assert_int_equal(b.record->state, STATE_HOLDING);
        assert_int_equal(ask(&b, (struct request){.kind = REQUEST_RESTORE, .lease = 1}),
                         REPLY_DONE);
        assert_true(b.record->t == t0);
    }
    bench_destroy(&b);
}

/* Setting k before the first step is the same as a model with that k. */
static void a_live_parameter_acts_as_if_it_had_been_so(void **state)
{
    struct bench set, made;
    char text[sizeof DOUBLE + 8];
    char *k;

    (void)state;
    memcpy(text, DOUBLE, sizeof DOUBLE);
    k = strstr(text, "value: 5 N");
    memcpy(k, "value: 9 N", 10);
    bench_create(&set, DOUBLE);
    bench_create(&made, text);
    assert_int_equal(ask(&set, (struct request){.kind = REQUEST_PARAMETER, .index = 0, .value = 9}),
                     REPLY_DONE);
    assert_true(record_live(&set.layout.step.record, set.record)[0] == 9);
    start(&set);
    start(&made);
    ticks(&set, 1000);
    ticks(&made, 1000);
    /* rounding, grown by 1 s of a chaotic motion */
    for (int i = 0; i < 3; i++)
        assert_true(fabs(channel(&set, "tip", i) - channel(&made, "tip", i)) < 1e-9);
    bench_destroy(&set);
    bench_destroy(&made);
}

/* A rod on a hinge, its tip held by a cord that can be let go. */
static const char CORD[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 2, inertia: [0.002, 0.167, 0.167], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  cord: {type: distance, between: [ground, rod], at: [1, 0, 1], at-b: [1, 0, 0], "
    "switchable: true}\n"
    "sensors:\n"
    "  tip: {type: position, body: rod, at: [1, 0, 0]}\n"
    "  energy: {type: energy}\n"
    "  hold: {type: reaction-force, joint: hinge}\n";

static void a_released_cord_lets_the_rod_fall_as_by_hand(void **state)
{
    struct bench b;
    double t, z, energy;

    (void)state;
    bench_create(&b, CORD);
    start(&b);
    ticks(&b, 200);
    assert_true(fabs(channel(&b, "tip", 2)) < 1e-9);
    energy = channel(&b, "energy", 0);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 0}),
                     REPLY_INDEX); /* the hinge cannot be switched */
    t = b.record->t;
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 1}),
                     REPLY_DONE);
    assert_int_equal(record_released(&b.layout.step.record, b.record)[1], 1);
    ticks(&b, 99);
    /* theta'' = (m g l/2) / I with I = 0.167 + 2/4 about the hinge, for a small angle:
     * z = -theta; the next term is of order theta^3, 2e-4 here */
    t = b.record->t - t;
    z = -0.5 * (2 * 9.81 * 0.5) / (0.167 + 0.5) * t * t;
    assert_true(fabs(channel(&b, "tip", 2) - z) < 3e-4);
    assert_true(fabs(channel(&b, "energy", 0) - energy) < 1e-6 * fabs(energy) + 1e-6);
    /* and is tied again as long as it is now, which stops the rod: the hinge and the
     * cord leave it no freedom in the plane */
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_LOCK, .index = 1}), REPLY_DONE);
    assert_int_equal(record_released(&b.layout.step.record, b.record)[1], 0);
    z = channel(&b, "tip", 2);
    ticks(&b, 100);
    assert_true(fabs(channel(&b, "tip", 2) - z) < 1e-9);
    assert_true(channel(&b, "energy", 0) < energy - 0.1);
    assert_int_equal(b.record->state, STATE_RUNNING);
    bench_destroy(&b);
}

/* A hinge that a motion turns cannot be locked by request: refused with a reason, and the run
 * goes on as if nobody had asked. */
static void a_lock_against_a_motion_is_refused(void **state)
{
    struct bench b;

    (void)state;
    bench_create(&b, "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                     "joints:\n"
                     "  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                     "  k: {type: fixed, between: [ground, a], at: [1, 0, 0], released: true, "
                     "switchable: true}\n"
                     "motions: {m: {joint: h, value: t}}\n"
                     "sensors: {q: {type: joint-angle, joint: h}}\n");
    start(&b);
    ticks(&b, 100);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_LOCK, .index = 1}),
                     REPLY_OPPOSED);
    assert_int_equal(record_released(&b.layout.step.record, b.record)[1], 1);
    ticks(&b, 100);
    assert_int_equal(b.record->state, STATE_RUNNING);
    assert_true(fabs(channel(&b, "q", 0) - b.record->t) < 1e-12);
    bench_destroy(&b);
}

/* Let go and tied again before it moved: the rod stays. */
static void a_cord_is_tied_where_it_reaches(void **state)
{
    struct bench b;

    (void)state;
    bench_create(&b, CORD);
    ticks(&b, 1);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 1}),
                     REPLY_DONE);
    assert_int_equal(ask(&b, (struct request){.kind = REQUEST_JOINT_LOCK, .index = 1}), REPLY_DONE);
    start(&b);
    ticks(&b, 500);
    assert_true(fabs(channel(&b, "tip", 2)) < 1e-9);
    bench_destroy(&b);
}

/* A rod let go is caught by its cord at 30 degrees: the tick tells it once and shows it. */
static void a_switch_of_the_model_acts_in_the_tick_and_is_told(void **state)
{
    struct bench b;
    struct event e;
    uint64_t cursor;
    int told = 0;
    char text[2000];

    (void)state;
    snprintf(text, sizeof text, "%s%s", CORD,
             "  angle: {type: joint-angle, joint: hinge, unit: deg}\n"
             "switches:\n"
             "  catch: {sensor: angle, crosses: 30, lock: [cord]}\n");
    bench_create(&b, text);
    cursor = ring_head(&b.port.event);
    start(&b);
    ask(&b, (struct request){.kind = REQUEST_JOINT_RELEASE, .index = 1});
    assert_int_equal(record_released(&b.layout.step.record, b.record)[1], 1);
    ticks(&b, 600);
    assert_int_equal(record_released(&b.layout.step.record, b.record)[1], 0);
    /* found to the third order of the step: 1e-9 rad */
    assert_true(fabs(channel(&b, "angle", 0) - 30) < 1e-6);
    while (ring_next(&b.port.event, &cursor, &e, NULL) == RING_OK) {
        if (e.kind != EVENT_SWITCH) continue;
        told++;
        assert_int_equal(e.index, 0);
        /* m g l/2 sin 30 deg, less what second order leaves in 0.3 s */
        assert_true(fabs(e.value - 2 * 9.81 * 0.25) < 1e-4);
    }
    assert_int_equal(told, 1);
    bench_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_with_misses_is_replayed_bit_by_bit),
        cmocka_unit_test(a_restored_snapshot_continues_bit_by_bit),
        cmocka_unit_test(a_live_parameter_acts_as_if_it_had_been_so),
        cmocka_unit_test(a_released_cord_lets_the_rod_fall_as_by_hand),
        cmocka_unit_test(a_cord_is_tied_where_it_reaches),
        cmocka_unit_test(a_lock_against_a_motion_is_refused),
        cmocka_unit_test(a_switch_of_the_model_acts_in_the_tick_and_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
