/* XML as a tree that knows its places, under bounds: bombs are refused at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "services/load/text/markup.h"

struct reading {
    struct memory memory;
    struct diag_list diags;
    const struct markup *root;
    enum status status;
};

static struct reading read_bytes(const char *text, size_t n)
{
    struct reading r = {.memory = {0}};
    r.status = markup_read("test.xml", text, n, &r.memory, &r.diags, &r.root);
    return r;
}

static struct reading read_text(const char *text) { return read_bytes(text, strlen(text)); }

static void done(struct reading *r)
{
    memory_release(&r->memory);
    diag_clear(&r->diags);
}

static void assert_place(struct place p, int line, int column)
{
    assert_int_equal(p.line, line);
    assert_int_equal(p.column, column);
}

/* Refused with a message at a place that holds these words. */
static void assert_refused(const char *text, int line, int column, const char *words)
{
    struct reading r = read_text(text);
    assert_int_equal(r.status, STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 1);
    if (!strstr(r.diags.item[0].text, words)) fail_msg("'%s'", r.diags.item[0].text);
    assert_int_equal(r.diags.item[0].line, line);
    assert_int_equal(r.diags.item[0].column, column);
    done(&r);
}

static void elements_know_their_places(void **state)
{
    (void)state;
    struct reading r = read_text("<?xml version=\"1.0\"?>\n<a x='1'\n   y = \"x='2'\">\n"
                                 "  <p:b xmlns:p='u' z=''/><c>\n one <d/> &amp; two\n</c>\n</a>");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.root->name, "a");
    assert_place(r.root->place, 2, 1);
    assert_place(markup_attribute(r.root, "x")->place, 2, 4);
    assert_place(markup_attribute(r.root, "y")->place, 3, 4);
    assert_string_equal(markup_attribute(r.root, "y")->value, "x='2'");
    assert_null(markup_attribute(r.root, "z"));
    const struct markup *b = r.root->first, *c = b->next;
    assert_string_equal(b->name, "b");
    assert_string_equal(b->prefix, "p");
    assert_place(b->place, 4, 3);
    assert_null(markup_find(r.root, "b")); /* it has a prefix */
    assert_ptr_equal(markup_find(r.root, "c"), c);
    assert_place(c->place, 4, 26);
    assert_place(c->first->place, 5, 6);
    assert_string_equal(c->text, "one  & two");
    assert_null(c->next);
    done(&r);
}

static void columns_count_characters(void **state)
{
    (void)state;
    struct reading r = read_text("<a n='\xc3\xa4\xe2\x82\xac'/>");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.root->attribute[0].value, "\xc3\xa4\xe2\x82\xac");
    done(&r);
    r = read_text("<a><!-- \xc3\xa4 --><b/></a>");
    assert_int_equal(r.status, STATUS_OK);
    done(&r);
    r = read_text("<a>\xc3\xa4\xe2\x82\xac<b/></a>");
    assert_place(r.root->first->place, 1, 6);
    done(&r);
}

/* What files made by hand have and XML forbids. */
static void comments_and_declarations_are_taken_leniently(void **state)
{
    (void)state;
    static const char *const TEXT[] = {
        "<?xml?>\n<a><b/></a>",
        "\n<!-- a -- b --><?xml version='1.0'?>\n<a><!-- <?xml ?> --- --><b/></a>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<a n='\xe4'><b/></a>",
        "\xef\xbb\xbf<?xml version='1.0'?>\n<a><b/></a>",
    };
    for (int i = 0; i < 4; i++) {
        struct reading r = read_text(TEXT[i]);
        if (r.status != STATUS_OK) diag_print(&r.diags, stderr);
        assert_int_equal(r.status, STATUS_OK);
        assert_string_equal(r.root->first->name, "b");
        if (i == 2) assert_string_equal(r.root->attribute[0].value, "\xc3\xa4");
        done(&r);
    }
}

