/* Robots imported from URDF move as they must: against native models of the same mechanism,
 * forward kinematics by homogeneous transforms, static torques by levers, closed forms. The
 * transforms and levers here are written apart from the importer, in plain 4x4 matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/physics/imported.h"

/* ---- an arm of six axes, written down again from the file --------------------------- */

struct transform {
    double m[4][4];
};

static struct transform times(struct transform a, struct transform b)
{
    struct transform c = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

/* Rz(yaw) Ry(pitch) Rx(roll) and a shift, entry by entry. */
static struct transform origin(const double v[6])
{
    double cr = cos(v[3]), sr = sin(v[3]), cp = cos(v[4]), sp = sin(v[4]), cy = cos(v[5]),
           sy = sin(v[5]);
    return (struct transform){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, v[0]},
                               {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, v[1]},
                               {-sp, cp * sr, cp * cr, v[2]},
                               {0, 0, 0, 1}}};
}

/* Rodrigues about an axis that need not be of length 1. */
static struct transform turn(const double axis[3], double q)
{
    double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double x = axis[0] / n, y = axis[1] / n, z = axis[2] / n, c = cos(q), s = sin(q), d = 1 - c;
    return (struct transform){{{c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0},
                               {y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0},
                               {z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0},
                               {0, 0, 0, 1}}};
}

enum { AXES = 6, LINKS = 7 };
#define HALF 1.5707963267948966
static const double ORIGIN[AXES][6] = {{0.01, -0.02, 0.4, 3.141592653589793, 0, 0},
                                       {0.18, 0.03, 0, HALF, 0, 0},
                                       {0.6, 0, 0.02, 0.05, -0.04, 0.03},
                                       {0.12, 0.03, 0, 0, HALF, 0},
                                       {0, 0, -0.62, -HALF, 0.2, 0},
                                       {0.05, 0, 0.11, 0, -HALF, 0}};
static const double AXIS[AXES][3] = {{0, 0, 1},  {0, 0, 1}, {0, 0.1, 2},
                                     {0, 0, -1}, {1, 0, 0}, {0, 0, 1}};
static const double LOWER[AXES] = {-2.9, -2.2, -2.0, -3.1, -2.1, -3};
static const double UPPER[AXES] = {2.9, 0.8, 2.7, 3.1, 2.1, 3};
static const double MASS[LINKS] = {9.5, 11.2, 5.1, 3.3, 1.4, 0.5, 0.8};
static const double CENTRE[LINKS][3] = {
    {0.02, -0.03, -0.11}, {0.21, 0.01, 0.14}, {0.05, 0.03, 0.01}, {0, 0.01, -0.15},
    {0, -0.02, 0.03},     {0, 0, -0.02},      {0.01, 0, 0.05}};
static const char *const BODY[LINKS] = {"link-1", "link-2", "link-3",      "link-4",
                                        "link-5", "link-6", "gripper-body"};

struct arm {
    double at[AXES][3], axis[AXES][3]; /* of the joints, world */
    double centre[LINKS][3];           /* of the masses */
};

static void point(struct transform t, const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = t.m[i][0] * p[0] + t.m[i][1] * p[1] + t.m[i][2] * p[2] + t.m[i][3];
}

static struct arm place_arm(const double q[AXES])
{
    static const double FLANGE[6] = {0, 0, 0.03, 0, 0, 0.5}, MOUNT[6] = {0, 0.01, 0, 0.2, 0, 0};
    struct transform t = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    struct arm a;
    for (int i = 0; i < AXES; i++) {
        t = times(t, origin(ORIGIN[i]));
        double n = sqrt(AXIS[i][0] * AXIS[i][0] + AXIS[i][1] * AXIS[i][1] +
                        AXIS[i][2] * AXIS[i][2]);
        for (int k = 0; k < 3; k++) {
            a.at[i][k] = t.m[k][3];
            a.axis[i][k] = 0;
            for (int j = 0; j < 3; j++) a.axis[i][k] += t.m[k][j] * AXIS[i][j] / n;
        }
        t = times(t, turn(AXIS[i], q[i]));
        point(t, CENTRE[i], a.centre[i]);
    }
    t = times(times(t, origin(FLANGE)), origin(MOUNT));
    point(t, CENTRE[LINKS - 1], a.centre[LINKS - 1]);
    return a;
}

static void random_pose(double q[AXES])
{
    for (int i = 0; i < AXES; i++)
        q[i] = LOWER[i] + (UPPER[i] - LOWER[i]) * (0.02 + 0.96 * drand48());
}

