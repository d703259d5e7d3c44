/* Expressions: values, units, dimensions, programs, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "services/load/text/expr.h"

/* Parameters of these tests: l = 2 (bare), k = 100 N/m, live = 3 N/m (live). */
static int find(void *context, const char *name, struct expr_value *out)
{
    static const struct function_code LIVE = {.op = OP_PARAM, .arg = 7};
    struct unit u;
    (void)context;
    assert_true(unit_parse("N/m", &u));
    if (strcmp(name, "l") == 0) {
        *out = (struct expr_value){.value = 2};
    } else if (strcmp(name, "k") == 0) {
        *out = (struct expr_value){.value = 100, .has_dimension = 1, .dimension = u.dimension};
    } else if (strcmp(name, "live") == 0) {
        *out = (struct expr_value){.value = 3,
                                   .has_dimension = 1,
                                   .dimension = u.dimension,
                                   .uses = EXPR_LIVE,
                                   .code = &LIVE,
                                   .n_code = 1};
    } else {
        return strcmp(name, "broken") == 0 ? -1 : 0;
    }
    return 1;
}

static const char *nearest(void *context, const char *name)
{
    (void)context;
    return name[0] == 'l' ? "live" : NULL;
}

static int eval(const char *text, unsigned allow, struct memory *memory, struct expr_value *v,
                struct expr_error *e)
{
    const struct expr_scope scope = {find, nearest, NULL, allow};
    return expr_eval(text, &scope, memory, v, e);
}

static void assert_value(const char *text, double value)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    if (!eval(text, 0, &memory, &v, &e)) fail_msg("'%s': %s", text, e.text);
    if (!(fabs(v.value - value) <= 1e-14 * fabs(value))) fail_msg("'%s' is %.17g", text, v.value);
    memory_release(&memory);
}

static void assert_wrong(const char *text, enum message kind, int offset)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e = {0};
    if (eval(text, 0, &memory, &v, &e)) fail_msg("'%s' is accepted as %g", text, v.value);
    if (e.kind != kind) fail_msg("'%s': %s (%s)", text, e.text, message_name(e.kind));
    if (e.offset != offset) fail_msg("'%s': found at %d: %s", text, e.offset, e.text);
    memory_release(&memory);
}

static void operators_have_the_usual_precedence(void **state)
{
    (void)state;
    assert_value("1 + 2*3", 7);
    assert_value("(1 + 2)*3", 9);
    assert_value("2^3^2", 512);
    assert_value("-2^2", -4);
    assert_value("2^-1", 0.5);
    assert_value("8/4/2", 1);
    assert_value("2 - 3 - 4", -5);
    assert_value("--3", 3);
    assert_value("+3", 3);
    assert_value("1e-3 + .5", 0.501);
    assert_value("2*l^2", 8);
}

static void functions_have_their_values(void **state)
{
    (void)state;
    assert_value("sin(pi/6)", 0.5);
    assert_value("sqrt(2)", sqrt(2));
    assert_value("atan2(1, -1)", atan2(1, -1));
    assert_value("max(1, 2, l + 1)", 3);
    assert_value("min(3, 2)", 2);
    assert_value("abs(-3) + exp(0) + log(1) + tan(0) + cos(0)", 5);
    assert_value("step(0) + step(-1)", 1);
}

static void a_unit_binds_to_the_number_or_parenthesis_before_it(void **state)
{
    (void)state;
    assert_value("90 deg", 3.14159265358979323846 / 2);
    assert_value("1ms", 1e-3);
    assert_value("2*30 mm", 0.06);
    assert_value("(2*l) mm", 4e-3);
    assert_value("100 km/h", 100 / 3.6);
    assert_value("1 m/2", 0.5);
    assert_value("1 m/l", 0.5);
    assert_value("5 %", 0.05);
    assert_value("2 m2", 2);
    assert_value("3 1/s", 3);
    assert_value("(l) deg", 2 * 3.14159265358979323846 / 180);
}

