/* vigil.h: what the supervisor looks at again and again: that each service's heart beats,
 * that the step thread is scheduled as it was set. What it finds goes to stderr, to the
 * board, and as an event through the step to everybody. SERVICE context, the supervisor
 * only. */
#ifndef VIGIL_H
#define VIGIL_H

#include "rt/link/event.h"
#include "services/run/supervisor.h"

enum {
    VIGIL_PATIENCE_S = 4,   /* a service without a heartbeat for so long hangs */
    VIGIL_STARTING_S = 60   /* until its first one */
};

/* Look at everything that is due. Call it a few times a second. */
void vigil_look(struct supervisor *s);

/* 1 when a service, number `self`, has come up: its heart has beaten. */
int vigil_is_up(const struct supervisor *s, uint32_t self);

/* Have the step publish an event of the supervisor's: about a service, with the fields of
 * struct event. */
void vigil_tell(struct supervisor *s, enum event_kind kind, struct event e);

#endif
