/* force_types.h: the rows of the force table, each defined in its family's file. */
#ifndef FORCE_TYPES_H
#define FORCE_TYPES_H

#include "rt/mech/force.h"

extern const struct force_type FORCE_SPRING_DAMPER, FORCE_GROUND_SPRING; /* force_spring.c */
extern const struct force_type FORCE_TORSION_SPRING, FORCE_JOINT_SPRING; /* force_joint.c */
extern const struct force_type FORCE_JOINT_TORQUE, FORCE_JOINT_FORCE, FORCE_STOP,
    FORCE_SERVO;                                                         /* force_joint.c */
extern const struct force_type FORCE_FRICTION;                           /* force_friction.c */
extern const struct force_type FORCE_BUSHING;                            /* force_bushing.c */
extern const struct force_type FORCE_FORCE, FORCE_TORQUE;                /* force_applied.c */
extern const struct force_type FORCE_MOTOR, ACTUATOR_VOLTAGE;            /* force_motor.c */
extern const struct force_type FORCE_TYRE;                               /* force_tyre.c */
extern const struct force_type FORCE_BRAKE, ACTUATOR_BRAKE;              /* force_friction.c */
extern const struct force_type FORCE_GAS, FORCE_STARTER;                 /* force_gas.c */
extern const struct force_type FORCE_SPHERE_CONTACT, FORCE_WHEEL_CONTACT; /* force_contact.c */
extern const struct force_type ACTUATOR_JOINT_TORQUE, ACTUATOR_JOINT_FORCE, ACTUATOR_POSITION,
    ACTUATOR_SPEED; /* force_joint.c */
extern const struct force_type ACTUATOR_BODY_TORQUE, ACTUATOR_BODY_FORCE;

#endif
