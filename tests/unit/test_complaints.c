/* All that is wrong with a file is said at once: a mistake in one place hides none in another
 * of the same element, nor in the elements that name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/loading.h"

/* Three good bodies, two joints, one of them switchable, and a sensor; then an element. */
static const char GOOD[] =
    "bodies:\n"
    "  p: {mass: 1, inertia: [1, 1, 1]}\n"
    "  q: {mass: 1, inertia: [1, 1, 1]}\n"
    "%s"
    "joints:\n"
    "  turn: {type: revolute, between: [ground, p], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  slide: {type: prismatic, between: [p, q], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "%s"
    "%s";

enum section { BODY, JOINT, OTHER };

static void assert_errors(enum section section, const char *element, int n)
{
    char text[4000];
    snprintf(text, sizeof text, GOOD, section == BODY ? element : "",
             section == JOINT ? element : "", section == OTHER ? element : "");
    struct loading l = loading_text(text);
    if (l.diags.n_errors != n) {
        fprintf(stderr, "# wanted %d errors of %s", n, element);
        diag_print(&l.diags, stderr);
    }
    assert_int_equal(l.diags.n_errors, n);
    loading_done(&l);
}

static void all_mistakes_of_a_body(void **state)
{
    (void)state;
    assert_errors(BODY, "  a: {}\n", 2);
    assert_errors(BODY, "  a: {mass: [1], inertia: 3, positon: [0, 0, 0]}\n", 3);
    assert_errors(BODY, "  a: {cylinder: {radius: -1, length: 2 kg, axis: w}}\n", 4);
    assert_errors(BODY, "  a: {mass: 1, rod: {lenght: 1}}\n", 2);
    assert_errors(BODY,
                  "  a: {mass: 0, inertia: [1, 1, 3], rotation: {axis: [0, 0], angle: 1 m}}\n", 4);
}

static void all_mistakes_of_a_joint(void **state)
{
    (void)state;
    assert_errors(JOINT, "  a: {type: revolut, between: [p, z], at: [0, 0], axis: [0, 0, 0]}\n", 4);
    assert_errors(JOINT, "  a: {type: bearing, between: [p, z], at: [0, 0]}\n", 2);
    assert_errors(JOINT, "  a: {between: [z, y], at: [0, 0, 0]}\n", 3);
    assert_errors(JOINT, "  a: {type: revolute, between: [p], at: [0 s, 0, 0], start: 1 m}\n", 4);
    assert_errors(JOINT, "  a: {type: screw, between: [p, p], at: 1, axis: 2, pitch: 1 kg}\n", 4);
    assert_errors(
        JOINT, "  a: {type: universal, between: [p, q], at: [0, 0, 0], released: 7, frob: 1}\n", 4);
    assert_errors(JOINT, "  a: {type: gear, joints: [turn, nope], ratios: [1], offset: foo}\n", 3);
    assert_errors(JOINT, "  a: {type: rack, joints: [slide, turn], radius: 1 s}\n", 3);
}

static void all_mistakes_of_what_acts(void **state)
{
    (void)state;
    assert_errors(OTHER, "forces:\n  f: {type: torque, body: z, value: [0, 0]}\n", 2);
    assert_errors(OTHER, "forces:\n  f: {type: torqe, body: z, value: [0, 0, 1 N]}\n", 3);
    assert_errors(OTHER, "forces:\n  f: {type: spring, body: z}\n", 2);
    assert_errors(OTHER, "forces:\n  f: {type: friction, joint: z, viscous: -1, radius: 0}\n", 3);
    assert_errors(OTHER, "motions:\n  m: {joint: z, value: foo}\n", 2);
    assert_errors(
        OTHER, "actuators:\n  f: {type: torque, joint: z, unit: kg, range: [1], safe: 1 m}\n", 4);
    assert_errors(
        OTHER, "actuators:\n  f: {type: torque, joint: turn, unit: m, range: [1, 0], safe: 1 m}\n",
        3);
}

/* One force or actuator whose numbers have no meaning: it must say so, with these words. */
static void assert_refused(const char *element, const char *words)
{
    char text[4000];
    snprintf(text, sizeof text, GOOD, "", "", element);
    struct loading l = loading_text(text);
    if (l.diags.n_errors != 1 || !loading_says(&l, words)) {
        fprintf(stderr, "# wanted '%s' of %s", words, element);
        diag_print(&l.diags, stderr);
    }
    assert_int_equal(l.diags.n_errors, 1);
    assert_true(loading_says(&l, words));
    loading_done(&l);
}

