/* Point masses have no inertia that anything could feel: whatever joint holds them, they act
 * as mass at a place. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A light arm on a torsion spring carries a mass at its end, by a joint of any type: period
 * 2 pi sqrt((J + m r^2)/k), no share of the load's own. */
static void a_load_on_an_arm_swings_as_mass_alone(void **state)
{
    static const char *const JOINT[] = {
        "{type: fixed, between: [arm, load], at: [0.02, 0, 0]}",
        "{type: fixed, between: [load, arm], at: [0.02, 0, 0]}",
        "{type: revolute, between: [arm, load], at: [0.02, 0, 0], axis: [0, 0, 1]}",
        "{type: revolute, between: [load, arm], at: [0.02, 0, 0], axis: [1, 0, 0]}",
        "{type: universal, between: [arm, load], at: [0.02, 0, 0], axis: [1, 0, 0], axis-b: [0, 1, 0]}",
        "{type: spherical, between: [arm, load], at: [0.02, 0, 0]}",
    };
    (void)state;
    const double k = 0.01, J = 1e-6 + 0.01 * 1e-4 + 0.1 * 4e-4, w = sqrt(k / J);
    for (size_t i = 0; i < sizeof JOINT / sizeof JOINT[0]; i++) {
        char text[1500];
        struct model_run p;
        struct trial_options o = model_run_options(1e-4);
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  arm: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [0.01, 0, 0], angular-velocity: [0, 0, 1]}\n"
            "  load: {mass: 0.1, point: true, position: [0.02, 0, 0]}\n"
            "joints:\n"
            "  h: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  f: %s\n"
            "forces: {k: {type: torsion-spring, joint: h, stiffness: 0.01}}\n"
            "sensors: {q: {type: joint-angle, joint: h}}\n",
            JOINT[i]);
        model_run_open_text(&p, text, &o);
        model_run_until(&p, 0.2);
        double right = sin(w * 0.2) / w;
        model_run_within(JOINT[i], model_run_see(&p, "q") - right, -2e-6, 2e-6);
        model_run_close(&p);
    }
}

/* A slider that is a point mass still holds the attitude of what is hinged to it, and a mass
 * that slides along a turning arm feels only its place. */
static void joints_that_hold_attitude_on_both_sides_still_do(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-4);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  s: {mass: 2, point: true, position: [0, 0, 0]}\n"
        "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  p: {type: prismatic, between: [ground, s], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  h: {type: revolute, between: [s, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "forces: {t: {type: joint-torque, joint: h, value: 0}}\n"
        "sensors: {y: {type: position, body: rod}, e: {type: energy}, q: {type: joint-angle, joint: h}}\n",
        &o);
    double e = model_run_see(&p, "e");
    model_run_until(&p, 0.5);
    model_run_within("the rod stays in its plane", model_run_see(&p, "y.y"), -1e-12, 1e-12);
    model_run_within("the energy", model_run_see(&p, "e"), e - 1e-5, e + 1e-5);
    model_run_within("it swings", model_run_see(&p, "q"), 0.5, 2.5);
    model_run_close(&p);
}

/* Friction at the contact of a sliding mass slows it and does not turn it. */
static void a_sliding_mass_is_slowed_by_friction_alone(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 1, point: true, position: [0, 0, 0.099019], velocity: [3, 0, 0]}}\n"
        "forces: {c: {type: sphere-contact, body: b, radius: 0.1, stiffness: 1e4, damping: 1, friction: 0.3}}\n"
        "sensors: {v: {type: velocity, body: b}}\n",
        &o);
    model_run_until(&p, 0.5);
    model_run_within("the speed", model_run_see(&p, "v.x") - (3 - 0.3 * 9.81 * 0.5), -2e-2, 2e-2);
    model_run_close(&p);
}

static void torques_on_a_point_mass_are_refused_by_name(void **state)
{
    static const char *const LINE[] = {
        "forces: {t: {type: torque, body: b, value: [0, 0, 1]}}\n",
        "actuators: {t: {type: torque, body: b, direction: [0, 0, 1], range: [-1, 1]}}\n",
        "forces: {t: {type: joint-torque, joint: j, value: 1}}\n",
        "forces: {t: {type: torsion-spring, joint: j, stiffness: 1}}\n",
        "forces: {t: {type: wheel-contact, body: b, axle: [0, 1, 0], radius: 0.1, stiffness: 1e4}}\n",
        "forces: {t: {type: bushing, between: [a, b], at: [1, 0, 0], stiffness: [1, 1, 1, 1, 1, 1]}}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof LINE / sizeof LINE[0]; i++) {
        char text[900];
        struct trial t;
        struct diag_list diags = {0};
        struct trial_options o = model_run_options(1e-3);
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
            "  b: {mass: 1, point: true, position: [1, 0, 0]}\n"
            "joints: {j: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}}\n%s",
            LINE[i]);
        assert_int_equal(trial_open_text(&t, text, &o, &diags), STATUS_REFUSED);
        int said = 0;
        for (int k = 0; k < diags.n; k++)
            said |= strstr(diags.item[k].text, "'b' is a point mass, which cannot be turned") !=
                    NULL;
        if (!said) fail_msg("%s", LINE[i]);
        trial_close(&t);
        diag_clear(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_on_an_arm_swings_as_mass_alone),
        cmocka_unit_test(joints_that_hold_attitude_on_both_sides_still_do),
        cmocka_unit_test(a_sliding_mass_is_slowed_by_friction_alone),
        cmocka_unit_test(torques_on_a_point_mass_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
