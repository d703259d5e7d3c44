/* config/FORMAT.md says what the program does: its tables are those of the program, and
 * its examples load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "services/cli/manual.h"
#include "tests/unit/loading.h"

#define MANUAL "config/FORMAT.md"

static char *manual_text(void)
{
    FILE *f = fopen(MANUAL, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 1000);
    fclose(f);
    return text;
}

static void the_tables_of_the_manual_are_those_of_the_program(void **state)
{
    char *text = manual_text(), *made = NULL, unknown[64];
    size_t size;
    (void)state;
    FILE *in = fopen(MANUAL, "r"), *out = open_memstream(&made, &size);
    assert_true(manual_refresh(in, out, unknown) > 0);
    fclose(in);
    fclose(out);
    if (strcmp(text, made) != 0)
        fail_msg("the tables of " MANUAL " are old; trapeze format " MANUAL " prints it anew");
    free(made);
    free(text);
}

static void every_table_stands_in_the_manual_once(void **state)
{
    char *text = manual_text();
    (void)state;
    for (int i = 0; manual_name(i); i++) {
        char mark[80];
        snprintf(mark, sizeof mark, "<!-- table %s -->", manual_name(i));
        const char *first = strstr(text, mark);
        if (!first) fail_msg("the table %s is missing", manual_name(i));
        assert_null(strstr(first + 1, mark));
    }
    free(text);
}

/* The lines indented by four blanks behind a heading, without these. */
static void example(const char *text, const char *heading, char *out, size_t size)
{
    const char *c = strstr(text, heading);
    size_t at = 0;
    assert_non_null(c);
    c = strstr(c, "\n    ") + 1;
    while (strncmp(c, "    ", 4) == 0) {
        size_t n = strcspn(c, "\n") + 1;
        assert_true(at + n < size);
        memcpy(out + at, c + 4, n - 4);
        at += n - 4;
        c += n;
    }
    out[at] = 0;
}

static void the_first_example_of_the_manual_loads(void **state)
{
    char *text = manual_text(), model[4000];
    (void)state;
    example(text, "## A model", model, sizeof model);
    struct loading l = loading_good(model);
    assert_int_equal(l.model->bodies.n, 1);
    loading_done(&l);
    example(text, "## Repeat", model, sizeof model);
    l = loading_good(model);
    assert_int_equal(l.model->joints.n, 16);
    loading_done(&l);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_of_the_manual_are_those_of_the_program),
        cmocka_unit_test(every_table_stands_in_the_manual_once),
        cmocka_unit_test(the_first_example_of_the_manual_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
