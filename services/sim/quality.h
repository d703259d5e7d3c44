/* quality.h: how far a run can be believed: what Newton left undone and what would mend it, how
 * far fast bodies turn in a step, whether the energy adds up. SERVICE context. */
#ifndef QUALITY_H
#define QUALITY_H

#include <stdio.h>

#include "rt/mech/workspace.h"
#include "rt/status.h"

struct trial;

/* A state of the run to go back to. */
struct quality_state {
    struct workspace_mark *mark;
    void *state;
};

struct quality {
    double d;          /* m, largest last correction of a step that did not converge; 0: none */
    long d_step;       /* 1: the first */
    int d_slot;        /* body that moved by it */
    double turn;       /* rad, most that a body whose rotation matters turned in one step */
    long turn_step;
    int turn_slot;
    long n_coarse;     /* steps in which one turned by more than 0.2 rad */
    double scale;      /* J, largest kinetic energy, change of energy or work */
    void *memory;      /* owned: three states */
    struct quality_state now, worst, streak; /* before this step, before the worst one, before
                          the first of the unconverged ones in a row */
};

/* Memory for a trial that is placed at its start. */
MUST_CHECK enum status quality_begin(struct trial *t);
void quality_end(struct trial *t);

/* Before and after each step; after it the trial has seen the new state. Returns STATUS_OK,
 * STATUS_COARSE or STATUS_ASTRAY, blamed in the trial's report. */
void quality_before(struct trial *t);
enum status quality_after(struct trial *t);

/* What would have mended the worst step, or the one that failed, found by trying: "iterations: 5
 * would do". The state of the trial stays. */
void quality_remedy(struct trial *t, int failed, char *text, size_t size);

/* Lines of the summary: what to doubt, and why. Nothing where there is no doubt. */
void quality_say(struct trial *t, FILE *to);

#endif
