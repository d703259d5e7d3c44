/* The pendulums of Seguy, Joli, Feng and Pascal 2003: a double pendulum, and one that swaps its
 * pivot. Expected: the same by another integrator (double pendulum, 8 digits), elliptic
 * integrals and the law of impact by hand (swaps, 7 digits). The rule's error is of second
 * order, (w h)²/12 of the phase and growing with the motion's own sensitivity; it is taken out
 * by Richardson's extrapolation from two steps, which leaves fourth order. */
#include "tests/physics/play.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/solve/topology.h"

/* ---- double pendulum ---- */

enum { TIMES = 5 };
static const double T[TIMES] = {0.5, 1, 2, 3, 5};

static void tips(const char *const *sets, int n, double h, double tip[TIMES][2])
{
    struct play p;
    struct trial_options o = play_exactly(h);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    play_open(&p, "config/models/double-pendulum.yaml", &o);
    for (int i = 0; i < TIMES; i++) {
        play_until(&p, T[i]);
        tip[i][0] = play_see(&p, "tip.x"), tip[i][1] = play_see(&p, "tip.y");
    }
    play_within("the drift", p.trial.figures.error_max[0], 0, 1e-11);
    play_close(&p);
}

/* `bound` at 0.5 s; errors grow by e per second and more. */
static void check_tips(const char *const *sets, int n, const double right[TIMES][2])
{
    static const double BOUND[TIMES] = {1e-8, 2e-8, 3e-7, 3e-6, 1e-5};
    double coarse[TIMES][2], fine[TIMES][2];
    tips(sets, n, 2e-4, coarse);
    tips(sets, n, 1e-4, fine);
    for (int i = 0; i < TIMES; i++)
        for (int k = 0; k < 2; k++) {
            double limit = fine[i][k] + (fine[i][k] - coarse[i][k]) / 3;
            play_within("the tip's error", limit - right[i][k], -BOUND[i], BOUND[i]);
        }
    play_within("the order", play_order(coarse[1][0] - right[1][0], fine[1][0] - right[1][0]), 1.95,
                2.05);
}

static void two_rods_swing_as_another_integrator_says(void **state)
{
    (void)state;
    static const double RIGHT[TIMES][2] = {{0.91678190, -1.49437817},
                                           {-1.44198993, -0.54023221},
                                           {0.47640585, -1.57642016},
                                           {-0.79530514, 0.20181622},
                                           {-1.0991590, -1.3491665}};
    check_tips(NULL, 0, RIGHT);
}

static void two_point_masses_swing_as_another_integrator_says(void **state)
{
    (void)state;
    static const char *const SETS[] = {"centre=1", "gyration=1e-9"};
    static const double RIGHT[TIMES][2] = {{0.84474417, -1.74219412},
                                           {-1.22687035, -1.52541079},
                                           {-0.19892841, -1.02529037},
                                           {0.23929314, -0.20826618},
                                           {-0.08521890, -1.31367381}};
    check_tips(SETS, 2, RIGHT);
}

/* 20 s at 1 ms, as the paper's longest run: the energy, -4.905 J, neither drifts nor jumps by
 * more than second order leaves: (w h)² = 1e-4 of some 10 J at the fastest, several times. */
static void twenty_seconds_at_one_millisecond_keep_the_energy(void **state)
{
    (void)state;
    struct play p;
    struct trial_options o = play_options(1e-3);
    play_open(&p, "config/models/double-pendulum.yaml", &o);
    play_within("the energy at the start", play_see(&p, "energy"), -4.905 - 1e-12, -4.905 + 1e-12);
    play_until(&p, 20);
    play_within("the energy balance", p.trial.figures.balance_max, 0, 5e-3);
    play_close(&p);
}

/* ---- the swap ---- */

struct swap {
    double t, rate_before, rate_after, loss, pivot[2];
};

/* What decides: height of the free end above a level below its pivot, or its vertical speed. */
enum when { MEETS, RISES, TURNS };

struct swinging {
    struct play p;
    enum when rule;
    double depth;  /* of the level */
    int fixed;     /* which joint is the pivot: 0, 1 */
    double t;
};

