#include "rt/solve/evaluation.h"

#include "rt/rtsafe.h"

static const double FIRST_STEP = 1e-3; /* s, told to force laws before any step was done */

struct evaluation evaluation_for_step(const struct model *m, const struct plan *p,
                                      struct workspace *ws, double h)
{
    struct rule rule = rule_make(p->rho, h);
    struct timeline line = timeline_after(&ws->line, ws->t, h);
    return (struct evaluation){.m = m,
                               .p = p,
                               .ws = ws,
                               .rule = rule,
                               .t = timeline_time(&line),
                               .ahead = h,
                               .h = h,
                               .b1 = rule.b1,
                               .s = rule.s,
                               .wk = rule.s,
                               .wc = rule.sc,
                               .soft = 1};
}

struct evaluation evaluation_at_state(const struct model *m, const struct plan *p,
                                      struct workspace *ws)
{
    return (struct evaluation){.m = m, .p = p, .ws = ws, .t = ws->t, .s = 1};
}

struct evaluation evaluation_for_sensors(const struct model *m, const struct plan *p,
                                         struct workspace *ws)
{
    double h = ws->h_last > 0 ? ws->h_last : FIRST_STEP;
    struct rule rule = rule_make(p->rho > 0 ? p->rho : 1, h);
    return (struct evaluation){.m = m,
                               .p = p,
                               .ws = ws,
                               .t = ws->t,
                               .h = h,
                               .s = rule.s,
                               .wk = rule.s,
                               .wc = rule.sc,
                               .soft = 1};
}

struct evaluation evaluation_of_stiffness(const struct model *m, const struct plan *p,
                                          struct workspace *ws)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    ev.wk = 1;
    return ev;
}

struct evaluation evaluation_mass_only(const struct evaluation *ev)
{
    struct evaluation e = *ev;
    e.s = 1;
    e.wk = e.wc = 0;
    e.soft = 0;
    e.b1 = 0;
    return e;
}
