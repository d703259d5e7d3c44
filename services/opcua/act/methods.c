#include "services/opcua/act/methods.h"

#include <stdio.h>
#include <string.h>

#include "rt/link/name.h"
#include "services/client/words.h"
#include "services/opcua/act/arguments.h"
#include "services/opcua/act/calls.h"
#include "services/opcua/lane/handover.h"
#include "services/opcua/server.h"
#include "services/opcua/space/space.h"
#include "services/opcua/space/values.h"

enum { INPUTS = 7, OUTPUTS = 4, NAME = 256 };

struct call {
    struct server *server;
    struct rights_session *session;
    const UA_Variant *in;
    struct request request;      /* to be filled */
    const char *answer;          /* where nothing is asked of the step */
    int lends;                   /* acquire: for the fast lane */
};

/* ---- arguments --------------------------------------------------------------------- */

static double in_number(const struct call *c, int i) { return *(const UA_Double *)c->in[i].data; }

static uint64_t in_count(const struct call *c, int i) { return *(const UA_UInt64 *)c->in[i].data; }

static int same(const UA_String *a, const char *b)
{
    return a->length == strlen(b) && (a->length == 0 || memcmp(a->data, b, a->length) == 0);
}

static const UA_String *in_text(const struct call *c, int i) { return c->in[i].data; }

static int find_actuator(const struct model *m, const UA_String *name)
{
    for (uint32_t i = 0; i < m->actuators.n; i++)
        if (same(name, model_text(m, model_actuators(m)[i].name))) return (int)i;
    return -1;
}

static int find_channel(const struct model *m, const UA_String *name)
{
    char text[NAME];

    for (uint32_t i = 0; i < (uint32_t)m->n_channels; i++)
        if (words_channel(m, i, text, sizeof text) && same(name, text)) return (int)i;
    return -1;
}

/* ---- filling requests; each returns Good or why not -------------------------------- */

