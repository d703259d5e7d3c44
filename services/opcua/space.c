#include "services/opcua/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/opcua/catalog.h"
#include "services/opcua/eunit.h"
#include "services/opcua/methods.h"
#include "services/opcua/server.h"

enum { ID = 512 };

/* ---- nodes ------------------------------------------------------------------------- */

UA_NodeId space_id(const struct server *s, const char *format, ...)
{
    char text[ID];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return UA_NODEID_STRING_ALLOC(s->ns, text);
}

static UA_QualifiedName browse_name(const struct server *s, const char *name)
{
    return (UA_QualifiedName){s->ns, {strlen(name), (UA_Byte *)(uintptr_t)name}};
}

static UA_LocalizedText words(const char *text)
{
    return (UA_LocalizedText){.text = {strlen(text), (UA_Byte *)(uintptr_t)text}};
}

static UA_NodeId ns0(UA_UInt32 id) { return UA_NODEID_NUMERIC(0, id); }

UA_StatusCode space_make_mandatory(struct server *s, UA_NodeId node)
{
    return UA_Server_addReference(s->ua, node, ns0(UA_NS0ID_HASMODELLINGRULE),
                                  UA_EXPANDEDNODEID_NUMERIC(0, UA_NS0ID_MODELLINGRULE_MANDATORY),
                                  true);
}

/* A property in namespace 0's own terms (EURange, EngineeringUnits). */
static UA_StatusCode add_property(struct server *s, UA_NodeId parent, const char *id,
                                  const char *name, const void *value, int type)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_NodeId node = space_id(s, "%s", id);
    UA_StatusCode bad;

    UA_Variant_setScalar(&a.value, (void *)(uintptr_t)value, &UA_TYPES[type]);
    a.displayName = words(name);
    a.dataType = UA_TYPES[type].typeId;
    a.valueRank = UA_VALUERANK_SCALAR;
    bad = UA_Server_addVariableNode(s->ua, node, parent, ns0(UA_NS0ID_HASPROPERTY),
                                    (UA_QualifiedName){0, words(name).text},
                                    ns0(UA_NS0ID_PROPERTYTYPE), a, NULL, NULL);
    UA_NodeId_clear(&node);
    return bad;
}

/* What a variable is to be. */
struct variable {
    const char *id, *name, *help;
    const char *unit;        /* NULL: none */
    double lower, upper;     /* equal: no range */
    uint16_t kind;
    uint8_t write;
    uint32_t index;
    int32_t length;          /* of an array; 0: as the kind says */
};

static struct values_item *new_item(struct server *s, const struct variable *v)
{
    struct values_item *i;

    if (s->n_items == s->most_items) return NULL;
    i = &s->item[s->n_items++];
    *i = (struct values_item){
        .node = {.server = s, .write = v->write}, .kind = v->kind, .index = v->index};
    return i;
}

static UA_UInt32 variable_type(const struct variable *v)
{
    if (!v->unit) return UA_NS0ID_BASEDATAVARIABLETYPE;
    return v->lower < v->upper ? UA_NS0ID_ANALOGUNITRANGETYPE : UA_NS0ID_ANALOGUNITTYPE;
}

static UA_StatusCode add_unit(struct server *s, UA_NodeId node, const struct variable *v)
{
    UA_EUInformation unit;
    UA_Range range = {v->lower, v->upper};
    UA_StatusCode bad;
    char id[ID];

    if (!v->unit) return UA_STATUSCODE_GOOD;
    unit = eunit_find(v->unit);
    snprintf(id, sizeof id, "%.480s.engineering-units", v->id);
    bad = add_property(s, node, id, "EngineeringUnits", &unit, UA_TYPES_EUINFORMATION);
    snprintf(id, sizeof id, "%.480s.range", v->id);
    if (!bad && v->lower < v->upper)
        bad = add_property(s, node, id, "EURange", &range, UA_TYPES_RANGE);
    return bad;
}

static UA_VariableAttributes variable_attributes(const struct variable *v, UA_UInt32 *dimension)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;

    a.displayName = words(v->name);
    a.description = words(v->help);
    a.dataType = values_type(v->kind)->typeId;
    a.valueRank = v->length > 1 ? 1 : v->length == 1 ? -1 : values_rank(v->kind);
    *dimension = 0;
    if (a.valueRank == 1) {
        a.arrayDimensions = dimension;
        a.arrayDimensionsSize = 1;
    }
    a.accessLevel = UA_ACCESSLEVELMASK_READ;
    if (v->write)
        a.accessLevel |= UA_ACCESSLEVELMASK_WRITE | UA_ACCESSLEVELMASK_STATUSWRITE |
                         UA_ACCESSLEVELMASK_TIMESTAMPWRITE;
    a.minimumSamplingInterval = 1;
    return a;
}

