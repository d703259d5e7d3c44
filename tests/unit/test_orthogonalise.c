/* The rank of loops: rows that are mostly zero are handled as strips, and must give what full
 * rows give: the same rows chosen, the same pivots, a factor that makes the columns again. And the time to plan n loops in one block grows no faster than n^2. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "services/plan/orthogonalise.h"
#include "services/sim/trial.h"

enum { ROWS = 60, COLUMNS = 45 };

static double drawn(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Rows of length 0.5 to 1 on a few columns, every third a sum of two before it. */
static void draw_rows(double a[ROWS][COLUMNS], unsigned *seed)
{
    memset(a, 0, sizeof(double) * ROWS * COLUMNS);
    for (int i = 0; i < ROWS; i++) {
        double size = 0;
        if (i % 3 == 2) {
            for (int k = 0; k < COLUMNS; k++) a[i][k] = a[i - 1][k] - 0.5 * a[i - 2][k];
        } else {
            int at = (int)((drawn(seed) + 1) / 2 * (COLUMNS - 4));
            for (int k = 0; k < 4; k++) a[i][at + k] = drawn(seed);
        }
        for (int k = 0; k < COLUMNS; k++) size += a[i][k] * a[i][k];
        size = (0.75 + 0.25 * drawn(seed)) / sqrt(size);
        for (int k = 0; k < COLUMNS; k++) a[i][k] *= size;
    }
}

static double product(const double *a, const double *b)
{
    double s = 0;
    for (int k = 0; k < COLUMNS; k++) s += a[k] * b[k];
    return s;
}

/* The plain way, on full rows. */
static int choose_full(double a[ROWS][COLUMNS], double least, int *kept, double *smallest)
{
    int rank = 0;
    memset(kept, 0, sizeof(int) * ROWS);
    for (*smallest = 1;; rank++) {
        int best = -1;
        double size = least;
        for (int i = 0; i < ROWS; i++)
            if (!kept[i] && sqrt(product(a[i], a[i])) > size)
                size = sqrt(product(a[i], a[i])), best = i;
        if (best < 0) return rank;
        kept[best] = 1;
        *smallest = fmin(*smallest, size);
        for (int k = 0; k < COLUMNS; k++) a[best][k] /= size;
        for (int i = 0; i < ROWS; i++)
            for (int pass = 0; pass < 2 && !kept[i]; pass++) {
                double f = product(a[i], a[best]);
                for (int k = 0; k < COLUMNS; k++) a[i][k] -= f * a[best][k];
            }
    }
}

static void strips_choose_the_rows_that_full_rows_choose(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (int trial = 0; trial < 50; trial++) {
        double a[ROWS][COLUMNS], want, smallest, largest;
        int kept[ROWS], expected[ROWS];
        draw_rows(a, &seed);
        struct strip *rows = strip_make(ROWS);
        assert_non_null(rows);
        for (int i = 0; i < ROWS; i++) assert_true(strip_pack(&rows[i], a[i], COLUMNS));
        int rank = choose_full(a, 1e-2, expected, &want);
        assert_int_equal(
            orthogonalise_choose(rows, ROWS, COLUMNS, 1e-2, NULL, kept, &smallest, &largest), rank);
        assert_in_range(rank, 20, COLUMNS);
        assert_memory_equal(kept, expected, sizeof kept);
        assert_true(fabs(smallest - want) <= 1e-12);
        assert_true(largest < 1e-2);
        strip_free(rows, ROWS);
    }
}

static void the_factor_makes_the_columns_again(void **state)
{
    (void)state;
    unsigned seed = 11;
    double a[ROWS][COLUMNS], row[ROWS], back[COLUMNS];
    struct triangle r;
    draw_rows(a, &seed);
    struct strip *q = strip_make(ROWS);
    assert_non_null(q);
    for (int i = 0; i < ROWS; i++) assert_true(strip_pack(&q[i], a[i], COLUMNS));
    assert_true(orthogonalise_factor(q, COLUMNS, ROWS, &r));
    for (int j = 0; j < ROWS; j++) {
        double full[COLUMNS];
        memset(back, 0, sizeof back);
        for (int i = 0; i <= j; i++) {
            double f = i == j ? r.diagonal[j] : 0;
            for (size_t e = 0; i < j && e < r.row[i].n; e++)
                if (r.row[i].entry[e].column == (size_t)j) f = r.row[i].entry[e].value;
            strip_unpack(&q[i], full, COLUMNS);
            for (int k = 0; k < COLUMNS; k++) back[k] += f * full[k];
        }
        for (int k = 0; k < COLUMNS; k++) assert_true(fabs(back[k] - a[j][k]) < 1e-9);
    }
    for (int j = 0; j < ROWS; j++) row[j] = drawn(&seed);
    double given[ROWS];
    memcpy(given, row, sizeof row);
    orthogonalise_divide(&r, row);
    for (int j = 0; j < ROWS; j++) { /* row R is what was given, where R has a length */
        double v = row[j] * r.diagonal[j];
        for (int i = 0; i < j; i++)
            for (size_t e = 0; e < r.row[i].n; e++)
                if (r.row[i].entry[e].column == (size_t)j) v += row[i] * r.row[i].entry[e].value;
        if (r.diagonal[j] > 0) assert_true(fabs(v - given[j]) <= 1e-9 * (1 + fabs(v)));
    }
    orthogonalise_free(&r);
    strip_free(q, ROWS);
}

/* Processor time in s to load and plan n four-bars in a row, the least of three. */
static double seconds_for(const char *set)
{
    double least = DBL_MAX;
    for (int i = 0; i < 3; i++) {
        struct trial_options o = trial_options();
        struct diag_list diags = {0};
        struct trial t;
        o.load.sets = &set;
        o.load.n_sets = 1;
        clock_t begin = clock();
        assert_int_equal(trial_open(&t, "config/models/nfourbar.yaml", &o, &diags), STATUS_OK);
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
        assert_int_equal(t.mechanism.plan->dof, 1);
        trial_close(&t);
        diag_clear(&diags);
    }
    return least;
}

static void time_to_plan_loops_grows_no_faster_than_their_square(void **state)
{
    (void)state;
    double one = seconds_for("n=150"), two = seconds_for("n=300");
    printf("150 four-bars: %.3f s, 300: %.3f s\n", one, two);
    assert_true(two < 5 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_choose_the_rows_that_full_rows_choose),
        cmocka_unit_test(the_factor_makes_the_columns_again),
        cmocka_unit_test(time_to_plan_loops_grows_no_faster_than_their_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
