/* workspace.h: all that changes while a mechanism moves, in one preallocated block.
 *
 * Place on the arrow: plan -> [workspace] -> step -> record. Fields stand in the one
 * list below, grouped by the stage that writes them; memsize and init both expand
 * it. The accepted state (WORKSPACE_STATE) is one contiguous run: a snapshot is a
 * copy of those bytes. Owned by the caller who gives the memory (64-byte aligned).
 * Twists of bodies are at their mass centres unless a name ends in _o. SI, world. */
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <stddef.h>

#include "rt/mech/force.h"
#include "rt/mech/jointkin.h"
#include "rt/mech/kin.h"
#include "rt/mech/model.h"
#include "rt/mech/plan.h"
#include "rt/status.h"

/* X(type, name, count): the accepted state. Written by step.c at acceptance only. */
#define WORKSPACE_STATE(X)                                                              \
    X(vec3, x, p->n)                      /* m, mass centres */                         \
    X(quat, q, p->n)                      /* attitudes */                               \
    X(struct six, v, p->n)                /* velocities */                              \
    X(struct six, a, p->n)                /* accelerations */                           \
    X(struct six, ab, p->n)               /* auxiliary accelerations of the rule */     \
    X(double, lambda, p->n_rows)       /* multipliers of cut rows and sums, N, N m */           \
    X(double, kappa, p->n_rows)           /* acceleration level, N, N m */              \
    X(double, angle, m->coordinates.n)    /* unwrapped coordinates */                   \
    X(double, rate, m->coordinates.n)     /* and their rates */                         \
    X(double, z, m->n_states + 1)         /* states of force elements */                \
    X(int, closed, p->n_forces + 1)       /* contacts that push */                      \
    X(double, depth, p->n_forces + 1)     /* m, their penetration */                    \
    X(double, on, p->n_switches + 1)      /* switchable cuts: 1 held, 0 released */     \
    X(struct plan_joint, switched, p->n_switches + 1) /* switchable joints as they were   \
                                             locked last */                             \
    X(struct six, wrench, p->n)           /* of the tree joint on its child, about the  \
                                             child's mass centre */                     \
    X(struct six, reaction, p->n_reactions + 1) /* of joints whose reaction is not      \
                                             unique: first on second body, at P_B */    \
    X(int, side, m->switches.n + 1)       /* of its level a switch's channel was last   \
                                             clear on: -1, 1; 0: not armed */           \
    X(double, pool, m->pool.n)            /* numbers of elements, live ones follow */   \
    X(double, param, m->parameters.n)     /* live parameters */                         \
    X(double, command, m->actuators.n + 1) /* SI, set by the caller */                  \
    X(double, command_n, m->actuators.n + 1) /* SI, that the accepted a belongs to */

