/* Switches of a model file: joints locked and released where a channel crosses a level. Expected:
 * constant speeds and free fall by hand, so the time of a crossing is known exactly; momentum
 * through an impact. The rule is exact for constant accelerations: what is left is rounding and
 * the share of a step below which a crossing counts as at its end (1e-4 h = 1e-7 s at 1 ms). */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void open_text(struct model_run *p, const char *text)
{
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(p, text, &o);
}

static void close_to(const char *what, double value, double right, double bound)
{
    model_run_within(what, value - right, -bound, bound);
}

static const struct step_switched *acted(const struct model_run *p, int i)
{
    assert_true(i < p->trial.figures.switched);
    return &p->trial.switched[i];
}

/* A wagon of 2 kg at 3 m/s meets one of 1 kg at rest 0.8 m ahead and couples to it; at 2 m it lets
 * go of it again, which changes nothing. */
static const char WAGONS[] =
    "bodies:\n"
    "  a: {mass: 2, inertia: [1, 1, 1], velocity: [3, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [0.8, 0, 0], velocity: [0, 0, 0]}\n"
    "joints:\n"
    "  rail-a: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  rail-b: {type: prismatic, between: [ground, b], at: [0.8, 0, 0], axis: [1, 0, 0]}\n"
    "  hook: {type: fixed, between: [a, b], at: [0.4, 0, 0], switchable: true, released: true}\n"
    "sensors:\n"
    "  gap: {type: distance, between: [a, b], from: [0, 0, 0], to: [0.8, 0, 0]}\n"
    "  way: {type: joint-position, joint: rail-a, unit: cm}\n"
    "  speed-a: {type: joint-speed, joint: rail-a}\n"
    "  speed-b: {type: joint-speed, joint: rail-b}\n"
    "  energy: {type: energy}\n"
    "switches:\n"
    "  couple: {sensor: gap, crosses: 0.2 m, going: down, lock: [hook]}\n"
    "  part: {sensor: way, crosses: 200, release: [hook]}\n";

static void wagons_that_couple_keep_their_momentum(void **state)
{
    (void)state;
    struct model_run p;
    open_text(&p, WAGONS);
    model_run_until(&p, 0.5);
    close_to("the time, the gap's line", acted(&p, 0)->t, 0.2, 1e-7);
    close_to("the loss", acted(&p, 0)->loss, 9 - 6, 1e-9);
    close_to("the common speed", model_run_see(&p, "speed-b"), 2, 1e-9);
    close_to("the gap stays", model_run_see(&p, "gap"), 0.2, 1e-6);
    model_run_until(&p, 1.2);
    assert_int_equal(p.trial.figures.switched, 2);
    close_to("the time of parting", acted(&p, 1)->t, 0.2 + (2 - 0.6) / 2, 1e-6);
    close_to("nothing is lost in it", acted(&p, 1)->loss, 0, 1e-12);
    close_to("they go on", model_run_see(&p, "speed-a") + model_run_see(&p, "speed-b"), 4, 1e-9);
    close_to("the balance", p.trial.figures.balance_max, 0, 1e-8);
    model_run_close(&p);
}

/* A ball falls past two catches 1 mm apart within one step (at 5 m/s, 5 mm a step): the first is
 * found where it is, the second acts at the step's end and says so. */
static const char CATCHES[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 1, point: true, position: [0, 0, 0], velocity: [0, 0, -5]}\n"
    "  load: {mass: 1, point: true, position: [1, 0, 0], velocity: [0, 0, -5]}\n"
    "joints:\n"
    "  hold: {type: spherical, between: [ground, ball], at: [0, 0, 0], switchable: true, released: true}\n"
    "  grip: {type: spherical, between: [ground, load], at: [1, 0, 0], switchable: true, released: true}\n"
    "sensors:\n"
    "  ball: {type: position, body: ball}\n"
    "  load: {type: position, body: load}\n"
    "switches:\n"
    "  first: {sensor: ball.z, crosses: -0.2525 m, lock: [hold]}\n"
    "  second: {sensor: load.z, crosses: -0.2535 m, lock: [grip]}\n";

static double fall_time(double depth) { return (sqrt(25 + 2 * 9.81 * depth) - 5) / 9.81; }

static void a_second_crossing_in_a_step_acts_at_its_end(void **state)
{
    (void)state;
    struct model_run p;
    double t = fall_time(0.2525);
    open_text(&p, CATCHES);
    model_run_until(&p, 0.2);
    assert_int_equal(floor(t * 1e3), floor(fall_time(0.2535) * 1e3));
    assert_int_equal(p.trial.figures.switched, 2);
    close_to("the first time", acted(&p, 0)->t, t, 1e-9);
    assert_int_equal(acted(&p, 0)->late, 0);
    close_to("where it hangs", model_run_see(&p, "ball.z"), -0.2525, 1e-9);
    close_to("the second time", acted(&p, 1)->t, ceil(t * 1e3) * 1e-3, 1e-12);
    assert_int_equal(acted(&p, 1)->late, 1);
    model_run_within("the second hangs a little lower", model_run_see(&p, "load.z"), -0.2585,
                     -0.2535);
    model_run_close(&p);
}

