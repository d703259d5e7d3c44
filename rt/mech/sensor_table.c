/* The sensor table. Adding a sensor is adding a row and its case in sensor.c. */
#include <string.h>

#include "rt/mech/sensor.h"
#include "rt/mech/sensor_eval.h"

#include "rt/rtsafe.h"

static const struct field POINT_FIELD[] = {
    {"at", FIELD_POINT, "m", "nan", 1, 0,
     "point on the body, world place at the start; default: mass centre", SIGN_ANY},
};
static const struct field BETWEEN_FIELD[] = {
    {"from", FIELD_POINT, "m", 0, 0, 0, "point on the first body, world place at the start",
     SIGN_ANY},
    {"to", FIELD_POINT, "m", 0, 1, 0, "point on the second body, world place at the start",
     SIGN_ANY},
};
static const struct field OFFSET_FIELD[] = {
    {"from", FIELD_POINT, "m", 0, 1, 0, "a point on the body, world place at the start", SIGN_ANY},
    {"to", FIELD_POINT, "m", 0, 1, 0, "another, likewise", SIGN_ANY},
};
static const struct field ENERGY_FIELD[] = {
    {"of", FIELD_CHOICE, "", "total", 0, "total kinetic potential",
     "kinetic, potential (weight and springs), or both", SIGN_ANY},
};
static const struct field LEVEL_FIELD[] = {
    {"of", FIELD_CHOICE, "", "position", 0, "position velocity acceleration",
     "derivative whose largest constraint error is shown", SIGN_ANY},
};

const struct sensor_type SENSOR_TYPE[] = {
    {"joint-angle", "angle of a joint, counted over turns", REF_JOINT | REF_ANGLE, 0, 0, 1, "",
     "rad", SENSOR_COORDINATE},
    {"joint-position", "displacement of a joint", REF_JOINT | REF_LENGTH, 0, 0, 1, "", "m",
     SENSOR_COORDINATE},
    {"joint-speed", "rate of a joint coordinate", REF_JOINT | REF_ANGLE | REF_LENGTH, 0, 0, 1, "",
     "q/s", SENSOR_COORDINATE_RATE},
    {"joint-acceleration", "second rate of a joint coordinate", REF_JOINT | REF_ANGLE | REF_LENGTH,
     0, 0, 1, "", "q/s2", SENSOR_COORDINATE_ACCELERATION},
    {"rotation-vector", "attitude of the second body in the first, spherical joints", REF_JOINT, 0,
     0, 3, "x y z", "rad", SENSOR_ROTATION_VECTOR},
    {"position", "place of a point of a body, world", REF_BODY, POINT_FIELD, 1, 3, "x y z", "m",
     SENSOR_POSITION},
    {"attitude", "quaternion body to world", REF_BODY, 0, 0, 4, "w x y z", "", SENSOR_ATTITUDE},
    {"velocity", "velocity of a point of a body, world", REF_BODY, POINT_FIELD, 1, 3, "x y z",
     "m/s", SENSOR_VELOCITY},
    {"body-velocity", "velocity of a point of a body, body axes", REF_BODY, POINT_FIELD, 1, 3,
     "x y z", "m/s", SENSOR_BODY_VELOCITY},
    {"offset", "way from one point of a body to another, world axes", REF_BODY, OFFSET_FIELD, 2, 3,
     "x y z", "m", SENSOR_OFFSET},
    {"acceleration", "acceleration of a point of a body, world", REF_BODY, POINT_FIELD, 1, 3,
     "x y z", "m/s2", SENSOR_ACCELERATION},
    {"accelerometer",
     "what an accelerometer on the body reads: acceleration less gravity, body axes", REF_BODY,
     POINT_FIELD, 1, 3, "x y z", "m/s2", SENSOR_ACCELEROMETER},
    {"angular-velocity", "angular velocity, world axes", REF_BODY, 0, 0, 3, "x y z", "rad/s",
     SENSOR_ANGULAR_VELOCITY},
    {"gyro", "angular velocity, body axes", REF_BODY, 0, 0, 3, "x y z", "rad/s", SENSOR_GYRO},
    {"distance", "distance of two points", REF_BETWEEN, BETWEEN_FIELD, 2, 1, "", "m",
     SENSOR_DISTANCE},
    {"reaction-force",
     "force of the first body on the second at the joint, joint axes of the first; "
     "gear, rack: see Joints",
     REF_JOINT, 0, 0, 3, "x y z", "N", SENSOR_REACTION_FORCE},
    {"reaction-torque",
     "torque of the first body on the second at the joint, joint axes of the first; "
     "gear, rack: see Joints",
     REF_JOINT, 0, 0, 3, "x y z", "N.m", SENSOR_REACTION_TORQUE},
    {"force", "force of a force element or actuator", REF_FORCE, 0, 0, 0, "x y z", "F",
     SENSOR_FORCE},
    {"constraint-error", "largest violation over all joints", REF_NONE, LEVEL_FIELD, 1, 1, "", "",
     SENSOR_CONSTRAINT_ERROR},
    {"energy", "energy of the mechanism", REF_NONE, ENERGY_FIELD, 1, 1, "", "J", SENSOR_ENERGY},
};
const int SENSOR_TYPE_COUNT = sizeof SENSOR_TYPE / sizeof SENSOR_TYPE[0];

int sensor_find(const char *name)
{
    for (int i = 0; i < SENSOR_TYPE_COUNT; i++)
        if (strcmp(SENSOR_TYPE[i].name, name) == 0) return i;
    return -1;
}
