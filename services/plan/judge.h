/* judge.h: what the load stage says about a mechanism: poses that miss their joints,
 * directions without inertia, stiffness a step cannot resolve. SETUP context. */
#ifndef JUDGE_H
#define JUDGE_H

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"

/* Length of a joint's surroundings in m, and the closure it is held to. */
double judge_closure(const struct model *m, int joint);

/* Elements that exert a torque on a point mass: errors. Returns 1 if none. */
int judge_points(const struct model *m, const struct draft *d, struct diag_list *diags);

/* Motions of joints between things that do not move: errors. Returns 1 if none. */
int judge_motions(const struct model *m, const struct plan *p, struct diag_list *diags);

/* Joints missed by the file's pose beyond `closure:`: errors. Returns 1 if none. */
int judge_pose(const struct model *m, struct plan *p, struct workspace *ws,
               struct diag_list *diags);

/* Give axes without inertia that nothing holds 1e-3 of the largest, with a note. */
void judge_inertia(const struct model *m, struct plan *p, struct workspace *ws,
                   struct diag_list *diags);

/* Refuse a pose that cannot be assembled; note how far it moved. */
int judge_assembly(const struct model *m, struct plan *p, struct workspace *ws, double left,
                   struct diag_list *diags);

/* Effective masses of force elements, rho of `auto`, notes on unresolved stiffness;
 * contacts shorter than three steps are refused (returns 0). */
int judge_rule(const struct model *m, struct plan *p, struct workspace *ws,
               const struct plan_options *o, struct diag_list *diags);

/* Refuse friction by load in joints whose reaction is not unique (redundant loops).
 * Returns 1 if there is none. */
int judge_friction(const struct model *m, const struct plan *p, struct diag_list *diags);

/* Warn where `settle:` found no equilibrium: `left` is the acceleration left, m/s2. */
void judge_settled(const struct model *m, double left, struct diag_list *diags);

/* Turn the geometric stiffness on where joint forces (at the start, or the weight that
 * hangs on the joint) at their arms are felt beside the inertia at this step. Needs:
 * start accelerations and wrenches. Returns 0 without memory. */
int judge_geometric(const struct model *m, struct plan *p, const struct workspace *ws, double h);

/* Name the joint or body whose freedom has no inertia. Returns STATUS_REFUSED. */
enum status judge_singular(const struct model *m, const struct plan *p, struct workspace *ws,
                           struct diag_list *diags);

#endif