static double height(struct swinging *s)
{
    double y[2] = {play_see(&s->p, "first.y"), play_see(&s->p, "second.y")};
    return y[!s->fixed] - y[s->fixed] + s->depth;
}

static double rate(struct swinging *s) { return play_see(&s->p, "turning.z"); }

/* Upwards speed of the free end: w times its lever to the pivot. */
static double rise(struct swinging *s)
{
    double x[2] = {play_see(&s->p, "first.x"), play_see(&s->p, "second.x")};
    return rate(s) * (x[!s->fixed] - x[s->fixed]);
}

static double event(struct swinging *s) { return s->rule == TURNS ? rise(s) : height(s); }

static void look(struct swinging *s)
{
    struct trial *t = &s->p.trial;
    observe_state(t->model, t->mechanism.plan, &t->mechanism.ws, &t->seen);
}

static void step(struct swinging *s, double h)
{
    struct trial *t = &s->p.trial;
    enum status e = step_advance(t->model, t->mechanism.plan, &t->mechanism.ws, h, &t->limits,
                                 &t->report);
    assert_int_not_equal(status_severity(e), SEVERITY_BAD);
    look(s);
}

/* One step, or the part of it to where the event's sign changes (to 1e-13 s). Returns 1 there. */
static int step_to_event(struct swinging *s, double h, struct workspace *keep)
{
    struct workspace *ws = &s->p.trial.mechanism.ws;
    double g0 = event(s), lower = 0, upper = h;
    workspace_copy(keep, ws);
    step(s, h);
    double g1 = event(s);
    int wanted = s->rule == MEETS   ? g0 * g1 <= 0
                 : s->rule == RISES ? g0 < 0 && g1 >= 0
                                    : g0 > 0 && g1 <= 0;
    s->t += h;
    if (!wanted || fabs(g0) < 1e-9) return 0;
    while (upper - lower > 1e-13) {
        double middle = (lower + upper) / 2;
        workspace_copy(ws, keep);
        step(s, middle);
        if (event(s) * g0 > 0)
            lower = middle;
        else
            upper = middle;
    }
    s->t += upper - h;
    return 1;
}

static struct swap take_other_end(struct swinging *s)
{
    struct trial *t = &s->p.trial;
    struct topology_change c[2] = {{s->fixed, 0}, {!s->fixed, 1}};
    struct swap w = {.t = s->t, .rate_before = rate(s)};
    assert_int_equal(topology_apply(t->model, t->mechanism.plan, &t->mechanism.ws, c, 2, &w.loss),
                     STATUS_OK);
    look(s);
    s->fixed = !s->fixed;
    w.rate_after = rate(s);
    w.pivot[0] = play_see(&s->p, s->fixed ? "second.x" : "first.x");
    w.pivot[1] = play_see(&s->p, s->fixed ? "second.y" : "first.y");
    return w;
}

static void swing(enum when rule, double depth, const char *const *sets, int n_sets,
                  struct swap *out, int n)
{
    struct swinging s = {.rule = rule, .depth = depth};
    struct workspace keep;
    struct trial_options o = play_exactly(1e-4);
    o.load = (struct load_options){.sets = sets, .n_sets = n_sets};
    play_open(&s.p, "config/models/swapping-pendulum.yaml", &o);
    assert_int_equal(mechanism_workspace(&s.p.trial.mechanism, &keep), STATUS_OK);
    for (int i = 0; i < n; i++) {
        while (!step_to_event(&s, 1e-4, &keep)) assert_true(s.t < 20);
        out[i] = take_other_end(&s);
        if (s.rule != MEETS) continue;
        while (fabs(height(&s)) < 1e-7) step(&s, 1e-5), s.t += 1e-5;
    }
    play_close(&s.p);
}

enum { SWAPS = 6 };

/* (w h)²/12 of the time is 2e-8 at the fastest. */
static const double TIME_BOUND = 3e-7;

static void close_to(const char *what, double value, double right, double bound)
{
    play_within(what, value - right, -bound, bound);
}

/* At rest at both ends: pivots at (n, 0), at n 2 K(1/2)/w0; w0² = 3 g/2. The turning point is a
 * zero of the speed, found as sharply as any. */
