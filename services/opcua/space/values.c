#include "services/opcua/space/values.h"

#include <stdio.h>

#include "services/opcua/server.h"
#include "services/opcua/space/view.h"

enum values_quality { QUALITY_STEP, QUALITY_LIVE, QUALITY_CONST };

/* ---- the table --------------------------------------------------------------------- */

#define X(code, type, rank, quality, reader) {reader, UA_TYPES_##type, rank, QUALITY_##quality},
static const struct {
    UA_StatusCode (*read)(const struct variant_ask *a, UA_Variant *to);
    int16_t type;
    int8_t rank;
    uint8_t quality;
} ROW[VALUES_KINDS] = {VALUES_LIST(X)};
#undef X

const UA_DataType *values_type(enum values_kind kind) { return &UA_TYPES[ROW[kind].type]; }

int values_rank(enum values_kind kind) { return ROW[kind].rank; }

/* ---- quality ----------------------------------------------------------------------- */

/* 1 if one of n channels is under an inserted fault. */
static int faulted(const struct variant_ask *a, uint32_t first, uint32_t n)
{
    const uint32_t *flags = record_channel_flags(a->layout, a->record);

    for (uint32_t i = first; i < first + n; i++)
        if (flags[i] & RECORD_CHANNEL_FAULTED) return 1;
    return 0;
}

/* The flags of one actuator, or of all together. */
static uint32_t actuator_flags(const struct variant_ask *a, int all)
{
    const struct record_actuator *r = record_actuators(a->layout, a->record);
    uint32_t flags = 0;

    if (!all) return r[a->index].flags;
    for (uint32_t i = 0; i < a->layout->n_actuators; i++) flags |= r[i].flags;
    return flags;
}

/* What acts is not what was commanded. */
static UA_StatusCode applied_status(const struct variant_ask *a, int all)
{
    enum { OTHERWISE = ACTUATOR_TIMEOUT | ACTUATOR_SAFE | ACTUATOR_RAMPING | ACTUATOR_STUCK };

    return actuator_flags(a, all) & OTHERWISE ? UA_STATUSCODE_UNCERTAINSUBSTITUTEVALUE : a->quality;
}

/* A command nobody renews any more, or none yet. */
static UA_StatusCode command_status(const struct variant_ask *a, int all)
{
    const struct command_frame *f = a->server->writes.frame;

    if (actuator_flags(a, all) & (ACTUATOR_TIMEOUT | ACTUATOR_SAFE))
        return UA_STATUSCODE_UNCERTAINLASTUSABLEVALUE;
    if (!all && f->value[a->index].counter == 0) return UA_STATUSCODE_UNCERTAININITIALVALUE;
    return UA_STATUSCODE_GOOD;
}

/* The status a value carries; presence has been looked at. */
static UA_StatusCode status(const struct values_item *item, const struct variant_ask *a)
{
    const struct model_sensor *s;

    switch (item->kind) {
    case VALUES_CHANNEL:
        return faulted(a, a->index, 1) ? UA_STATUSCODE_BADSENSORFAILURE : a->quality;
    case VALUES_SENSOR:
        s = &model_sensors(a->model)[a->index];
        return faulted(a, s->channel_at, s->n_channels) ? UA_STATUSCODE_BADSENSORFAILURE
                                                        : a->quality;
    case VALUES_APPLIED:
    case VALUES_APPLIED_ALL:
        return applied_status(a, item->kind == VALUES_APPLIED_ALL);
    case VALUES_COMMAND:
    case VALUES_COMMANDS:
        return command_status(a, item->kind == VALUES_COMMANDS);
    default:
        return ROW[item->kind].quality == QUALITY_STEP ? a->quality : UA_STATUSCODE_GOOD;
    }
}

/* ---- reading ----------------------------------------------------------------------- */

static UA_StatusCode cut(const UA_NumericRange *range, UA_Variant *v)
{
    UA_Variant part;
    UA_StatusCode bad = UA_Variant_copyRange(v, &part, *range);

    UA_Variant_clear(v);
    if (!bad) *v = part;
    return bad;
}

UA_StatusCode values_read(UA_Server *ua, const UA_NodeId *session, void *session_context,
                          const UA_NodeId *node, void *node_context, UA_Boolean source_time,
                          const UA_NumericRange *range, UA_DataValue *value)
{
    struct values_item *item = node_context;
    struct server *s = item->node.server;
    const struct port *p = &s->attach->port;
    const struct request_scope *t = request_scope_now(s);
    struct variant_ask a = {.server = s,
                            .model = p->model,
                            .record = t->record,
                            .layout = &p->layout.step.record,
                            .monitor = p->monitor,
                            .session = session_context,
                            .quality = t->quality,
                            .index = item->index};
    UA_StatusCode bad;

    (void)ua, (void)session, (void)node;
    if (!s->serving) return UA_STATUSCODE_GOOD; /* a look at a node under construction */
    if (!t->record) return UA_STATUSCODE_BADOUTOFMEMORY;
    if (ROW[item->kind].quality != QUALITY_CONST)
        value->status = t->presence ? t->presence : status(item, &a);
    value->hasStatus = value->status != UA_STATUSCODE_GOOD;
    if (source_time) {
        value->hasSourceTimestamp = true;
        value->sourceTimestamp = t->time;
    }
    /* without the step there is no value; a faulty sensor's own is shown */
    if (t->presence && value->status == t->presence) return t->presence;
    bad = ROW[item->kind].read(&a, &value->value);
    if (!bad) queue_limit_note(s, item, &value->value);
    if (!bad && range) bad = cut(range, &value->value);
    value->hasValue = !bad;
    return bad;
}
