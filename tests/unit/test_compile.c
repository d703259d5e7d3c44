/* What stands in a file is what stands in the model: bodies, joints, forces, actuators,
 * sensors, functions, live parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "rt/mech/force.h"
#include "rt/mech/function.h"
#include "rt/mech/joint.h"
#include "rt/mech/sensor.h"
#include "tests/unit/loading.h"

#define PI 3.14159265358979323846
#define ONE_BODY "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}\n"
#define HINGE \
    "joints:\n  j: {type: revolute, between: [ground, a], at: [1, 2, 3], axis: [0, 0, 1]}\n"

static void inertia_is_read_in_its_three_forms(void **state)
{
    struct loading l = loading_good(
        "bodies:\n"
        "  a: {mass: 1, inertia: [2, 3, 4]}\n"
        "  b: {mass: 1, inertia: [2, 3, 4, 0.1, 0.2, 0.3]}\n"
        "  c: {mass: 1, inertia: [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]}\n");
    const double a[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, b[9] = {2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4};
    (void)state;
    loading_assert_near(loading_body(&l, "a")->inertia, a, 9);
    loading_assert_near(loading_body(&l, "b")->inertia, b, 9);
    loading_assert_near(loading_body(&l, "c")->inertia, b, 9);
    loading_done(&l);
}

/* Moments of textbook solids; the tube equals the cylinder less its hole. */
static void solids_have_the_mass_and_inertia_of_textbooks(void **state)
{
    struct loading l = loading_good(
        "bodies:\n"
        "  box: {box: {size: [1, 2, 3], density: 10}}\n"
        "  ball: {mass: 5, sphere: {radius: 0.2}}\n"
        "  rod: {rod: {length: 2, mass: 3, axis: z}}\n"
        "  full: {cylinder: {radius: 2, length: 3, density: 1, axis: y}}\n"
        "  hole: {cylinder: {radius: 1, length: 3, density: 1, axis: y}}\n"
        "  tube: {cylinder: {radius: 2, inner-radius: 1, length: 3, density: 1, axis: y}}\n");
    const struct model_body *box = loading_body(&l, "box"), *full = loading_body(&l, "full");
    const struct model_body *hole = loading_body(&l, "hole"), *tube = loading_body(&l, "tube");
    const double ball = 0.4 * 5 * 0.04, rod[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    (void)state;
    assert_true(fabs(box->mass - 60) < 1e-12);
    assert_true(fabs(box->inertia[0] - 60 * 13 / 12.) < 1e-12);
    assert_true(fabs(loading_body(&l, "ball")->inertia[4] - ball) < 1e-15);
    loading_assert_near(loading_body(&l, "rod")->inertia, rod, 9);
    assert_true(fabs(full->mass - 12 * PI) < 1e-12);
    assert_true(fabs(full->inertia[4] - full->mass * 2) < 1e-12);
    for (int i = 0; i < 9; i += 4)
        assert_true(fabs(tube->inertia[i] - (full->inertia[i] - hole->inertia[i])) < 1e-12);
    loading_done(&l);
}

static void rotations_are_read_in_their_three_forms(void **state)
{
    struct loading l = loading_good(
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], rotation: {axis: [0, 0, 2], angle: 90 deg}}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], rotation: {quaternion: [sqrt(0.5), 0, 0, sqrt(0.5)]}}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], rotation: {rpy: [90 deg, 0, 90 deg]}}\n"
        "  d: {mass: 1, inertia: [1, 1, 1], rotation: [{axis: [1, 0, 0], angle: 90 deg}, {axis: [0, 0, 1], angle: 90 deg}]}\n");
    const double z[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, zx[4] = {0.5, 0.5, 0.5, 0.5};
    (void)state;
    loading_assert_near(loading_body(&l, "a")->q, z, 4);
    loading_assert_near(loading_body(&l, "b")->q, z, 4);
    loading_assert_near(loading_body(&l, "c")->q, zx, 4);
    loading_assert_near(loading_body(&l, "d")->q, zx, 4);
    loading_done(&l);
}

