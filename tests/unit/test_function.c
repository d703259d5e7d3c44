/* Functions of time: their derivatives are those of their values, splines are smooth
 * through their knots, ramps and tables go on as the header says.
 *
 * Central differences of 1e-4 s: error about 1e-8 of third derivatives of order 10 for f',
 * 1e-7 for f''. */
#include "rt/mech/function.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/loading.h"

/* The function of a force whose value is written as given. */
struct written {
    struct loading loading;
    const struct model *m;
    int function;
};

static struct written write_down(const char *value)
{
    char text[1024];
    snprintf(text, sizeof text,
             "parameters: {k: {value: 2, live: true}}\n"
             "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
             "forces: {f: {type: joint-torque, joint: j, value: %s}}\n",
             value);
    struct written w = {.loading = loading_good(text)};
    w.m = w.loading.model;
    w.function = loading_force(&w.loading, "f")->function[0];
    return w;
}

static struct jet at(const struct written *w, double t)
{
    double param[4] = {0};
    for (uint32_t i = 0; i < w->m->parameters.n; i++) param[i] = model_parameters(w->m)[i].value;
    return function_eval(w->m, w->function, t, model_pool(w->m), param);
}

static void near_to(const char *what, double t, double value, double wanted, double bound)
{
    if (!(fabs(value - wanted) <= bound))
        fail_msg("%s at %g s is %.12g, wanted %.12g, bound %.2g", what, t, value, wanted, bound);
}

/* f' and f'' against differences of f and f', between the times given. */
static void check_slopes(const char *value, double from, double to)
{
    const double e = 1e-4;
    struct written w = write_down(value);
    for (int i = 0; i <= 200; i++) {
        double t = from + (to - from) * i / 200;
        struct jet a = at(&w, t - e), b = at(&w, t), c = at(&w, t + e);
        double size = 1 + fabs(b.f) + fabs(b.d1) + fabs(b.d2);
        near_to(value, t, b.d1, (c.f - a.f) / (2 * e), 1e-6 * size);
        near_to(value, t, b.d2, (c.d1 - a.d1) / (2 * e), 1e-6 * size);
    }
    loading_done(&w.loading);
}

static void expressions_know_their_own_derivatives(void **state)
{
    (void)state;
    static const char *const ALL[] = {
        "3 - 2*t + t^3",
        "sin(3*t)*cos(t)",
        "tan(t/4)",
        "1/(1 + t^2)",
        "sqrt(1 + t)",
        "exp(-t)*t",
        "log(2 + t)",
        "\"atan2(sin(t), 2 + cos(t))\"",
        "(1 + t)^2.5",
        "(1 + t)^t",
        "2^(sin(t))",
        "-(t - 4)^2",
        "abs(t + 1)*t",
        "\"min(t, 100)\"",
        "\"max(t^2, -1)\"",
        "step(t + 1)*t^2",
        "k*sin(k*t)",
        "(t^2 + 1)^0",
        "\"atan2(0.1*sin(10*t), sqrt(1 - (0.1*sin(10*t))^2))\"",
    };
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) check_slopes(ALL[i], 0.1, 3);
}

static void sines_and_ramps_know_their_own_derivatives(void **state)
{
    (void)state;
    check_slopes("{sine: {amplitude: 2, frequency: 0.7, phase: 0.3, offset: 1}}", -1, 3);
    check_slopes("{ramp: {start: 1, from: 2, rate: 3, end: 2}}", 1.01, 1.99);
    check_slopes("{ramp: {start: 1, from: 2, rate: 3, end: 2}}", 2.01, 3);
}

static void a_ramp_is_constant_before_and_after(void **state)
{
    (void)state;
    struct written w = write_down("{ramp: {start: 1, from: 2, to: 5, end: 2.5}}");
    near_to("before", 0.5, at(&w, 0.5).f, 2, 0);
    near_to("its middle", 1.75, at(&w, 1.75).f, 3.5, 1e-15);
    near_to("after", 9, at(&w, 9).f, 5, 1e-15);
    near_to("its slope", 1.5, at(&w, 1.5).d1, 2, 1e-15);
    near_to("its slope after", 9, at(&w, 9).d1, 0, 0);
    loading_done(&w.loading);
}

static const char TABLE[] = "{table: {times: [0, 0.3, 1, 1.2, 2], values: [1, 2, -1, 0.5, 0]}}";

static void a_table_knows_its_own_derivatives_between_knots(void **state)
{
    (void)state;
    check_slopes(TABLE, 0.01, 0.29);
    check_slopes(TABLE, 0.31, 0.99);
    check_slopes(TABLE, 1.01, 1.19);
    check_slopes(TABLE, 1.21, 1.99);
    check_slopes(TABLE, 2.01, 4);
    check_slopes(TABLE, -3, -0.01);
}

