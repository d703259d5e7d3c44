/* Prescribed motions: the coordinate follows its function at all three levels, and the drive
 * needs the force that hand calculation gives, whether the joint carries its body (tree) or
 * closes a loop (cut, here made one by `switchable`).
 *
 * A rod of 2 kg and 1 m is turned about its end, I = 2/3 kg m2, at the angle q from the
 * horizontal against g = 9.81: M = I q'' + m g (l/2) cos q. Kinematics is exact at every
 * step, so q, q', q'' and M are met to rounding (tree) or to what the rows leave (cut), but
 * for ramps, whose corners are not smooth. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void rod_text(char *text, size_t size, int cut, const char *value)
{
    snprintf(
        text, size,
        "gravity: [0, -9.81, 0]\n"
        "bodies: {rod: {mass: 2, inertia: [0.001, 1/6, 1/6], position: [0.5, 0, 0]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]%s}}\n"
        "motions: {turn: {joint: hinge, value: %s}}\n"
        "sensors:\n"
        "  q: {type: joint-angle, joint: hinge}\n"
        "  qd: {type: joint-speed, joint: hinge}\n"
        "  qdd: {type: joint-acceleration, joint: hinge}\n"
        "  m: {type: reaction-torque, joint: hinge}\n"
        "  f: {type: reaction-force, joint: hinge}\n"
        "  e: {type: constraint-error}\n",
        cut ? ", switchable: true" : "", value);
}

/* A function and its first two derivatives, written out by hand. */
typedef void motion(double t, double *q);

static void check_drive(const char *value, motion *wanted, double bound)
{
    for (int cut = 0; cut < 2; cut++) {
        char text[2048];
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        rod_text(text, sizeof text, cut, value);
        model_run_open_text(&p, text, &o);
        for (double t = 0; t < 3; t += 0.037) {
            double q[3];
            model_run_until(&p, t);
            t = trial_time(&p.trial);
            wanted(t, q);
            model_run_within("q", model_run_see(&p, "q") - q[0], -bound, bound);
            model_run_within("q'", model_run_see(&p, "qd") - q[1], -bound, bound);
            model_run_within("q''", model_run_see(&p, "qdd") - q[2], -1e3 * bound, 1e3 * bound);
            double M = 2. / 3 * q[2] + 2 * 9.81 * 0.5 * cos(q[0]);
            model_run_within("the drive torque", model_run_see(&p, "m.z") - M, -1e3 * bound,
                             1e3 * bound);
            double along = model_run_see(&p, "f.x") * cos(q[0]) +
                           model_run_see(&p, "f.y") * sin(q[0]);
            double pull = -2 * 0.5 * q[1] * q[1] + 2 * 9.81 * sin(q[0]);
            model_run_within("the pull along the rod", along - pull, -1e3 * bound, 1e3 * bound);
        }
        /* the work of the drive is in the balance; summing its power leaves (q' h)²/12 m g l/2 */
        model_run_within("the energy balance", p.trial.figures.balance_max, 0, 5e-4);
        model_run_within("the position error", p.trial.figures.error_max[0], 0, 1e-9);
        model_run_close(&p);
    }
}

static void constant(double t, double *q)
{
    (void)t;
    q[0] = q[1] = q[2] = 0;
}

static void sine(double t, double *q)
{
    q[0] = 0.8 * sin(3 * t), q[1] = 2.4 * cos(3 * t), q[2] = -7.2 * sin(3 * t);
}

static void expression(double t, double *q)
{
    q[0] = t * t * exp(-t), q[1] = (2 * t - t * t) * exp(-t), q[2] = (2 - 4 * t + t * t) * exp(-t);
}

/* The spline through 0, 1, 0, 0 at 0 ... 3 s with natural ends: m = 0, -3.6, 2.4, 0. */
static void table(double t, double *q)
{
    static const double F[4] = {0, 1, 0, 0}, M[4] = {0, -3.6, 2.4, 0};
    int i = t >= 2 ? 2 : (int)t;
    double b = t - i, a = 1 - b;
    q[0] = a * F[i] + b * F[i + 1] + ((a * a * a - a) * M[i] + (b * b * b - b) * M[i + 1]) / 6;
    q[1] = F[i + 1] - F[i] - (3 * a * a - 1) / 6 * M[i] + (3 * b * b - 1) / 6 * M[i + 1];
    q[2] = a * M[i] + b * M[i + 1];
}

static void turning(double t, double *q) { q[0] = 20 * t, q[1] = 20, q[2] = 0; }