static void joint_points_and_frames_are_kept_in_body_axes(void **state)
{
    struct loading l = loading_good(
        "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}}\n"
        "joints:\n  j: {type: revolute, between: [ground, a], at: [1, 2, 0], axis: [2, 0, 0]}\n");
    const struct model_joint *j = loading_joint(&l, "j");
    const double ground[3] = {1, 2, 0}, local[3] = {2, 0, 0};
    (void)state;
    loading_assert_near(j->point[0], ground, 3);
    loading_assert_near(j->point[1], local, 3);
    /* the axis is z of the frame: x in the world, -y in the body */
    assert_true(fabs(j->frame[0][2] - 1) < 1e-15 && fabs(j->frame[1][5] + 1) < 1e-15);
    loading_done(&l);
}

/* Frames are rotations, whatever the axes: columns orthonormal, right-handed. */
static void frames_of_all_joints_are_right_handed(void **state)
{
    struct loading l = loading_good(
        ONE_BODY
        "joints:\n"
        "  a: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  b: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 2, 3], axis-b: [1, 2, 3.1]}\n"
        "  c: {type: universal, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], axis-b: [1, 0.1, 0.1]}\n"
        "  d: {type: planar, between: [ground, a], at: [0, 0, 0], axis: [0, -1, 0]}\n"
        "  e: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n");
    (void)state;
    for (uint32_t i = 0; i < l.model->joints.n; i++)
        for (int side = 0; side < 2; side++) {
            const double *f = model_joints(l.model)[i].frame[side];
            double det = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                         f[2] * (f[3] * f[7] - f[4] * f[6]);
            assert_true(fabs(det - 1) < 1e-14);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) {
                    double dot = f[p] * f[q] + f[3 + p] * f[3 + q] + f[6 + p] * f[6 + q];
                    assert_true(fabs(dot - (p == q)) < 1e-14);
                }
        }
    loading_done(&l);
}

static void a_universal_joint_turns_about_axis_and_axis_b(void **state)
{
    struct loading l = loading_good(
        ONE_BODY
        "joints:\n  j: {type: universal, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], axis-b: [1, 0, 0]}\n");
    const struct model_joint *j = loading_joint(&l, "j");
    (void)state;
    assert_true(j->frame[0][8] == 1); /* z of side 0 */
    assert_true(j->frame[1][0] == 1); /* x of side 1 */
    assert_int_equal(j->n_coordinates, 2);
    assert_true(model_coordinates(l.model)[j->coordinate_at].start == 0);
    loading_done(&l);
}

static void the_length_of_a_distance_is_as_placed_unless_given(void **state)
{
    struct loading l = loading_good(
        ONE_BODY
        "joints:\n"
        "  a: {type: distance, between: [ground, a], at: [1, 2, 0], at-b: [1, 2, 3]}\n"
        "  b: {type: distance, between: [ground, a], at: [1, 2, 0], at-b: [1, 2, 3], length: 3 + 0.1*sin(t)}\n");
    const struct model *m = l.model;
    struct jet a = function_eval(m, loading_joint(&l, "a")->function, 1, model_pool(m), NULL);
    struct jet b = function_eval(m, loading_joint(&l, "b")->function, 1, model_pool(m), NULL);
    (void)state;
    assert_true(a.f == 3 && a.d1 == 0);
    assert_true(fabs(b.f - 3 - 0.1 * sin(1)) < 1e-15 && fabs(b.d1 - 0.1 * cos(1)) < 1e-15);
    assert_true(model_coordinates(m)[loading_joint(&l, "a")->coordinate_at].start == 3);
    loading_done(&l);
}

