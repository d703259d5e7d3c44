/* Springs, dampers, friction, stops and servos on one freedom, against closed forms. Smooth
 * laws are met with the rule's own error, (w h)²/12 of phase per radian: bounds say how
 * much that is. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A carriage of 2 kg on a rail and a wheel of 0.5 kg m2 on an axle, with forces of a test. */
static void open_with(struct model_run *p, const char *forces, double h)
{
    char text[2048];
    struct trial_options o = model_run_options(h);
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  cart: {mass: 2, inertia: [1, 1, 1], velocity: [3, 0, 0]}\n"
        "  wheel: {mass: 4, inertia: [0.3, 0.3, 0.5], position: [0, 1, 0], angular-velocity: [0, 10, 0], rotation: {axis: [1, 0, 0], angle: -90 deg}}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  axle: {type: revolute, between: [ground, wheel], at: [0, 1, 0], axis: [0, 1, 0]}\n"
        "forces:\n%s"
        "sensors:\n"
        "  x: {type: joint-position, joint: rail}\n"
        "  v: {type: joint-speed, joint: rail}\n"
        "  q: {type: joint-angle, joint: axle}\n"
        "  w: {type: joint-speed, joint: axle}\n"
        "  energy: {type: energy}\n",
        forces);
    model_run_open_text(p, text, &o);
}

/* x(t) of m x'' + c x' + k x = 0 from x = 0 at speed v. */
static double swing(double m, double c, double k, double v, double t)
{
    double d = c / (2 * m), w = sqrt(k / m - d * d);
    return v / w * exp(-d * t) * sin(w * t);
}

static void springs_and_dampers_swing_as_they_should(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p,
              "  coil: {type: joint-spring, joint: rail, stiffness: 200, damping: 3}\n"
              "  twist: {type: torsion-spring, joint: axle, stiffness: 18, damping: 0.4}\n",
              1e-3);
    for (double t = 0; t < 3; t += 0.05) {
        model_run_until(&p, t);
        /* w = 10 and 6 rad/s: (w h)²/12 w t of the amplitudes 0.3 m and 1.7 rad */
        model_run_within("x", model_run_see(&p, "x") - swing(2, 3, 200, 3, t), -8e-5, 8e-5);
        model_run_within("q", model_run_see(&p, "q") - swing(0.5, 0.4, 18, 10, t), -1e-4, 1e-4);
    }
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 2e-3);
    model_run_close(&p);
}

/* The same spring between two points, along the line of motion, and to ground by axis. */
static void springs_between_points_are_the_same_springs(void **state)
{
    (void)state;
    static const char *const SPRING[] = {
        "  s: {type: spring-damper, between: [ground, cart], from: [-2, 0, 0], to: [0, 0, 0], stiffness: 200, damping: 3}\n",
        "  s: {type: ground-spring, body: cart, at: [0, 0, 0], stiffness: [200, 0, 0], damping: [3, 0, 0]}\n",
        "  s: {type: bushing, between: [ground, cart], at: [0, 0, 0], stiffness: [200, 0, 0, 0, 0, 0], damping: [3, 0, 0, 0, 0, 0]}\n",
    };
    for (int i = 0; i < 3; i++) {
        struct model_run p;
        open_with(&p, SPRING[i], 1e-3);
        model_run_until(&p, 1.3);
        model_run_within("x", model_run_see(&p, "x") - swing(2, 3, 200, 3, 1.3), -5e-5, 5e-5);
        model_run_close(&p);
    }
}

/* 10 rad/s against 4 N m on 0.5 kg m2 ends after 1.25 s and 6.25 rad. The law is softened
 * over `speed`, by which the stop comes later. */
static void dry_friction_stops_a_wheel_in_its_time(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, "  brake: {type: friction, joint: axle, constant: 4, speed: 1e-3}\n", 1e-3);
    model_run_until(&p, 1);
    model_run_within("the speed after 1 s", model_run_see(&p, "w"), 2 - 1e-4, 2 + 1e-4);
    model_run_until(&p, 1.5);
    model_run_within("the angle at rest", model_run_see(&p, "q"), 6.25 - 1e-3, 6.25 + 1e-3);
    model_run_within("the speed at rest", model_run_see(&p, "w"), -1e-6, 1e-6);
    double at = model_run_see(&p, "q");
    model_run_until(&p, 5);
    model_run_within("the creep", model_run_see(&p, "q") - at, -1e-6, 1e-6);
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 1e-2);
    model_run_close(&p);
}

static void viscous_friction_slows_by_exponential(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, "  oil: {type: friction, joint: axle, viscous: 0.8}\n", 1e-3);
    for (double t = 0; t < 4; t += 0.25) {
        model_run_until(&p, t);
        model_run_within("w", model_run_see(&p, "w") - 10 * exp(-1.6 * t), -2e-6, 2e-6);
    }
    model_run_close(&p);
}

