/* admit.h: the admission test: what a step of this plant costs on this core.
 *
 * Runs in the step thread before the first tick, with all rights, locks and filters
 * in place, each time a step and its sensors: one cold; warm on the grid as the model
 * runs; with all Newton iterations; and, where contacts may open, with those on the way
 * of a step that is redone. The plant is reset afterwards. RT context; Blocks: on the
 * timebase, for at most limit_ns. */
#ifndef ADMIT_H
#define ADMIT_H

#include "rt/link/account.h"
#include "rt/tick/plant.h"
#include "rt/time/timebase.h"

enum { ADMIT_SAMPLES = 4096 };

/* What to measure; `sample` is scratch. */
struct admit {
    struct plant plant;
    struct timebase time;
    int64_t period_ns;
    int64_t limit_ns;
    const double *command;   /* SI, start values */
    double *channel;         /* scratch for the sensors */
    int contacts;            /* the model has contacts */
    int64_t sample[ADMIT_SAMPLES];
};

/* Measure. Writes *out, `done` last. */
void admit_measure(struct admit *a, struct admission *out);

#endif
