#include "rt/solve/verdict.h"

#include <math.h>

#include "rt/rtsafe.h"

/* Share of a body's reach to which corrections left undone in a row may add up. */
static const double LOST = 1e-2;

static void open_row(const struct evaluation *ev, struct step_report *report, int r, double phi)
{
    const struct plan_row *row = &ev->p->row[r];
    double part = fabs(phi) / row->limit;
    if (!(part > report->gap)) return;
    report->gap = part;
    report->gap_joint = row->joint;
}

void verdict_measure(const struct evaluation *ev, struct step_report *report)
{
    const struct workspace *ws = ev->ws;
    report->gap = 0;
    for (int r = 0; r < ev->p->n_rows; r++)
        if (!ev->p->row[r].redundant && ws->weight[r] > 0)
            open_row(ev, report, r, ws->kappa_k[r] / ws->weight[r]);
}

static enum status blame(struct step_report *report, enum status s, int kind, int element)
{
    report->element_kind = kind;
    report->element = element;
    return report->status = s;
}

enum status verdict_judge(const struct evaluation *ev, struct step_report *report)
{
    const struct workspace *ws = ev->ws;
    int unconverged = report->status == STATUS_NOT_CONVERGED;
    report->drift = unconverged                       ? ws->drift + report->d
                    : report->status == STATUS_BUDGET ? ws->drift
                                                      : 0;
    for (int r = 0; r < ev->p->n_rows; r++)
        if (ev->p->row[r].redundant && ws->weight[r] > 0) open_row(ev, report, r, ws->phi[r]);
    if (report->gap > 1) return blame(report, STATUS_OPEN, STEP_JOINT, report->gap_joint);
    if (unconverged && report->drift > LOST * ev->p->body[report->slot].reach)
        return blame(report, STATUS_DIVERGED, STEP_BODY, ev->p->body[report->slot].body);
    return report->status;
}
