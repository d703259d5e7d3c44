/* load.h: what joints carry across their free directions, for friction by load.
 *
 * The load of a joint is the size of its reaction force without the part along the directions
 * it leaves free: what a motion or a lock pushes along a slide is not pressed against it. It is
 * known at the end of a step, of tree and cut joints alike; during a step it is expected from
 * there, load + change h/h_last, which keeps the order of the rule. Where the change has just
 * turned its sign nothing is added: friction that changes its own load by more than a third of
 * itself would else swing ever wider.
 * RT context, wait-free. */
#ifndef LOAD_H
#define LOAD_H

#include "rt/solve/evaluate.h"

/* N, load `at` for the iterate in work. Never negative, at most twice the last one. */
double load_expected(const struct evaluation *ev, int at);

/* Take the loads of the step's end into ws->load. Needs: wrenches of tree joints, rows at the
 * final configuration, forces lambda and kappa of the rows. */
void load_note(const struct evaluation *ev, const double *lambda, const double *kappa);

/* The same where there is no step before: nothing is expected to change. */
void load_begin(const struct evaluation *ev, const double *lambda, const double *kappa);

#endif
