#include "rt/solve/switching.h"

#include <math.h>

#include "rt/solve/method.h"
#include "rt/solve/observe.h"
#include "rt/solve/topology.h"

#include "rt/rtsafe.h"

/* Share of a step nearer than which a crossing counts as at its start or end: 0.1 us at 1 ms. */
static const double AT_END = 1e-4;
/* Crossings this near to the first one act with it. */
static const double TOGETHER = 1e-6;

enum { BISECTIONS = 60 };

struct run {
    const struct model *m;
    const struct plan *p;
    struct workspace *ws;
    const struct step_limits *limits;
    struct step_report *report;
    double h;       /* s, of the part in work */
};

static const struct model_switch *each(const struct run *r, uint32_t i)
{
    return &model_switches(r->m)[i];
}

/* 1 if a joint would change. */
static int has_effect(const struct run *r, const struct model_switch *s)
{
    for (uint32_t k = s->change_at; k < s->change_at + s->n_changes; k++) {
        const struct model_change *c = &model_changes(r->m)[k];
        if ((r->ws->on[r->p->joint_switch[c->joint]] != 0) != c->on) return 1;
    }
    return 0;
}

static void look(const struct run *r, struct watch *w)
{
    struct observation o;
    observe_state(r->m, r->p, r->ws, r->p->asked, &o);
    for (uint32_t i = 0; i < r->m->switches.n; i++) {
        const struct model_switch *s = each(r, i);
        double ignored;
        observe_channel(&o, s->sensor, s->channel, &w[i].value, &w[i].rate);
        w[i].value -= s->level;
        w[i].guard = 0;
        if (s->guard >= 0) observe_channel(&o, s->guard, s->guard_channel, &w[i].guard, &ignored);
    }
}

/* Arm what is clear of its level; what has nothing to do is not armed. */
static void arm(const struct run *r, const struct watch *w)
{
    for (uint32_t i = 0; i < r->m->switches.n; i++) {
        const struct model_switch *s = each(r, i);
        if (!has_effect(r, s))
            r->ws->side[i] = 0;
        else if (fabs(w[i].value) > s->clear)
            r->ws->side[i] = w[i].value > 0 ? 1 : -1;
    }
}

/* Cubic on [0, 1] through the values and rates at its ends. */
static double cubic(const struct watch *a, const struct watch *b, double h, double x)
{
    double y = 1 - x;
    return y * y * (1 + 2 * x) * a->value + x * x * (3 - 2 * x) * b->value +
           h * x * y * (y * a->rate - x * b->rate);
}

/* Where the way from a to b, which leaves `side`, passes zero, as a part of it: 1 where it
 * reaches zero only at its end. */
static double root(const struct watch *a, const struct watch *b, double h, int side)
{
    double low = 0, high = 1;
    if (!isfinite(a->rate) || !isfinite(b->rate)) return a->value / (a->value - b->value);
    for (int i = 0; i < BISECTIONS; i++) {
        double x = 0.5 * (low + high);
        if (side * cubic(a, b, h, x) <= 0)
            high = x;
        else
            low = x;
    }
    return high;
}

static int goes_its_way(const struct model_switch *s, int side)
{
    return s->going == GOING_EITHER || (s->going == GOING_UP) == (side < 0);
}

/* Part of the step at which switch i crosses, 2: it does not. */
static double crossing(const struct run *r, uint32_t i)
{
    const struct model_switch *s = each(r, i);
    const struct watch *a = &r->ws->watch_n[i], *b = &r->ws->watch[i];
    int side = r->ws->side[i];
    double x = 0;
    if (side == 0 || !has_effect(r, s) || !goes_its_way(s, side)) return 2;
    if (side * b->value > 0) return 2;
    if (side * a->value > 0) x = root(a, b, r->h, side);
    double guard = a->guard + x * (b->guard - a->guard);
    return s->guard < 0 || (guard >= s->lower && guard <= s->upper) ? x : 2;
}

static double first_crossing(const struct run *r)
{
    double first = 2;
    for (uint32_t i = 0; i < r->m->switches.n; i++) {
        double x = crossing(r, i);
        r->ws->watch[i].part = x;
        if (x < first) first = x;
    }
    return first;
}

