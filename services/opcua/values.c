#include "services/opcua/values.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/link/name.h"
#include "services/opcua/server.h"

enum { CHANNEL_NAME = 256 };
enum values_quality { QUALITY_STEP, QUALITY_LIVE, QUALITY_CONST };

/* What a reading function gets. */
struct ask {
    struct server *server;
    const struct model *model;
    const struct record *record;
    const struct record_layout *layout;
    const struct monitor *monitor;
    const struct rights_session *session;
    uint32_t index;
};

/* ---- into a variant ---------------------------------------------------------------- */

static UA_StatusCode scalar(UA_Variant *to, const void *value, int type)
{
    return UA_Variant_setScalarCopy(to, value, &UA_TYPES[type]);
}

static UA_StatusCode array(UA_Variant *to, const void *value, size_t n, int type)
{
    return UA_Variant_setArrayCopy(to, value, n, &UA_TYPES[type]);
}

static UA_StatusCode text(UA_Variant *to, const char *value)
{
    UA_String s = {strlen(value), (UA_Byte *)(uintptr_t)value};
    return scalar(to, &s, UA_TYPES_STRING);
}

static UA_StatusCode flag(UA_Variant *to, int value)
{
    UA_Boolean b = value != 0;
    return scalar(to, &b, UA_TYPES_BOOLEAN);
}

static UA_StatusCode number(UA_Variant *to, double value)
{
    return scalar(to, &value, UA_TYPES_DOUBLE);
}

static UA_StatusCode count(UA_Variant *to, uint64_t value)
{
    return scalar(to, &value, UA_TYPES_UINT64);
}

/* n texts; name(model, i) gives each. */
static UA_StatusCode texts(UA_Variant *to, const struct model *m, size_t n,
                           const char *(*name)(const struct model *m, uint32_t i))
{
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) s[i] = UA_String_fromChars(name(m, (uint32_t)i));
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}

/* n doubles of which the i-th lies `stride` bytes behind the one before. */
static UA_StatusCode doubles(UA_Variant *to, size_t n, const void *first, size_t stride)
{
    UA_Double *d = UA_Array_new(n, &UA_TYPES[UA_TYPES_DOUBLE]);

    if (!d) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) memcpy(&d[i], (const char *)first + i * stride, sizeof *d);
    UA_Variant_setArray(to, d, n, &UA_TYPES[UA_TYPES_DOUBLE]);
    return UA_STATUSCODE_GOOD;
}

/* ---- names ------------------------------------------------------------------------- */

const char *values_axis(uint32_t n, uint32_t k)
{
    static const char *const THREE[] = {"x", "y", "z"}, *const FOUR[] = {"w", "x", "y", "z"};

    if (n == 1 || k >= n) return "value";
    return n == 4 ? FOUR[k] : THREE[k % 3];
}

int values_channel_name(const struct model *m, uint32_t channel, char *to, size_t size)
{
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        uint32_t k = channel - s->channel_at;
        if (channel < s->channel_at || k >= s->n_channels) continue;
        if (s->n_channels == 1)
            snprintf(to, size, "%s", model_text(m, s->name));
        else
            snprintf(to, size, "%s.%s", model_text(m, s->name), values_axis(s->n_channels, k));
        return 1;
    }
    return 0;
}

static const char *actuator_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_actuators(m)[i].name);
}

static const char *body_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_bodies(m)[i].name);
}

static const char *cause_name(const struct model *m, uint32_t i)
{
    (void)m;
    return name_cause(i);
}

static const char *series_name(const struct model *m, uint32_t i)
{
    (void)m;
    if (i == SERIES_WAKE) return "wake";
    return i == SERIES_END ? "end" : name_phase(i - SERIES_PHASE);
}

static const char *mode_name(uint32_t mode)
{
    return mode == LEASE_STREAM ? "stream" : mode == LEASE_MANUAL ? "manual" : "none";
}

/* ---- one function per kind that is more than a field ------------------------------- */

typedef UA_StatusCode reader(const struct ask *a, UA_Variant *to);

static const struct record_actuator *actuator(const struct ask *a)
{
    return &record_actuators(a->layout, a->record)[a->index];
}

#define READER(stem, expression)                                                 \
    static UA_StatusCode read_##stem(const struct ask *a, UA_Variant *to) { return expression; }
