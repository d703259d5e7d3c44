/* Problems of the literature with trustworthy results (tests/data/reference): the motion
 * converges to them with order 2, and its error at 1 ms has the size a trapezoidal rule of
 * that step allows.
 *
 * Order: largest error over the reference times, step halved, 1.9 to 2.1. Newton runs to
 * 1e-13 m there, so that only the rule's own error is seen; steps are chosen so small that
 * its next term (h³, from the projections) stays below a tenth. The references are good to
 * 1e-9 or better, the errors compared are above 1e-7.
 * Size: the bounds are those asked of the solver (double pendulum 2e-5 rad at 1 s, N-four-bar
 * 2e-4 m at 10 s and 0.02 J), else a quarter above what the rule gives, so that a loss of
 * accuracy is seen. */
#include "tests/physics/model_run.h"
#include "tests/physics/refdata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_PARTS = 4 };

struct problem {
    const char *model, *data;
    double until;   /* s */
    /* Errors at a reference time, up to MAX_PARTS; returns how many. */
    int (*errors)(struct model_run *p, const struct refdata *d, int row, double *error);
};

/* Largest errors over the reference times up to the end. */
static void measure(const struct problem *problem, const struct trial_options *o, double *largest)
{
    static struct refdata d;
    struct model_run p;
    char path[128];
    snprintf(path, sizeof path, "config/models/%s.yaml", problem->model);
    refdata_read(&d, problem->data);
    model_run_open(&p, path, o);
    for (int i = 0; i < MAX_PARTS; i++) largest[i] = 0;
    for (int row = 0; row < d.n_rows && refdata_at(&d, row, "t") <= problem->until + 1e-9; row++) {
        double error[MAX_PARTS];
        model_run_until(&p, refdata_at(&d, row, "t"));
        int n = problem->errors(&p, &d, row, error);
        for (int i = 0; i < n; i++) largest[i] = fmax(largest[i], fabs(error[i]));
    }
    model_run_close(&p);
}

static void check_order_with(const struct problem *problem, double h, double rho)
{
    struct trial_options coarse = model_run_exactly(h), fine = model_run_exactly(h / 2);
    coarse.rho = fine.rho = rho;
    double a[MAX_PARTS], b[MAX_PARTS];
    char what[64];
    measure(problem, &coarse, a);
    measure(problem, &fine, b);
    for (int i = 0; i < MAX_PARTS && a[i] > 0; i++) {
        snprintf(what, sizeof what, "the order of part %d (%.3g, %.3g)", i, a[i], b[i]);
        model_run_within(what, model_run_order(a[i], b[i]), 1.9, 2.1);
    }
}

static void check_order(const struct problem *problem, double h)
{
    check_order_with(problem, h, NAN);
}

/* At the default tolerance and 1 ms. */
static void check_size(const struct problem *problem, const double *bound)
{
    struct trial_options o = model_run_options(1e-3);
    double a[MAX_PARTS];
    char what[64];
    measure(problem, &o, a);
    for (int i = 0; i < MAX_PARTS && bound[i] > 0; i++) {
        snprintf(what, sizeof what, "the error of part %d at 1 ms", i);
        model_run_within(what, a[i], 0, bound[i]);
    }
}

#define BOUND(...) ((const double[MAX_PARTS]){__VA_ARGS__})

/* ---- pendulums ---- */

static int bob_xy(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "bob.x") - refdata_at(d, row, "x");
    e[1] = model_run_see(p, "bob.y") - refdata_at(d, row, "y");
    return 2;
}

static const struct problem PENDULUM = {"point-pendulum", "pendulum", 10, bob_xy};

static void pendulum_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&PENDULUM, 2e-3);
    check_size(&PENDULUM, BOUND(1.2e-4, 6e-5));
}

/* The bar pulls 3 m g at the lowest point, reached at a quarter of the period. */
static void pendulum_bar_pulls_three_weights_at_the_lowest_point(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    double largest = 0;
    model_run_open(&p, "config/models/point-pendulum.yaml", &o);
    for (double t = 0; t < 2.4; t += 1e-3) {
        model_run_until(&p, t);
        double f = hypot(model_run_see(&p, "pull.x"), model_run_see(&p, "pull.y"));
        largest = fmax(largest, hypot(f, model_run_see(&p, "pull.z")));
    }
    /* between two steps the force misses its peak by m g (w h)²: 2e-4 N */
    model_run_within("the largest force", largest, 29.43 - 5e-4, 29.43 + 5e-4);
    model_run_close(&p);
}

