/* sensor.h: the sensor types, one const row each. They are evaluated by
 * rt/solve/observe.h. Any context. */
#ifndef SENSOR_H
#define SENSOR_H

#include "rt/mech/field.h"
#include "rt/mech/model.h"

struct sensor_type {
    const char *name;
    const char *help;
    unsigned refs;            /* enum ref_bits */
    const struct field *field;
    int n_fields;
    int n_channels;           /* 1, 3 or 4; 0: as many as the force it watches */
    const char *suffix;       /* channel names, e.g. "x y z"; "" for one channel */
    const char *unit;         /* SI unit; "q": follows the coordinate (rad or m),
                                 "q/s", "q/s2" its rates; "F": the force's own */
    int eval;                 /* enum sensor_eval_kind */
};

extern const struct sensor_type SENSOR_TYPE[];
extern const int SENSOR_TYPE_COUNT;

/* Row of the type with this name, or -1. */
int sensor_find(const char *name);

#endif
