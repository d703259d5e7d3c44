/* read_rig.c: what the rig, its signals and its model show. */
#include <string.h>

#include "rt/link/name.h"
#include "services/client/words.h"
#include "services/opcua/server.h"
#include "services/opcua/space/view.h"

enum { CHANNEL_NAME = 256 };

/* ---- names ------------------------------------------------------------------------- */

static const char *actuator_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_actuators(m)[i].name);
}

static const char *actuator_unit(const struct model *m, uint32_t i)
{
    return model_text(m, model_actuators(m)[i].unit);
}

static const char *channel_unit(const struct model *m, uint32_t channel)
{
    const struct model_sensor *s = model_sensors(m);
    uint32_t i = 0;
    while (i + 1 < m->sensors.n && s[i + 1].channel_at <= channel) i++;
    return model_text(m, s[i].unit);
}

static const char *body_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_bodies(m)[i].name);
}

static const char *mode_name(uint32_t mode)
{
    return mode == LEASE_STREAM ? "stream" : mode == LEASE_MANUAL ? "manual" : "none";
}

/* ---- one function per kind that is more than a field ------------------------------- */

static const struct record_actuator *actuator(const struct variant_ask *a)
{
    return &record_actuators(a->layout, a->record)[a->index];
}

#define READER(stem, expression)                                                 \
    UA_StatusCode read_rig_##stem(const struct variant_ask *a, UA_Variant *to) \
    {                                                                          \
        return expression;                                                     \
    }
#define INTEGER(stem, type, ctype, expression)                                   \
    UA_StatusCode read_rig_##stem(const struct variant_ask *a, UA_Variant *to)        \
    {                                                                            \
        ctype v = (ctype)(expression);                                           \
        return variant_scalar(to, &v, type);                                             \
    }

INTEGER(state, UA_TYPES_UINT32, UA_UInt32, a->record->state)
READER(state_name, variant_text(to, name_state(a->record->state)))
READER(step, variant_count(to, a->record->step))
READER(tick, variant_count(to, a->record->tick))
READER(time, variant_number(to, a->record->t))
READER(trip, variant_text(to, name_trip(a->record->trip)))
READER(policy, variant_text(to, name_policy(a->record->policy)))
READER(pace, variant_text(to, name_pace(a->record->pace)))
READER(period, variant_number(to, a->server->attach->rig->step))
READER(rig_name, variant_text(to, a->server->attach->rig->name))
READER(authority, variant_count(to, a->record->lease.number))
READER(authority_mode,
       variant_text(to, mode_name(a->record->lease.number ? a->record->lease.mode : 0)))
READER(authority_mine,
       variant_flag(to, a->session && a->record->lease.number &&
                            a->record->lease.service == a->server->attach->port.self &&
                            a->record->lease.session == a->session->number))
READER(snapshot, variant_count(to, a->record->snapshot_tick))
INTEGER(faults, UA_TYPES_UINT32, UA_UInt32, a->record->faults)
READER(steps_left, variant_count(to, a->record->steps_left))
READER(channels, variant_array(to, record_channels(a->layout, a->record), a->layout->n_channels,
                               UA_TYPES_DOUBLE))
READER(channel,
       variant_scalar(to, &record_channels(a->layout, a->record)[a->index], UA_TYPES_DOUBLE))
READER(command_names, variant_texts(to, a->model, a->layout->n_actuators, actuator_name))
READER(command_units, variant_texts(to, a->model, a->layout->n_actuators, actuator_unit))
READER(channel_units, variant_texts(to, a->model, a->layout->n_channels, channel_unit))
READER(commands,
       variant_doubles(to, a->layout->n_actuators, &a->server->writes.frame->value[0].value,
                       sizeof(struct command_value)))
READER(applied_all,
       variant_doubles(to, a->layout->n_actuators, &record_actuators(a->layout, a->record)->value,
                       sizeof(struct record_actuator)))
READER(command, variant_number(to, a->server->writes.frame->value[a->index].value))
READER(applied, variant_number(to, actuator(a)->value))
READER(age, variant_number(to, (double)actuator(a)->age_ns * 1e-9))
INTEGER(timeouts, UA_TYPES_UINT32, UA_UInt32, actuator(a)->timeouts)
READER(safe, variant_number(to, model_actuators(a->model)[a->index].safe))
READER(model_name, variant_text(to, model_text(a->model, a->model->name)))
READER(model_file, variant_text(to, model_text(a->model, a->model->file)))
READER(body_names, variant_texts(to, a->model, a->model->bodies.n, body_name))
READER(mass, variant_number(to, model_bodies(a->model)[a->index].mass))
READER(position,
       variant_array(to, record_poses(a->layout, a->record) + 7 * a->index, 3, UA_TYPES_DOUBLE))
READER(attitude,
       variant_array(to, record_poses(a->layout, a->record) + 7 * a->index + 3, 4, UA_TYPES_DOUBLE))
