/* workspace.h: all that changes while a mechanism moves, in one preallocated block.
 *
 * Place on the arrow: plan -> [workspace] -> step -> record. Fields stand in the two lists
 * below, grouped by the stage that writes them; memsize and init both expand them. The
 * accepted state (WORKSPACE_STATE) is one contiguous run: a snapshot is a copy of those bytes.
 * WORKSPACE_SCRATCH is shared by all methods (rt/solve/method.h); what one has for itself
 * lies in `own`. Owned by the caller who gives the memory (64-byte aligned).
 *
 * Each field: unit (of its linear, of its angular half), meaning | who writes it. Per slot
 * where the count is p->n; twists and wrenches of bodies at their mass centres, those of the
 * linear system (K, S, F, dp, f, e, d, r_o, w) about the segment's point o. World axes. */
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <stddef.h>

#include "rt/mech/force.h"
#include "rt/mech/jointkin.h"
#include "rt/mech/kin.h"
#include "rt/mech/model.h"
#include "rt/mech/plan.h"
#include "rt/mech/timeline.h"
#include "rt/status.h"

/* clang-format off */
/* X(type, name, count): the accepted state. `accept`: the step's last stage (step.c accept,
 * advance.c); `topology`: a change of joints (topology.c) or of a live parameter
 * (multibody.c), which solve accelerations and multipliers anew; `start`: services/plan. */
#define WORKSPACE_STATE(X)                                                                  \
    X(vec3, x, p->n)                /* m, mass centres | accept, start */                   \
    X(quat, q, p->n)                /* 1, attitudes, body to world | accept, start */       \
    X(struct six, v, p->n)          /* m/s, rad/s | accept, topology, start */              \
    X(struct six, a, p->n)          /* m/s2, rad/s2 | accept, topology, start */            \
    X(struct six, ab, p->n)         /* m/s2, rad/s2, auxiliary of the rule (AB) | accept,   \
                                       topology, start */                                   \
    X(struct six, lead, p->n)       /* m, rad, what the last step went beyond h v + h²/2 a   \
                                       | accept; topology, start: 0 */                      \
    X(double, lambda, p->n_rows)    /* N or N m, multipliers of cut rows and sums (MFC 16)  \
                                       | accept, topology, start */                         \
    X(double, kappa, p->n_rows)     /* N or N m, of the acceleration projection (MFC 20)    \
                                       | accept, topology, start */                         \
    X(double, angle, m->coordinates.n) /* rad or m, unwrapped coordinates | accept, start */ \
    X(double, rate, m->coordinates.n) /* rad/s or m/s | accept, start */                    \
    X(double, z, m->n_states + 1)   /* states of force elements, each in its unit | accept, start */ \
    X(double, zd, m->n_states + 1)  /* 1/s of them; 0 for discrete ones | accept, start */  \
    X(struct load, load, p->n_loads + 1) /* N, of joints with friction by load | load.c, start */ \
    X(int, closed, p->n_forces + 1) /* 1: contact that pushes | accept, start */            \
    X(double, depth, p->n_forces + 1) /* m or rad, its penetration | accept, start */       \
    X(double, on, p->n_switches + 1) /* switchable cuts: 1 held, 0 released | topology, start */ \
    X(struct plan_joint, switched, p->n_switches + 1) /* switchable joints as they were     \
                                       locked last | topology, start */                     \
    X(int, sum_off, p->n_sums + 1)  /* 1: a joint of this gear is released | topology, start */ \
    X(double, sum_shift, p->n_sums + 1) /* rad or m, what it had gone on by when it meshed   \
                                       again | topology */                                  \
    X(struct six, wrench, p->n)     /* N, N m, of the tree joint on its child, about the    \
                                       child's mass centre | accelerate_wrenches */         \
    X(struct six, reaction, p->n_reactions + 1) /* N, N m, of joints whose reaction is not  \
                                       unique: first on second body, at P_B | reactions.c */   \
    X(int, side, m->switches.n + 1) /* of its level a switch's channel was last clear on:   \
                                       -1, 1; 0: not armed | switching.c */                 \
    X(double, pool, m->pool.n)      /* numbers of elements, live ones follow | start,       \
                                       multibody.c */                                       \
    X(double, param, m->parameters.n) /* live parameters | start, multibody.c */            \
    X(double, command, m->actuators.n + 1) /* SI | the caller of the step */                \
    X(double, command_n, m->actuators.n + 1) /* SI, that the accepted a belongs to | accept */

