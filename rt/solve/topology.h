/* topology.h: joints locked, released or swapped while the mechanism moves.
 *
 * A switchable joint is always a cut: its rows are switched on and off, the plan stays.
 * At a step boundary: rows are formed at the present configuration (the first body's side
 * takes the place and axes the second body's side has now), velocities jump by the
 * mass-weighted projection (an impact: energy never grows), accelerations and multipliers
 * are solved anew. Order 2 is kept between switches; anything less is order 1.
 * RT context, wait-free. Cost: two factorisations with M and six solves. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "rt/mech/workspace.h"
#include "rt/status.h"

struct topology_change {
    int joint;   /* of the model, switchable */
    int on;      /* 1: lock where it is now, 0: release */
};

/* Apply n changes together at the accepted state. *loss (may be NULL) is the kinetic
 * energy lost, J. Returns STATUS_OK, STATUS_REFUSED if a joint is not switchable (nothing
 * is changed), STATUS_SINGULAR. */
MUST_CHECK enum status topology_apply(const struct model *m, const struct plan *p,
                                      struct workspace *ws, const struct topology_change *change,
                                      int n, double *loss);

#endif
