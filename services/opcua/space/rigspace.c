#include "services/opcua/space/rigspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/client/words.h"
#include "services/opcua/server.h"
#include "services/opcua/space/space.h"

/* ---- what the model holds ---------------------------------------------------------- */

/* One variable per axis of a sensor of several channels. */
static UA_StatusCode add_axes(struct server *s, UA_NodeId node, const struct space_object *o)
{
    static const char *const UPPER[] = {"W", "X", "Y", "Z"};
    const struct model_sensor *e = &model_sensors(s->attach->port.model)[o->index];
    UA_StatusCode bad = UA_STATUSCODE_GOOD;
    char at[SPACE_ID];

    for (uint32_t k = 0; k < e->n_channels && e->n_channels > 1 && !bad; k++) {
        const char *axis = words_axis(e->n_channels, k);
        struct space_variable v = {.id = at,
                                   .name = UPPER[axis[0] == 'w' ? 0 : axis[0] - 'x' + 1],
                                   .help = o->help,
                                   .unit = o->unit,
                                   .lower = o->lower,
                                   .upper = o->upper,
                                   .kind = VALUES_CHANNEL,
                                   .index = e->channel_at + k};
        snprintf(at, sizeof at, "%.400s.%s", o->id, axis);
        bad = space_add_variable(s, node, &v);
    }
    return bad;
}

static UA_StatusCode add_sensor(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_sensor *e = &model_sensors(m)[i];
    char id[SPACE_ID];
    struct space_object o = {.type = TYPE_SENSOR,
                             .id = id,
                             .name = model_text(m, e->name),
                             .help = model_text(m, e->help),
                             .index = i,
                             .unit = model_text(m, e->unit),
                             .lower = e->lower,
                             .upper = e->upper,
                             .length = (int32_t)e->n_channels,
                             .more = add_axes};

    snprintf(id, sizeof id, "sensor:%.400s", o.name);
    return space_add_object(s, parent, &o);
}

static UA_StatusCode add_actuator(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_actuator *e = &model_actuators(m)[i];
    char id[SPACE_ID];
    struct space_object o = {.type = TYPE_ACTUATOR,
                             .id = id,
                             .name = model_text(m, e->name),
                             .help = model_text(m, e->help),
                             .index = i,
                             .unit = model_text(m, e->unit),
                             .lower = e->lower,
                             .upper = e->upper};

    snprintf(id, sizeof id, "actuator:%.400s", o.name);
    return space_add_object(s, parent, &o);
}

static UA_StatusCode add_body(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    char id[SPACE_ID];
    struct space_object o = {.type = TYPE_BODY, .id = id, .help = "a rigid body", .index = i};

    o.name = model_text(m, model_bodies(m)[i].name);
    snprintf(id, sizeof id, "body:%.400s", o.name);
    return space_add_object(s, parent, &o);
}

static UA_StatusCode add_joint(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_joint *j = &model_joints(m)[i];
    char id[SPACE_ID], help[SPACE_ID];
    const char *body[2];
    struct space_object o = {.type = TYPE_JOINT, .id = id, .help = help, .index = i};

    o.name = model_text(m, j->name);
    for (int k = 0; k < 2; k++)
        body[k] = j->body[k] < 0 ? "ground" : model_text(m, model_bodies(m)[j->body[k]].name);
    snprintf(id, sizeof id, "joint:%.400s", o.name);
    snprintf(help, sizeof help, "connects %.200s and %.200s", body[0], body[1]);
    return space_add_object(s, parent, &o);
}

static UA_StatusCode add_parameter(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_parameter *p = &model_parameters(m)[i];
    int live = p->flags & PARAMETER_LIVE;
    char id[SPACE_ID];
    struct space_variable v = {.id = id,
                               .name = model_text(m, p->name),
                               .unit = model_text(m, p->unit),
                               .lower = live ? p->lower : 0,
                               .upper = live ? p->upper : 0,
                               .kind = VALUES_PARAMETER,
                               .index = i,
                               .help = live ? "live: SetParameter changes it while running"
                                            : "fixed: change the file and restart"};

    snprintf(id, sizeof id, "parameter:%.400s", v.name);
    return space_add_variable(s, parent, &v);
}