static int rod_angles(struct model_run *p, const struct refdata *d, int row, double *e)
{
    double upper = M_PI_2 + model_run_see(p, "shoulder"), lower = upper + model_run_see(p, "elbow");
    e[0] = upper - refdata_at(d, row, "theta1");
    e[1] = lower - refdata_at(d, row, "theta2");
    e[2] = model_run_see(p, "shoulder-speed") - refdata_at(d, row, "theta1_dot");
    e[3] = model_run_see(p, "tip.y") - refdata_at(d, row, "tip_y");
    return 4;
}

static const struct problem RODS = {"double-pendulum-rods", "double_pendulum_rods", 5, rod_angles};
static const struct problem RODS_1_S = {"double-pendulum-rods", "double_pendulum_rods", 1,
                                        rod_angles};

static void double_pendulum_of_rods_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&RODS, 1e-3);
}

static void double_pendulum_of_rods_is_within_2e_5_rad_at_1_s(void **state)
{
    (void)state;
    check_size(&RODS_1_S, BOUND(2e-5, 2e-5));
}

static int tip_xy(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "tip.x") - refdata_at(d, row, "tip_x");
    e[1] = model_run_see(p, "tip.y") - refdata_at(d, row, "tip_y");
    return 2;
}

static const struct problem POINTS = {"double-pendulum-points", "double_pendulum_points", 5,
                                      tip_xy};

static void double_pendulum_of_points_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&POINTS, 1e-3);
    check_size(&POINTS, BOUND(6.6e-5, 7.1e-5));
}

static int bob_xyz(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[2] = model_run_see(p, "bob.z") - refdata_at(d, row, "z");
    return 1 + bob_xy(p, d, row, e);
}

static const struct problem SPHERICAL = {"spherical-pendulum", "spherical_pendulum", 10, bob_xyz};

static void spherical_pendulum_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&SPHERICAL, 1e-3);
    check_size(&SPHERICAL, BOUND(4.7e-5, 3.7e-5, 1.3e-5));
}

/* ---- loops ---- */

static int crank_angles(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = M_PI_2 + model_run_see(p, "crank") - refdata_at(d, row, "crank");
    e[1] = refdata_at(d, 0, "rocker") + model_run_see(p, "rocker") - refdata_at(d, row, "rocker");
    e[2] = model_run_see(p, "crank-speed") - refdata_at(d, row, "crank_dot");
    return 3;
}

static const struct problem CRANK_ROCKER = {"crank-rocker", "crank_rocker", 5, crank_angles};

static void crank_rocker_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&CRANK_ROCKER, 1.25e-4);
    check_size(&CRANK_ROCKER, BOUND(5e-4, 3e-4, 4e-3));
}

static int slider_angles(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = M_PI_4 + model_run_see(p, "crank") - refdata_at(d, row, "theta");
    e[1] = model_run_see(p, "slider.x") - refdata_at(d, row, "slider_x");
    e[2] = model_run_see(p, "crank-speed") - refdata_at(d, row, "theta_dot");
    return 3;
}

static const struct problem SLIDER = {"slider-crank", "slider_crank", 2, slider_angles};

static void slider_crank_passes_its_singular_position_with_order_2(void **state)
{
    (void)state;
    check_order(&SLIDER, 1e-3);
    check_size(&SLIDER, BOUND(4e-5, 3.1e-5, 1.3e-4));
}

static int first_crank(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "tip.x") - refdata_at(d, row, "x");
    e[1] = model_run_see(p, "tip.y") - refdata_at(d, row, "y");
    e[2] = model_run_see(p, "energy") - 620.3383333333334;
    return 3;
}

static const struct problem NFOURBAR = {"nfourbar", "nfourbar_40", 10, first_crank};
static const struct problem NFOURBAR_5_S = {"nfourbar", "nfourbar_40", 5, first_crank};

static void nfourbar_of_40_loops_keeps_2e_4_m_and_20_mJ_over_10_s(void **state)
{
    (void)state;
    check_size(&NFOURBAR, BOUND(2e-4, 2e-4, 0.02));
}

static void nfourbar_of_40_loops_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&NFOURBAR_5_S, 5e-4);
}

/* Angles at 0.03 s as published in the Test Set for IVP Solvers (Andrews' squeezing
 * mechanism); sensors count from the start pose. */
