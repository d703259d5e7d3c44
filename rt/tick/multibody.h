/* multibody.h: the plant that is the solver: a model, its plan, and three workspaces
 * on it: the one that moves, the start state, and the one slot for a snapshot.
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
    struct workspace *kept;
};

/* The plant of a mechanism; `iterations` > 0 lowers the model's bound. */
struct plant multibody_init(struct multibody *b, int iterations);

#endif
