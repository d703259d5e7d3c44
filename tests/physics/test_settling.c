/* `settle`: static equilibrium of long chains, with velocities, with motions; and what
 * happens where there is none. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Turns about its axis and hangs in a spring along it: m g/k = 0.0981 m lower, and turning. */
static void given_velocities_are_kept(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\nsettle: true\n"
        "bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular-velocity: [0, 0, 5]}}\n"
        "joints: {c: {type: cylindrical, between: [ground, m], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces: {s: {type: joint-spring, joint: c, coordinate: position, stiffness: 100, damping: 1}}\n"
        "sensors: {z: {type: position, body: m}, w: {type: angular-velocity, body: m}}\n",
        &o);
    model_run_within("the place", model_run_see(&p, "z.z"), -0.0981 - 1e-9, -0.0981 + 1e-9);
    model_run_within("the spin", model_run_see(&p, "w.z"), 5 - 1e-12, 5 + 1e-12);
    model_run_until(&p, 0.5);
    model_run_within("the place later", model_run_see(&p, "z.z"), -0.0981 - 1e-9, -0.0981 + 1e-9);
    model_run_close(&p);
}

/* A driven carrier with a pendulum on it: the pendulum hangs, the carrier turns at its rate. */
static void motions_stand_while_it_settles_and_move_afterwards(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\nsettle: true\n"
        "bodies:\n"
        "  m: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "  p: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  c: {type: revolute, between: [ground, m], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [m, p], at: [1, 0, 0], axis: [0, 1, 0]}\n"
        "motions: {a: {joint: c, value: 0.3 + 2*t}}\n"
        "sensors:\n"
        "  c: {type: joint-speed, joint: c}\n  d: {type: joint-angle, joint: d, unit: deg}\n"
        "  q: {type: joint-angle, joint: c}\n",
        &o);
    model_run_within("the carrier's angle", model_run_see(&p, "q"), 0.3 - 1e-12, 0.3 + 1e-12);
    model_run_within("the carrier's rate", model_run_see(&p, "c"), 2 - 1e-12, 2 + 1e-12);
    model_run_within("the pendulum", model_run_see(&p, "d"), 90 - 1e-6, 90 + 1e-6);
    model_run_until(&p, 1);
    model_run_within("the balance", p.trial.figures.balance_max, 0, 1e-4);
    model_run_close(&p);
}

/* Links along half a circle, held at the first: they hang straight down from there. */
static void long_chains_hang_straight(void **state)
{
    static const char *const LINKS[] = {"n=20", "n=30", "n=50"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        o.load = (struct load_options){.sets = &LINKS[i], .n_sets = 1};
        model_run_open_text(
            &p,
            "gravity: [0, 0, -9.81]\nsettle: true\n"
            "parameters: {n: 30, r: 1, d: pi/n}\n"
            "repeat:\n"
            "  - to: n\n"
            "    bodies:\n"
            "      k{i}: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [-r*cos(i*d-d/2)*cos(d/2), 0, -r*sin(i*d-d/2)*cos(d/2)]}\n"
            "  - from: 2\n"
            "    to: n\n"
            "    joints:\n"
            "      j{i}: {type: revolute, between: ['k{i-1}', 'k{i}'], at: [-r*cos((i-1)*d), 0, -r*sin((i-1)*d)], axis: [0, 1, 0]}\n"
            "joints:\n"
            "  j1: {type: revolute, between: [ground, k1], at: [-r, 0, 0], axis: [0, 1, 0]}\n"
            "sensors: {top: {type: position, body: k1}, hinge: {type: reaction-force, joint: j1}}\n",
            &o);
        model_run_within("the first link", model_run_see(&p, "top.x"), -1 - 1e-7, -1 + 1e-7);
        double weight = 0.981 * atoi(LINKS[i] + 2);
        model_run_within("its load", fabs(model_run_see(&p, "hinge.y")), weight - 1e-5,
                         weight + 1e-5);
        model_run_close(&p);
    }
}

static void without_equilibrium_it_starts_in_the_pose_of_the_file(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\nsettle: true\n"
        "bodies: {stone: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 3], velocity: [0, 0, 1]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, stone], at: [0, 0, 3], axis: [0, 0, 1]}}\n"
        "sensors: {z: {type: position, body: stone}, v: {type: velocity, body: stone}}\n",
        &o);
    model_run_within("the place", model_run_see(&p, "z.z"), 3, 3);
    model_run_within("the speed", model_run_see(&p, "v.z"), 1 - 1e-12, 1 + 1e-12);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_velocities_are_kept),
        cmocka_unit_test(motions_stand_while_it_settles_and_move_afterwards),
        cmocka_unit_test(long_chains_hang_straight),
        cmocka_unit_test(without_equilibrium_it_starts_in_the_pose_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
