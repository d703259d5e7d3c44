/* A mirrored component moves as the mirror image: every joint type, each of its
 * coordinates, every element that acts on it, all three mirrors. Both are simulated side by
 * side and their bodies compared: x' = M x, R' = M R M. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/math/quat.h"

struct coordinate {
    const char *type, *keys, *name;
    int is_angle;
};

static const struct coordinate COORDINATE[] = {
    {"revolute", "axis: [1, 2, 3]", "angle", 1},
    {"prismatic", "axis: [1, 2, 3]", "position", 0},
    {"cylindrical", "axis: [1, 2, 3]", "position", 0},
    {"cylindrical", "axis: [1, 2, 3]", "angle", 1},
    {"screw", "axis: [1, 2, 3], pitch: 0.7", "position", 0},
    {"screw", "axis: [1, 2, 3], pitch: 0.7", "angle", 1},
    {"universal", "axis: [1, 2, 3], axis-b: [2, -1, 0]", "angle-1", 1},
    {"universal", "axis: [1, 2, 3], axis-b: [2, -1, 0]", "angle-2", 1},
    {"planar", "axis: [1, 2, 3]", "x", 0},
    {"planar", "axis: [1, 2, 3]", "y", 0},
    {"planar", "axis: [1, 2, 3]", "angle", 1},
    {"point-on-line", "axis: [1, 2, 3]", "position", 0},
    {"distance", "at-b: [0.5, 0.1, 0.2]", "distance", 0},
};

/* An element on joint j: a section and its text; %s is ", coordinate: NAME". */
struct element {
    const char *section, *angle, *length;
};

static const struct element ELEMENT[] = {
    {"forces", "e: {type: joint-torque, joint: j%s, value: 1 + 2*sin(9*t)}",
     "e: {type: joint-force, joint: j%s, value: 1 + 2*sin(9*t)}"},
    {"forces", "e: {type: torsion-spring, joint: j%s, stiffness: 5, damping: 0.1, angle: 0.7}",
     "e: {type: joint-spring, joint: j%s, stiffness: 50, damping: 0.1, position: 0.2}"},
    {"forces", "e: {type: friction, joint: j%s, viscous: 0.3, constant: 0.2}",
     "e: {type: friction, joint: j%s, viscous: 0.3, constant: 0.2}"},
    {"forces",
     "e: {type: stop, joint: j%s, lower: 0.002, upper: 0.02, stiffness: 300, damping: 0.1}",
     "e: {type: stop, joint: j%s, lower: 0.002, upper: 0.02, stiffness: 300, damping: 0.1}"},
    {"forces",
     "e: {type: servo, joint: j%s, stiffness: 50, damping: 2, target: 0.3*sin(5*t), limit: 3}",
     "e: {type: servo, joint: j%s, stiffness: 50, damping: 2, target: 0.3*sin(5*t), limit: 3}"},
    {"forces",
     "e: {type: motor, joint: j%s, resistance: 2, inductance: 0.01, constant: 0.5, voltage: 12}",
     "e: {type: motor, joint: j%s, resistance: 2, inductance: 0.01, constant: 0.5, voltage: 12}"},
    {"forces", "e: {type: starter, joint: j%s, torque: 2, then: 1, speed: 0.5, angle: 0.2}", NULL},
    {"actuators", "e: {type: torque, joint: j%s, range: [-9, 9], start: 2}",
     "e: {type: force, joint: j%s, range: [-9, 9], start: 2}"},
    {"actuators",
     "e: {type: position, joint: j%s, stiffness: 30, damping: 1, range: [-9, 9], start: 0.4}",
     "e: {type: position, joint: j%s, stiffness: 30, damping: 1, range: [-9, 9], start: 0.4}"},
    {"actuators", "e: {type: speed, joint: j%s, damping: 3, range: [-9, 9], start: 2}",
     "e: {type: speed, joint: j%s, damping: 3, range: [-9, 9], start: 2}"},
    {"actuators",
     "e: {type: voltage, joint: j%s, resistance: 2, constant: 0.5, range: [-24, 24], start: 12}",
     "e: {type: voltage, joint: j%s, resistance: 2, constant: 0.5, range: [-24, 24], start: 12}"},
    {"motions", "e: {joint: j%s, value: 0.4*sin(6*t)}", "e: {joint: j%s, value: 0.4*sin(6*t)}"},
    {"joints", "e: {type: gear, joints: [j, k], coordinates: [NAME, angle], ratios: [1, -2]}",
     "e: {type: rack, joints: [k, j], coordinates: [angle, NAME], radius: 0.3}"},
};
enum {
    N_COORDINATES = sizeof COORDINATE / sizeof COORDINATE[0],
    N_ELEMENTS = sizeof ELEMENT / sizeof ELEMENT[0]
};

