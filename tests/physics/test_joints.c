/* Mechanisms whose motion follows from one joint's geometry, and masses far apart. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two shafts at b = 30 degrees joined by a cross. The first shaft's arm is normal to the plane
 * of both shafts at the start: tan q2 = tan q1 cos b. */
static void open_cardan(struct model_run *p, double speed)
{
    char text[2048];
    struct trial_options o = model_run_options(1e-3);
    snprintf(
        text, sizeof text,
        "parameters: {c: cos(30 deg), s: sin(30 deg), w: %g}\n"
        "bodies:\n"
        "  one: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [-0.5, 0, 0]}\n"
        "  two: {mass: 1, inertia: [0.02, 0.1, 0.1], position: [0.5*c, 0.5*s, 0], rotation: {axis: [0, 0, 1], angle: 30 deg}}\n"
        "joints:\n"
        "  in: {type: revolute, between: [ground, one], at: [-1, 0, 0], axis: [1, 0, 0]}\n"
        "  cross: {type: universal, between: [one, two], at: [0, 0, 0], axis: [0, 0, 1], axis-b: [-s, c, 0]}\n"
        "  out: {type: revolute, between: [ground, two], at: [c, s, 0], axis: [c, s, 0]}\n"
        "motions: {drive: {joint: in, value: w*t}}\n"
        "sensors:\n"
        "  in: {type: joint-angle, joint: in}\n"
        "  out: {type: joint-angle, joint: out}\n"
        "  rate: {type: joint-speed, joint: out}\n"
        "  torque: {type: reaction-torque, joint: in}\n",
        speed);
    model_run_open_text(p, text, &o);
}

static void a_cardan_joint_turns_its_shaft_unevenly(void **state)
{
    (void)state;
    struct model_run p;
    open_cardan(&p, 8);
    assert_int_equal(p.trial.mechanism.plan->dof, 0);
    assert_int_equal(p.trial.mechanism.plan->redundant, 3);
    double c = cos(M_PI / 6);
    for (double t = 0; t < 3; t += 0.05) {
        model_run_until(&p, t);
        double q = model_run_see(&p, "in"), turns = round(q / M_PI) * M_PI;
        double out = atan(tan(q) * c) + turns,
               rate = 8 * c / (cos(q) * cos(q) + c * c * sin(q) * sin(q));
        model_run_within("the angle driven", q - 8 * t, -1e-9, 1e-9);
        model_run_within("the angle of the second shaft", model_run_see(&p, "out") - out, -1e-8,
                         1e-8);
        model_run_within("its rate", model_run_see(&p, "rate") - rate, -1e-6, 1e-6);
    }
    model_run_within("the position error", p.trial.figures.error_max[0], 0, 1e-11);
    model_run_close(&p);
}

/* The torque of the drive does the work on the second shaft: M w = J2 w2 w2'. */
static void a_cardan_joint_passes_its_power_on(void **state)
{
    (void)state;
    struct model_run p;
    open_cardan(&p, 8);
    double c = cos(M_PI / 6);
    for (double t = 0.01; t < 1; t += 0.05) {
        model_run_until(&p, t);
        double q = 8 * t, n = cos(q) * cos(q) + c * c * sin(q) * sin(q);
        double rate = 8 * c / n, second = 8 * c * (1 - c * c) * sin(2 * q) / (n * n) * 8;
        model_run_within("the torque", model_run_see(&p, "torque.z") - 0.02 * rate * second / 8,
                         -1e-5, 1e-5);
    }
    model_run_close(&p);
}

/* A light rod with a heavy bob behaves as the bob alone: w² = g/l for small swings. */
static void masses_a_million_times_apart_swing_as_the_heavy_one(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {mass: 1e-6, inertia: [1e-9, 1e-7, 1e-7], position: [0, -0.5, 0]}\n"
        "  bob: {mass: 1, inertia: [1e-6, 1e-6, 1e-6], position: [0, -1, 0], velocity: [0.01, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: fixed, between: [rod, bob], at: [0, -1, 0]}\n"
        "sensors: {bob: {type: position, body: bob}}\n",
        &o);
    double w = sqrt(9.81);
    for (double t = 0; t < 5; t += 0.1) {
        model_run_until(&p, t);
        model_run_within("x", model_run_see(&p, "bob.x") - 0.01 / w * sin(w * t), -3e-7, 3e-7);
    }
    assert_int_equal(p.trial.figures.not_converged, 0);
    model_run_close(&p);
}

/* The same the other way round: a heavy rod carries a light one that is whipped along; the
 * heavy one's motion is a pendulum's, energy and constraints hold. */
static void a_heavy_body_whips_a_light_one_along(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  heavy: {mass: 1000, inertia: [1, 1000/12, 1000/12], position: [0.5, 0, 0]}\n"
        "  light: {mass: 0.001, inertia: [1e-7, 0.001/12, 0.001/12], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, heavy], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [heavy, light], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "sensors: {q: {type: joint-angle, joint: a}, w: {type: joint-speed, joint: a}}\n",
        &o);
    for (double t = 0.1; t < 3; t += 0.1) {
        model_run_until(&p, t);
        double q = model_run_see(&p, "q"), w = model_run_see(&p, "w");
        /* w² = 3 g sin(-q)/l within the light rod's part, 1e-5 */
        model_run_within("w²", w * w + 3 * 9.81 * sin(q), -2e-3, 2e-3);
    }
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 0.1);
    model_run_within("the position error", p.trial.figures.error_max[0], 0, 1e-12);
    model_run_close(&p);
}

