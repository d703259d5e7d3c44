/* admit.h: the admission test: what a step of this plant costs on this core.
 *
 * Runs in the step thread before the first tick, with all rights, locks and filters
 * in place: one cold step, warm steps on the grid as the model runs, then warm steps
 * with all Newton iterations. The plant is reset afterwards. RT context; Blocks: on
 * the timebase, for at most limit_ns. */
#ifndef ADMIT_H
#define ADMIT_H

#include "rt/link/account.h"
#include "rt/tick/plant.h"
#include "rt/tick/timebase.h"

enum { ADMIT_SAMPLES = 4096 };

/* What to measure; `sample` is scratch. */
struct admit {
    struct plant plant;
    struct timebase time;
    int64_t period_ns;
    int64_t limit_ns;
    const double *command;   /* SI, start values */
    int contacts;            /* the model has contacts */
    int64_t sample[ADMIT_SAMPLES];
};

/* Measure. Writes *out, `done` last. */
void admit_measure(struct admit *a, struct admission *out);

#endif
