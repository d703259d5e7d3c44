/* How a run begins: given velocities are kept, the rest is completed with least energy,
 * contradictions are refused, accelerations and reactions fit, `settle` finds rest. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused_with(const char *text, const char *set, const char *words)
{
    struct trial t;
    struct diag_list diags = {0};
    struct trial_options o = model_run_options(1e-3);
    o.load = (struct load_options){.sets = &set, .n_sets = set ? 1 : 0};
    assert_int_equal(trial_open_text(&t, text, &o, &diags), STATUS_REFUSED);
    int said = 0;
    for (int i = 0; i < diags.n; i++) said |= strstr(diags.item[i].text, words) != NULL;
    if (!said) diag_print(&diags, stderr);
    if (!said) fail_msg("no message says '%s'", words);
    trial_close(&t);
    diag_clear(&diags);
}

/* The crank's 3 rad/s are the file's; coupler and rocker follow from the loop as published
 * with the problem. */
static void given_velocities_are_kept_and_the_loop_follows(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open(&p, "config/models/crank-rocker.yaml", &o);
    const struct workspace *ws = &p.trial.mechanism.ws;
    const int *kin = p.trial.mechanism.plan->kin_of_body;
    model_run_within("the crank's rate", ws->kin[kin[0]].w[2], 3 - 1e-12, 3 + 1e-12);
    model_run_within("the coupler's rate", ws->kin[kin[1]].w[2] + 0.128423191407889, -1e-11, 1e-11);
    model_run_within("the rocker's rate", ws->kin[kin[2]].w[2] - 1.44400406367499, -1e-11, 1e-11);
    model_run_close(&p);
}

/* Two rods in a line, the first given w: the second has least energy at -3/2 w, from
 * m (l w + l/2 w2) l/2 + J w2 = 0. */
static void velocities_that_are_not_given_have_least_energy(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies:\n"
        "  one: {mass: 1, inertia: [0, 1/12, 1/12], position: [0.5, 0, 0], angular-velocity: [0, 0, 2]}\n"
        "  two: {mass: 1, inertia: [0, 1/12, 1/12], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [one, two], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "sensors: {a: {type: joint-speed, joint: a}, b: {type: joint-speed, joint: b}}\n",
        &o);
    model_run_within("the given rate", model_run_see(&p, "a"), 2 - 1e-9, 2 + 1e-9);
    model_run_within("the relative rate", model_run_see(&p, "b"), -5 - 1e-6, -5 + 1e-6);
    model_run_close(&p);
}

static const char LINKS[] =
    "parameters: {tilt: 0, w: 1}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0], angular-velocity: [0, 0, 1]}\n"
    "  coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.65, 1, 0]}\n"
    "  rocker: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.3, 0.5, 0], angular-velocity: [0, 0, w]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, between: [coupler, rocker], at: [1.3, 1, 0], axis: [0, tilt, 1]}\n"
    "  d: {type: revolute, between: [ground, rocker], at: [1.3, 0, 0], axis: [0, 0, 1]}\n";

static void velocities_that_contradict_each_other_are_refused_by_name(void **state)
{
    (void)state;
    refused_with(LINKS, "w=1.1", "contradicts the joints");
}

/* A knuckle tilted on both of its bodies closes the pose and locks the loop. */
static void a_locked_loop_refuses_the_speed_it_is_given(void **state)
{
    (void)state;
    refused_with(LINKS, "tilt=0.02", "contradicts the joints");
    refused_with(LINKS, "tilt=0.5", "contradicts the joints");
}

/* A rod let go from the horizontal: its end carries a quarter of the weight at once, and its
 * end falls with 3/2 g. */
static void reactions_and_accelerations_fit_from_the_first_moment_on(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[1024];
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        snprintf(
            text, sizeof text,
            "gravity: [0, -9.81, 0]\n"
            "bodies: {rod: {mass: 2, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0]}}\n"
            "joints: {a: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]%s}}\n"
            "sensors: {f: {type: reaction-force, joint: a}, tip: {type: acceleration, body: rod, at: [1, 0, 0]},\n"
            "          felt: {type: accelerometer, body: rod}}\n",
            cut ? ", switchable: true" : "");
        model_run_open_text(&p, text, &o);
        model_run_within("the reaction", model_run_see(&p, "f.y"), 4.905 - 1e-6, 4.905 + 1e-6);
        model_run_within("the tip's fall", model_run_see(&p, "tip.y"), -14.715 - 1e-6,
                         -14.715 + 1e-6);
        model_run_within("what the middle feels", model_run_see(&p, "felt.y"), 9.81 / 4 - 1e-6,
                         9.81 / 4 + 1e-6);
        model_run_close(&p);
    }
}

/* 5 kg on 1000 N/m hang 49.05 mm lower and stay there; a rod on a torsion spring of
 * 30 N m/rad leans to 30 q = m g l/2 cos q. */
