#include "services/opcua/space/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/link/name.h"
#include "services/opcua/space/eunit.h"
#include "services/opcua/act/methods.h"
#include "services/opcua/server.h"

/* ---- nodes ------------------------------------------------------------------------- */

UA_NodeId space_id(const struct server *s, const char *format, ...)
{
    char text[SPACE_ID];
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
                                  const char *name, const char *help, UA_Variant value)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_UInt32 dimension = 0;
    UA_NodeId node = space_id(s, "%s", id);
    UA_StatusCode bad;

    a.value = value;
    a.displayName = words(name);
    a.description = words(help);
    a.dataType = value.type->typeId;
    a.valueRank = value.arrayLength ? UA_VALUERANK_ONE_DIMENSION : UA_VALUERANK_SCALAR;
    a.arrayDimensions = &dimension;
    a.arrayDimensionsSize = value.arrayLength ? 1 : 0;
    bad = UA_Server_addVariableNode(s->ua, node, parent, ns0(UA_NS0ID_HASPROPERTY),
                                    (UA_QualifiedName){0, words(name).text},
                                    ns0(UA_NS0ID_PROPERTYTYPE), a, NULL, NULL);
    UA_NodeId_clear(&node);
    return bad;
}

static struct values_item *new_item(struct server *s, const struct space_variable *v)
{
    struct values_item *i;

    if (s->n_items == s->most_items) return NULL;
    i = &s->item[s->n_items++];
    *i = (struct values_item){
        .node = {.server = s, .write = v->write}, .kind = v->kind, .index = v->index};
    return i;
}

static int has_own_unit(const char *unit) { return unit && strcmp(unit, CATALOG_OWN_UNIT) == 0; }

static UA_UInt32 variable_type(const struct space_variable *v)
{
    if (v->kind == VALUES_STATE) return UA_NS0ID_MULTISTATEDISCRETETYPE;
    if (has_own_unit(v->unit)) return UA_NS0ID_BASEANALOGTYPE; /* in a type: not known yet */
    if (!v->unit) return UA_NS0ID_BASEDATAVARIABLETYPE;
    return v->lower < v->upper ? UA_NS0ID_ANALOGUNITRANGETYPE : UA_NS0ID_ANALOGUNITTYPE;
}

/* The words for the numbers of the state. */
static UA_StatusCode add_states(struct server *s, UA_NodeId node, const struct space_variable *v)
{
    UA_LocalizedText name[STATE_COUNT];
    UA_Variant value;
    char id[SPACE_ID];

    if (v->kind != VALUES_STATE) return UA_STATUSCODE_GOOD;
    for (uint32_t i = 0; i < STATE_COUNT; i++) name[i] = words(name_state(i));
    UA_Variant_setArray(&value, name, STATE_COUNT, &UA_TYPES[UA_TYPES_LOCALIZEDTEXT]);
    snprintf(id, sizeof id, "%.480s.enum-strings", v->id);
    return add_property(s, node, id, "EnumStrings", "the words for its numbers", value);
}

static UA_StatusCode add_unit(struct server *s, UA_NodeId node, const struct space_variable *v)
{
    UA_EUInformation unit;
    UA_Range range = {v->lower, v->upper};
    UA_Variant value;
    UA_StatusCode bad;
    char id[SPACE_ID];

    if (!v->unit || has_own_unit(v->unit)) return UA_STATUSCODE_GOOD;
    unit = eunit_find(v->unit);
    snprintf(id, sizeof id, "%.480s.engineering-units", v->id);
    UA_Variant_setScalar(&value, &unit, &UA_TYPES[UA_TYPES_EUINFORMATION]);
    bad = add_property(s, node, id, "EngineeringUnits", "its unit", value);
    snprintf(id, sizeof id, "%.480s.range", v->id);
    UA_Variant_setScalar(&value, &range, &UA_TYPES[UA_TYPES_RANGE]);
    if (!bad && v->lower < v->upper) bad = add_property(s, node, id, "EURange", "its range", value);
    return bad;
}

static UA_VariableAttributes variable_attributes(const struct space_variable *v,
                                                 UA_UInt32 *dimension)
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

/* What a variable of a type shows: zero, or no entries. */
static void set_nothing(UA_VariableAttributes *a)
{
    static const uint64_t zero[32];
    const UA_DataType *type = UA_findDataType(&a->dataType);

    if (!type || type->memSize > sizeof zero) return;
    if (a->valueRank == 1)
        UA_Variant_setArray(&a->value, UA_EMPTY_ARRAY_SENTINEL, 0, type);
    else
        UA_Variant_setScalar(&a->value, (void *)(uintptr_t)zero, type);
}

