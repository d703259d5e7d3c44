/* Loading when memory runs out: the n-th piece the loader takes fails, n swept until it
 * no longer does. Every try ends in "out of memory", leaves *model alone and nothing
 * behind (the sanitizer builds see a leak). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "services/load/model/load.h"

static int refuse_at_zero(void *context)
{
    int *left = context;
    return (*left)-- == 0;
}

/* Load with the n-th piece failing. Returns 1 when there was no n-th piece. */
static int load_failing_at(const char *path, const char *set, int n)
{
    struct diag_list diags = {0};
    struct model *m = NULL;
    int left = n;
    const char *sets[] = {set};
    struct load_options o = {
        .sets = sets, .n_sets = set != NULL, .refuse = refuse_at_zero, .context = &left};
    enum status s = load_model(path, &o, &m, &diags);
    int done = left >= 0;
    if (done)
        assert_int_not_equal(s, STATUS_NO_MEMORY);
    else
        assert_int_equal(s, STATUS_NO_MEMORY);
    if (s != STATUS_OK) assert_null(m);
    load_free(m);
    diag_clear(&diags);
    return done;
}

static int sweep(const char *path, const char *set)
{
    int n = 0;
    while (!load_failing_at(path, set, n)) n++;
    return n;
}

static void a_model_with_every_section_survives_each_failure(void **state)
{
    (void)state;
    assert_true(sweep("config/models/pendulum.yaml", NULL) > 100);
}

static void components_survive_each_failure(void **state)
{
    (void)state;
    assert_true(sweep("config/models/cart.yaml", "front=40000 N/m") > 300);
}

static void repeats_survive_each_failure(void **state)
{
    (void)state;
    assert_true(sweep("config/models/chain.yaml", "n=3") > 100);
}

static void a_wrong_model_survives_each_failure(void **state)
{
    (void)state;
    assert_true(sweep("tests/data/bad/exclusive-keys.yaml", NULL) > 50);
    assert_true(sweep("tests/data/bad/turned-axes.yaml", NULL) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_with_every_section_survives_each_failure),
        cmocka_unit_test(components_survive_each_failure),
        cmocka_unit_test(repeats_survive_each_failure),
        cmocka_unit_test(a_wrong_model_survives_each_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
