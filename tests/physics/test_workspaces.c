/* Two workspaces on one model run independently, and a rerun is equal to the last bit.
 *
 * Situation: a car-like mechanism with loops, springs and live parameters; one workspace
 * is stepped alone, then two are stepped in turns at different paces: the
 * first must end where it ended alone, bit for bit. No tolerance: the same operations in
 * the same order give the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rt/solve/method.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"

enum { STEPS = 400 };

struct stage {
    struct model *m;
    struct mechanism me;
    struct diag_list diags;
};

static void open_stage(struct stage *s, const char *path)
{
    struct plan_options o = mechanism_options();
    *s = (struct stage){0};
    assert_int_equal(load_model(path, 0, &s->m, &s->diags), STATUS_OK);
    assert_int_equal(mechanism_create(&s->me, s->m, &o, &s->diags), STATUS_OK);
}

static void close_stage(struct stage *s)
{
    mechanism_destroy(&s->me);
    load_free(s->m);
    diag_clear(&s->diags);
}

static void step(const struct stage *s, struct workspace *ws, double h)
{
    struct step_limits l = step_limits(s->m);
    struct step_report r;
    assert_int_not_equal(status_severity(method_advance(s->m, s->me.plan, ws, h, &l, &r)),
                         SEVERITY_BAD);
}

static void assert_same_bits(const struct workspace *a, const struct workspace *b)
{
    assert_int_equal(a->state_size, b->state_size);
    assert_memory_equal(a->state, b->state, a->state_size);
    assert_memory_equal(&a->t, &b->t, sizeof a->t);
}

static void rerun_is_equal_to_the_last_bit(const char *path)
{
    struct stage s;
    struct workspace again;
    open_stage(&s, path);
    assert_int_equal(mechanism_workspace(&s.me, &again), STATUS_OK);
    for (int i = 0; i < STEPS; i++) step(&s, &s.me.ws, 1e-3);
    for (int i = 0; i < STEPS; i++) step(&s, &again, 1e-3);
    assert_same_bits(&s.me.ws, &again);
    mechanism_reset(&s.me, &again);
    for (int i = 0; i < STEPS; i++) step(&s, &again, 1e-3);
    assert_same_bits(&s.me.ws, &again);
    close_stage(&s);
}

static void a_rerun_is_equal_to_the_last_bit(void **state)
{
    (void)state;
    rerun_is_equal_to_the_last_bit("config/models/cart.yaml");
    rerun_is_equal_to_the_last_bit("config/models/nfourbar.yaml");
    rerun_is_equal_to_the_last_bit("config/models/heavy-top.yaml");
}

static void two_workspaces_on_one_model_do_not_meet(void **state)
{
    (void)state;
    struct stage s;
    struct workspace alone, other;
    open_stage(&s, "config/models/cart.yaml");
    assert_int_equal(mechanism_workspace(&s.me, &alone), STATUS_OK);
    assert_int_equal(mechanism_workspace(&s.me, &other), STATUS_OK);
    for (int i = 0; i < STEPS; i++) step(&s, &alone, 1e-3);
    for (int i = 0; i < STEPS; i++) {
        step(&s, &s.me.ws, 1e-3);
        step(&s, &other, 2e-3); /* at another pace */
    }
    assert_same_bits(&alone, &s.me.ws);
    assert_true(memcmp(alone.state, other.state, alone.state_size) != 0);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rerun_is_equal_to_the_last_bit),
        cmocka_unit_test(two_workspaces_on_one_model_do_not_meet),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