static void gears_and_racks_become_sums_of_coordinates(void **state)
{
    struct loading l = loading_good(
        "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n  c: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  mesh: {type: gear, joints: [turn, tube, slide], ratios: [1, -2.5, 3], coordinates: [angle, angle, position]}\n"
        "  teeth: {type: rack, joints: [turn, slide], radius: 20 mm}\n"
        "  turn: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  tube: {type: cylindrical, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  slide: {type: prismatic, between: [ground, c], at: [0, 0, 0], axis: [1, 0, 0]}\n");
    const struct model *m = l.model;
    const struct model_term *t = model_terms(m) + loading_joint(&l, "mesh")->term_at;
    (void)state;
    assert_int_equal(loading_joint(&l, "mesh")->n_terms, 3);
    assert_int_equal(t[1].coordinate, loading_joint(&l, "tube")->coordinate_at + 1);
    assert_true(t[0].factor == 1 && t[1].factor == -2.5 && t[2].factor == 3);
    t = model_terms(m) + loading_joint(&l, "teeth")->term_at;
    assert_int_equal(t[0].coordinate, loading_joint(&l, "turn")->coordinate_at);
    assert_int_equal(t[1].coordinate, loading_joint(&l, "slide")->coordinate_at);
    assert_true(t[0].factor == -0.02 && t[1].factor == 1);
    loading_done(&l);
}

static void the_row_of_a_force_is_chosen_by_what_it_names(void **state)
{
    struct loading l = loading_good(
        ONE_BODY HINGE
        "actuators:\n"
        "  on-joint: {type: torque, joint: j, range: [-1, 1]}\n"
        "  on-body: {type: torque, body: a, direction: [0, 0, 3], range: [-1, 1]}\n");
    const struct model_force *joint = loading_force(&l, "on-joint"),
                             *body = loading_force(&l, "on-body");
    (void)state;
    assert_true(FORCE_TYPE[joint->type]->refs & REF_JOINT);
    assert_true(FORCE_TYPE[body->type]->refs & REF_BODY);
    assert_int_equal(joint->coordinate, loading_joint(&l, "j")->coordinate_at);
    assert_int_equal(body->coordinate, MODEL_NONE);
    assert_int_equal(body->body[0], MODEL_GROUND);
    assert_true(model_pool(l.model)[body->pool_at + 2] == 1);
    loading_done(&l);
}

static void defaults_are_found_at_the_start_pose(void **state)
{
    struct loading l = loading_good(
        ONE_BODY
        "forces:\n"
        "  s: {type: spring-damper, between: [ground, a], from: [1, 2, 0], to: [1, 2, 3], stiffness: 100 N/m}\n"
        "  g: {type: ground-spring, body: a, at: [1, 2, 4], stiffness: 10}\n");
    const double *p = model_pool(l.model), to[3] = {1, 2, 4}, at[3] = {0, 0, 1};
    (void)state;
    assert_true(p[loading_force(&l, "s")->pool_at + 8] == 3);
    loading_assert_near(p + loading_force(&l, "g")->pool_at, at, 3);
    loading_assert_near(p + loading_force(&l, "g")->pool_at + 3, to, 3);
    for (uint32_t i = 0; i < l.model->pool.n; i++) assert_true(isfinite(p[i]));
    loading_done(&l);
}

static void commands_and_their_ranges_are_in_the_unit_of_the_actuator(void **state)
{
    struct loading l = loading_good(
        ONE_BODY HINGE
        "actuators:\n"
        "  p: {type: position, joint: j, stiffness: 10 N.m/rad, unit: deg, range: [-30, 0.5 rad], safe: 10, description: steering}\n"
        "  q: {type: torque, joint: j, unit: kN.m, range: [1, 2]}\n");
    const struct model_actuator *p = loading_actuator(&l, "p"), *q = loading_actuator(&l, "q");
    (void)state;
    assert_true(p->lower == -30 && fabs(p->upper - 90 / PI) < 1e-12);
    assert_true(p->safe == 10 && p->start == 10);
    assert_true(fabs(p->scale - PI / 180) < 1e-16);
    assert_string_equal(model_text(l.model, p->unit), "deg");
    assert_string_equal(model_text(l.model, p->help), "steering");
    assert_true(q->scale == 1000 && q->safe == 1 && q->start == 1); /* 0 is out of range */
    loading_done(&l);
}

