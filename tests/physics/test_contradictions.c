/* Motions that no freedom is left for are refused at load by name; those that are accepted
 * keep every joint closed, redundant rows too. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/solve/evaluate.h"
#include "rt/solve/violations.h"
#include "tests/physics/random_mechanism.h"

/* What the first error says, "" where there is none. */
static void first_error(const char *text, char *said, size_t size)
{
    struct trial t;
    struct diag_list diags = {0};
    struct trial_options o = model_run_options(1e-3);
    said[0] = 0;
    if (trial_open_text(&t, text, &o, &diags) == STATUS_REFUSED)
        for (int i = diags.n - 1; i >= 0; i--)
            if (diags.item[i].level == DIAG_ERROR) snprintf(said, size, "%s", diags.item[i].text);
    trial_close(&t);
    diag_clear(&diags);
}

static void assert_refused(const char *text, const char *words)
{
    char said[500];
    first_error(text, said, sizeof said);
    if (!strstr(said, words)) fail_msg("'%s' does not say '%s'", said, words);
}

#define FOURBAR(motions)                                                                       \
    "bodies:\n"                                                                                \
    "  crank: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [0, 0.5, 0]}\n"                   \
    "  coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.65, 1, 0]}\n"                \
    "  rocker: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [1.3, 0.5, 0]}\n"                \
    "joints:\n"                                                                                \
    "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"        \
    "  b: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"       \
    "  c: {type: revolute, between: [coupler, rocker], at: [1.3, 1, 0], axis: [0, 0, 1]}\n"    \
    "  d: {type: revolute, between: [ground, rocker], at: [1.3, 0, 0], axis: [0, 0, 1]}\n"     \
    "motions:\n" motions

static void a_motion_against_a_joint_is_refused_by_name(void **state)
{
    (void)state;
    assert_refused("bodies:\n"
                   "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                   "joints:\n"
                   "  h: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                   "  s: {type: spherical, between: [ground, b], at: [1, 0, 0]}\n"
                   "motions: {m: {joint: h, value: 0.5*t}}\n",
                   "motion m: joint h has no freedom left: joint s holds it");
    assert_refused(
        "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}}\n"
        "joints: {d: {type: distance, between: [ground, a], at: [0, 0, 0], at-b: [0, 1, 0]}}\n"
        "motions: {m: {joint: d, value: 1 + t}}\n",
        "motion m: joint d has no freedom left: joint d holds it (distance)");
    assert_refused(
        "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}}\n"
        "joints: {s: {type: screw, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], pitch: 5 mm}}\n"
        "motions: {m: {joint: s, coordinate: angle, value: t}, n: {joint: s, coordinate: position, value: t}}\n",
        "has no freedom left");
}

static void two_motions_of_one_freedom_are_refused(void **state)
{
    char said[500];
    (void)state;
    assert_refused(FOURBAR("  m: {joint: a, value: t}\n  n: {joint: d, value: 2*t}\n"),
                   "has no freedom left: motion");
    assert_refused(FOURBAR("  m: {joint: a, value: t}\n  n: {joint: c, value: 0}\n"),
                   "has no freedom left: motion");
    first_error(FOURBAR("  m: {joint: a, value: t}\n"), said, sizeof said);
    assert_string_equal(said, "");
    first_error(FOURBAR("  m: {joint: c, value: 0.1*sin(t)}\n"), said, sizeof said);
    assert_string_equal(said, "");
}

static void a_length_that_changes_in_a_stiff_frame_is_refused(void **state)
{
    (void)state;
    assert_refused(
        "bodies:\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  h: {type: fixed, between: [ground, b], at: [0, 0, 0]}\n"
        "  s: {type: distance, between: [ground, b], at: [0, 1, 0], at-b: [1, 0, 0], length: sqrt(2) + 0.1*t}\n",
        "joint s has no freedom left to change over time");
}

/* Append motions of some of the tree's hinges and slides. */
static int add_motions(char *text, size_t size, unsigned seed)
{
    size_t n = strlen(text);
    int made = 0, wanted = 1 + (int)(seed % 3);
    if (strstr(text, "\nmotions:")) return 0;
    n += (size_t)snprintf(text + n, size - n, "motions:\n");
    for (unsigned i = 0; i < 40 && made < wanted; i++) {
        char revolute[40], slide[40];
        unsigned j = (i * 7 + seed) % 40;
        snprintf(revolute, sizeof revolute, "  j%u: {type: revolute", j);
        snprintf(slide, sizeof slide, "  j%u: {type: prismatic", j);
        if (!strstr(text, revolute) && !strstr(text, slide)) continue;
        n += (size_t)snprintf(text + n, size - n, "  m%u: {joint: j%u, value: 0.2*sin(2*t)}\n", j,
                              j);
        made++;
    }
    return made;
}

static void accepted_motions_keep_every_joint_closed(void **state)
{
    static char text[60000];
    int refused = 0, run = 0;
    (void)state;
    for (unsigned seed = 0; seed < 160; seed++) {
        struct random_options r = {.small = 1, .no_drives = 1};
        struct trial t;
        struct diag_list diags = {0};
        struct trial_options o = model_run_options(1e-3);
        random_mechanism(seed, &r, text, sizeof text);
        if (!add_motions(text, sizeof text, seed)) continue;
        enum status s = trial_open_text(&t, text, &o, &diags);
        for (int i = 0; i < diags.n; i++)
            refused += strstr(diags.item[i].text, "no freedom left") != NULL;
        if (s == STATUS_OK) {
            for (int i = 0; i < 20 && s == STATUS_OK; i++) s = trial_step(&t);
            struct evaluation ev = evaluation_at_state(t.model, t.mechanism.plan, &t.mechanism.ws);
            evaluate_functions(&ev);
            evaluate_accepted(&ev);
            evaluate_coordinates(&ev, t.mechanism.plan->n_watched);
            int j;
            double open = violations_largest(&ev, LEVEL_POSITION, 0, &j);
            if (!(open < 1e-6)) fail_msg("seed %u: joint %d is open by %g", seed, j, open);
            run++;
        }
        trial_close(&t);
        diag_clear(&diags);
    }
    if (run < 60 || refused < 5) fail_msg("%d run, %d refused", run, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_against_a_joint_is_refused_by_name),
        cmocka_unit_test(two_motions_of_one_freedom_are_refused),
        cmocka_unit_test(a_length_that_changes_in_a_stiff_frame_is_refused),
        cmocka_unit_test(accepted_motions_keep_every_joint_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
