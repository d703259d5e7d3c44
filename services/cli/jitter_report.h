/* jitter_report.h: what `trapeze jitter` found, as a table, JSON, histograms and a picture
 * that say on which machine, with what and when they were made. SERVICE context. */
#ifndef JITTER_REPORT_H
#define JITTER_REPORT_H

#include "rt/status.h"
#include "services/run/latency.h"

enum { JITTER_CONTENDERS = 3, JITTER_ROWS = 4 };

struct jitter_report {
    const struct latency_set *set;
    const struct latency *row[JITTER_ROWS]; /* bare, rig, cyclictest: wake-up; release to
                                               result of the rig; NULL: not measured */
    const char *load, *rig;                 /* rig: its file, NULL: none */
    double seconds;                         /* of each */
    int64_t deadline_us;                    /* of the rig */
};

void jitter_report_table(const struct jitter_report *j);
void jitter_report_json(const struct jitter_report *j);

/* PREFIX.txt (a line per us, a column per row, as cyclictest's), PREFIX-NAME.hgrm (as
 * HdrHistogram prints percentiles), PREFIX.png and .svg. Returns STATUS_IO after a message. */
MUST_CHECK enum status jitter_report_files(const struct jitter_report *j, const char *prefix);

#endif
