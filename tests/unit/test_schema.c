/* Maps against their tables, and the values of keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "services/load/text/keys.h"
#include "services/base/names.h"
#include "services/load/text/value.h"

static const struct schema_key KEY[] = {
    {"mass", SCHEMA_NUMBER, "kg", NULL, NULL, ""},
    {"names", SCHEMA_NAMES, NULL, "", NULL, ""},
    {"fixed", SCHEMA_FLAG, NULL, "false", NULL, ""},
    {"note", SCHEMA_TEXT, NULL, "", NULL, ""},
};
static const struct field FIELD[] = {{"length", FIELD_SCALAR, "m", NULL, 0, NULL, "", SIGN_ANY}};
static const struct schema SCHEMA = {"a thing", KEY, 4, FIELD, 1};

struct walk {
    struct memory memory;
    struct diag_list diags;
    const struct node *found[SCHEMA_MAX_KEYS];
    int good;
};

static struct walk walk(const char *text)
{
    struct walk w = {0};
    const struct node *root;
    assert_int_equal(reader_read_text("t.yaml", text, strlen(text), &w.memory, &w.diags, &root),
                     STATUS_OK);
    w.good = schema_walk(&SCHEMA, root, "it", &w.diags, w.found);
    return w;
}

static void done(struct walk *w)
{
    memory_release(&w->memory);
    diag_clear(&w->diags);
}

static void a_right_map_is_handed_back_by_index(void **state)
{
    struct walk w = walk("length: 2\nmass: 1\nnames: [a, b]\n");
    (void)state;
    assert_true(w.good);
    assert_string_equal(w.found[0]->text, "1");
    assert_int_equal(w.found[1]->n, 2);
    assert_null(w.found[2]);
    assert_string_equal(w.found[4]->text, "2");
    done(&w);
}

static void every_mistake_of_a_map_is_reported_at_once(void **state)
{
    struct walk w = walk("masss: 1\nnames: a\nfixed: [1]\nnote:\n");
    static const char *const KIND[] = {"unknown-key", "missing-key", "missing-key", "wrong-kind",
                                       "wrong-kind"};
    (void)state;
    assert_false(w.good);
    assert_int_equal(w.diags.n, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(w.diags.item[i].kind, KIND[i]);
    assert_non_null(strstr(w.diags.item[0].text, "did you mean 'mass'?"));
    assert_null(w.found[1]); /* what has the wrong kind is not handed back */
    assert_non_null(w.found[3]);
    done(&w);
}

static void fields_of_a_type_are_required_like_keys(void **state)
{
    struct walk w = walk("mass: 1\n");
    (void)state;
    assert_int_equal(w.diags.n_errors, 1);
    assert_non_null(strstr(w.diags.item[0].text, "'length' is missing"));
    done(&w);
}

/* ---- values -------------------------------------------------------------------- */

struct reading {
    struct memory memory;
    struct diag_list diags;
    struct value_reader reader;
    struct node node;
};

static struct reading *reading(struct reading *r, const char *text)
{
    *r = (struct reading){.node = {.kind = NODE_SCALAR, .text = text, .place = {"t", 1, 1}}};
    r->reader = (struct value_reader){&r->memory, &r->diags, NULL, "x"};
    return r;
}

static void finish(struct reading *r, int errors)
{
    assert_int_equal(r->diags.n_errors, errors);
    memory_release(&r->memory);
    diag_clear(&r->diags);
}

static void numbers_come_in_si_and_only_in_their_dimension(void **state)
{
    struct reading r;
    double v = 0;
    (void)state;
    assert_true(value_number(&reading(&r, "500 us")->reader, &r.node, "step", "s", &v));
    assert_true(fabs(v - 500e-6) < 1e-18);
    finish(&r, 0);
    assert_false(value_number(&reading(&r, "5 mm")->reader, &r.node, "step", "s", &v));
    assert_string_equal(r.diags.item[0].text, "x: step must be given in s, not in m");
    finish(&r, 1);
    assert_false(value_number(&reading(&r, "2*(3 m)")->reader, &r.node, "mass", "kg", &v));
    assert_string_equal(r.diags.item[0].text,
                        "x: mass must be given in kg, not in m; in products and quotients a number "
                        "without unit is a pure number");
    finish(&r, 1);
    assert_false(value_number(&reading(&r, "1/(2 m)")->reader, &r.node, "way", "m", &v));
    assert_string_equal(r.diags.item[0].text,
                        "x: way must be given in m, not in 1/m; if the unit is that of a whole "
                        "quotient, write (a/b) unit");
    finish(&r, 1);
}

