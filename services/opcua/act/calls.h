/* calls.h: method calls under way, from their arrival until the step has answered.
 *
 * A call never holds the server: it is queued, its request goes to the step, and the
 * client is answered when the step has answered, while everybody else is served. The
 * calls of one session are asked of the step one after the other, in their order; of all
 * sessions together at most CALLS_ASKED at a time, so that the step takes an emergency
 * stop in its next tick, whatever else was called: that one is sent at once, and calls
 * not yet sent are refused by it.
 * A client waits for at most CALLS_PERIODS periods after its call came (an emergency stop
 * CALLS_STOP_NS), whatever the number of methods in it; then it has
 * GoodCompletesAsynchronously and a ticket, and the answer comes as an event with that
 * ticket. An authority granted to a session that has ended meanwhile is given back.
 * SERVICE context; never blocks. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

#include <open62541/server.h>

#include "rt/link/request.h"

struct server;
struct rights_session;
enum { CALLS_PERIODS = 5, CALLS_STOP_NS = 4000000, CALLS_ASKED = 3 };
enum { CALLS_PER_SESSION = 256, CALLS_FLUSH = 8 };

/* A call: what is filled in for it, and what it has come to. */
struct calls_op {
    UA_CallMethodRequest call;   /* a copy */
    uint64_t session;            /* number of who called */
    int row;                     /* of the method (methods.c) */
    int lends;                   /* acquire: for the fast lane */
    struct request request;
    void *open;                  /* the library's; NULL: the client has its answer */
    int64_t until_ns;            /* it has its answer by then */
    int sent, done;
    struct calls_op *next;
};

struct calls {
    struct calls_op *first, **end;
    struct rights_session *who;  /* whose right to call was looked at last */
    int answered;                /* answers the library has to send */
    /* What sends them: the library's own look at its results, which it else takes once
     * a second. */
    struct {
        UA_Callback callback;
        void *application, *data;
    } flush[CALLS_FLUSH];
    int n_flush;
};

/* Take over the methods of the server, in a configuration under construction. */
void calls_install(struct server *s, UA_ServerConfig *c);
void calls_free(struct server *s);

/* A timer the library adds at its start; those of its results are remembered. */
void calls_note_timer(struct server *s, UA_Callback callback, void *application, void *data,
                      double interval_ms);

/* `session` may call: the call the library queues next is its. */
void calls_note_session(struct server *s, struct rights_session *session);

/* Send what can be sent, take the step's answers, answer clients. */
void calls_work(struct server *s);

/* How soon to look again, ns; INT64_MAX: nobody waits. */
int64_t calls_nap(const struct server *s);

#endif
