/* Runs that cannot go on end with a status and the element it came from, on the last good state;
 * those that are only coarse go on. The expected ends are those of the mechanisms: a contradiction
 * at once, a rocker at its limit (0.376 s, where the linkage is stretched), a gyroscope and an
 * unbalanced rotor that turn by 3 rad a step after the first. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A joint s that a hinge with a motion contradicts. */
static const char CONTRADICTION[] =
    "bodies:\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  h: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  k: {type: fixed, between: [ground, b], at: [1, 0, 0], switchable: true}\n"
    "motions: {m: {joint: h, value: {ramp: {start: 0.1, from: 0, to: 1, end: 1.1}}}}\n"
    "sensors: {e: {type: constraint-error}}\n";

static const char BEYOND_REACH[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0.5, 0]}\n"
    "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.9, 0.5, 0]}\n"
    "joints:\n"
    "  j1: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  j2: {type: revolute, between: [a, b], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
    "  j3: {type: revolute, between: [b, c], at: [0.8, 1, 0], axis: [0, 0, 1]}\n"
    "  j4: {type: revolute, between: [ground, c], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "motions: {m: {joint: j4, value: t}}\n";

static const char TOP[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 1, inertia: [0.003, 0.003, 0.005], position: [0.1, 0, 0], rotation: {axis: [0, "
    "1, 0], angle: 90 deg}, angular-velocity: [3000, 0, 0]}\n"
    "joints: {s: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n";

static const char ROTOR[] =
    "bodies: {r: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [%g, 0, 0], angular-velocity: "
    "[0, 0, %g]}}\n"
    "joints: {h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}}\n";

/* Steps until `until` or a bad status, which is returned. */
static enum status run(struct model_run *p, double until)
{
    while (trial_time(&p->trial) < until - 1e-9) {
        enum status s = trial_step(&p->trial);
        if (status_severity(s) == SEVERITY_BAD) return s;
    }
    return STATUS_OK;
}

static void ends(const char *text, enum status wanted, double least, double most, const char *who)
{
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    char blame[200];
    model_run_open_text(&p, text, &o);
    assert_int_equal(run(&p, 2), wanted);
    model_run_within("when it ends", trial_time(&p.trial), least, most);
    trial_blame(&p.trial, blame, sizeof blame);
    if (!strstr(blame, who)) fail_msg("blamed on %s, not %s", blame, who);
    model_run_within("how far joints are open", p.trial.figures.error_max[0], 0, 2e-3);
    model_run_close(&p);
}

static void what_cannot_go_on_ends_by_name(void **state)
{
    (void)state;
    char text[500];
    ends(CONTRADICTION, STATUS_OPEN, 0.1, 0.103, "joint k");
    ends(BEYOND_REACH, STATUS_DIVERGED, 0.37, 0.38, "body");
    ends(TOP, STATUS_COARSE, 0.0005, 0.0015, "body top");
    snprintf(text, sizeof text, ROTOR, 0.01, 3000.);
    ends(text, STATUS_COARSE, 0.0005, 0.0015, "body r");
}

static void what_is_only_coarse_goes_on(void **state)
{
    (void)state;
    static const double WHEEL[][2] = {{0, 4000}, {0, 1e6}, {0.01, 300}};
    for (int i = 0; i < 3; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        char text[500];
        snprintf(text, sizeof text, ROTOR, WHEEL[i][0], WHEEL[i][1]);
        model_run_open_text(&p, text, &o);
        assert_int_equal(run(&p, 0.5), STATUS_OK);
        assert_true((p.trial.quality.turn > 0.2) == (i == 2)); /* only this is to be doubted */
        model_run_close(&p);
    }
    struct model_run p;
    struct trial_options o = model_run_options(20e-3);
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    assert_int_equal(run(&p, 10), STATUS_OK);
    assert_true(p.trial.figures.not_converged > 10);
    assert_true(p.trial.quality.d > 1e-6 && p.trial.quality.d < 1e-2);
    model_run_close(&p);
    o.strict = 1;
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    assert_int_equal(run(&p, 10), STATUS_STRICT);
    model_run_close(&p);
}

/* The seven-body mechanism runs up to where its crank turns by a rad a step of 1 ms: more than
 * half of the energy is then the step's. At 10 us it runs through. */
static void the_squeezer_is_ended_where_its_step_is_too_long(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open(&p, "config/models/squeezer.yaml", &o);
    assert_int_equal(run(&p, 2), STATUS_ASTRAY);
    model_run_close(&p);
    o.h = 1e-5;
    model_run_open(&p, "config/models/squeezer.yaml", &o);
    assert_int_equal(run(&p, 0.03), STATUS_OK);
    model_run_close(&p);
}

/* What is said to mend a step mends it. */
static void the_remedy_mends_the_step(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(20e-3);
    char text[200];
    int n = 0;
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    assert_int_equal(run(&p, 10), STATUS_OK);
    double place = p.trial.mechanism.ws.x[0][0];
    quality_remedy(&p.trial, 0, text, sizeof text);
    assert_int_equal(sscanf(text, "iterations: %d would do there", &n), 1);
    assert_true(p.trial.mechanism.ws.x[0][0] == place); /* the run is as it was */
    model_run_close(&p);
    o.iterations = n;
    o.strict = 1;
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    assert_int_equal(run(&p, 10), STATUS_OK);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_go_on_ends_by_name),
        cmocka_unit_test(what_is_only_coarse_goes_on),
        cmocka_unit_test(the_squeezer_is_ended_where_its_step_is_too_long),
        cmocka_unit_test(the_remedy_mends_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