static const char BODIES[] =
    "bodies:\n"
    "  a: {mass: 1.3, inertia: [0.2, 0.3, 0.25, 0.02, 0.03, -0.01], position: [0.3, 0.4, 0.5], rotation: {axis: [1, -2, 1], angle: 0.4}}\n"
    "  w: {mass: 1, inertia: [0.1, 0.12, 0.13], position: [2, 0.3, 0]}\n"
    "forces:\n"
    "  kick: {type: force, body: a, at: [0.5, 0.5, 0.5], value: [0.4*sin(7*t), 1, 0.5]}\n";

static void write_part(const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/part.yaml", getenv("TEST_DIR"));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void compare(const struct model_run *p, int axis, const char *what)
{
    const struct mechanism *me = &p->trial.mechanism;
    for (int b = 0; b < 2; b++) {
        int k = me->plan->kin_of_body[b], i = me->plan->kin_of_body[b + 2];
        vec3 x = me->ws.x[k], y = me->ws.x[i];
        struct mat3 R = quat_matrix(me->ws.q[k]), Q = quat_matrix(me->ws.q[i]);
        double off = 0;
        for (int r = 0; r < 3; r++) {
            off = fmax(off, fabs((r == axis ? -x[r] : x[r]) - y[r]));
            for (int c = 0; c < 3; c++)
                off = fmax(off,
                           fabs(((r == axis) != (c == axis) ? -1 : 1) * R.c[c][r] - Q.c[c][r]));
        }
        if (!(off < 1e-8)) fail_msg("%s: body %d of the image is off by %g", what, b, off);
    }
}

/* Simulate a part and its image. Returns 0 where it does not load. */
static int run(const char *part, int axis, const char *what)
{
    char text[1000], path[300];
    static const char AXIS[] = "xyz";
    struct trial_options o = model_run_options(1e-3);
    struct model_run p;
    write_part(part);
    snprintf(path, sizeof path, "%s/part.yaml", getenv("TEST_DIR"));
    snprintf(text, sizeof text,
             "gravity: [%d, %d, %d]\nintegrator: {iterations: 12, tolerance: 1e-13}\n"
             "use:\n  plain: {file: %s}\n  image: {file: %s, mirror: %c}\n",
             axis == 0 ? 0 : 2, axis == 1 ? 0 : 3, axis == 2 ? 0 : -9, path, path, AXIS[axis]);
    model_run_open_text(&p, text, &o);
    compare(&p, axis, what);
    vec3 start = p.trial.mechanism.ws.x[p.trial.mechanism.plan->kin_of_body[0]];
    model_run_until(&p, 0.12);
    compare(&p, axis, what);
    vec3 moved = p.trial.mechanism.ws.x[p.trial.mechanism.plan->kin_of_body[0]] - start;
    model_run_close(&p);
    return vec_norm(moved) > 1e-9;
}

static void put_element(char *to, size_t size, const char *format, const char *name)
{
    char with[40], *at;
    snprintf(with, sizeof with, ", coordinate: %s", name);
    at = strstr(format, "%s");
    if (at) {
        snprintf(to, size, "%.*s%s%s", (int)(at - format), format, with, at + 2);
        return;
    }
    at = strstr(format, "NAME");
    snprintf(to, size, "%.*s%s%s", (int)(at - format), format, name, at + 4);
}

static void every_element_on_every_coordinate_moves_as_its_image(void **state)
{
    int moving = 0, all = 0;
    (void)state;
    for (int c = 0; c < N_COORDINATES; c++)
        for (int e = 0; e < N_ELEMENTS; e++)
            for (int axis = 0; axis < 3; axis++) {
                const struct coordinate *q = &COORDINATE[c];
                const struct element *el = &ELEMENT[e];
                const char *format = q->is_angle ? el->angle : el->length;
                char part[3000], line[300], what[400];
                int in_joints = strcmp(el->section, "joints") == 0;
                int in_forces = strcmp(el->section, "forces") == 0;
                int held = !strcmp(q->type, "distance") &&
                           (in_joints || !strcmp(el->section, "motions"));
                if (!format || held) continue;
                put_element(line, sizeof line, format, q->name);
                snprintf(
                    part, sizeof part,
                    "%s%s%s%s"
                    "joints:\n"
                    "  j: {type: %s, between: [ground, a], at: [0.2, 0.1, 0.3], %s}\n"
                    "  k: {type: revolute, between: [ground, w], at: [2, 0, 0], axis: [3, 1, -2]}\n"
                    "%s%s%s%s%s%s%s",
                    BODIES, in_forces ? "  " : "", in_forces ? line : "", in_forces ? "\n" : "",
                    q->type, q->keys, in_joints ? "  " : "", in_joints ? line : "",
                    in_joints ? "\n" : "", in_joints || in_forces ? "" : el->section,
                    in_joints || in_forces ? "" : ":\n  ", in_joints || in_forces ? "" : line,
                    in_joints || in_forces ? "" : "\n");
                snprintf(what, sizeof what, "%s %s, mirror %c: %s", q->type, q->name, "xyz"[axis],
                         line);
                all++;
                moving += run(part, axis, what);
            }
    if (moving < all * 9 / 10) fail_msg("only %d of %d moved", moving, all);
}

/* `start` shows other numbers, elements act by them. */
static void start_values_count_alike(void **state)
{
    static const char *const JOINT[] = {
        "{type: cylindrical, between: [ground, a], at: [0.2, 0.1, 0.3], axis: [1, 2, 3], start: [0.3, 0.9]}",
        "{type: screw, between: [ground, a], at: [0.2, 0.1, 0.3], axis: [1, 2, 3], pitch: 0.7, start: [0.3, 0.9]}",
        "{type: cylindrical, between: [a, ground], at: [0.2, 0.1, 0.3], axis: [1, 2, 3], start: [0.3, 4]}",
    };
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            char part[3000];
            snprintf(
                part, sizeof part,
                "%s"
                "  k: {type: torsion-spring, joint: j, coordinate: angle, stiffness: 5, angle: 0.2}\n"
                "  w: {type: torsion-spring, joint: k, stiffness: 5}\n"
                "joints:\n  j: %s\n"
                "  k: {type: revolute, between: [ground, w], at: [2, 0, 0], axis: [3, 1, -2]}\n",
                BODIES, JOINT[i]);
            run(part, axis, JOINT[i]);
        }
}