#define INTEGER(stem, type, ctype, expression)                                   \
    static UA_StatusCode read_##stem(const struct ask *a, UA_Variant *to)        \
    {                                                                            \
        ctype v = (ctype)(expression);                                           \
        return scalar(to, &v, type);                                             \
    }

INTEGER(state, UA_TYPES_INT32, UA_Int32, a->record->state)
READER(state_name, text(to, name_state(a->record->state)))
READER(step, count(to, a->record->step))
READER(tick, count(to, a->record->tick))
READER(time, number(to, a->record->t))
READER(trip, text(to, name_trip(a->record->trip)))
READER(policy, text(to, name_policy(a->record->policy)))
READER(pace, text(to, name_pace(a->record->pace)))
READER(period, number(to, a->server->attach->rig->step))
READER(rig_name, text(to, a->server->attach->rig->name))
READER(authority, count(to, a->record->lease.number))
READER(authority_mode, text(to, mode_name(a->record->lease.number ? a->record->lease.mode : 0)))
READER(authority_mine, flag(to, a->session && a->record->lease.number &&
                                    a->record->lease.service == a->server->attach->port.self &&
                                    a->record->lease.session == a->session->number))
READER(snapshot, count(to, a->record->snapshot_tick))
INTEGER(faults, UA_TYPES_UINT32, UA_UInt32, a->record->faults)
READER(steps_left, count(to, a->record->steps_left))
READER(channels,
       array(to, record_channels(a->layout, a->record), a->layout->n_channels, UA_TYPES_DOUBLE))
READER(channel, scalar(to, &record_channels(a->layout, a->record)[a->index], UA_TYPES_DOUBLE))
READER(command_names, texts(to, a->model, a->layout->n_actuators, actuator_name))
READER(commands, doubles(to, a->layout->n_actuators, &a->server->writes.frame->value[0].value,
                         sizeof(struct command_value)))
READER(applied_all,
       doubles(to, a->layout->n_actuators, &record_actuators(a->layout, a->record)->value,
               sizeof(struct record_actuator)))
READER(command, number(to, a->server->writes.frame->value[a->index].value))
READER(applied, number(to, actuator(a)->value))
READER(age, number(to, (double)actuator(a)->age_ns * 1e-9))
INTEGER(timeouts, UA_TYPES_UINT32, UA_UInt32, actuator(a)->timeouts)
READER(safe, number(to, model_actuators(a->model)[a->index].safe))
READER(model_name, text(to, model_text(a->model, a->model->name)))
READER(model_file, text(to, model_text(a->model, a->model->file)))
READER(body_names, texts(to, a->model, a->model->bodies.n, body_name))
READER(mass, number(to, model_bodies(a->model)[a->index].mass))
READER(position, array(to, record_poses(a->layout, a->record) + 7 * a->index, 3, UA_TYPES_DOUBLE))
READER(attitude,
       array(to, record_poses(a->layout, a->record) + 7 * a->index + 3, 4, UA_TYPES_DOUBLE))
READER(joint_released, flag(to, (int)record_released(a->layout, a->record)[a->index]))
READER(parameter_live, flag(to, model_parameters(a->model)[a->index].flags &PARAMETER_LIVE))
READER(ticks, count(to, a->monitor->ticks))
READER(steps, count(to, a->monitor->steps))
READER(misses, count(to, a->monitor->misses))
READER(skipped, count(to, a->monitor->skipped))
READER(trips, count(to, a->monitor->trips))
READER(lost_slots, count(to, a->monitor->lost_slots))
READER(budget_stops, count(to, a->monitor->budget_stops))
READER(not_converged, count(to, a->monitor->not_converged))
READER(refused_commands, count(to, a->monitor->refused_commands))
READER(refused_requests, count(to, a->monitor->refused_requests))
READER(major, count(to, a->monitor->major))
READER(minor, count(to, a->monitor->minor))
READER(involuntary, count(to, a->monitor->involuntary))
READER(resets, count(to, a->monitor->resets))
INTEGER(iterations, UA_TYPES_UINT32, UA_UInt32, a->record->iterations)
READER(iterations_max, count(to, a->monitor->iterations_max))
READER(residual, number(to, a->record->residual))
READER(deadline, number(to, (double)a->monitor->deadline_ns * 1e-9))
READER(causes, array(to, a->monitor->cause, CAUSE_COUNT, UA_TYPES_UINT64))
READER(cause_names, texts(to, a->model, CAUSE_COUNT, cause_name))
READER(series_names, texts(to, a->model, SERIES_COUNT, series_name))
READER(histogram, array(to, a->monitor->series[a->index].bin, MONITOR_BINS, UA_TYPES_UINT32))
READER(lower_all, doubles(to, a->model->actuators.n, &model_actuators(a->model)->lower,
                          sizeof(struct model_actuator)))
