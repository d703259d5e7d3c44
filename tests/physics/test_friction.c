/* Dry friction: what holds stays where it is, what slides obeys Coulomb's law with the load its
 * joint carries, tree joint or cut alike, and the order of the rule is kept. References are
 * closed forms, or the equation of motion written here and integrated with fine steps. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const double G = 9.81;

/* ---- holding ---- */

static const char BRAKE[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {r: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.5, 0, 0]}}\n"
    "joints: {h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    "actuators: {b: {type: brake, joint: h, unit: N.m, range: [0, 50], start: %g}}\n"
    "sensors: {q: {type: joint-angle, joint: h}, w: {type: joint-speed, joint: h}}\n";

/* Farthest from `from` in the time until t, seen once a second. */
static double farthest(struct model_run *p, const char *what, double from, double t)
{
    double worst = 0;
    for (double at = trial_time(&p->trial) + 1; at <= t; at += 1) {
        model_run_until(p, at);
        worst = fmax(worst, fabs(model_run_see(p, what) - from));
    }
    return worst;
}

/* 4.9 N m of weight on a brake of 10 N m. Nothing creeps: 1e-9 rad is far below what one
 * step at this acceleration would show (1e-5 rad at 1 ms). */
static void a_brake_holds_for_an_hour(void **state)
{
    (void)state;
    static const double STEP[] = {1e-3, 1e-2}, UNTIL[] = {600, 3600};
    for (int i = 0; i < 2; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(STEP[i]);
        char text[1000];
        snprintf(text, sizeof text, BRAKE, 10.);
        model_run_open_text(&p, text, &o);
        model_run_until(&p, 1);
        double q = model_run_see(&p, "q");
        model_run_within("the sag under the first second", fabs(q), 0, 1e-6);
        model_run_within("the creep", farthest(&p, "q", q, UNTIL[i]), 0, 1e-9);
        model_run_close(&p);
    }
}

/* A brake that is too weak lets go: 4.905 N m less 2 N m turn 0.26 kg m2. */
static void a_weak_brake_slips_with_its_torque(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    char text[1000];
    snprintf(text, sizeof text, BRAKE, 2.);
    model_run_open_text(&p, text, &o);
    model_run_until(&p, 0.05);
    model_run_within("the speed", model_run_see(&p, "w"), 0.05 * (0.5 * G - 2) / 0.26 * 0.99,
                     0.05 * (0.5 * G - 2) / 0.26 * 1.0001);
    model_run_close(&p);
}

/* A slide on a slope of tan 0.444 with mu 0.5, and a box on four feet likewise. */
static const char SLOPE[] =
    "gravity: [4, 0, -9]\n"
    "bodies: {b: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
    "joints: {s: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "forces: {f: {type: friction, joint: s, coefficient: 0.5}}\n"
    "sensors: {x: {type: joint-position, joint: s}}\n";

static const char BOX[] =
    "gravity: [4, 0, -9]\n"
    "bodies: {b: {mass: 2, box: {size: [0.4, 0.3, 0.2]}, position: [0, 0, 0.0996]}}\n"
    "forces:\n"
    "  f1: &f {type: sphere-contact, body: b, at: [0.2, 0.15, 0.0496], radius: 0.05, stiffness: %g, damping: 1, friction: 0.5}\n"
    "  f2: {<<: *f, at: [-0.2, 0.15, 0.0496]}\n"
    "  f3: {<<: *f, at: [0.2, -0.15, 0.0496]}\n"
    "  f4: {<<: *f, at: [-0.2, -0.15, 0.0496]}\n"
    "sensors: {x: {type: position, body: b}}\n";

static void what_stands_on_a_slope_below_its_friction_angle_stays(void **state)
{
    (void)state;
    for (double h = 1e-3; h < 0.02; h *= 10) {
        struct model_run p;
        struct trial_options o = model_run_options(h);
        char text[1500];
        model_run_open_text(&p, SLOPE, &o);
        model_run_within("the slide's way in a minute", farthest(&p, "x", 0, 60), 0, 1e-9);
        model_run_close(&p);
        snprintf(text, sizeof text, BOX, h < 5e-3 ? 1e4 : 1e3);
        model_run_open_text(&p, text, &o);
        model_run_until(&p, 5); /* it lands and pitches */
        model_run_within("the box's way in a minute",
                         farthest(&p, "x.x", model_run_see(&p, "x.x"), 65), 0, 1e-6);
        model_run_close(&p);
    }
}

/* ---- sliding and stopping ---- */

static const char THROWN[] =
    "gravity: [3, 0, -9]\n"
    "bodies: {b: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [2, 0, 0]}}\n"
    "joints: {s: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "forces: {f: {type: friction, joint: s, coefficient: 0.5}}\n"
    "sensors: {x: {type: joint-position, joint: s}, v: {type: joint-speed, joint: s}}\n";

