/* event.h: what happened in the step, one frame each in the step's event ring.
 * Formatted elsewhere. Each reader keeps its own cursor (ring_next) and learns how
 * many it lost. Severity on OPC UA's scale 1 .. 1000. */
#ifndef EVENT_H
#define EVENT_H

#include <stdint.h>

#include "rt/link/request.h"

/* X(code, severity, text) with what a, b, index and value mean */
#define EVENT_LIST(X)                                                                     \
    X(EVENT_STATE, 200, "state")             /* a: enum state before, b: now, index: trip */ \
    X(EVENT_MISS, 400, "deadline missed")    /* a: enum cause, b: slots skipped, index:   \
                                                phase, value: s late */                   \
    X(EVENT_TRIP, 800, "tripped")            /* a: enum trip, b: misses that led to it */ \
    X(EVENT_TIMEOUT, 600, "command timeout") /* index: actuator, value: its last value */ \
    X(EVENT_SOLVER, 900, "solver fault")     /* a: enum status, b: enum model_element,    \
                                                index: element */                         \
    X(EVENT_LEASE, 100, "authority")         /* a: enum lease_end or 0 granted, b: lease, \
                                                index: mode; who: granted: the holder,    \
                                                pre-empted: who took it */                \
    X(EVENT_REQUEST, 100, "request")         /* audit of every request: a: enum           \
                                                request_kind, b: enum reply_result,       \
                                                index and value of the request */         \
    X(EVENT_STEPS_DONE, 100, "steps done")   /* a: how many; service, session: who asked */ \
    X(EVENT_LOCKSTEP, 600, "lockstep timeout") /* a: step that got no frame */            \
    X(EVENT_SERVICE, 500, "service restarted") /* service, b: its epoch */                \
    X(EVENT_FAULT, 300, "inserted fault")    /* a: enum fault_kind, b: 1 begins, 0 ends,  \
                                                plus 2: on an actuator; index: slot,      \
                                                value: target; who inserted it */         \
    X(EVENT_SWITCH, 100, "switched")         /* index: switch of the model, value: J lost,  \
                                                a: 1 late, at the step's end;  \
                                                2 refused: b is the joint that       \
                                                something else drives */           \
    X(EVENT_DONE, 200, "the end asked for is reached") /* --until, --steps; a: step */     \
    X(EVENT_END, 500, "step process ends")   /* a: enum trip */                           \
    X(EVENT_SCHEDULING, 800, "scheduling of the step changed") /* seen by the supervisor: \
                                                a: enum board_scheduling bits, 0: as it   \
                                                was set again; index: the core now, -1:   \
                                                several; value: its priority now */       \
    X(EVENT_HUNG, 600, "service hung")       /* service: ended by force, to be restarted; \
                                                value: s without a heartbeat */           \
    X(EVENT_LOST, 800, "service given up")   /* service: it cannot run; a: 1 the rig      \
                                                demands it and goes safe */

enum event_kind {
#define X(code, severity, text) code,
    EVENT_LIST(X)
#undef X
        EVENT_COUNT
};

#define LEASE_END_LIST(X)                 \
    X(LEASE_END_NOT, "granted")           \
    X(LEASE_END_RELEASED, "released")     \
    X(LEASE_END_EXPIRED, "expired")       \
    X(LEASE_END_PREEMPTED, "pre-empted")  \
    X(LEASE_END_EPOCH, "service restarted") \
    X(LEASE_END_SAFE, "safe state")

enum lease_end {
#define X(code, text) code,
    LEASE_END_LIST(X)
#undef X
        LEASE_END_COUNT
};

struct event {
    uint64_t tick;
    uint64_t step;
    int64_t time_ns;    /* monotonic release of the tick */
    uint64_t session;   /* of the request or lease that led to it, else 0 */
    uint64_t a, b;
    uint32_t kind;      /* enum event_kind */
    uint32_t severity;
    uint32_t service;   /* block number */
    int32_t index;
    double value;
    double t;           /* s, simulation time of the values shown last */
    char who[REQUEST_TEXT]; /* the user behind it, as the service wrote it: any bytes */
};

#endif