READER(upper_all, doubles(to, a->model->actuators.n, &model_actuators(a->model)->upper,
                          sizeof(struct model_actuator)))
READER(safe_all, doubles(to, a->model->actuators.n, &model_actuators(a->model)->safe,
                         sizeof(struct model_actuator)))
READER(start_all, doubles(to, a->model->actuators.n, &model_actuators(a->model)->start,
                          sizeof(struct model_actuator)))
READER(key_rates, doubles(to, (size_t)a->server->attach->rig->n_keys,
                          &a->server->attach->rig->key->rate, sizeof(struct rig_key)))
READER(key_backs, doubles(to, (size_t)a->server->attach->rig->n_keys,
                          &a->server->attach->rig->key->back, sizeof(struct rig_key)))
READER(verdict_text, text(to, a->server->attach->port.board->verdict_text))

static UA_StatusCode read_channel_names(const struct ask *a, UA_Variant *to)
{
    size_t n = a->layout->n_channels;
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);
    char name[CHANNEL_NAME];

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++)
        if (values_channel_name(a->model, (uint32_t)i, name, sizeof name))
            s[i] = UA_String_fromChars(name);
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}

/* Texts of the rig's keys; `at` bytes into each stands the pointer. */
static UA_StatusCode key_texts(const struct ask *a, UA_Variant *to, size_t at)
{
    const struct rig *rig = a->server->attach->rig;
    size_t n = (size_t)rig->n_keys;
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) {
        const char *text;
        memcpy(&text, (const char *)&rig->key[i] + at, sizeof text);
        s[i] = UA_String_fromChars(text);
    }
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}

READER(keys, key_texts(a, to, offsetof(struct rig_key, key)))
READER(key_actuators, key_texts(a, to, offsetof(struct rig_key, actuator)))

static UA_StatusCode read_sensor(const struct ask *a, UA_Variant *to)
{
    const struct model_sensor *s = &model_sensors(a->model)[a->index];
    const double *first = record_channels(a->layout, a->record) + s->channel_at;

    return s->n_channels == 1 ? number(to, *first)
                              : array(to, first, s->n_channels, UA_TYPES_DOUBLE);
}

static UA_StatusCode read_follows(const struct ask *a, UA_Variant *to)
{
    uint32_t f = actuator(a)->flags;

    if (f & ACTUATOR_STUCK) return text(to, "stuck");
    if (f & ACTUATOR_TIMEOUT) return text(to, "timeout");
    if (f & ACTUATOR_RAMPING) return text(to, "ramping");
    if (f & ACTUATOR_SAFE) return text(to, "safe");
    return text(to, f & ACTUATOR_LIVE ? "follows" : "rests");
}

static UA_StatusCode read_joint_bodies(const struct ask *a, UA_Variant *to)
{
    const struct model_joint *j = &model_joints(a->model)[a->index];
    UA_String s[2];

    for (int i = 0; i < 2; i++) {
        const char *name = j->body[i] < 0
                               ? "ground"
                               : model_text(a->model, model_bodies(a->model)[j->body[i]].name);
        s[i] = (UA_String){strlen(name), (UA_Byte *)(uintptr_t)name};
    }
    return array(to, s, 2, UA_TYPES_STRING);
}

/* A live parameter from the record, others from the model. */
static UA_StatusCode read_parameter(const struct ask *a, UA_Variant *to)
{
    const struct model_parameter *p = model_parameters(a->model);
    uint32_t live = 0;

    if (!(p[a->index].flags & PARAMETER_LIVE)) return number(to, p[a->index].value);
    for (uint32_t i = 0; i < a->index; i++) live += (p[i].flags & PARAMETER_LIVE) != 0;
    return number(to, record_live(a->layout, a->record)[live]);
}

