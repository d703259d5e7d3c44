/* control.h: requests, authority and the change of states.
 *
 * Takes at most REQUEST_PER_TICK requests over all services, checks each against
 * the table of request.h and answers it. Nothing of a request is trusted: it is
 * copied first and only the copy is checked. RT context, wait-free. */
#ifndef CONTROL_H
#define CONTROL_H

#include "rt/tick/state.h"
#include "rt/tick/tick.h"

/* Take and answer requests. */
void control_take(struct tick *t);

/* See whether the lease has ended by time or the service's epoch; and whether the
 * process is told to end. */
void control_watch(struct tick *t);

/* Change the state by an event, with what belongs to it. Returns 0 where the table
 * has no such change. */
int control_change(struct tick *t, enum state_event event);

/* To the safe state for this reason; the lease ends, safe actions begin. What moved
 * goes on moving under them. */
void control_trip(struct tick *t, enum trip trip, uint64_t misses);

/* End the lease. */
void control_end_lease(struct tick *t, enum lease_end why);

/* A step was integrated: count down Step(n); see whether the run is over. */
void control_stepped(struct tick *t);

#endif
