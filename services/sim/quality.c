/* Turning: the trapezoidal rule takes a body through an angle a in a step with an error of about
 * a²/12 of what turning does (precession, the pull of a mass off its axis); from 31 steps a turn on
 * (0.2 rad) that is 0.3 %. A body that turns about a fixed axis through its mass centre, however
 * fast, is exact. */
#include "services/sim/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/solve/switching.h"
#include "services/sim/trial.h"

static const double COARSE = 0.2;       /* rad a step */
static const double BLIND = M_PI / 2;   /* rad a step: nothing of the turning is left */
static const double OFF_AXIS = 1e-2;    /* of the body's reach */
static const double AXIS_TURNS = 1e-3;  /* rad/s */
static const double PROPORTION = 1e-2;  /* of the energy that moved */

static const double LOST = 0.5;         /* of it: the run is of no use any more */

enum { SETTLED = 20 }; /* coarse steps before that is judged */
enum { MOST_ITERATIONS = 20, MOST_PARTS = 64 };

enum status quality_begin(struct trial *t)
{
    struct quality *q = &t->quality;
    struct quality_state *each[] = {&q->now, &q->worst, &q->streak};
    size_t mark = (sizeof(struct workspace_mark) + 63) / 64 * 64;
    size_t one = mark + t->mechanism.ws.state_size;
    q->memory = calloc(3, one);
    if (!q->memory) return STATUS_NO_MEMORY;
    for (int i = 0; i < 3; i++) {
        char *at = (char *)q->memory + (size_t)i * one;
        each[i]->mark = (struct workspace_mark *)(void *)at;
        each[i]->state = at + mark;
    }
    return STATUS_OK;
}

void quality_end(struct trial *t) { free(t->quality.memory); }

static void keep(const struct workspace *ws, struct quality_state *s)
{
    *s->mark = workspace_marked(ws);
    memcpy(s->state, ws->state, ws->state_size);
}

static void go_back(struct workspace *ws, const struct quality_state *s)
{
    workspace_set_mark(ws, s->mark);
    memcpy(ws->state, s->state, ws->state_size);
}

void quality_before(struct trial *t)
{
    struct quality *q = &t->quality;
    keep(&t->mechanism.ws, &q->now);
    if (!(t->mechanism.ws.drift > 0)) keep(&t->mechanism.ws, &q->streak);
}

static void note_correction(struct trial *t)
{
    struct quality *q = &t->quality;
    if (t->report.status != STATUS_NOT_CONVERGED || !(t->report.d > q->d)) return;
    struct quality_state was = q->worst;
    q->worst = q->now;
    q->now = was;
    q->d = t->report.d;
    q->d_step = t->figures.steps;
    q->d_slot = t->report.slot;
}

/* Whether a body's turning is more than a spin about a fixed axis through its mass centre. */
static int matters(const struct plan_body *b, const struct kin *k, double w)
{
    double radius = vec_norm(k->dv) / (w * w);
    double axis = vec_norm(vec_cross(k->w, k->dw)) / (w * w);
    return radius > OFF_AXIS * b->reach || axis > AXIS_TURNS;
}

static enum status blame(struct trial *t, enum status s, int slot)
{
    t->report.element_kind = STEP_BODY;
    t->report.element = t->mechanism.plan->body[slot].body;
    return s;
}

/* Turning that is not resolved has made or taken most of the energy. With rho below 1 and at
 * contacts the rule takes some on purpose. */
static int is_astray(const struct trial *t)
{
    const struct plan *p = t->mechanism.plan;
    return p->rho >= 1 && !p->can_open && t->quality.n_coarse > SETTLED &&
           t->figures.balance_max > LOST * t->quality.scale;
}

static enum status note_turning(struct trial *t)
{
    struct quality *q = &t->quality;
    const struct plan *p = t->mechanism.plan;
    enum status s = STATUS_OK;
    int coarse = 0;
    for (int k = 0; k < p->n; k++) {
        const struct kin *b = &t->mechanism.ws.kin[k];
        double w = vec_norm(b->w), turn = w * t->options.h;
        if (turn < COARSE || model_bodies(t->model)[p->body[k].body].flags & BODY_POINT) continue;
        if (!matters(&p->body[k], b, w)) continue;
        coarse = 1;
        if (turn > q->turn) q->turn = turn, q->turn_step = t->figures.steps, q->turn_slot = k;
        if (turn < BLIND) continue;
        s = blame(t, STATUS_COARSE, k);
    }
    q->n_coarse += coarse;
    return s;
}

