/* report.h: the figures of a run as JSON, for machines. SERVICE context. */
#ifndef REPORT_H
#define REPORT_H

#include "services/sim/trial.h"

/* Write the report to `path` ("-": standard output). `last` is the status of the last
 * step, `wall_s` the time the run took with all it wrote. Returns STATUS_IO or
 * STATUS_NO_MEMORY if that failed. */
MUST_CHECK enum status report_write(const struct trial *t, const char *path, enum status last,
                                    double wall_s, struct diag_list *diags);

/* Simulated time over time spent in steps; 0 before the first step. */
double report_real_time_factor(const struct trial *t);

#endif