/* X(type, name, count): scratch of a step, in the order of the stages. */
#define WORKSPACE_SCRATCH(X)                                                            \
    X(vec3, o, p->n_segments + 1)         /* reference points; fixed for the step */    \
    X(struct six, D, p->n)                /* increments of the step */                  \
    X(struct six, v0, p->n)               /* v = cv D + v0 */                           \
    X(struct six, a0, p->n)               /* a = ca D + a0 */                           \
    X(struct six, a_n, p->n)              /* copies the step may correct */             \
    X(struct six, ab_n, p->n)                                                           \
    X(struct kin, kin, p->n_kin)          /* iterate */                                 \
    X(quat, qk, p->n)                                                                   \
    X(struct mat3, Jw, p->n)              /* inertia tensors in world axes */           \
    X(struct mat6, K, p->n)               /* diagonal blocks */                         \
    X(struct mat6, block, p->n_blocks + 1) /* off-diagonal, rows later, columns earlier */ \
    X(struct six, S, p->n_columns + 1)    /* free directions, of the factor */          \
    X(struct six, S_fresh, p->n_columns + 1) /* of the final configuration, where the    \
                                             factor is that of the last iterate */      \
    X(vec3, P, p->n)                      /* joint point of the tree joint, from o */    \
    X(struct six, dp, p->n)               /* sum of c towards the root */               \
    X(struct six, f, p->n)                /* loads */                                   \
    X(struct six, e, p->n)                /* solution on top of dp */                   \
    X(struct six, d, p->n)                /* solution, d = dp + e */                    \
    X(struct six, r_o, p->n)              /* unbalanced wrench without constraints */   \
    X(struct six, F, p->n_F + 1)          /* factor rows */                             \
    X(double, Dinv, p->n_columns + 1)                                                   \
    X(double, L, 15 * (p->n + 1))         /* unit lower factors of the pivots */        \
    X(double, y, p->n_columns + 1)                                                      \
    X(struct six, w, p->n_rows + 1)       /* rows of cuts (second body) */              \
    X(struct six, sum_w, PLAN_MAX_SUM *(p->n_sums + 1)) /* rows of sums by slot */            \
    X(double, phi, p->n_rows + 1)         /* row values at the level in work */         \
    X(double, weight, p->n_rows + 1)                                                    \
    X(double, lambda_k, p->n_rows + 1)    /* multipliers of the iterate */              \
    X(double, kappa_k, p->n_rows + 1)                                                   \
    X(struct jointkin, cut_kin, p->n_cuts + 1) /* cuts, placed */                       \
    X(struct jet, jet, m->functions.n + 1) /* functions of time at the step's end */    \
    X(struct coord, coord, p->n_watched + 1)                                            \
    X(struct force_out, out, p->n_forces + 1) /* what force elements answered */        \
    X(struct six, null, p->n_null_fields + 1) /* self-stress fields */                  \
    X(double, gram, p->n_null_gram + 1)                                                 \
    X(double, row_keep, p->n_nulls ? 2 * p->n_rows + 1 : 1)                             \
    X(struct six, wrench_keep, p->n_nulls ? p->n : 1)                                   \
    X(struct six, e_keep, p->n_nulls ? p->n : 1)                                        \
    X(double, z_k, m->n_states + 1)                                                     \
    X(int, opened, p->n_forces + 1)       /* contacts that open in this step */         \
    X(struct watch, watch_n, m->switches.n + 1) /* of the switches, where a part of the \
                                             step begins */                             \
    X(struct watch, watch, m->switches.n + 1) /* and where it ends */                   \
    X(struct model_change, change, m->changes.n + 1) /* that are made together */       \
    X(char, kept, m->switches.n ? state_size(m, p) : 1) /* to go back to */

/* What a switch sees, SI. */
struct watch {
    double value;  /* its channel less its level */
    double rate;   /* 1/s of it; NaN: not known */
    double guard;  /* channel that must lie in its range */
    double part;   /* of the step at which it crosses; > 1: it does not */
};

/* Numbers beside the accepted state that belong to it. */
struct workspace_mark {
    double t, h_last, d_last;
    int alarm_row;
};

struct workspace {
    double t;               /* s, time of the accepted state */
    double h_last;          /* s, step that led to it; 0: none yet */
    double d_last;          /* m, |d| at the end of the last Newton */
    struct six *S_down;     /* S or S_fresh: free directions the solution goes along */
    int alarm_row;          /* redundant row that opened, or -1 */
    size_t size;            /* bytes of the block in use */
    size_t state_size;      /* bytes of the accepted state, from `state` on */
    void *state;
    struct workspace_mark mark; /* of what is kept */
#define X(type, name, count) type *name;
    WORKSPACE_STATE(X)
    WORKSPACE_SCRATCH(X)
#undef X
};

/* Bytes a workspace needs. Context: setup. */
size_t workspace_memsize(const struct model *m, const struct plan *p);

/* Place a workspace in `memory` (64-byte aligned, at least memsize bytes), all
 * zero. Returns STATUS_TOO_SMALL if it does not fit. Context: setup. */
MUST_CHECK enum status workspace_init(struct workspace *ws, const struct model *m,
                                      const struct plan *p, void *memory, size_t size);

/* Keep the accepted state; go back to it. RT context. Needs: a model with switches. */
void workspace_keep(struct workspace *ws);
void workspace_back(struct workspace *ws);

/* Copy the accepted state, time included, between two workspaces of one plan. */
void workspace_copy(struct workspace *to, const struct workspace *from);

#endif
