#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/mech/sensor.h"

struct trial_options model_run_options(double h)
{
    struct trial_options o = trial_options();
    o.h = h;
    return o;
}

struct trial_options model_run_exactly(double h)
{
    struct trial_options o = model_run_options(h);
    o.tolerance = 1e-13;
    o.iterations = 10;
    return o;
}

static void ready(struct model_run *p, enum status s, struct diag_list *diags)
{
    if (s != STATUS_OK) {
        diag_print(diags, stderr);
        fail_msg("the model was refused: %s", status_text(s));
    }
    diag_clear(diags);
    p->channel = calloc((size_t)p->trial.model->n_channels + 1, sizeof *p->channel);
    assert_non_null(p->channel);
}

void model_run_open(struct model_run *p, const char *path, const struct trial_options *o)
{
    struct diag_list diags = {0};
    ready(p, trial_open(&p->trial, path, o, &diags), &diags);
}

void model_run_open_text(struct model_run *p, const char *text, const struct trial_options *o)
{
    struct diag_list diags = {0};
    ready(p, trial_open_text(&p->trial, text, o, &diags), &diags);
}

void model_run_until(struct model_run *p, double t)
{
    long n = lround(t / p->trial.options.h);
    while (p->trial.figures.steps < n) {
        enum status s = trial_step(&p->trial);
        if (status_severity(s) == SEVERITY_BAD)
            fail_msg("the step after t = %g s: %s", trial_time(&p->trial), status_text(s));
    }
}

/* Which of a sensor's channels this is, by the part behind the dot; -1: none. */
static int channel_of(const struct model_sensor *s, const char *part)
{
    const char *words = SENSOR_TYPE[s->type].suffix;
    if (s->n_channels == 1) return part[0] ? -1 : 0;
    for (int i = 0; *words && i < (int)s->n_channels; i++) {
        size_t n = strcspn(words, " ");
        if (part[0] == '.' && strlen(part + 1) == n && strncmp(part + 1, words, n) == 0) return i;
        words += n + (words[n] == ' ');
    }
    return -1;
}

double model_run_see(struct model_run *p, const char *name)
{
    const struct model *m = p->trial.model;
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        const char *own = model_text(m, s->name);
        if (strncmp(name, own, strlen(own)) != 0) continue;
        int k = channel_of(s, name + strlen(own));
        if (k < 0) continue;
        observe_sensors(&p->trial.seen, p->channel);
        return p->channel[s->channel_at + (uint32_t)k];
    }
    fail_msg("there is no sensor %s", name);
    return NAN;
}

void model_run_close(struct model_run *p)
{
    trial_close(&p->trial);
    free(p->channel);
}

double model_run_order(double coarse, double fine) { return log2(fabs(coarse / fine)); }

void model_run_within(const char *what, double value, double lower, double upper)
{
    if (!(value >= lower && value <= upper))
        fail_msg("%s is %.6g, not within %.6g ... %.6g", what, value, lower, upper);
}