static void a_unit_behind_a_quotient_of_plain_numbers_is_that_of_the_quotient(void **state)
{
    (void)state;
    assert_value("1/2 mm", 0.5e-3);
    assert_value("1/4 kg", 0.25);
    assert_value("1/2 kN", 500);
    assert_value("90/2 deg", 3.14159265358979323846 / 4);
    assert_value("-1/2 mm", -0.5e-3);
    assert_value("1/-2 mm", -0.5e-3);
    assert_value("3*1/2/4 mm", 0.375e-3);
    assert_value("(1 + 2)/4 mm", 0.75e-3);
    assert_value("1/(1 + 3) mm", 0.25e-3);
    assert_value("1/2 kN/m*2", 1000);
    assert_value("1 m + 1/2 mm", 1.0005);
    assert_value("1/(2 mm)", 500);
    assert_value("6 m/2 m", 3);
    assert_wrong("1/2 mm + 1/(2 mm)", MESSAGE_WRONG_DIMENSION, 7);
    assert_wrong("l/2 deg", MESSAGE_WRONG_DIMENSION, 1);
    assert_wrong("pi/4 deg", MESSAGE_WRONG_DIMENSION, 2);
    assert_wrong("(3 rad) deg", MESSAGE_WRONG_DIMENSION, 8);
    assert_wrong("(atan2(k, 2*k)) deg", MESSAGE_WRONG_DIMENSION, 16);
}

/* Dimension of a text as an SI unit, "any" for a bare one. */
static void assert_unit(const char *text, const char *unit)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    char found[UNIT_TEXT] = "any";
    if (!eval(text, EXPR_TIME | EXPR_LIVE, &memory, &v, &e)) fail_msg("'%s': %s", text, e.text);
    if (v.has_dimension) unit_write(&v.dimension, found);
    if (strcmp(found, unit) != 0) fail_msg("'%s' is in %s", text, found);
    memory_release(&memory);
}

static void dimensions_go_through_every_operation(void **state)
{
    (void)state;
    assert_unit("2*k", "N/m");
    assert_unit("k/2", "N/m");
    assert_unit("l*k", "N/m"); /* l is a bare parameter */
    assert_unit("2/k", "kg^-1.s^2");
    assert_unit("k*sin(l)", "N/m");
    assert_unit("-k^2/k", "N/m");
    assert_unit("abs(0.5*k)", "N/m");
    assert_unit("sqrt(2*k/(3 kg))", "1/s");
    assert_unit("2*pi*l", "any");
    assert_unit("l*cos(l)", "any");
    assert_unit("l*(30 deg)", "any");
    assert_unit("2*(30 deg)", "a pure number");
    assert_unit("k/k", "a pure number");
    assert_unit("1 m + l", "m");
    assert_unit("10 deg + 2*t", "a pure number");
    assert_unit("3*t^2", "any");
    assert_unit("(3 m/s)*t", "m");
    assert_unit("(1 m)*t", "m^1.s^1");
    assert_unit("(1 m)*sin(2*t)", "m");
    assert_unit("t/(2 s)", "a pure number");
    assert_wrong("k + 2*k*k", MESSAGE_WRONG_DIMENSION, 2);
    assert_wrong("sin(2*k)", MESSAGE_WRONG_DIMENSION, 0);
}

static void known_dimensions_must_agree_and_bare_numbers_take_any(void **state)
{
    (void)state;
    assert_value("k + 5", 105);
    assert_value("k*0.1 m + 2 N", 12);
    assert_value("sqrt(k/1 kg) + 1 Hz", 11);
    assert_value("(4 m2)^0.5 + 1 m", 3);
}

static void what_does_not_parse_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_wrong("1 +", MESSAGE_EXPRESSION, 3);
    assert_wrong("(1 + 2", MESSAGE_EXPRESSION, 6);
    assert_wrong("1 2", MESSAGE_EXPRESSION, 2);
    assert_wrong("", MESSAGE_EXPRESSION, 0);
    assert_wrong("2*l mm", MESSAGE_EXPRESSION, 4);
    assert_wrong("sinus(1)", MESSAGE_EXPRESSION, 0);
    assert_wrong("sin(1, 2)", MESSAGE_EXPRESSION, 0);
    assert_wrong("0x10", MESSAGE_UNKNOWN_UNIT, 1);
    assert_wrong("3 miles", MESSAGE_UNKNOWN_UNIT, 2);
    assert_wrong("1 + lenght", MESSAGE_UNKNOWN_PARAMETER, 4);
    assert_wrong(".nan", MESSAGE_NOT_FINITE, 1);
    assert_wrong("t", MESSAGE_NO_TIME, 0);
    assert_wrong("2*live", MESSAGE_NO_LIVE, 2);
}