/* Crossings at one time act together, and the loss is that of both. */
static void crossings_at_one_time_act_together(void **state)
{
    (void)state;
    struct model_run p;
    char text[sizeof CATCHES];
    memcpy(text, CATCHES, sizeof text);
    memcpy(strstr(text, "-0.2535"), "-0.2525", 7);
    open_text(&p, text);
    model_run_until(&p, 0.2);
    assert_int_equal(p.trial.figures.switched, 2);
    for (int i = 0; i < 2; i++) {
        close_to("the time", acted(&p, i)->t, fall_time(0.2525), 1e-9);
        close_to("the loss", acted(&p, i)->loss, 25 + 2 * 9.81 * 0.2525, 1e-9);
        assert_int_equal(acted(&p, i)->late, 0);
    }
    close_to("both hang", model_run_see(&p, "load.z"), -0.2525, 1e-9);
    close_to("the balance counts it once", p.trial.figures.balance_max, 0, 1e-6);
    model_run_close(&p);
}

/* Switches are made by repeats as other elements are: each ball has its own catch. */
static void repeats_make_switches(void **state)
{
    (void)state;
    struct model_run p;
    open_text(
        &p,
        "gravity: [0, 0, -9.81]\n"
        "repeat:\n"
        "  - to: 3\n"
        "    bodies: {'ball-{i}': {mass: i, point: true, position: [i, 0, 0]}}\n"
        "    joints: {'hold-{i}': {type: spherical, between: [ground, 'ball-{i}'], at: [i, 0, 0], "
        "released: true}}\n"
        "    sensors: {'ball-{i}': {type: position, body: 'ball-{i}', unit: mm}}\n"
        "    switches: {'catch-{i}': {sensor: 'ball-{i}.z', crosses: -100*i, lock: ['hold-{i}']}}\n");
    model_run_until(&p, 0.5);
    assert_int_equal(p.trial.figures.switched, 3);
    for (int i = 1; i <= 3; i++) {
        char name[] = "ball-1.z";
        name[5] = (char)('0' + i);
        close_to("where it hangs, mm", model_run_see(&p, name), -100 * i, 1e-6);
        close_to("the time", acted(&p, i - 1)->t, sqrt(2 * 0.1 * i / 9.81), 1e-9);
        close_to("the loss", acted(&p, i - 1)->loss, i * 9.81 * 0.1 * i, 1e-9);
    }
    model_run_close(&p);
}

/* A pendulum at its turning points: w crosses 0 downwards on the right, upwards on the left.
 * Only the right one, and only far out, is let through. */
static void open_pendulum(struct model_run *p, const char *rule)
{
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81, 0]\n"
             "bodies: {bob: {mass: 1, point: true, position: [0, -1, 0], velocity: [0.5, 0, 0]}}\n"
             "joints:\n"
             "  bar: {type: distance, between: [ground, bob], at: [0, 0, 0], at-b: [0, -1, 0]}\n"
             "  stop: {type: spherical, between: [ground, bob], at: [0, -1, 0], switchable: true, "
             "released: true}\n"
             "sensors: {place: {type: position, body: bob}, speed: {type: velocity, body: bob}}\n"
             "switches: {stay: {sensor: speed.x, crosses: 0, lock: [stop]%s}}\n",
             rule);
    open_text(p, text);
}

static void way_and_place_of_a_crossing_are_heeded(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double sign; /* of x where it is stopped; 0: never */
    } CASE[] = {{"", 1},
                {", going: down", 1},
                {", going: up", -1},
                {", while: place.x, within: [0.1, 0.2]", 1},
                {", while: place.x, within: [-20 cm, -10 cm]", -1},
                {", while: place.x, within: [0.2, 0.3]", 0}};
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct model_run p;
        open_pendulum(&p, CASE[i].rule);
        model_run_until(&p, 3);
        assert_int_equal(p.trial.figures.switched, CASE[i].sign != 0);
        /* 1 - cos = v²/(2 g): sin = 0.15913; the chord leaves no other way */
        if (CASE[i].sign != 0)
            close_to("x", model_run_see(&p, "place.x"), CASE[i].sign * 0.15913, 1e-5);
        model_run_close(&p);
    }
}

/* A cord that tears: the sensor knows no rate, the crossing is on the straight line between two
 * steps. Its force is 3 m g s at a depth s l, upwards 3 m g s²: 20 N at s = 0.8244. */
static void a_cord_tears_where_its_force_is_too_large(void **state)
{
    (void)state;
    struct model_run p;
    open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies: {bob: {mass: 1, point: true, position: [1, 0, 0]}}\n"
        "joints: {cord: {type: distance, between: [ground, bob], at: [0, 0, 0], at-b: [1, 0, 0], "
        "switchable: true}}\n"
        "sensors:\n"
        "  pull: {type: reaction-force, joint: cord}\n"
        "  place: {type: position, body: bob}\n"
        "  energy: {type: energy}\n"
        "switches: {tear: {sensor: pull.y, crosses: 20 N, release: [cord]}}\n");
    for (int i = 0; i < 2000 && !p.trial.figures.switched; i++)
        model_run_until(&p, trial_time(&p.trial) + 1e-3);
    assert_int_equal(p.trial.figures.switched, 1);
    close_to("how far it fell", model_run_see(&p, "place.y"), -sqrt(20 / (3 * 9.81)), 4e-3);
    model_run_until(&p, trial_time(&p.trial) + 0.5);
    /* of second order, (w h)² of some 10 J */
    close_to("the energy stays", model_run_see(&p, "energy"), 0, 1e-4);
    model_run_within("it flies off",
                     hypot(model_run_see(&p, "place.x"), model_run_see(&p, "place.y")), 1.2, 9);
    model_run_close(&p);
}

