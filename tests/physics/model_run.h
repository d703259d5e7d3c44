/* model_run.h: a model on stage, for the tests of the mechanics: opened from a file or from
 * text, stepped to a time, its sensors read by the names the CSV gives them. Whatever goes
 * wrong on the way fails the test that called it. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "services/sim/trial.h"

enum { MODEL_RUN_SETS = 8 };

struct model_run {
    struct trial trial;
    double *channel;
};

/* trial_options() with a step; sets are added with .load as usual. */
struct trial_options model_run_options(double h);

/* Newton far below the truncation error, for tests of the order. */
struct trial_options model_run_exactly(double h);

/* `path` from the root of the tree. */
void model_run_open(struct model_run *p, const char *path, const struct trial_options *o);
void model_run_open_text(struct model_run *p, const char *text, const struct trial_options *o);

/* Step until the time is t (nearest step). */
void model_run_until(struct model_run *p, double t);

/* A sensor's channel by name, "angle" or "tip.x", at the present state. */
double model_run_see(struct model_run *p, const char *name);

void model_run_close(struct model_run *p);

/* log2(coarse/fine): the order seen when the step is halved. */
double model_run_order(double coarse, double fine);

/* Fail unless lower <= value <= upper, saying what it was. */
void model_run_within(const char *what, double value, double lower, double upper);

#endif