READER(joint_released, variant_flag(to, (int)record_released(a->layout, a->record)[a->index]))
READER(lower_all, variant_doubles(to, a->model->actuators.n, &model_actuators(a->model)->lower,
                                  sizeof(struct model_actuator)))
READER(upper_all, variant_doubles(to, a->model->actuators.n, &model_actuators(a->model)->upper,
                                  sizeof(struct model_actuator)))
READER(safe_all, variant_doubles(to, a->model->actuators.n, &model_actuators(a->model)->safe,
                                 sizeof(struct model_actuator)))
READER(start_all, variant_doubles(to, a->model->actuators.n, &model_actuators(a->model)->start,
                                  sizeof(struct model_actuator)))
READER(key_rates, variant_doubles(to, (size_t)a->server->attach->rig->n_keys,
                                  &a->server->attach->rig->key->rate, sizeof(struct rig_key)))
READER(key_backs, variant_doubles(to, (size_t)a->server->attach->rig->n_keys,
                                  &a->server->attach->rig->key->back, sizeof(struct rig_key)))

UA_StatusCode read_rig_ages(const struct variant_ask *a, UA_Variant *to)
{
    size_t n = a->layout->n_actuators;
    const struct record_actuator *from = record_actuators(a->layout, a->record);
    double *age = UA_Array_new(n, &UA_TYPES[UA_TYPES_DOUBLE]);

    if (!age) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) age[i] = (double)from[i].age_ns * 1e-9;
    UA_Variant_setArray(to, age, n, &UA_TYPES[UA_TYPES_DOUBLE]);
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode read_rig_channel_names(const struct variant_ask *a, UA_Variant *to)
{
    size_t n = a->layout->n_channels;
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);
    char name[CHANNEL_NAME];

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++)
        if (words_channel(a->model, (uint32_t)i, name, sizeof name))
            s[i] = UA_String_fromChars(name);
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}

READER(shows, variant_pointers(to, (size_t)a->server->attach->rig->n_shows,
                               a->server->attach->rig->show, sizeof(struct rig_show)))
READER(keys, variant_pointers(to, (size_t)a->server->attach->rig->n_keys,
                              &a->server->attach->rig->key->key, sizeof(struct rig_key)))
READER(key_actuators,
       variant_pointers(to, (size_t)a->server->attach->rig->n_keys,
                        &a->server->attach->rig->key->actuator, sizeof(struct rig_key)))

/* The status of each channel: the values' own, or that of an inserted fault. */
UA_StatusCode read_rig_channel_status(const struct variant_ask *a, UA_Variant *to)
{
    size_t n = a->layout->n_channels;
    const uint32_t *flags = record_channel_flags(a->layout, a->record);
    UA_StatusCode *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STATUSCODE]);

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++)
        s[i] = flags[i] & RECORD_CHANNEL_FAULTED ? UA_STATUSCODE_BADSENSORFAILURE : a->quality;
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STATUSCODE]);
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode read_rig_sensor(const struct variant_ask *a, UA_Variant *to)
{
    const struct model_sensor *s = &model_sensors(a->model)[a->index];
    const double *first = record_channels(a->layout, a->record) + s->channel_at;

    return s->n_channels == 1 ? variant_number(to, *first)
                              : variant_array(to, first, s->n_channels, UA_TYPES_DOUBLE);
}

UA_StatusCode read_rig_follows(const struct variant_ask *a, UA_Variant *to)
{
    uint32_t f = actuator(a)->flags;

    if (f & ACTUATOR_STUCK) return variant_text(to, "stuck");
    if (f & ACTUATOR_TIMEOUT) return variant_text(to, "timeout");
    if (f & ACTUATOR_RAMPING) return variant_text(to, "ramping");
    if (f & ACTUATOR_SAFE) return variant_text(to, "safe");
    return variant_text(to, f & ACTUATOR_LIVE ? "follows" : "rests");
}

UA_StatusCode read_rig_joint_bodies(const struct variant_ask *a, UA_Variant *to)
{
    const struct model_joint *j = &model_joints(a->model)[a->index];
    UA_String s[2];

    for (int i = 0; i < 2; i++) {
        const char *name = j->body[i] < 0
                               ? "ground"
                               : model_text(a->model, model_bodies(a->model)[j->body[i]].name);
        s[i] = (UA_String){strlen(name), (UA_Byte *)(uintptr_t)name};
    }
    return variant_array(to, s, 2, UA_TYPES_STRING);
}

/* A live parameter from the record, others from the model. */
UA_StatusCode read_rig_parameter(const struct variant_ask *a, UA_Variant *to)
{
    const struct model_parameter *p = model_parameters(a->model);
    uint32_t live = 0;

    if (!(p[a->index].flags & PARAMETER_LIVE)) return variant_number(to, p[a->index].value);
    for (uint32_t i = 0; i < a->index; i++) live += (p[i].flags & PARAMETER_LIVE) != 0;
    return variant_number(to, record_live(a->layout, a->record)[live]);
}
