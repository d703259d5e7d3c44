/* The double pendulum of Seguy, Joli, Feng and Pascal 2003. Expected: the same by another
 * integrator, 8 digits. The rule's error is of second order, (w h)²/12 of the phase and growing
 * with the motion's own sensitivity; it is taken out by Richardson's extrapolation from two
 * steps, which leaves fourth order. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- double pendulum ---- */

enum { TIMES = 5 };
static const double T[TIMES] = {0.5, 1, 2, 3, 5};

static void tips(const char *const *sets, int n, double h, double tip[TIMES][2])
{
    struct model_run p;
    struct trial_options o = model_run_exactly(h);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    for (int i = 0; i < TIMES; i++) {
        model_run_until(&p, T[i]);
        tip[i][0] = model_run_see(&p, "tip.x"), tip[i][1] = model_run_see(&p, "tip.y");
    }
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-11);
    model_run_close(&p);
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
            model_run_within("the tip's error", limit - right[i][k], -BOUND[i], BOUND[i]);
        }
    model_run_within("the order",
                     model_run_order(coarse[1][0] - right[1][0], fine[1][0] - right[1][0]), 1.95,
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
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open(&p, "config/models/double-pendulum.yaml", &o);
    model_run_within("the energy at the start", model_run_see(&p, "energy"), -4.905 - 1e-12,
                     -4.905 + 1e-12);
    model_run_until(&p, 20);
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 5e-3);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rods_swing_as_another_integrator_says),
        cmocka_unit_test(two_point_masses_swing_as_another_integrator_says),
        cmocka_unit_test(twenty_seconds_at_one_millisecond_keep_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
