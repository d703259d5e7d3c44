/* trial.h: a model run offline, step by step, and what was seen of the run.
 *
 * A trial owns a model, its mechanism and the figures of the run: iterations, constraint
 * errors, energy balance, step times. `trapeze sim` and the tests of the mechanics drive
 * it. Place on the arrow: file -> ... -> step -> [trial]. SERVICE context. */
#ifndef TRIAL_H
#define TRIAL_H

#include <signal.h>

#include "rt/solve/dense.h"
#include "rt/solve/observe.h"
#include "rt/solve/step.h"
#include "services/base/diag.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"
#include "services/sim/quality.h"
#include "services/sim/spread.h"
#include "services/sim/strain.h"

enum trial_solver { TRIAL_FAST, TRIAL_DENSE };

struct trial_options {
    struct load_options load;
    double h;                   /* s */
    double rho;                 /* NAN: as the model says, < 0: auto */
    double tolerance;           /* m; NAN: as the model says */
    int iterations;             /* 0: as the model says */
    const struct method *method; /* formulation; NULL: the default */
    int norm2;                  /* 1: |d| is the 2-norm over all bodies */
    int strict;                 /* 1: a step that does not converge is STATUS_STRICT */
    int wrenches;               /* 1: joint reactions whether or not a sensor asks */
    enum trial_solver solver;
    unsigned long (*allocations)(void); /* count of the process so far; NULL: unknown */
    const volatile sig_atomic_t *stop;  /* 1: planning ends with STATUS_STOPPED; or NULL */
};

enum { TRIAL_SWITCHED = 1000 };

/* The figures of a run, from its start to its present state. */
struct trial_figures {
    long steps;
    long iterations;            /* of Newton, sum */
    int iterations_max;
    long not_converged;         /* steps that ended above the tolerance */
    long redundant_open;        /* steps after which a redundant row had opened */
    long redone;                /* steps repeated because a contact opened */
    double error_max[3];        /* position, velocity, acceleration level; m, rad */
    double energy_start;        /* J */
    double energy;              /* J, present */
    double work;                /* J, put in less taken out: sum of h/2 (P_n + P_n+1) */
    double lost;                /* J, of kinetic energy where switches acted */
    double balance_max;         /* J, largest |energy + lost - energy_start - work| */
    long switched;              /* switches that acted or could not */
    long opposed;               /* of these, could not */
    long allocations;           /* inside steps; -1: unknown */
    struct strain strain;       /* bushings turned far */
    struct spread step_ns;      /* the step alone, without what is seen of it */
};

struct trial {
    struct model *model;
    struct mechanism mechanism;
    struct step_limits limits;
    struct trial_options options;
    struct trial_figures figures;
    struct step_report report;  /* of the last step */
    struct quality quality;
    struct step_switched *switched; /* the first TRIAL_SWITCHED of the run; owned */
    struct observation seen;    /* of the present state */
    struct dense dense;         /* where it is the solver */
    void *dense_memory;         /* owned */
};

/* The defaults: 1 ms, everything else as the model says. */
struct trial_options trial_options(void);

/* Load, plan and place a model at its start. Memory: given back with trial_close, also
 * after a failure. Returns what load_model and mechanism_create return. */
MUST_CHECK enum status trial_open(struct trial *t, const char *path, const struct trial_options *o,
                                  struct diag_list *diags);

/* The same from text. */
MUST_CHECK enum status trial_open_text(struct trial *t, const char *text,
                                       const struct trial_options *o, struct diag_list *diags);

/* One step, seen and counted. On a bad status the state is the one before. */
MUST_CHECK enum status trial_step(struct trial *t);

/* Time of the present state: steps x h. */
double trial_time(const struct trial *t);

/* Which element a bad status of the last step came from: "force spring (file:line)". */
void trial_blame(const struct trial *t, char *text, size_t size);

void trial_close(struct trial *t);

#endif
