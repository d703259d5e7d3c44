/* keys.h: the keys of model files, as tables for schema.h. The enums are the
 * indices into what schema_walk finds. Data only. */
#ifndef KEYS_H
#define KEYS_H

#include "services/load/text/schema.h"

enum keys_model {
    MODEL_KEY_MODEL,
    MODEL_KEY_FORMAT,
    MODEL_KEY_DESCRIPTION,
    MODEL_KEY_GRAVITY,
    MODEL_KEY_PARAMETERS,
    MODEL_KEY_BODIES,
    MODEL_KEY_JOINTS,
    MODEL_KEY_MOTIONS,
    MODEL_KEY_FORCES,
    MODEL_KEY_ACTUATORS,
    MODEL_KEY_SENSORS,
    MODEL_KEY_SWITCHES,
    MODEL_KEY_USE,
    MODEL_KEY_REPEAT,
    MODEL_KEY_SHOWS,
    MODEL_KEY_INTEGRATOR,
    MODEL_KEY_CLOSURE,
    MODEL_KEY_SETTLE
};

enum keys_parameter {
    PARAMETER_KEY_VALUE,
    PARAMETER_KEY_LIVE,
    PARAMETER_KEY_RANGE,
    PARAMETER_KEY_DESCRIPTION
};

enum keys_integrator { INTEGRATOR_KEY_RHO, INTEGRATOR_KEY_TOLERANCE, INTEGRATOR_KEY_ITERATIONS };

enum keys_body {
    BODY_KEY_MASS,
    BODY_KEY_INERTIA,
    BODY_KEY_POSITION,
    BODY_KEY_ROTATION,
    BODY_KEY_VELOCITY,
    BODY_KEY_ANGULAR_VELOCITY,
    BODY_KEY_FIXED,
    BODY_KEY_POINT,
    BODY_KEY_BOX, /* the solids in the order of KEYS_SOLID */
    BODY_KEY_CYLINDER,
    BODY_KEY_SPHERE,
    BODY_KEY_ROD,
    BODY_KEY_SHAPE,
    BODY_KEY_DESCRIPTION
};

enum keys_rotation {
    ROTATION_KEY_AXIS,
    ROTATION_KEY_ANGLE,
    ROTATION_KEY_QUATERNION,
    ROTATION_KEY_RPY
};

enum keys_solid { SOLID_BOX, SOLID_CYLINDER, SOLID_SPHERE, SOLID_ROD, SOLID_COUNT };

/* The first two keys are those of every solid. */
enum keys_solid_key {
    SOLID_KEY_DENSITY,
    SOLID_KEY_MASS,
    BOX_KEY_SIZE = 2,
    CYLINDER_KEY_RADIUS = 2,
    CYLINDER_KEY_LENGTH,
    CYLINDER_KEY_AXIS,
    CYLINDER_KEY_INNER,
    SPHERE_KEY_RADIUS = 2,
    ROD_KEY_LENGTH = 2,
    ROD_KEY_AXIS
};

enum keys_shape {
    SHAPE_KEY_TYPE,
    SHAPE_KEY_SIZE,
    SHAPE_KEY_RADIUS,
    SHAPE_KEY_LENGTH,
    SHAPE_KEY_INNER,
    SHAPE_KEY_AXIS,
    SHAPE_KEY_FROM,
    SHAPE_KEY_TO,
    SHAPE_KEY_AT,
    SHAPE_KEY_ROTATION,
    SHAPE_KEY_FILE,
    SHAPE_KEY_SCALE,
    SHAPE_KEY_COLOUR
};

enum keys_joint {
    JOINT_KEY_TYPE,
    JOINT_KEY_BETWEEN,
    JOINT_KEY_AT,
    JOINT_KEY_AXIS,
    JOINT_KEY_AT_B,
    JOINT_KEY_AXIS_B,
    JOINT_KEY_SWITCHABLE,
    JOINT_KEY_RELEASED,
    JOINT_KEY_BEARING_LENGTH,
    JOINT_KEY_START,
    JOINT_KEY_DESCRIPTION
};

