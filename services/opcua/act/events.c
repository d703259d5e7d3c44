#include "services/opcua/act/events.h"

#include <stdio.h>
#include <string.h>

#include "services/client/words.h"
#include "services/opcua/act/methods.h"
#include "services/opcua/server.h"
#include "services/opcua/space/space.h"

static UA_String borrow(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

/* ---- types ------------------------------------------------------------------------- */

static UA_StatusCode add_number(struct server *s, const char *type, const char *id,
                                const char *name, const char *help)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_NodeId parent = space_id(s, "%s", type), node = space_id(s, "%s.%s", type, id);
    UA_UInt64 zero = 0;
    UA_StatusCode bad;

    a.displayName.text = borrow(name);
    a.description.text = borrow(help);
    a.dataType = UA_TYPES[UA_TYPES_UINT64].typeId;
    a.valueRank = UA_VALUERANK_SCALAR;
    UA_Variant_setScalar(&a.value, &zero, &UA_TYPES[UA_TYPES_UINT64]);
    bad = UA_Server_addVariableNode(s->ua, node, parent, UA_NODEID_NUMERIC(0, UA_NS0ID_HASPROPERTY),
                                    (UA_QualifiedName){s->ns, borrow(name)},
                                    UA_NODEID_NUMERIC(0, UA_NS0ID_PROPERTYTYPE), a, NULL, NULL);
    if (!bad) bad = space_make_mandatory(s, node);
    UA_NodeId_clear(&parent);
    UA_NodeId_clear(&node);
    return bad;
}

static UA_StatusCode add_type(struct server *s, const char *id, const char *name, const char *help,
                              UA_UInt32 base)
{
    UA_ObjectTypeAttributes a = UA_ObjectTypeAttributes_default;
    UA_NodeId node = space_id(s, "%s", id);
    UA_StatusCode bad;

    a.displayName.text = borrow(name);
    a.description.text = borrow(help);
    bad = UA_Server_addObjectTypeNode(s->ua, node, UA_NODEID_NUMERIC(0, base),
                                      UA_NODEID_NUMERIC(0, UA_NS0ID_HASSUBTYPE),
                                      (UA_QualifiedName){s->ns, borrow(name)}, a, NULL, NULL);
    UA_NodeId_clear(&node);
    if (!bad) bad = add_number(s, id, "step", "StepNumber", "step in which it happened");
    if (!bad) bad = add_number(s, id, "ticket", "Ticket", "of the request it answers; 0: none");
    return bad;
}

UA_StatusCode events_init(struct server *s)
{
    UA_StatusCode bad = add_type(s, "type:rig-event", "RigEventType", "what happened to the rig",
                                 UA_NS0ID_BASEEVENTTYPE);

    if (!bad)
        bad = add_type(s, "type:rig-audit", "RigAuditEventType", "who asked for what",
                       UA_NS0ID_AUDITUPDATEMETHODEVENTTYPE);
    s->events.cursor = ring_head(&s->attach->port.event);
    return bad;
}

static struct words words_of(const struct server *s)
{
    return (struct words){.model = s->attach->port.model, .board = s->attach->port.board};
}

/* ---- telling ----------------------------------------------------------------------- */

/* What an event carries. */
struct news {
    const char *text, *user;
    UA_UInt16 severity;
    int64_t time_ns;      /* monotonic */
    uint64_t step, ticket;
    int audit, good;
    UA_NodeId method;     /* that was called; null: none of ours */
};

static void set(struct server *s, UA_NodeId event, UA_UInt16 ns, const char *name,
                const void *value, int type)
{
    UA_QualifiedName q = {ns, borrow(name)};
    UA_Server_writeObjectProperty_scalar(s->ua, event, q, value, &UA_TYPES[type]);
}

static void set_audit(struct server *s, UA_NodeId event, const struct news *n, UA_DateTime time)
{
    UA_Boolean status = n->good != 0;
    UA_Variant none; /* arguments are not kept: commands and parameters may be secrets */
    UA_String user = borrow(n->user),
              server = UA_Server_getConfig(s->ua)->applicationDescription.applicationUri;

    set(s, event, 0, "ActionTimeStamp", &time, UA_TYPES_DATETIME);
    set(s, event, 0, "Status", &status, UA_TYPES_BOOLEAN);
    set(s, event, 0, "ServerId", &server, UA_TYPES_STRING);
    set(s, event, 0, "ClientUserId", &user, UA_TYPES_STRING);
    set(s, event, 0, "MethodId", &n->method, UA_TYPES_NODEID);
    UA_Variant_setArray(&none, UA_EMPTY_ARRAY_SENTINEL, 0, &UA_TYPES[UA_TYPES_VARIANT]);
    UA_Server_writeObjectProperty(s->ua, event, UA_QUALIFIEDNAME(0, (char[]){"InputArguments"}),
                                  none);
}