/* Value, slope and curvature agree on both sides of every knot, ends included; third
 * derivatives are below 1e3, so 1e-9 s apart they may differ by 1e-6. */
static void a_table_is_smooth_to_second_order_and_meets_its_points(void **state)
{
    (void)state;
    static const double KNOT[] = {0, 0.3, 1, 1.2, 2}, VALUE[] = {1, 2, -1, 0.5, 0};
    struct written w = write_down(TABLE);
    for (int i = 0; i < 5; i++) {
        struct jet a = at(&w, KNOT[i] - 1e-9), b = at(&w, KNOT[i]), c = at(&w, KNOT[i] + 1e-9);
        near_to("the value", KNOT[i], b.f, VALUE[i], 1e-14);
        near_to("the value's jump", KNOT[i], c.f - a.f, 0, 1e-7);
        near_to("the slope's jump", KNOT[i], c.d1 - a.d1, 0, 1e-6);
        near_to("the curvature's jump", KNOT[i], c.d2 - a.d2, 0, 1e-5);
    }
    near_to("the curvature at the first end", 0, at(&w, 0).d2, 0, 1e-12);
    near_to("the curvature at the last end", 2, at(&w, 2).d2, 0, 1e-12);
    loading_done(&w.loading);
}

static void a_table_goes_on_along_its_end_slopes(void **state)
{
    (void)state;
    struct written w = write_down(TABLE);
    struct jet end = at(&w, 2), far = at(&w, 5), begin = at(&w, 0), early = at(&w, -2);
    near_to("behind", 5, far.f, end.f + 3 * end.d1, 1e-13);
    near_to("before", -2, early.f, begin.f - 2 * begin.d1, 1e-13);
    loading_done(&w.loading);
}

static void two_points_make_a_line(void **state)
{
    (void)state;
    struct written w = write_down("{table: {times: [1, 3], values: [2, 8]}}");
    for (double t = -1; t < 5; t += 0.25) {
        near_to("the line", t, at(&w, t).f, 3 * t - 1, 1e-14);
        near_to("its slope", t, at(&w, t).d1, 3, 1e-14);
    }
    loading_done(&w.loading);
}

/* Equal knots, f = 0, 1, 0, 0, natural ends: 4 m1 + m2 = 6 (0 - 2 + 0), m1 + 4 m2 = 6 (1 - 0 + 0). */
static void the_spline_solves_its_equations(void **state)
{
    (void)state;
    const double t[4] = {0, 1, 2, 3}, f[4] = {0, 1, 0, 0};
    double d2[4], scratch[8];
    function_spline(t, f, d2, 4, scratch);
    near_to("the first", 1, d2[1], -54. / 15, 1e-14);
    near_to("the second", 2, d2[2], 36. / 15, 1e-14);
    near_to("an end", 0, d2[0], 0, 0);
    near_to("an end", 3, d2[3], 0, 0);
}

static void a_program_that_leaves_its_stack_is_found(void **state)
{
    (void)state;
    struct function_code deep[FUNCTION_STACK + 1], add = {.op = OP_ADD},
                                                   two[2] = {{.op = OP_TIME}, {.op = OP_TIME}};
    for (int i = 0; i <= FUNCTION_STACK; i++) deep[i] = (struct function_code){.op = OP_TIME};
    assert_false(function_check_code(deep, FUNCTION_STACK + 1, 0));
    assert_false(function_check_code(&add, 1, 0));
    assert_false(function_check_code(two, 2, 0));
    assert_true(function_check_code(two, 1, 0));
    struct function_code param = {.op = OP_PARAM, .arg = 3}, none = {.op = OP_COUNT};
    assert_false(function_check_code(&param, 1, 3));
    assert_true(function_check_code(&param, 1, 4));
    assert_false(function_check_code(&none, 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_know_their_own_derivatives),
        cmocka_unit_test(sines_and_ramps_know_their_own_derivatives),
        cmocka_unit_test(a_ramp_is_constant_before_and_after),
        cmocka_unit_test(a_table_knows_its_own_derivatives_between_knots),
        cmocka_unit_test(a_table_is_smooth_to_second_order_and_meets_its_points),
        cmocka_unit_test(a_table_goes_on_along_its_end_slopes),
        cmocka_unit_test(two_points_make_a_line),
        cmocka_unit_test(the_spline_solves_its_equations),
        cmocka_unit_test(a_program_that_leaves_its_stack_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
