/* Elements faster than the step: dampers, windings and tension settle, they do not ring. */
#include "rt/math/subnormal.h"
#include "rt/time/rtthread.h"
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char DAMPER[] =
    "gravity: [%g, 0, 0]\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}}\n"
    "joints: {s: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "forces: {d: {type: joint-spring, joint: s, damping: %g}}\n"
    "sensors: {v: {type: joint-speed, joint: s}, f: {type: force, force: d}}\n";

/* Every damper, from one the step just resolves to one a million times too stiff, has stopped
 * its mass after ten steps and carries its weight steadily, 9.81 N. */
static void a_stiff_damper_stops_its_mass_and_carries_it_steadily(void **state)
{
    (void)state;
    for (double c = 2500; c < 2e9; c *= 7) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        char text[1000];
        snprintf(text, sizeof text, DAMPER, 9.81, c);
        model_run_open_text(&p, text, &o);
        assert_true(p.trial.mechanism.plan->rho < 1);
        double worst = 0;
        for (int i = 30; i < 100; i++) {
            model_run_until(&p, i * 1e-3);
            worst = fmax(worst, fabs(model_run_see(&p, "f") + 9.81));
        }
        model_run_within("the speed", model_run_see(&p, "v") * c, 9.81 * 0.9999, 9.81 * 1.0001);
        model_run_within("the force beside the weight", worst, 0, 1e-3);
        model_run_close(&p);
    }
}

static void a_damper_the_step_resolves_leaves_the_rule_alone(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    char text[1000];
    snprintf(text, sizeof text, DAMPER, 0., 1000.);
    model_run_open_text(&p, text, &o);
    model_run_within("rho", p.trial.mechanism.plan->rho, 1, 1);
    model_run_close(&p);
}

/* L/R from far below the step to far above: the torque never leaves what voltage and speed
 * allow, and the work that comes in is what is turned. k u/R = 0.3 N m, J R/k² = 0.8 s. */
static void a_winding_never_rings(void **state)
{
    (void)state;
    for (double L = 1e-7; L < 0.1; L *= 10) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        char text[1000];
        snprintf(
            text, sizeof text,
            "bodies: {r: {mass: 1, inertia: [0.001, 0.001, 0.001], position: [0, 0, 0]}}\n"
            "joints: {h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
            "forces: {m: {type: motor, joint: h, resistance: 2, inductance: %g, constant: 0.05, voltage: 12}}\n"
            "sensors: {tq: {type: force, force: m}, w: {type: joint-speed, joint: h}}\n",
            L);
        model_run_open_text(&p, text, &o);
        double most = 0;
        for (int i = 0; i < 1000; i++) {
            model_run_until(&p, i * 1e-3);
            most = fmax(most, model_run_see(&p, "tq"));
        }
        model_run_within("the largest torque", most, 0.25, 0.3001);
        model_run_until(&p, 1);
        model_run_within("the speed after 1 s", model_run_see(&p, "w"),
                         240 * (1 - exp(-1 / 0.8)) * 0.94, 240 * (1 - exp(-1 / 0.8)) * 1.001);
        model_run_close(&p);
    }
}

/* A bead of 1 kg between two strings under F: it swings across with w² = 2 F/l, which a step
 * may resolve or not. Resolved, its amplitude is v/w; not, it stays bounded by that and
 * every step converges. */
static void a_tight_string_swings_and_never_diverges(void **state)
{
    (void)state;
    for (double F = 1e3; F < 2e8; F *= 10) {
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        char text[1000];
        snprintf(
            text, sizeof text,
            "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0, 0.01, 0]}}\n"
            "forces:\n"
            "  l: {type: spring-damper, between: [ground, b], from: [-1, 0, 0], to: [0, 0, 0], stiffness: %g, length: 0.5}\n"
            "  r: {type: spring-damper, between: [ground, b], from: [1, 0, 0], to: [0, 0, 0], stiffness: %g, length: 0.5}\n"
            "sensors: {p: {type: position, body: b}}\n",
            2 * F, 2 * F);
        model_run_open_text(&p, text, &o);
        double w = sqrt(2 * F), most = 0;
        for (int i = 0; i < 200; i++) {
            model_run_until(&p, i * 1e-3);
            most = fmax(most, fabs(model_run_see(&p, "p.y")));
        }
        model_run_within("the amplitude", most, w < 500 ? 0.97 * 0.01 / w : 0, 1.03 * 0.01 / w);
        assert_int_equal(p.trial.figures.not_converged, 0);
        model_run_close(&p);
    }
}

/* A spin that falls to a third each step (c h/J = 1) would pass the smallest normal number after
 * some 650 steps; its products are zero before, and it stands still. */
static void what_decays_never_meets_subnormal_numbers(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies: {r: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0], angular-velocity: [0, 0, 1]}}\n"
        "joints: {h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces: {f: {type: friction, joint: h, viscous: 10}}\n"
        "sensors: {w: {type: joint-speed, joint: h}}\n",
        &o);
    assert_true(subnormal_flushed());
    int met = 0;
    for (int i = 0; i < 3000; i++) {
        model_run_until(&p, i * 1e-3);
        met |= fpclassify(model_run_see(&p, "w")) == FP_SUBNORMAL;
    }
    assert_int_equal(met, 0);
    model_run_within("the speed", fabs(model_run_see(&p, "w")), 0, 1e-300);
    model_run_close(&p);
}

static void note(void *flushed) { *(int *)flushed = subnormal_flushed(); }

static void the_step_thread_flushes_subnormal_numbers(void **state)
{
    (void)state;
    int flushed = 0;
    _mm_setcsr(_mm_getcsr() & ~(unsigned)SUBNORMAL_FLUSHED); /* a thread inherits it */
    struct rtthread t = {.run = note, .context = &flushed, .core = -1};
    if (rtthread_prepare(&t) != STATUS_OK) skip();
    assert_int_equal(rtthread_start(&t), STATUS_OK);
    rtthread_join(&t);
    assert_int_equal(flushed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_damper_stops_its_mass_and_carries_it_steadily),
        cmocka_unit_test(a_damper_the_step_resolves_leaves_the_rule_alone),
        cmocka_unit_test(a_winding_never_rings),
        cmocka_unit_test(a_tight_string_swings_and_never_diverges),
        cmocka_unit_test(what_decays_never_meets_subnormal_numbers),
        cmocka_unit_test(the_step_thread_flushes_subnormal_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