static void squeezer_errors(double h, double *e)
{
    static const struct {
        const char *name;
        double start, end;
    } ANGLE[] = {{"beta", -0.0617138900142764496, 15.81077119629904},
                 {"theta", 0, -15.75637105984298},
                 {"gamma", 0.455279819163070380, 0.04082224013073101},
                 {"epsilon", 1.23054744454982119, 1.048080741042263}};
    struct model_run p;
    struct trial_options o = model_run_options(h);
    model_run_open(&p, "config/models/squeezer.yaml", &o);
    assert_int_equal(p.trial.mechanism.plan->dof, 1);
    assert_int_equal(p.trial.mechanism.plan->redundant, 9);
    model_run_until(&p, 0.03);
    for (int i = 0; i < 4; i++)
        e[i] = model_run_see(&p, ANGLE[i].name) + ANGLE[i].start - ANGLE[i].end;
    model_run_close(&p);
}

static void squeezer_meets_the_published_angles_with_order_2(void **state)
{
    (void)state;
    double coarse[4], fine[4];
    squeezer_errors(1e-5, coarse);
    squeezer_errors(5e-6, fine);
    model_run_within("the crank's error at 10 us", fabs(coarse[0]), 0, 9e-5);
    for (int i = 0; i < 4; i++)
        model_run_within("the order", model_run_order(coarse[i], fine[i]), 1.9, 2.1);
}

/* Where the middle of Bricard's mechanism is at 1 s; energy and iterations over 10 s. */
static double bricard_tip(double h)
{
    struct model_run p;
    struct trial_options o = model_run_exactly(h);
    model_run_open(&p, "config/models/bricard.yaml", &o);
    assert_int_equal(p.trial.mechanism.plan->dof, 1);
    assert_int_equal(p.trial.mechanism.plan->redundant, 1);
    model_run_until(&p, 1);
    double tip = model_run_see(&p, "tip.y");
    model_run_close(&p);
    return tip;
}

static void bricards_mechanism_moves_with_order_2_and_keeps_its_energy(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    double tip[3] = {bricard_tip(2e-3), bricard_tip(1e-3), bricard_tip(5e-4)};
    model_run_within("the order", model_run_order(tip[0] - tip[1], tip[1] - tip[2]), 1.9, 2.1);
    model_run_open(&p, "config/models/bricard.yaml", &o);
    model_run_until(&p, 10);
    /* twice what the rule leaves: 4e-6 J */
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 1e-5);
    model_run_within("the most iterations", p.trial.figures.iterations_max, 1, 3);
    model_run_within("the position error", p.trial.figures.error_max[0], 0, 1e-12);
    model_run_close(&p);
}

/* ---- bodies in space ---- */

static int top_place(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "top.x") - refdata_at(d, row, "x");
    e[1] = model_run_see(p, "top.y") - refdata_at(d, row, "y");
    e[2] = model_run_see(p, "top.z") - refdata_at(d, row, "z");
    e[3] = model_run_see(p, "spin.y") - 150;
    return 3;
}

static int top_reaction(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "foot.x") - refdata_at(d, row, "lam_x");
    e[1] = model_run_see(p, "foot.y") - refdata_at(d, row, "lam_y");
    e[2] = model_run_see(p, "foot.z") - refdata_at(d, row, "lam_z");
    return 3;
}

static const struct problem TOP = {"heavy-top", "heavy_top", 2, top_place};
static const struct problem TOP_REACTION = {"heavy-top", "heavy_top", 2, top_reaction};

static void heavy_top_converges_with_order_2_in_position(void **state)
{
    (void)state;
    check_order(&TOP, 5e-4);
    check_size(&TOP, BOUND(6.2e-3, 8.3e-3, 5.6e-3));
}

static void heavy_top_converges_with_order_2_in_its_reaction(void **state)
{
    (void)state;
    check_order(&TOP_REACTION, 5e-4);
    check_size(&TOP_REACTION, BOUND(4.8, 9.3, 6.6));
}

/* The members of the family that damp converge alike. */
static void heavy_top_converges_with_order_2_with_rho_below_1(void **state)
{
    (void)state;
    check_order_with(&TOP, 5e-4, 0.8);
    check_order_with(&TOP_REACTION, 5e-4, 0.8);
    check_order_with(&TOP_REACTION, 5e-4, 0);
}

