/* Wheels that topple and lie on their side: contact and tyre touch with the rim at every
 * inclination, so that they neither sink nor are thrown out, and keep their energy balance. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A disc of 1 kg that touches by `contact`; turned by `tilt` about x, at the height z, turning
 * over with `topple`, rolling with `speed`. */
static void open_disc(struct model_run *p, const char *contact, double tilt, double z,
                      double topple, double speed)
{
    char text[1024];
    struct trial_options o = model_run_options(1e-3);
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "parameters: {tilt: %.17g}\n"
        "bodies:\n"
        "  d: {mass: 1, inertia: [0.0025, 0.005, 0.0025], position: [0, 0, %.17g], velocity: [%g, 0, 0],\n"
        "      rotation: {axis: [1, 0, 0], angle: tilt}, angular-velocity: [%g, %g, 0]}\n"
        "forces: {c: {type: %s, body: d, axle: [0, cos(tilt), sin(tilt)], radius: 0.1, stiffness: 5000, damping: 2}}\n"
        "sensors:\n"
        "  x: {type: position, body: d}\n"
        "  v: {type: velocity, body: d}\n"
        "  energy: {type: energy}\n",
        tilt, z, speed, topple, speed / 0.1, contact);
    model_run_open_text(p, text, &o);
}

static const char WHEEL[] = "wheel-contact, friction: 0.5",
                  TYRE[] = "tyre, friction: 0.8, load: 9.81, tread-damping: 20";
static const double FLAT = 0.001; /* m, half of what the rim is rounded by when flat */

/* No disc can be deeper than sqrt(2 E/k), E all it has at the start; at rest it lies m g/k deep.
 * One that rolls at the start rolls on in circles, ever more inclined. */
static void check_topples(const char *contact, double speed)
{
    struct model_run p;
    open_disc(&p, contact, 0, 0.1, 0.5, speed);
    double start = model_run_see(&p, "energy"), deepest = 1, rest = FLAT - 9.81 / 5000;
    for (int i = 1; i <= 5000; i++) {
        model_run_until(&p, i * 1e-3);
        deepest = fmin(deepest, model_run_see(&p, "x.z"));
    }
    model_run_within("the lowest height, m", deepest, -sqrt(2 * start / 5000), 0.1);
    model_run_within("the energy balance, of the start's", p.trial.figures.balance_max / start, 0,
                     0.03);
    if (speed > 0) {
        model_run_close(&p);
        return;
    }
    model_run_within("the height in the end, m", model_run_see(&p, "x.z"), rest - 1e-4,
                     rest + 1e-4);
    double v = hypot(model_run_see(&p, "v.x"), model_run_see(&p, "v.y"));
    model_run_within("the speed in the end, m/s", hypot(v, model_run_see(&p, "v.z")), 0, 2e-3);
    model_run_close(&p);
}

static void a_disc_that_topples_comes_to_rest_on_the_ground(void **state)
{
    (void)state;
    check_topples(WHEEL, 0);
    check_topples(WHEEL, 0.3);
}

static void a_tyre_that_topples_comes_to_rest_on_the_ground(void **state)
{
    (void)state;
    check_topples(TYRE, 0);
    check_topples(TYRE, 0.3);
}

/* N = k d (1 + c d') pushes no point faster than 1/c = 0.5 m/s, however deep it began, nor gives it
 * more than m/2 c²; what an inclined disc falls over with is its own weight's. */
static void check_comes_up(const char *contact)
{
    static const double TILT[] = {M_PI / 2, 1.5, 1.2, 0.5}, DEPTH[] = {0.01, 0.02, 0.05};
    for (int i = 0; i < 12; i++) {
        struct model_run p;
        double low = 0.1 * cos(TILT[i / 3]), fastest = 0, highest = -1;
        open_disc(&p, contact, TILT[i / 3], low - DEPTH[i % 3], 0, 0);
        for (int j = 1; j <= 3000; j++) {
            model_run_until(&p, j * 1e-3);
            fastest = fmax(fastest, model_run_see(&p, "v.z"));
            highest = fmax(highest, model_run_see(&p, "x.z"));
        }
        model_run_within("the fastest it rises, m/s", fastest, 0.01,
                         sqrt(0.25 + 2 * 9.81 * low) * 1.02);
        model_run_within("the highest it is, m", highest, FLAT - 9.81 / 5000,
                         low + 0.25 / (2 * 9.81) * 1.04);
        model_run_within("the height in the end, m", model_run_see(&p, "x.z"), -0.0012, -0.0007);
        model_run_close(&p);
    }
}