/* A bar held at both ends by point-on-line joints in two slots (a trammel): its middle moves
 * on a circle, its points on ellipses. */
static void a_trammel_draws_its_ellipse(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "parameters: {q: 30 deg}\n"
        "bodies: {bar: {mass: 1, inertia: [0.01, 1/12, 1/12], position: [cos(q)/2, sin(q)/2, 0],\n"
        "               rotation: {axis: [0, 0, 1], angle: -q}, angular-velocity: [0, 0, -5]}}\n"
        "joints:\n"
        "  x: {type: point-on-line, between: [ground, bar], at: [0, 0, 0], at-b: [cos(q), 0, 0], axis: [1, 0, 0]}\n"
        "  y: {type: point-on-line, between: [ground, bar], at: [0, 0, 0], at-b: [0, sin(q), 0], axis: [0, 1, 0]}\n"
        "  flat: {type: planar, between: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "sensors: {pen: {type: position, body: bar, at: [cos(q)/4, 3*sin(q)/4, 0]}, mid: {type: position, body: bar},\n"
        "          energy: {type: energy}}\n",
        &o);
    for (double t = 0; t < 5; t += 0.05) {
        model_run_until(&p, t);
        double x = model_run_see(&p, "pen.x"), y = model_run_see(&p, "pen.y");
        model_run_within("the ellipse", 16 * x * x + 16. / 9 * y * y, 1 - 1e-9, 1 + 1e-9);
        model_run_within("the circle",
                         hypot(model_run_see(&p, "mid.x"), model_run_see(&p, "mid.y")), 0.5 - 1e-9,
                         0.5 + 1e-9);
        /* no force works: the bar turns at 5 rad/s for ever, with 0.5 (1/4 + 1/12) 25 J */
        model_run_within("the energy", model_run_see(&p, "energy"), 12.5 / 3 - 1e-3,
                         12.5 / 3 + 1e-3);
    }
    model_run_close(&p);
}

/* A slide that stands 0.5 m out, one that shows 2 m where it stands, a hinge at 30 degrees
 * with a gear on it: what they show at the start and after a second at known speeds. */
static void joints_show_at_the_start_what_the_file_says(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies:\n"
        "  out: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], velocity: [0.1, 0, 0]}\n"
        "  on: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], velocity: [0.1, 0, 0]}\n"
        "  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 2, 0], angular-velocity: [0, 0, 4]}\n"
        "  wheel: {mass: 1, inertia: [1, 1, 1], position: [0, 3, 0]}\n"
        "  bob: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 5]}\n"
        "joints:\n"
        "  out: {type: prismatic, between: [ground, out], at: [0, 0, 0], at-b: [0.5, 0, 0], axis: [1, 0, 0]}\n"
        "  on: {type: prismatic, between: [ground, on], at: [0, 1, 0], axis: [1, 0, 0], start: 2 m}\n"
        "  arm: {type: revolute, between: [ground, arm], at: [0, 2, 0], axis: [0, 0, 1], start: 30 deg}\n"
        "  wheel: {type: revolute, between: [ground, wheel], at: [0, 3, 0], axis: [0, 0, 1], start: 0.5}\n"
        "  mesh: {type: gear, joints: [wheel, arm], ratios: [1, -2], offset: 0.5 - 2*30 deg}\n"
        "  string: {type: distance, between: [ground, bob], at: [0, 0, 0], at-b: [0, 0, 5]}\n"
        "sensors:\n"
        "  out: {type: joint-position, joint: out}\n"
        "  on: {type: joint-position, joint: on}\n"
        "  arm: {type: joint-angle, joint: arm}\n"
        "  wheel: {type: joint-angle, joint: wheel}\n"
        "  string: {type: joint-position, joint: string}\n",
        &o);
    for (double t = 0; t <= 1; t += 0.5) {
        model_run_until(&p, t);
        model_run_within("a slide that stands out", model_run_see(&p, "out") - (0.5 + 0.1 * t),
                         -1e-12, 1e-12);
        model_run_within("a slide by its start", model_run_see(&p, "on") - (2 + 0.1 * t), -1e-12,
                         1e-12);
        model_run_within("the hinge", model_run_see(&p, "arm") - (M_PI / 6 + 4 * t), -1e-9, 1e-9);
        model_run_within("the wheel geared to it", model_run_see(&p, "wheel") - (0.5 + 8 * t),
                         -1e-9, 1e-9);
        model_run_within("the string", model_run_see(&p, "string") - 5, -1e-12, 1e-12);
    }
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cardan_joint_turns_its_shaft_unevenly),
        cmocka_unit_test(a_cardan_joint_passes_its_power_on),
        cmocka_unit_test(masses_a_million_times_apart_swing_as_the_heavy_one),
        cmocka_unit_test(a_heavy_body_whips_a_light_one_along),
        cmocka_unit_test(a_trammel_draws_its_ellipse),
        cmocka_unit_test(joints_show_at_the_start_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