/* What a law divides by, and what would give energy instead of taking it. */
static void numbers_without_meaning_are_refused(void **state)
{
    (void)state;
    static const char *const TYRE[] = {"relaxation: 0", "load: 0", "bump-length: 0", "load: -1"};
    for (size_t i = 0; i < sizeof TYRE / sizeof TYRE[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "forces:\n  f: {type: tyre, body: q, axle: [0, 1, 0], radius: 0.3, "
                 "stiffness: 1e5, %s}\n",
                 TYRE[i]);
        assert_refused(text, "it must be positive");
    }
    assert_refused("forces:\n  f: {type: motor, joint: turn, resistance: 0, constant: 1, "
                   "voltage: 1}\n",
                   "give resistance");
    assert_refused("forces:\n  f: {type: motor, joint: turn, resistance: -1, inductance: 1, "
                   "constant: 1, voltage: 1}\n",
                   "it must not be negative");
    assert_refused("forces:\n  f: {type: gas, joint: slide, phase: turn, bore: 0.1, stroke: 0.1, "
                   "ratio: 1, ignition: 1e6}\n",
                   "it must be greater than 1");
    assert_refused("forces:\n  f: {type: stop, joint: slide, lower: 1, upper: 0, "
                   "stiffness: 1}\n",
                   "lower must lie below upper");
    assert_refused("forces:\n  f: {type: friction, joint: slide, square: -1}\n",
                   "it must not be negative");
    assert_errors(OTHER,
                  "forces:\n  f: {type: motor, joint: turn, resistance: 0, inductance: 1, "
                  "constant: 1, voltage: 1}\n",
                  0);
}

static void all_mistakes_of_what_watches(void **state)
{
    (void)state;
    assert_errors(OTHER, "sensors:\n  s: {type: position, body: z, at: [0, 0], unit: kg}\n", 3);
    assert_errors(OTHER, "sensors:\n  s: {type: joint-angle, joint: z, range: [0 m, 0 m]}\n", 3);
    assert_errors(OTHER, "sensors:\n  s: {type: joint-speed, joint: z, unit: rad/s}\n", 1);
    assert_errors(
        OTHER,
        "switches:\n  s: {sensor: z, crosses: foo, going: up and away, lock: [turn, nope],"
        " while: y, clear: 0}\n",
        8);
}

/* A joint that is wrong still tells its type, so what names it is checked. */
static void a_wrong_joint_hides_no_mistake_of_others(void **state)
{
    (void)state;
    assert_errors(JOINT,
                  "  a: {type: revolute, between: [p, z], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                  "motions:\n  m: {joint: a, value: 1 kg}\n"
                  "sensors:\n  s: {type: joint-position, joint: a}\n"
                  "actuators:\n  f: {type: torque, joint: a, unit: N, range: [0, 1]}\n",
                  4);
}

static void all_types_are_named_where_none_is_near(void **state)
{
    (void)state;
    struct loading l = loading_text("bodies: {a: {fixed: true}}\n"
                                    "sensors: {s: {type: thermometer, body: a}}\n");
    assert_true(loading_says(&l, " position "));
    assert_true(loading_says(&l, " acceleration "));
    loading_done(&l);
}

static void flags_are_written_as_yaml_allows(void **state)
{
    (void)state;
    struct loading l = loading_good(
        "bodies: {a: {fixed: True}, b: {fixed: YES}, c: {fixed: on}}\n");
    for (int i = 0; i < 3; i++) assert_true(model_bodies(l.model)[i].flags & BODY_FIXED);
    loading_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_mistakes_of_a_body),
        cmocka_unit_test(all_mistakes_of_a_joint),
        cmocka_unit_test(all_mistakes_of_what_acts),
        cmocka_unit_test(numbers_without_meaning_are_refused),
        cmocka_unit_test(all_mistakes_of_what_watches),
        cmocka_unit_test(a_wrong_joint_hides_no_mistake_of_others),
        cmocka_unit_test(all_types_are_named_where_none_is_near),
        cmocka_unit_test(flags_are_written_as_yaml_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