static void numbers_in_a_unit_take_bare_numbers_in_that_unit(void **state)
{
    struct reading r;
    struct unit deg;
    double v = 0;
    (void)state;
    assert_true(unit_parse("deg", &deg));
    assert_true(value_in_unit(&reading(&r, "30")->reader, &r.node, "safe", &deg, &v) && v == 30);
    finish(&r, 0);
    assert_true(value_in_unit(&reading(&r, "0.5 rev")->reader, &r.node, "safe", &deg, &v));
    assert_true(fabs(v - 180) < 1e-12);
    finish(&r, 0);
    assert_true(value_in_unit(&reading(&r, "-60/2")->reader, &r.node, "safe", &deg, &v));
    assert_true(v == -30);
    finish(&r, 0);
    assert_false(value_in_unit(&reading(&r, "2*pi")->reader, &r.node, "safe", &deg, &v));
    finish(&r, 1);
}

static void whole_numbers_flags_and_words_are_checked(void **state)
{
    struct reading r;
    long i = 0;
    int k = 0;
    (void)state;
    assert_true(value_integer(&reading(&r, "2^5")->reader, &r.node, "n", 1, 100, &i) && i == 32);
    finish(&r, 0);
    assert_false(value_integer(&reading(&r, "101")->reader, &r.node, "n", 1, 100, &i));
    finish(&r, 1);
    assert_true(value_flag(&reading(&r, "yes")->reader, &r.node, "f", &k) && k == 1);
    finish(&r, 0);
    assert_false(value_flag(&reading(&r, "2")->reader, &r.node, "f", &k));
    finish(&r, 1);
    assert_true(value_choice(&reading(&r, "hold")->reader, &r.node, "w", "skip hold", &k) &&
                k == 1);
    finish(&r, 0);
    assert_false(value_choice(&reading(&r, "ski")->reader, &r.node, "w", "skip hold", &k));
    finish(&r, 1);
}

/* ---- names --------------------------------------------------------------------- */

static void the_nearest_name_is_near_or_none(void **state)
{
    struct memory memory = {0};
    struct names t = {.memory = &memory};
    (void)state;
    assert_int_equal(names_add(&t, "front-left/arm", 1), 1);
    assert_int_equal(names_add(&t, "crank", 2), 1);
    assert_int_equal(names_add(&t, "crank", 3), 0);
    assert_string_equal(names_nearest(&t, "crnak"), "crank");
    assert_string_equal(names_nearest(&t, "frontleft/arm"), "front-left/arm");
    assert_null(names_nearest(&t, "wheel"));
    assert_int_equal(names_find(&t, "crank"), 2);
    assert_int_equal(names_find(&t, "rod"), -1);
    assert_int_equal(names_distance("ab", "ba"), 1);
    memory_release(&memory);
}

static void ten_thousand_names_are_found_again(void **state)
{
    static char name[10000][8];
    struct memory memory = {0};
    struct names t = {.memory = &memory};
    (void)state;
    for (int i = 0; i < 10000; i++) {
        snprintf(name[i], sizeof name[i], "n%d", i);
        assert_int_equal(names_add(&t, name[i], i), 1);
    }
    for (int i = 0; i < 10000; i++) assert_int_equal(names_find(&t, name[i]), i);
    memory_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_map_is_handed_back_by_index),
        cmocka_unit_test(every_mistake_of_a_map_is_reported_at_once),
        cmocka_unit_test(fields_of_a_type_are_required_like_keys),
        cmocka_unit_test(numbers_come_in_si_and_only_in_their_dimension),
        cmocka_unit_test(numbers_in_a_unit_take_bare_numbers_in_that_unit),
        cmocka_unit_test(whole_numbers_flags_and_words_are_checked),
        cmocka_unit_test(the_nearest_name_is_near_or_none),
        cmocka_unit_test(ten_thousand_names_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
