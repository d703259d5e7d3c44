/* verdict.h: can the run go on from this step?
 *
 * A step that is solved badly leaves a motion that looks like one. Two signs end a run, on the
 * last good state: a joint that stands open by far more than closure though Newton is done
 * (what it asks for contradicts a motion, a lock or other joints), and corrections that Newton
 * leaves undone step after step until they add up to a visible part of the mechanism.
 * Measured on all models and tests: the sound runs stay below a thousandth of both bounds.
 * RT context, wait-free. Cost: one pass over the rows. */
#ifndef VERDICT_H
#define VERDICT_H

#include "rt/solve/evaluate.h"
#include "rt/solve/step.h"

/* After Newton, before the step is accepted: report->status as it was, or STATUS_OPEN or
 * STATUS_DIVERGED with the element it is blamed on. Writes report->drift. Needs: kappa_k, the
 * multipliers' change of the last iteration, and phi of the redundant rows at the end. */
enum status verdict_judge(const struct evaluation *ev, struct step_report *report);

/* Largest |Phi| (times the row's scale, m) that the last iteration leaves in independent rows:
 * mu/alpha'. Writes report->gap and its joint; once after Newton. */
void verdict_measure(const struct evaluation *ev, struct step_report *report);

#endif
