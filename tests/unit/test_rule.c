/* The integration rule on one oscillator x'' = -k x - c x' + f(t), written out anew here:
 * its order, its damping of what the step does not resolve, and what its coefficients say
 * of each other. */
#include "rt/solve/rule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const double RHO[] = {0, 0.5, 0.8, 0.95, 1};
enum { N_RHO = sizeof RHO / sizeof RHO[0] };

struct state {
    double x, v, a, ab;
};

static void near_to(const char *what, double rho, double value, double wanted, double bound)
{
    if (!(fabs(value - wanted) <= bound))
        fail_msg("%s at rho %g is %.12g, wanted %.12g, bound %.2g", what, rho, value, wanted,
                 bound);
}

/* One step as the solver does it: D from M a + c v + k x = 0 at n+1, a = ca D + a0. */
static struct state advance(const struct rule *r, double k, double c, struct state s)
{
    double v0 = r->v_v * s.v + r->v_ab * s.ab, a0 = r->a_v * s.v + r->a_ab * s.ab + r->a_a * s.a;
    double D = -(a0 + c * v0 + k * s.x) / (r->ca + c * r->cv + k);
    struct six d = {vec_make(D, 0, 0), vec_zero()}, vn = {vec_make(s.v, 0, 0), vec_zero()},
               abn = {vec_make(s.ab, 0, 0), vec_zero()};
    return (struct state){s.x + D, r->cv * D + v0, r->ca * D + a0,
                          rule_auxiliary(r, d, vn, abn).l[0]};
}

static struct state start(double k, double c)
{
    return (struct state){1, 0.3, -k - 0.3 * c, -k - 0.3 * c};
}

/* Error in x, v, a at 1 s of k = 40, c = 0.8 against the closed form. */
static void errors_at_1_s(double rho, double h, double *e)
{
    const double k = 40, c = 0.8, w = sqrt(k - c * c / 4), d = c / 2;
    double B = (0.3 + d) / w, g = exp(-d), C = cos(w), S = sin(w);
    double x = g * (C + B * S), v = g * (-w * S + w * B * C) - d * x;
    struct rule r = rule_make(rho, h);
    struct state s = start(k, c);
    for (long i = 0; i < lround(1 / h); i++) s = advance(&r, k, c, s);
    e[0] = s.x - x, e[1] = s.v - v, e[2] = s.a + k * x + c * v;
}

static void every_member_of_the_family_has_order_2(void **state)
{
    (void)state;
    for (int i = 0; i < N_RHO; i++) {
        double coarse[3], fine[3];
        errors_at_1_s(RHO[i], 1e-3, coarse);
        errors_at_1_s(RHO[i], 5e-4, fine);
        for (int j = 0; j < 3; j++)
            near_to("the order", RHO[i], log2(fabs(coarse[j] / fine[j])), 2, 0.1);
    }
}

/* With omega h = 1e4 the state shrinks by rho a step in the long run. */
static void what_the_step_does_not_resolve_shrinks_by_rho(void **state)
{
    (void)state;
    for (int i = 1; i < N_RHO - 1; i++) {
        const double h = 1e-3, k = 1e14;
        struct rule r = rule_make(RHO[i], h);
        struct state s = start(k, 0);
        double size[2] = {0};
        for (int n = 0; n < 400; n++) {
            s = advance(&r, k, 0, s);
            if (n == 299 || n == 399) size[n == 399] = hypot(s.x * k, hypot(s.v / h, s.ab));
        }
        near_to("the shrinking", RHO[i], pow(size[1] / size[0], 0.01), RHO[i], 0.02);
    }
}

/* The trapezoidal rule keeps the energy of an oscillator to rounding. */
static void rho_1_keeps_the_energy_of_an_oscillator(void **state)
{
    (void)state;
    struct rule r = rule_make(1, 1e-2);
    struct state s = start(40, 0);
    double before = 0.5 * s.v * s.v + 20 * s.x * s.x;
    for (int n = 0; n < 10000; n++) s = advance(&r, 40, 0, s);
    near_to("the energy", 1, 0.5 * s.v * s.v + 20 * s.x * s.x, before, 1e-10);
}

static void rho_1_is_the_trapezoidal_rule(void **state)
{
    (void)state;
    const double h = 2e-3;
    struct rule r = rule_make(1, h);
    near_to("s", 1, r.s, h * h / 4, 1e-18);
    near_to("s c_v", 1, r.sc, h / 2, 1e-15);
    struct state s = {0.3, 0.7, -2, -2}, n = advance(&r, 10, 1, s);
    near_to("x", 1, n.x, s.x + h / 2 * (s.v + n.v), 1e-15);
    near_to("v", 1, n.v, s.v + h / 2 * (s.a + n.a), 1e-13);
    near_to("a", 1, n.a, -10 * n.x - n.v, 1e-9);
}

/* The defining equations of the family, not the solver's form of them. */
static void the_coefficients_satisfy_the_equations_they_come_from(void **state)
{
    (void)state;
    const double h = 3e-3;
    for (int i = 0; i < N_RHO; i++) {
        struct rule r = rule_make(RHO[i], h);
        struct state s = {0.3, 0.7, -2, -1.5};
        if (RHO[i] == 1) s.ab = s.a;
        struct state n = advance(&r, 10, 1, s);
        near_to("x", RHO[i], n.x, s.x + h * s.v + h * h * ((0.5 - r.be) * s.ab + r.be * n.ab),
                1e-14);
        near_to("v", RHO[i], n.v, s.v + h * ((1 - r.ga) * s.ab + r.ga * n.ab), 1e-13);
        near_to("a", RHO[i], (1 - r.am) * n.ab + r.am * s.ab, (1 - r.af) * n.a + r.af * s.a, 1e-9);
        near_to("ca s", RHO[i], r.ca * r.s, 1, 1e-14);
        near_to("sc", RHO[i], r.sc, r.s * r.cv, 1e-18);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_of_the_family_has_order_2),
        cmocka_unit_test(what_the_step_does_not_resolve_shrinks_by_rho),
        cmocka_unit_test(rho_1_keeps_the_energy_of_an_oscillator),
        cmocka_unit_test(rho_1_is_the_trapezoidal_rule),
        cmocka_unit_test(the_coefficients_satisfy_the_equations_they_come_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