/* A variable under `parent`; in a type it is a mandatory declaration without data. */
static UA_StatusCode add_variable(struct server *s, UA_NodeId parent, const struct variable *v,
                                  int in_type)
{
    UA_UInt32 dimension;
    UA_VariableAttributes a = variable_attributes(v, &dimension);
    UA_DataSource source = {values_read, NULL};
    UA_NodeId id = space_id(s, "%s", v->id);
    struct values_item *item = in_type ? NULL : new_item(s, v);
    UA_StatusCode bad = in_type || item ? UA_STATUSCODE_GOOD : UA_STATUSCODE_BADOUTOFMEMORY;

    if (v->write) source.write = v->kind == VALUES_COMMANDS ? writes_all : writes_one;
    if (!bad)
        bad = UA_Server_addNode_begin(s->ua, UA_NODECLASS_VARIABLE, id, parent,
                                      ns0(UA_NS0ID_HASCOMPONENT), browse_name(s, v->name),
                                      ns0(variable_type(v)), &a,
                                      &UA_TYPES[UA_TYPES_VARIABLEATTRIBUTES], item, NULL);
    if (!bad && !in_type) bad = UA_Server_setVariableNode_dataSource(s->ua, id, source);
    if (!bad) bad = add_unit(s, id, v);
    if (!bad) bad = UA_Server_addNode_finish(s->ua, id);
    if (!bad && in_type) bad = space_make_mandatory(s, id);
    UA_NodeId_clear(&id);
    return bad;
}

static UA_StatusCode add_fields(struct server *s, UA_NodeId parent, const struct catalog_type *type,
                                const char *id, uint32_t index, int in_type)
{
    UA_StatusCode bad = UA_STATUSCODE_GOOD;
    char at[ID];

    for (int i = 0; i < type->n && !bad; i++) {
        const struct catalog_field *f = &type->field[i];
        struct variable v = {.id = at,
                             .name = f->name,
                             .help = f->help,
                             .unit = f->unit,
                             .kind = f->kind,
                             .write = f->write,
                             .index = index};
        snprintf(at, sizeof at, "%.400s.%s", id, f->id);
        bad = add_variable(s, parent, &v, in_type);
    }
    return bad;
}

static UA_StatusCode add_types(struct server *s)
{
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    for (int i = 0; i < CATALOG_TYPES && !bad; i++) {
        UA_ObjectTypeAttributes a = UA_ObjectTypeAttributes_default;
        UA_NodeId id = space_id(s, "%s", CATALOG_TYPE[i].id);
        a.displayName = words(CATALOG_TYPE[i].name);
        a.description = words(CATALOG_TYPE[i].help);
        bad = UA_Server_addObjectTypeNode(s->ua, id, ns0(UA_NS0ID_BASEOBJECTTYPE),
                                          ns0(UA_NS0ID_HASSUBTYPE),
                                          browse_name(s, CATALOG_TYPE[i].name), a, NULL, NULL);
        if (!bad) bad = add_fields(s, id, &CATALOG_TYPE[i], CATALOG_TYPE[i].id, 0, 1);
        if (!bad && i == TYPE_RIG) bad = methods_add(s, id);
        UA_NodeId_clear(&id);
    }
    return bad;
}

/* An object of a type with all its fields. */
static UA_StatusCode add_object(struct server *s, UA_NodeId parent, enum catalog_index type,
                                const char *id, const char *name, const char *help, uint32_t index)
{
    UA_ObjectAttributes a = UA_ObjectAttributes_default;
    UA_NodeId node = space_id(s, "%s", id), of = space_id(s, "%s", CATALOG_TYPE[type].id);
    UA_StatusCode bad;

    a.displayName = words(name);
    a.description = words(help);
    if (type == TYPE_RIG) a.eventNotifier = UA_EVENTNOTIFIER_SUBSCRIBE_TO_EVENT;
    bad = UA_Server_addNode_begin(s->ua, UA_NODECLASS_OBJECT, node, parent,
                                  ns0(UA_NS0ID_HASCOMPONENT), browse_name(s, name), of, &a,
                                  &UA_TYPES[UA_TYPES_OBJECTATTRIBUTES], NULL, NULL);
    if (!bad) bad = add_fields(s, node, &CATALOG_TYPE[type], id, index, 0);
    if (!bad) bad = UA_Server_addNode_finish(s->ua, node);
    UA_NodeId_clear(&node);
    UA_NodeId_clear(&of);
    return bad;
}