static void ranges_of_expressions_come_out_right_in_any_unit(void **state)
{
    struct loading l = loading_good(
        "parameters: {l: 1 m}\n" ONE_BODY
        "joints:\n  j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "actuators:\n"
        "  p: {type: position, joint: j, stiffness: 10, unit: mm, range: [-0.5*l, l/2], safe: l*0.1, start: 2*l/8}\n");
    const struct model_actuator *p = loading_actuator(&l, "p");
    (void)state;
    assert_true(fabs(p->lower + 500) < 1e-9 && fabs(p->upper - 500) < 1e-9);
    assert_true(fabs(p->safe - 100) < 1e-9 && fabs(p->start - 250) < 1e-9);
    loading_done(&l);
    l = loading_text(
        "parameters: {n: 1}\n" ONE_BODY
        "joints:\n  j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "actuators:\n"
        "  p: {type: position, joint: j, stiffness: 10, unit: mm, range: [-0.5*n, 3]}\n");
    assert_true(loading_says(&l, "-0.5*n has no unit"));
    loading_done(&l);
}

static void a_length_times_a_number_is_no_mass(void **state)
{
    struct loading l = loading_text(
        "parameters: {l: 1 m}\nbodies:\n"
        "  a: {mass: 2*l, inertia: [1, 1, 1], position: [1/(2 mm), 0, 3*l]}\n");
    (void)state;
    assert_int_equal(l.diags.n_errors, 2);
    assert_true(loading_says(&l, "a: mass must be given in kg, not in m"));
    assert_true(loading_says(&l, "a: position, entry 1 must be given in m, not in 1/m"));
    loading_done(&l);
}

static void sensors_number_their_channels_and_scale_to_their_unit(void **state)
{
    struct loading l = loading_good(ONE_BODY HINGE
                                    "forces:\n  f: {type: force, body: a, value: [1, 0, 0]}\n"
                                    "sensors:\n"
                                    "  a: {type: joint-angle, joint: j, unit: deg}\n"
                                    "  b: {type: position, body: a, unit: mm}\n"
                                    "  c: {type: joint-speed, joint: j, unit: rpm}\n"
                                    "  d: {type: force, force: f, unit: kN}\n"
                                    "  e: {type: attitude, body: a}\n");
    static const unsigned AT[] = {0, 1, 4, 5, 8};
    const struct model_sensor *s = model_sensors(l.model);
    (void)state;
    for (int i = 0; i < 5; i++) assert_int_equal(s[i].channel_at, AT[i]);
    assert_int_equal(l.model->n_channels, 12);
    assert_true(fabs(s[0].scale - 180 / PI) < 1e-12 && s[1].scale == 1000);
    assert_true(fabs(s[2].scale - 30 / PI) < 1e-12 && fabs(s[3].scale - 1e-3) < 1e-18);
    loading_done(&l);
}

static void functions_of_time_are_exact_in_every_form(void **state)
{
    struct loading l = loading_good(
        ONE_BODY
        "forces:\n"
        "  f: {type: force, body: a, value: [{ramp: {start: 1, from: 2, to: 6, end: 3}}, {sine: {amplitude: 3, frequency: 2 Hz, phase: 90 deg, offset: 1}}, {table: {times: [0, 1, 2], values: [0, 1, 4]}}]}\n"
        "  g: {type: force, body: a, value: [2*t^2, 7, {ramp: {rate: 2 N/s}}]}\n");
    const struct model *m = l.model;
    const int32_t *f = loading_force(&l, "f")->function, *g = loading_force(&l, "g")->function;
    const double *pool = model_pool(m);
    (void)state;
    assert_true(function_eval(m, f[0], 0.5, pool, NULL).f == 2);
    assert_true(function_eval(m, f[0], 2, pool, NULL).f == 4);
    assert_true(function_eval(m, f[0], 9, pool, NULL).f == 6);
    assert_true(fabs(function_eval(m, f[1], 0.25, pool, NULL).f - (1 - 3)) < 1e-14);
    assert_true(fabs(function_eval(m, f[2], 1, pool, NULL).f - 1) < 1e-15);
    assert_true(function_eval(m, g[0], 3, pool, NULL).d2 == 4);
    assert_true(function_eval(m, g[1], 3, pool, NULL).f == 7);
    assert_true(function_eval(m, g[2], 3, pool, NULL).f == 6);
    assert_int_equal(model_functions(m)[g[1]].constant, 1);
    assert_int_equal(model_functions(m)[g[0]].constant, 0);
    loading_done(&l);
}

