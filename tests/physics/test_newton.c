/* When Newton stops: what it leaves undone is small against the error of the rule itself, at
 * every step and size of mechanism, and it does not iterate for what is rounding.
 *
 * The rule solved to the end (tolerance far below rounding, 20 iterations) is the measure: the
 * error at the default is within a tenth of its error. The wing nut amplifies what is left, by
 * about 1e4 over its 20 s, and so shows it. */
#include "tests/physics/model_run.h"
#include "tests/physics/refdata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct trial_options to_the_end(double h)
{
    struct trial_options o = model_run_options(h);
    o.tolerance = 1e-24;
    o.iterations = 20;
    return o;
}

/* Largest error of the wing nut's attitude over 20 s. */
static double tumbling_error(const struct trial_options *o)
{
    static const char *const NAME[4] = {"attitude.w", "attitude.x", "attitude.y", "attitude.z"};
    static const char *const WANTED[4] = {"e0", "e1", "e2", "e3"};
    static struct refdata d;
    struct model_run p;
    double largest = 0;
    refdata_read(&d, "free_body");
    model_run_open(&p, "config/models/free-body.yaml", o);
    for (int row = 0; row < d.n_rows; row++) {
        double q[4], r[4], sense = 0, e = 0;
        model_run_until(&p, refdata_at(&d, row, "t"));
        for (int i = 0; i < 4; i++) {
            q[i] = model_run_see(&p, NAME[i]);
            r[i] = refdata_at(&d, row, WANTED[i]);
            sense += q[i] * r[i];
        }
        for (int i = 0; i < 4; i++) e += pow(q[i] * copysign(1, sense) - r[i], 2);
        largest = fmax(largest, sqrt(e));
    }
    model_run_close(&p);
    return largest;
}

static void the_wing_nut_tumbles_with_order_2_at_every_step(void **state)
{
    static const double STEP[] = {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4};
    double before = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct trial_options o = model_run_options(STEP[i]), end = to_the_end(STEP[i]);
        double error = tumbling_error(&o);
        char what[64];
        snprintf(what, sizeof what, "error over that of the rule at %g ms", STEP[i] * 1e3);
        model_run_within(what, error / tumbling_error(&end), 0.9, 1.1);
        if (i) model_run_within("the order", model_run_order(before, error), 1.9, 2.1);
        before = error;
    }
}

/* Crank of a four-bar of the given size and turning speed after a turn and a half. */
static double crank_after(double size, double turning, const struct trial_options *options)
{
    static const char TEXT[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {l: 1 m, w: 1 rad/s, k: 1 kg}\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [k*l^2/1000, k*l^2/75, k*l^2/75], position: [0.2*l, 0, 0], angular-velocity: [0, 0, w]}\n"
        "  coupler: {mass: 2, inertia: [k*l^2/1000, k*l^2/12, k*l^2/12], position: [0.7*l, 0.4*l, 0]}\n"
        "  rocker: {mass: 2, inertia: [k*l^2/20, k*l^2/1000, k*l^2/20], position: [l, 0.4*l, 0]}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  elbow: {type: revolute, between: [crank, coupler], at: [0.4*l, 0, 0], axis: [0, 0, 1]}\n"
        "  knee: {type: revolute, between: [coupler, rocker], at: [l, 0.8*l, 0], axis: [0, 0, 1]}\n"
        "  swing: {type: revolute, between: [ground, rocker], at: [l, 0, 0], axis: [0, 0, 1]}\n"
        "sensors:\n"
        "  angle: {type: joint-angle, joint: pivot}\n";
    struct model_run p;
    struct trial_options o = *options;
    char set[2][48];
    const char *sets[2] = {set[0], set[1]};
    snprintf(set[0], sizeof set[0], "l=%.17g m", size);
    snprintf(set[1], sizeof set[1], "w=%.17g rad/s", turning);
    o.load.sets = sets;
    o.load.n_sets = 2;
    model_run_open_text(&p, TEXT, &o);
    model_run_until(&p, 10 / turning);
    double angle = model_run_see(&p, "angle");
    model_run_close(&p);
    return angle;
}

/* The truncation error is what halving the step changes, times 4/3. */
static void a_four_bar_of_micrometres_is_solved_as_one_of_metres(void **state)
{
    static const struct {
        double size, turning; /* m, rad/s */
    } CASE[] = {{1, 10}, {1e-4, 10}, {1e-6, 50}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double l = CASE[i].size, w = CASE[i].turning;
        struct trial_options o = model_run_options(1e-3), end = to_the_end(1e-3),
                             half = to_the_end(5e-4);
        double solved = crank_after(l, w, &end), truncation = solved - crank_after(l, w, &half);
        char what[64];
        snprintf(what, sizeof what, "left of the truncation error at %g m", l);
        model_run_within(what, fabs((crank_after(l, w, &o) - solved) / truncation), 0, 0.01);
    }
}

/* A chain at rest and a wheel that spins steadily have nothing to iterate for. */
static void what_is_rounding_is_not_iterated_for(void **state)
{
    static const char TEXT[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  upper: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [20, 30, -0.5]}\n"
        "  lower: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [20, 30, -1.5]}\n"
        "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [20, 30, -2], angular-velocity: [0, 0, 20]}\n"
        "joints:\n"
        "  shoulder: {type: spherical, between: [ground, upper], at: [20, 30, 0]}\n"
        "  elbow: {type: spherical, between: [upper, lower], at: [20, 30, -1]}\n"
        "  axle: {type: revolute, between: [lower, wheel], at: [20, 30, -2], axis: [0, 0, 1]}\n";
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    (void)state;
    model_run_open_text(&p, TEXT, &o);
    model_run_until(&p, 1);
    model_run_within("iterations a step", (double)p.trial.figures.iterations / 1000, 1, 1.1);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wing_nut_tumbles_with_order_2_at_every_step),
        cmocka_unit_test(a_four_bar_of_micrometres_is_solved_as_one_of_metres),
        cmocka_unit_test(what_is_rounding_is_not_iterated_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