/* X(type, name, count): scratch of a step, in the order of the stages. */
#define WORKSPACE_SCRATCH(X)                                                                \
    X(vec3, o, p->n_segments + 1)   /* m, reference points, fixed while a factor is used    \
                                       | the method's predictor, evaluate_points */         \
    X(struct kin, kin, p->n_kin)    /* m, rad, s: iterate of every body, fixed ones too     \
                                       | evaluate_bodies, _motion, _at; apply_solution */   \
    X(quat, qk, p->n)               /* 1, attitudes of the iterate | as kin */              \
    X(struct mat3, Jw, p->n)        /* kg m2, inertia tensors, world axes | evaluate_bodies, \
                                       evaluate_inertia */                                  \
    X(struct mat6, K, p->n)         /* kg, kg m, kg m2, diagonal blocks of M~ + G' alpha' G \
                                       | evaluate_inertia, _assemble; eliminate_factor */   \
    X(struct mat6, block, p->n_blocks + 1) /* the same off the diagonal, rows later, columns \
                                       earlier slot | evaluate_assemble, eliminate_factor */ \
    X(struct six, S, p->n_columns + 1) /* m or 1, free directions, of the factor            \
                                       | links_position, links_free */                      \
    X(vec3, P, p->n)                /* m, point of the tree joint, from o | links.c */      \
    X(struct six, dp, p->n)         /* m, rad (1/s, 1/s2), sum of c towards the root        \
                                       | links_position, _velocity, _acceleration */        \
    X(struct six, f, p->n)          /* loads | links.c, evaluate_loads; eliminate_solve */  \
    X(struct six, e, p->n)          /* solution on top of dp | eliminate_solve */           \
    X(struct six, d, p->n)          /* solution, d = dp + e | eliminate_solve */            \
    X(struct six, r_o, p->n)        /* N, N m, unbalanced wrench without constraints        \
                                       | evaluate_inertia, evaluate_forces */               \
    X(struct six, F, p->n_F + 1)    /* factor rows, over D where one freedom goes | factor */ \
    X(double, Dinv, p->n_columns + 1) /* 1/kg or 1/(kg m2), inverse pivots | factor */      \
    X(double, L, 15 * (p->n + 1))   /* 1, unit lower factors of the pivots, 15 per slot     \
                                       | factor */                                          \
    X(double, y, p->n_columns + 1)  /* D^-1 S'f on the way up | eliminate_solve */          \
    X(struct six, w, p->n_rows + 1) /* 1, m, wrench of a cut's row on its second body       \
                                       | evaluate_rows */                                   \
    X(struct six, sum_w, PLAN_MAX_SUM * (p->n_sums + 1)) /* rows of sums by slot            \
                                       | evaluate_rows */                                   \
    X(double, phi, p->n_rows + 1)   /* row values at the level in work: m or rad, 1/s, 1/s2 \
                                       | evaluate_rows, evaluate_row_values */              \
    X(double, weight, p->n_rows + 1) /* kg or kg m2, alpha' | evaluate_weights */           \
    X(double, lambda_k, p->n_rows + 1) /* N or N m, multipliers of the iterate | newton.c,  \
                                       project.c, accelerate.c */                           \
    X(double, kappa_k, p->n_rows + 1) /* N or N m | project.c, accelerate.c */              \
    X(struct jointkin, cut_kin, p->n_cuts + 1) /* cuts, placed | evaluate_rows, _cut_places */ \
    X(struct jet, jet, m->functions.n + 1) /* functions of time | evaluate_functions */     \
    X(struct coord, coord, p->n_watched + 1) /* coordinates | evaluate_coordinates */       \
    X(struct force_out, out, p->n_forces + 1) /* answers of force elements | evaluate_forces */ \
    X(double, z_k, m->n_states + 1) /* element states of the iterate | evaluate_forces */   \
    X(double, zd_k, m->n_states + 1) /* and their rates | evaluate_forces */                \
    X(struct six, null, p->n_null_fields + 1) /* N, N m, self-stress fields | reactions.c */   \
    X(double, gram, p->n_null_gram + 1) /* their products | reactions.c */                     \
    X(double, row_keep, p->n_nulls ? 2 * p->n_rows + 1 : 1) /* lambda_k, kappa_k | reactions.c */ \
    X(struct six, wrench_keep, p->n_nulls ? p->n : 1) /* wrench | reactions.c */               \
    X(struct six, e_keep, p->n_nulls ? p->n : 1) /* d | reactions.c */                         \
    X(struct watch, watch_n, m->switches.n + 1) /* what switches see where a part of the    \
                                       step begins | switching.c */                         \
    X(struct watch, watch, m->switches.n + 1) /* and where it ends | switching.c */         \
    X(struct model_change, change, m->changes.n + 1) /* that are made together | switching.c */ \
    X(char, kept, m->switches.n ? state_size(m, p) : 1) /* to go back to | workspace_keep */ \
    X(char, undo, p->n_switches ? state_size(m, p) : 1) /* before a change of joints | topology */