static void numbers_of_forces_follow_live_parameters_and_what_derives_from_them(void **state)
{
    struct loading l = loading_good(
        "parameters:\n  k: {value: 100 N/m, live: true, range: [0 N/m, 500 N/m]}\n  k2: 2*k\n  fixed: 3\n" ONE_BODY
        "forces:\n  s: {type: spring-damper, between: [ground, a], from: [0, 0, 0], to: [1, 2, 3], stiffness: k2 + 1 N/m, damping: fixed}\n");
    const struct model *m = l.model;
    const struct model_derive *d = model_derives(m);
    double param[3] = {200, 0, 0};
    (void)state;
    assert_int_equal(m->derives.n, 1);
    assert_int_equal(d->pool_at, loading_force(&l, "s")->pool_at + 6);
    assert_true(model_pool(m)[d->pool_at] == 201);
    assert_true(function_run(model_code(m) + d->code_at, (int)d->n_code, 0, param).f == 401);
    assert_int_equal(model_parameters(m)[0].flags, PARAMETER_LIVE);
    assert_int_equal(model_parameters(m)[1].flags, 0);
    assert_true(model_parameters(m)[0].upper == 500);
    loading_done(&l);
}

static void motions_are_found_from_their_coordinate(void **state)
{
    struct loading l = loading_good(ONE_BODY HINGE
                                    "motions:\n  m: {joint: j, value: 10 deg + 0.5*t}\n");
    const struct model_motion *m = model_motions(l.model);
    (void)state;
    assert_int_equal(l.model->motions.n, 1);
    assert_int_equal(model_coordinates(l.model)[m->coordinate].motion, 0);
    assert_true(fabs(function_eval(l.model, m->function, 2, model_pool(l.model), NULL).f -
                     (PI / 18 + 1)) < 1e-15);
    loading_done(&l);
}

static void settings_of_the_solver_have_their_defaults_and_values(void **state)
{
    struct loading l = loading_good(ONE_BODY);
    (void)state;
    assert_true(l.model->rho < 0 && l.model->tolerance == 1e-9 && l.model->closure < 0);
    assert_int_equal(l.model->iterations, 3);
    assert_true(l.model->gravity[0] == 0 && l.model->gravity[2] == 0);
    assert_string_equal(model_text(l.model, l.model->name), "test");
    loading_done(&l);
    l = loading_good("model: x\ngravity: [0, 0, -9.81 m/s2]\nclosure: 1 mm\nsettle: true\n"
                     "integrator: {rho: 0.8, tolerance: 1e-6, iterations: 5}\n" ONE_BODY);
    assert_true(l.model->rho == 0.8 && l.model->tolerance == 1e-6 && l.model->closure == 1e-3);
    assert_int_equal(l.model->iterations, 5);
    assert_int_equal(l.model->settle, 1);
    assert_true(l.model->gravity[2] == -9.81);
    assert_string_equal(model_text(l.model, l.model->name), "x");
    loading_done(&l);
}

static void given_velocities_are_marked_as_given(void **state)
{
    struct loading l = loading_good(
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], angular-velocity: [0, 0, 60 rpm]}\n"
        "  c: {fixed: true}\n  d: {mass: 1, point: true}\n");
    (void)state;
    assert_int_equal(loading_body(&l, "a")->flags, BODY_GIVEN_V);
    assert_int_equal(loading_body(&l, "b")->flags, BODY_GIVEN_W);
    assert_true(fabs(loading_body(&l, "b")->w[2] - 2 * PI) < 1e-14);
    assert_int_equal(loading_body(&l, "c")->flags, BODY_FIXED);
    assert_int_equal(loading_body(&l, "d")->flags, BODY_POINT);
    loading_done(&l);
}

