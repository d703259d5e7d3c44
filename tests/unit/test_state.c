/* The table of states, against the drawing in state.h written out a second time. */
#include "rt/tick/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    uint32_t from;
    const char *to; /* arm disarm start pause reset safe fail; - : not possible */
} DRAWN[] = {
    {STATE_UNLOADED, "-------"}, {STATE_READY, "A---ES-"},   {STATE_ARMED, "-ER-ES-"},
    {STATE_RUNNING, "---H-SF"},  {STATE_HOLDING, "-ER-ES-"}, {STATE_SAFE, "-E--ESF"},
    {STATE_FAULTED, "----E--"},
};

static uint32_t state_of(char letter)
{
    switch (letter) {
    case 'E':
        return STATE_READY;
    case 'A':
        return STATE_ARMED;
    case 'R':
        return STATE_RUNNING;
    case 'H':
        return STATE_HOLDING;
    case 'S':
        return STATE_SAFE;
    case 'F':
        return STATE_FAULTED;
    default:
        return STATE_UNLOADED;
    }
}

static void every_change_is_as_drawn(void **state)
{
    (void)state;
    assert_int_equal(sizeof DRAWN / sizeof DRAWN[0], STATE_COUNT);
    for (size_t i = 0; i < STATE_COUNT; i++) {
        assert_int_equal(strlen(DRAWN[i].to), STATE_EVENT_COUNT);
        for (int e = 0; e < STATE_EVENT_COUNT; e++)
            assert_int_equal(state_after(DRAWN[i].from, (enum state_event)e),
                             state_of(DRAWN[i].to[e]));
    }
    assert_int_equal(state_after(STATE_COUNT, STATE_ARM), STATE_UNLOADED);
}

static void commands_are_taken_only_where_a_start_may_follow_or_motion_is(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < STATE_COUNT; s++)
        assert_int_equal(state_takes_commands(s),
                         s == STATE_ARMED || s == STATE_RUNNING || s == STATE_HOLDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_as_drawn),
        cmocka_unit_test(commands_are_taken_only_where_a_start_may_follow_or_motion_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
