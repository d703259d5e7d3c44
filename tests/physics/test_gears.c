/* Gears, racks and screws over many turns: their ratios hold, angles are counted on, and
 * they accelerate as hand calculation says. Motion under constant torque is a parabola,
 * which the trapezoidal rule meets to rounding; what is left is Newton's tolerance, 1e-9 m,
 * times 2/h in rates and gathered over the run. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct trial_options tight(void)
{
    struct trial_options o = model_run_options(1e-3);
    o.tolerance = 1e-12;
    o.iterations = 6;
    return o;
}

/* 5 N m on wheel 1 (0.2 kg m2), wheel 2 (0.5 kg m2) turns against it 3 times slower:
 * a1 = 5/(0.2 + 0.5/9). After 20 s it has made some 620 turns. */
static void a_gear_keeps_its_ratio_over_hundreds_of_turns(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = tight();
    model_run_open_text(
        &p,
        "bodies:\n"
        "  one: {mass: 1, inertia: [0.15, 0.15, 0.2]}\n"
        "  two: {mass: 1, inertia: [0.3, 0.3, 0.5], position: [1, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [ground, two], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  mesh: {type: gear, joints: [a, b], ratios: [1, 3]}\n"
        "forces: {drive: {type: joint-torque, joint: a, value: 5}}\n"
        "sensors:\n"
        "  one: {type: joint-angle, joint: a}\n"
        "  two: {type: joint-angle, joint: b}\n"
        "  speed: {type: joint-speed, joint: a}\n",
        &o);
    double a = 5 / (0.2 + 0.5 / 9);
    for (double t = 1; t <= 20; t += 1) {
        model_run_until(&p, t);
        model_run_within("the ratio's error",
                         model_run_see(&p, "one") + 3 * model_run_see(&p, "two"), -1e-10, 1e-10);
        model_run_within("the angle's error", model_run_see(&p, "one") - a * t * t / 2, -1e-6,
                         1e-6);
        model_run_within("the speed's error", model_run_see(&p, "speed") - a * t, -1e-6, 1e-6);
    }
    assert_true(model_run_see(&p, "one") > 600 * 2 * M_PI);
    assert_int_equal(p.trial.figures.not_converged, 0);
    model_run_close(&p);
}

/* A differential: q1 + q2 - 2 q3 = 0. Held at q3 the two sides turn against each other. */
static void a_sum_of_three_angles_is_a_differential(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = tight();
    model_run_open_text(
        &p,
        "bodies:\n"
        "  left: {mass: 1, inertia: [1, 1, 2]}\n"
        "  right: {mass: 1, inertia: [1, 1, 2], position: [1, 0, 0]}\n"
        "  cage: {mass: 1, inertia: [1, 1, 2], position: [2, 0, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [ground, cage], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  differential: {type: gear, joints: [a, b, c], ratios: [1, 1, -2]}\n"
        "forces: {drive: {type: joint-torque, joint: c, value: 12}, drag: {type: joint-torque, joint: a, value: -2}}\n"
        "sensors:\n"
        "  a: {type: joint-angle, joint: a}\n"
        "  b: {type: joint-angle, joint: b}\n"
        "  c: {type: joint-angle, joint: c}\n",
        &o);
    model_run_until(&p, 10);
    /* 2 (a, b, c)'' = (-2, 0, 12) - l (1, 1, -2), a'' + b'' = 2 c'': l = (-2 - 24)/6 = -13/3 */
    double l = -26. / 6;
    model_run_within("a", model_run_see(&p, "a") - 50 * (-2 - l) / 2, -1e-6, 1e-6);
    model_run_within("b", model_run_see(&p, "b") - 50 * -l / 2, -1e-6, 1e-6);
    model_run_within("c", model_run_see(&p, "c") - 50 * (12 + 2 * l) / 2, -1e-6, 1e-6);
    model_run_within("the sum",
                     model_run_see(&p, "a") + model_run_see(&p, "b") - 2 * model_run_see(&p, "c"),
                     -1e-10, 1e-10);
    model_run_close(&p);
}