static void settle_finds_static_equilibrium_and_rests_there(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "settle: true\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  weight: {mass: 5, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
        "  rod: {mass: 2, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, weight], at: [3, 0, 0], axis: [0, 1, 0]}\n"
        "  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "forces:\n"
        "  coil: {type: joint-spring, joint: rail, stiffness: 1000}\n"
        "  twist: {type: torsion-spring, joint: hinge, stiffness: 30}\n"
        "sensors: {sag: {type: joint-position, joint: rail}, lean: {type: joint-angle, joint: hinge}}\n",
        &o);
    double sag = model_run_see(&p, "sag"), lean = model_run_see(&p, "lean");
    model_run_within("the sag", sag, -0.04905 - 1e-8, -0.04905 + 1e-8);
    model_run_within("the moment left at the hinge", 30 * lean + 9.81 * cos(lean), -1e-6, 1e-6);
    model_run_until(&p, 2);
    model_run_within("the sag's change", model_run_see(&p, "sag") - sag, -1e-8, 1e-8);
    model_run_within("the lean's change", model_run_see(&p, "lean") - lean, -1e-7, 1e-7);
    model_run_close(&p);
}

/* Joints that miss by 1e-6 m are brought together, and the run knows by how much. */
static void small_gaps_are_closed_at_the_start(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"
        "  coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.65, 1, 0]}\n"
        "  rocker: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.3, 0.55, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [coupler, rocker], at: [1.3, 1.1, 0], at-b: [1.300001, 1.099999, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [ground, rocker], at: [1.3, 0, 0], axis: [0, 0, 1]}\n",
        &o);
    model_run_within("the position error at the start", p.trial.figures.error_max[0], 0, 1e-12);
    model_run_within("how far the pose was moved", p.trial.mechanism.moved, 1e-7, 1e-5);
    model_run_close(&p);
}

/* A rotor of 38200 rpm: its angle begins at 0, and a gear holds its shafts from there on. */
static void angles_begin_right_at_any_speed(void **state)
{
    static const char *const RATE[] = {"w=300", "w=4000", "w=-70000"};
    static const double W[] = {300, 4000, -70000};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        o.load = (struct load_options){.sets = &RATE[i], .n_sets = 1};
        model_run_open_text(
            &p,
            "parameters: {w: 1}\n"
            "bodies:\n"
            "  r: {mass: 1, inertia: [0.005, 0.005, 0.01], position: [0, 0, 0], angular-velocity: [0, 0, w]}\n"
            "  s: {mass: 1, inertia: [0.05, 0.05, 0.1], position: [1, 0, 0]}\n"
            "joints:\n"
            "  h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  k: {type: revolute, between: [ground, s], at: [1, 0, 0], axis: [0, 0, 1]}\n"
            "  g: {type: gear, joints: [h, k], ratios: [1, 10]}\n"
            "sensors: {q: {type: joint-angle, joint: h}, p: {type: joint-angle, joint: k}}\n",
            &o);
        model_run_within("the angle at the start", model_run_see(&p, "q"), -1e-12, 1e-12);
        model_run_until(&p, 0.003);
        model_run_within("the rotor's angle", model_run_see(&p, "q") / (0.003 * W[i]), 1 - 1e-9,
                         1 + 1e-9);
        model_run_within("the other shaft's", model_run_see(&p, "p") / (-3e-4 * W[i]), 1 - 1e-9,
                         1 + 1e-9);
        model_run_close(&p);
    }
}

/* A motion that begins at 400 deg: the second rod goes along as it stands, its hinge at 0. */
static void a_motion_that_begins_elsewhere_turns_what_hangs_on_its_joint(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "  c: {mass: 9, inertia: [0.1, 0.1, 0.1], position: [2.5, 0, 0]}\n"
        "joints:\n"
        "  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  s: {type: prismatic, between: [b, c], at: [2, 0, 0], axis: [1, 0, 0]}\n"
        "motions: {m: {joint: h, value: 400 deg + 2*t}, n: {joint: s, value: 0.25}}\n"
        "sensors:\n"
        "  h: {type: joint-angle, joint: h, unit: deg}\n"
        "  k: {type: joint-angle, joint: k}\n"
        "  c: {type: position, body: c}\n",
        &o);
    model_run_within("the driven hinge", model_run_see(&p, "h"), 400 - 1e-9, 400 + 1e-9);
    model_run_within("the free hinge", model_run_see(&p, "k"), -1e-12, 1e-12);
    model_run_within("the far body", model_run_see(&p, "c.x"), 2.75 * cos(0.69813170079773) - 1e-9,
                     2.75 * cos(0.69813170079773) + 1e-9);
    model_run_close(&p);
}

