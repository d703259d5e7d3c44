/* What a joint that is locked or released takes with it, and what a lock may not do. Expected
 * values by hand: constant speeds and accelerations, which the rule meets to rounding, unless a
 * line says otherwise. */
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

/* A body at a speed meets a level that its place reaches exactly at a step's end (2^-2 m, and
 * 8 m/s: 2^-1 m), upwards and downwards: the lock holds it there, not a step before. */
static void a_level_met_at_a_steps_end_acts_there(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        double v = i % 2 ? 8 : 1, level = i % 2 ? 0.5 : 0.25, sign = i < 2 ? 1 : -1;
        char text[1000];
        struct model_run p;
        snprintf(
            text, sizeof text,
            "bodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [%g, 0, 0]}}\n"
            "joints:\n"
            "  g: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
            "  k: {type: fixed, between: [ground, b], at: [0, 0, 0], released: true, switchable: true}\n"
            "sensors: {p: {type: position, body: b}}\n"
            "switches: {on: {sensor: p.x, crosses: %g, lock: [k]}}\n",
            sign * v, sign * level);
        open_text(&p, text);
        model_run_until(&p, 1);
        assert_int_equal(p.trial.figures.switched, 1);
        close_to("where it is held", model_run_see(&p, "p.x"), sign * level, 1e-12);
        close_to("the time", p.trial.switched[0].t, level / v, 1e-12);
        model_run_close(&p);
    }
}

/* Angular momentum of the whole about the origin. */
static vec3 momentum(const struct model_run *p)
{
    const struct plan *plan = p->trial.mechanism.plan;
    const struct workspace *ws = &p->trial.mechanism.ws;
    vec3 L = vec_zero();
    for (int k = 0; k < plan->n; k++) {
        struct mat3 R = quat_matrix(ws->q[k]);
        vec3 w = mat3_mul(&plan->body[k].J, mat3_tmul(&R, ws->v[k].a));
        L += mat3_mul(&R, w) + vec_cross(ws->x[k], ws->v[k].l * vec_splat(plan->body[k].m));
    }
    return L;
}

/* Two tumbling bodies are joined where their axes do not agree: the joint holds at once, nothing
 * jumps, the momentum stays. (Order 2 at 1 ms: 1e-7 of the angular momentum.) */
static void joints_locked_askew_hold_at_once(void **state)
{
    (void)state;
    static const char *const TYPE[] = {"screw, pitch: 1", "cylindrical", "planar"};
    for (int i = 0; i < 3; i++) {
        char text[1500];
        struct model_run p;
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  a: {mass: 1, inertia: [0.1, 0.2, 0.15], velocity: [1, 0.2, 0.1], angular-velocity: [1, 2, 3]}\n"
            "  b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.2, 0.1], velocity: [-0.3, 0.1, 0.2], angular-velocity: [0.5, -2, 1]}\n"
            "joints:\n"
            "  k: {type: %s, between: [a, b], at: [0.5, 0, 0], axis: [0, 0, 1], switchable: true, released: true}\n"
            "sensors:\n"
            "  p: {type: position, body: a}\n"
            "  angle: {type: joint-angle, joint: k, coordinate: angle}\n"
            "  e: {type: constraint-error}\n"
            "switches: {on: {sensor: p.x, crosses: 0.1, lock: [k]}}\n",
            TYPE[i]);
        open_text(&p, text);
        vec3 before = momentum(&p);
        model_run_until(&p, 0.099);
        double angle = model_run_see(&p, "angle");
        model_run_until(&p, 0.101);
        assert_int_equal(p.trial.figures.switched, 1);
        close_to("the angle goes on", model_run_see(&p, "angle"), angle, 0.02);
        model_run_within("it holds", model_run_see(&p, "e"), 0, 1e-9);
        model_run_until(&p, 1);
        model_run_within("and goes on holding", model_run_see(&p, "e"), 0, 1e-9);
        model_run_within("momentum", vec_norm(momentum(&p) - before) / vec_norm(before), 0, 1e-6);
        model_run_within("the balance, J", p.trial.figures.balance_max, 0, 1e-5);
        model_run_close(&p);
    }
}

/* A hinge with motion, spring and torque is released while it turns: it flies on at the speed it
 * has, nothing acts on it any more; the spring's 1/2 k q² goes with the joint and is told. */
static const char DRIVEN[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], switchable: true}\n"
    "%s"
    "sensors:\n"
    "  q: {type: joint-angle, joint: h}\n"
    "  w: {type: angular-velocity, body: a}\n"
    "  v: {type: velocity, body: a}\n"
    "  f: {type: force, force: f}\n"
    "switches:\n"
    "  go: {sensor: q, crosses: 0.2505, going: up, release: [h]}\n";

