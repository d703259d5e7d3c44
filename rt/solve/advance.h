/* advance.h: what closes a step, whichever method does it: the acceptance of all that is not
 * the motion of bodies and their multipliers.
 * RT context, wait-free. */
#ifndef ADVANCE_H
#define ADVANCE_H

#include "rt/solve/evaluate.h"

/* Begin a try with the states of elements of step n: z_k, zd_k. */
void advance_states(const struct evaluation *ev);

/* Accept element states, contacts, coordinates, commands, time, and the step's h. */
void advance_end(const struct evaluation *ev);

#endif
