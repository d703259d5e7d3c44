/* state.c: the table of state.h; 0 (unloaded) means not possible. */
#include "rt/tick/state.h"

#include "rt/rtsafe.h"

static const uint8_t STATE_NEXT[STATE_COUNT][STATE_EVENT_COUNT] = {
    [STATE_READY] =
        {[STATE_ARM] = STATE_ARMED, [STATE_RESET] = STATE_READY, [STATE_MAKE_SAFE] = STATE_SAFE},
    [STATE_ARMED] = {[STATE_DISARM] = STATE_READY,
                     [STATE_START] = STATE_RUNNING,
                     [STATE_RESET] = STATE_READY,
                     [STATE_MAKE_SAFE] = STATE_SAFE},
    [STATE_RUNNING] = {[STATE_PAUSE] = STATE_HOLDING,
                       [STATE_MAKE_SAFE] = STATE_SAFE,
                       [STATE_FAIL] = STATE_FAULTED},
    [STATE_HOLDING] = {[STATE_DISARM] = STATE_READY,
                       [STATE_START] = STATE_RUNNING,
                       [STATE_RESET] = STATE_READY,
                       [STATE_MAKE_SAFE] = STATE_SAFE},
    [STATE_SAFE] = {[STATE_DISARM] = STATE_READY,
                    [STATE_RESET] = STATE_READY,
                    [STATE_MAKE_SAFE] = STATE_SAFE,
                    [STATE_FAIL] = STATE_FAULTED},
    [STATE_FAULTED] = {[STATE_RESET] = STATE_READY},
};

uint32_t state_after(uint32_t state, enum state_event event)
{
    return state < STATE_COUNT ? STATE_NEXT[state][event] : STATE_UNLOADED;
}

int state_takes_commands(uint32_t state)
{
    return state == STATE_ARMED || state == STATE_RUNNING || state == STATE_HOLDING;
}