static UA_StatusCode add_histogram(struct server *s, UA_NodeId parent, uint32_t i)
{
    static const char *const NAME[] = {"WakeHistogram", "EndHistogram"};
    static const char *const WHERE[] = {"monitor.wake-histogram", "monitor.end-histogram"};
    struct space_variable v = {.id = WHERE[i],
                               .name = NAME[i],
                               .kind = VALUES_HISTOGRAM,
                               .index = i,
                               .help = "samples per bin of 1 us since the reset"};

    return space_add_variable(s, parent, &v);
}

/* n nodes under the node called `parent`. */
static UA_StatusCode add_each(struct server *s, const char *parent, uint32_t n,
                              UA_StatusCode (*add)(struct server *s, UA_NodeId parent, uint32_t i))
{
    UA_NodeId node = space_id(s, "%s", parent);
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    for (uint32_t i = 0; i < n && !bad; i++) bad = add(s, node, i);
    UA_NodeId_clear(&node);
    return bad;
}

static UA_StatusCode add_rig(struct server *s)
{
    static const struct {
        enum catalog_index type;
        const char *id, *name, *help;
    } PART[] = {
        {TYPE_SENSORS, "sensors", "Sensors", "what the rig measures"},
        {TYPE_ACTUATORS, "actuators", "Actuators", "what the rig can be told"},
        {TYPE_MODEL, "model", "Model", "the mechanism"},
        {TYPE_MONITOR, "monitor", "DeadlineMonitor", "whether and why steps were late"},
        {TYPE_RECORDER, "recorder", "Recorder", "what is kept of the run"},
        {TYPE_KEYS, "keys", "Keys", "which keys of the terminal client move what"},
    };
    static const char *const FOLDER[][3] = {
        {"bodies", "Bodies", "of the model"},
        {"joints", "Joints", "of the model"},
        {"parameters", "Parameters", "of the model; live ones change while it runs"}};
    const char *help = s->attach->rig->description;
    struct space_object o = {.type = TYPE_RIG,
                             .id = "rig",
                             .name = "Rig",
                             .help = help ? help : "a mechanism in real time"};
    UA_StatusCode bad = space_add_object(s, UA_NODEID_NUMERIC(0, UA_NS0ID_OBJECTSFOLDER), &o);
    UA_NodeId rig = space_id(s, "rig"), model = space_id(s, "model");

    for (size_t i = 0; i < sizeof PART / sizeof PART[0] && !bad; i++) {
        o = (struct space_object){
            .type = PART[i].type, .id = PART[i].id, .name = PART[i].name, .help = PART[i].help};
        bad = space_add_object(s, rig, &o);
    }
    o = (struct space_object){.type = TYPE_LANE,
                              .id = "pubsub",
                              .name = "FastLane",
                              .help = "sensors and commands by PubSub"};
    if (!bad && s->attach->rig->fastlane.on) bad = space_add_object(s, rig, &o);
    for (size_t i = 0; i < sizeof FOLDER / sizeof FOLDER[0] && !bad; i++)
        bad = space_add_folder(s, model, FOLDER[i][0], FOLDER[i][1], FOLDER[i][2]);
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&model);
    return bad;
}

UA_StatusCode rigspace_fill(struct server *s)
{
    const struct model *m = s->attach->port.model;
    UA_StatusCode bad;

    s->most_items = 160 + (size_t)m->sensors.n + (size_t)m->n_channels + 24 * m->actuators.n +
                    4 * m->bodies.n + 3 * m->joints.n + 2 * m->parameters.n;
    s->item = calloc(s->most_items, sizeof *s->item);
    if (!s->item) return UA_STATUSCODE_BADOUTOFMEMORY;
    s->ns = UA_Server_addNamespace(s->ua, SERVER_NAMESPACE);
    bad = space_add_types(s);
    if (!bad) bad = add_rig(s);
    if (!bad) bad = add_each(s, "sensors", m->sensors.n, add_sensor);
    if (!bad) bad = add_each(s, "actuators", m->actuators.n, add_actuator);
    if (!bad) bad = add_each(s, "bodies", m->bodies.n, add_body);
    if (!bad) bad = add_each(s, "joints", m->joints.n, add_joint);
    if (!bad) bad = add_each(s, "parameters", m->parameters.n, add_parameter);
    if (!bad) bad = add_each(s, "monitor", 2, add_histogram);
    return bad;
}