/* The arm imported at a pose, and sensors for the mass centre of each link. */
static char *arm_text(const double q[AXES], int merge)
{
    char set[AXES][64], more[4096];
    const char *sets[AXES];
    int n = 0;
    for (int i = 0; i < AXES; i++) {
        snprintf(set[i], sizeof set[i], "joint_A%d=%.17g", i + 1, q[i]);
        sets[i] = set[i];
    }
    const struct urdf_options o = {.no_io = 1, .merge = merge, .starts = sets, .n_starts = AXES};
    n += snprintf(more + n, sizeof more - (size_t)n, "\nsensors:\n");
    for (int i = 0; i < LINKS - merge; i++)
        n += snprintf(more + n, sizeof more - (size_t)n, "  %s: {type: position, body: %s}\n",
                      BODY[i], BODY[i]);
    for (int i = 0; i < AXES; i++)
        n += snprintf(more + n, sizeof more - (size_t)n,
                      "  q%d: {type: joint-angle, joint: joint-a%d}\n"
                      "  t%d: {type: reaction-torque, joint: joint-a%d}\n",
                      i + 1, i + 1, i + 1, i + 1);
    return imported_add(imported_text("six-axis.urdf", &o), more);
}

static void assert_placed(struct model_run *p)
{
    double q[AXES];
    char name[64];
    static const char COORDINATE[] = "xyz";
    for (int i = 0; i < AXES; i++) {
        snprintf(name, sizeof name, "q%d", i + 1);
        q[i] = model_run_see(p, name);
    }
    struct arm a = place_arm(q);
    for (int i = 0; i < LINKS; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s.%c", BODY[i], COORDINATE[k]);
            model_run_within(name, model_run_see(p, name) - a.centre[i][k], -1e-12, 1e-12);
        }
}

/* At 50 random start poses, and while the arm falls from each: the angles shown give the
 * places of all links through the product of the file's transforms. */
static void forward_kinematics_are_the_product_of_transforms(void **state)
{
    (void)state;
    srand48(7);
    for (int trial = 0; trial < 50; trial++) {
        double q[AXES];
        char name[8];
        struct model_run p;
        random_pose(q);
        imported_open(&p, arm_text(q, 0));
        for (int i = 0; i < AXES; i++) {
            snprintf(name, sizeof name, "q%d", i + 1);
            model_run_within("the angle at the start", model_run_see(&p, name) - q[i], -1e-12,
                             1e-12);
        }
        assert_placed(&p);
        model_run_until(&p, 0.25);
        assert_placed(&p);
        model_run_close(&p);
    }
}

/* Held by prescribed motions, each drive carries the levers of all weights beyond it. With
 * --merge the gripper is part of the last link and nothing changes. */
static void holding_torques_are_the_levers_of_the_weights(void **state)
{
    (void)state;
    srand48(11);
    for (int trial = 0; trial < 50; trial++) {
        double q[AXES];
        char more[1024], name[16];
        int n = 0;
        struct model_run p;
        random_pose(q);
        n += snprintf(more, sizeof more, "motions:\n");
        for (int i = 0; i < AXES; i++)
            n += snprintf(more + n, sizeof more - (size_t)n,
                          "  hold-%d: {joint: joint-a%d, value: %.17g}\n", i + 1, i + 1, q[i]);
        imported_open(&p, imported_add(arm_text(q, trial % 2), more));
        struct arm a = place_arm(q);
        for (int i = 0; i < AXES; i++) {
            double torque = 0; /* of the weights about the axis */
            for (int l = i; l < LINKS; l++) {
                double rx = a.centre[l][0] - a.at[i][0], ry = a.centre[l][1] - a.at[i][1];
                double w = -9.81 * MASS[l];
                torque += w * (ry * a.axis[i][0] - rx * a.axis[i][1]);
            }
            snprintf(name, sizeof name, "t%d.z", i + 1);
            model_run_within(name, model_run_see(&p, name) + torque, -1e-9, 1e-9);
        }
        model_run_close(&p);
    }
}

/* ---- the same mechanism written natively ------------------------------------------- */

static void a_double_pendulum_moves_as_the_native_model(void **state)
{
    (void)state;
    struct model_run p, native;
    struct trial_options o = model_run_options(1e-3);
    imported_open(&p, imported_text("double-pendulum.urdf", NULL));
    model_run_open(&native, "config/models/double-pendulum-rods.yaml", &o);
    for (double t = 0; t <= 3; t += 0.1) {
        model_run_until(&p, t);
        model_run_until(&native, t);
        /* rounding, grown by chaos over 3 s */
        model_run_within("the shoulder",
                         model_run_see(&p, "shoulder-angle") - model_run_see(&native, "shoulder"),
                         -1e-9, 1e-9);
        model_run_within("the elbow",
                         model_run_see(&p, "elbow-speed") - model_run_see(&native, "elbow-speed"),
                         -1e-8, 1e-8);
    }
    model_run_close(&p);
    model_run_close(&native);
}