/* A screw locked again far from where it was goes on as a screw: its rows hold, the angle stays. */
static void locked_joints_keep_the_coordinates_they_leave_free(void **state)
{
    (void)state;
    static const char *const TYPE[] = {"screw, pitch: 0.1 m", "cylindrical", "revolute",
                                       "universal, axis-b: [1, 0, 0]"};
    for (size_t i = 0; i < sizeof TYPE / sizeof TYPE[0]; i++) {
        char text[1000];
        struct model_run p;
        snprintf(text, sizeof text,
                 "bodies: {a: {mass: 1, inertia: [1, 1.2, 1.4], position: [0.3, 0.1, 0], "
                 "velocity: [0.2, 0.1, 0.7], angular-velocity: [0.1, -0.2, 2]}}\n"
                 "joints: {j: {type: %s, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
                 "switchable: true, released: true}}\n"
                 "sensors:\n"
                 "  place: {type: position, body: a}\n"
                 "  angle: {type: joint-angle, joint: j%s}\n"
                 "  drift: {type: constraint-error}\n"
                 "switches: {grip: {sensor: place.z, crosses: 0.5, lock: [j]}}\n",
                 TYPE[i], i == 3 ? ", coordinate: angle-1" : "");
        open_text(&p, text);
        model_run_until(&p, 0.714); /* 0.5/0.7 = 0.71429 s */
        double before = model_run_see(&p, "angle");
        model_run_until(&p, 0.715);
        assert_int_equal(p.trial.figures.switched, 1);
        close_to("the angle goes on", model_run_see(&p, "angle"), before, 0.01);
        model_run_until(&p, 3);
        model_run_within("the drift", model_run_see(&p, "drift"), 0, 1e-10);
        model_run_within("the energy's growth",
                         p.trial.figures.energy - p.trial.figures.energy_start, -9, 1e-6);
        model_run_close(&p);
    }
}

/* A fixed joint locks an elbow that is a hinge too: five of its six rows are held twice. What the
 * two share must not grow: the lock carries the torque about the hinge and, but for the rounding of
 * one step (1e-16 m, weight 1e6 over h²/4), nothing else; left to itself it was 26 N after 60 s. */
static void a_lock_beside_a_hinge_carries_no_stress_of_its_own(void **state)
{
    (void)state;
    struct model_run p;
    open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  upper: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0.1, 0.2], "
        "rotation: {axis: [1, 2, 3], angle: 0.4}}\n"
        "  lower: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1.5, -0.1, 0.1]}\n"
        "joints:\n"
        "  shoulder: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0.1, 0.2, 1]}\n"
        "  elbow: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0.3, -0.1, 1]}\n"
        "  lock: {type: fixed, between: [upper, lower], at: [1, 0, 0], axis: [0.3, -0.1, 1], "
        "switchable: true, released: true}\n"
        "sensors:\n"
        "  angle: {type: joint-angle, joint: elbow}\n"
        "  force: {type: reaction-force, joint: lock}\n"
        "  torque: {type: reaction-torque, joint: lock}\n"
        "switches: {stop: {sensor: angle, crosses: 0.3, lock: [lock]}}\n");
    double torque = 0;
    while (trial_time(&p.trial) < 60) {
        model_run_until(&p, trial_time(&p.trial) + 0.1);
        for (int k = 0; k < 3; k++) {
            char name[] = "force.x";
            name[6] = (char)('x' + k);
            model_run_within("the force, N", model_run_see(&p, name), -0.01, 0.01);
        }
        model_run_within("the torque across, N m", model_run_see(&p, "torque.x"), -0.01, 0.01);
        torque = fmax(torque, fabs(model_run_see(&p, "torque.z")));
    }
    assert_int_equal(p.trial.figures.switched, 1);
    close_to("the angle", model_run_see(&p, "angle"), 0.3, 1e-8);
    model_run_within("the torque about the hinge, N m", torque, 1, 20);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wagons_that_couple_keep_their_momentum),
        cmocka_unit_test(a_second_crossing_in_a_step_acts_at_its_end),
        cmocka_unit_test(crossings_at_one_time_act_together),
        cmocka_unit_test(repeats_make_switches),
        cmocka_unit_test(way_and_place_of_a_crossing_are_heeded),
        cmocka_unit_test(a_cord_tears_where_its_force_is_too_large),
        cmocka_unit_test(locked_joints_keep_the_coordinates_they_leave_free),
        cmocka_unit_test(a_lock_beside_a_hinge_carries_no_stress_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
