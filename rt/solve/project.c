/* Theory. [ M~ G'; G -1/alpha' ] [ dv; sigma ] = -[ 0; G v* + Phi_t ], the same with
 * [ da; kappa ] and G a* + gamma (MFC 21, 22). The tangent of the last iterate serves where
 * Newton has converged, with violations and downward directions of the final configuration:
 * constraints then hold to |d| x |correction|, rounding in effect. Where a joint wrench, a
 * contact or an element whose states are bound to it must be known at the end, or Newton stopped early, the
 * tangent is made and factored anew there. */
#include "rt/solve/project.h"

#include <math.h>

#include "rt/solve/eliminate.h"
#include "rt/solve/index3.h"
#include "rt/solve/links.h"

#include "rt/rtsafe.h"

static const double KEEP_FACTOR = 1e-7; /* m, |d| below which the last tangent is kept */

/* Springs of redundant rows: their force, and the alarm when one has opened. */
static void note_soft_rows(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    ws->alarm_row = -1;
    for (int r = 0; r < ev->p->n_rows; r++) {
        const struct plan_row *row = &ev->p->row[r];
        if (!row->redundant) continue;
        ws->lambda_k[r] = ws->weight[r] * ws->phi[r] / ev->s;
        if (fabs(ws->phi[r]) > row->alarm) ws->alarm_row = r;
    }
}

/* The tangent of the last iterate serves the projections too. */
static int may_keep_factor(const struct evaluation *ev, const struct step_report *report)
{
    return report->d <= KEEP_FACTOR && !ev->p->wrenches && !ev->p->n_nulls && !ev->p->can_open &&
           !ev->p->bound_states;
}

static void refresh(const struct evaluation *ev, struct six *S)
{
    struct increments step = index3_increments(ev->ws);
    evaluate_motion(ev, &step);
    links_free(ev, S);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_cut_places(ev);
    if (ev->p->follow_states) evaluate_states(ev);
    note_soft_rows(ev);
}

/* Tangent of the projections at the final configuration. */
static double factor_anew(const struct evaluation *ev, const struct step_limits *limits)
{
    struct increments step = index3_increments(ev->ws);
    evaluate_bodies(ev, &step);
    step_stamp(limits);
    links_free(ev, ev->ws->S);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_rows(ev);
    note_soft_rows(ev);
    step_stamp(limits);
    evaluate_assemble(ev);
    return eliminate_factor(ev->p, ev->ws);
}

const struct six *project_prepare(const struct evaluation *ev, const struct step_limits *limits,
                                  const struct step_report *report)
{
    struct six *S = ev->ws->S;
    if (may_keep_factor(ev, report))
        refresh(ev, S = index3_own(ev->ws)->S_end);
    else if (!(factor_anew(ev, limits) > 0))
        return NULL;
    step_stamp(limits);
    return S;
}

void project_velocities(const struct evaluation *ev, const struct six *S)
{
    evaluate_row_values(ev, LEVEL_VELOCITY); /* G v* + Phi_t of MFC 19 */
    links_velocity(ev, S, 0);
    evaluate_loads(ev, 0);
    eliminate_solve(ev->p, ev->ws, S); /* MFC 21 */
    evaluate_apply_solution(ev, LEVEL_VELOCITY);
}

void project_accelerations(const struct evaluation *ev, const struct six *S)
{
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_row_values(ev, LEVEL_ACCELERATION); /* G a* + gamma of MFC 20 */
    links_acceleration(ev, S, 0);
    evaluate_loads(ev, 0);
    eliminate_solve(ev->p, ev->ws, S); /* MFC 22 */
    evaluate_multipliers(ev, ev->ws->kappa_k); /* MFC 20 */
    evaluate_apply_solution(ev, LEVEL_ACCELERATION);
}
