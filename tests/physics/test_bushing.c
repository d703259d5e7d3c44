/* Bushings: stiff ones carry like joints and need few iterations; one that swings far keeps
 * its energy. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A rod held to ground, and a second one to its end, by bushings that are soft about z only:
 * a double pendulum on springs. From rest, horizontal, so that each bushing is struck by the
 * weight at the start. */
static void rods(char *text, size_t size, double k)
{
    snprintf(
        text, size,
        "gravity: [0, -9.81, 0]\n"
        "parameters: {k: %g, r: %g}\n"
        "bodies:\n"
        "  upper: {mass: 1, inertia: [0.01, 1/12, 1/12], position: [0.5, 0, 0]}\n"
        "  lower: {mass: 1, inertia: [0.01, 1/12, 1/12], position: [1.5, 0, 0]}\n"
        "forces:\n"
        "  a: {type: bushing, between: [ground, upper], at: [0, 0, 0], stiffness: [k, k, k, r, r, 0]}\n"
        "  b: {type: bushing, between: [upper, lower], at: [1, 0, 0], stiffness: [k, k, k, r, r, 0]}\n"
        "sensors:\n"
        "  tip: {type: position, body: lower, at: [2, 0, 0]}\n"
        "  a: {type: force, force: a}\n"
        "  energy: {type: energy}\n",
        k, k / 100);
}

static const char RIGID[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  upper: {mass: 1, inertia: [0.01, 1/12, 1/12], position: [0.5, 0, 0]}\n"
    "  lower: {mass: 1, inertia: [0.01, 1/12, 1/12], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "sensors:\n"
    "  tip: {type: position, body: lower, at: [2, 0, 0]}\n"
    "  a: {type: reaction-force, joint: a}\n";

/* Iterations: mean <= 2.4, at most 3, none left unconverged. */
static void check_iterations(const struct trial *t)
{
    const struct trial_figures *f = &t->figures;
    model_run_within("the mean of iterations", (double)f->iterations / (double)f->steps, 1, 2.4);
    model_run_within("the most iterations", f->iterations_max, 1, 3);
    model_run_within("the steps not converged", (double)f->not_converged, 0, 0);
}

/* Tolerance 1e-9, 1 ms, rho auto. Behind the first 50 ms, in which the rule takes out the
 * strike where it is not resolved (0.8^50 = 1e-5), the force is that of the hinge, up to the
 * sag's own oscillation where that is resolved (k = 1e5, 1e6: about 3 N of 20). */
static void stiff_bushings_need_few_iterations_and_do_not_ring(void **state)
{
    (void)state;
    static const double STIFFNESS[] = {1e5, 1e6, 1e7, 1e8, 1e9}, FORCE[] = {4, 4, 0.6, 0.05, 0.01};
    for (int n = 0; n < 5; n++) {
        char text[2048];
        struct model_run soft, hard;
        struct trial_options o = model_run_options(1e-3);
        rods(text, sizeof text, STIFFNESS[n]);
        model_run_open_text(&soft, text, &o);
        model_run_open_text(&hard, RIGID, &o);
        for (int i = 51; i <= 1000; i++) {
            model_run_until(&soft, i * 1e-3);
            model_run_until(&hard, i * 1e-3);
            double fx = model_run_see(&soft, "a.x") - model_run_see(&hard, "a.x");
            double fy = model_run_see(&soft, "a.y") - model_run_see(&hard, "a.y");
            model_run_within("the force beyond the hinge's", hypot(fx, fy), 0, FORCE[n]);
        }
        double dx = model_run_see(&soft, "tip.x") - model_run_see(&hard, "tip.x");
        double dy = model_run_see(&soft, "tip.y") - model_run_see(&hard, "tip.y");
        model_run_within("the tip's distance", hypot(dx, dy), 0, 200 / STIFFNESS[n] + 5e-6);
        check_iterations(&soft.trial);
        model_run_close(&soft);
        model_run_close(&hard);
    }
}

/* A row of ten rods that hang together by such bushings, whipping. */
static void a_chain_on_stiff_bushings_needs_few_iterations(void **state)
{
    (void)state;
    static const char *const SETS[] = {"k=1e5", "k=1e6", "k=1e7", "k=1e8", "k=1e9"};
    for (int n = 0; n < 5; n++) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        o.load = (struct load_options){.sets = &SETS[n], .n_sets = 1};
        model_run_open_text(
            &p,
            "gravity: [0, -9.81, 0]\n"
            "parameters: {k: 1e5, r: k/100}\n"
            "repeat:\n"
            "  - to: 10\n"
            "    bodies: {\"rod-{i}\": {mass: 1, inertia: [0.01, 1/12, 1/12], position: [i-0.5, 0, 0]}}\n"
            "  - from: 2\n"
            "    to: 10\n"
            "    forces: {\"b-{i}\": {type: bushing, between: [\"rod-{i-1}\", \"rod-{i}\"], at: [i-1, 0, 0],\n"
            "                       stiffness: [k, k, k, r, r, 0]}}\n"
            "forces: {b-1: {type: bushing, between: [ground, rod-1], at: [0, 0, 0], stiffness: [k, k, k, r, r, 0]}}\n",
            &o);
        model_run_until(&p, 2);
        check_iterations(&p.trial);
        model_run_close(&p);
    }
}

/* A body on a bushing of 40 to 60 N m/rad, let go at 0.8 rad about a skew axis. */
static double swing_error(double h)
{
    struct model_run p;
    struct trial_options o = model_run_options(h);
    model_run_open_text(
        &p,
        "bodies: {body: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.1, 0.2, 0],\n"
        "                rotation: {axis: [1, 2, 2], angle: 0.8}}}\n"
        "forces: {rubber: {type: bushing, between: [ground, body], at: [0, 0, 0],\n"
        "                  axes-b: {axis: [1, 2, 2], angle: 0.8}, stiffness: [500, 600, 700, 40, 50, 60]}}\n"
        "sensors: {energy: {type: energy}}\n",
        &o);
    double start = model_run_see(&p, "energy"), worst = 0;
    for (double t = 0; t < 10; t += 0.01) {
        model_run_until(&p, t);
        worst = fmax(worst, fabs(model_run_see(&p, "energy") - start));
    }
    model_run_within("the energy at the start", start, 17, 17.2);
    model_run_close(&p);
    return worst;
}

/* Of 17 J, over ten seconds and some twenty swings. */
static void a_bushing_that_swings_far_keeps_its_energy_with_order_2(void **state)
{
    (void)state;
    double coarse = swing_error(1e-3), fine = swing_error(5e-4);
    model_run_within("the energy error at 1 ms", coarse, 0, 2e-3);
    model_run_within("its order", model_run_order(coarse, fine), 1.9, 2.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_bushings_need_few_iterations_and_do_not_ring),
        cmocka_unit_test(a_chain_on_stiff_bushings_needs_few_iterations),
        cmocka_unit_test(a_bushing_that_swings_far_keeps_its_energy_with_order_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
