/* multibody.h: the plant that is the solver: a model, its plan, and three workspaces
 * on it: the one that moves, the start state, and one to go back to when a joint cannot
 * be switched; and room for snapshots of the accepted state.
 * RT context, wait-free, no allocation; the caller owns all memory. */
#ifndef MULTIBODY_H
#define MULTIBODY_H

#include "rt/mech/plan.h"
#include "rt/mech/workspace.h"
#include "rt/tick/plant.h"

struct multibody {
    const struct model *model;
    const struct plan *plan;
    struct workspace *ws;
    const struct workspace *start;
    void *kept;              /* PLANT_SNAPSHOTS times ws->state_size bytes */
    struct workspace_mark mark[PLANT_SNAPSHOTS];
    struct workspace *spare;
};

/* The plant of a mechanism; `iterations` > 0 lowers the model's bound. */
struct plant multibody_init(struct multibody *b, int iterations);

#endif