static UA_StatusCode fill_nothing(struct call *c)
{
    (void)c;
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode fill_step(struct call *c)
{
    c->request.count = in_count(c, 0);
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode fill_parameter(struct call *c)
{
    const struct model *m = c->server->attach->port.model;

    c->request.value = in_number(c, 1);
    for (uint32_t i = 0; i < m->parameters.n; i++)
        if (same(in_text(c, 0), model_text(m, model_parameters(m)[i].name))) {
            c->request.index = (int32_t)i;
            return UA_STATUSCODE_GOOD;
        }
    return UA_STATUSCODE_BADNOMATCH;
}

static UA_StatusCode fill_joint(struct call *c)
{
    const struct model *m = c->server->attach->port.model;

    for (uint32_t i = 0; i < m->joints.n; i++)
        if (same(in_text(c, 0), model_text(m, model_joints(m)[i].name))) {
            c->request.index = (int32_t)i;
            return UA_STATUSCODE_GOOD;
        }
    return UA_STATUSCODE_BADNOMATCH;
}

static UA_StatusCode fill_policy(struct call *c)
{
    for (uint32_t i = 0; i < POLICY_COUNT; i++)
        if (same(in_text(c, 0), name_policy(i))) {
            c->request.index = (int32_t)i;
            return UA_STATUSCODE_GOOD;
        }
    return UA_STATUSCODE_BADNOMATCH;
}

/* 1 and the rest of the text if it begins with this prefix. */
static int after(const UA_String *text, const char *prefix, UA_String *rest)
{
    size_t n = strlen(prefix);

    *rest = *text;
    if (text->length <= n || memcmp(text->data, prefix, n) != 0) return 0;
    *rest = (UA_String){text->length - n, text->data + n};
    return 1;
}

/* A channel, else an actuator; "sensor:" and "actuator:" before a name say which. */
static int find_target(const struct model *m, const UA_String *text, uint32_t *flags)
{
    UA_String name, other;
    int actuator = after(text, "actuator:", &name), sensor = after(text, "sensor:", &other);
    int i = actuator ? -1 : find_channel(m, sensor ? &other : &name);

    if (i < 0 && !sensor) {
        i = find_actuator(m, &name);
        *flags |= FAULT_ACTUATOR;
    }
    return i;
}

static UA_StatusCode fill_fault(struct call *c)
{
    const struct model *m = c->server->attach->port.model;
    struct fault_order *f = &c->request.fault;
    int target = 0;

    for (f->kind = 1; f->kind < FAULT_COUNT; f->kind++)
        if (same(in_text(c, 0), name_fault(f->kind))) break;
    if (f->kind == FAULT_COUNT) return UA_STATUSCODE_BADNOMATCH;
    if (f->kind != FAULT_OVERRUN) target = find_target(m, in_text(c, 1), &f->flags);
    if (target < 0) return UA_STATUSCODE_BADNOMATCH;
    f->target = (uint32_t)target;
    f->value = in_number(c, 2);
    f->from = in_count(c, 3);
    f->n = in_count(c, 4);
    f->flags |= *(const UA_Boolean *)c->in[5].data ? FAULT_VISIBLE : 0;
    f->seed = in_count(c, 6);
    return UA_STATUSCODE_GOOD;
}

/* The name of a snapshot: at most REQUEST_TEXT bytes, which are compared whole. */
static UA_StatusCode fill_snapshot(struct call *c)
{
    const UA_String *name = in_text(c, 0);

    if (name->length >= REQUEST_TEXT) return UA_STATUSCODE_BADOUTOFRANGE;
    if (name->length) memcpy(c->request.name, name->data, name->length);
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode fill_clear(struct call *c)
{
    c->request.index = *(const UA_Int32 *)c->in[0].data;
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode fill_acquire(struct call *c)
{
    c->request.preempt = *(const UA_Boolean *)c->in[1].data;
    if (same(in_text(c, 0), "stream"))
        c->request.index = LEASE_STREAM;
    else if (same(in_text(c, 0), "manual"))
        c->request.index = LEASE_MANUAL;
    else if (same(in_text(c, 0), "pubsub"))
        c->request.index = LEASE_STREAM, c->lends = 1;
    else
        return UA_STATUSCODE_BADNOMATCH;
    return c->lends && !handover_is_possible(c->server) ? UA_STATUSCODE_BADNOTSUPPORTED
                                                        : UA_STATUSCODE_GOOD;
}

/* All or nothing, and no request: the frame goes out at the end of the turn. */
static UA_StatusCode fill_commands(struct call *c)
{
    const UA_String *name = c->in[0].data;
    const UA_Double *value = c->in[1].data;
    const struct model *m = c->server->attach->port.model;
    UA_StatusCode bad = writes_allowed(c->server, c->session);

    if (!bad && c->in[0].arrayLength != c->in[1].arrayLength)
        bad = UA_STATUSCODE_BADINVALIDARGUMENT;
    for (size_t i = 0; i < c->in[0].arrayLength && !bad; i++) {
        int a = find_actuator(m, &name[i]);
        bad = a < 0 ? UA_STATUSCODE_BADNOMATCH : writes_check(c->server, (uint32_t)a, value[i]);
    }
    for (size_t i = 0; i < c->in[0].arrayLength && !bad; i++)
        writes_stage(c->server, c->session, (uint32_t)find_actuator(m, &name[i]), value[i]);
    c->answer = "sent";
    return bad;
}

/* ---- the table --------------------------------------------------------------------- */

struct input {
    const char *name, *help;
    int16_t type;
    int rank;
};

struct row {
    const char *name, *id, *help;
    uint32_t kind;               /* enum request_kind: who may call it stands in request.h */
    UA_StatusCode (*fill)(struct call *c);
    struct input input[INPUTS];
};

static const struct row ROW[] = {
    {"Arm", "arm", "take commands, stand still", REQUEST_ARM, fill_nothing, {{0}}},
    {"Disarm", "disarm", "back to ready", REQUEST_DISARM, fill_nothing, {{0}}},
    {"Start", "start", "run", REQUEST_START, fill_nothing, {{0}}},
    {"Pause", "pause", "stop time", REQUEST_PAUSE, fill_nothing, {{0}}},
    {"Step",
     "single-step",
     "run n steps, then hold",
     REQUEST_STEP,
     fill_step,
     {{"Steps", "how many", UA_TYPES_UINT64, -1}}},
    {"Reset", "reset", "to the start values, ready", REQUEST_RESET, fill_nothing, {{0}}},
    {"EStop",
     "estop",
     "safe actions on all actuators at once; needs no authority",
     REQUEST_ESTOP,
     fill_nothing,
     {{0}}},
    {"AcquireAuthority",
     "acquire-authority",
     "become the one who commands",
     REQUEST_ACQUIRE,
     fill_acquire,
     {{"Mode",
       "stream: lives by fresh writes; manual: lives while the session does; pubsub: "
       "stream, for the fast lane, whose epoch is the Number",
       UA_TYPES_STRING, -1},
      {"Preempt", "take it from another, where the rig file allows it", UA_TYPES_BOOLEAN, -1}}},
    {"ReleaseAuthority", "release-authority", "give it back", REQUEST_RELEASE, fill_nothing, {{0}}},
    {"WriteCommands",
     "write-commands",
     "several commands in one step, all or nothing",
     REQUEST_COMMANDS,
     fill_commands,
     {{"Names", "of actuators", UA_TYPES_STRING, 1},
      {"Values", "in their units", UA_TYPES_DOUBLE, 1}}},
    {"SetParameter",
     "set-parameter",
     "change a live parameter at a step boundary",
     REQUEST_PARAMETER,
     fill_parameter,
     {{"Name", "its path", UA_TYPES_STRING, -1}, {"Value", "SI", UA_TYPES_DOUBLE, -1}}},
    {"LockJoint",
     "lock-joint",
     "lock a switchable joint where it is, at a step boundary",
     REQUEST_JOINT_LOCK,
     fill_joint,
     {{"Name", "its path", UA_TYPES_STRING, -1}}},
    {"ReleaseJoint",
     "release-joint",
     "release a switchable joint",
     REQUEST_JOINT_RELEASE,
     fill_joint,
     {{"Name", "its path", UA_TYPES_STRING, -1}}},
    {"SetOverrunPolicy",
     "set-overrun-policy",
     "what a missed deadline leads to",
     REQUEST_POLICY,
     fill_policy,
     {{"Policy", "skip, finish-late, hold or stop", UA_TYPES_STRING, -1}}},
    {"ResetStatistics",
     "reset-statistics",
     "of the deadline monitor",
     REQUEST_STATISTICS,
     fill_nothing,
     {{0}}},
    {"InsertFault",
     "insert-fault",
     "make a sensor, an actuator or the timing faulty",
     REQUEST_FAULT,
     fill_fault,
     {{"Kind",
       "bias, gain, drift, noise, spike, freeze, stuck, dropout, delay, quantisation, disconnect "
       "or overrun",
       UA_TYPES_STRING, -1},
      {"Target",
       "channel like tip.x, or actuator; where both have the name sensor:NAME or actuator:NAME; "
       "empty for overrun",
       UA_TYPES_STRING, -1},
      {"Value",
       "size, in the target's unit; gain: factor; drift: per s; delay: steps; dropout: "
       "probability; overrun: s",
       UA_TYPES_DOUBLE, -1},
      {"FromStep", "first faulty step; 0: the next", UA_TYPES_UINT64, -1},
      {"Steps", "how many; 0: until cleared", UA_TYPES_UINT64, -1},
      {"Visible", "the status tells of it too; else only the value does", UA_TYPES_BOOLEAN, -1},
      {"Seed", "of its random numbers; 0: one of its own", UA_TYPES_UINT64, -1}}},
    {"ClearFaults",
     "clear-faults",
     "end inserted faults",
     REQUEST_CLEAR,
     fill_clear,
     {{"Slot", "number InsertFault gave; -1: all", UA_TYPES_INT32, -1}}},
    {"Snapshot",
     "snapshot",
     "keep the state in memory",
     REQUEST_SNAPSHOT,
     fill_snapshot,
     {{"Name", "of the snapshot, may be empty; one of that name is replaced", UA_TYPES_STRING,
       -1}}},
    {"Restore",
     "restore",
     "back to a snapshot, also while running; step numbers go on",
     REQUEST_RESTORE,
     fill_snapshot,
     {{"Name", "of the snapshot", UA_TYPES_STRING, -1}}},
};
enum { ROWS = sizeof ROW / sizeof ROW[0] };

static const struct input OUTPUT[OUTPUTS] = {
    {"Answer", "a sentence", UA_TYPES_STRING, -1},
    {"Step", "when it took effect", UA_TYPES_UINT64, -1},
    {"Number", "lease, epoch, fault slot or tick of the snapshot", UA_TYPES_UINT64, -1},
    {"Ticket", "of the request", UA_TYPES_UINT64, -1},
};

/* ---- calling ----------------------------------------------------------------------- */

UA_StatusCode methods_status(uint32_t result)
{
    static const UA_StatusCode STATUS[REPLY_COUNT] = {
        [REPLY_DONE] = UA_STATUSCODE_GOOD,
        [REPLY_STARTED] = UA_STATUSCODE_GOOD,
        [REPLY_UNKNOWN] = UA_STATUSCODE_BADNOTIMPLEMENTED,
        [REPLY_STATE] = UA_STATUSCODE_BADINVALIDSTATE,
        [REPLY_AUTHORITY] = UA_STATUSCODE_BADUSERACCESSDENIED,
        [REPLY_NOT_ALLOWED] = UA_STATUSCODE_BADREQUESTNOTALLOWED,
        [REPLY_RANGE] = UA_STATUSCODE_BADOUTOFRANGE,
        [REPLY_INDEX] = UA_STATUSCODE_BADNOMATCH,
        [REPLY_RESTART] = UA_STATUSCODE_BADNOTSUPPORTED,
        [REPLY_FULL] = UA_STATUSCODE_BADRESOURCEUNAVAILABLE,
        [REPLY_EMPTY] = UA_STATUSCODE_BADNODATA,
        [REPLY_OPPOSED] = UA_STATUSCODE_BADINVALIDSTATE,
        [REPLY_SOLVER] = UA_STATUSCODE_BADINTERNALERROR,
        [REPLY_PAST] = UA_STATUSCODE_BADOUTOFRANGE,
        [REPLY_NOBODY] = UA_STATUSCODE_BADINVALIDSTATE,
    };
    return result < REPLY_COUNT ? STATUS[result] : UA_STATUSCODE_BADINTERNALERROR;
}

UA_CallMethodResult methods_result(UA_StatusCode status, const char *answer, const struct reply *r)
{
    UA_String text = {strlen(answer), (UA_Byte *)(uintptr_t)answer};
    UA_CallMethodResult result;
    UA_Variant *out = UA_Array_new(OUTPUTS, &UA_TYPES[UA_TYPES_VARIANT]);

    UA_CallMethodResult_init(&result);
    result.statusCode = out ? status : UA_STATUSCODE_BADOUTOFMEMORY;
    if (!out) return result;
    UA_Variant_setScalarCopy(&out[0], &text, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalarCopy(&out[1], &r->step, &UA_TYPES[UA_TYPES_UINT64]);
    UA_Variant_setScalarCopy(&out[2], &r->number, &UA_TYPES[UA_TYPES_UINT64]);
    UA_Variant_setScalarCopy(&out[3], &r->ticket, &UA_TYPES[UA_TYPES_UINT64]);
    result.outputArguments = out;
    result.outputArgumentsSize = OUTPUTS;
    return result;
}

/* What the row promises; nobody reads an argument before. */
static UA_StatusCode check_arguments(const struct row *row, const UA_CallMethodRequest *call,
                                     UA_CallMethodResult *result)
{
    struct arguments_want want[INPUTS];
    size_t n = 0;

    for (; n < INPUTS && row->input[n].name; n++)
        want[n] = (struct arguments_want){row->input[n].type, (int16_t)row->input[n].rank};
    UA_CallMethodResult_init(result);
    result->statusCode = arguments_check(want, n, call, result);
    return result->statusCode;
}

int methods_find(const struct server *s, const UA_CallMethodRequest *call)
{
    const UA_NodeId *m = &call->methodId, *o = &call->objectId;
    char id[NAME];

    if (m->namespaceIndex != s->ns || m->identifierType != UA_NODEIDTYPE_STRING) return -1;
    if (o->namespaceIndex != s->ns || o->identifierType != UA_NODEIDTYPE_STRING ||
        !same(&o->identifier.string, "rig"))
        return -1;
    for (int i = 0; i < ROWS; i++) {
        snprintf(id, sizeof id, "rig.%s", ROW[i].id);
        if (same(&m->identifier.string, id)) return i;
    }
    return -1;
}

UA_NodeId methods_node(const struct server *s, const char *text, int kind)
{
    static _Thread_local char id[NAME];
    size_t n = text ? strcspn(text, ":") : 0;

    for (int i = 0; i < ROWS; i++) {
        snprintf(id, sizeof id, "rig.%s", ROW[i].id);
        if (kind >= 0 ? ROW[i].kind == (uint32_t)kind
                      : (strlen(ROW[i].name) == n && strncmp(text, ROW[i].name, n) == 0) ||
                            (strlen(id) == n && strncmp(text, id, n) == 0))
            return UA_NODEID_STRING(s->ns, id);
    }
    return UA_NODEID_NULL;
}

uint32_t methods_kind(int row) { return row < 0 ? REQUEST_NOTHING : ROW[row].kind; }

int methods_begin(struct server *s, struct rights_session *session, struct calls_op *op,
                  UA_CallMethodResult *result)
{
    const struct row *row = op->row < 0 ? NULL : &ROW[op->row];
    struct call c = {
        .server = s, .session = session, .in = op->call.inputArguments, .request = op->request};
    struct reply none = {.ticket = 0};
    UA_StatusCode bad;

    if (!row) {
        UA_CallMethodResult_init(result);
        result->statusCode = UA_STATUSCODE_BADMETHODINVALID;
        return 0;
    }
    bad = check_arguments(row, &op->call, result);
    if (bad) {
        events_refused(s, session, row->name, UA_StatusCode_name(bad));
        return 0;
    }
    bad = row->fill(&c);
    if (bad == UA_STATUSCODE_BADNOMATCH) c.answer = "there is no such name";
    if (bad && bad != UA_STATUSCODE_BADNOMATCH) c.answer = UA_StatusCode_name(bad);
    if (bad) events_refused(s, session, row->name, c.answer);
    op->request = c.request;
    op->lends = c.lends;
    if (!c.answer) return 1;
    *result = methods_result(bad, c.answer, &none);
    return 0;
}

/* Never used: every call is queued (calls.h). */
static UA_StatusCode on_call(UA_Server *ua, const UA_NodeId *session, void *session_context,
                             const UA_NodeId *method, void *method_context, const UA_NodeId *object,
                             void *object_context, size_t n_in, const UA_Variant *in, size_t n_out,
                             UA_Variant *out)
{
    (void)ua, (void)session, (void)session_context, (void)method, (void)method_context;
    (void)object, (void)object_context, (void)n_in, (void)in, (void)n_out, (void)out;
    return UA_STATUSCODE_BADINTERNALERROR;
}

/* ---- nodes ------------------------------------------------------------------------- */

static int arguments(const struct input *from, int most, UA_Argument *to)
{
    int n = 0;

    for (; n < most && from[n].name; n++) {
        UA_Argument_init(&to[n]);
        to[n].name = (UA_String){strlen(from[n].name), (UA_Byte *)(uintptr_t)from[n].name};
        to[n].description.text = (UA_String){strlen(from[n].help),
                                             (UA_Byte *)(uintptr_t)from[n].help};
        to[n].dataType = UA_TYPES[from[n].type].typeId;
        to[n].valueRank = from[n].rank;
    }
    return n;
}

static UA_StatusCode add_method(struct server *s, UA_NodeId type, uint32_t i)
{
    const struct row *r = &ROW[i];
    UA_MethodAttributes a = UA_MethodAttributes_default;
    UA_Argument in[INPUTS], out[OUTPUTS];
    int n_in = arguments(r->input, INPUTS, in), n_out = arguments(OUTPUT, OUTPUTS, out);
    UA_String name = {strlen(r->name), (UA_Byte *)(uintptr_t)r->name};
    UA_NodeId id = space_id(s, "rig.%s", r->id), id_in = space_id(s, "rig.%s.in", r->id);
    UA_NodeId id_out = space_id(s, "rig.%s.out", r->id);
    struct values_item *context;
    UA_StatusCode bad = UA_STATUSCODE_BADOUTOFMEMORY;

    a.displayName.text = name;
    a.description.text = (UA_String){strlen(r->help), (UA_Byte *)(uintptr_t)r->help};
    a.executable = a.userExecutable = true;
    if (s->n_items < s->most_items) {
        context = &s->item[s->n_items++];
        *context = (struct values_item){.node = {.server = s, .call = rights_role_for(r->kind)},
                                        .index = i};
        bad = UA_Server_addMethodNodeEx(
            s->ua, id, type, UA_NODEID_NUMERIC(0, UA_NS0ID_HASCOMPONENT),
            (UA_QualifiedName){s->ns, name}, a, on_call, (size_t)n_in, in, id_in, NULL,
            (size_t)n_out, out, id_out, NULL, context, NULL);
    }
    if (!bad) bad = UA_Server_setMethodNodeAsync(s->ua, id, true);
    if (!bad) bad = space_make_mandatory(s, id);
    UA_NodeId_clear(&id);
    UA_NodeId_clear(&id_in);
    UA_NodeId_clear(&id_out);
    return bad;
}

UA_StatusCode methods_add(struct server *s, UA_NodeId type)
{
    UA_StatusCode bad = UA_STATUSCODE_GOOD;
    for (uint32_t i = 0; i < ROWS && !bad; i++) bad = add_method(s, type, i);
    return bad;
}
