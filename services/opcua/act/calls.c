#include "services/opcua/act/calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "rt/link/name.h"
#include "services/opcua/lane/handover.h"
#include "services/opcua/act/methods.h"
#include "services/opcua/server.h"

enum { TEXT = 160, NAP_LEAST_NS = 100000, NAP_MOST_NS = 2000000 };

/* ---- answering --------------------------------------------------------------------- */

/* Hand a result to the library. */
static void give(struct server *s, struct calls_op *op, UA_CallMethodResult *result)
{
    UA_AsyncOperationResponse response = {.callMethodResult = *result};

    if (op->open) UA_Server_setAsyncOperationResult(s->ua, &response, op->open);
    if (op->open) s->calls.answered = 1;
    op->open = NULL;
    UA_CallMethodResult_clear(result);
}

static void refuse(struct server *s, struct calls_op *op, UA_StatusCode status, const char *why)
{
    struct reply none = {.ticket = 0};
    UA_CallMethodResult result = methods_result(status, why, &none);

    give(s, op, &result);
    op->done = 1;
}

/* The client has waited long enough: it gets the ticket. */
static void give_ticket(struct server *s, struct calls_op *op)
{
    struct reply later = {.ticket = op->request.ticket};
    UA_CallMethodResult result = methods_result(UA_STATUSCODE_GOODCOMPLETESASYNCHRONOUSLY,
                                                "not answered yet", &later);

    if (op->sent && op->request.kind == REQUEST_ACQUIRE) handover_stop(s);
    give(s, op, &result);
}

/* ---- what an answer means ---------------------------------------------------------- */

/* For the authority of the session that asked. */
static void note_authority(struct server *s, const struct request *q, const struct reply *r)
{
    struct rights_session *session = rights_find(s, q->session);

    if (r->result != REPLY_DONE) return;
    if (q->kind == REQUEST_RELEASE && session) session->lease = 0;
    if (q->kind != REQUEST_ACQUIRE) return;
    if (!session) {
        struct request release = {
            .kind = REQUEST_RELEASE, .lease = r->number, .session = q->session};
        port_send(&s->attach->port, &release);
        return;
    }
    session->lease = r->number;
    session->lease_tick = r->tick;
    session->mode = (uint32_t)q->index;
}

/* For the fast lane. */
static void note_handover(struct server *s, const struct calls_op *op, struct reply *r)
{
    struct rights_session *session = rights_find(s, op->session);
    int done = r->result == REPLY_DONE;

    if (op->request.kind == REQUEST_ACQUIRE)
        handover_end(s, done ? session : NULL, op->lends, &r->number);
    else if (op->request.kind == REQUEST_RELEASE && done && session && session->lends)
        handover_stop(s);
}

static void settle(struct server *s, struct calls_op *op, struct reply *r)
{
    char text[TEXT];

    note_authority(s, &op->request, r);
    op->done = 1;
    if (op->open) {
        UA_CallMethodResult result;
        request_scope_drop();
        note_handover(s, op, r);
        result = methods_result(methods_status(r->result), name_reply(r->result), r);
        give(s, op, &result);
        return;
    }
    snprintf(text, sizeof text, "ticket %llu: %s: %s", (unsigned long long)r->ticket,
             name_request(op->request.kind), name_reply(r->result));
    events_answer(s, text, r);
}

static void take_replies(struct server *s)
{
    struct port *p = &s->attach->port;
    struct reply r;

    while (ring_next(&p->reply, &p->reply_cursor, &r, NULL) == RING_OK) {
        if (r.service != p->self || r.epoch != p->epoch) continue;
        for (struct calls_op *op = s->calls.first; op; op = op->next)
            if (op->sent && !op->done && op->request.ticket == r.ticket) {
                settle(s, op, &r);
                break;
            }
    }
}

/* ---- asking ------------------------------------------------------------------------ */

static int is_stop(const struct calls_op *op) { return methods_kind(op->row) == REQUEST_ESTOP; }

static void send(struct server *s, struct calls_op *op, struct rights_session *session)
{
    struct request *q = &op->request;

    q->session = session->number;
    snprintf(q->who, sizeof q->who, "%s", session->user);
    q->lease = rights_holds(s, session) ? session->lease : 0;
    writes_commit(s);
    if (q->kind == REQUEST_ACQUIRE && op->open) handover_begin(s);
    ring_publish(&s->attach->port.request, q);
    op->sent = 1;
}

/* Ask the step what the call wants, or answer it at once. */
static void begin(struct server *s, struct calls_op *op)
{
    struct rights_session *session = rights_find(s, op->session);
    UA_CallMethodResult result;

    if (!session) {
        refuse(s, op, UA_STATUSCODE_BADSESSIONCLOSED, "the session has ended");
    } else if (!methods_begin(s, session, op, &result)) {
        give(s, op, &result);
        op->done = 1;
    } else if (request_scope_now(s)->presence) {
        UA_StatusCode gone = request_scope_now(s)->presence;
        refuse(s, op, gone, UA_StatusCode_name(gone));
    } else {
        send(s, op, session);
    }
}

/* Nothing called before an emergency stop acts after it. */
static void begin_stops(struct server *s)
{
    for (struct calls_op *op = s->calls.first; op; op = op->next) {
        if (op->sent || op->done || !is_stop(op)) continue;
        for (struct calls_op *i = s->calls.first; i; i = i->next)
            if (!i->sent && !i->done && !is_stop(i))
                refuse(s, i, UA_STATUSCODE_BADINVALIDSTATE, "an emergency stop came before it");
        begin(s, op);
    }
}

