#include "services/opcua/act/pending.h"

#include <stdio.h>
#include <time.h>

#include "rt/link/name.h"
#include "services/opcua/server.h"

enum { NAP_NS = 100000, TEXT = 128 };

/* What an answer means for the authority of the session that asked. */
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

/* The next answer to this service; 0: none has come. */
static int next_reply(struct server *s, struct reply *r)
{
    struct port *p = &s->attach->port;

    while (ring_next(&p->reply, &p->reply_cursor, r, NULL) == RING_OK)
        if (r->service == p->self && r->epoch == p->epoch) return 1;
    return 0;
}

/* An answer nobody waits for any more. */
static void settle(struct server *s, const struct reply *r)
{
    struct pending *t = &s->pending;
    char text[TEXT];

    for (int i = 0; i < t->n; i++) {
        const struct request q = t->late[i];
        if (q.ticket != r->ticket) continue;
        t->late[i] = t->late[--t->n];
        note_authority(s, &q, r);
        snprintf(text, sizeof text, "ticket %llu: %s: %s", (unsigned long long)r->ticket,
                 name_request(q.kind), name_reply(r->result));
        events_answer(s, text, r);
        return;
    }
}

static void keep(struct pending *t, const struct request *q)
{
    if (t->n == PENDING_MOST) { /* the oldest has waited in vain */
        for (int i = 1; i < t->n; i++) t->late[i - 1] = t->late[i];
        t->n--;
    }
    t->late[t->n++] = *q;
}

int pending_wait(struct server *s, struct request *q, struct reply *reply)
{
    struct timespec nap = {.tv_nsec = NAP_NS};
    int64_t until = request_scope_clock() + (int64_t)(PENDING_PERIODS * s->attach->rig->step * 1e9);

    pending_look(s);
    port_send(&s->attach->port, q);
    for (;;) {
        while (next_reply(s, reply)) {
            if (reply->ticket == q->ticket) {
                note_authority(s, q, reply);
                return 1;
            }
            settle(s, reply);
        }
        if (request_scope_clock() > until) break;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    }
    keep(&s->pending, q);
    return 0;
}

void pending_look(struct server *s)
{
    struct reply r;

    while (next_reply(s, &r)) settle(s, &r);
}