/* A pinion of 0.05 m drives a rack of 4 kg: 3 N m on 0.01 + 4 0.05² kg m2. */
static void a_rack_moves_by_its_radius_per_radian(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = tight();
    model_run_open_text(
        &p,
        "bodies:\n"
        "  pinion: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
        "  rail: {mass: 4, inertia: [1, 1, 1], position: [0, -0.05, 0]}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, pinion], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  way: {type: prismatic, between: [ground, rail], at: [0, -0.05, 0], axis: [1, 0, 0]}\n"
        "  teeth: {type: rack, joints: [axle, way], radius: 0.05}\n"
        "forces: {drive: {type: joint-torque, joint: axle, value: 3}}\n"
        "sensors: {turn: {type: joint-angle, joint: axle}, way: {type: joint-position, joint: way}}\n",
        &o);
    double a = 3 / (0.01 + 4 * 0.05 * 0.05);
    for (double t = 1; t <= 5; t += 1) {
        model_run_until(&p, t);
        model_run_within("the angle's error", model_run_see(&p, "turn") - a * t * t / 2, -1e-6,
                         1e-6);
        model_run_within("the rack's error",
                         model_run_see(&p, "way") - 0.05 * model_run_see(&p, "turn"), -1e-10,
                         1e-10);
    }
    assert_true(model_run_see(&p, "turn") > 200 * 2 * M_PI);
    model_run_close(&p);
}

/* A nut on a screw of 8 mm pitch turned by 0.02 N m: J + m (p/2 pi)² is what it sees; as a
 * tree joint and as a cut. */
static void a_screw_advances_by_its_pitch_per_turn(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[1024];
        struct model_run p;
        struct trial_options o = tight();
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\n"
            "bodies: {nut: {mass: 2, inertia: [0.001, 0.001, 0.001]}}\n"
            "joints: {thread: {type: screw, between: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 8 mm%s}}\n"
            "forces: {drive: {type: joint-torque, joint: thread, value: 0.05}}\n"
            "sensors:\n"
            "  turn: {type: joint-angle, joint: thread}\n"
            "  lift: {type: joint-position, joint: thread}\n",
            cut ? ", switchable: true" : "");
        model_run_open_text(&p, text, &o);
        double lead = 0.008 / (2 * M_PI), a = (0.05 - 2 * 9.81 * lead) / (0.001 + 2 * lead * lead);
        for (double t = 1; t <= 8; t += 1) {
            model_run_until(&p, t);
            model_run_within("the lift's error",
                             model_run_see(&p, "lift") - lead * model_run_see(&p, "turn"), -1e-10,
                             1e-10);
            model_run_within("the angle's error", model_run_see(&p, "turn") - a * t * t / 2, -1e-6,
                             1e-6);
        }
        assert_true(model_run_see(&p, "turn") > 100 * 2 * M_PI);
        model_run_close(&p);
    }
}

/* A gear between joints of a moving carrier: a planet that rolls on a fixed sun. The carrier
 * swings like a pendulum with the planet's spin added: with ratio 2 the planet turns twice
 * relative to the carrier, so its angle is three times the carrier's. */
static void a_gear_on_a_swinging_carrier_keeps_energy_and_ratio(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  carrier: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5, 0, 0]}\n"
        "  planet: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [1, 0, 0]}\n"
        "joints:\n"
        "  arm: {type: revolute, between: [ground, carrier], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  axle: {type: revolute, between: [carrier, planet], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  mesh: {type: gear, joints: [arm, axle], ratios: [2, -1]}\n"
        "sensors:\n"
        "  arm: {type: joint-angle, joint: arm}\n"
        "  axle: {type: joint-angle, joint: axle}\n"
        "  speed: {type: joint-speed, joint: arm}\n"
        "  energy: {type: energy}\n",
        &o);
    /* ½ I w² = -W sin q with I = 1/3 + 2 + 9 0.2, W = (0.5 + 2) g */
    double I = 1. / 3 + 2 + 9 * 0.2, W = 2.5 * 9.81;
    for (double t = 0.1; t <= 5; t += 0.1) {
        model_run_until(&p, t);
        double q = model_run_see(&p, "arm"), w = model_run_see(&p, "speed");
        model_run_within("the ratio's error", 2 * q - model_run_see(&p, "axle"), -1e-9, 1e-9);
        model_run_within("the energy of the pendulum", 0.5 * I * w * w + W * sin(q), -1e-3, 1e-3);
    }
    model_run_close(&p);
}