/* 1 if a call of the same session is before this one. */
static int must_wait(const struct server *s, const struct calls_op *op)
{
    for (const struct calls_op *i = s->calls.first; i != op; i = i->next)
        if (!i->done && !is_stop(i) && i->session == op->session) return 1;
    return 0;
}

static void begin_others(struct server *s)
{
    int asked = 0;

    for (const struct calls_op *op = s->calls.first; op; op = op->next)
        asked += op->sent && !op->done && !is_stop(op);
    for (struct calls_op *op = s->calls.first; op && asked < CALLS_ASKED; op = op->next) {
        if (op->sent || op->done || must_wait(s, op)) continue;
        begin(s, op);
        asked += op->sent;
    }
}

static void drop_done(struct calls *c)
{
    c->end = &c->first;
    while (*c->end) {
        struct calls_op *op = *c->end;
        if (!op->done) {
            c->end = &op->next;
            continue;
        }
        *c->end = op->next;
        UA_CallMethodRequest_clear(&op->call);
        free(op);
    }
}

void calls_work(struct server *s)
{
    struct calls *c = &s->calls;

    take_replies(s);
    if (!c->first) return;
    begin_stops(s);
    begin_others(s);
    for (struct calls_op *op = c->first; op; op = op->next)
        if (!op->done && op->open && request_scope_clock() > op->until_ns) give_ticket(s, op);
    drop_done(c);
    writes_commit(s);
    if (!c->answered) return;
    c->answered = 0;
    for (int i = 0; i < c->n_flush; i++)
        c->flush[i].callback(c->flush[i].application, c->flush[i].data);
}

int64_t calls_nap(const struct server *s)
{
    int64_t ns = (int64_t)(s->attach->rig->step * 1e9 / 8);

    if (!s->calls.first) return INT64_MAX;
    if (ns < NAP_LEAST_NS) return NAP_LEAST_NS;
    return ns > NAP_MOST_NS ? NAP_MOST_NS : ns;
}

/* ---- arrival ----------------------------------------------------------------------- */

static int64_t patience_ns(const struct server *s, const struct calls_op *op)
{
    int64_t ns = (int64_t)(CALLS_PERIODS * s->attach->rig->step * 1e9);

    return is_stop(op) && ns > CALLS_STOP_NS ? CALLS_STOP_NS : ns;
}

static int count_of(const struct calls *c, uint64_t session)
{
    int n = 0;

    for (const struct calls_op *op = c->first; op; op = op->next) n += op->session == session;
    return n;
}

/* The library has queued a call, right after it asked for the session's right to it. An
 * address it uses again was that of a call the client has cancelled since. */
static void on_queued(UA_Server *ua)
{
    struct server *s = server_of(ua);
    struct calls *c = &s->calls;
    const UA_AsyncOperationRequest *request;
    UA_AsyncOperationType type;
    struct calls_op *op;
    void *open;

    if (!UA_Server_getAsyncOperationNonBlocking(ua, &type, &request, &open, NULL)) return;
    for (op = c->first; op; op = op->next)
        if (op->open == open) op->open = NULL;
    op = calloc(1, sizeof *op);
    if (op && UA_CallMethodRequest_copy(&request->callMethodRequest, &op->call)) {
        free(op);
        op = NULL;
    }
    if (!op || !c->who) {
        UA_AsyncOperationResponse none = {
            .callMethodResult = {.statusCode = UA_STATUSCODE_BADOUTOFMEMORY}};
        UA_Server_setAsyncOperationResult(ua, &none, open);
        c->answered = 1;
        free(op);
        return;
    }
    op->open = open;
    op->session = c->who->number;
    op->row = methods_find(s, &op->call);
    op->request.kind = methods_kind(op->row);
    op->request.ticket = ++s->attach->port.ticket;
    op->until_ns = request_scope_clock() + patience_ns(s, op);
    if (count_of(c, op->session) >= CALLS_PER_SESSION)
        refuse(s, op, UA_STATUSCODE_BADTOOMANYOPERATIONS, "too many calls of this session wait");
    *c->end = op;
    c->end = &op->next;
}

void calls_note_session(struct server *s, struct rights_session *session)
{
    s->calls.who = session;
}

/* ---- life -------------------------------------------------------------------------- */

void calls_note_timer(struct server *s, UA_Callback callback, void *application, void *data,
                      double interval_ms)
{
    struct calls *c = &s->calls;

    if (s->ua || interval_ms != 1000.0 || c->n_flush == CALLS_FLUSH) return;
    c->flush[c->n_flush].callback = callback;
    c->flush[c->n_flush].application = application;
    c->flush[c->n_flush++].data = data;
}

void calls_install(struct server *s, UA_ServerConfig *c)
{
    s->calls.end = &s->calls.first;
    c->asyncOperationNotifyCallback = on_queued;
    c->asyncOperationTimeout = 3600000; /* ms; ours ends long before */
    c->maxAsyncOperationQueueSize = 0;
}

void calls_free(struct server *s)
{
    for (struct calls_op *op = s->calls.first; op; op = op->next) op->done = 1;
    drop_done(&s->calls);
}
