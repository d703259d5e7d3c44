/* The spread of measured times: quantiles within the width of a bin, 0.55 %, whatever the
 * number of samples; the largest value exactly. */
#include "services/sim/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void near_to(double value, double wanted, double part)
{
    if (!(fabs(value - wanted) <= part * wanted)) fail_msg("%.10g, wanted %.10g", value, wanted);
}

static void quantiles_of_a_uniform_spread_are_its_parts(void **state)
{
    (void)state;
    static struct spread s;
    s = (struct spread){0};
    for (int i = 1; i <= 100000; i++) spread_add(&s, i);
    near_to(spread_quantile(&s, 0.5), 50000, 0.006);
    near_to(spread_quantile(&s, 0.99), 99000, 0.006);
    near_to(spread_quantile(&s, 0.999), 99900, 0.006);
    near_to(s.max, 100000, 0);
    near_to(s.sum, 5000050000., 1e-15);
}

static void one_slow_sample_in_a_thousand_shows_only_at_the_end(void **state)
{
    (void)state;
    static struct spread s;
    s = (struct spread){0};
    for (int i = 0; i < 999; i++) spread_add(&s, 1500);
    spread_add(&s, 2e6);
    near_to(spread_quantile(&s, 0.5), 1500, 0.006);
    near_to(spread_quantile(&s, 0.999), 1500, 0.006);
    near_to(spread_quantile(&s, 1), 2e6, 0.006);
}

static void no_sample_and_odd_samples_are_survived(void **state)
{
    (void)state;
    static struct spread s;
    s = (struct spread){0};
    assert_true(spread_quantile(&s, 0.5) == 0);
    spread_add(&s, 0);
    spread_add(&s, -3);
    spread_add(&s, 1e300);
    assert_int_equal(s.n, 3);
    assert_true(s.max == 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_a_uniform_spread_are_its_parts),
        cmocka_unit_test(one_slow_sample_in_a_thousand_shows_only_at_the_end),
        cmocka_unit_test(no_sample_and_odd_samples_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
