/* pubsub_layout.h: what the messages of a rig's fast lane hold, field by field: for the
 * lane itself and for people who set up the other side. Any context. */
#ifndef PUBSUB_LAYOUT_H
#define PUBSUB_LAYOUT_H

#include "rt/mech/model.h"
#include "services/opcua/lane/pubsub.h"

enum pubsub_way { PUBSUB_SENSORS, PUBSUB_COMMANDS };
enum { PUBSUB_NAME = 256 };

struct pubsub_entry {
    char name[PUBSUB_NAME];
    const char *type;        /* of OPC UA */
    const char *unit;        /* "" : none */
    const char *help;
};

/* Number of fields. */
uint32_t pubsub_fields(const struct model *m, enum pubsub_way way);

/* Field i. */
void pubsub_describe(const struct model *m, enum pubsub_way way, uint32_t i,
                     struct pubsub_entry *to);

/* The version of a layout: another one where a name or a type differs. */
uint32_t pubsub_version(const struct model *m, enum pubsub_way way);

/* Bytes of a sensor message without faults. */
size_t pubsub_bytes(const struct model *m, const struct fastlane *set);

#endif
