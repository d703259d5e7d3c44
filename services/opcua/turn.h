/* turn.h: one request, one step.
 *
 * open62541 has no hook per service call, so the ways into it are wrapped: every
 * message of a connection and every round of timers is a turn. The first value read in
 * a turn copies the newest record; all others of that turn come from the copy, so one
 * response never mixes two steps. At the end of a connection's turn the commands
 * written in it go out as one frame, so that they act in one step.
 * The copy belongs to the calling thread. SERVICE context, never blocks. */
#ifndef TURN_H
#define TURN_H

#include <open62541/plugin/eventloop.h>

#include "services/run/attach.h"

struct server;
enum { TURN_MANAGERS = 8, TURN_STALE_MS = 100 };

/* What this thread's turn sees. */
struct turn {
    const struct record *record; /* the copy */
    uint64_t number;          /* of the record in its ring; 0: none was ever seen */
    int taken;                /* the copy is of this turn */
    UA_StatusCode quality;    /* of every simulated value */
    UA_StatusCode presence;   /* Good, or Bad when the step is gone */
    UA_DateTime time;         /* of the step, UTC */
    uintptr_t connection;     /* whose message this is; 0: a timer's round */
};

/* What was wrapped. */
struct turn_hook {
    UA_StatusCode (*run)(UA_EventLoop *el, UA_UInt32 timeout);
    UA_EventLoop *loop;
    UA_ConnectionManager *manager[TURN_MANAGERS];
    UA_StatusCode (*open[TURN_MANAGERS])(UA_ConnectionManager *cm, const UA_KeyValueMap *params,
                                         void *application, void *context,
                                         UA_ConnectionManager_connectionCallback callback);
    struct turn_caller *caller;  /* one per opened connection or listening socket */
};

/* Wrap the event loop of a server before it starts. */
UA_StatusCode turn_install(struct server *s, UA_EventLoop *loop);
void turn_remove(struct server *s);

/* The turn with its record taken. Memory: valid until the turn ends. */
const struct turn *turn_now(struct server *s);

/* Forget the copy: the next value is of a newer step. After a method waited. */
void turn_drop(void);

/* The connection whose message is being served; 0: none. */
uintptr_t turn_connection(void);

/* Good, or why there is no step behind a record. */
UA_StatusCode turn_presence(const struct attach *a, const struct record *r);

/* The status of values with these bits of enum record_quality. */
UA_StatusCode turn_quality(uint32_t bits);

/* The time of a record's step, UTC. */
UA_DateTime turn_time(const struct attach *a, const struct record *r);

/* Monotonic now, ns. */
int64_t turn_clock(void);

#endif
