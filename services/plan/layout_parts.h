/* layout_parts.h: the layout in the making, shared by its files only. */
#ifndef LAYOUT_PARTS_H
#define LAYOUT_PARTS_H

#include "rt/mech/plan.h"
#include "services/plan/draft.h"

struct layout {
    struct draft *d;
    struct plan *plan;
    int *slot;               /* vertex -> slot */
    int *kin_of_body, *kin_body, *segment_base, *active_of, *part;
    int *joint_slot, *joint_cut, *joint_sum, *joint_switch;
    struct plan_body *body;
    struct plan_joint *joint;
    struct plan_link *link;
    struct plan_cut *cut;
    struct plan_cut_motion *cut_motion;
    struct plan_row *row;
    struct plan_sum *sum;
    struct plan_force *force;
    struct plan_coordinate *active;
};

/* Operations and off-diagonal blocks; 0 when memory ran out. */
int layout_ops(struct layout *y);

/* Weights of all rows from the loops they close. */
void layout_weights(struct layout *y);

#endif
