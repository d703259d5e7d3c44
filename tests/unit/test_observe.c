/* Sensors against motions known in closed form: a top spun about a principal axis and thrown,
 * a swinging arm, springs. The body moves on a parabola and turns steadily, which the rule
 * meets to rounding; what is left is Newton's tolerance. */
#include "tests/physics/model_run.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/mech/sensor.h"

static const char THROWN[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 2, inertia: [0.2, 0.2, 0.3], position: [1, 2, 3], velocity: [0.5, -1, 4], angular-velocity: [0, 0, 6]}\n"
    "  other: {mass: 1, inertia: [1, 1, 1], position: [5, 0, 0], velocity: [0, 0, 0]}\n"
    "sensors:\n"
    "  centre: {type: position, body: top}\n"
    "  rim: {type: position, body: top, at: [1.5, 2, 3]}\n"
    "  rim-mm: {type: position, body: top, at: [1.5, 2, 3], unit: mm}\n"
    "  rim-v: {type: velocity, body: top, at: [1.5, 2, 3]}\n"
    "  own: {type: body-velocity, body: top, at: [1.5, 2, 3]}\n"
    "  arm: {type: offset, body: top, from: [1, 2, 3], to: [1.5, 2, 3]}\n"
    "  rim-a: {type: acceleration, body: top, at: [1.5, 2, 3]}\n"
    "  felt: {type: accelerometer, body: top, at: [1.5, 2, 3]}\n"
    "  spin: {type: angular-velocity, body: top}\n"
    "  gyro: {type: gyro, body: top}\n"
    "  attitude: {type: attitude, body: top}\n"
    "  apart: {type: distance, between: [top, other], from: [1.5, 2, 3], to: [5, 0, 0]}\n"
    "  energy: {type: energy}\n"
    "  kinetic: {type: energy, of: kinetic}\n"
    "  potential: {type: energy, of: potential}\n";

static void near_to(struct model_run *p, const char *name, double wanted)
{
    model_run_within(name, model_run_see(p, name), wanted - 1e-8, wanted + 1e-8);
}

static void sensors_on_a_thrown_top_read_its_motion(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_exactly(1e-3);
    model_run_open_text(&p, THROWN, &o);
    for (double t = 0; t < 1; t += 0.1) {
        model_run_until(&p, t);
        double c = cos(6 * t), s = sin(6 * t), x = 1 + 0.5 * t, y = 2 - t,
               z = 3 + 4 * t - 4.905 * t * t;
        near_to(&p, "centre.x", x), near_to(&p, "centre.y", y), near_to(&p, "centre.z", z);
        /* turning by trapezoidal steps is exact for a steady spin */
        near_to(&p, "rim.x", x + 0.5 * c), near_to(&p, "rim.y", y + 0.5 * s);
        model_run_within("rim in mm", model_run_see(&p, "rim-mm.x") - 1000 * (x + 0.5 * c), -1e-5,
                         1e-5);
        near_to(&p, "rim-v.x", 0.5 - 3 * s), near_to(&p, "rim-v.y", -1 + 3 * c),
            near_to(&p, "rim-v.z", 4 - 9.81 * t);
        near_to(&p, "own.x", 0.5 * c - s), near_to(&p, "own.y", 3 - 0.5 * s - c),
            near_to(&p, "own.z", 4 - 9.81 * t);
        near_to(&p, "arm.x", 0.5 * c), near_to(&p, "arm.y", 0.5 * s), near_to(&p, "arm.z", 0);
        near_to(&p, "rim-a.x", -18 * c), near_to(&p, "rim-a.y", -18 * s),
            near_to(&p, "rim-a.z", -9.81);
        near_to(&p, "felt.x", -18), near_to(&p, "felt.y", 0), near_to(&p, "felt.z", 0);
        near_to(&p, "spin.z", 6), near_to(&p, "gyro.z", 6);
        near_to(&p, "attitude.w", cos(3 * t)), near_to(&p, "attitude.z", sin(3 * t));
        double dx = 5 - x - 0.5 * c, dy = -y - 0.5 * s, dz = -4.905 * t * t - z;
        near_to(&p, "apart", sqrt(dx * dx + dy * dy + dz * dz));
        double v = 4 - 9.81 * t, fall = 9.81 * t;
        near_to(&p, "kinetic", 0.5 * 2 * (0.25 + 1 + v * v) + 0.5 * 0.3 * 36 + 0.5 * fall * fall);
        near_to(&p, "potential", 2 * 9.81 * z - 9.81 * 4.905 * t * t);
        near_to(&p, "energy", model_run_see(&p, "kinetic") + model_run_see(&p, "potential"));
    }
    model_run_close(&p);
}

