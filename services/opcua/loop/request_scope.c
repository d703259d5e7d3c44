#include "services/opcua/loop/request_scope.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "services/opcua/server.h"

/* Passed as `application` to the connection managers in place of open62541's. */
struct request_scope_caller {
    struct server *server;
    void *application;
    UA_ConnectionManager_connectionCallback callback;
    struct request_scope_caller *next;
};

static _Thread_local struct request_scope now;
static _Thread_local struct record *copy;

int64_t request_scope_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void request_scope_drop(void) { now.taken = 0; }

uintptr_t request_scope_connection(void) { return now.connection; }

/* ---- the copy ---------------------------------------------------------------------- */

/* A record older than this means that the step does not tick, living or not. */
static int64_t stale_ns(const struct rig *rig)
{
    double limit = REQUEST_SCOPE_STALE_MS * 1e-3;

    if (4 * rig->step > limit) limit = 4 * rig->step;
    if (rig->pace == RIG_LOCKSTEP) limit += rig->lockstep_timeout;
    return (int64_t)(limit * 1e9);
}

/* When this record was published, on our clock. Pace free has a clock of its own: there a
 * record is as old as we know it. */
static int64_t published(const struct attach *a, const struct record *r)
{
    static _Thread_local uint64_t tick;
    static _Thread_local int64_t first_seen;

    if (a->rig->pace != RIG_FREE) return r->publish_ns;
    if (first_seen == 0 || r->tick != tick) {
        tick = r->tick;
        first_seen = request_scope_clock();
    }
    return first_seen;
}

UA_StatusCode request_scope_presence(const struct attach *a, const struct record *r)
{
    if (r->state == STATE_UNLOADED) return UA_STATUSCODE_BADOUTOFSERVICE;
    if (!port_step_alive(&a->port) || (r->quality & RECORD_FINAL) ||
        request_scope_clock() - published(a, r) > stale_ns(a->rig))
        return UA_STATUSCODE_BADNOCOMMUNICATION;
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode request_scope_quality(uint32_t bits)
{
    if (bits & RECORD_INITIAL) return UA_STATUSCODE_UNCERTAININITIALVALUE;
    if (bits & (RECORD_HELD | RECORD_LATE)) return UA_STATUSCODE_UNCERTAINLASTUSABLEVALUE;
    if (bits & RECORD_SUBNORMAL) return UA_STATUSCODE_UNCERTAINSUBNORMAL;
    return UA_STATUSCODE_GOOD;
}

UA_DateTime request_scope_time(const struct attach *a, const struct record *r)
{
    int64_t offset = atomic_load_explicit(&a->port.board->utc_offset_now_ns, memory_order_relaxed);

    return (r->release_ns + offset) / 100 + UA_DATETIME_UNIX_EPOCH;
}

static UA_StatusCode presence(const struct server *s)
{
    if (!copy) return UA_STATUSCODE_BADOUTOFMEMORY;
    if (now.number == 0) return UA_STATUSCODE_BADOUTOFSERVICE;
    return request_scope_presence(s->attach, copy);
}

static void take(struct server *s)
{
    const struct port *p = &s->attach->port;
    uint64_t n;

    if (!copy) copy = calloc(1, p->layout.step.record.bytes);
    n = copy ? port_record(p, copy) : 0;
    if (n) now.number = n;
    now.record = copy;
    now.taken = 1;
    now.presence = presence(s);
    now.quality = now.presence ? now.presence : request_scope_quality(copy->quality);
    now.time = copy ? request_scope_time(s->attach, copy) : 0;
}

const struct request_scope *request_scope_now(struct server *s)
{
    if (!now.taken) take(s);
    return &now;
}

/* ---- the ways in ------------------------------------------------------------------- */

static int is_tcp(const UA_ConnectionManager *cm)
{
    return cm->protocol.length == 3 && memcmp(cm->protocol.data, "tcp", 3) == 0;
}

static void on_connection(UA_ConnectionManager *cm, uintptr_t id, void *application, void **context,
                          UA_ConnectionState state, const UA_KeyValueMap *params, UA_ByteString msg)
{
    struct request_scope_caller *c = application;

    if (state == UA_CONNECTIONSTATE_CLOSING)
        chunk_limit_forget(&c->server->chunk_limit, id);
    else if (msg.length == 0)
        timers_watch(c->server, id);
    else if (is_tcp(cm) && !chunk_limit_take(&c->server->chunk_limit, cm, id, &msg))
        return;
    request_scope_drop();
    now.connection = id;
    c->callback(cm, id, c->application, context, state, params, msg);
    writes_commit(c->server);
    calls_work(c->server);
    if (state == UA_CONNECTIONSTATE_CLOSING)
        sessions_line_ended(c->server, id);
    else
        sessions_served(c->server, id);
    queue_limit_served(c->server);
    request_scope_drop();
    now.connection = 0;
}

static UA_StatusCode open_connection(UA_ConnectionManager *cm, const UA_KeyValueMap *params,
                                     void *application, void *context,
                                     UA_ConnectionManager_connectionCallback callback);

/* The server a manager belongs to: its event loop's run and logger are const to us, so
 * it is looked up in the list of this thread's one server. */
static _Thread_local struct server *installed;

static UA_StatusCode run(UA_EventLoop *el, UA_UInt32 timeout)
{
    timeout = timers_wait(installed, el, timeout);
    request_scope_drop();
    calls_work(installed);
    request_scope_drop();
    return installed->hook.run(el, timeout);
}

static UA_StatusCode open_connection(UA_ConnectionManager *cm, const UA_KeyValueMap *params,
                                     void *application, void *context,
                                     UA_ConnectionManager_connectionCallback callback)
{
    struct request_scope_hook *h = &installed->hook;
    struct request_scope_caller *c = calloc(1, sizeof *c);
    int i = 0;

    if (!c) return UA_STATUSCODE_BADOUTOFMEMORY;
    *c = (struct request_scope_caller){
        .server = installed, .application = application, .callback = callback, .next = h->caller};
    h->caller = c;
    while (h->manager[i] != cm) i++;
    return h->open[i](cm, params, c, context, on_connection);
}

UA_StatusCode request_scope_install(struct server *s, UA_EventLoop *loop)
{
    struct request_scope_hook *h = &s->hook;
    int n = 0;

    for (UA_EventSource *es = loop->eventSources; es; es = es->next) {
        UA_ConnectionManager *cm = (UA_ConnectionManager *)es;
        if (es->eventSourceType != UA_EVENTSOURCETYPE_CONNECTIONMANAGER) continue;
        if (n == REQUEST_SCOPE_MANAGERS) return UA_STATUSCODE_BADINTERNALERROR;
        h->manager[n] = cm;
        h->open[n++] = cm->openConnection;
        cm->openConnection = open_connection;
    }
    h->loop = loop;
    h->run = loop->run;
    loop->run = run;
    installed = s;
    timers_install(s, loop);
    return UA_STATUSCODE_GOOD;
}

void request_scope_remove(struct server *s)
{
    while (s->hook.caller) {
        struct request_scope_caller *c = s->hook.caller;
        s->hook.caller = c->next;
        free(c);
    }
    timers_remove(s);
    chunk_limit_clear(&s->chunk_limit);
    free(copy);
    copy = NULL;
    now = (struct request_scope){0};
    installed = NULL;
}
