/* The chain of n bodies of Malczyk, Fraczek and Cuadrado (config/models/chain.yaml): its
 * constraint errors, its accuracy at 1 ms against its own limit, and Newton's iterations in
 * the timing run of the paper. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char MODEL[] = "config/models/chain.yaml";

static void tip_at_1_s(double h, int exact, double *x)
{
    struct model_run p;
    struct trial_options o = exact ? model_run_exactly(h) : model_run_options(h);
    model_run_open(&p, MODEL, &o);
    model_run_until(&p, 1);
    x[0] = model_run_see(&p, "tip.x"), x[1] = model_run_see(&p, "tip.y");
    model_run_close(&p);
}

static double apart(const double *a, const double *b) { return hypot(a[0] - b[0], a[1] - b[1]); }

/* The limit by Richardson from 1/4 and 1/8 ms; what is left in it is 1e-4 of the bound. */
static void chain_of_16_is_within_3e_5_m_of_its_limit_at_1_s(void **state)
{
    (void)state;
    double coarse[2], quarter[2], eighth[2], limit[2];
    tip_at_1_s(1e-3, 0, coarse);
    tip_at_1_s(2.5e-4, 1, quarter);
    tip_at_1_s(1.25e-4, 1, eighth);
    for (int i = 0; i < 2; i++) limit[i] = (4 * eighth[i] - quarter[i]) / 3;
    model_run_within("the distance from the limit, m", apart(coarse, limit), 0, 3e-5);
    model_run_within("the order", model_run_order(apart(quarter, limit), apart(eighth, limit)), 1.9,
                     2.1);
}

/* Largest constraint errors over a run at 10 ms, tolerance 1e-6 in the norm of the paper. */
static void check_errors(enum trial_solver solver, double until, const double *bound)
{
    struct model_run p;
    struct trial_options o = model_run_options(1e-2);
    o.tolerance = 1e-6;
    o.norm2 = 1;
    o.solver = solver;
    model_run_open(&p, MODEL, &o);
    model_run_until(&p, until);
    model_run_within("the position error", p.trial.figures.error_max[0], 0, bound[0]);
    model_run_within("the velocity error", p.trial.figures.error_max[1], 0, bound[1]);
    model_run_within("the acceleration error", p.trial.figures.error_max[2], 0, bound[2]);
    model_run_close(&p);
}

/* 20 s; the bounds are the paper's. */
static void chain_of_16_keeps_the_constraint_errors_of_the_paper(void **state)
{
    (void)state;
    check_errors(TRIAL_FAST, 20, (const double[]){1e-8, 1e-10, 1e-8});
}

static void chain_of_16_keeps_them_on_the_dense_path_too(void **state)
{
    (void)state;
    check_errors(TRIAL_DENSE, 20, (const double[]){1e-8, 1e-8, 1e-6});
}

/* 10 s, 17.5 ms, tolerance 3e-4 in the norm of the paper, at most 4 iterations. */
static void chain_of_128_never_needs_more_than_4_iterations_in_the_timing_run(void **state)
{
    (void)state;
    static const char *const SETS[] = {"n=128"};
    struct model_run p;
    struct trial_options o = model_run_options(0.0175);
    o.load = (struct load_options){.sets = SETS, .n_sets = 1};
    o.tolerance = 3e-4;
    o.iterations = 4;
    o.norm2 = 1;
    model_run_open(&p, MODEL, &o);
    model_run_until(&p, 10);
    assert_int_equal(p.trial.figures.not_converged, 0);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_16_is_within_3e_5_m_of_its_limit_at_1_s),
        cmocka_unit_test(chain_of_16_keeps_the_constraint_errors_of_the_paper),
        cmocka_unit_test(chain_of_16_keeps_them_on_the_dense_path_too),
        cmocka_unit_test(chain_of_128_never_needs_more_than_4_iterations_in_the_timing_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
