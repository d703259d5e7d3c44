/* Kinetic damping: let it move, and whenever the kinetic energy has passed a peak stop it
 * there; the stops close in on the equilibrium. The step follows the pace of the peaks. A
 * step that does not converge is taken back and done again in smaller ones, so that the
 * energy only falls; what whips about at first is slowed down this way. */
#include "services/plan/settle.h"

#include <math.h>

#include "rt/solve/method.h"
#include "services/plan/start.h"

enum { STEPS = 40000, PEAK = 60 };
const double SETTLE_LEFT = 1e-6;
static const double SMALLEST = 1e-5, LARGEST = 0.05; /* s */

/* Stop all motion; returns the largest acceleration from rest, m/s2. Dry friction goes on
 * holding what it holds; starting: it begins with nothing. */
static double stop(const struct model *m, const struct plan *p, struct workspace *ws, int starting)
{
    double pull = 0;
    for (int k = 0; k < p->n; k++) ws->v[k] = six_zero();
    start_accelerations(m, p, ws, starting);
    for (int k = 0; k < p->n; k++) {
        double l = fmax(p->body[k].length, 1e-3);
        pull = fmax(pull, fmax(vec_norm(ws->a[k].l), l * vec_norm(ws->a[k].a)));
    }
    ws->h_last = 0;
    return pull;
}

static double kinetic_energy(const struct plan *p, const struct workspace *ws)
{
    double t = 0;
    for (int k = 0; k < p->n; k++) {
        vec3 w = mat3_tmul(&ws->kin[k].R, ws->v[k].a);
        t += 0.5 * p->body[k].m * vec_dot(ws->v[k].l, ws->v[k].l) +
             0.5 * vec_dot(w, mat3_mul(&p->body[k].J, w));
    }
    return t;
}

/* One step of standing time. Returns 0 where it does not converge: nothing has moved. */
static int follow(const struct model *m, const struct plan *p, struct workspace *ws,
                  struct workspace *spare, double h)
{
    const struct step_limits limits = {.iterations = 12, .tolerance = 1e-12, .lenient = 1};
    struct step_report report;
    workspace_copy(spare, ws);
    double t = ws->t;
    enum status s = method_advance(m, p, ws, h, &limits, &report);
    ws->t = t;
    int lost = status_severity(s) == SEVERITY_BAD || (s == STATUS_NOT_CONVERGED && report.d > 1e-6);
    if (lost) workspace_copy(ws, spare);
    return !lost;
}

static double descend(const struct model *m, const struct plan *p, struct workspace *ws,
                      struct workspace *spare)
{
    double h = 1e-2, before = 0, g = fmax(vec_norm(vec_load(m->gravity)), 1);
    int since = 0;
    double pull = stop(m, p, ws, 1);
    for (int i = 0; i < STEPS && pull > 1e-10 * g; i++) {
        if (!follow(m, p, ws, spare, h)) {
            if (h <= SMALLEST) return pull;
            h *= 0.25;
            since = 0;
            before = 0;
            pull = stop(m, p, ws, 0);
            continue;
        }
        double now = kinetic_energy(p, ws);
        since++;
        if ((now >= before || since < 2) && since < PEAK) {
            before = now;
            continue;
        }
        if (since < 4 && h > SMALLEST) h *= 0.5;
        if (since > PEAK / 4 && h < LARGEST) h *= 1.5;
        pull = stop(m, p, ws, 0);
        before = 0;
        since = 0;
    }
    return pull;
}

double settle_find(const struct model *m, const struct plan *p, struct workspace *ws,
                   struct workspace *spare)
{
    double moved;
    ws->still = spare->still = 1;
    descend(m, p, ws, spare);
    start_assemble(m, p, ws, &moved);
    double left = stop(m, p, ws, 0);
    ws->still = spare->still = 0;
    return left;
}