static void a_held_joint_needs_the_static_torque(void **state)
{
    (void)state;
    check_drive("0", constant, 1e-9);
}

static void a_sine_needs_its_torque(void **state)
{
    (void)state;
    check_drive("{sine: {amplitude: 0.8, omega: 3}}", sine, 1e-9);
}

static void an_expression_needs_its_torque(void **state)
{
    (void)state;
    check_drive("t^2*exp(-t)", expression, 1e-9);
}

static void a_table_needs_its_torque(void **state)
{
    (void)state;
    check_drive("{table: {times: [0, 1, 2, 3], values: [0, 1, 0, 0]}}", table, 1e-9);
}

static void a_steady_turn_is_counted_over_many_turns(void **state)
{
    (void)state;
    check_drive("20*t", turning, 1e-8);
}

/* A ramp from 0.5 s to 1.5 s: its corners jump in speed. Twenty steps behind a corner the
 * motion and the torque are those of the new slope, and no ringing is left. */
static void behind_the_corner_of_a_ramp_nothing_rings(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[2048];
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        rod_text(text, sizeof text, cut, "{ramp: {start: 0.5, rate: 2, end: 1.5}}");
        model_run_open_text(&p, text, &o);
        for (int i = 0; i < 2000; i++) {
            model_run_until(&p, i * 1e-3);
            double t = i * 1e-3, since = t >= 1.5 ? t - 1.5 : t >= 0.5 ? t - 0.5 : t;
            double q = t < 0.5   ? 0
                       : t < 1.5 ? 2 * (t - 0.5)
                                 : 2,
                   rate = t >= 0.5 && t < 1.5 ? 2 : 0;
            if (since < 0.02 && t >= 0.48) continue;
            model_run_within("q", model_run_see(&p, "q") - q, -1e-9, 1e-9);
            model_run_within("q'", model_run_see(&p, "qd") - rate, -1e-8, 1e-8);
            model_run_within("the torque", model_run_see(&p, "m.z") - 9.81 * cos(q), -1e-5, 1e-5);
        }
        model_run_close(&p);
    }
}

/* A mass that hangs on a rope of length 1 + 0.3 sin 4t is pulled with m (g - l''). */
static void a_rope_of_given_length_pulls_its_mass(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[1024];
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        snprintf(
            text, sizeof text,
            "gravity: [0, -9.81, 0]\n"
            "bodies: {bob: {mass: 2, point: true, position: [0, -1, 0]}}\n"
            "joints: {rope: {type: distance, between: [ground, bob], at: [0, 0, 0], at-b: [0, -1, 0],\n"
            "                length: 1 + 0.3*sin(4*t)%s}}\n"
            "sensors:\n"
            "  bob: {type: position, body: bob}\n"
            "  rope: {type: reaction-force, joint: rope}\n",
            cut ? ", switchable: true" : "");
        model_run_open_text(&p, text, &o);
        for (double t = 0; t < 3; t += 0.05) {
            model_run_until(&p, t);
            double l = 1 + 0.3 * sin(4 * t), pull = 2 * (9.81 + 4.8 * sin(4 * t));
            model_run_within("the height", model_run_see(&p, "bob.y") + l, -1e-9, 1e-9);
            model_run_within("the pull", model_run_see(&p, "rope.y") - pull, -1e-5, 1e-5);
        }
        model_run_within("the energy balance", p.trial.figures.balance_max, 0, 5e-4);
        model_run_close(&p);
    }
}

/* A slide with both its coordinates driven: position and angle of a cylindrical joint. */
static void both_coordinates_of_a_cylindrical_joint_are_driven(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {drum: {mass: 3, inertia: [1, 1, 0.4], position: [0, 0, 0]}}\n"
        "joints: {post: {type: cylindrical, between: [ground, drum], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "motions:\n"
        "  lift: {joint: post, coordinate: position, value: 0.2*sin(5*t)}\n"
        "  turn: {joint: post, coordinate: angle, value: 30*t^2}\n"
        "sensors:\n"
        "  f: {type: reaction-force, joint: post}\n"
        "  m: {type: reaction-torque, joint: post}\n"
        "  turn: {type: joint-angle, joint: post}\n",
        &o);
    for (double t = 0; t < 2; t += 0.05) {
        model_run_until(&p, t);
        model_run_within("the lift's force", model_run_see(&p, "f.z") - 3 * (9.81 - 5 * sin(5 * t)),
                         -1e-5, 1e-5);
        model_run_within("the turn's torque", model_run_see(&p, "m.z") - 0.4 * 60, -1e-5, 1e-5);
        model_run_within("the angle", model_run_see(&p, "turn") - 30 * t * t, -1e-8, 1e-8);
    }
    model_run_close(&p);
}

