/* Small files that stand for endless work are refused in bounded time and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/loading.h"

/* Text that grows; freed by the test. */
struct text {
    char *c;
    size_t n, size;
};

static void add(struct text *t, const char *piece, int times)
{
    size_t n = strlen(piece);
    while (t->n + n * (size_t)times + 1 > t->size) {
        t->size = t->size ? 2 * t->size : 4096;
        t->c = realloc(t->c, t->size);
        assert_non_null(t->c);
    }
    for (int i = 0; i < times; i++) memcpy(t->c + t->n, piece, n), t->n += n;
    t->c[t->n] = 0;
}

/* Load it: refused, and within 60 s of processor time (3 s at most here, more with a
 * sanitizer). */
static void assert_refused(struct text *t)
{
    clock_t begin = clock();
    struct loading l = loading_text(t->c);
    assert_int_not_equal(l.status, STATUS_OK);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60);
    loading_done(&l);
    free(t->c);
}

static void repeats_in_repeats_in_repeats(void **state)
{
    struct text t = {0};
    char line[64];
    (void)state;
    for (int i = 0; i < 14; i++) {
        snprintf(line, sizeof line, "%*srepeat:\n%*s- count: 1000\n", 4 * i, "", 4 * i + 2, "");
        add(&t, line, 1);
    }
    add(&t,
        "                                                        bodies: {a: {mass: 1, point: true}}\n",
        1);
    assert_refused(&t);
}

static void repeats_of_nothing(void **state)
{
    struct text t = {0};
    (void)state;
    add(&t, "repeat:\n  - count: 100000\n    repeat:\n", 1);
    add(&t, "      - count: 0\n", 50000);
    assert_refused(&t);
}

static void a_repeat_of_a_body_with_endless_keys(void **state)
{
    struct text t = {0};
    char key[32];
    (void)state;
    add(&t, "repeat:\n  - count: 90000\n    bodies:\n      a-{i}: {", 1);
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof key, "k%d: 1, ", i);
        add(&t, key, 1);
    }
    add(&t, "mass: 1}\n", 1);
    assert_refused(&t);
}

static void a_repeat_of_an_endless_expression(void **state)
{
    struct text t = {0};
    (void)state;
    add(&t, "repeat:\n  - count: 90000\n    bodies:\n      a-{i}: {point: true, mass: 1", 1);
    add(&t, "+1", 1 << 20);
    add(&t, "}\n", 1);
    assert_refused(&t);
}

static void a_repeat_of_endless_rotations(void **state)
{
    struct text t = {0};
    (void)state;
    add(&t,
        "repeat:\n  - count: 90000\n    bodies:\n      a-{i}: {point: true, mass: 1, rotation: [",
        1);
    add(&t, "{rpy: [1, 2, 3]}, ", 50000);
    add(&t, "]}\n", 1);
    assert_refused(&t);
}

static void a_repeat_of_an_endless_table(void **state)
{
    struct text t = {0};
    char number[16];
    (void)state;
    add(&t,
        "bodies: {b: {mass: 1, point: true}}\nrepeat:\n  - count: 90000\n    forces:\n"
        "      f-{i}: {type: force, body: b, value: [0, 0, {table: {times: [",
        1);
    for (int i = 0; i < 100000; i++) {
        snprintf(number, sizeof number, "%d, ", i);
        add(&t, number, 1);
    }
    add(&t, "], values: [", 1);
    add(&t, "1, ", 100000);
    add(&t, "]}}]}\n", 1);
    assert_refused(&t);
}

static void parameters_that_double_a_hundred_times(void **state)
{
    struct text t = {0};
    char line[64];
    (void)state;
    add(&t, "parameters:\n  p0: {value: 1, live: true}\n", 1);
    for (int i = 1; i < 100; i++) {
        snprintf(line, sizeof line, "  p%d: p%d + p%d\n", i, i - 1, i - 1);
        add(&t, line, 1);
    }
    add(&t, "bodies: {a: {mass: 1, point: true}}\n", 1);
    assert_refused(&t); /* the program of p99 would have 2^99 instructions */
}

static void a_file_that_uses_a_file_a_thousand_times_a_thousand_times(void **state)
{
    struct text t = {0};
    (void)state;
    add(&t,
        "repeat:\n  - count: 1000000\n    use:\n"
        "      arm-{i}: {file: tests/data/parts/arm.yaml}\n",
        1);
    assert_refused(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_in_repeats_in_repeats),
        cmocka_unit_test(repeats_of_nothing),
        cmocka_unit_test(a_repeat_of_a_body_with_endless_keys),
        cmocka_unit_test(a_repeat_of_an_endless_expression),
        cmocka_unit_test(a_repeat_of_endless_rotations),
        cmocka_unit_test(a_repeat_of_an_endless_table),
        cmocka_unit_test(parameters_that_double_a_hundred_times),
        cmocka_unit_test(a_file_that_uses_a_file_a_thousand_times_a_thousand_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
