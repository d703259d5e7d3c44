/* catalog.h: the ObjectTypes of the information model: const tables of what each has.
 * Their instances get the same variables under ids of their own. Any context. */
#ifndef CATALOG_H
#define CATALOG_H

#include <stdint.h>

#define CATALOG_OWN_UNIT "*"

/* A variable of a type. */
struct catalog_field {
    const char *name, *id, *help;
    uint16_t kind;
    uint8_t write;   /* enum rights_role */
    const char *unit; /* NULL: none; CATALOG_OWN_UNIT: that of the instance, with its range */
};

/* A type: its fields are mandatory for its instances. */
struct catalog_type {
    const char *id, *name, *help;
    const struct catalog_field *field;
    int n;
};

enum catalog_index {
    TYPE_RIG,
    TYPE_SENSORS,
    TYPE_SENSOR,
    TYPE_ACTUATORS,
    TYPE_ACTUATOR,
    TYPE_MODEL,
    TYPE_BODY,
    TYPE_JOINT,
    TYPE_MONITOR,
    TYPE_RECORDER,
    TYPE_KEYS,
    TYPE_LANE,
    CATALOG_TYPES
};

extern const struct catalog_type CATALOG_TYPE[CATALOG_TYPES];

#endif