/* The equal-link four-bar driven at its crank: with q from the vertical start, crank and
 * rocker turn alike, the coupler is carried along: M = (2 I + m l²) q'' - 2 m g l sin q. */
static void a_driven_loop_needs_the_torque_of_all_its_links(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [1/12, 0.001, 1/12], position: [0, 0.5, 0]}\n"
        "  coupler: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5, 1, 0]}\n"
        "  rocker: {mass: 1, inertia: [1/12, 0.001, 1/12], position: [1, 0.5, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [coupler, rocker], at: [1, 1, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "motions: {turn: {joint: a, value: 0.7*sin(2*t)}}\n"
        "sensors: {m: {type: reaction-torque, joint: a}}\n",
        &o);
    for (double t = 0; t < 3; t += 0.05) {
        model_run_until(&p, t);
        double q = 0.7 * sin(2 * t), M = (2. / 3 + 1) * -4 * q - 2 * 9.81 * sin(q);
        model_run_within("the torque", model_run_see(&p, "m.z") - M, -1e-4, 1e-4);
    }
    model_run_close(&p);
}

/* A screw driven by its position, as a tree joint and as a cut in a loop: the rate that goes
 * with it from the start on, and every step converges, however fine its pitch. */
static void fine_screws_are_driven_by_position(void **state)
{
    static const char *const PITCH[] = {"p=5 mm", "p=1 mm", "p=50 um"};
    static const double LEAD[] = {5e-3, 1e-3, 50e-6};
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        o.load = (struct load_options){.sets = &PITCH[i / 2], .n_sets = 1};
        model_run_open_text(
            &p,
            i % 2
                ? "parameters: {p: 5 mm}\n"
                  "bodies:\n"
                  "  nut: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                  "  b: {mass: 10, inertia: [10, 10, 10], position: [0, 0, 0.2]}\n"
                  "joints:\n"
                  "  g: {type: prismatic, between: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                  "  h: {type: cylindrical, between: [ground, b], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
                  "  s: {type: screw, between: [nut, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: p}\n"
                  "forces: {k: {type: ground-spring, body: nut, at: [0, 0, 0], stiffness: 1e5, damping: 1e3}}\n"
                  "motions: {m: {joint: s, coordinate: position, value: 0.001*sin(10*t)}}\n"
                  "sensors: {w: {type: joint-speed, joint: s, coordinate: angle}, z: {type: joint-position, joint: s, coordinate: position}}\n"
                : "parameters: {p: 5 mm}\n"
                  "bodies: {b: {mass: 10, inertia: [10, 10, 10], position: [0, 0, 0]}}\n"
                  "joints: {s: {type: screw, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: p, start: [0.5 mm, 2]}}\n"
                  "motions: {m: {joint: s, coordinate: position, value: 0.5 mm + 0.001*sin(10*t)}}\n"
                  "sensors: {w: {type: joint-speed, joint: s, coordinate: angle}, z: {type: joint-position, joint: s, coordinate: position}}\n",
            &o);
        double rate = 2 * M_PI / LEAD[i / 2] * 0.01;
        model_run_within("the rate at the start", model_run_see(&p, "w") / rate, 1 - 1e-9,
                         1 + 1e-9);
        model_run_until(&p, 0.5);
        double z = 0.001 * sin(5) + (i % 2 ? 0 : 5e-4);
        model_run_within("the position", model_run_see(&p, "z"), z - 1e-9, z + 1e-9);
        model_run_within("its rate", model_run_see(&p, "w") / rate, cos(5) - 1e-6, cos(5) + 1e-6);
        model_run_within("steps without convergence", (double)p.trial.figures.not_converged, 0, 0);
        model_run_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fine_screws_are_driven_by_position),
        cmocka_unit_test(a_held_joint_needs_the_static_torque),
        cmocka_unit_test(a_sine_needs_its_torque),
        cmocka_unit_test(an_expression_needs_its_torque),
        cmocka_unit_test(a_table_needs_its_torque),
        cmocka_unit_test(a_steady_turn_is_counted_over_many_turns),
        cmocka_unit_test(behind_the_corner_of_a_ramp_nothing_rings),
        cmocka_unit_test(a_rope_of_given_length_pulls_its_mass),
        cmocka_unit_test(both_coordinates_of_a_cylindrical_joint_are_driven),
        cmocka_unit_test(a_driven_loop_needs_the_torque_of_all_its_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