static void wrong_dimensions_are_refused(void **state)
{
    (void)state;
    assert_wrong("1 m + 1 s", MESSAGE_WRONG_DIMENSION, 4);
    assert_wrong("k + 1 m", MESSAGE_WRONG_DIMENSION, 2);
    assert_wrong("sin(1 m)", MESSAGE_WRONG_DIMENSION, 0);
    assert_wrong("2^(1 m)", MESSAGE_WRONG_DIMENSION, 2);
    assert_wrong("(2 m)^0.3", MESSAGE_WRONG_DIMENSION, 6);
    assert_wrong("(2 m) N", MESSAGE_WRONG_DIMENSION, 6);
    assert_wrong("atan2(1 m, 1 s)", MESSAGE_WRONG_DIMENSION, 0);
}

static void depth_and_length_are_bounded(void **state)
{
    char text[4000];
    (void)state;
    memset(text, '(', 1000), text[1000] = '1', memset(text + 1001, ')', 1000), text[2001] = 0;
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    assert_false(eval(text, 0, &memory, &v, &e));
    memset(text, '-', 3000), text[3000] = '1', text[3001] = 0;
    assert_false(eval(text, 0, &memory, &v, &e));
    size_t at = 0;
    for (int i = 0; i < 600; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%st", i ? "*" : "");
    assert_false(eval(text, EXPR_TIME, &memory, &v, &e));
    memory_release(&memory);
}

static void a_function_of_time_becomes_a_program_with_constants_folded(void **state)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    (void)state;
    assert_true(eval("0.1*sin(2*pi*5*t + (1 + 2)*l)", EXPR_TIME, &memory, &v, &e));
    assert_int_equal(v.uses, EXPR_TIME);
    assert_int_equal(v.n_code, 8); /* 0.1, 10 pi, t, *, 6, +, sin, * */
    assert_true(function_check_code(v.code, v.n_code, 0));
    struct jet f = function_run(v.code, v.n_code, 0.2, NULL);
    const double pi = 3.14159265358979323846;
    assert_true(fabs(f.f - 0.1 * sin(2 * pi + 6)) < 1e-14);
    assert_true(fabs(f.d1 - pi * cos(2 * pi + 6)) < 1e-12);
    memory_release(&memory);
}

static void a_live_parameter_becomes_a_program_with_its_start_value(void **state)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    double param[8] = {0};
    (void)state;
    assert_true(eval("2*live + k", EXPR_LIVE, &memory, &v, &e));
    assert_int_equal(v.uses, EXPR_LIVE);
    assert_true(v.value == 106);
    param[7] = 5;
    assert_true(function_run(v.code, v.n_code, 0, param).f == 110);
    memory_release(&memory);
}

static void a_name_that_is_known_but_wrong_is_not_reported_twice(void **state)
{
    struct memory memory = {0};
    struct expr_value v;
    struct expr_error e;
    (void)state;
    assert_false(eval("1 + broken", 0, &memory, &v, &e));
    assert_int_equal(e.silent, 1);
    memory_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_the_usual_precedence),
        cmocka_unit_test(functions_have_their_values),
        cmocka_unit_test(a_unit_binds_to_the_number_or_parenthesis_before_it),
        cmocka_unit_test(a_unit_behind_a_quotient_of_plain_numbers_is_that_of_the_quotient),
        cmocka_unit_test(dimensions_go_through_every_operation),
        cmocka_unit_test(known_dimensions_must_agree_and_bare_numbers_take_any),
        cmocka_unit_test(what_does_not_parse_is_refused_with_its_place),
        cmocka_unit_test(wrong_dimensions_are_refused),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(a_function_of_time_becomes_a_program_with_constants_folded),
        cmocka_unit_test(a_live_parameter_becomes_a_program_with_its_start_value),
        cmocka_unit_test(a_name_that_is_known_but_wrong_is_not_reported_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
