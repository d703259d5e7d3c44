/* settle.h: from the assembled pose to static equilibrium. SETUP context. */
#ifndef SETTLE_H
#define SETTLE_H

#include "rt/mech/workspace.h"

/* Move to static equilibrium, at rest, with all functions of time held at their values of
 * now: a motion holds its joint. `spare` is a second workspace of the plan. Returns the
 * largest acceleration left, m/s2; above SETTLE_LEFT nothing was found. */
double settle_find(const struct model *m, const struct plan *p, struct workspace *ws,
                   struct workspace *spare);

extern const double SETTLE_LEFT;

#endif
