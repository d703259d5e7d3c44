/* Time of a run: after any number of steps it is start + number x step to the last digit, and
 * the functions of time see that same number. A sum of 3.6 million steps of 1 ms is 2.7e-7 s
 * off, which the bound of zero would not pass. */
#include "rt/mech/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/physics/model_run.h"

static struct timeline steps(struct timeline l, int64_t n, double h)
{
    for (int64_t i = 0; i < n; i++) l = timeline_after(&l, timeline_time(&l), h);
    return l;
}

static void an_hour_of_steps_is_an_hour(void **state)
{
    (void)state;
    struct timeline l = steps((struct timeline){0}, 3600000, 1e-3);
    assert_true(timeline_time(&l) == 3600);
    l = steps((struct timeline){0}, 9, 1e-3);
    assert_true(timeline_time(&l) == 0.009);
}

static void steps_of_twice_the_length_stay_on_the_grid(void **state)
{
    (void)state;
    struct timeline l = {0};
    for (int i = 0; i < 1000000; i++) l = steps(l, 1, i % 3 ? 1e-3 : 2e-3);
    assert_true(timeline_time(&l) == 1333.334);
    l = steps(steps((struct timeline){0}, 1, 2e-3), 7, 1e-3);
    assert_true(timeline_time(&l) == 0.009);
}

static void a_step_off_the_grid_begins_where_it_is(void **state)
{
    (void)state;
    struct timeline l = steps((struct timeline){0}, 5, 1e-3);
    l = steps(l, 1, 0.3e-3 * (1 + 1e-7));
    assert_true(fabs(timeline_time(&l) - 0.0053) < 1e-9);
    l = timeline_after(&l, 2.5, 1e-3); /* somebody set the time */
    assert_true(timeline_time(&l) == 2.501);
}

/* A coordinate driven by t shows the time its motion saw. */
static void motions_and_the_csv_have_one_time(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n  j: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "motions:\n  m: {joint: j, value: t}\n"
        "sensors:\n  x: {type: joint-position, joint: j}\n",
        &o);
    model_run_until(&p, 20);
    assert_true(p.trial.mechanism.ws.t == 20);
    assert_true(trial_time(&p.trial) == 20);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_of_steps_is_an_hour),
        cmocka_unit_test(steps_of_twice_the_length_stay_on_the_grid),
        cmocka_unit_test(a_step_off_the_grid_begins_where_it_is),
        cmocka_unit_test(motions_and_the_csv_have_one_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