/* An arm driven at 2 rad/s about y carries a weight on a spring slide along its length. */
static void sensors_on_joints_and_forces_read_theirs(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
        "  ball: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  hub: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  neck: {type: spherical, between: [arm, ball], at: [1, 0, 0]}\n"
        "motions: {turn: {joint: hub, value: 2*t}}\n"
        "forces: {twist: {type: torsion-spring, joint: hub, stiffness: 5, damping: 1},\n"
        "         line: {type: spring-damper, between: [ground, ball], from: [1, 0, 2], to: [1, 0, 0], stiffness: 10, length: 1}}\n"
        "sensors:\n"
        "  angle: {type: joint-angle, joint: hub, unit: deg}\n"
        "  rate: {type: joint-speed, joint: hub, unit: rpm}\n"
        "  second: {type: joint-acceleration, joint: hub}\n"
        "  pull: {type: reaction-force, joint: neck}\n"
        "  turned: {type: rotation-vector, joint: neck}\n"
        "  twist: {type: force, force: twist}\n"
        "  line: {type: force, force: line}\n"
        "  length: {type: distance, between: [ground, ball], from: [1, 0, 2], to: [1, 0, 0]}\n"
        "  error: {type: constraint-error}\n",
        &o);
    model_run_until(&p, 2.5);
    model_run_within("the angle", model_run_see(&p, "angle"), 5 * 180 / M_PI - 1e-6,
                     5 * 180 / M_PI + 1e-6);
    model_run_within("the rate", model_run_see(&p, "rate"), 60 / M_PI - 1e-6, 60 / M_PI + 1e-6);
    model_run_within("the second rate", model_run_see(&p, "second"), -1e-6, 1e-6);
    model_run_within("the torsion spring", model_run_see(&p, "twist"), -27 - 1e-6, -27 + 1e-6);
    double length = model_run_see(&p, "length"), wanted = 10 * (length - 1);
    model_run_within("the length", length, hypot(2, hypot(cos(5) - 1, sin(5))) - 1e-8,
                     hypot(2, hypot(cos(5) - 1, sin(5))) + 1e-8);
    model_run_within("the spring", model_run_see(&p, "line"), wanted - 1e-9, wanted + 1e-9);
    model_run_within("the constraint error", model_run_see(&p, "error"), 0, 1e-10);
    /* the neck pulls the ball inward with m w² r less what the spring does; axes of the arm */
    double ex = (1 - cos(5)) / length, ey = -sin(5) / length, ez = 2 / length;
    double fx = -12 * cos(5) - wanted * ex, fy = -12 * sin(5) - wanted * ey, fz = -wanted * ez;
    model_run_within("the pull along the arm",
                     model_run_see(&p, "pull.x") - (fx * cos(5) + fy * sin(5)), -1e-4, 1e-4);
    model_run_within("the pull across", model_run_see(&p, "pull.y") - (-fx * sin(5) + fy * cos(5)),
                     -1e-4, 1e-4);
    model_run_within("the pull upward", model_run_see(&p, "pull.z") - fz, -1e-4, 1e-4);
    /* the ball keeps its attitude, so it has turned back by 5 rad: 1.283 the other way */
    model_run_within("the rotation seen from the arm", model_run_see(&p, "turned.z"),
                     2 * M_PI - 5 - 1e-6, 2 * M_PI - 5 + 1e-6);
    model_run_close(&p);
}

