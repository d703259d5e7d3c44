/* The force table. Adding a force is adding a row here and its file. */
#include "rt/mech/force.h"

#include <string.h>

#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

const struct force_type *const FORCE_TYPE[] = {
    &FORCE_SPRING_DAMPER,
    &FORCE_GROUND_SPRING,
    &FORCE_TORSION_SPRING,
    &FORCE_JOINT_SPRING,
    &FORCE_BUSHING,
    &FORCE_FORCE,
    &FORCE_TORQUE,
    &FORCE_JOINT_TORQUE,
    &FORCE_JOINT_FORCE,
    &FORCE_FRICTION,
    &FORCE_STOP,
    &FORCE_SPHERE_CONTACT,
    &FORCE_WHEEL_CONTACT,
    &FORCE_SERVO,
    &ACTUATOR_JOINT_TORQUE,
    &ACTUATOR_JOINT_FORCE,
    &ACTUATOR_BODY_TORQUE,
    &ACTUATOR_BODY_FORCE,
    &ACTUATOR_POSITION,
    &ACTUATOR_SPEED,
    &FORCE_MOTOR,
    &ACTUATOR_VOLTAGE,
    &FORCE_GAS,
    &FORCE_STARTER,
    &FORCE_TYRE,
    &FORCE_BRAKE,
    &ACTUATOR_BRAKE,
};
const int FORCE_TYPE_COUNT = sizeof FORCE_TYPE / sizeof FORCE_TYPE[0];

int force_find(const char *name, enum force_section section, int from)
{
    for (int i = from; i < FORCE_TYPE_COUNT; i++)
        if (FORCE_TYPE[i]->section == section && strcmp(FORCE_TYPE[i]->name, name) == 0) return i;
    return -1;
}