static void units_of_a_bushing_follow_its_rows(void **state)
{
    struct loading good = loading_text(
        ONE_BODY
        "forces:\n  b: {type: bushing, between: [ground, a], at: [0, 0, 0], stiffness: [1 kN/m, 1, 1, 2 N.m/rad, 2, 2], damping: [1 N.s/m, 1, 1, 1 N.m.s/rad, 1, 1]}\n");
    struct loading bad = loading_text(
        ONE_BODY
        "forces:\n  b: {type: bushing, between: [ground, a], at: [0, 0, 0], stiffness: [1 N.m, 1, 1, 2, 2, 2]}\n");
    (void)state;
    assert_int_equal(good.status, STATUS_OK);
    assert_int_equal(bad.status, STATUS_REFUSED);
    const double *k = model_pool(good.model) + loading_force(&good, "b")->pool_at + 24;
    assert_true(k[0] == 1000 && k[21] == 2 && k[1] == 0);
    loading_done(&good);
    loading_done(&bad);
}

static void all_errors_of_a_file_are_reported_up_to_a_hundred(void **state)
{
    char text[20000] = "bodies:\n";
    (void)state;
    for (int i = 0; i < 150; i++) {
        char line[100];
        snprintf(line, sizeof line, "  a%d: {mass: -1, inertia: [1, 1, 1]}\n", i);
        strcat(text, line);
    }
    struct loading l = loading_text(text);
    assert_int_equal(l.diags.n, DIAG_MAX);
    assert_int_equal(l.diags.n_errors, 150);
    assert_int_equal(l.diags.lost, 50);
    loading_done(&l);
}

/* Looking for the nearest name costs far more than the message: only those shown get it. */
static void ten_thousand_mistakes_are_answered_within_seconds(void **state)
{
    size_t size = 8 << 20, at = 0;
    char *text = malloc(size);
    (void)state;
    assert_non_null(text);
    at += (size_t)snprintf(text, size,
                           "repeat:\n  - count: 5000\n    bodies:\n"
                           "      a-long-name-{i}: {mass: 1, inertia: [1, 1, 1]}\njoints:\n");
    for (int i = 0; i < 50000; i++)
        at += (size_t)snprintf(
            text + at, size - at,
            "  j%d: {type: spherical, between: [ground, a-log-name-%d], at: [0, 0, 0]}\n", i, i);
    clock_t begin = clock();
    struct loading l = loading_text(text);
    assert_int_equal(l.diags.n_errors, 10000); /* then it stops reading */
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC <
                20); /* 0.1 s here, half a minute without */
    loading_done(&l);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_is_read_in_its_three_forms),
        cmocka_unit_test(solids_have_the_mass_and_inertia_of_textbooks),
        cmocka_unit_test(rotations_are_read_in_their_three_forms),
        cmocka_unit_test(joint_points_and_frames_are_kept_in_body_axes),
        cmocka_unit_test(frames_of_all_joints_are_right_handed),
        cmocka_unit_test(a_universal_joint_turns_about_axis_and_axis_b),
        cmocka_unit_test(the_length_of_a_distance_is_as_placed_unless_given),
        cmocka_unit_test(gears_and_racks_become_sums_of_coordinates),
        cmocka_unit_test(the_row_of_a_force_is_chosen_by_what_it_names),
        cmocka_unit_test(defaults_are_found_at_the_start_pose),
        cmocka_unit_test(commands_and_their_ranges_are_in_the_unit_of_the_actuator),
        cmocka_unit_test(ranges_of_expressions_come_out_right_in_any_unit),
        cmocka_unit_test(a_length_times_a_number_is_no_mass),
        cmocka_unit_test(sensors_number_their_channels_and_scale_to_their_unit),
        cmocka_unit_test(functions_of_time_are_exact_in_every_form),
        cmocka_unit_test(numbers_of_forces_follow_live_parameters_and_what_derives_from_them),
        cmocka_unit_test(motions_are_found_from_their_coordinate),
        cmocka_unit_test(settings_of_the_solver_have_their_defaults_and_values),
        cmocka_unit_test(given_velocities_are_marked_as_given),
        cmocka_unit_test(units_of_a_bushing_follow_its_rows),
        cmocka_unit_test(all_errors_of_a_file_are_reported_up_to_a_hundred),
        cmocka_unit_test(ten_thousand_mistakes_are_answered_within_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
