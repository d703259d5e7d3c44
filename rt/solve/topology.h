/* topology.h: joints locked, released or swapped while the mechanism moves.
 *
 * A switchable joint is always a cut: its rows are switched on and off, the plan stays.
 * At an accepted state: rows are formed at the present configuration (the first body's side
 * moves as little as makes them zero, so the joint's coordinates go on; a distance takes the
 * length it has), velocities jump by the mass-weighted projection (an impact: energy never
 * grows), accelerations and multipliers are solved anew. Order 2 is kept between switches;
 * anything less is order 1.
 * RT context, wait-free. Cost: two factorisations with M and six solves. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "rt/mech/workspace.h"
#include "rt/status.h"

/* Apply n changes together at the accepted state. *loss (may be NULL) is the kinetic
 * energy lost, J. Returns STATUS_OK, STATUS_REFUSED if a joint is not switchable (nothing
 * is changed), STATUS_SINGULAR. */
MUST_CHECK enum status topology_apply(const struct model *m, const struct plan *p,
                                      struct workspace *ws, const struct model_change *change,
                                      int n, double *loss);

#endif
