/* plant.h: what the tick moves: the solver with its workspace, or a stand-in of a
 * test. The tick sees a mechanism only through this row of functions.
 * Defaults: RT context, bounded, no allocation, SI units. */
#ifndef PLANT_H
#define PLANT_H

#include <stdint.h>

#include "rt/solve/step.h"
#include "rt/status.h"

enum { PLANT_SNAPSHOTS = 4 };

struct plant_type {
    /* Advance by h seconds under command[n_actuators] (SI). As method_advance. */
    enum status (*step)(void *self, double h, const double *command,
                        const struct step_limits *limits, struct step_report *report);
    /* Sensor channels of the accepted state, user's units. */
    void (*sensors)(void *self, double *channel);
    /* Poses of all bodies: x, quaternion (w, x, y, z). */
    void (*poses)(void *self, double *pose);
    /* Live parameters in model order, and which joints are released. */
    void (*settings)(void *self, double *live, uint32_t *released);
    /* Time of the accepted state. */
    double (*time)(void *self);
    /* Back to the start values. Live parameters and joints too. */
    void (*reset)(void *self);
    /* Keep the accepted state in slot < PLANT_SNAPSHOTS; go back to it. */
    void (*snapshot)(void *self, uint32_t slot);
    void (*restore)(void *self, uint32_t slot);
    /* Set a live parameter, lock or release a joint, at a step boundary. A bad
     * status changed nothing. */
    enum status (*parameter)(void *self, int index, double value);
    enum status (*joint)(void *self, int index, int released);
};

struct plant {
    const struct plant_type *type;
    void *self;
    struct step_limits limits; /* what the model and the rig ask for; may_iterate,
                                  stamp and context are the tick's */
};

#endif