/* Small swings about hanging: the two frequencies of equal uniform rods, w² = 3 g/l (1 -/+
 * 2/sqrt 7). Started in the slow mode's shape it stays in it: q2/q1 (relative) as the mode. */
static void a_double_pendulum_swings_at_its_frequency(void **state)
{
    (void)state;
    struct model_run p;
    double g = 9.81, w2 = 3 * g * (1 - 2 / sqrt(7)), w = sqrt(w2);
    /* (4/3 a + 1/2 b) w2 = 3/2 g a with absolute angles a, b and m = l = 1 */
    double a = 1e-3, b = (1.5 * g / w2 - 4. / 3) * 2 * a;
    char set[2][64];
    const char *sets[] = {set[0], set[1]};
    const struct urdf_options o = {.starts = sets, .n_starts = 2};
    snprintf(set[0], sizeof set[0], "shoulder=%.17g", -M_PI / 2 + a);
    snprintf(set[1], sizeof set[1], "elbow=%.17g", b - a);
    imported_open(&p, imported_text("double-pendulum.urdf", &o));
    for (double t = 0; t <= 5; t += 0.1) {
        model_run_until(&p, t);
        double q = model_run_see(&p, "shoulder-angle") + M_PI / 2;
        model_run_within("the swing", q - a * cos(w * t), -1e-7, 1e-7); /* a³ and (w h)² w t/12 a */
    }
    model_run_close(&p);
}

/* A component from URDF whose loop is closed by the model that uses it. */
static void a_loop_is_closed_in_the_model_file(void **state)
{
    (void)state;
    struct model_run p, native;
    struct trial_options o = model_run_options(1e-3);
    const struct urdf_options quiet = {.no_io = 1};
    char *text = imported_text("four-bar.urdf", &quiet);
    text = imported_add(text, "sensors: {angle: {type: joint-angle, joint: a, unit: deg}}\n");
    text = imported_change(
        text, "joints:\n",
        "joints:\n  d: {type: revolute, between: [rocker, ground], at: [1, 0, 0], axis: [0, -1, 0]}\n");
    text = imported_change(text, "position: [0, 0, 0.5], ",
                           "position: [0, 0, 0.5], angular-velocity: [0, 1, 0], ");
    imported_open(&p, text);
    model_run_open(&native, "config/models/four-bar.yaml", &o);
    assert_int_equal(p.trial.mechanism.plan->dof, 1);
    assert_int_equal(p.trial.mechanism.plan->redundant, 3);
    for (double t = 0; t <= 2; t += 0.1) {
        model_run_until(&p, t);
        model_run_until(&native, t);
        model_run_within("the crank", model_run_see(&p, "angle") - model_run_see(&native, "angle"),
                         -1e-6, 1e-6);
    }
    model_run_close(&p);
    model_run_close(&native);
}

/* ---- joints one by one --------------------------------------------------------------- */

/* The carriage falls 0.1 m, never goes deeper than an elastic stop would let it, and comes
 * to rest m g/k below the end. Its disc falls in its plane by g t²/2. */
static void a_carriage_falls_onto_its_stop(void **state)
{
    (void)state;
    struct model_run p;
    double m = 2, g = 9.81, w = M_PI / 0.012, k = m * w * w, v = sqrt(2 * g * 0.1), deepest = 0;
    imported_open(&p, imported_text("slider.urdf", NULL));
    for (double t = 0; t <= 0.14; t += 0.01) {
        model_run_until(&p, t);
        model_run_within("the fall", model_run_see(&p, "rail-position") + 0.5 * g * t * t, -1e-9,
                         1e-9);
        model_run_within("the disc, y", model_run_see(&p, "plane-y"), -0.5 * g * t * t - 1e-9,
                         1e-9);
        double x = model_run_see(&p, "plane-x"), y = model_run_see(&p, "plane-y");
        model_run_within("the disc", hypot(x, y) - 0.5 * g * t * t, -1e-9, 1e-9);
    }
    for (double t = 0.14; t < 20; t += 1e-3) {
        model_run_until(&p, t);
        deepest = fmax(deepest, -0.1 - model_run_see(&p, "rail-position"));
    }
    model_run_within("the depth", deepest, 0.3 * v * sqrt(m / k), v * sqrt(m / k) * 1.02);
    model_run_within("at rest", model_run_see(&p, "rail-position") + 0.1 + m * g / k, -2e-6, 2e-6);
    model_run_close(&p);
}

