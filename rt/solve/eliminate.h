/* eliminate.h: the factorisation along the tree of bodies and its solves.
 *
 * Slots go in order, children before parents. A slot has only its joint's freedoms as
 * pivots: d_B = d_A + S theta + c. What it leaves on its parent and on its other
 * neighbours is (D, r) of VK06 (eq. 19, 37, 38) and the assembly of MFC (eq. 51-56) in
 * stiffness form. No pivoting, no data-dependent branch, no division but by pivots.
 * RT context, wait-free. */
#ifndef ELIMINATE_H
#define ELIMINATE_H

#include "rt/mech/plan.h"
#include "rt/mech/workspace.h"
#include "rt/status.h"

/* Factor K, block and S. Destroys K and block. Returns the smallest pivot seen, to be
 * checked for > 0 by the caller. */
double eliminate_factor(const struct plan *p, struct workspace *ws);

/* Solve with the loads f: e is the part on top of dp, d = dp + e. The way down goes along
 * S[n_columns]: ws->S, or the free directions of a later configuration than the factor's.
 * Destroys f. */
void eliminate_solve(const struct plan *p, struct workspace *ws, const struct six *S);

#endif
