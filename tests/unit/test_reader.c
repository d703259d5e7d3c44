/* The reader: places, bounds, aliases, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "services/load/text/reader.h"

struct reading {
    struct memory memory;
    struct diag_list diags;
    const struct node *root;
    enum status status;
};

static struct reading read_bytes(const char *text, size_t n)
{
    struct reading r = {0};
    r.status = reader_read_text("test.yaml", text, n, &r.memory, &r.diags, &r.root);
    return r;
}

static struct reading read(const char *text) { return read_bytes(text, strlen(text)); }

static void done(struct reading *r)
{
    memory_release(&r->memory);
    diag_clear(&r->diags);
}

static void assert_place(const struct node *n, int line, int column)
{
    assert_string_equal(n->place.file, "test.yaml");
    assert_int_equal(n->place.line, line);
    assert_int_equal(n->place.column, column);
}

static void every_key_and_value_knows_its_place(void **state)
{
    struct reading r = read("a: 1\nb:\n  c: [x, 'y z',\n      w]\n");
    (void)state;
    assert_int_equal(r.status, STATUS_OK);
    const struct node *a = reader_find(r.root, "a"), *b = reader_find(r.root, "b");
    const struct node *c = reader_find(b, "c");
    assert_place(a->key, 1, 1);
    assert_place(a, 1, 4);
    assert_place(c->key, 3, 3);
    assert_place(c, 3, 6);
    assert_place(c->first, 3, 7);
    assert_place(c->first->next->next, 4, 7);
    assert_int_equal(c->n, 3);
    assert_int_equal(c->first->next->text_column, 11);
    assert_true(c->first->next->quoted);
    done(&r);
}

static void an_alias_is_the_thing_it_stands_for(void **state)
{
    struct reading r = read("a: &x {m: 1}\nb: *x\n");
    (void)state;
    assert_int_equal(r.status, STATUS_OK);
    const struct node *b = reader_find(r.root, "b");
    assert_string_equal(b->key->text, "b");
    assert_string_equal(reader_find(b, "m")->text, "1");
    assert_place(b, 1, 4);
    done(&r);
}

static void a_merge_takes_over_keys_that_are_not_there(void **state)
{
    struct reading r = read("a: &x {m: 1, n: 2}\nb: &y {<<: *x, n: 3}\n"
                            "c: {<<: [*y, {m: 7, o: 4}], p: 5}\n");
    (void)state;
    assert_int_equal(r.status, STATUS_OK);
    const struct node *b = reader_find(r.root, "b"), *c = reader_find(r.root, "c");
    assert_int_equal(b->n, 2);
    assert_string_equal(reader_find(b, "m")->text, "1");
    assert_string_equal(reader_find(b, "n")->text, "3");
    assert_int_equal(c->n, 4);
    assert_string_equal(reader_find(c, "m")->text, "1");
    assert_string_equal(reader_find(c, "n")->text, "3");
    assert_string_equal(reader_find(c, "o")->text, "4");
    assert_place(reader_find(c, "o"), 3, 24);
    done(&r);
    r = read("b: {<<: 3}\nc: {<<: [{m: 1}, 4]}\n");
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 2);
    done(&r);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void an_alias_bomb_is_refused_in_little_time_and_memory(void **state)
{
    char text[4000];
    size_t at = (size_t)snprintf(text, sizeof text, "a0: &a0 [1, 1]\n");
    (void)state;
    for (int i = 1; i < 60; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1,
                               i - 1);
    double t = seconds();
    struct reading r = read(text);
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "too-many");
    assert_true(r.memory.used < 1 << 20);
    assert_true(seconds() - t < 1);
    done(&r);
}

static void a_merge_bomb_is_refused(void **state)
{
    char text[40000];
    int n = snprintf(text, sizeof text, "a0: &a0 {");
    for (int i = 0; i < 400; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "k%d: [1, 2, 3], ", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "}\n");
    for (int i = 0; i < 1000; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "b%d: {<<: *a0}\n", i);
    (void)state;
    struct reading r = read(text);
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "too-many");
    assert_int_equal(r.diags.n_errors, 1);
    done(&r);
}

static void an_anchor_cannot_stand_for_itself(void **state)
{
    struct reading r = read("a: &x [1, *x]\n");
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "alias");
    done(&r);
}

/* n copies of a piece of text, in a reading. */
static struct reading read_many(const char *piece, size_t n)
{
    size_t size = strlen(piece);
    char *text = malloc(n * size);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) memcpy(text + i * size, piece, size);
    double t = seconds();
    struct reading r = read_bytes(text, n * size);
    assert_true(seconds() - t < 10);
    free(text);
    return r;
}

