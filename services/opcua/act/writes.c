#include "services/opcua/act/writes.h"

#include <math.h>
#include <stdlib.h>

#include "services/opcua/server.h"
#include "services/opcua/space/values.h"

enum { REFRESH_NS = 20000000 }; /* a session's life is shown at most this often */

UA_StatusCode writes_init(struct server *s)
{
    const struct model *m = s->attach->port.model;
    struct command_frame *f = calloc(1, s->attach->port.layout.service.command_bytes);

    s->writes.frame = f;
    if (!f) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (uint32_t i = 0; i < m->actuators.n; i++) f->value[i].value = model_actuators(m)[i].start;
    return UA_STATUSCODE_GOOD;
}

void writes_free(struct server *s)
{
    free(s->writes.frame);
    s->writes.frame = NULL;
}

int writes_is_taken(uint32_t state)
{
    return state == STATE_ARMED || state == STATE_RUNNING || state == STATE_HOLDING;
}

int writes_is_in_range(const struct model *m, uint32_t i, double value)
{
    const struct model_actuator *a = &model_actuators(m)[i];

    return isfinite(value) && value >= a->lower && value <= a->upper;
}

UA_StatusCode writes_allowed(struct server *s, struct rights_session *session)
{
    const struct request_scope *t = request_scope_now(s);

    if (t->presence) return t->presence;
    if (!session || !rights_holds(s, session)) return UA_STATUSCODE_BADUSERACCESSDENIED;
    if (session->lends) return UA_STATUSCODE_BADUSERACCESSDENIED;
    return writes_is_taken(t->record->state) ? UA_STATUSCODE_GOOD : UA_STATUSCODE_BADINVALIDSTATE;
}

UA_StatusCode writes_check(struct server *s, uint32_t i, double value)
{
    return writes_is_in_range(s->attach->port.model, i, value) ? UA_STATUSCODE_GOOD
                                                               : UA_STATUSCODE_BADOUTOFRANGE;
}

void writes_stage(struct server *s, struct rights_session *session, uint32_t i, double value)
{
    struct command_frame *f = s->writes.frame;

    f->lease = session->lease;
    f->value[i].value = value;
    f->value[i].counter++;
    s->writes.staged = 1;
    command_latency_note(s, i, f->value[i].counter, s->writes.client_ns);
}

/* What holds for every value written, whatever its type. */
static UA_StatusCode check_value(const UA_NumericRange *range, const UA_DataValue *value)
{
    if (range) return UA_STATUSCODE_BADINDEXRANGEINVALID;
    if (value->hasStatus && value->status) return UA_STATUSCODE_BADWRITENOTSUPPORTED;
    if (!value->hasValue || value->value.type != &UA_TYPES[UA_TYPES_DOUBLE])
        return UA_STATUSCODE_BADTYPEMISMATCH;
    return UA_STATUSCODE_GOOD;
}

/* The time a client gave with a value, UTC ns; 0: none. */
static int64_t client_time(const UA_DataValue *value)
{
    UA_DateTime t = value->sourceTimestamp;

    /* far from 1970 it is no time to compare with, and does not fit in ns */
    if (!value->hasSourceTimestamp || t <= UA_DATETIME_UNIX_EPOCH ||
        t - UA_DATETIME_UNIX_EPOCH > INT64_MAX / 100)
        return 0;
    return (t - UA_DATETIME_UNIX_EPOCH) * 100;
}

UA_StatusCode writes_one(UA_Server *ua, const UA_NodeId *session, void *session_context,
                         const UA_NodeId *node, void *node_context, const UA_NumericRange *range,
                         const UA_DataValue *value)
{
    const struct values_item *item = node_context;
    struct server *s = item->node.server;
    UA_StatusCode bad = check_value(range, value);
    double wanted;

    (void)ua, (void)session, (void)node;
    if (bad) return bad;
    if (!UA_Variant_isScalar(&value->value)) return UA_STATUSCODE_BADTYPEMISMATCH;
    wanted = *(const UA_Double *)value->value.data;
    bad = writes_allowed(s, session_context);
    if (!bad) bad = writes_check(s, item->index, wanted);
    s->writes.client_ns = client_time(value);
    if (!bad) writes_stage(s, session_context, item->index, wanted);
    s->writes.client_ns = 0;
    return bad;
}

UA_StatusCode writes_all(UA_Server *ua, const UA_NodeId *session, void *session_context,
                         const UA_NodeId *node, void *node_context, const UA_NumericRange *range,
                         const UA_DataValue *value)
{
    const struct values_item *item = node_context;
    struct server *s = item->node.server;
    uint32_t n = s->attach->port.model->actuators.n;
    UA_StatusCode bad = check_value(range, value);
    const UA_Double *wanted = value->value.data;

    (void)ua, (void)session, (void)node;
    if (bad) return bad;
    if (UA_Variant_isScalar(&value->value) || value->value.arrayLength != n)
        return UA_STATUSCODE_BADTYPEMISMATCH;
    bad = writes_allowed(s, session_context);
    for (uint32_t i = 0; i < n && !bad; i++) bad = writes_check(s, i, wanted[i]);
    s->writes.client_ns = client_time(value);
    for (uint32_t i = 0; i < n && !bad; i++) writes_stage(s, session_context, i, wanted[i]);
    s->writes.client_ns = 0;
    return bad;
}

/* A manual session that sent anything at all is alive. */
static int shows_life(struct server *s)
{
    struct rights_session *holder = rights_holder(s);

    return holder && holder->mode == LEASE_MANUAL &&
           holder->connection == request_scope_connection() &&
           request_scope_clock() - s->writes.refreshed_ns > REFRESH_NS;
}

void writes_commit(struct server *s)
{
    struct command_frame *f = s->writes.frame;
    int life = shows_life(s);

    command_latency_look(s);
    if (!s->writes.staged && !life) return;
    if (life) {
        f->refresh++;
        f->lease = rights_holder(s)->lease;
        s->writes.refreshed_ns = request_scope_clock();
    }
    f->step = request_scope_now(s)->record->step;
    f->sent_ns = request_scope_clock();
    port_command(&s->attach->port, f);
    s->writes.staged = 0;
}