static int tumbling(struct model_run *p, const struct refdata *d, int row, double *e)
{
    double q[4], r[4], sense = 0;
    static const char *const NAME[4] = {"attitude.w", "attitude.x", "attitude.y", "attitude.z"};
    static const char *const WANTED[4] = {"e0", "e1", "e2", "e3"};
    for (int i = 0; i < 4; i++) {
        q[i] = model_run_see(p, NAME[i]);
        r[i] = refdata_at(d, row, WANTED[i]);
        sense += q[i] * r[i];
    }
    for (int i = 0; i < 4; i++) r[i] = q[i] * copysign(1, sense) - r[i];
    e[0] = model_run_see(p, "spin.x") - refdata_at(d, row, "w1");
    e[1] = model_run_see(p, "spin.y") - refdata_at(d, row, "w2");
    e[2] = model_run_see(p, "spin.z") - refdata_at(d, row, "w3");
    e[3] = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    return 4;
}

static const struct problem TUMBLING = {"free-body", "free_body", 20, tumbling};

static void free_body_tumbles_with_order_2(void **state)
{
    (void)state;
    check_order(&TUMBLING, 1e-3);
}

/* ---- a constraint that moves ---- */

static int axis_places(struct model_run *p, const struct refdata *d, int row, double *e)
{
    e[0] = model_run_see(p, "left.x") - refdata_at(d, row, "xl");
    e[1] = model_run_see(p, "left.y") - refdata_at(d, row, "yl");
    e[2] = model_run_see(p, "right.x") - refdata_at(d, row, "xr");
    e[3] = model_run_see(p, "right.y") - refdata_at(d, row, "yr");
    return 4;
}

/* Published at 3 s: two velocities and both multipliers. The guide's force is lam1 times
 * the unit length of its normal, the bar's 2 lam2 times the length 1 of the bar. */
static int axis_rates(struct model_run *p, const struct refdata *d, int row, double *e)
{
    if (fabs(refdata_at(d, row, "t") - 3) > 1e-9) return 0;
    e[0] = model_run_see(p, "right-velocity.x") - 0.01755681574942899;
    e[1] = model_run_see(p, "right-velocity.y") - 0.770341043779403;
    e[2] = fabs(model_run_see(p, "guide.z")) - 0.00473688675078463;
    e[3] = hypot(model_run_see(p, "bar.x"), model_run_see(p, "bar.y")) - 2 * 0.00110468041134573;
    return 4;
}

static const struct problem CAR_AXIS = {"car-axis", "car_axis", 3, axis_places};
static const struct problem CAR_AXIS_RATES = {"car-axis", "car_axis", 3, axis_rates};

static void car_axis_with_its_moving_constraint_converges_with_order_2(void **state)
{
    (void)state;
    check_order(&CAR_AXIS, 5e-4);
    check_order_with(&CAR_AXIS, 5e-4, 0.5);
    check_size(&CAR_AXIS, BOUND(1.6e-7, 3.8e-6, 5e-5, 5.7e-4));
}

static void car_axis_rates_and_multipliers_converge_with_order_2(void **state)
{
    (void)state;
    check_order(&CAR_AXIS_RATES, 2.5e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_converges_with_order_2),
        cmocka_unit_test(pendulum_bar_pulls_three_weights_at_the_lowest_point),
        cmocka_unit_test(double_pendulum_of_rods_converges_with_order_2),
        cmocka_unit_test(double_pendulum_of_rods_is_within_2e_5_rad_at_1_s),
        cmocka_unit_test(double_pendulum_of_points_converges_with_order_2),
        cmocka_unit_test(spherical_pendulum_converges_with_order_2),
        cmocka_unit_test(crank_rocker_converges_with_order_2),
        cmocka_unit_test(slider_crank_passes_its_singular_position_with_order_2),
        cmocka_unit_test(nfourbar_of_40_loops_keeps_2e_4_m_and_20_mJ_over_10_s),
        cmocka_unit_test(nfourbar_of_40_loops_converges_with_order_2),
        cmocka_unit_test(squeezer_meets_the_published_angles_with_order_2),
        cmocka_unit_test(bricards_mechanism_moves_with_order_2_and_keeps_its_energy),
        cmocka_unit_test(heavy_top_converges_with_order_2_in_position),
        cmocka_unit_test(heavy_top_converges_with_order_2_in_its_reaction),
        cmocka_unit_test(heavy_top_converges_with_order_2_with_rho_below_1),
        cmocka_unit_test(free_body_tumbles_with_order_2),
        cmocka_unit_test(car_axis_with_its_moving_constraint_converges_with_order_2),
        cmocka_unit_test(car_axis_rates_and_multipliers_converge_with_order_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