static void a_disc_that_starts_under_the_ground_comes_up_unhurt(void **state)
{
    (void)state;
    check_comes_up(WHEEL);
}

static void a_tyre_that_starts_under_the_ground_comes_up_unhurt(void **state)
{
    (void)state;
    check_comes_up(TYRE);
}

/* A car of 1000 kg that slides sideways and rolls over: four tyres, and what its roof falls on. */
static const char CAR[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 8e4}\n"
    "bodies:\n"
    "  car: {mass: 920, inertia: [400, 1500, 1700], position: [0, 0, 0.6], velocity: [3, 8, 1], angular-velocity: [-4, 0, 0]}\n"
    "  a: {mass: 20, inertia: [0.5, 1, 0.5], position: [1.2, 0.75, 0.3]}\n"
    "  b: {mass: 20, inertia: [0.5, 1, 0.5], position: [1.2, -0.75, 0.3]}\n"
    "  c: {mass: 20, inertia: [0.5, 1, 0.5], position: [-1.2, 0.75, 0.3]}\n"
    "  d: {mass: 20, inertia: [0.5, 1, 0.5], position: [-1.2, -0.75, 0.3]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [car, a], at: [1.2, 0.75, 0.3], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, between: [car, b], at: [1.2, -0.75, 0.3], axis: [0, 1, 0]}\n"
    "  c: {type: revolute, between: [car, c], at: [-1.2, 0.75, 0.3], axis: [0, 1, 0]}\n"
    "  d: {type: revolute, between: [car, d], at: [-1.2, -0.75, 0.3], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  a: {type: tyre, body: a, axle: [0, 1, 0], radius: 0.3, stiffness: 8e4, damping: 0.5}\n"
    "  b: {type: tyre, body: b, axle: [0, 1, 0], radius: 0.3, stiffness: 8e4, damping: 0.5}\n"
    "  c: {type: tyre, body: c, axle: [0, 1, 0], radius: 0.3, stiffness: 8e4, damping: 0.5}\n"
    "  d: {type: tyre, body: d, axle: [0, 1, 0], radius: 0.3, stiffness: 8e4, damping: 0.5}\n"
    "  left: {type: sphere-contact, body: car, at: [0, 0.6, 1.3], radius: 0.1, stiffness: k, damping: 0.5, friction: 0.5}\n"
    "  right: {type: sphere-contact, body: car, at: [0, -0.6, 1.3], radius: 0.1, stiffness: k, damping: 0.5, friction: 0.5}\n"
    "sensors:\n"
    "  a: {type: position, body: a}\n"
    "  b: {type: position, body: b}\n"
    "  c: {type: position, body: c}\n"
    "  d: {type: position, body: d}\n"
    "  x: {type: position, body: car}\n"
    "  v: {type: velocity, body: car}\n"
    "  up: {type: attitude, body: car}\n"
    "  energy: {type: energy}\n";

/* Two tyres take a fall of the car at 2 m/s with v sqrt(m/(2 k)) = 0.16 m. */
static void a_car_that_rolls_over_keeps_its_energy_balance(void **state)
{
    (void)state;
    static const char *const WHEEL_Z[] = {"a.z", "b.z", "c.z", "d.z"};
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(&p, CAR, &o);
    double start = model_run_see(&p, "energy"), lowest = 1, most_inclined = 0;
    for (int i = 1; i <= 6000; i++) {
        model_run_until(&p, i * 1e-3);
        for (int j = 0; j < 4; j++) lowest = fmin(lowest, model_run_see(&p, WHEEL_Z[j]));
        double x = model_run_see(&p, "up.x"), y = model_run_see(&p, "up.y");
        most_inclined = fmax(most_inclined, x * x + y * y); /* sin² of half the inclination */
    }
    model_run_within("how far it turned over", most_inclined, 0.75, 1);
    model_run_within("the energy balance, of the start's", p.trial.figures.balance_max / start, 0,
                     3e-3);
    model_run_within("the lowest height of a wheel, m", lowest, -0.16, 0.3);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_that_topples_comes_to_rest_on_the_ground),
        cmocka_unit_test(a_tyre_that_topples_comes_to_rest_on_the_ground),
        cmocka_unit_test(a_disc_that_starts_under_the_ground_comes_up_unhurt),
        cmocka_unit_test(a_tyre_that_starts_under_the_ground_comes_up_unhurt),
        cmocka_unit_test(a_car_that_rolls_over_keeps_its_energy_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
