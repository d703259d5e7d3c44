/* request_scope.h: one request, one step.
 *
 * open62541 has no hook per service call, so the ways into it are wrapped: every
 * message of a connection and every round of timers is a turn. The first value read in
 * a turn copies the newest record; all others of that turn come from the copy, so one
 * response never mixes two steps. At the end of a connection's turn the commands
 * written in it go out as one frame, so that they act in one step.
 * The copy belongs to the calling thread. SERVICE context, never blocks. */
#ifndef REQUEST_SCOPE_H
#define REQUEST_SCOPE_H

#include <open62541/plugin/eventloop.h>

#include "services/run/attach.h"

struct server;
enum { REQUEST_SCOPE_MANAGERS = 8, REQUEST_SCOPE_STALE_MS = 100 };

/* What this thread's turn sees. */
struct request_scope {
    const struct record *record; /* the copy */
    uint64_t number;          /* of the record in its ring; 0: none was ever seen */
    int taken;                /* the copy is of this turn */
    UA_StatusCode quality;    /* of every simulated value */
    UA_StatusCode presence;   /* Good, or Bad when the step is gone */
    UA_DateTime time;         /* of the step, UTC */
    uintptr_t connection;     /* whose message this is; 0: a timer's round */
};

/* What was wrapped. */
struct request_scope_hook {
    UA_StatusCode (*run)(UA_EventLoop *el, UA_UInt32 timeout);
    UA_EventLoop *loop;
    UA_ConnectionManager *manager[REQUEST_SCOPE_MANAGERS];
    UA_StatusCode (*open[REQUEST_SCOPE_MANAGERS])(UA_ConnectionManager *cm,
                                                  const UA_KeyValueMap *params, void *application,
                                                  void *context,
                                                  UA_ConnectionManager_connectionCallback callback);
    struct request_scope_caller *caller;  /* one per opened connection or listening socket */
};

/* Wrap the event loop of a server before it starts. */
UA_StatusCode request_scope_install(struct server *s, UA_EventLoop *loop);
void request_scope_remove(struct server *s);

/* The turn with its record taken. Memory: valid until the turn ends. */
const struct request_scope *request_scope_now(struct server *s);

/* Forget the copy: the next value is of a newer step. After a method waited. */
void request_scope_drop(void);

/* The connection whose message is being served; 0: none. */
uintptr_t request_scope_connection(void);

/* Good, or why there is no step behind a record. */
UA_StatusCode request_scope_presence(const struct attach *a, const struct record *r);

/* The status of values with these bits of enum record_quality. */
UA_StatusCode request_scope_quality(uint32_t bits);

/* The time of a record's step, UTC. */
UA_DateTime request_scope_time(const struct attach *a, const struct record *r);

/* Monotonic now, ns. */
int64_t request_scope_clock(void);

#endif
