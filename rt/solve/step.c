/* The step of the index-3 formulation, as a list: predict, Newton on positions, then
 * velocities and accelerations projected with the tangent at the final configuration, accept
 * (MFC section 2.2). The work is in newton.c, project.c and opening.c. */
#include "rt/solve/step.h"

#include <math.h>
#include <string.h>

#include "rt/solve/accelerate.h"
#include "rt/solve/advance.h"
#include "rt/solve/blame.h"
#include "rt/solve/index3.h"
#include "rt/solve/load.h"
#include "rt/solve/newton.h"
#include "rt/solve/opening.h"
#include "rt/solve/project.h"
#include "rt/solve/reactions.h"
#include "rt/solve/verdict.h"
#include "rt/solve/verdict.h"

#include "rt/rtsafe.h"

static const double DEFAULT_TOLERANCE = 1e-9; /* m, of a model that gives none */

struct step_limits step_limits(const struct model *m)
{
    double left = m->tolerance == DEFAULT_TOLERANCE ? 1e-3 : 0;
    return (struct step_limits){
        .iterations = m->iterations, .tolerance = m->tolerance, .left = left};
}

static int is_bad(enum status s) { return status_severity(s) == SEVERITY_BAD; }

/* Kept from the last step, but for redundant rows, which have none, and for joints that can be
 * switched: they may hold what other joints hold too, and in what those share a kept multiplier
 * would grow by rounding. They are locked where they are, without misfit, so one step's
 * share of it stays at rounding level. */
static void start_multipliers(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int r = 0; r < p->n_rows; r++) {
        int anew = p->row[r].redundant ||
                   (p->n_switches && p->joint_switch[p->row[r].joint] != PLAN_NONE);
        ws->lambda_k[r] = anew ? 0 : ws->lambda[r];
    }
}

/* Positions at n + 1 and a factor there; *S: free directions to project along. */
static enum status attempt(const struct evaluation *ev, const struct step_limits *limits,
                           struct step_report *report, const struct six **S)
{
    start_multipliers(ev);
    advance_states(ev);
    evaluate_functions(ev);
    evaluate_weights(ev);
    index3_predict(ev);
    enum status s = newton_solve(ev, limits, report);
    if (is_bad(s)) return s;
    *S = project_prepare(ev, limits, report);
    return *S ? s : (report->status = STATUS_SINGULAR);
}

static int all_finite(const struct evaluation *ev)
{
    double sum = 0;
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        vec3 all = b->x + b->v + b->w + b->dv + b->dw;
        sum += all[0] + all[1] + all[2];
    }
    return isfinite(sum);
}

static enum status project(const struct evaluation *ev, const struct step_limits *limits,
                           const struct six *S, enum status s, struct step_report *report)
{
    project_velocities(ev, S);
    step_stamp(limits);
    project_accelerations(ev, S);
    step_stamp(limits);
    return all_finite(ev) ? s : (report->status = STATUS_NOT_FINITE);
}

static void accept(const struct evaluation *ev, const struct step_report *report)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int k = 0; k < p->n; k++) {
        vec3 c = ws->kin[k].x - ws->o[p->body[k].segment];
        index3_accept_body(ev, k, (struct six){six_point(ws->d[k], c), ws->d[k].a});
    }
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memcpy(ws->kappa, ws->kappa_k, sizeof(double) * (size_t)p->n_rows);
    advance_end(ev);
    ws->d_last = report->d;
    ws->drift = report->drift;
    ws->contraction = report->contraction;
}

enum status step_advance(const struct model *m, const struct plan *plan, struct workspace *ws,
                         double h, const struct step_limits *limits, struct step_report *report)
{
    struct evaluation ev = evaluation_for_step(m, plan, ws, h);
    const struct six *S = NULL;
    double tau;
    memset(report, 0, sizeof *report);
    index3_begin(&ev);
    enum status s = attempt(&ev, limits, report, &S);
    if (plan->can_open && !is_bad(s) && (opening_find(&ev, &tau) || limits->longest)) {
        report->redone = 1;
        opening_soften(&ev, tau);
        s = attempt(&ev, limits, report, &S);
    }
    if (!is_bad(s) && !limits->lenient && is_bad(s = verdict_judge(&ev, report))) return s;
    if (!is_bad(s)) s = project(&ev, limits, S, s, report);
    if (is_bad(s)) {
        blame_find(&ev, report);
        return s;
    }
    if (plan->wrenches) accelerate_wrenches(&ev);
    if (plan->n_nulls) reactions_find(&ev);
    if (plan->n_loads) load_note(&ev, ws->lambda_k, ws->kappa_k);
    accept(&ev, report);
    if (s == STATUS_OK && ws->alarm_row >= 0) s = report->status = STATUS_REDUNDANT_OPEN;
    return s;
}
