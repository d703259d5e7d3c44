/* The car of Vlasenko and Kasper 2006 (config/models/car.yaml): its counts, where it comes to
 * rest, how it moves when a passenger gets in. Expected values are from the static balance
 * and the linearised equations of the same data, solved by hand and in another program; their
 * last digit given is the tolerance unless a test says otherwise. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char MODEL[] = "config/models/car.yaml";

static void open_with(struct model_run *p, const char *const *sets, int n)
{
    struct trial_options o = model_run_options(1e-3);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    model_run_open(p, MODEL, &o);
}

static void near(struct model_run *p, const char *sensor, double expected, double tolerance)
{
    model_run_within(sensor, model_run_see(p, sensor), expected - tolerance, expected + tolerance);
}

static void the_car_has_the_counts_of_the_paper(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0);
    assert_int_equal(p.trial.model->bodies.n, 17);
    assert_int_equal(p.trial.model->joints.n, 20);
    assert_int_equal(p.trial.mechanism.plan->constraints, 88);
    assert_int_equal(p.trial.mechanism.plan->redundant, 0);
    assert_int_equal(p.trial.mechanism.plan->dof, 14);
    assert_int_equal(p.trial.model->components.n, 13); /* car, 4 suspensions, 4 x 2 in them */
    model_run_close(&p);
}

/* The slowest mode decays with 2.7 1/s: after 9 s e^-24 of the 0.127 m are left. */
static void the_car_sags_as_its_static_balance_says(void **state)
{
    (void)state;
    static const char *const SETS[] = {"passenger=0"};
    struct model_run p;
    open_with(&p, SETS, 1);
    model_run_until(&p, 9);
    near(&p, "body.z", 0.483023, 1e-6);
    near(&p, "body.x", -13.57e-3, 1e-5);
    near(&p, "front-left-arm", 13.99, 0.005);
    near(&p, "rear-left-arm", 14.28, 0.005);
    near(&p, "front-right/damper/force", -3299.6, 0.05);
    near(&p, "rear-right/damper/force", -2701.6, 0.05);
    near(&p, "front-left/wheel/load.z", 2936.9, 0.05);
    near(&p, "rear-left/wheel/load.z", 2468.4, 0.05);
    model_run_close(&p);
}

static void the_passenger_sags_the_car_as_the_static_balance_says(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0);
    model_run_until(&p, 12);
    near(&p, "body.z", 0.469236, 1e-6);
    near(&p, "body.x", -13.57e-3 - 3.49e-3, 1e-5);
    near(&p, "body.y", 1.47e-3, 1e-5);
    near(&p, "front-left/wheel/load.z", 3327.5, 0.05);
    near(&p, "front-right/wheel/load.z", 3039.7, 0.05);
    near(&p, "rear-left/wheel/load.z", 2842.9, 0.05);
    near(&p, "rear-right/wheel/load.z", 2600.5, 0.05);
    double deg = M_PI / 180; /* small angles: roll and pitch are twice x and y */
    near(&p, "attitude.x", -0.5 * 0.545 * deg, 0.25e-3 * deg);
    model_run_close(&p);
}

/* A hundredth of the passenger, so that what the linearisation leaves out (1 % at 1000 N) is
 * a hundredth too; after 12 s at rest. Two digits of a millimetre were given at 1000 N. */
static void a_light_passenger_moves_the_car_as_the_linear_equations_say(void **state)
{
    (void)state;
    static const char *const SETS[] = {"passenger=10", "enters=12"};
    static const double T[] = {2.6, 2.7, 2.8, 2.9, 2.935, 3.0, 3.25, 3.5, 4.0, 6.0};
    static const double MM[] = {-1.48,  -7.95,  -14.66, -17.88, -18.08,
                                -17.49, -12.41, -13.19, -13.50, -13.64};
    struct model_run p;
    open_with(&p, SETS, 2);
    model_run_until(&p, 12);
    double rest = model_run_see(&p, "body.z");
    for (int i = 0; i < 10; i++) {
        model_run_until(&p, T[i] - 2.5 + 12);
        double mm = (model_run_see(&p, "body.z") - rest) * 1e5;
        model_run_within("z for 1000 N, mm", mm - MM[i], -0.008, 0.008);
    }
    model_run_close(&p);
}

