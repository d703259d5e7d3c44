/* SPBot of Kasper and Vlasenko (config/models/spbot.yaml): a robot with two DC motors on
 * cycloid gearboxes, 24 of its 118 rows redundant. Expected values are closed forms in the
 * data of the file: a DC motor on an inertia, the weight on a lever. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char MODEL[] = "config/models/spbot.yaml";
static const double R = 0.9, L = 4.5e-3, K = 0.55;
enum { V = 0, AXIS_H = 1 };

static void open_with(struct model_run *p, const char *const *sets, int n, double h)
{
    struct trial_options o = model_run_options(h);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    model_run_open(p, MODEL, &o);
}

static void command(struct model_run *p, int axis, double volt)
{
    p->trial.mechanism.ws.command[axis] = volt;
}

static void spbot_has_the_counts_of_the_paper(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0, 1e-3);
    assert_int_equal(p.trial.model->bodies.n, 17);
    assert_int_equal(p.trial.model->joints.n, 32);
    assert_int_equal(p.trial.mechanism.plan->constraints, 118);
    assert_int_equal(p.trial.mechanism.plan->redundant, 24);
    assert_int_equal(p.trial.mechanism.plan->dof, 2);
    model_run_close(&p);
}

/* J w' = k i, L i' = u - R i - k w from rest: w = w0 (1 + (b e^at - a e^bt)/(a - b)), a and b
 * the roots of s² + s R/L + k²/(J L). */
struct shaft {
    double speed, angle, current;
};

static struct shaft shaft_at(double J, double u, double t)
{
    double half = R / (2 * L), root = sqrt(half * half - K * K / (J * L));
    double a = -half - root, b = -half + root, w0 = u / K;
    double ea = exp(a * t), eb = exp(b * t);
    struct shaft s = {.speed = w0 * (1 + (b * ea - a * eb) / (a - b)),
                      .angle = w0 * (t + (b / a * (ea - 1) - a / b * (eb - 1)) / (a - b)),
                      .current = J / K * w0 * a * b * (ea - eb) / (a - b)};
    return s;
}

/* Felt at the motor: 5e-3 rotor, 1e-3 fast shaft, 2 x 1.5 kg at 3 mm, and over 119² the
 * discs, the slow shaft and all that turns about the vertical, 273.18625 kg m2. */
static const double J_V = 5e-3 + 1e-3 + 2 * 1.5 * 9e-6 + (2 * 0.012 + 0.05 + 273.18625) / 119 / 119;

/* The closed form itself against the figures it was handed down with, to their digits. */
static void the_closed_form_gives_the_table(void **state)
{
    (void)state;
    static const double T[] = {0.05, 0.1, 0.2, 0.5};
    static const double ANGLE[] = {0.0022789, 0.0083059, 0.0250318, 0.0824125};
    static const double SPEED[] = {10.8497, 17.1008, 21.6566, 23.0712};
    for (int i = 0; i < 4; i++) {
        struct shaft s = shaft_at(J_V, 12.7, T[i]);
        model_run_within("the angle", s.angle / 119 - ANGLE[i], -1e-7, 1e-7);
        model_run_within("the speed", s.speed - SPEED[i], -2e-4, 2e-4);
    }
    model_run_within("the current at 20 ms", shaft_at(J_V, 12.7, 0.02).current, 11.968, 11.970);
}

/* A command acts as a ramp over its first step, half a step late. What is left is the rule's
 * error, (a h)²/12 for the pole a = 186 1/s: 1e-4 of the fast part at 0.2 ms. The brake keeps
 * the other axis. */
static void a_step_of_voltage_turns_the_arm_as_the_closed_form_says(void **state)
{
    (void)state;
    static const char *const SETS[] = {"brake_h=20"};
    const double h = 2e-4;
    struct model_run p;
    open_with(&p, SETS, 1, h);
    command(&p, V, 12.7);
    for (double t = 0.01; t < 0.5; t += 0.01) {
        model_run_until(&p, t);
        struct shaft s = shaft_at(J_V, 12.7, t - h / 2);
        model_run_within("the speed", model_run_see(&p, "v-motor/speed") - s.speed, -1e-3, 1e-3);
        model_run_within("the arm", model_run_see(&p, "v-angle") + s.angle / 119, -1e-6, 1e-6);
        model_run_within("the current", model_run_see(&p, "v-torque") / K - s.current, -3e-3, 3e-3);
    }
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-10);
    model_run_close(&p);
}

