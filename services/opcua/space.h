/* space.h: the address space: types first, then the rig's own nodes.
 *
 * Node ids are strings made from model paths and stay the same from run to run:
 *   rig, rig.state, rig.arm        the rig, its variables, its methods
 *   sensors, sensor:PATH.value .x .y .z        all channels; one sensor
 *   actuators, actuator:PATH.command .applied  all commands; one actuator
 *   model, body:PATH.position, joint:PATH.released, parameter:PATH
 *   monitor.misses                 the deadline monitor
 *   type:rig ...                   the ObjectTypes
 * SERVICE context, at set-up. */
#ifndef SPACE_H
#define SPACE_H

#include "services/opcua/values.h"

struct server;

/* Fill the address space. Returns the first bad status. */
UA_StatusCode space_fill(struct server *s);

/* ---- for the parts that add nodes (space.c, methods.c) ------------------------------ */

/* A string node id of our namespace; clear it with UA_NodeId_clear. */
__attribute__((format(printf, 2, 3))) UA_NodeId space_id(const struct server *s, const char *format,
                                                         ...);

/* Mark a node of a type as mandatory for its instances. */
UA_StatusCode space_make_mandatory(struct server *s, UA_NodeId node);

#endif