enum status quality_after(struct trial *t)
{
    const struct trial_figures *f = &t->figures;
    struct quality *q = &t->quality;
    note_correction(t);
    q->scale = fmax(q->scale, fmax(t->seen.kinetic, fabs(f->work)));
    q->scale = fmax(q->scale, fabs(f->energy - f->energy_start));
    enum status s = note_turning(t);
    return s == STATUS_OK && is_astray(t) ? blame(t, STATUS_ASTRAY, q->turn_slot) : s;
}

/* Do the step from `from` on in parts; 1 if all of them converge. */
static int attempt(struct trial *t, const struct quality_state *from, int iterations, int parts,
                   struct step_report *report)
{
    struct workspace *ws = &t->mechanism.ws;
    struct step_limits limits = t->limits;
    enum status s = STATUS_OK;
    limits.iterations = iterations;
    go_back(ws, from);
    for (int i = 0; i < parts && s == STATUS_OK; i++)
        s = switching_advance(t->model, t->mechanism.plan, ws, t->options.h / parts, &limits,
                              report);
    return s == STATUS_OK;
}

void quality_remedy(struct trial *t, int failed, char *text, size_t size)
{
    struct quality *q = &t->quality;
    const struct quality_state *from = failed ? &q->streak : &q->worst;
    struct step_report report;
    int parts = 2;
    snprintf(text, size, "the other solver was not tried");
    if (t->options.solver != TRIAL_FAST) return;
    keep(&t->mechanism.ws, &q->now);
    if (attempt(t, from, MOST_ITERATIONS, 1, &report)) {
        int n = report.iterations > t->limits.iterations ? report.iterations
                                                         : t->limits.iterations + 1;
        snprintf(text, size, "iterations: %d would do there", n);
    } else {
        while (parts <= MOST_PARTS && !attempt(t, from, t->limits.iterations, parts, &report))
            parts *= 2;
        if (parts <= MOST_PARTS)
            snprintf(text, size, "a step of %.3g ms would do there", t->options.h / parts * 1e3);
        else
            snprintf(text, size,
                     "neither %d iterations nor a step of %.3g ms mends it: look for what "
                     "contradicts, or for stiffness or mass ratios beyond reason",
                     MOST_ITERATIONS, t->options.h / MOST_PARTS * 1e3);
    }
    go_back(&t->mechanism.ws, &q->now);
}

static const char *body_name(const struct trial *t, int slot)
{
    const struct plan_body *b = &t->mechanism.plan->body[slot];
    return model_text(t->model, model_bodies(t->model)[b->body].name);
}

void quality_say(struct trial *t, FILE *to)
{
    const struct quality *q = &t->quality;
    double h = t->options.h;
    char text[256];
    if (q->d > 0) {
        quality_remedy(t, 0, text, sizeof text);
        fprintf(to, "  largest last correction %.2g m, body %s in step %ld (t = %.6g s): %s\n",
                q->d, body_name(t, q->d_slot), q->d_step, timeline_span(q->d_step, h), text);
    }
    if (q->turn > 0)
        fprintf(to,
                "  %s turned by %.3g rad in step %ld, %.3g steps a turn: what its turning does is "
                "off by some %.2g %%; a step of %.2g ms brings that to 0.3 %%\n",
                body_name(t, q->turn_slot), q->turn, q->turn_step, 2 * M_PI / q->turn,
                100 * q->turn * q->turn / 12, h * 1e3 * COARSE / q->turn);
    if (t->figures.balance_max > PROPORTION * q->scale && t->figures.balance_max > 1e-9)
        fprintf(to,
                "  the energy balance is off by %.2g %% of the energy that moved (%.3g J): %s\n",
                100 * t->figures.balance_max / q->scale, q->scale,
                t->mechanism.plan->rho < 1 ? "the rule damps what the step does not resolve"
                                           : "the step is too long for what happens here");
}