static UA_StatusCode add_folder(struct server *s, UA_NodeId parent, const char *id,
                                const char *name)
{
    UA_ObjectAttributes a = UA_ObjectAttributes_default;
    UA_NodeId node = space_id(s, "%s", id);
    UA_StatusCode bad;

    a.displayName = words(name);
    bad = UA_Server_addObjectNode(s->ua, node, parent, ns0(UA_NS0ID_HASCOMPONENT),
                                  browse_name(s, name), ns0(UA_NS0ID_FOLDERTYPE), a, NULL, NULL);
    UA_NodeId_clear(&node);
    return bad;
}

/* ---- what the model holds ---------------------------------------------------------- */

static UA_StatusCode add_sensor(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_sensor *e = &model_sensors(m)[i];
    char id[ID], at[ID];
    UA_NodeId node;
    struct variable v = {
        .id = at, .unit = model_text(m, e->unit), .lower = e->lower, .upper = e->upper};
    UA_StatusCode bad;

    snprintf(id, sizeof id, "sensor:%.400s", model_text(m, e->name));
    node = space_id(s, "%s", id);
    bad = add_object(s, parent, TYPE_SENSOR, id, model_text(m, e->name), model_text(m, e->help), i);
    v.name = "Value";
    v.help = model_text(m, e->help);
    v.kind = VALUES_SENSOR;
    v.index = i;
    v.length = (int32_t)e->n_channels;
    snprintf(at, sizeof at, "%.400s.value", id);
    if (!bad) bad = add_variable(s, node, &v, 0);
    for (uint32_t k = 0; k < e->n_channels && e->n_channels > 1 && !bad; k++) {
        static const char *const UPPER[] = {"W", "X", "Y", "Z"};
        const char *axis = values_axis(e->n_channels, k);
        snprintf(at, sizeof at, "%.400s.%s", id, axis);
        v.name = UPPER[axis[0] == 'w' ? 0 : axis[0] - 'x' + 1];
        v.kind = VALUES_CHANNEL;
        v.index = e->channel_at + k;
        v.length = 1;
        bad = add_variable(s, node, &v, 0);
    }
    UA_NodeId_clear(&node);
    return bad;
}

static UA_StatusCode add_actuator(struct server *s, UA_NodeId parent, uint32_t i)
{
    static const struct {
        const char *name, *id, *help;
        uint16_t kind;
        uint8_t write;
    } PART[] = {
        {"Command", "command", "write to it under authority", VALUES_COMMAND, RIGHTS_OPERATOR},
        {"Applied", "applied", "acts in the step, after limits, timeouts and faults",
         VALUES_APPLIED, 0},
        {"SafeValue", "safe", "taken when commands stop", VALUES_SAFE, 0},
    };
    const struct model *m = s->attach->port.model;
    const struct model_actuator *e = &model_actuators(m)[i];
    char id[ID], at[ID];
    UA_NodeId node;
    UA_StatusCode bad;

    snprintf(id, sizeof id, "actuator:%.400s", model_text(m, e->name));
    node = space_id(s, "%s", id);
    bad = add_object(s, parent, TYPE_ACTUATOR, id, model_text(m, e->name), model_text(m, e->help),
                     i);
    for (int k = 0; k < 3 && !bad; k++) {
        struct variable v = {.id = at,
                             .name = PART[k].name,
                             .help = PART[k].help,
                             .unit = model_text(m, e->unit),
                             .lower = e->lower,
                             .upper = e->upper,
                             .kind = PART[k].kind,
                             .write = PART[k].write,
                             .index = i};
        snprintf(at, sizeof at, "%.400s.%s", id, PART[k].id);
        bad = add_variable(s, node, &v, 0);
    }
    UA_NodeId_clear(&node);
    return bad;
}

static UA_StatusCode add_body(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    char id[ID];

    snprintf(id, sizeof id, "body:%.400s", model_text(m, model_bodies(m)[i].name));
    return add_object(s, parent, TYPE_BODY, id, id + 5, "", i);
}