static void every_element_on_a_body_moves_as_its_image(void **state)
{
    static const char *const LINE[] = {
        "e: {type: torque, body: a, value: [1, 2, 3*sin(5*t)]}",
        "e: {type: torque, body: a, value: [1, 2, 3], frame: body}",
        "e: {type: force, body: a, at: [0, 0, 0], value: [1, 2, 3], frame: body}",
        "e: {type: bushing, between: [w, a], at: [1, 0.2, 0.3], stiffness: [10, 20, 30, 4, 5, 6], damping: [1, 2, 3, 0.1, 0.2, 0.3]}",
        "e: {type: spring-damper, between: [w, a], from: [1, 0.2, 0.3], to: [0.4, 0.4, 0.4], stiffness: 30, length: 0.2}",
        "e: {type: ground-spring, body: a, at: [0, 0, 0.1], stiffness: [10, 20, 30], offset: [0.1, 0.2*sin(3*t), 0.3]}",
        "e: {type: sphere-contact, body: a, radius: 0.53, stiffness: 2000, damping: 1, friction: 0.5}",
        "e: {type: wheel-contact, body: a, axle: [0.2, 1, 0.3], radius: 0.56, stiffness: 2000, damping: 1, friction: 0.5}",
        "e: {type: tyre, body: a, axle: [0.2, 1, 0.1], radius: 0.53, stiffness: 20000, damping: 1, trail: 0.02}",
    };
    static const char *const COMMAND[] = {
        "e: {type: torque, body: a, direction: [1, 2, 3], range: [-9, 9], start: 3}",
        "e: {type: force, body: a, at: [0.5, 0, 0], direction: [1, 2, 3], range: [-9, 9], start: 3}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof LINE / sizeof LINE[0] + 2; i++)
        for (int axis = 0; axis < (i >= 6 && i < 9 ? 2 : 3); axis++) {
            char part[3000];
            int command = i >= sizeof LINE / sizeof LINE[0];
            const char *line = command ? COMMAND[i - sizeof LINE / sizeof LINE[0]] : LINE[i];
            snprintf(part, sizeof part, "%s%s  %s\n", BODIES, command ? "actuators:\n" : "", line);
            run(part, axis, line);
        }
}

/* A switch on an angle locks at the same moment. */
static void switches_act_alike(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        char part[3000];
        snprintf(
            part, sizeof part,
            "%s"
            "  e: {type: joint-torque, joint: j, coordinate: angle, value: 5}\n"
            "joints:\n"
            "  j: {type: cylindrical, between: [ground, a], at: [0.2, 0.1, 0.3], axis: [1, 2, 3]}\n"
            "  k: {type: revolute, between: [ground, w], at: [2, 0, 0], axis: [3, 1, -2]}\n"
            "  lock: {type: fixed, between: [ground, a], at: [0, 0, 0], switchable: true, released: true}\n"
            "sensors: {q: {type: joint-angle, joint: j}}\n"
            "switches: {s: {sensor: q, crosses: 0.04, lock: [lock]}}\n",
            BODIES);
        run(part, axis, "switch");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_on_every_coordinate_moves_as_its_image),
        cmocka_unit_test(start_values_count_alike),
        cmocka_unit_test(every_element_on_a_body_moves_as_its_image),
        cmocka_unit_test(switches_act_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
