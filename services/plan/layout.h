/* layout.h: write a draft down as the const plan the step runs on. SETUP context. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "rt/mech/plan.h"
#include "services/plan/draft.h"

/* The plan of a draft; every row independent with weight 1e8 x mass x length² of its
 * loop. NULL when memory ran out. Memory: the draft's arena. */
struct plan *layout_plan(struct draft *d);

#endif