static UA_StatusCode add_joint(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    char id[ID];

    snprintf(id, sizeof id, "joint:%.400s", model_text(m, model_joints(m)[i].name));
    return add_object(s, parent, TYPE_JOINT, id, id + 6, "", i);
}

static UA_StatusCode add_parameter(struct server *s, UA_NodeId parent, uint32_t i)
{
    const struct model *m = s->attach->port.model;
    const struct model_parameter *p = &model_parameters(m)[i];
    int live = p->flags & PARAMETER_LIVE;
    char id[ID];
    struct variable v = {.id = id,
                         .name = model_text(m, p->name),
                         .unit = model_text(m, p->unit),
                         .lower = live ? p->lower : 0,
                         .upper = live ? p->upper : 0,
                         .kind = VALUES_PARAMETER,
                         .index = i,
                         .help = live ? "live: SetParameter changes it while running"
                                      : "fixed: change the file and restart"};

    snprintf(id, sizeof id, "parameter:%.400s", v.name);
    return add_variable(s, parent, &v, 0);
}

static UA_StatusCode add_histogram(struct server *s, UA_NodeId parent, uint32_t i)
{
    static const char *const NAME[] = {"WakeHistogram", "EndHistogram"};
    static const char *const WHERE[] = {"monitor.wake-histogram", "monitor.end-histogram"};
    struct variable v = {.id = WHERE[i],
                         .name = NAME[i],
                         .kind = VALUES_HISTOGRAM,
                         .index = i,
                         .help = "samples per bin of 1 us since the reset"};

    return add_variable(s, parent, &v, 0);
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
        int type;
        const char *id, *name, *help, *parent;
    } PART[] = {
        {TYPE_SENSORS, "sensors", "Sensors", "what the rig measures", "rig"},
        {TYPE_ACTUATORS, "actuators", "Actuators", "what the rig can be told", "rig"},
        {TYPE_MODEL, "model", "Model", "the mechanism", "rig"},
        {TYPE_MONITOR, "monitor", "DeadlineMonitor", "whether and why steps were late", "rig"},
        {TYPE_KEYS, "keys", "Keys", "which keys of the terminal client move what", "rig"},
        {-1, "bodies", "Bodies", "", "model"},
        {-1, "joints", "Joints", "", "model"},
        {-1, "parameters", "Parameters", "", "model"},
    };
    UA_StatusCode bad = add_object(s, ns0(UA_NS0ID_OBJECTSFOLDER), TYPE_RIG, "rig", "Rig",
                                   s->attach->rig->description ? s->attach->rig->description : "",
                                   0);

    for (size_t i = 0; i < sizeof PART / sizeof PART[0] && !bad; i++) {
        UA_NodeId parent = space_id(s, "%s", PART[i].parent);
        bad = PART[i].type < 0 ? add_folder(s, parent, PART[i].id, PART[i].name)
                               : add_object(s, parent, (enum catalog_index)PART[i].type, PART[i].id,
                                            PART[i].name, PART[i].help, 0);
        UA_NodeId_clear(&parent);
    }
    return bad;
}

UA_StatusCode space_fill(struct server *s)
{
    const struct model *m = s->attach->port.model;
    UA_StatusCode bad;

    s->most_items = 128 + (size_t)m->sensors.n + (size_t)m->n_channels + 8 * m->actuators.n +
                    4 * m->bodies.n + 3 * m->joints.n + 2 * m->parameters.n;
    s->item = calloc(s->most_items, sizeof *s->item);
    if (!s->item) return UA_STATUSCODE_BADOUTOFMEMORY;
    s->ns = UA_Server_addNamespace(s->ua, SERVER_NAMESPACE);
    bad = add_types(s);
    if (!bad) bad = add_rig(s);
    if (!bad) bad = add_each(s, "sensors", m->sensors.n, add_sensor);
    if (!bad) bad = add_each(s, "actuators", m->actuators.n, add_actuator);
    if (!bad) bad = add_each(s, "bodies", m->bodies.n, add_body);
    if (!bad) bad = add_each(s, "joints", m->joints.n, add_joint);
    if (!bad) bad = add_each(s, "parameters", m->parameters.n, add_parameter);
    if (!bad) bad = add_each(s, "monitor", 2, add_histogram);
    return bad;
}
