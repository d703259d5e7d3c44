/* layout_parts.h: the layout in the making, shared by its files only. */
#ifndef LAYOUT_PARTS_H
#define LAYOUT_PARTS_H

#include "rt/mech/plan.h"
#include "services/plan/draft.h"

struct layout {
    struct draft *d;
    struct plan *plan;
    struct plan_part *parts; /* in post-order */
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

/* Kin index of a body of the model; its slot, PLAN_NONE where it does not move. */
int layout_kin(const struct layout *y, int body);
int layout_slot(const struct layout *y, int body);

/* Whose reference point a pair's wrenches are taken about; 1 if a side has another. */
int layout_segment(const struct layout *y, int first, int second);
int layout_apart(const struct layout *y, const int *slot, int segment);

/* 1 if a force element asks for the load of its joint. */
int layout_asks_load(const struct model *m, const struct model_force *f);

/* Cuts, sums and force elements, part by part. */
void layout_elements(struct layout *y);

/* Runs of bodies and columns, borders and shapes of the parts; 0 when memory ran out. */
int layout_runs(struct layout *y);

/* Weights of all rows from the loops they close. */
void layout_weights(struct layout *y);

#endif
