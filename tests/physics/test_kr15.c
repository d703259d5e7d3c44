/* KUKA KR 15/2 of Vlasenko and Kasper 2009 (config/models/kr15.yaml): 43 bodies, 95 joints, 79
 * of 325 rows redundant. Expected: gravity torques g sum m (x - x_axis) from the table of
 * masses, by hand; the flange's place by Denavit and Hartenberg's rows of the robot. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char MODEL[] = "config/models/kr15.yaml";
enum { AXES = 6 };
static const double TEETH[AXES] = {119, 119, 119, 59, 59, 29};
static const double DEG = M_PI / 180;

static double see(struct model_run *p, const char *before, int axis, const char *behind)
{
    char name[40];
    snprintf(name, sizeof name, "%s%d%s", before, axis + 1, behind);
    return model_run_see(p, name);
}

static void open_with(struct model_run *p, const char *const *sets, int n)
{
    struct trial_options o = model_run_options(1e-3);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    model_run_open(p, MODEL, &o);
}

static void kr15_has_the_counts_of_the_paper(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0);
    assert_int_equal(p.trial.model->bodies.n, 43);
    assert_int_equal(p.trial.model->joints.n, 95);
    assert_int_equal(p.trial.mechanism.plan->constraints, 325);
    assert_int_equal(p.trial.mechanism.plan->redundant, 79);
    assert_int_equal(p.trial.mechanism.plan->dof, 6);
    model_run_close(&p);
}

/* A pose with its brakes on, and the torques that hold A2, A3, A5, N m. */
struct pose {
    const char *set[5];
    double hold[3];
};

/* After 40 ms the currents (5 ms) have settled. Brakes give way by their law, at most 1 rad/s
 * of a shaft, 1/30 degree of the axis in that time: 5e-4 of the torque where it leans most. */
static void motors_carry_the_weight_over_their_gear_ratios(void **state)
{
    (void)state;
    static const struct pose POSE[] = {
        {{"a2=0", "a3=0", "a5=0", "load=15", "brake=50"}, {817.91, 264.38, 42.92}},
        {{"a2=0", "a3=0", "a5=0", "load=0", "brake=50"}, {595.71, 137.83, 4.66}},
        {{"a2=-90 deg", "a3=90 deg", "a5=0", "load=15", "brake=50"}, {264.38, 264.38, 42.92}},
        {{"a2=-45 deg", "a3=30 deg", "a5=60 deg", "load=15", "brake=50"}, {611.27, 219.86, 30.35}},
    };
    static const int AXIS[] = {1, 2, 4};
    for (int i = 0; i < 4; i++) {
        struct model_run p;
        open_with(&p, POSE[i].set, 5);
        model_run_until(&p, 0.04);
        for (int k = 0; k < 3; k++) {
            int a = AXIS[k];
            double held = see(&p, "drive-", a, "/brake") + see(&p, "torque-", a, "");
            double right = POSE[i].hold[k];
            model_run_within("the holding torque", held * TEETH[a], right - 0.006 - 1e-3 * right,
                             right + 0.006 + 1e-3 * right);
        }
        model_run_within("A1, A4, A6",
                         fabs(see(&p, "drive-", 0, "/brake")) +
                             fabs(see(&p, "drive-", 3, "/brake")) +
                             fabs(see(&p, "drive-", 5, "/brake")),
                         0, 1e-3);
        model_run_close(&p);
    }
}

/* One row of Denavit and Hartenberg: turn and shift along z, shift and turn along x. */
static void hartenberg(double T[3][4], double theta, double d, double a, double alpha)
{
    double ct = cos(theta), st = sin(theta), ca = cos(alpha), sa = sin(alpha), N[3][4];
    double M[4][4] = {{ct, -st * ca, st * sa, a * ct},
                      {st, ct * ca, -ct * sa, a * st},
                      {0, sa, ca, d},
                      {0, 0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            N[i][j] = j == 3 ? T[i][3] : 0;
            for (int k = 0; k < 3; k++) N[i][j] += T[i][k] * M[k][j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) T[i][j] = N[i][j];
}

static void flange(const double *A, double x[3])
{
    double T[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    hartenberg(T, -A[0], 0.675, 0.300, -M_PI / 2);
    hartenberg(T, A[1], 0, 0.650, 0);
    hartenberg(T, A[2] - M_PI / 2, 0, 0.155, -M_PI / 2);
    hartenberg(T, -A[3], 0.600, 0, M_PI / 2);
    hartenberg(T, A[4], 0, 0, M_PI / 2);
    hartenberg(T, A[5], -0.140, 0, M_PI);
    for (int i = 0; i < 3; i++) x[i] = T[i][3];
}

static const double GOAL[AXES] = {40, 30, -40, 60, 50, 120}; /* degrees from home */

/* The rig's part: voltages after a smooth way of 1.5 s, from the shafts' angles and speeds. */
static void control(struct model_run *p, double t)
{
    double x = fmin(t / 1.5, 1), s = x * x * x * (10 + x * (6 * x - 15));
    double rate = x < 1 ? 30 * x * x * (1 - x) * (1 - x) / 1.5 : 0;
    for (int a = 0; a < AXES; a++) {
        double k = a < 3 ? 0.6 : 0.4, goal = -TEETH[a] * GOAL[a] * DEG;
        double u = 20 * (goal * s - see(p, "drive-", a, "/turned")) + k * goal * rate;
        p->trial.mechanism.ws.command[a] = fmax(-160, fmin(160, u));
    }
}

/* The flange is where the angles say: to the constraints' accuracy. Gears: an angle of 80 rad
 * has 1e-14, times the ratio. The balance is second order: some 1e-4 of the 300 J moved. */
static void six_axes_move_and_nothing_drifts(void **state)
{
    (void)state;
    static const double HOME[AXES] = {0, -90, 90, 0, 0, 0};
    struct model_run p;
    double gear = 0, place = 0;
    open_with(&p, NULL, 0);
    for (int i = 0; i < 3000; i++) {
        double A[AXES], x[3];
        control(&p, i * 1e-3);
        model_run_until(&p, (i + 1) * 1e-3);
        for (int a = 0; a < AXES; a++) {
            A[a] = (HOME[a] + see(&p, "a", a, "")) * DEG;
            gear = fmax(
                gear, fabs(see(&p, "drive-", a, "/turned") + TEETH[a] * see(&p, "a", a, "") * DEG));
        }
        flange(A, x);
        place = fmax(place, fabs(x[0] - model_run_see(&p, "flange.x")) +
                                fabs(x[1] - model_run_see(&p, "flange.y")) +
                                fabs(x[2] - model_run_see(&p, "flange.z")));
    }
    for (int a = 0; a < AXES; a++)
        model_run_within("an axis at the end, degrees", see(&p, "a", a, "") - GOAL[a], -0.5, 0.5);
    model_run_within("the flange against its angles", place, 0, 1e-9);
    /* one iteration leaves 1/alpha' of what a row's force changes in a step, on fast shafts */
    model_run_within("the gears, rad", gear, 0, 3e-10);
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-10);
    model_run_within("the energy balance, J", p.trial.figures.balance_max, 0, 0.1);
    assert_int_equal(p.trial.figures.not_converged, 0);
    assert_int_equal(p.trial.figures.redundant_open, 0);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kr15_has_the_counts_of_the_paper),
        cmocka_unit_test(motors_carry_the_weight_over_their_gear_ratios),
        cmocka_unit_test(six_axes_move_and_nothing_drifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