/* 125 kg at 0.15 m level with the axis: 183.94 N m, over 87 lobes 2.1142 N m at the motor,
 * 3.8440 A, 3.4596 V. First brake and motor without voltage carry it together (the brake's
 * law gives way by 0.15 rad/s of the shaft, and the winding brakes that), then the current
 * alone. In 0.4 s the arm sinks by less than 1e-3 rad, 1e-6 of the torque. */
static void holding_torques_are_the_weight_over_the_gear_ratio(void **state)
{
    (void)state;
    static const char *const SETS[] = {"h=90 deg", "brake_h=20"};
    struct model_run p;
    open_with(&p, SETS, 2, 1e-3);
    model_run_until(&p, 0.2);
    double held = model_run_see(&p, "h-brake") + model_run_see(&p, "h-torque");
    model_run_within("brake and motor", fabs(held), 2.1142 - 1e-4, 2.1142 + 1e-4);
    command(&p, AXIS_H, held > 0 ? 3.4596 : -3.4596);
    model_run_until(&p, 0.4);
    model_run_within("the motor", fabs(model_run_see(&p, "h-torque")), 2.1142 - 1e-4,
                     2.1142 + 1e-4);
    model_run_within("what is left to the brake", model_run_see(&p, "h-brake"), -1e-4, 1e-4);
    model_run_close(&p);
}

/* A smooth way of so many radians in `end` seconds. */
static double way(double t, double end, double far)
{
    double x = t < end ? t / end : 1;
    return far * x * x * x * (10 + x * (6 * x - 15));
}

/* The rig's part: voltages from the angles it reads, at each step. */
static void control(struct model_run *p, double t)
{
    double v = way(t, 1.5, 1.2) - model_run_see(p, "v-angle"),
           h = way(t, 1.5, -2) - model_run_see(p, "h-angle");
    double dv = model_run_see(p, "v-motor/speed"), dh = model_run_see(p, "h-motor/speed");
    command(p, V, fmax(-127, fmin(127, -2000 * v - 0.2 * dv)));
    command(p, AXIS_H, fmax(-127, fmin(127, -2000 * h - 0.2 * dh)));
}

/* 1.2 rad of the arm are 23 turns of its shaft. Gear rows are kept to rounding: an angle of
 * 150 rad has 3e-14, and what rolls over 8 joints some ten times that; where one iteration is
 * enough it leaves 1/alpha' of what a row's force changes in the step, 1e-10 rad. Energy is balanced with
 * the electrical work; voltages act as ramps, which the account takes by the trapezium: an
 * error of second order, 0.08 J here. */
static void a_motion_under_a_controller_keeps_gears_and_energy(void **state)
{
    (void)state;
    struct model_run p;
    double worst = 0;
    open_with(&p, NULL, 0, 1e-3);
    for (int i = 0; i < 3000; i++) {
        control(&p, i * 1e-3);
        model_run_until(&p, (i + 1) * 1e-3);
        worst = fmax(worst,
                     fabs(model_run_see(&p, "v-shaft") + 119 * model_run_see(&p, "v-angle")));
        worst = fmax(worst, fabs(model_run_see(&p, "h-shaft") + 87 * model_run_see(&p, "h-angle")));
    }
    model_run_within("the error of the gear ratios, rad", worst, 0, 3e-10);
    model_run_within("the v axis at the end", model_run_see(&p, "v-angle"), 1.19, 1.21);
    model_run_within("the h axis at the end", model_run_see(&p, "h-angle"), -2.01, -1.99);
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-10);
    model_run_within("the energy balance, J", p.trial.figures.balance_max, 0, 0.2);
    assert_int_equal(p.trial.figures.redundant_open, 0);
    assert_int_equal(p.trial.figures.not_converged, 0);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spbot_has_the_counts_of_the_paper),
        cmocka_unit_test(the_closed_form_gives_the_table),
        cmocka_unit_test(a_step_of_voltage_turns_the_arm_as_the_closed_form_says),
        cmocka_unit_test(holding_torques_are_the_weight_over_the_gear_ratio),
        cmocka_unit_test(a_motion_under_a_controller_keeps_gears_and_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