enum keys_gear {
    GEAR_KEY_TYPE,
    GEAR_KEY_JOINTS,
    GEAR_KEY_COORDINATES,
    GEAR_KEY_DESCRIPTION,
    GEAR_KEY_RATIOS /* not for a rack */
};

enum keys_motion {
    MOTION_KEY_JOINT,
    MOTION_KEY_COORDINATE,
    MOTION_KEY_VALUE,
    MOTION_KEY_DESCRIPTION
};

/* Keys by which elements name others, and keys of actuators and sensors. */
enum keys_element {
    ELEMENT_KEY_TYPE,
    ELEMENT_KEY_BETWEEN,
    ELEMENT_KEY_BODY,
    ELEMENT_KEY_JOINT,
    ELEMENT_KEY_COORDINATE,
    ELEMENT_KEY_FORCE,
    ELEMENT_KEY_PHASE,
    ELEMENT_KEY_FOLLOWS,
    ELEMENT_KEY_DESCRIPTION,
    ELEMENT_KEY_UNIT,
    ELEMENT_KEY_RANGE,
    ELEMENT_KEY_SAFE,
    ELEMENT_KEY_START,
    ELEMENT_KEY_COUNT
};

enum keys_switch {
    SWITCH_KEY_SENSOR,
    SWITCH_KEY_CROSSES,
    SWITCH_KEY_GOING,
    SWITCH_KEY_LOCK,
    SWITCH_KEY_RELEASE,
    SWITCH_KEY_WHILE,
    SWITCH_KEY_WITHIN,
    SWITCH_KEY_CLEAR,
    SWITCH_KEY_DESCRIPTION
};

enum keys_function { FUNCTION_KEY_RAMP, FUNCTION_KEY_SINE, FUNCTION_KEY_TABLE };
enum keys_ramp { RAMP_KEY_START, RAMP_KEY_FROM, RAMP_KEY_RATE, RAMP_KEY_TO, RAMP_KEY_END };
enum keys_sine {
    SINE_KEY_AMPLITUDE,
    SINE_KEY_FREQUENCY,
    SINE_KEY_OMEGA,
    SINE_KEY_PHASE,
    SINE_KEY_OFFSET
};
enum keys_table { TABLE_KEY_TIMES, TABLE_KEY_VALUES };

enum keys_use {
    USE_KEY_FILE,
    USE_KEY_POSITION,
    USE_KEY_ROTATION,
    USE_KEY_MIRROR,
    USE_KEY_PARAMETERS
};

enum keys_repeat {
    REPEAT_KEY_INDEX,
    REPEAT_KEY_FROM,
    REPEAT_KEY_TO,
    REPEAT_KEY_COUNT,
    REPEAT_KEY_BODIES, /* from here the sections in the order of the model's keys */
    REPEAT_KEY_JOINTS,
    REPEAT_KEY_MOTIONS,
    REPEAT_KEY_FORCES,
    REPEAT_KEY_ACTUATORS,
    REPEAT_KEY_SENSORS,
    REPEAT_KEY_SWITCHES,
    REPEAT_KEY_USE,
    REPEAT_KEY_REPEAT
};

extern const struct schema KEYS_MODEL, KEYS_PARAMETER, KEYS_INTEGRATOR, KEYS_BODY, KEYS_ROTATION,
    KEYS_MOTION, KEYS_SWITCH, KEYS_FUNCTION, KEYS_RAMP, KEYS_SINE, KEYS_TABLE, KEYS_USE,
    KEYS_REPEAT;
extern const struct schema KEYS_SOLID[SOLID_COUNT];
extern const struct schema KEYS_SHAPE;

/* Own keys of joints with a place, of gears and of racks; the type's fields come
 * behind them. */
extern const struct schema KEYS_JOINT, KEYS_GEAR, KEYS_RACK;

/* All keys forces, actuators and sensors may have; which of them apply depends on
 * the type's refs and the section. */
extern const struct schema_key KEYS_ELEMENT[ELEMENT_KEY_COUNT];

#endif