/* The axle carries 4 kg: 39.24 N at a bearing radius of 0.05 m with mu = 0.3 is 0.5886 N m. */
static void friction_by_load_takes_the_bearing_force(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, "  bearing: {type: friction, joint: axle, coefficient: 0.3, radius: 0.05}\n",
              1e-3);
    model_run_until(&p, 5);
    model_run_within("the speed after 5 s",
                     model_run_see(&p, "w") - (10 - 5 * 0.3 * 0.05 * 39.24 / 0.5), -1e-3, 1e-3);
    model_run_close(&p);
}

/* Elastic stops at -0.5 and 0.5 m: never faster than before, and with a contact of 63 steps
 * the cart keeps 0.97 of its energy through ten hits. */
static void a_cart_between_elastic_stops_never_gains(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, "  ends: {type: stop, joint: rail, lower: -0.5, upper: 0.5, stiffness: 5000}\n",
              1e-3);
    double least = 9;
    for (int i = 0; i < 4000; i++) {
        model_run_until(&p, i * 1e-3);
        if (fabs(model_run_see(&p, "x")) > 0.5) continue;
        double e = model_run_see(&p, "v") * model_run_see(&p, "v");
        model_run_within("v² gained at a stop", e - least, -9, 1e-10);
        least = fmin(e, least);
    }
    model_run_within("v² after ten hits", least, 0.97 * 9, 9);
    model_run_close(&p);
}

static void a_damped_stop_takes_energy(void **state)
{
    (void)state;
    struct model_run p;
    open_with(
        &p,
        "  ends: {type: stop, joint: rail, lower: -0.5, upper: 0.5, stiffness: 5000, damping: 0.3}\n",
        1e-3);
    model_run_until(&p, 1);
    double v = fabs(model_run_see(&p, "v"));
    model_run_within("the speed after hits", v, 0.1, 2.5);
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 0.1);
    model_run_close(&p);
}

/* Critically damped: x = g(t), k = 800, c = 2 sqrt(k m) = 80: x from 0 to 0.4 m, beginning
 * at 3 m/s: with w = 20, x = 0.4 + (A + B t) e^-wt, A = -0.4, B = 3 + w A. */
static void a_servo_settles_as_a_critically_damped_mass(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, "  servo: {type: servo, joint: rail, stiffness: 800, damping: 80, target: 0.4}\n",
              1e-3);
    for (double t = 0; t < 1; t += 0.02) {
        model_run_until(&p, t);
        double x = 0.4 + (-0.4 + (3 - 8) * t) * exp(-20 * t);
        model_run_within("x", model_run_see(&p, "x") - x, -3e-5, 3e-5);
    }
    model_run_close(&p);
}

/* With 20 N m at most, a wheel of 0.5 kg m2 gains no more than 40 rad/s2; held back by its
 * damping (time constant 0.8 s) it comes to rest at its target all the same. */
static void a_weak_servo_accelerates_by_its_limit_only(void **state)
{
    (void)state;
    struct model_run p;
    open_with(
        &p,
        "  servo: {type: servo, joint: axle, stiffness: 500, damping: 400, limit: 20, target: 30}\n",
        1e-3);
    model_run_until(&p, 0.3);
    model_run_within("the speed after 0.3 s", model_run_see(&p, "w"), 10 + 40 * 0.3 - 0.05,
                     10 + 40 * 0.3 + 0.05);
    model_run_until(&p, 15);
    model_run_within("the angle at the end", model_run_see(&p, "q"), 30 - 1e-3, 30 + 1e-3);
    model_run_close(&p);
}

/* Speed servo, 2 N.m.s/rad on 0.5 kg m2, from 10 towards 30 rad/s: by its limit of 20 N m
 * first, 40 rad/s2 until 20 rad/s at 0.25 s, then w = 30 - 10 exp(-4 (t - 0.25)). */
static void a_speed_servo_follows_its_command(void **state)
{
    (void)state;
    struct model_run p;
    open_with(
        &p,
        "  none: {type: friction, joint: rail}\n"
        "actuators:\n"
        "  drive: {type: speed, joint: axle, damping: 2, limit: 20, range: [-50, 50], start: 30}\n",
        1e-3);
    for (double t = 0; t < 2; t += 0.125) {
        model_run_until(&p, t);
        double w = t < 0.25 ? 10 + 40 * t : 30 - 10 * exp(-4 * (t - 0.25));
        model_run_within("w", model_run_see(&p, "w") - w, -1e-3, 1e-3);
    }
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_and_dampers_swing_as_they_should),
        cmocka_unit_test(springs_between_points_are_the_same_springs),
        cmocka_unit_test(dry_friction_stops_a_wheel_in_its_time),
        cmocka_unit_test(viscous_friction_slows_by_exponential),
        cmocka_unit_test(friction_by_load_takes_the_bearing_force),
        cmocka_unit_test(a_cart_between_elastic_stops_never_gains),
        cmocka_unit_test(a_damped_stop_takes_energy),
        cmocka_unit_test(a_servo_settles_as_a_critically_damped_mass),
        cmocka_unit_test(a_weak_servo_accelerates_by_its_limit_only),
        cmocka_unit_test(a_speed_servo_follows_its_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
