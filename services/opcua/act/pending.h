/* pending.h: requests to the step and their answers.
 *
 * A caller waits at most PENDING_PERIODS periods. An answer that comes later is told as
 * an event with its ticket, and what it means for a session's authority is noted then;
 * an authority granted to a session that has ended meanwhile is given back.
 * SERVICE context; only pending_wait blocks. */
#ifndef PENDING_H
#define PENDING_H

#include <stdint.h>

#include "rt/link/request.h"

struct server;
enum { PENDING_PERIODS = 5, PENDING_MOST = 32 };

struct pending {
    struct request late[PENDING_MOST]; /* asked, not answered in time */
    int n;
};

/* Send the request and wait. Returns 1 with the reply; 0: later, by an event. */
int pending_wait(struct server *s, struct request *q, struct reply *reply);

/* Tell the answers that came since. */
void pending_look(struct server *s);

#endif
