/* The admission test: it measures what it says, by counters and on the virtual clock; with
 * the real solver it takes the way of a step that is redone, and moves nothing by it. */
#include "rt/tick/admit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/time/vclock.h"
#include "services/run/rig_setup.h"

enum { MS = 1000000, US = 1000 };

/* ---- a plant that costs what it is told, on the virtual clock ----------------------- */

struct costs {
    struct vclock clock;
    int64_t step_ns, iteration_ns, sensors_ns, cold_ns; /* cold: more at the first step */
    int wants, fails_at;     /* iterations it wants; step that is not finite, 0: none */
    int steps, resets;
};

static enum status costs_step(void *self, double h, const double *command,
                              const struct step_limits *limits, struct step_report *report)
{
    struct costs *c = self;
    int n = limits->fixed ? limits->iterations : c->wants, times = limits->longest ? 2 : 1;

    (void)h;
    (void)command;
    c->clock.now_ns += times * (c->step_ns + n * c->iteration_ns) +
                       (c->steps == 0 ? c->cold_ns : 0);
    c->steps++;
    *report = (struct step_report){.iterations = n, .redone = limits->longest};
    if (c->steps == c->fails_at) report->status = STATUS_NOT_FINITE;
    return report->status;
}

static void costs_sensors(void *self, double *channel)
{
    struct costs *c = self;
    c->clock.now_ns += c->sensors_ns;
    channel[0] = 1;
}

static void costs_reset(void *self) { ((struct costs *)self)->resets++; }

static struct admission measure_costs(struct costs *c, int contacts)
{
    static const struct plant_type TYPE = {
        .step = costs_step, .sensors = costs_sensors, .reset = costs_reset};
    static struct admit a;
    static double channel[1];
    struct admission out;

    a.plant = (struct plant){.type = &TYPE, .self = c, .limits = {.iterations = 3}};
    a.time = vclock_init(&c->clock, 0);
    a.period_ns = MS;
    a.limit_ns = 300 * MS;
    a.contacts = contacts;
    a.channel = channel;
    admit_measure(&a, &out);
    return out;
}

static void the_costs_of_each_way_are_told_apart(void **state)
{
    struct costs c = {.step_ns = 10 * US, .iteration_ns = 20 * US, .sensors_ns = US, .wants = 1};
    struct admission a;

    (void)state;
    c.cold_ns = 100 * US;
    a = measure_costs(&c, 1);
    assert_int_equal(a.done, 1);
    assert_int_equal(a.cold_ns, 131 * US);
    assert_int_equal(a.runs.median_ns, 31 * US);
    assert_int_equal(a.runs.iterations, 1);
    assert_int_equal(a.full.worst_ns, 71 * US);
    assert_int_equal(a.full.iterations, 3);
    assert_int_equal(a.longest.p99_ns, 141 * US);
    assert_int_equal(a.bound_ns, 141 * US);
    assert_true(a.runs.n > 90 && a.full.n > 90 && a.longest.n > 90);
    assert_int_equal(a.runs.redone + a.full.redone, 0);
    assert_int_equal(a.longest.redone, a.longest.n);
    assert_true(c.clock.now_ns <= 302 * MS); /* within the time it was given */
    assert_int_equal(c.resets, 2);
}

static void without_contacts_all_iterations_are_the_bound(void **state)
{
    struct costs c = {.step_ns = 10 * US, .iteration_ns = 20 * US, .wants = 2};
    struct admission a;

    (void)state;
    a = measure_costs(&c, 0);
    assert_int_equal(a.longest.n, 0);
    assert_int_equal(a.bound_ns, 70 * US);
    assert_true(a.runs.n > 140 && a.full.n > 140);
}

static void a_step_that_fails_ends_the_test_and_is_told(void **state)
{
    struct costs c = {.step_ns = US, .fails_at = 20};
    struct admission a;

    (void)state;
    a = measure_costs(&c, 0);
    assert_int_equal(a.status, STATUS_NOT_FINITE);
    assert_int_equal(a.runs.n, 19);
    assert_int_equal(a.done, 1);
}

/* ---- the solver ---------------------------------------------------------------------- */

static int stamps;
static void count_stamp(void *context)
{
    (void)context;
    stamps++;
}

static void the_redone_step_is_really_done_twice(void **state)
{
    struct vclock clock;
    struct rig_setup l;
    static struct admit a;
    struct admission out;

    (void)state;
    assert_int_equal(rig_setup_create(&l, "config/rigs/default.yaml", NULL, 0), STATUS_OK);
    assert_true(l.options.contacts);
    a.plant = l.options.plant;
    a.time = vclock_init(&clock, 0);
    a.period_ns = MS;
    a.limit_ns = 60 * MS;
    a.contacts = 1;
    a.command = calloc(l.model->actuators.n + 1, sizeof(double));
    a.channel = calloc((size_t)l.model->n_channels + 1, sizeof(double));
    admit_measure(&a, &out);
    assert_int_equal(out.full.iterations, (uint64_t)l.model->iterations);
    assert_true(out.longest.n >= 19);
    assert_int_equal(out.longest.redone, out.longest.n);
    assert_int_equal(status_severity((enum status)out.status), SEVERITY_GOOD);
    free((void *)(size_t)a.command);
    free(a.channel);
    rig_setup_destroy(&l);
}

/* 200 steps; blocks of the last one and where the bodies end. */
static int drive(struct rig_setup *l, int longest, double *x)
{
    struct plant *p = &l->options.plant;
    struct step_limits limits = p->limits;
    double *command = calloc(l->model->actuators.n + 1, sizeof *command);
    struct step_report report;

    limits.may_iterate = NULL;
    limits.stamp = count_stamp;
    limits.fixed = 1;
    limits.longest = longest;
    p->type->reset(p->self);
    for (int i = 0; i < 200; i++) {
        stamps = 0;
        p->type->step(p->self, 1e-3, command, &limits, &report);
        assert_int_equal(report.redone, longest);
    }
    p->type->poses(p->self, x);
    free(command);
    return stamps;
}

/* Where the rule has no auxiliary acceleration (rho 1) the redone step is the same one. */
static void the_longest_way_moves_nothing(void **state)
{
    struct rig_setup l;
    double *x[2];
    int n;

    (void)state;
    assert_int_equal(rig_setup_create(&l, "config/rigs/default.yaml", NULL, 0), STATUS_OK);
    n = (int)l.model->bodies.n * 7;
    for (int k = 0; k < 2; k++) x[k] = calloc((size_t)n, sizeof(double));
    int once = drive(&l, 0, x[0]), twice = drive(&l, 1, x[1]);
    assert_in_range(twice, 2 * once - 4, 2 * once); /* the projections are done once */
    for (int i = 0; i < n; i++)
        if (!(fabs(x[1][i] - x[0][i]) <= 1e-6)) fail_msg("%d: %.12g, %.12g", i, x[0][i], x[1][i]);
    for (int k = 0; k < 2; k++) free(x[k]);
    rig_setup_destroy(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_costs_of_each_way_are_told_apart),
        cmocka_unit_test(without_contacts_all_iterations_are_the_bound),
        cmocka_unit_test(a_step_that_fails_ends_the_test_and_is_told),
        cmocka_unit_test(the_redone_step_is_really_done_twice),
        cmocka_unit_test(the_longest_way_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
