/* mechanism.h: from a checked model to a plan and a start state.
 *
 * Decides which joints carry bodies and which are cut, in what order bodies are
 * eliminated, which rows are redundant, and at what cost; assembles the file's pose and
 * completes velocities and accelerations. Messages name file, line and element.
 * SETUP context: allocates, may take seconds on very large loops. */
#ifndef MECHANISM_H
#define MECHANISM_H

#include <signal.h>

#include "rt/mech/model.h"
#include "rt/mech/plan.h"
#include "rt/mech/workspace.h"
#include "services/base/diag.h"

struct plan_options {
    double h;          /* s, step the run will use (rho auto, soft rows, notes) */
    double rho;        /* < 0: as the model says */
    int wrenches;      /* 1: joint wrenches whether or not a sensor asks */
    const struct method *method; /* formulation; NULL: the default */
    const volatile sig_atomic_t *stop; /* becomes 1 when planning is to end; NULL: never */
};

/* A mechanism ready to run: the plan, a workspace at the start state, and the start
 * state itself for resets. */
struct mechanism {
    const struct model *model;  /* not owned */
    struct plan *plan;
    struct workspace ws;        /* at t = 0 */
    struct workspace start;     /* same, never stepped */
    size_t memory_bytes;        /* of one workspace */
    double moved;               /* m, how far assembly moved the file's pose */
    void *hidden;               /* memory of all this */
};

/* The defaults: 1 ms, rho as the model says. */
struct plan_options mechanism_options(void);

/* Build all of it. Returns STATUS_OK, STATUS_REFUSED (see diags; nothing to free) or
 * STATUS_NO_MEMORY, or STATUS_STOPPED once `stop` asks (nothing to free). */
MUST_CHECK enum status mechanism_create(struct mechanism *out, const struct model *m,
                                        const struct plan_options *o, struct diag_list *diags);

/* A further workspace on the same plan, at the start state; freed with the mechanism. */
MUST_CHECK enum status mechanism_workspace(struct mechanism *me, struct workspace *ws);

/* Back to the start state. Context: rt. */
void mechanism_reset(const struct mechanism *me, struct workspace *ws);

void mechanism_destroy(struct mechanism *me);

#endif
