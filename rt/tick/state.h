/* state.h: the life of a rig, one table. Pure; any context.
 *
 *              arm     disarm  start    pause    reset  safe  fault    (step as start)
 *   ready      armed   -       -        -        ready  safe  -
 *   armed      -       ready   running  -        ready  safe  -
 *   running    -       -       -        holding  -      safe  faulted
 *   holding    -       ready   running  -        ready  safe  -
 *   safe       -       ready   -        -        ready  safe  faulted
 *   faulted    -       -       -        -        ready  -     -
 */
#ifndef STATE_H
#define STATE_H

#include <stdint.h>

#include "rt/link/record.h"

enum state_event {
    STATE_ARM,
    STATE_DISARM,
    STATE_START,
    STATE_PAUSE,
    STATE_RESET,
    STATE_MAKE_SAFE,
    STATE_FAIL,
    STATE_EVENT_COUNT
};

/* The state after an event, or STATE_UNLOADED where it is not possible. */
uint32_t state_after(uint32_t state, enum state_event event);

/* 1 if commands are taken in this state. */
int state_takes_commands(uint32_t state);

#endif
