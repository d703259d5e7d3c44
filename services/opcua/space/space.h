/* space.h: making nodes of the address space: ids, variables, objects of the types in
 * catalog.c. What is made of a model stands in rigspace.c.
 *
 * Node ids are strings made from model paths and stay the same from run to run:
 *   rig, rig.state, rig.arm        the rig, its variables, its methods
 *   sensors, sensor:PATH.value .x .y .z        all channels; one sensor
 *   actuators, actuator:PATH.command .applied  all commands; one actuator
 *   model, body:PATH.position, joint:PATH.released, parameter:PATH
 *   monitor.misses, recorder.kept  the deadline monitor; records in memory
 *   type:rig ...                   the ObjectTypes
 * SERVICE context, at set-up. Functions return the first bad status. */
#ifndef SPACE_H
#define SPACE_H

#include "services/opcua/space/catalog.h"
#include "services/opcua/space/values.h"

struct server;
enum { SPACE_ID = 512 };

/* What a variable is to be. */
struct space_variable {
    const char *id, *name, *help;
    const char *unit;        /* NULL: none */
    double lower, upper;     /* equal: no range */
    uint16_t kind;           /* enum values_kind */
    uint8_t write;           /* enum rights_role that may */
    uint32_t index;
    int32_t length;          /* of an array; 0: as the kind says */
};

/* What an object is to be. Unit and range are those of its fields that have the
 * instance's own (CATALOG_OWN_UNIT); `more` (may be NULL) adds what its type leaves open. */
struct space_object {
    enum catalog_index type;
    const char *id, *name, *help;
    uint32_t index;
    const char *unit;
    double lower, upper;
    int32_t length;          /* of its arrays; 0: as the kinds say */
    UA_StatusCode (*more)(struct server *s, UA_NodeId node, const struct space_object *o);
};

/* A string node id of our namespace; clear it with UA_NodeId_clear. */
__attribute__((format(printf, 2, 3))) UA_NodeId space_id(const struct server *s, const char *format,
                                                         ...);

/* Mark a node of a type as mandatory for its instances. */
UA_StatusCode space_make_mandatory(struct server *s, UA_NodeId node);

/* All ObjectTypes with their fields and methods. */
UA_StatusCode space_add_types(struct server *s);

UA_StatusCode space_add_variable(struct server *s, UA_NodeId parent,
                                 const struct space_variable *v);
UA_StatusCode space_add_object(struct server *s, UA_NodeId parent, const struct space_object *o);
UA_StatusCode space_add_folder(struct server *s, UA_NodeId parent, const char *id, const char *name,
                               const char *help);

#endif