static void every_sensor_type_is_tried(void **state)
{
    (void)state;
    /* those of the two models above, and the joint's own below */
    static const char *const TRIED[] = {
        "joint-angle",      "joint-position", "joint-speed",      "joint-acceleration",
        "rotation-vector",  "position",       "attitude",         "velocity",
        "acceleration",     "accelerometer",  "angular-velocity", "gyro",
        "distance",         "reaction-force", "reaction-torque",  "force",
        "constraint-error", "energy",         "body-velocity",    "offset"};
    assert_int_equal(SENSOR_TYPE_COUNT, sizeof TRIED / sizeof TRIED[0]);
    for (int i = 0; i < SENSOR_TYPE_COUNT; i++) assert_true(sensor_find(TRIED[i]) >= 0);
}

/* A lift at 1 m/s2 on a rail beside its mass centre: force m (g + a), torque by the lever. */
static void a_rail_feels_force_and_torque_of_its_load(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        char text[1024];
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\n"
            "bodies: {cage: {mass: 4, inertia: [1, 1, 1], position: [0.6, 0, 0]}}\n"
            "joints: {rail: {type: prismatic, between: [ground, cage], at: [0, 0, 0], axis: [0, 0, 1]%s}}\n"
            "motions: {lift: {joint: rail, value: t^2/2}}\n"
            "sensors:\n"
            "  height: {type: joint-position, joint: rail}\n"
            "  force: {type: reaction-force, joint: rail}\n"
            "  torque: {type: reaction-torque, joint: rail}\n",
            cut ? ", switchable: true" : "");
        model_run_open_text(&p, text, &o);
        model_run_until(&p, 1.5);
        model_run_within("the height", model_run_see(&p, "height"), 1.125 - 1e-9, 1.125 + 1e-9);
        model_run_within("the force", model_run_see(&p, "force.z"), 4 * 10.81 - 1e-5,
                         4 * 10.81 + 1e-5);
        /* about the rail's y: the weight at 0.6 m turns the cage about +y, the rail holds against */
        model_run_within("the torque", model_run_see(&p, "torque.y"), -0.6 * 4 * 10.81 - 1e-5,
                         -0.6 * 4 * 10.81 + 1e-5);
        model_run_close(&p);
    }
}

/* What the plan says the sensors need is all they need: on every model that is shipped they
 * read the same, bit by bit, as where everything is evaluated. What nobody asked for before is
 * spoiled first, so that a sensor which reads it is found. */
static void sensors_read_what_the_plan_says_they_need(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("config/models/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        model_run_open(&p, found.gl_pathv[i], &o);
        model_run_until(&p, 0.02);
        const struct model *m = p.trial.model;
        const struct plan *plan = p.trial.mechanism.plan;
        struct workspace *ws = &p.trial.mechanism.ws;
        double *asked = calloc((size_t)m->n_channels + 1, sizeof *asked);
        observe_sensors(&p.trial.seen, p.channel);
        memset(ws->out, 0xff, sizeof *ws->out * (size_t)plan->n_forces);
        memset(ws->w, 0xff, sizeof *ws->w * (size_t)plan->n_rows);
        memset(ws->coord, 0xff, sizeof *ws->coord * (size_t)plan->n_watched);
        observe_state(m, plan, ws, plan->asked, &p.trial.seen);
        observe_sensors(&p.trial.seen, asked);
        for (uint32_t s = 0; s < m->sensors.n; s++) {
            const struct model_sensor *sensor = &model_sensors(m)[s];
            if (memcmp(asked + sensor->channel_at, p.channel + sensor->channel_at,
                       sizeof *asked * sensor->n_channels) != 0)
                fail_msg("%s: sensor %s needs more than the plan says", found.gl_pathv[i],
                         model_text(m, sensor->name));
        }
        free(asked);
        model_run_close(&p);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_on_a_thrown_top_read_its_motion),
        cmocka_unit_test(sensors_on_joints_and_forces_read_theirs),
        cmocka_unit_test(every_sensor_type_is_tried),
        cmocka_unit_test(sensors_read_what_the_plan_says_they_need),
        cmocka_unit_test(a_rail_feels_force_and_torque_of_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
