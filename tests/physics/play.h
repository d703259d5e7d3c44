/* play.h: a model on stage, for the tests of the mechanics: opened from a file or from
 * text, stepped to a time, its sensors read by the names the CSV gives them. Whatever goes
 * wrong on the way fails the test that called it. */
#ifndef PLAY_H
#define PLAY_H

#include "services/sim/trial.h"

enum { PLAY_SETS = 8 };

struct play {
    struct trial trial;
    double *channel;
};

/* trial_options() with a step; sets are added with .load as usual. */
struct trial_options play_options(double h);

/* Newton far below the truncation error, for tests of the order. */
struct trial_options play_exactly(double h);

/* `path` from the root of the tree. */
void play_open(struct play *p, const char *path, const struct trial_options *o);
void play_open_text(struct play *p, const char *text, const struct trial_options *o);

/* Step until the time is t (nearest step). */
void play_until(struct play *p, double t);

/* A sensor's channel by name, "angle" or "tip.x", at the present state. */
double play_see(struct play *p, const char *name);

void play_close(struct play *p);

/* log2(coarse/fine): the order seen when the step is halved. */
double play_order(double coarse, double fine);

/* Fail unless lower <= value <= upper, saying what it was. */
void play_within(const char *what, double value, double lower, double upper);

#endif