static void without_speed_the_pendulum_walks_for_ever(void **state)
{
    (void)state;
    struct swap w[SWAPS];
    swing(TURNS, 0, NULL, 0, w, SWAPS);
    for (int i = 0; i < SWAPS; i++) {
        close_to("the time", w[i].t, (i + 1) * 2 * 1.8540746773 / sqrt(1.5 * 9.81), 1e-6);
        close_to("the pivot", w[i].pivot[0], i + 1, 1e-6);
        close_to("its height", w[i].pivot[1], 0, 1e-6);
        close_to("the loss", w[i].loss, 0, 1e-9);
    }
}

static void a_rod_with_speed_loses_three_quarters_at_each_swap(void **state)
{
    (void)state;
    static const char *const SETS[] = {"rate=2"};
    static const double TIME[] = {0.7259648, 0.8619224, 1.7625156, 1.7964946, 2.7462898, 2.7547846};
    static const double PIVOT[] = {1, 0, -1, 0, 1, 0};
    static const double RATE[] = {2, 1, -0.5, -0.25, 0.125, 0.0625};
    struct swap w[SWAPS];
    swing(MEETS, 0, SETS, 1, w, SWAPS);
    for (int i = 0; i < SWAPS; i++) {
        close_to("the time", w[i].t, TIME[i], TIME_BOUND);
        close_to("the pivot", w[i].pivot[0], PIVOT[i], 1e-6);
        close_to("the rate before", w[i].rate_before, RATE[i], 1e-6);
        close_to("the rate behind", w[i].rate_after, -RATE[i] / 2, 1e-6);
        close_to("the loss", w[i].loss, RATE[i] * RATE[i] / 8, 1e-6);
    }
}

static void a_rod_that_swaps_below_its_pivot_climbs_down(void **state)
{
    (void)state;
    static const double TIME[] = {0.7628507, 1.6300865, 2.5656825, 3.5171771, 4.4726382, 5.4290910};
    static const double RATE[] = {2.9713633, 4.4570450, 4.7565021, 4.8284654, 4.8462893, 4.8507350};
    static const double LOSS[] = {1.1036250, 2.4831563, 2.8280391, 2.9142598, 2.9358149, 2.9412037};
    struct swap w[SWAPS];
    swing(RISES, 0.3, NULL, 0, w, SWAPS);
    for (int i = 0; i < SWAPS; i++) {
        close_to("the time", w[i].t, TIME[i], TIME_BOUND);
        close_to("the rate before", w[i].rate_before, RATE[i], 1e-6);
        close_to("the rate behind", w[i].rate_after, -RATE[i] / 2, 1e-6);
        close_to("the loss", w[i].loss, LOSS[i], 1e-6);
        close_to("the pivot's x", w[i].pivot[0], (i + 1) * 0.9539392, 1e-6);
        close_to("the pivot's y", w[i].pivot[1], -(i + 1) * 0.3, 1e-6);
    }
}

/* m/2 at both ends: the impact takes all there is. */
static void a_bar_with_its_mass_at_the_ends_stops_dead(void **state)
{
    (void)state;
    static const char *const SETS[] = {"gyration=0.25"};
    static const double TIME[] = {0.9342974, 1.8587730, 2.7832486, 3.7077242, 4.6321998, 5.5566754};
    struct swap w[SWAPS];
    swing(RISES, 0.3, SETS, 1, w, SWAPS);
    for (int i = 0; i < SWAPS; i++) {
        close_to("the time", w[i].t, TIME[i], TIME_BOUND);
        close_to("the rate before", w[i].rate_before, i ? 3.4310348 : 2.4261080, 1e-6);
        close_to("the rate behind", w[i].rate_after, 0, 1e-9);
        close_to("the loss", w[i].loss, i ? 2.9430 : 1.4715, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rods_swing_as_another_integrator_says),
        cmocka_unit_test(two_point_masses_swing_as_another_integrator_says),
        cmocka_unit_test(twenty_seconds_at_one_millisecond_keep_the_energy),
        cmocka_unit_test(without_speed_the_pendulum_walks_for_ever),
        cmocka_unit_test(a_rod_with_speed_loses_three_quarters_at_each_swap),
        cmocka_unit_test(a_rod_that_swaps_below_its_pivot_climbs_down),
        cmocka_unit_test(a_bar_with_its_mass_at_the_ends_stops_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
