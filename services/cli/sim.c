/* trapeze sim MODEL: run a model offline, write what its sensors saw and how it went. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt/solve/method.h"
#include "services/cli/verbs.h"
#include "services/sim/columns.h"
#include "services/sim/report.h"

enum {
    OPTION_STEP,
    OPTION_UNTIL,
    OPTION_SET,
    OPTION_OUT,
    OPTION_EVERY,
    OPTION_BODIES,
    OPTION_REACTIONS,
    OPTION_NEWTON,
    OPTION_REPORT,
    OPTION_RHO,
    OPTION_TOLERANCE,
    OPTION_ITERATIONS,
    OPTION_STRICT,
    OPTION_SOLVER,
    OPTION_FORMULATION,
    OPTION_FORCE
};

static const struct verb_option OPTION[] = {
    [OPTION_STEP] = {"--step", "TIME", "time step (default 1ms)"},
    [OPTION_UNTIL] = {"--until", "TIME", "end of the run (default 10s)"},
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_OUT] = {"--out", "FILE.csv",
                    "t and all sensors, one row per moment; units go to FILE.csv.units\n"
                    "                           (default <model>.csv here; - is standard output)"},
    [OPTION_EVERY] = {"--every", "TIME", "time between rows (default: every step)"},
    [OPTION_BODIES] =
        {"--bodies", NULL,
         "add of every body x y z q0 q1 q2 q3 vx vy vz wx wy wz: mass centre,\n"
         "                           attitude w x y z, velocity, angular velocity, world"},
    [OPTION_REACTIONS] =
        {"--reactions", NULL,
         "add of every joint fx fy fz tx ty tz: first body on second at the\n"
         "                           joint's point, world axes; of a gear or rack: on its\n"
         "                           1st, 2nd, 3rd joint along its coordinate"},
    [OPTION_NEWTON] = {"--newton", NULL, "add iterations and last correction of each step"},
    [OPTION_REPORT] = {"--report", "FILE.json", "iterations, errors, energy balance, step times"},
    [OPTION_RHO] = {"--rho", "auto|VALUE",
                    "spectral radius 0 ... 1; 1 is the trapezoidal rule (default: the model's)"},
    [OPTION_TOLERANCE] = {"--tolerance", "LENGTH",
                          "largest last correction of Newton (default: the model's, 1e-9 m)"},
    [OPTION_ITERATIONS] = {"--iterations", "N",
                           "most Newton iterations per step (default: the model's, 3)"},
    [OPTION_STRICT] = {"--strict", NULL, "a step that does not converge is an error (exit 5)"},
    [OPTION_SOLVER] = {"--solver", "fast|dense",
                       "dense: LAPACK on the whole system, to check the fast one"},
    [OPTION_FORMULATION] = {"--formulation", "NAME", "how a step is done (default index3)"},
    [OPTION_FORCE] = {"--force", NULL, "write over a file that no run of sim wrote"},
    {NULL, NULL, NULL},
};

/* What the command line asks for. */
struct wish {
    struct trial_options trial;
    double until, every; /* s; every = 0: all steps */
    const char *out, *report;
    int force, bodies, reactions, newton;
};

static enum status refuse(const char *text)
{
    fprintf(stderr, "trapeze sim: %s\n", text);
    return STATUS_USAGE;
}

static int read_rho(const struct verb_call *call, double *rho)
{
    const char *text = call->value[OPTION_RHO];
    if (text && strcmp(text, "auto") == 0) {
        *rho = -1;
        return 1;
    }
    return verb_number(&SIM_VERB, call, OPTION_RHO, "", rho);
}

static enum status read_solver(const char *text, enum trial_solver *out)
{
    if (!text || strcmp(text, "fast") == 0) return STATUS_OK;
    if (strcmp(text, "dense") != 0) return refuse("--solver is fast or dense");
    *out = TRIAL_DENSE;
    return STATUS_OK;
}

/* Name the formulations there are. */
static enum status refuse_formulation(const char *name)
{
    fprintf(stderr, "trapeze sim: --formulation: there is no '%.60s'; there is", name);
    for (int i = 0; METHOD[i]; i++)
        fprintf(stderr, "%s %s (%s)", i ? "," : "", METHOD[i]->name, METHOD[i]->help);
    fprintf(stderr, "\n");
    return STATUS_USAGE;
}

static enum status read_formulation(const char *text, const struct method **out)
{
    if (text && !(*out = method_find(text))) return refuse_formulation(text);
    return STATUS_OK;
}