/* clang-format on */

/* What a joint carries across its free directions, N. */
struct load {
    double now;    /* at the accepted state */
    double change; /* since the step before */
    double trend;  /* change to go on with: 0 where it turned */
};

/* What a switch sees, SI. */
struct watch {
    double value;  /* its channel less its level */
    double rate;   /* 1/s of it; NaN: not known */
    double guard;  /* channel that must lie in its range */
    double part;   /* of the step at which it crosses; > 1: it does not */
};

/* Numbers beside the accepted state that belong to it. */
struct workspace_mark {
    double t, h_last, d_last, contraction;
    int alarm_row;
    struct timeline line;
    double drift;
};

struct workspace {
    double t;               /* s, time of the accepted state */
    struct timeline line;   /* and how it came about: a whole number of steps */
    double h_last;          /* s, step that led to it; 0: none yet */
    double d_last;          /* m, |d| at the end of the last Newton */
    double contraction;     /* of |d| from one of its iterations to the next, as last seen;
                               0: not seen yet */
    int still;              /* 1: functions of time keep their value of t, without rates */
    double drift;           /* m, what the unconverged steps until here left undone, sum */
    int alarm_row;          /* redundant row that opened, or -1 */
    int opposed;            /* joint whose lock was refused last, or -1 */
    size_t size;            /* bytes of the block in use */
    size_t state_size;      /* bytes of the accepted state, from `state` on */
    void *state;
    char *own;              /* scratch of the method alone, 64-byte aligned */
    struct workspace_mark mark; /* of what is kept */
#define X(type, name, count) type *name;
    WORKSPACE_STATE(X)
    WORKSPACE_SCRATCH(X)
#undef X
};

enum { WORKSPACE_ALIGN = 64 };

/* Bytes that n bytes take in a block whose fields are all aligned. */
static inline size_t workspace_room(size_t n)
{
    return (n + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
}

/* Bytes a workspace needs, `own` of them for the method. Context: setup; called by method.c. */
size_t workspace_memsize(const struct model *m, const struct plan *p, size_t own);

/* Place a workspace in `memory` (64-byte aligned, at least memsize bytes), all
 * zero. Returns STATUS_TOO_SMALL if it does not fit. Context: setup; called by method.c. */
MUST_CHECK enum status workspace_init(struct workspace *ws, const struct model *m,
                                      const struct plan *p, size_t own, void *memory, size_t size);

/* The numbers beside the accepted state, and putting them back. */
static inline struct workspace_mark workspace_marked(const struct workspace *ws)
{
    return (struct workspace_mark){.t = ws->t,
                                   .h_last = ws->h_last,
                                   .d_last = ws->d_last,
                                   .contraction = ws->contraction,
                                   .alarm_row = ws->alarm_row,
                                   .line = ws->line,
                                   .drift = ws->drift};
}

static inline void workspace_set_mark(struct workspace *ws, const struct workspace_mark *mark)
{
    ws->t = mark->t;
    ws->h_last = mark->h_last;
    ws->d_last = mark->d_last;
    ws->contraction = mark->contraction;
    ws->alarm_row = mark->alarm_row;
    ws->line = mark->line;
    ws->drift = mark->drift;
}

/* Keep the accepted state; go back to it. RT context. Needs: a model with switches. */
void workspace_keep(struct workspace *ws);
void workspace_back(struct workspace *ws);

/* Copy the accepted state, time included, between two workspaces of one plan. */
void workspace_copy(struct workspace *to, const struct workspace *from);

#endif