/* Decelerates by 0.5 x 9 - 3 = 1.5 m/s2 from 2 m/s: 1.3333 s, 1.3333 m, and stays. What the
 * bristle adds is of the size of a step at that acceleration, h². */
static void a_thrown_block_stops_where_coulomb_says(void **state)
{
    (void)state;
    for (double h = 1e-3; h < 0.02; h *= 10) {
        struct model_run p;
        struct trial_options o = model_run_options(h);
        model_run_open_text(&p, THROWN, &o);
        model_run_until(&p, 1);
        model_run_within("the speed after 1 s", model_run_see(&p, "v"), 0.5 - 1e-9, 0.5 + 1e-9);
        model_run_until(&p, 4. / 3 + 5 * h);
        model_run_within("the speed five steps after the stop", fabs(model_run_see(&p, "v")), 0,
                         0.05 * h);
        double x = model_run_see(&p, "x");
        model_run_within("the way", x - 4. / 3, -5 * h * h, 5 * h * h);
        model_run_within("the creep after it", farthest(&p, "x", x, 30), 0, 2 * h * h);
        model_run_close(&p);
    }
}

static const char OSCILLATOR[] =
    "bodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
    "joints: {s: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], start: 1}}\n"
    "forces:\n"
    "  k: {type: joint-spring, joint: s, stiffness: 200}\n"
    "  f: {type: friction, joint: s, constant: %g}\n"
    "sensors: {x: {type: joint-position, joint: s}, v: {type: joint-speed, joint: s}}\n";

/* Amplitude after n half swings; each takes 2 F/k, until it sticks within F/k. */
static double amplitude(double h, double F, int halves)
{
    struct model_run p;
    struct trial_options o = model_run_options(h);
    char text[1000];
    snprintf(text, sizeof text, OSCILLATOR, F);
    model_run_open_text(&p, text, &o);
    double period = M_PI / sqrt(200. / 2), most = 0;
    for (double t = (halves - 0.2) * period; t < (halves + 0.2) * period; t += h) {
        model_run_until(&p, t);
        most = fmax(most, fabs(model_run_see(&p, "x")));
    }
    model_run_close(&p);
    return most;
}

/* 11 N on 200 N/m: 0.11 m a half swing. The top is seen to within w²h²/8 of it, and every
 * reversal costs an energy of the order F h² F/m. */
static void a_coulomb_oscillator_loses_its_amplitude_by_equal_steps(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        double want = 1 - n * 0.11, fine = fabs(amplitude(1e-3, 11, n) - want);
        model_run_within("the amplitude's error", fine, 0, 6e-5);
        model_run_within("the same at 4 ms", fabs(amplitude(4e-3, 11, n) - want), 0, 16 * 6e-5);
    }
}

/* It ends at rest within the band in which friction holds, |x| < F/k, and stays. */
static void a_coulomb_oscillator_ends_within_its_band(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    char text[1000];
    snprintf(text, sizeof text, OSCILLATOR, 11.);
    model_run_open_text(&p, text, &o);
    model_run_until(&p, 10);
    double x = model_run_see(&p, "x");
    model_run_within("the place of rest", fabs(x), 0.0099, 0.0101); /* 1 - 9 x 0.11 */
    model_run_within("the creep", farthest(&p, "x", x, 60), 0, 1e-12);
    model_run_close(&p);
}

/* ---- load ---- */

/* A ladder of 1 m on floor and wall, friction at both. Its angle a to the floor obeys
 * J a'' = moments with the forces of floor N and wall W; the joints are points on lines, one of
 * which the solver cuts. */