/* In a loop the links follow; what hangs on them keeps its place on them. */
static void a_loop_follows_its_motion_and_carries_what_hangs_on_it(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"
        "  coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.65, 1, 0]}\n"
        "  rocker: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.3, 0.75, 0]}\n"
        "  load: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [0.65, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [coupler, rocker], at: [1.3, 1, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [ground, rocker], at: [1.3, -0.5, 0], axis: [0, 0, 1]}\n"
        "  e: {type: revolute, between: [coupler, load], at: [0.65, 1, 0], axis: [0, 0, 1]}\n"
        "motions: {m: {joint: a, value: 20 deg}}\n"
        "sensors:\n"
        "  a: {type: joint-angle, joint: a, unit: deg}\n"
        "  e: {type: joint-angle, joint: e}\n"
        "  gap: {type: constraint-error}\n",
        &o);
    model_run_within("the driven hinge", model_run_see(&p, "a"), 20 - 1e-9, 20 + 1e-9);
    model_run_within("what hangs on the coupler", model_run_see(&p, "e"), -1e-12, 1e-12);
    model_run_within("the joints", model_run_see(&p, "gap"), 0, 1e-11);
    model_run_close(&p);
}

static void a_motion_between_fixed_things_is_refused_by_name(void **state)
{
    (void)state;
    refused_with("bodies:\n"
                 "  a: {fixed: true, position: [0, 0, 0]}\n"
                 "  c: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                 "joints:\n"
                 "  k: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "  l: {type: revolute, between: [a, c], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                 "motions: {m: {joint: k, value: t}}\n",
                 NULL, "motion m: joint k lies between things that are fixed");
}

static const char HINGED[] =
    "parameters: {v: 0.5, m: 1}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], velocity: [0, v, 0], angular-velocity: [0, 0, 1]}\n"
    "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n";

static void small_contradictions_of_velocities_are_refused_too(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    refused_with(HINGED, "v=0.501", "contradicts the joints");
    refused_with(HINGED, "v=0.50001", "contradicts the joints");
    model_run_open_text(&p, HINGED, &o);
    model_run_close(&p);
}

/* The crank's rate is given, the coupler weighs m times as much: right or refused, and not
 * for a contradiction. */
static void a_heavy_coupler_does_not_change_a_given_rate(void **state)
{
    static const char *const MASS[] = {"m=1", "m=1e6", "m=5e6", "m=1e7", "m=1e9"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct trial t;
        struct diag_list diags = {0};
        struct trial_options o = model_run_options(1e-3);
        o.load = (struct load_options){.sets = &MASS[i], .n_sets = 1};
        enum status s = trial_open_text(
            &t,
            "parameters: {m: 1}\n"
            "bodies:\n"
            "  crank: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0], angular-velocity: [0, 0, 1]}\n"
            "  coupler: {mass: m, inertia: [0.01*m, 0.1*m, 0.1*m], position: [0.65, 1, 0]}\n"
            "  rocker: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.3, 0.5, 0]}\n"
            "joints:\n"
            "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
            "  c: {type: revolute, between: [coupler, rocker], at: [1.3, 1, 0], axis: [0, 0, 1]}\n"
            "  d: {type: revolute, between: [ground, rocker], at: [1.3, 0, 0], axis: [0, 0, 1]}\n",
            &o, &diags);
        if (i < 3) assert_int_equal(s, STATUS_OK);
        if (s == STATUS_OK) {
            int k = t.mechanism.plan->kin_of_body[0];
            model_run_within("the crank's rate", t.mechanism.ws.v[k].a[2], 1 - 1e-6, 1 + 1e-6);
        } else {
            assert_non_null(strstr(diags.item[0].text, "times as heavy as"));
        }
        trial_close(&t);
        diag_clear(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_velocities_are_kept_and_the_loop_follows),
        cmocka_unit_test(velocities_that_are_not_given_have_least_energy),
        cmocka_unit_test(velocities_that_contradict_each_other_are_refused_by_name),
        cmocka_unit_test(a_locked_loop_refuses_the_speed_it_is_given),
        cmocka_unit_test(reactions_and_accelerations_fit_from_the_first_moment_on),
        cmocka_unit_test(settle_finds_static_equilibrium_and_rests_there),
        cmocka_unit_test(angles_begin_right_at_any_speed),
        cmocka_unit_test(a_motion_that_begins_elsewhere_turns_what_hangs_on_its_joint),
        cmocka_unit_test(a_loop_follows_its_motion_and_carries_what_hangs_on_it),
        cmocka_unit_test(a_motion_between_fixed_things_is_refused_by_name),
        cmocka_unit_test(small_contradictions_of_velocities_are_refused_too),
        cmocka_unit_test(a_heavy_coupler_does_not_change_a_given_rate),
        cmocka_unit_test(small_gaps_are_closed_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