static enum status read_wish(const struct verb_call *call, struct wish *w)
{
    double iterations = 0;
    *w = (struct wish){.trial = trial_options(), .until = 10};
    struct trial_options *o = &w->trial;
    if (!verb_number(&SIM_VERB, call, OPTION_STEP, "s", &o->h) ||
        !verb_number(&SIM_VERB, call, OPTION_UNTIL, "s", &w->until) ||
        !verb_number(&SIM_VERB, call, OPTION_EVERY, "s", &w->every) || !read_rho(call, &o->rho) ||
        !verb_number(&SIM_VERB, call, OPTION_TOLERANCE, "m", &o->tolerance) ||
        !verb_number(&SIM_VERB, call, OPTION_ITERATIONS, "", &iterations))
        return STATUS_USAGE;
    if (!(o->h > 0)) return refuse("--step must be positive");
    if (!(w->until >= 0)) return refuse("--until must not be negative");
    if (w->until / o->h > 1e12) return refuse("--until is more than 1e12 steps away");
    if (!(w->every >= 0)) return refuse("--every must not be negative");
    if (call->value[OPTION_RHO] && o->rho != -1 && !(o->rho >= 0 && o->rho <= 1))
        return refuse("--rho is auto or a number from 0 to 1");
    if (call->value[OPTION_TOLERANCE] && !(o->tolerance > 0))
        return refuse("--tolerance must be positive");
    if (call->value[OPTION_ITERATIONS] &&
        !(iterations >= 1 && iterations <= 20 && iterations == floor(iterations)))
        return refuse("--iterations is a whole number from 1 to 20");
    o->iterations = (int)iterations;
    o->load = (struct load_options){.sets = call->set, .n_sets = call->n_sets};
    o->allocations = call->heap_taken;
    w->out = call->value[OPTION_OUT];
    w->report = call->value[OPTION_REPORT];
    w->force = call->value[OPTION_FORCE] != NULL;
    o->strict = call->value[OPTION_STRICT] != NULL;
    w->bodies = call->value[OPTION_BODIES] != NULL;
    w->newton = call->value[OPTION_NEWTON] != NULL;
    w->reactions = o->wrenches = call->value[OPTION_REACTIONS] != NULL;
    enum status s = read_formulation(call->value[OPTION_FORMULATION], &o->method);
    return s == STATUS_OK ? read_solver(call->value[OPTION_SOLVER], &o->solver) : s;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A bar on the terminal, for runs that take longer than a second. */
struct progress {
    int on, shown;
    double begin, last; /* s */
};

static void show_progress(struct progress *p, const struct trial *t, double until)
{
    enum { WIDTH = 40 };
    static const char BAR[] = "########################################";
    double now = now_s();
    if (!p->on || now - p->begin < 1 || now - p->last < 0.1) return;
    double part = fmin(1, trial_time(t) / until), factor = trial_time(t) / (now - p->begin);
    fprintf(stderr, "\r[%-*.*s] %3.0f %%  %.4g of %.4g s, %.3g x real time ", WIDTH,
            (int)(part * WIDTH), BAR, part * 100, trial_time(t), until, factor);
    p->last = now;
    p->shown = 1;
}

static void clear_progress(const struct progress *p)
{
    if (p->shown) fprintf(stderr, "\r%80s\r", "");
}

/* Step until the end, the stop flag or a fault; a row whenever its time has come. */
static enum status run(struct trial *t, const struct wish *w, const volatile sig_atomic_t *stop,
                       struct columns *c)
{
    double h = w->trial.h;
    long n = (long)ceil(w->until / h - 1e-6), rows = 1;
    struct progress progress = {.on = isatty(STDERR_FILENO), .begin = now_s()};
    enum status s = STATUS_OK;
    columns_write(c);
    for (long i = 1; i <= n && !*stop; i++) {
        enum status step = trial_step(t);
        if (status_severity(step) == SEVERITY_BAD) {
            s = step;
            break;
        }
        int due = trial_time(t) > (double)rows * w->every - 0.5 * h;
        if (due || i == n || *stop) columns_write(c);
        rows += due;
        show_progress(&progress, t, w->until);
        if (ferror(c->file)) break;
    }
    clear_progress(&progress);
    if (s == STATUS_OK && *stop) s = STATUS_STOPPED;
    return s;
}

/* Who reads standard output may have seen enough (head): that is no failure. */
static int reader_left(const char *path)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return strcmp(path, "-") == 0 && poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

static int may_write(const struct wish *w, const char *path)
{
    if (w->force || columns_may_replace(path)) return 1;
    fprintf(stderr,
            "trapeze sim: %s is there already and not from a run of sim (%s.units tells): --out "
            "another file, or --force\n",
            path, path);
    return 0;
}

static void say_file(enum status s, const char *path)
{
    if (s == STATUS_IO)
        fprintf(stderr, "trapeze sim: %s could not be written: %s\n", path, strerror(errno));
    else if (s != STATUS_OK)
        fprintf(stderr, "trapeze sim: %s\n", status_text(s));
}

static void say_end(struct trial *t, enum status s)
{
    char blame[512], remedy[256];
    if (s == STATUS_STOPPED) fprintf(stderr, "trapeze sim: stopped at t = %g s\n", trial_time(t));
    if (status_severity(s) != SEVERITY_BAD) return;
    trial_blame(t, blame, sizeof blame);
    if (s == STATUS_COARSE || s == STATUS_ASTRAY || s == STATUS_STRICT) {
        fprintf(stderr, "trapeze sim: ended at t = %g s, step %ld: %s; it is %s\n", trial_time(t),
                t->figures.steps, status_text(s), blame);
        return;
    }
    fprintf(stderr, "trapeze sim: the step after t = %g s, step %ld, failed: %s; it came from %s\n",
            trial_time(t), t->figures.steps + 1, status_text(s), blame);
    quality_remedy(t, 1, remedy, sizeof remedy);
    fprintf(stderr, "trapeze sim: %s\n", remedy);
}

/* The first switch that could not lock its joints. */
static void say_opposed(FILE *to, const struct trial *t)
{
    const struct model *m = t->model;
    const struct step_switched *e = t->switched;
    if (!t->figures.opposed) return;
    for (long i = 0; i < t->figures.switched && i < TRIAL_SWITCHED; i++, e++) {
        if (e->opposed < 0) continue;
        fprintf(to,
                "  %ld times a lock was refused, first at t = %.6g s: switch %s cannot lock %s, "
                "because a motion or other joints drive its bodies\n",
                t->figures.opposed, e->t, model_text(m, model_switches(m)[e->index].name),
                model_text(m, model_joints(m)[e->opposed].name));
        return;
    }
}

static void say_figures(FILE *to, struct trial *t, const struct columns *c, const char *out)
{
    const struct trial_figures *f = &t->figures;
    long n = f->steps ? f->steps : 1;
    fprintf(to, "%s: %g s in %ld steps of %g ms, %.3g x real time (%.3g us a step)\n",
            model_text(t->model, t->model->name), trial_time(t), f->steps, t->options.h * 1e3,
            report_real_time_factor(t), spread_quantile(&f->step_ns, 0.5) * 1e-3);
    fprintf(to, "  Newton %.2f iterations a step, most %d", (double)f->iterations / (double)n,
            f->iterations_max);
    if (f->not_converged) fprintf(to, ", %ld steps not converged", f->not_converged);
    fprintf(to, "; rho %g\n", t->mechanism.plan->rho);
    fprintf(to, "  constraint errors %.1e, %.1e, %.1e (position, velocity, acceleration)\n",
            f->error_max[0], f->error_max[1], f->error_max[2]);
    fprintf(to, "  energy balance within %.2e J of %.5g J at the start\n", f->balance_max,
            f->energy_start);
    if (t->model->switches.n)
        fprintf(to, "  %ld times a switch acted, %.5g J lost in impacts\n",
                f->switched - f->opposed, f->lost);
    say_opposed(to, t);
    if (f->redundant_open)
        fprintf(to, "  a redundant row was open beyond its closure in %ld steps\n",
                f->redundant_open);
    quality_say(t, to);
    fprintf(to, "  %ld rows of %d columns in %s\n", c->rows, c->n, out);
}

/* Everything between an opened trial and its figures. */
static enum status run_and_write(struct trial *t, const struct wish *w,
                                 const struct verb_call *call, struct diag_list *diags)
{
    struct columns c = {
        .trial = t, .bodies = w->bodies, .reactions = w->reactions, .newton = w->newton};
    char *own = NULL;
    const char *out = w->out;
    if (!out && asprintf(&own, "%s.csv", model_text(t->model, t->model->name)) < 0)
        return STATUS_NO_MEMORY;
    if (!out) out = own;
    if (!may_write(w, out)) {
        free(own);
        return STATUS_REFUSED;
    }
    double begin = now_s();
    enum status s = columns_open(&c, out), end = STATUS_OK, closed;
    say_file(s, out);
    if (s == STATUS_OK) end = run(t, w, call->stop, &c);
    closed = columns_close(&c);
    if (closed == STATUS_IO && reader_left(out)) {
        free(own);
        return STATUS_OK;
    }
    if (s == STATUS_OK) {
        say_file(s = closed, out);
        say_end(t, end);
        strain_say(&t->figures.strain, t->model, stderr);
        say_figures(strcmp(out, "-") == 0 ? stderr : stdout, t, &c, out);
    }
    if (s == STATUS_OK && w->report)
        say_file(s = report_write(t, w->report, end, now_s() - begin, diags), w->report);
    free(own);
    return status_severity(end) == SEVERITY_BAD ? end : s;
}

static enum status sim_run(const struct verb_call *call)
{
    struct wish w;
    struct trial t;
    struct diag_list diags = {0};
    enum status s = read_wish(call, &w);
    if (s != STATUS_OK) return s;
    w.trial.stop = call->stop;
    s = trial_open(&t, call->argument[0], &w.trial, &diags);
    diag_print(&diags, stderr);
    if (s == STATUS_REFUSED && diags.n_errors == 0)
        fprintf(stderr, "trapeze sim: --solver dense does not know switchable joints; use fast\n");
    if (s == STATUS_OK)
        s = run_and_write(&t, &w, call, &diags);
    else if (s == STATUS_STOPPED)
        fprintf(stderr, "trapeze sim: stopped while %s was planned\n", call->argument[0]);
    else if (s != STATUS_REFUSED)
        fprintf(stderr, "trapeze sim: %s\n", status_text(s));
    trial_close(&t);
    diag_clear(&diags);
    return s;
}

const struct verb SIM_VERB = {.name = "sim",
                              .arguments = "MODEL",
                              .help = "run a model and write what its sensors saw",
                              .option = OPTION,
                              .least = 1,
                              .most = 1,
                              .run = sim_run};
