/* events.h: what happened in the step, as OPC UA events of the rig and of the server.
 *
 * RigEventType: states, misses, timeouts, trips, solver faults, late answers; with
 * StepNumber and, of an answer, Ticket. RigAuditEventType: every request, with who asked
 * (ClientUserId) and whether it was done (Status); also what the server refused itself.
 * Looked for every beat (50 ms); at most EVENTS_PER_BEAT go out at once, what is left
 * out or lost is said by one event of its own. SERVICE context; never blocks. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

#include <open62541/server.h>

#include "rt/link/request.h"

struct server;
struct rights_session;
enum { EVENTS_PER_BEAT = 32, EVENTS_TEXT = 256, EVENTS_USER = 33 };

/* An event of the server's own, told at the next beat. */
struct events_own {
    char text[EVENTS_TEXT];
    char user[EVENTS_USER];
    int64_t time_ns;           /* monotonic */
    uint64_t step, ticket;
    int audit, good;
};

struct events {
    uint64_t cursor;           /* in the ring of events */
    struct events_own own[EVENTS_PER_BEAT];
    int n_own;
    uint64_t left_out;         /* own events for which there was no room */
};

/* Add the event types. Events from now on are told. */
UA_StatusCode events_init(struct server *s);

/* Tell what is new. */
void events_tell(struct server *s);

/* Tell an answer that came late. */
void events_answer(struct server *s, const char *text, const struct reply *r);

/* Tell a control action that this server refused: what, and why. */
void events_refused(struct server *s, const struct rights_session *session, const char *what,
                    const char *why);

#endif
