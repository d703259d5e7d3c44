/* step.h: one time step of the mechanism: what a caller grants it, how it went, and the step
 * of the index-3 formulation. Callers go through method.h.
 *
 * Newton on positions with the integration rule embedded, then the projections of
 * velocities and accelerations (MFC section 2.2; the flow is step.c). The state
 * at n is untouched until the step is accepted; a step that fails leaves it so.
 * RT context, wait-free, no allocation, bounded: at most limits->iterations. */
#ifndef STEP_H
#define STEP_H

#include "rt/mech/model.h"
#include "rt/status.h"

struct plan;
struct workspace;

/* What a caller grants a step. Zero is not a default: use step_limits(). */
struct step_limits {
    int iterations;      /* Newton bound */
    int fixed;           /* 1: always do exactly `iterations` */
    int longest;         /* 1: take the longest way a step of this model may take, as if a
                            contact opened or a switch acted: for the admission test. Motion stays the same */
    double tolerance;    /* m, on |d|: above it the step counts as not converged. With `left`
                            it shrinks with mechanisms smaller than a metre for Newton's stop */
    double left;         /* part of the step's truncation error that Newton may leave undone
                            (newton.c). 0: the tolerance alone */
    int lenient;         /* 1: go on from whatever came out (start values) */
    int norm2;           /* 1: |d| is the 2-norm over all bodies (MFC), else max */
    int (*may_iterate)(void *context, int done); /* NULL: always. Asked before
                            iteration `done` (from 1 on); 0 stops Newton early */
    void (*stamp)(void *context);                /* NULL: none. Called between
                            blocks of the step, for the deadline monitor */
    void *context;
};

enum { STEP_SWITCHED = 4 };

/* A switch of the model that acted, or could not. */
struct step_switched {
    int index;           /* in the model */
    int late;            /* 1: at the step's end, not where it crossed */
    int opposed;         /* joint that could not be locked: nothing was changed; -1: all were */
    double t;            /* s */
    double loss;         /* J of kinetic energy, of all that acted at this time */
};

/* How it went. */
struct step_report {
    enum status status;
    int iterations;
    int redone;          /* 1: a contact opened and the step was repeated */
    double d;            /* m, |d| of the last iteration */
    int slot;            /* of the body that moved by it */
    double drift;        /* m, sum of d over the steps in a row that did not converge */
    double gap;          /* largest opening of a row as a share of what ends the run */
    int gap_joint;       /* its joint, where gap > 0 */
    double contraction;  /* of |d|, as the last two iterations show it, or as assumed */
    double residual;     /* N, largest unbalanced force seen by the last iteration */
    int element_kind;    /* of a bad status: enum model_element it came from */
    int element;         /* and its index in the model */
    double loss;         /* J of kinetic energy lost where switches acted */
    int n_switched;      /* switches that acted; the first STEP_SWITCHED are shown */
    struct step_switched switched[STEP_SWITCHED];
};

/* The limits the model asks for. Where it leaves the tolerance at its default, Newton goes
 * on, while its bound allows, until what it leaves undone is a thousandth of the step's
 * truncation error: it ends up in the velocity as 2 d/h, every step with the same sign. */
struct step_limits step_limits(const struct model *m);

static inline void step_stamp(const struct step_limits *l)
{
    if (l->stamp) l->stamp(l->context);
}

/* method_advance (method.h) by the index-3 formulation. After a change of h the state is
 * rescaled as the rule needs. */
MUST_CHECK enum status step_advance(const struct model *m, const struct plan *plan,
                                    struct workspace *ws, double h,
                                    const struct step_limits *limits, struct step_report *report);

#endif