/* A variable under `parent`; in a type it is a mandatory declaration without data. */
static UA_StatusCode add_variable(struct server *s, UA_NodeId parent,
                                  const struct space_variable *v, int in_type)
{
    UA_UInt32 dimension;
    UA_VariableAttributes a = variable_attributes(v, &dimension);
    UA_DataSource source = {values_read, NULL};
    UA_NodeId id = space_id(s, "%s", v->id);
    struct values_item *item = in_type ? NULL : new_item(s, v);
    UA_StatusCode bad = in_type || item ? UA_STATUSCODE_GOOD : UA_STATUSCODE_BADOUTOFMEMORY;

    if (in_type) set_nothing(&a);
    if (v->write) source.write = v->kind == VALUES_COMMANDS ? writes_all : writes_one;
    if (!bad)
        bad = UA_Server_addNode_begin(s->ua, UA_NODECLASS_VARIABLE, id, parent,
                                      ns0(UA_NS0ID_HASCOMPONENT), browse_name(s, v->name),
                                      ns0(variable_type(v)), &a,
                                      &UA_TYPES[UA_TYPES_VARIABLEATTRIBUTES], item, NULL);
    if (!bad && !in_type) bad = UA_Server_setVariableNode_dataSource(s->ua, id, source);
    if (!bad) bad = add_unit(s, id, v);
    if (!bad) bad = add_states(s, id, v);
    if (!bad) bad = UA_Server_addNode_finish(s->ua, id);
    if (!bad && in_type) bad = space_make_mandatory(s, id);
    UA_NodeId_clear(&id);
    return bad;
}

UA_StatusCode space_add_variable(struct server *s, UA_NodeId parent, const struct space_variable *v)
{
    return add_variable(s, parent, v, 0);
}

/* ---- types and their objects ------------------------------------------------------- */

/* The fields of a type, or of an object `o` of it. */
static UA_StatusCode add_fields(struct server *s, UA_NodeId parent, const struct catalog_type *type,
                                const struct space_object *o)
{
    UA_StatusCode bad = UA_STATUSCODE_GOOD;
    char at[SPACE_ID];

    for (int i = 0; i < type->n && !bad; i++) {
        const struct catalog_field *f = &type->field[i];
        struct space_variable v = {.id = at,
                                   .name = f->name,
                                   .help = f->help,
                                   .unit = f->unit,
                                   .kind = f->kind,
                                   .write = f->write};
        if (o) v.index = o->index;
        if (o && has_own_unit(f->unit)) {
            v.unit = o->unit;
            v.lower = o->lower;
            v.upper = o->upper;
            v.length = o->length;
        }
        snprintf(at, sizeof at, "%.400s.%s", o ? o->id : type->id, f->id);
        bad = add_variable(s, parent, &v, !o);
    }
    return bad;
}

UA_StatusCode space_add_types(struct server *s)
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
        if (!bad) bad = add_fields(s, id, &CATALOG_TYPE[i], NULL);
        if (!bad && i == TYPE_RIG) bad = methods_add(s, id);
        UA_NodeId_clear(&id);
    }
    return bad;
}

UA_StatusCode space_add_object(struct server *s, UA_NodeId parent, const struct space_object *o)
{
    UA_ObjectAttributes a = UA_ObjectAttributes_default;
    UA_NodeId node = space_id(s, "%s", o->id), of = space_id(s, "%s", CATALOG_TYPE[o->type].id);
    UA_StatusCode bad;

    a.displayName = words(o->name);
    a.description = words(o->help);
    if (o->type == TYPE_RIG) a.eventNotifier = UA_EVENTNOTIFIER_SUBSCRIBE_TO_EVENT;
    bad = UA_Server_addNode_begin(s->ua, UA_NODECLASS_OBJECT, node, parent,
                                  ns0(UA_NS0ID_HASCOMPONENT), browse_name(s, o->name), of, &a,
                                  &UA_TYPES[UA_TYPES_OBJECTATTRIBUTES], NULL, NULL);
    if (!bad) bad = add_fields(s, node, &CATALOG_TYPE[o->type], o);
    if (!bad && o->more) bad = o->more(s, node, o);
    if (!bad) bad = UA_Server_addNode_finish(s->ua, node);
    UA_NodeId_clear(&node);
    UA_NodeId_clear(&of);
    return bad;
}

UA_StatusCode space_add_folder(struct server *s, UA_NodeId parent, const char *id, const char *name,
                               const char *help)
{
    UA_ObjectAttributes a = UA_ObjectAttributes_default;
    UA_NodeId node = space_id(s, "%s", id);
    UA_StatusCode bad;

    a.displayName = words(name);
    a.description = words(help);
    bad = UA_Server_addObjectNode(s->ua, node, parent, ns0(UA_NS0ID_HASCOMPONENT),
                                  browse_name(s, name), ns0(UA_NS0ID_FOLDERTYPE), a, NULL, NULL);
    UA_NodeId_clear(&node);
    return bad;
}