static void deep_nesting_is_refused(void **state)
{
    struct reading r = read_many("[", 1 << 20);
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "too-deep");
    assert_true(r.memory.used < 1 << 20);
    done(&r);
    r = read_many("- ", 1 << 20);
    assert_int_equal(r.status, STATUS_REFUSED);
    done(&r);
    r = read_many("{a: ", 1 << 20);
    assert_int_equal(r.status, STATUS_REFUSED);
    done(&r);
}

static void a_million_values_are_the_limit(void **state)
{
    struct reading r = read_many("- 1\n", READER_MAX_NODES + 10);
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "too-many");
    assert_true(r.memory.used < (size_t)256 << 20);
    done(&r);
}

static void sixteen_megabytes_of_comment_are_read_over(void **state)
{
    struct reading r = read_many("# x\n", 4 << 20);
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "empty");
    done(&r);
}

static void a_tab_is_named(void **state)
{
    struct reading r = read("bodies:\n\ta: 1\n");
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_non_null(strstr(r.diags.item[0].text, "tab"));
    assert_int_equal(r.diags.item[0].line, 2);
    done(&r);
}

static void all_duplicate_keys_are_reported(void **state)
{
    struct reading r = read("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n");
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 3);
    done(&r);
}

static void a_list_is_no_key(void **state)
{
    struct reading r = read("? [a, b]\n: 1\n");
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "wrong-kind");
    done(&r);
}

static void control_characters_are_refused_and_never_shown(void **state)
{
    struct reading r = read(
        "a: \"x\\0y\"\n\"\\e[2J\": \"\\x9b\"\nb: \"two\\nlines\\tand a tab\"\n");
    (void)state;
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 3);
    assert_string_equal(reader_find(r.root, "a")->text, "x?y");
    assert_string_equal(reader_find(r.root, "?[2J")->text, "??");
    done(&r);
    r = read_bytes("a: \0b", 5);
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_string_equal(r.diags.item[0].kind, "encoding");
    done(&r);
}

static void only_regular_files_are_read(void **state)
{
    struct reading r = {0};
    (void)state;
    assert_int_equal(reader_read_file("/dev/zero", &r.memory, &r.diags, &r.root), STATUS_REFUSED);
    assert_int_equal(reader_read_file("/tmp", &r.memory, &r.diags, &r.root), STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 2);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_and_value_knows_its_place),
        cmocka_unit_test(an_alias_is_the_thing_it_stands_for),
        cmocka_unit_test(a_merge_takes_over_keys_that_are_not_there),
        cmocka_unit_test(a_merge_bomb_is_refused),
        cmocka_unit_test(an_alias_bomb_is_refused_in_little_time_and_memory),
        cmocka_unit_test(an_anchor_cannot_stand_for_itself),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_million_values_are_the_limit),
        cmocka_unit_test(sixteen_megabytes_of_comment_are_read_over),
        cmocka_unit_test(a_tab_is_named),
        cmocka_unit_test(all_duplicate_keys_are_reported),
        cmocka_unit_test(a_list_is_no_key),
        cmocka_unit_test(control_characters_are_refused_and_never_shown),
        cmocka_unit_test(only_regular_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
