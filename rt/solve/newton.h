/* newton.h: positions at n + 1 by Newton's iteration, the rule embedded (MFC 12, 17, 18).
 * RT context, wait-free, at most limits->iterations rounds. */
#ifndef NEWTON_H
#define NEWTON_H

#include "rt/solve/evaluate.h"
#include "rt/solve/step.h"

/* From the predictor to the solution: D, lambda_k, kin of the last iterate, and its factor.
 * Fills iterations, d, residual and status of the report, which it returns: STATUS_OK,
 * STATUS_NOT_CONVERGED, STATUS_BUDGET, STATUS_SINGULAR, STATUS_NOT_FINITE. */
enum status newton_solve(const struct evaluation *ev, const struct step_limits *limits,
                         struct step_report *report);

#endif
