/* tickets.h: requests to the step and their answers.
 *
 * A caller waits at most TICKETS_PERIODS periods. An answer that comes later is told as
 * an event with its ticket, and what it means for a session's authority is noted then;
 * an authority granted to a session that has ended meanwhile is given back.
 * SERVICE context; only tickets_wait blocks. */
#ifndef TICKETS_H
#define TICKETS_H

#include <stdint.h>

#include "rt/link/request.h"

struct server;
enum { TICKETS_PERIODS = 5, TICKETS_MOST = 32 };

struct tickets {
    struct request late[TICKETS_MOST]; /* asked, not answered in time */
    int n;
};

/* Send the request and wait. Returns 1 with the reply; 0: later, by an event. */
int tickets_wait(struct server *s, struct request *q, struct reply *reply);

/* Tell the answers that came since. */
void tickets_look(struct server *s);

#endif