static void what_is_no_xml_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refused("", 0, 0, "empty");
    assert_refused("a: 1", 1, 1, "not well-formed");
    assert_refused("<a>\n  <b>\n</a>", 3, 5, "mismatch");
    assert_refused("<a x=1/>", 1, 6, "not well-formed");
    assert_refused("<a>&nothing;</a>", 1, 13, "nothing");
    assert_refused("<a/><b/>", 1, 5, "not well-formed");
    assert_refused("<a><!-- never closed</a>", 1, 25, "not well-formed");
}

static void a_doctype_is_refused_before_it_is_read(void **state)
{
    (void)state;
    assert_refused("<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'>\n<a/>", 2,
                   1, "DOCTYPE");
    assert_refused("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", 1, 1,
                   "DOCTYPE");
    /* the parser makes a document for this one although it is told to stop (a leak) */
    assert_refused("<!DOCTYPE a [<!ENTITY b \"0@><!ENTITY b \"&a;\">\n]>\n<a/>", 1, 1, "DOCTYPE");
    char text[4096];
    int n = snprintf(text, sizeof text, "<!DOCTYPE a [<!ENTITY e0 'boom'>");
    for (int i = 1; i < 40; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "<!ENTITY e%d '&e%d;&e%d;&e%d;'>", i,
                      i - 1, i - 1, i - 1);
    snprintf(text + n, sizeof text - (size_t)n, "]><a b='&e39;'>&e39;</a>");
    clock_t begin = clock();
    assert_refused(text, 1, 1, "DOCTYPE");
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
}

/* `piece` n times between `head` and `tail`. */
static char *repeated(const char *head, const char *piece, size_t n, const char *tail)
{
    size_t size = strlen(piece), at = strlen(head);
    char *text = malloc(at + n * size + strlen(tail) + 1);
    assert_non_null(text);
    memcpy(text, head, at);
    for (size_t i = 0; i < n; i++, at += size) memcpy(text + at, piece, size);
    strcpy(text + at, tail);
    return text;
}

/* Within 60 s of processor time: a second here, more with a sanitizer. */
static void assert_bounded(char *text, enum status expected, const char *words)
{
    clock_t begin = clock();
    struct reading r = read_text(text);
    assert_int_equal(r.status, expected);
    if (words && !strstr(r.diags.item[0].text, words)) fail_msg("'%s'", r.diags.item[0].text);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60);
    done(&r);
    free(text);
}

static void large_files_are_refused_or_read_in_bounded_time(void **state)
{
    (void)state;
    assert_bounded(repeated("", "<a>", 100000, ""), STATUS_REFUSED, "deep");
    assert_bounded(repeated("<r>", "<a/>", 300000, "</r>"), STATUS_REFUSED, "tags");
    assert_bounded(repeated("<r>", "<a/>", 150000, "</r>"), STATUS_OK, NULL);
    assert_bounded(repeated("<r>", "x", 15 << 20, "</r>"), STATUS_OK, NULL);
    assert_bounded(repeated("<r a='", "x", 9 << 20, "'/>"), STATUS_OK, NULL);
    assert_bounded(repeated("<r><!--", "<!--", 3 << 20, "--></r>"), STATUS_OK, NULL);
    assert_bounded(repeated("<r>", "<?xml", 2 << 20, "</r>"), STATUS_REFUSED, "not well-formed");
    assert_bounded(repeated("<r", " a='1'", 2 << 20, "/>"), STATUS_REFUSED, "attributes");
    assert_bounded(repeated("<r>", "&amp;", 3 << 20, "</r>"), STATUS_OK, NULL);
    assert_bounded(repeated("<r>", "        ", (16 << 20) / 8, "</r>"), STATUS_REFUSED, "MiB");
}

/* All elements of one long line: places must not cost the length of the line each. */
static void one_long_line_is_read_in_bounded_time(void **state)
{
    (void)state;
    assert_bounded(repeated("<r>", "<a b='1' c='2'/>", 150000, "</r>"), STATUS_OK, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_know_their_places),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(comments_and_declarations_are_taken_leniently),
        cmocka_unit_test(what_is_no_xml_is_refused_with_its_place),
        cmocka_unit_test(a_doctype_is_refused_before_it_is_read),
        cmocka_unit_test(large_files_are_refused_or_read_in_bounded_time),
        cmocka_unit_test(one_long_line_is_read_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