static UA_StatusCode read_series(const struct ask *a, UA_Variant *to,
                                 int64_t (*value)(const struct monitor_series *s))
{
    double v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = (double)value(&a->monitor->series[i]) * 1e-9;
    return array(to, v, SERIES_COUNT, UA_TYPES_DOUBLE);
}

static int64_t series_last(const struct monitor_series *s) { return s->last_ns; }

static int64_t series_max(const struct monitor_series *s) { return s->max_ns; }

READER(series_last, read_series(a, to, series_last))
READER(series_max, read_series(a, to, series_max))
READER(series_minute, read_series(a, to, monitor_minute_max))

static UA_StatusCode read_series_max_tick(const struct ask *a, UA_Variant *to)
{
    uint64_t v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = a->monitor->series[i].max_tick;
    return array(to, v, SERIES_COUNT, UA_TYPES_UINT64);
}

static UA_StatusCode read_overflow(const struct ask *a, UA_Variant *to)
{
    uint64_t v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = a->monitor->series[i].overflow;
    return array(to, v, SERIES_COUNT, UA_TYPES_UINT64);
}

static UA_StatusCode read_verdict(const struct ask *a, UA_Variant *to)
{
    static const char *const WORD[] = {"guaranteed", "watched", "degraded"};
    uint32_t v = a->server->attach->port.board->verdict;

    return text(to, v < 3 ? WORD[v] : "?");
}

/* ---- the table --------------------------------------------------------------------- */

static reader *const READ[VALUES_KINDS] = {
    [VALUES_STATE] = read_state,
    [VALUES_STATE_NAME] = read_state_name,
    [VALUES_STEP] = read_step,
    [VALUES_TICK] = read_tick,
    [VALUES_TIME] = read_time,
    [VALUES_TRIP] = read_trip,
    [VALUES_POLICY] = read_policy,
    [VALUES_PACE] = read_pace,
    [VALUES_PERIOD] = read_period,
    [VALUES_RIG_NAME] = read_rig_name,
    [VALUES_AUTHORITY] = read_authority,
    [VALUES_AUTHORITY_MODE] = read_authority_mode,
    [VALUES_AUTHORITY_MINE] = read_authority_mine,
    [VALUES_SNAPSHOT] = read_snapshot,
    [VALUES_FAULTS] = read_faults,
    [VALUES_STEPS_LEFT] = read_steps_left,
    [VALUES_CHANNELS] = read_channels,
    [VALUES_CHANNEL_NAMES] = read_channel_names,
    [VALUES_SENSOR] = read_sensor,
    [VALUES_CHANNEL] = read_channel,
    [VALUES_COMMANDS] = read_commands,
    [VALUES_COMMAND_NAMES] = read_command_names,
    [VALUES_APPLIED_ALL] = read_applied_all,
    [VALUES_COMMAND] = read_command,
    [VALUES_APPLIED] = read_applied,
    [VALUES_AGE] = read_age,
    [VALUES_TIMEOUTS] = read_timeouts,
    [VALUES_FOLLOWS] = read_follows,
    [VALUES_SAFE] = read_safe,
    [VALUES_MODEL_NAME] = read_model_name,
    [VALUES_MODEL_FILE] = read_model_file,
    [VALUES_BODY_NAMES] = read_body_names,
    [VALUES_MASS] = read_mass,
    [VALUES_POSITION] = read_position,
    [VALUES_ATTITUDE] = read_attitude,
    [VALUES_JOINT_BODIES] = read_joint_bodies,
    [VALUES_JOINT_RELEASED] = read_joint_released,
    [VALUES_PARAMETER] = read_parameter,
    [VALUES_PARAMETER_LIVE] = read_parameter_live,
    [VALUES_TICKS] = read_ticks,
    [VALUES_STEPS] = read_steps,
    [VALUES_MISSES] = read_misses,
    [VALUES_SKIPPED] = read_skipped,
    [VALUES_TRIPS] = read_trips,
    [VALUES_LOST_SLOTS] = read_lost_slots,
    [VALUES_BUDGET_STOPS] = read_budget_stops,
    [VALUES_NOT_CONVERGED] = read_not_converged,
    [VALUES_REFUSED_COMMANDS] = read_refused_commands,
    [VALUES_REFUSED_REQUESTS] = read_refused_requests,
    [VALUES_MAJOR] = read_major,
    [VALUES_MINOR] = read_minor,
    [VALUES_INVOLUNTARY] = read_involuntary,
    [VALUES_RESETS] = read_resets,
    [VALUES_ITERATIONS] = read_iterations,
    [VALUES_ITERATIONS_MAX] = read_iterations_max,
    [VALUES_RESIDUAL] = read_residual,
    [VALUES_DEADLINE] = read_deadline,
    [VALUES_CAUSES] = read_causes,
    [VALUES_CAUSE_NAMES] = read_cause_names,
    [VALUES_SERIES_NAMES] = read_series_names,
    [VALUES_SERIES_LAST] = read_series_last,
    [VALUES_SERIES_MINUTE] = read_series_minute,
    [VALUES_SERIES_MAX] = read_series_max,
    [VALUES_SERIES_MAX_TICK] = read_series_max_tick,
    [VALUES_HISTOGRAM] = read_histogram,
    [VALUES_OVERFLOW] = read_overflow,
    [VALUES_LOWER_ALL] = read_lower_all,
    [VALUES_UPPER_ALL] = read_upper_all,
    [VALUES_SAFE_ALL] = read_safe_all,
    [VALUES_START_ALL] = read_start_all,
    [VALUES_KEYS] = read_keys,
    [VALUES_KEY_ACTUATORS] = read_key_actuators,
    [VALUES_KEY_RATES] = read_key_rates,
    [VALUES_KEY_BACKS] = read_key_backs,
    [VALUES_VERDICT] = read_verdict,
    [VALUES_VERDICT_TEXT] = read_verdict_text,
};