static void note(const struct run *r, struct step_switched one)
{
    struct step_report *to = r->report;
    if (to->n_switched < STEP_SWITCHED) to->switched[to->n_switched] = one;
    to->n_switched++;
}

/* All switches that cross until `last`, together, at the accepted state. Locks that something
 * else drives are refused, all of this moment, and the motion goes on as it was. */
static enum status act(const struct run *r, double last, int late)
{
    struct workspace *ws = r->ws;
    int n = 0;
    double loss = 0;
    for (uint32_t i = 0; i < r->m->switches.n; i++) {
        const struct model_switch *s = each(r, i);
        if (ws->watch[i].part > last) continue;
        for (uint32_t k = 0; k < s->n_changes; k++)
            ws->change[n++] = model_changes(r->m)[s->change_at + k];
    }
    enum status status = topology_apply(r->m, r->p, ws, ws->change, n, &loss);
    int opposed = status == STATUS_OPPOSED ? ws->opposed : -1;
    if (status == STATUS_OPPOSED) status = STATUS_OK;
    r->report->loss += loss;
    for (uint32_t i = 0; i < r->m->switches.n; i++)
        if (ws->watch[i].part <= last && status == STATUS_OK)
            note(r, (struct step_switched){(int)i, late, opposed, ws->t, loss});
    for (uint32_t i = 0; i < r->m->switches.n; i++)
        if (ws->watch[i].part <= last) ws->side[i] = 0;
    return status;
}

/* One step of r->h; what is told of it is the worst of the parts so far. */
static enum status part_step(const struct run *r)
{
    struct step_report one;
    enum status s = method_advance(r->m, r->p, r->ws, r->h, r->limits, &one);
    struct step_report *to = r->report;
    if (one.iterations > to->iterations) to->iterations = one.iterations;
    to->redone |= one.redone;
    if (one.d >= to->d) to->slot = one.slot;
    to->d = fmax(to->d, one.d);
    to->residual = fmax(to->residual, one.residual);
    if (one.status == STATUS_OK) return s;
    to->status = one.status;
    to->element_kind = one.element_kind;
    to->element = one.element;
    return s;
}

static int is_bad(enum status s) { return status_severity(s) == SEVERITY_BAD; }

/* The whole step is done and crosses at x: do it again up to there, act, and do the rest. */
static enum status split(struct run *r, double x)
{
    enum status s = STATUS_OK;
    double h = r->h, rest = h * (1 - x);
    workspace_back(r->ws);
    r->h = h * x;
    if (x > AT_END) s = part_step(r);
    if (!is_bad(s)) s = act(r, x + TOGETHER, 0);
    if (is_bad(s)) return s;
    look(r, r->ws->watch_n);
    arm(r, r->ws->watch_n);
    r->h = x > AT_END ? rest : h;
    s = part_step(r);
    if (is_bad(s)) return s;
    look(r, r->ws->watch);
    return first_crossing(r) <= 1 || r->limits->longest ? act(r, 1, 1) : s;
}

enum status switching_advance(const struct model *m, const struct plan *p, struct workspace *ws,
                              double h, const struct step_limits *limits,
                              struct step_report *report)
{
    struct run r = {.m = m, .p = p, .ws = ws, .limits = limits, .report = report, .h = h};
    struct timeline end = timeline_after(&ws->line, ws->t, h);
    if (m->switches.n == 0) return method_advance(m, p, ws, h, limits, report);
    *report = (struct step_report){.status = STATUS_OK};
    look(&r, ws->watch_n);
    arm(&r, ws->watch_n);
    workspace_keep(ws);
    enum status s = part_step(&r);
    if (!is_bad(s)) {
        look(&r, ws->watch);
        double x = first_crossing(&r);
        if (x > 1 && limits->longest) x = 0.5; /* with nothing to change there */
        if (x <= 1) s = x < 1 - AT_END ? split(&r, x) : act(&r, 1, 0);
    }
    if (is_bad(s)) {
        workspace_back(ws);
        return report->status = s;
    }
    ws->line = end;
    ws->t = timeline_time(&end);
    ws->h_last = h;
    return report->status;
}
