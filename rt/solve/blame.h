/* blame.h: name the element a non-finite or singular step came from. RT context. */
#ifndef BLAME_H
#define BLAME_H

#include "rt/solve/evaluate.h"
#include "rt/solve/step.h"

/* Fill report->element_kind and element: a command, a force element, a pivot's joint,
 * or a body whose motion is not finite, looked for in this order. */
void blame_find(const struct evaluation *ev, struct step_report *report);

#endif