#define X(code, type, rank, quality) {UA_TYPES_##type, rank, QUALITY_##quality},
static const struct {
    int16_t type;
    int8_t rank;
    uint8_t quality;
} ROW[VALUES_KINDS] = {VALUES_LIST(X)};
#undef X

const UA_DataType *values_type(enum values_kind kind) { return &UA_TYPES[ROW[kind].type]; }

int values_rank(enum values_kind kind) { return ROW[kind].rank; }

/* The status a value carries; a channel under an inserted fault says so. */
static UA_StatusCode status(const struct values_item *item, const struct turn *t,
                            const struct ask *a)
{
    if (ROW[item->kind].quality == QUALITY_CONST) return UA_STATUSCODE_GOOD;
    if (t->presence || ROW[item->kind].quality == QUALITY_LIVE) return t->presence;
    if (item->kind == VALUES_CHANNEL &&
        record_channel_flags(a->layout, a->record)[item->index] & RECORD_CHANNEL_FAULTED)
        return UA_STATUSCODE_BADSENSORFAILURE;
    if (item->kind == VALUES_SENSOR) {
        const struct model_sensor *s = &model_sensors(a->model)[item->index];
        for (uint32_t k = 0; k < s->n_channels; k++)
            if (record_channel_flags(a->layout, a->record)[s->channel_at + k] &
                RECORD_CHANNEL_FAULTED)
                return UA_STATUSCODE_BADSENSORFAILURE;
    }
    return t->quality;
}

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
    const struct values_item *item = node_context;
    struct server *s = item->node.server;
    const struct port *p = &s->attach->port;
    const struct turn *t = turn_now(s);
    struct ask a = {.server = s,
                    .model = p->model,
                    .record = t->record,
                    .layout = &p->layout.step.record,
                    .monitor = p->monitor,
                    .session = session_context,
                    .index = item->index};
    UA_StatusCode bad;

    (void)ua, (void)session, (void)node;
    if (!s->serving) return UA_STATUSCODE_GOOD; /* a look at a node under construction */
    if (!t->record) return UA_STATUSCODE_BADOUTOFMEMORY;
    value->status = status(item, t, &a);
    value->hasStatus = value->status != UA_STATUSCODE_GOOD;
    if (source_time) {
        value->hasSourceTimestamp = true;
        value->sourceTimestamp = t->time;
    }
    /* without the step there is no value; a faulty sensor's own is shown */
    if (t->presence && value->status == t->presence) return t->presence;
    bad = READ[item->kind](&a, &value->value);
    if (!bad && range) bad = cut(range, &value->value);
    value->hasValue = !bad;
    return bad;
}
