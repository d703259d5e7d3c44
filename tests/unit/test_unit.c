/* Units: scales, prefixes, exponents, dimensions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "services/load/text/unit.h"

#define PI 3.14159265358979323846

static void assert_unit(const char *text, double scale, const char *si)
{
    struct unit u, same;
    if (!unit_parse(text, &u)) fail_msg("'%s' is not read", text);
    assert_true(unit_parse(si, &same));
    if (fabs(u.scale - scale) > 1e-14 * scale) fail_msg("'%s' has scale %.17g", text, u.scale);
    if (!unit_is_same(&u.dimension, &same.dimension))
        fail_msg("'%s' is not of the kind of %s", text, si);
}

static void units_of_rigs_have_their_si_scale(void **state)
{
    (void)state;
    assert_unit("mm", 1e-3, "m");
    assert_unit("ms", 1e-3, "s");
    assert_unit("kN", 1e3, "N");
    assert_unit("kg", 1, "kg");
    assert_unit("g", 1e-3, "kg");
    assert_unit("deg", PI / 180, "rad");
    assert_unit("rpm", PI / 30, "rad/s");
    assert_unit("km/h", 1 / 3.6, "m/s");
    assert_unit("N.s/m", 1, "kg/s");
    assert_unit("N.m/rad", 1, "J");
    assert_unit("kg.m2", 1, "kg.m^2");
    assert_unit("m/s2", 1, "m/s^2");
    assert_unit("%", 0.01, "");
    assert_unit("Hz", 1, "1/s");
    assert_unit("bar", 1e5, "Pa");
    assert_unit("mH", 1e-3, "Ohm.s");
    assert_unit("V", 1, "W/A");
    assert_unit("N.m/A", 1, "V.s");
    assert_unit("deg/s", PI / 180, "1/s");
    assert_unit("kW", 1e3, "N.m/s");
    assert_unit("m^-1", 1, "1/m");
    assert_unit("Nm", 1, "N.m");
    assert_unit("N*m/rad", 1, "N.m");
}

static void each_slash_divides_by_one_factor_only(void **state)
{
    (void)state;
    assert_unit("N/m.s", 1, "kg/s"); /* (N/m).s */
    assert_unit("m/s/s", 1, "m/s2");
}

static void what_is_no_unit_is_not_read(void **state)
{
    static const char *const WRONG[] = {"pound", "mmm", "N..m", "kdeg", "m/",
                                        "1/",    "/s",  "m m",  "m_2",  "m22"};
    struct unit u;
    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        if (unit_parse(WRONG[i], &u)) fail_msg("'%s' is read as a unit", WRONG[i]);
}

static void a_unit_ends_where_it_no_longer_reads_as_one(void **state)
{
    struct unit u;
    (void)state;
    assert_int_equal(unit_read("m/k", 3, &u), 1);
    assert_int_equal(unit_read("m/2", 3, &u), 1);
    assert_int_equal(unit_read("N.s/m)", 6, &u), 5);
    assert_int_equal(unit_read("m-1", 3, &u), 1);
    assert_int_equal(unit_read("k*m", 3, &u), 0);
}

static void roots_stay_exact_and_large_powers_are_refused(void **state)
{
    struct unit area, length;
    struct dimension d = {{0}}, zero = {{0}};
    (void)state;
    assert_true(unit_parse("m2", &area) && unit_parse("m", &length));
    assert_true(unit_combine(&zero, &area.dimension, 1, &d));
    assert_true(unit_is_same(&d, &length.dimension));
    d = length.dimension;
    int steps = 0;
    while (steps < 100 && unit_combine(&d, &d, 2, &d)) steps++;
    assert_true(steps < 10);
}

static void dimensions_are_written_as_units_people_know(void **state)
{
    struct unit u;
    char text[UNIT_TEXT];
    (void)state;
    assert_true(unit_parse("kg.m/s2", &u));
    unit_write(&u.dimension, text);
    assert_string_equal(text, "N");
    assert_true(unit_parse("kg.m3/s", &u));
    unit_write(&u.dimension, text);
    assert_string_equal(text, "kg^1.m^3.s^-1");
    assert_true(unit_parse("", &u));
    unit_write(&u.dimension, text);
    assert_string_equal(text, "a pure number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_rigs_have_their_si_scale),
        cmocka_unit_test(each_slash_divides_by_one_factor_only),
        cmocka_unit_test(what_is_no_unit_is_not_read),
        cmocka_unit_test(a_unit_ends_where_it_no_longer_reads_as_one),
        cmocka_unit_test(roots_stay_exact_and_large_powers_are_refused),
        cmocka_unit_test(dimensions_are_written_as_units_people_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
