/* happen.h: what happened in the step, as OPC UA events of the rig and of the server.
 *
 * Looked for every beat (50 ms); at most HAPPEN_PER_BEAT go out at once, what is left
 * out or lost is said by one event of its own. Requests are audit events. SERVICE
 * context; never blocks. */
#ifndef HAPPEN_H
#define HAPPEN_H

#include <stdint.h>

#include <open62541/server.h>

struct server;
enum { HAPPEN_PER_BEAT = 32 };

struct happen {
    uint64_t cursor;   /* in the ring of events */
};

/* Add the event types. Events from now on are told. */
UA_StatusCode happen_init(struct server *s);

/* Tell what is new. */
void happen_tell(struct server *s);

#endif
