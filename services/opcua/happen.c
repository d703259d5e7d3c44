#include "services/opcua/happen.h"

#include <stdio.h>
#include <string.h>

#include "rt/link/name.h"
#include "services/opcua/server.h"
#include "services/opcua/space.h"

enum { TEXT = 256 };

static UA_StatusCode add_type(struct server *s, const char *id, const char *name, UA_UInt32 base)
{
    UA_ObjectTypeAttributes a = UA_ObjectTypeAttributes_default;
    UA_NodeId node = space_id(s, "%s", id);
    UA_String text = {strlen(name), (UA_Byte *)(uintptr_t)name};
    UA_StatusCode bad;

    a.displayName.text = text;
    bad = UA_Server_addObjectTypeNode(s->ua, node, UA_NODEID_NUMERIC(0, base),
                                      UA_NODEID_NUMERIC(0, UA_NS0ID_HASSUBTYPE),
                                      (UA_QualifiedName){s->ns, text}, a, NULL, NULL);
    UA_NodeId_clear(&node);
    return bad;
}

UA_StatusCode happen_init(struct server *s)
{
    UA_StatusCode bad = add_type(s, "type:rig-event", "RigEventType", UA_NS0ID_BASEEVENTTYPE);

    if (!bad) bad = add_type(s, "type:rig-audit", "RigAuditEventType", UA_NS0ID_AUDITEVENTTYPE);
    s->happen.cursor = ring_head(&s->attach->port.event);
    return bad;
}

/* ---- words ------------------------------------------------------------------------- */

static const char *actuator(const struct model *m, int32_t i)
{
    return i >= 0 && (uint32_t)i < m->actuators.n ? model_text(m, model_actuators(m)[i].name) : "?";
}

static void describe(const struct server *s, const struct event *e, char *to)
{
    const struct model *m = s->attach->port.model;
    const char *name = name_event(e->kind);

    switch (e->kind) {
    case EVENT_STATE:
        snprintf(to, TEXT, "state %s -> %s", name_state((uint32_t)e->a),
                 name_state((uint32_t)e->b));
        break;
    case EVENT_MISS:
        snprintf(to, TEXT, "%s: %s, %.0f us late, %llu slots skipped", name,
                 name_cause((uint32_t)e->a), e->value * 1e6, (unsigned long long)e->b);
        break;
    case EVENT_TRIP:
        snprintf(to, TEXT, "%s: %s", name, name_trip((uint32_t)e->a));
        break;
    case EVENT_TIMEOUT:
        snprintf(to, TEXT, "%s: %s", name, actuator(m, e->index));
        break;
    case EVENT_SOLVER:
        snprintf(to, TEXT, "%s: element %d", name, e->index);
        break;
    case EVENT_LEASE:
        snprintf(to, TEXT, "%s %llu %s", name, (unsigned long long)e->b,
                 name_lease_end((uint32_t)e->a));
        break;
    case EVENT_REQUEST:
        snprintf(to, TEXT, "%s: %s", name_request((uint32_t)e->a), name_reply((uint32_t)e->b));
        break;
    case EVENT_FAULT:
        snprintf(to, TEXT, "%s %s %s", name, name_fault((uint32_t)e->a), e->b ? "begins" : "ends");
        break;
    default:
        snprintf(to, TEXT, "%s", name);
        break;
    }
}

/* ---- telling ----------------------------------------------------------------------- */

static UA_StatusCode set(struct server *s, UA_NodeId event, const char *name, const void *value,
                         int type)
{
    UA_QualifiedName q = {0, {strlen(name), (UA_Byte *)(uintptr_t)name}};
    return UA_Server_writeObjectProperty_scalar(s->ua, event, q, value, &UA_TYPES[type]);
}

static void tell(struct server *s, const char *text, UA_UInt16 severity, int64_t time_ns, int audit,
                 int good)
{
    const struct board *b = s->attach->port.board;
    UA_DateTime time = (time_ns + atomic_load(&b->utc_offset_now_ns)) / 100 +
                       UA_DATETIME_UNIX_EPOCH;
    UA_LocalizedText message = {.text = {strlen(text), (UA_Byte *)(uintptr_t)text}};
    UA_String source = UA_STRING_STATIC("Rig");
    UA_NodeId rig = space_id(s, "rig"), event;
    UA_NodeId type = space_id(s, audit ? "type:rig-audit" : "type:rig-event");
    UA_Boolean status = good != 0;

    if (UA_Server_createEvent(s->ua, type, &event) == UA_STATUSCODE_GOOD) {
        set(s, event, "Message", &message, UA_TYPES_LOCALIZEDTEXT);
        set(s, event, "Severity", &severity, UA_TYPES_UINT16);
        set(s, event, "Time", &time, UA_TYPES_DATETIME);
        set(s, event, "SourceName", &source, UA_TYPES_STRING);
        if (audit) {
            set(s, event, "ActionTimeStamp", &time, UA_TYPES_DATETIME);
            set(s, event, "Status", &status, UA_TYPES_BOOLEAN);
        }
        UA_Server_triggerEvent(s->ua, event, rig, NULL, true);
    }
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&type);
}

void happen_tell(struct server *s)
{
    const struct ring *ring = &s->attach->port.event;
    uint64_t lost = 0;
    struct event e;
    char text[TEXT];
    int n = 0;

    while (n < HAPPEN_PER_BEAT && ring_next(ring, &s->happen.cursor, &e, &lost) == RING_OK) {
        describe(s, &e, text);
        tell(s, text, (UA_UInt16)(e.severity ? e.severity : 1), e.time_ns, e.kind == EVENT_REQUEST,
             e.kind != EVENT_REQUEST || e.b <= REPLY_STARTED);
        n++;
    }
    if (n == HAPPEN_PER_BEAT && ring_head(ring) > s->happen.cursor) {
        lost += ring_head(ring) - s->happen.cursor;
        s->happen.cursor = ring_head(ring);
    }
    if (!lost) return;
    snprintf(text, sizeof text, "%llu events more were left out", (unsigned long long)lost);
    tell(s, text, 500, turn_clock(), 0, 1);
}