static const char LADDER[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {l: {mass: 10, inertia: [0.8, 0.8, 0.8], position: [0.3, 0, 0.4]}}\n"
    "joints:\n"
    "  %s: {type: point-on-line, between: [ground, l], at: %s, axis: %s}\n"
    "  %s: {type: point-on-line, between: [ground, l], at: %s, axis: %s}\n"
    "forces:\n"
    "  ff: {type: friction, joint: floor, coefficient: 0.2}\n"
    "  fw: {type: friction, joint: wall, coefficient: 0.2}\n"
    "sensors:\n"
    "  wall: {type: force, force: fw}\n"
    "  v: {type: velocity, body: l}\n";

/* Second rate of the ladder's angle and the wall's force. With x = cos a/2, z = sin a/2 of the
 * centre: m x'' = W - mu N, m z'' = N - m g + mu W,
 * J a'' = W sin a/2 - N cos a/2 + mu N sin a/2 + mu W cos a/2 (a counted up from the floor). */
static double ladder_turn(double a, double w, double *wall)
{
    double m = 10, J = 0.8, mu = 0.2, s = 0.5 * sin(a), c = 0.5 * cos(a);
    /* m (-s a'' - c w²) = W - mu N; m (c a'' - s w²) = N - m g + mu W: linear in W, N, a'' */
    double best = 0;
    double d = 1 + mu * mu, lo = -200, hi = 200;
    for (int i = 0; i < 200; i++) {
        double b = 0.5 * (lo + hi), X = m * (-s * b - c * w * w),
               Z = m * (c * b - s * w * w) + m * G;
        double W = (X + mu * Z) / d, N = (Z - mu * X) / d;
        double left = J * b - (W * s - N * c + mu * N * s + mu * W * c);
        if (left > 0)
            hi = b;
        else
            lo = b;
        best = b, *wall = mu * W;
    }
    return best;
}

static void ladder_reference(double t, double *speed, double *wall)
{
    double a = atan2(4, 3), w = 0;
    int n = 2000;
    double h = t / n, ignored;
    for (int i = 0; i < n; i++) { /* midpoint rule: 1e-8 */
        double am = a + 0.5 * h * w, wm = w + 0.5 * h * ladder_turn(a, w, &ignored);
        a += h * wm;
        w += h * ladder_turn(am, wm, &ignored);
    }
    *speed = 0.5 * fabs(w);
    ladder_turn(a, w, wall);
}

static void ladder(int wall_first, double h, double *speed, double *wall)
{
    static const char *const ROW[2][3] = {{"floor", "[0.6, 0, 0]", "[1, 0, 0]"},
                                          {"wall", "[0, 0, 0.8]", "[0, 0, 1]"}};
    const char *const *a = ROW[wall_first], *const *b = ROW[!wall_first];
    struct model_run p;
    struct trial_options o = model_run_exactly(h);
    char text[2000];
    snprintf(text, sizeof text, LADDER, a[0], a[1], a[2], b[0], b[1], b[2]);
    model_run_open_text(&p, text, &o);
    model_run_until(&p, 0.24);
    *speed = hypot(model_run_see(&p, "v.x"), model_run_see(&p, "v.z"));
    *wall = fabs(model_run_see(&p, "wall"));
    model_run_close(&p);
}

static void friction_by_load_acts_on_cut_joints_too(void **state)
{
    (void)state;
    double want, want_wall;
    ladder_reference(0.24, &want, &want_wall);
    for (int first = 0; first < 2; first++) {
        double speed, wall, coarse, fine;
        ladder(first, 1e-3, &speed, &wall);
        model_run_within("the ladder's speed", speed - want, -1e-5, 1e-5);
        model_run_within("the wall's friction", wall - want_wall, -1e-3, 1e-3);
        ladder(first, 4e-3, &coarse, &wall);
        ladder(first, 2e-3, &fine, &wall);
        model_run_within("the order", model_run_order(fabs(coarse - want), fabs(fine - want)), 1.7,
                         2.6);
    }
}

static const char PENDULUM[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}\n"
    "joints: {s: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    "forces: {f: {type: friction, joint: s, coefficient: 0.3, radius: 0.2}}\n"
    "sensors: {q: {type: joint-angle, joint: s}}\n";

static double pendulum(double h)
{
    struct model_run p;
    struct trial_options o = model_run_exactly(h);
    model_run_open_text(&p, PENDULUM, &o);
    model_run_until(&p, 0.48);
    double q = model_run_see(&p, "q");
    model_run_close(&p);
    return q;
}

static void friction_by_load_keeps_the_order_of_the_rule(void **state)
{
    (void)state;
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = pendulum(8e-3 / (1 << i));
    for (int i = 0; i < 2; i++)
        model_run_within("the order",
                         model_run_order(fabs(q[i] - q[i + 1]), fabs(q[i + 1] - q[i + 2])), 1.8,
                         2.3);
}

/* A driven slide is pressed by its weight alone: mu m g, however hard it is driven. */
static void what_drives_a_slide_does_not_press_it(void **state)
{
    (void)state;
    static const char TEXT[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
        "joints:\n"
        "  s: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "motions: {m: {joint: s, value: 10*t^2}}\n"
        "forces: {f: {type: friction, joint: s, coefficient: 0.1}}\n"
        "sensors: {f: {type: force, force: f}}\n";
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(&p, TEXT, &o);
    model_run_until(&p, 0.2);
    model_run_within("the friction", fabs(model_run_see(&p, "f")), 0.2 * G - 1e-6, 0.2 * G + 1e-6);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brake_holds_for_an_hour),
        cmocka_unit_test(a_weak_brake_slips_with_its_torque),
        cmocka_unit_test(what_stands_on_a_slope_below_its_friction_angle_stays),
        cmocka_unit_test(a_thrown_block_stops_where_coulomb_says),
        cmocka_unit_test(a_coulomb_oscillator_loses_its_amplitude_by_equal_steps),
        cmocka_unit_test(a_coulomb_oscillator_ends_within_its_band),
        cmocka_unit_test(friction_by_load_acts_on_cut_joints_too),
        cmocka_unit_test(friction_by_load_keeps_the_order_of_the_rule),
        cmocka_unit_test(what_drives_a_slide_does_not_press_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
