/* observe.h: what is seen of the accepted state: sensors, energy, power, errors.
 *
 * observe_state evaluates at the accepted state what its caller asks for; the other calls
 * read what it found. It uses the scratch of the workspace and changes no accepted value.
 * RT context, wait-free, no allocation. */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "rt/mech/workspace.h"
#include "rt/solve/evaluate.h"

struct observation {
    struct evaluation ev;
    double kinetic;    /* J; this and the next three where PLAN_ASK_ENERGY was asked, else 0 */
    double weight;     /* J, potential of gravity */
    double elastic;    /* J, stored in force elements */
    double power;      /* W, put in by forces that store nothing and by drives */
};

/* Evaluate bodies and coordinates at the accepted state, and what `ask` (enum plan_ask) names:
 * p->asked is what the model's sensors need, PLAN_ASK_ALL what a report does. */
void observe_state(const struct model *m, const struct plan *p, struct workspace *ws, unsigned ask,
                   struct observation *o);

/* All sensors into channel[m->n_channels], in the units of the file. */
void observe_sensors(const struct observation *o, double *channel);

/* One channel of a sensor and its rate (NaN where only a difference would tell), SI. */
void observe_channel(const struct observation *o, int sensor, int channel, double *value,
                     double *rate);

/* Of a gear or rack: what it exerts along the coordinates of its (up to three) joints in the
 * order they are named, on each joint's second body and against its first: a torque (N m) on a
 * joint that turns, a force (N) on one that slides, zero in the other. */
void observe_mesh(const struct observation *o, int joint, double force[3], double torque[3]);

/* Wrench of the joint's first body on its second at the joint point, world axes. Of a gear or
 * rack: its multiplier as the torque's first number. Needs: PLAN_ASK_ROWS. */
struct six observe_reaction(const struct observation *o, int joint);

/* Largest constraint violations at position, velocity and acceleration level, of all
 * rows, redundant ones too. */
void observe_errors(const struct observation *o, double error[3]);

#endif
