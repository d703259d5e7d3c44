/* opening.h: contacts that open within a step.
 *
 * A contact that opens must not push to the step's end: an impact shorter than two steps
 * would gain energy. The step is done again from accelerations that know when it ends.
 * RT context, wait-free. */
#ifndef OPENING_H
#define OPENING_H

#include "rt/solve/evaluate.h"

/* Note contacts closed at n and open after the step; 1 if there are any. *tau is the part of
 * the step after which the first of them opens. */
int opening_find(const struct evaluation *ev, double *tau);

/* a_n = tau a_n + (1 - tau) a_off, a_off with the noted contacts left out (metric M). */
void opening_soften(const struct evaluation *ev, double tau);

#endif
