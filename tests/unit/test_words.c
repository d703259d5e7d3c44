/* Every event has words; what a service wrote cannot spoil them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "services/client/words.h"
#include "tests/rt/testrig.h"

static struct words words(void)
{
    static struct testrig_model model;
    static struct board board;

    testrig_model(&model);
    snprintf(board.service[1].name, sizeof board.service[1].name, "opcua");
    return (struct words){.model = &model.m, .board = &board};
}

static void every_kind_has_a_row(void **state)
{
    const struct words w = words();
    char text[WORDS_TEXT];

    (void)state;
    for (uint32_t kind = 0; kind < EVENT_COUNT; kind++) {
        struct event e = {.kind = kind, .index = -1, .service = 1};
        assert_string_not_equal(words_kind(kind), "event");
        assert_null(strchr(words_kind(kind), ' '));
        words_event(&w, &e, text);
        assert_true(strlen(text) > 3);
    }
    assert_string_equal(words_kind(EVENT_COUNT), "event");
}

/* Numbers out of any range, from a ring that was overwritten, say: words all the same. */
static void any_numbers_have_words(void **state)
{
    static const uint64_t MANY[] = {0, 1, 3, 99, UINT32_MAX, UINT64_MAX};
    const struct words w = words();
    char text[WORDS_TEXT], about[WORDS_NAME];

    (void)state;
    for (uint32_t kind = 0; kind <= EVENT_COUNT; kind++)
        for (size_t i = 0; i < sizeof MANY / sizeof MANY[0]; i++)
            for (size_t k = 0; k < sizeof MANY / sizeof MANY[0]; k++) {
                struct event e = {.kind = kind,
                                  .a = MANY[i],
                                  .b = MANY[k],
                                  .index = (int32_t)MANY[i],
                                  .service = (uint32_t)MANY[k],
                                  .value = (double)MANY[i]};
                words_event(&w, &e, text);
                assert_true(strlen(text) < WORDS_TEXT);
                words_about(&w, &e, about);
            }
}

static void a_user_is_named_in_printable_letters(void **state)
{
    const struct words w = words();
    struct event e = {.kind = EVENT_LEASE, .b = 3, .index = LEASE_STREAM, .service = 1};
    char text[WORDS_TEXT], who[WORDS_NAME];

    (void)state;
    assert_string_equal(words_who(&w, &e, who), "opcua");
    memcpy(e.who, "ot\n\033to", 6);
    words_event(&w, &e, text);
    assert_string_equal(text, "authority 3 granted to ot??to (stream)");
    memset(e.who, 'x', sizeof e.who); /* without an end */
    assert_int_equal(strlen(words_who(&w, &e, who)), sizeof e.who);
}

static void a_fault_is_told_with_target_slot_and_who(void **state)
{
    const struct words w = words();
    struct event e = {.kind = EVENT_FAULT, .a = FAULT_GAIN, .b = 3, .index = 5, .value = 1};
    const char *name = model_text(w.model, model_actuators(w.model)[1].name);
    char text[WORDS_TEXT], wanted[WORDS_TEXT];

    (void)state;
    memcpy(e.who, "ella", 4);
    snprintf(wanted, sizeof wanted, "inserted fault gain on %s begins, slot 5, by ella", name);
    words_event(&w, &e, text);
    assert_string_equal(text, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_row),
        cmocka_unit_test(any_numbers_have_words),
        cmocka_unit_test(a_user_is_named_in_printable_letters),
        cmocka_unit_test(a_fault_is_told_with_target_slot_and_who),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