/* Teeth carry what hand calculation says, and --reactions' numbers are the sensors'. The gear:
 * torques of 1:2 on both shafts, 1/(1 + 4 J1/J2) of the drive; the rack: the force that pushes the
 * slide, and its torque back on the pinion; the screw: thrust and torque in the ratio of its lead. */
static void gears_racks_and_screws_show_their_reactions(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = tight();
    model_run_open_text(
        &p,
        "bodies:\n"
        "  a: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-3]}\n"
        "  b: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0]}\n"
        "  c: {mass: 3, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
        "  d: {mass: 3, inertia: [1, 1, 2], position: [3, 0, 0]}\n"
        "  e: {mass: 5, inertia: [1, 1, 2], position: [4, 0, 0]}\n"
        "joints:\n"
        "  ja: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  jb: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  g: {type: gear, joints: [ja, jb], ratios: [1, 2]}\n"
        "  jc: {type: prismatic, between: [ground, c], at: [2, 0, 0], axis: [1, 0, 0]}\n"
        "  jd: {type: revolute, between: [ground, d], at: [3, 0, 0], axis: [0, 0, 1]}\n"
        "  r: {type: rack, joints: [jd, jc], radius: 0.5}\n"
        "  s: {type: screw, between: [ground, e], at: [4, 0, 0], axis: [0, 0, 1], pitch: pi}\n"
        "forces:\n"
        "  ta: {type: joint-torque, joint: ja, value: 1}\n"
        "  td: {type: joint-torque, joint: jd, value: 11}\n"
        "  ts: {type: torque, body: e, value: [0, 0, 13]}\n"
        "sensors:\n"
        "  gt: {type: reaction-torque, joint: g}\n"
        "  gf: {type: reaction-force, joint: g}\n"
        "  rt: {type: reaction-torque, joint: r}\n"
        "  rf: {type: reaction-force, joint: r}\n"
        "  st: {type: reaction-torque, joint: s}\n"
        "  sf: {type: reaction-force, joint: s}\n",
        &o);
    model_run_until(&p, 0.5);
    static const struct {
        const char *channel;
        double right;
    } CASE[] = {{"gt.x", -1 / 1.4}, {"gt.y", -2 / 1.4}, {"gt.z", 0}, {"gf.x", 0},
                {"rt.x", -0.5 * 6}, {"rt.y", 0},        {"rf.x", 0}, {"rf.y", 6},
                {"sf.z", 5 * 2},    {"st.z", -0.5 * 10}};
    /* rack: 11/(2 + 3/4) = 4 rad/s2; screw: lead 1/2, 13/(2 + 5/4) = 4 rad/s2 */
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++)
        model_run_within(CASE[i].channel, model_run_see(&p, CASE[i].channel) - CASE[i].right, -1e-7,
                         1e-7);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gear_keeps_its_ratio_over_hundreds_of_turns),
        cmocka_unit_test(a_sum_of_three_angles_is_a_differential),
        cmocka_unit_test(a_rack_moves_by_its_radius_per_radian),
        cmocka_unit_test(a_screw_advances_by_its_pitch_per_turn),
        cmocka_unit_test(a_gear_on_a_swinging_carrier_keeps_energy_and_ratio),
        cmocka_unit_test(gears_racks_and_screws_show_their_reactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
