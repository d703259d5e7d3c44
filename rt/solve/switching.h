/* switching.h: switches of the model: joints locked and released when a channel of a sensor
 * crosses a level.
 *
 * The grid of steps stays. A step that ends beyond a level is taken back and done in two
 * parts: to the crossing, where topology.h changes the joints, and from there to the step's
 * end. The crossing is the root of the cubic through the channel's values and rates at the
 * step's ends (of the straight line where its rate is not known): its time is good to more
 * than the rule's own order. One crossing is located per step; one that follows in the rest of
 * the same step acts at its end, and is marked late.
 * A switch acts only while it has something to change, and arms when its channel is clear of
 * its level. A channel that goes beyond and comes back within one step is not seen.
 * RT context, wait-free. Cost at worst: three steps, two topology changes, four looks. */
#ifndef SWITCHING_H
#define SWITCHING_H

#include "rt/mech/workspace.h"
#include "rt/solve/step.h"

/* As method_advance, with the model's switches; report->switched says which acted. Without
 * switches it is method_advance. */
MUST_CHECK enum status switching_advance(const struct model *m, const struct plan *p,
                                         struct workspace *ws, double h,
                                         const struct step_limits *limits,
                                         struct step_report *report);

#endif
