/* links.h: the tree joints at the present iterate: free directions S, violations c, their
 * sums dp towards the root, and the loads f = r r_o + M dp. One pass from the root down.
 * RT context, wait-free. Twists and wrenches about the segment's point o. */
#ifndef LINKS_H
#define LINKS_H

#include "rt/solve/evaluate.h"

/* Free directions into S[n_columns] and joint points: into ws->S for a tangent to be
 * factored here; elsewhere where a factor is kept, whose own S must stay. */
void links_free(const struct evaluation *ev, struct six *S);

/* S, c at position level, dp, f = r r_o + M dp. */
void links_position(const struct evaluation *ev, double r);

/* Add the geometric stiffness of the tree joints' forces (those of step n) to K, its
 * positive part: r has the moment -s x F of a joint force at arm s, whose tangent is
 * (s.F) 1 - sym(s F'). Decisive for Newton on long heavy chains; not for projections. */
void links_stiffen(const struct evaluation *ev);

/* c at velocity or acceleration level, dp, f = r r_o + M dp. Needs: S and joint points at
 * the present place (links_free). */
void links_velocity(const struct evaluation *ev, const struct six *S, double r);
void links_acceleration(const struct evaluation *ev, const struct six *S, double r);

#endif