static void a_released_joint_takes_its_motion_and_forces_along(void **state)
{
    (void)state;
    static const char *const WITH[] = {
        "motions: {m: {joint: h, value: t}}\n"
        "forces: {f: {type: torsion-spring, joint: h, stiffness: 100 N.m/rad}}\n",
        "motions: {m: {joint: h, value: t^2}}\nforces: {f: {type: joint-torque, joint: h, value: 7}}\n",
        "motions: {m: {joint: h, value: t}}\n"
        "forces: {f: {type: motor, joint: h, resistance: 2, inductance: 0.1, constant: 0.5, voltage: 12}}\n"};
    for (int i = 0; i < 3; i++) {
        char text[2000];
        struct model_run p;
        snprintf(text, sizeof text, DRIVEN, WITH[i]);
        open_text(&p, text);
        model_run_until(&p, 0.6);
        assert_int_equal(p.trial.figures.switched, 1);
        double w = model_run_see(&p, "w.z"),
               v = hypot(model_run_see(&p, "v.x"), model_run_see(&p, "v.y"));
        close_to("it turns as when it was let go", w, i == 1 ? 2 * sqrt(0.2505) : 1, 1e-9);
        close_to("and flies", v, w / 2, 1e-9);
        close_to("no force any more", model_run_see(&p, "f"), 0, 0);
        if (i < 2) close_to("what went", p.trial.figures.lost, i ? 0 : 50 * 0.2505 * 0.2505, 1e-9);
        model_run_within("the balance, J", p.trial.figures.balance_max, 0, 1e-3); /* R i², by h² */
        model_run_until(&p, 1.6);
        assert_true(model_run_see(&p, "w.z") == w);
        model_run_close(&p);
    }
}

/* Two wheels in mesh; one's hinge is released, and the other, driven, turns on without it. Locked
 * again after a while they mesh where they stand, without a jump of place. */
static void gears_rest_with_a_released_joint_and_mesh_again(void **state)
{
    (void)state;
    struct model_run p;
    open_text(
        &p,
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  ja: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  jb: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1], switchable: true}\n"
        "  g: {type: gear, joints: [ja, jb], ratios: [1, 2]}\n"
        "motions: {m: {joint: ja, value: 4*t + t^2}}\n"
        "sensors:\n"
        "  qa: {type: joint-angle, joint: ja}\n"
        "  qb: {type: joint-angle, joint: jb}\n"
        "  wb: {type: angular-velocity, body: b}\n"
        "  e: {type: constraint-error}\n"
        "switches:\n"
        "  off: {sensor: qa, crosses: 0.5, release: [jb]}\n"
        "  on: {sensor: qa, crosses: 2, lock: [jb]}\n");
    model_run_until(&p, 0.12);
    double w = model_run_see(&p, "wb.z"), q = model_run_see(&p, "qb");
    assert_int_equal(p.trial.figures.switched, 0);
    model_run_until(&p, 0.3);
    assert_int_equal(p.trial.figures.switched, 1);
    close_to("b turns on as it was", model_run_see(&p, "wb.z"), w, 0.01);
    model_run_until(&p, 0.46);
    assert_int_equal(p.trial.figures.switched, 2);
    close_to("b turns with a again", model_run_see(&p, "wb.z"), -(4 + 2 * 0.46) / 2, 1e-9);
    close_to("from where it was", model_run_see(&p, "qb"), q + w * 0.34, 0.05);
    model_run_until(&p, 2);
    model_run_within("the mesh holds", model_run_see(&p, "e"), 0, 1e-9);
    model_run_close(&p);
}

/* A lock against a motion is refused: nothing changes, and the run says which joint. */
static const char AGAINST[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  h: {type: %s, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"
    "  k: {type: fixed, between: [ground, a], at: [1, 0, 0], switchable: true, released: true}\n"
    "motions: {m: {joint: h, value: %s}}\n"
    "sensors: {q: {type: %s, joint: h}, e: {type: constraint-error}}\n"
    "switches: {s: {sensor: q, crosses: 0.2503, lock: [k]}}\n";

static void a_lock_against_a_motion_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1000];
        struct model_run p;
        snprintf(text, sizeof text, AGAINST, i == 1 ? "prismatic" : "revolute",
                 i == 2 ? ", switchable: true" : "", "t",
                 i == 1 ? "joint-position" : "joint-angle");
        open_text(&p, text);
        model_run_until(&p, 1);
        assert_int_equal(p.trial.figures.switched, 1);
        assert_int_equal(p.trial.figures.opposed, 1);
        assert_int_equal(p.trial.switched[0].opposed, 1);
        close_to("the motion goes on", model_run_see(&p, "q"), 1, 1e-9);
        model_run_within("nothing is open", p.trial.figures.error_max[0], 0, 1e-9);
        close_to("the balance", p.trial.figures.balance_max, 0, 1e-9);
        model_run_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_met_at_a_steps_end_acts_there),
        cmocka_unit_test(joints_locked_askew_hold_at_once),
        cmocka_unit_test(a_released_joint_takes_its_motion_and_forces_along),
        cmocka_unit_test(gears_rest_with_a_released_joint_and_mesh_again),
        cmocka_unit_test(a_lock_against_a_motion_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