/* The set the data come from has a yaw inertia no body can have (1792 > 207 + 1566); the file takes
 * 1760. Where the car comes to rest does not depend on it, and the passenger, 0.35 m beside the
 * middle, turns it so little that z does not either: with another 200 kg m2 the difference is below
 * the last digit of what is shown. */
static void the_yaw_inertia_does_not_show(void **state)
{
    (void)state;
    static const char *const SETS[] = {"yaw=1560"};
    struct model_run p, other;
    double worst = 0;
    open_with(&p, NULL, 0);
    open_with(&other, SETS, 1);
    for (int i = 1; i <= 1200; i++) {
        model_run_until(&p, i * 1e-2);
        model_run_until(&other, i * 1e-2);
        worst = fmax(worst, fabs(model_run_see(&p, "body.z") - model_run_see(&other, "body.z")));
    }
    model_run_within("the difference of z, m", worst, 0, 1e-6);
    model_run_within("at rest, m", model_run_see(&p, "body.z") - model_run_see(&other, "body.z"),
                     -1e-10, 1e-10);
    model_run_close(&p);
    model_run_close(&other);
}

/* Size of the part of z at frequency f, windowed by a sine². */
static double part(const double *z, int n, double h, double f)
{
    double re = 0, im = 0, mean = 0;
    for (int i = 0; i < n; i++) mean += z[i] / n;
    for (int i = 0; i < n; i++) {
        double w = sin(M_PI * i / n), a = 2 * M_PI * f * h * i;
        re += w * w * (z[i] - mean) * cos(a), im += w * w * (z[i] - mean) * sin(a);
    }
    return hypot(re, im) / n;
}

/* Without dampers: the slowest mode. 80 s resolve 0.0125 Hz, the peak is found far finer, and
 * pitch is 0.127 Hz away. The rule's own error is (w h)²/12, 6e-6 of the frequency. */
static void the_undamped_car_bounces_at_1_320_Hz(void **state)
{
    (void)state;
    static const char *const FIRST[] = {"passenger=0"};
    static const char *const SETS[] = {"passenger=20",   "enters=0",       "front_damping=0",
                                       "rear_damping=0", "tyre_damping=0", "ground_damping=0"};
    struct model_run rest, p;
    enum { N = 8000 };
    static double z[N];
    open_with(&rest, FIRST, 1);
    model_run_until(&rest, 12);
    open_with(&p, SETS, 6);
    struct workspace *to = &p.trial.mechanism.ws, *from = &rest.trial.mechanism.ws;
    for (int k = 0; k < 17; k++) to->x[k] = from->x[k], to->q[k] = from->q[k];
    for (int k = 0; k < 17; k++) to->a[k] = to->ab[k] = six_zero();
    for (int i = 0; i < N; i++) {
        model_run_until(&p, i * 1e-2);
        z[i] = model_run_see(&p, "body.z");
    }
    double best = 0, at = 0;
    for (double f = 1.2; f < 1.4; f += 1e-4) {
        double size = part(z, N, 1e-2, f);
        if (size > best) best = size, at = f;
    }
    model_run_within("the bounce frequency, Hz", at, 1.3195, 1.3205);
    model_run_close(&p);
    model_run_close(&rest);
}

/* Drift of the paper: 1e-10. The balance is second order: 0.013 J of the 611 J that the
 * dampers take, from the start without load. */
static void the_car_keeps_its_joints_and_its_energy_balance(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0);
    model_run_until(&p, 60);
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-10);
    model_run_within("the energy balance", p.trial.figures.balance_max, 0, 0.02);
    assert_int_equal(p.trial.figures.not_converged, 0);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_car_has_the_counts_of_the_paper),
        cmocka_unit_test(the_car_sags_as_its_static_balance_says),
        cmocka_unit_test(the_passenger_sags_the_car_as_the_static_balance_says),
        cmocka_unit_test(a_light_passenger_moves_the_car_as_the_linear_equations_say),
        cmocka_unit_test(the_yaw_inertia_does_not_show),
        cmocka_unit_test(the_undamped_car_bounces_at_1_320_Hz),
        cmocka_unit_test(the_car_keeps_its_joints_and_its_energy_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
