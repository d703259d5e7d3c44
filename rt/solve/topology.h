/* topology.h: joints locked, released or swapped while the mechanism moves.
 *
 * A switchable joint is always a cut: its rows are switched on and off, the plan stays.
 * At an accepted state: rows are formed at the present configuration (the first body's side
 * moves as little as makes them zero, so the joint's coordinates go on; a distance takes the
 * length it has), velocities jump by the mass-weighted projection (an impact: energy never
 * grows), accelerations and multipliers are solved anew. Order 2 is kept between switches;
 * anything less is order 1.
 * What belongs to a joint goes with it: motions of its coordinates, gears on them and force
 * elements at the joint rest while it is released. Locked again its coordinates go on where they
 * were (those with a motion where that is), gears mesh where they stand, springs have the
 * stretch the joint shows.
 * RT context, wait-free. Cost: two factorisations with M, six solves, one more evaluation of
 * the forces. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "rt/mech/workspace.h"
#include "rt/status.h"

/* Apply n changes together at the accepted state. *loss (may be NULL) is the kinetic
 * energy lost, J, and the energy of springs that went with a joint (less than zero where they
 * came back). Returns STATUS_OK, or with nothing changed: STATUS_REFUSED if a joint is not
 * switchable, STATUS_OPPOSED if a motion or other joints drive what a lock should hold
 * (ws->opposed is that joint), STATUS_SINGULAR. */
MUST_CHECK enum status topology_apply(const struct model *m, const struct plan *p,
                                      struct workspace *ws, const struct model_change *change,
                                      int n, double *loss);

#endif