static void tell(struct server *s, const struct news *n)
{
    const struct board *b = s->attach->port.board;
    UA_DateTime time = (n->time_ns + atomic_load(&b->utc_offset_now_ns)) / 100 +
                       UA_DATETIME_UNIX_EPOCH;
    UA_LocalizedText message = {.text = borrow(n->text)};
    UA_String source = UA_STRING_STATIC("Rig");
    UA_NodeId rig = space_id(s, "rig"), event;
    UA_NodeId type = space_id(s, n->audit ? "type:rig-audit" : "type:rig-event");

    if (UA_Server_createEvent(s->ua, type, &event) == UA_STATUSCODE_GOOD) {
        set(s, event, 0, "Message", &message, UA_TYPES_LOCALIZEDTEXT);
        set(s, event, 0, "Severity", &n->severity, UA_TYPES_UINT16);
        set(s, event, 0, "Time", &time, UA_TYPES_DATETIME);
        set(s, event, 0, "SourceName", &source, UA_TYPES_STRING);
        set(s, event, s->ns, "StepNumber", &n->step, UA_TYPES_UINT64);
        set(s, event, s->ns, "Ticket", &n->ticket, UA_TYPES_UINT64);
        if (n->audit) set_audit(s, event, n, time);
        UA_Server_triggerEvent(s->ua, event, rig, NULL, true);
    }
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&type);
}

static void tell_own(struct server *s)
{
    for (int i = 0; i < s->events.n_own; i++) {
        const struct events_own *o = &s->events.own[i];
        tell(s, &(struct news){.text = o->text,
                               .user = o->user,
                               .severity = 100,
                               .time_ns = o->time_ns,
                               .step = o->step,
                               .ticket = o->ticket,
                               .audit = o->audit,
                               .good = o->good,
                               .method = o->audit ? methods_node(s, o->text, -1) : UA_NODEID_NULL});
    }
    s->events.n_own = 0;
}

void events_tell(struct server *s)
{
    const struct ring *ring = &s->attach->port.event;
    const struct words words = words_of(s);
    uint64_t lost = 0;
    struct event e;
    char text[WORDS_TEXT], who[WORDS_NAME];
    int n = 0;

    tell_own(s);
    while (n < EVENTS_PER_BEAT && ring_next(ring, &s->events.cursor, &e, &lost) == RING_OK) {
        words_event(&words, &e, text);
        tell(s, &(struct news){.text = text,
                               .user = words_who(&words, &e, who),
                               .severity = (UA_UInt16)(e.severity ? e.severity : 1),
                               .time_ns = e.time_ns,
                               .step = e.step,
                               .audit = e.kind == EVENT_REQUEST,
                               .good = e.kind != EVENT_REQUEST || e.b <= REPLY_STARTED,
                               .method = e.kind == EVENT_REQUEST ? methods_node(s, NULL, (int)e.a)
                                                                 : UA_NODEID_NULL});
        n++;
    }
    if (n == EVENTS_PER_BEAT && ring_head(ring) > s->events.cursor) {
        lost += ring_head(ring) - s->events.cursor;
        s->events.cursor = ring_head(ring);
    }
    lost += s->events.left_out;
    s->events.left_out = 0;
    if (!lost) return;
    snprintf(text, sizeof text, "%llu events more were left out", (unsigned long long)lost);
    tell(s, &(struct news){.text = text, .severity = 500, .time_ns = request_scope_clock()});
}

/* ---- the server's own -------------------------------------------------------------- */

static struct events_own *new_own(struct server *s)
{
    struct events *h = &s->events;

    if (h->n_own == EVENTS_PER_BEAT) {
        h->left_out++;
        return NULL;
    }
    h->own[h->n_own] = (struct events_own){.time_ns = request_scope_clock()};
    return &h->own[h->n_own++];
}

void events_answer(struct server *s, const char *text, const struct reply *r)
{
    struct events_own *o = new_own(s);

    if (!o) return;
    snprintf(o->text, sizeof o->text, "%s", text);
    o->step = r->step;
    o->ticket = r->ticket;
}

void events_refused(struct server *s, const struct rights_session *session, const char *what,
                    const char *why)
{
    struct events_own *o = new_own(s);

    if (!o) return;
    snprintf(o->text, sizeof o->text, "%s: %s", what, why);
    snprintf(o->user, sizeof o->user, "%s", session ? session->user : "");
    o->step = request_scope_now(s)->record ? request_scope_now(s)->record->step : 0;
    o->audit = 1;
}