/* 3 N m against 0.5 dry and 0.1 viscous on 0.04 kg m2: w = 25 (1 - exp(-2.5 t)). Dry friction
 * is softened over the first step from rest: 0.5 h/0.04 rad/s at most. */
static void dynamics_become_friction(void **state)
{
    (void)state;
    struct model_run p;
    imported_open(&p, imported_change(imported_text("slider.urdf", NULL),
                                      "joint: axle, range: [-10, 10]",
                                      "joint: axle, range: [-10, 10], start: 3"));
    for (double t = 0.1; t <= 3; t += 0.1) {
        model_run_until(&p, t);
        model_run_within("w", model_run_see(&p, "axle-speed") - 25 * (1 - exp(-2.5 * t)), -1e-4,
                         0.0125);
    }
    model_run_close(&p);
}

/* Pushed by 2 N against 4 N s/m, the fingers move as one mass: m = 0.25 + 0.4 in line and the
 * knuckle's 4e-5 kg m2 at 20 rad/m; the gears hold to rounding. */
static void mimics_move_as_gears(void **state)
{
    (void)state;
    struct model_run p;
    double m = 0.2 + 0.05 + 0.3 + 0.1 + 4e-5 * 400, c = 4;
    imported_open(&p, imported_change(imported_text("gripper.urdf", NULL),
                                      "joint: left, range: [-40, 40]",
                                      "joint: left, range: [-40, 40], start: 0.2"));
    for (double t = 0; t <= 0.3; t += 0.02) {
        model_run_until(&p, t);
        double left = model_run_see(&p, "left-position"),
               right = model_run_see(&p, "right-position");
        double x = 0.2 / c * (t - m / c * (1 - exp(-c * t / m)));
        model_run_within("the finger that leads", left - 0.025 - x, -1e-5, 1e-5);
        model_run_within("the finger that follows", right - (left - 0.005), -1e-10, 1e-10);
        model_run_within("the knuckle", model_run_see(&p, "knuckle-angle") - (0.1 - 20 * right),
                         -1e-9, 1e-9);
    }
    model_run_close(&p);
}

/* In free fall the mass centre of the rover follows gravity whatever its wheels do, and its
 * angular momentum stays zero: about the axles, where wheels and chassis turn against each
 * other. */
static void a_floating_rover_falls_as_one(void **state)
{
    (void)state;
    struct model_run p;
    const struct urdf_options o = {.floating = 1};
    char *text = imported_text("rover.urdf", &o);
    text = imported_change(text, "range: [-12, 12]", "range: [-12, 12], start: 10");
    text = imported_change(text, "sensors:\n",
                           "sensors:\n  base: {type: position, body: base-link}\n"
                           "  lw: {type: position, body: left-wheel}\n"
                           "  rw: {type: position, body: right-wheel}\n"
                           "  cw: {type: position, body: caster-wheel}\n"
                           "  turn: {type: angular-velocity, body: base-link}\n");
    imported_open(&p, text);
    double start = 0;
    for (double t = 0; t <= 1; t += 0.1) {
        model_run_until(&p, t);
        double z = (8 * model_run_see(&p, "base.z") + 0.6 * model_run_see(&p, "lw.z") +
                    0.6 * model_run_see(&p, "rw.z") + 0.1 * model_run_see(&p, "cw.z")) /
                   9.3;
        if (t == 0) start = z;
        /* the caster's swivel has a millionth of the mass and is not counted here */
        model_run_within("the fall", z - start + 0.5 * 9.81 * t * t, -1e-5, 1e-5);
    }
    model_run_within("the wheel", model_run_see(&p, "left-wheel-joint-speed"), 9, 10.0001);
    if (!(model_run_see(&p, "turn.y") < -1e-3))
        fail_msg("the chassis does not turn against its wheel");
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_kinematics_are_the_product_of_transforms),
        cmocka_unit_test(holding_torques_are_the_levers_of_the_weights),
        cmocka_unit_test(a_double_pendulum_moves_as_the_native_model),
        cmocka_unit_test(a_double_pendulum_swings_at_its_frequency),
        cmocka_unit_test(a_loop_is_closed_in_the_model_file),
        cmocka_unit_test(a_carriage_falls_onto_its_stop),
        cmocka_unit_test(dynamics_become_friction),
        cmocka_unit_test(mimics_move_as_gears),
        cmocka_unit_test(a_floating_rover_falls_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
