#include "services/sim/trial.h"

#include "rt/math/subnormal.h"
#include "rt/solve/switching.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt/link/name.h"

struct trial_options trial_options(void)
{
    return (struct trial_options){.h = 1e-3, .rho = NAN, .tolerance = NAN};
}

static double total_energy(const struct observation *o)
{
    return o->kinetic + o->weight + o->elastic;
}

/* Look at the present state. */
static void see(struct trial *t)
{
    struct trial_figures *f = &t->figures;
    double error[3];
    observe_state(t->model, t->mechanism.plan, &t->mechanism.ws, PLAN_ASK_ALL, &t->seen);
    observe_errors(&t->seen, error);
    for (int i = 0; i < 3; i++) f->error_max[i] = fmax(f->error_max[i], error[i]);
    f->energy = total_energy(&t->seen);
    strain_note(&f->strain, t->model, t->mechanism.plan, &t->mechanism.ws);
}

/* Memory of the dense system, where it is the solver. */
static enum status place_dense(struct trial *t)
{
    if (t->options.solver != TRIAL_DENSE) return STATUS_OK;
    if (t->mechanism.plan->n_switches) return STATUS_REFUSED; /* it holds all joints */
    size_t size = dense_memsize(t->model, t->mechanism.plan);
    t->dense_memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!t->dense_memory) return STATUS_NO_MEMORY;
    t->mechanism.memory_bytes += size;
    return dense_init(&t->dense, t->model, t->mechanism.plan, t->dense_memory, size);
}

static enum status begin(struct trial *t, struct diag_list *diags)
{
    const struct trial_options *o = &t->options;
    struct plan_options plan = mechanism_options();
    subnormal_flush();
    plan.h = o->h;
    plan.wrenches = o->wrenches;
    plan.stop = o->stop;
    plan.method = o->method;
    if (!isnan(o->rho)) t->model->rho = o->rho; /* nobody else has seen the model yet */
    enum status s = mechanism_create(&t->mechanism, t->model, &plan, diags);
    if (s == STATUS_OK) s = place_dense(t);
    if (s != STATUS_OK) return s;
    t->limits = step_limits(t->model);
    t->limits.norm2 = o->norm2;
    if (!isnan(o->tolerance)) t->limits.tolerance = o->tolerance, t->limits.left = 0;
    if (o->iterations > 0) t->limits.iterations = o->iterations;
    if (t->model->switches.n && !(t->switched = calloc(TRIAL_SWITCHED, sizeof *t->switched)))
        return STATUS_NO_MEMORY;
    t->figures.allocations = o->allocations ? 0 : -1;
    see(t);
    t->figures.energy_start = t->figures.energy;
    return quality_begin(t);
}

enum status trial_open(struct trial *t, const char *path, const struct trial_options *o,
                       struct diag_list *diags)
{
    memset(t, 0, sizeof *t);
    t->options = *o;
    enum status s = load_model(path, &o->load, &t->model, diags);
    return s == STATUS_OK ? begin(t, diags) : s;
}

enum status trial_open_text(struct trial *t, const char *text, const struct trial_options *o,
                            struct diag_list *diags)
{
    memset(t, 0, sizeof *t);
    t->options = *o;
    enum status s = load_text("text", text, strlen(text), &o->load, &t->model, diags);
    return s == STATUS_OK ? begin(t, diags) : s;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static unsigned long count(const struct trial *t)
{
    return t->options.allocations ? t->options.allocations() : 0;
}

static enum status solve(struct trial *t)
{
    struct mechanism *me = &t->mechanism;
    double h = t->options.h;
    if (t->options.solver == TRIAL_FAST)
        return switching_advance(t->model, me->plan, &me->ws, h, &t->limits, &t->report);
    return dense_advance(t->model, me->plan, &me->ws, &t->dense, h, &t->limits, &t->report);
}

/* The step alone, between two looks at the clock. */
static enum status advance(struct trial *t)
{
    unsigned long before = count(t);
    double begin_ns = now_ns();
    enum status s = solve(t);
    spread_add(&t->figures.step_ns, now_ns() - begin_ns);
    t->figures.allocations += (long)(count(t) - before);
    return s;
}

static void note_switched(struct trial *t)
{
    struct trial_figures *f = &t->figures;
    const struct step_report *r = &t->report;
    f->lost += r->loss;
    for (int i = 0; i < r->n_switched && i < STEP_SWITCHED; i++, f->switched++) {
        if (t->switched && f->switched < TRIAL_SWITCHED) t->switched[f->switched] = r->switched[i];
        f->opposed += r->switched[i].opposed >= 0;
    }
}

static enum status refuse_step(struct trial *t)
{
    t->report.element_kind = STEP_BODY;
    t->report.element = t->mechanism.plan->body[t->report.slot].body;
    return STATUS_STRICT;
}

enum status trial_step(struct trial *t)
{
    struct trial_figures *f = &t->figures;
    double power = t->seen.power;
    quality_before(t);
    enum status s = advance(t);
    if (status_severity(s) == SEVERITY_BAD) return s;
    see(t);
    f->steps++;
    f->iterations += t->report.iterations;
    if (t->report.iterations > f->iterations_max) f->iterations_max = t->report.iterations;
    f->not_converged += s == STATUS_NOT_CONVERGED;
    f->redundant_open += s == STATUS_REDUNDANT_OPEN;
    f->redone += t->report.redone;
    note_switched(t);
    f->work += 0.5 * t->options.h * (power + t->seen.power);
    f->balance_max = fmax(f->balance_max, fabs(f->energy + f->lost - f->energy_start - f->work));
    enum status judged = quality_after(t);
    return judged == STATUS_OK && s == STATUS_NOT_CONVERGED && t->options.strict ? refuse_step(t)
           : judged == STATUS_OK                                                 ? s
                                                                                 : judged;
}

double trial_time(const struct trial *t) { return timeline_span(t->figures.steps, t->options.h); }

void trial_blame(const struct trial *t, char *text, size_t size)
{
    const struct model *m = t->model;
    struct name_element e;

    snprintf(text, size, "an element that could not be named");
    if (name_element(m, (uint32_t)t->report.element_kind, (uint32_t)t->report.element, &e))
        snprintf(text, size, "%s %s (%s:%u)", e.kind, e.name, model_text(m, e.at.file), e.at.line);
}

void trial_close(struct trial *t)
{
    quality_end(t);
    free(t->dense_memory);
    free(t->switched);
    mechanism_destroy(&t->mechanism);
    load_free(t->model);
    memset(t, 0, sizeof *t);
}
