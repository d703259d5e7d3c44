#include "services/sim/report.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "rt/math/subnormal.h"
#include "services/base/version.h"

static void put_int(json_t *o, const char *key, long v)
{
    json_object_set_new(o, key, json_integer(v));
}

/* JSON knows no NaN and no infinity: null. */
static void put_real(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, __builtin_isfinite(v) ? json_real(v) : json_null());
}

static void put_text(json_t *o, const char *key, const char *v)
{
    json_object_set_new(o, key, json_string(v));
}

double report_real_time_factor(const struct trial *t)
{
    double spent_s = t->figures.step_ns.sum * 1e-9;
    return spent_s > 0 ? trial_time(t) / spent_s : 0;
}

static void put_mechanism(json_t *o, const struct trial *t)
{
    const struct plan *p = t->mechanism.plan;
    put_text(o, "trapeze", version_read().text);
    put_text(o, "subnormals", subnormal_flushed() ? "flushed" : "kept");
    put_text(o, "model", model_text(t->model, t->model->name));
    put_text(o, "file", model_text(t->model, t->model->file));
    put_int(o, "bodies", t->model->bodies.n);
    put_int(o, "joints", t->model->joints.n);
    put_int(o, "constraints", p->constraints);
    put_int(o, "dof", p->dof);
    put_int(o, "redundant", p->redundant);
    put_text(o, "solver", t->options.solver == TRIAL_DENSE ? "dense" : "fast");
    put_real(o, "rho", p->rho);
    put_real(o, "tolerance", t->limits.tolerance);
    put_int(o, "iterations", t->limits.iterations);
    put_real(o, "step_s", t->options.h);
}

/* When switches of the model acted, and what the impacts took. */
static void put_switched(json_t *o, const struct trial *t)
{
    json_t *list = json_array();
    for (long i = 0; i < t->figures.switched && i < TRIAL_SWITCHED; i++) {
        const struct step_switched *e = &t->switched[i];
        json_t *one = json_object();
        put_real(one, "t_s", e->t);
        put_text(one, "switch", model_text(t->model, model_switches(t->model)[e->index].name));
        put_real(one, "lost_J", e->loss);
        json_object_set_new(one, "late", json_boolean(e->late));
        if (e->opposed >= 0)
            put_text(one, "refused_for",
                     model_text(t->model, model_joints(t->model)[e->opposed].name));
        json_array_append_new(list, one);
    }
    put_real(o, "energy_lost_J", t->figures.lost);
    put_int(o, "switched", t->figures.switched);
    json_object_set_new(o, "switches", list);
}

static void put_figures(json_t *o, const struct trial *t)
{
    const struct trial_figures *f = &t->figures;
    put_int(o, "steps", f->steps);
    put_real(o, "end_s", trial_time(t));
    put_real(o, "newton_mean", f->steps ? (double)f->iterations / (double)f->steps : 0);
    put_int(o, "newton_max", f->iterations_max);
    put_int(o, "not_converged", f->not_converged);
    put_real(o, "largest_correction_m", t->quality.d);
    put_int(o, "largest_correction_step", t->quality.d_step);
    put_real(o, "largest_turn_rad", t->quality.turn);
    put_int(o, "redundant_open", f->redundant_open);
    put_int(o, "steps_redone", f->redone);
    put_real(o, "position_error_max", f->error_max[0]);
    put_real(o, "velocity_error_max", f->error_max[1]);
    put_real(o, "acceleration_error_max", f->error_max[2]);
    put_real(o, "energy_start_J", f->energy_start);
    put_real(o, "energy_end_J", f->energy);
    put_real(o, "work_J", f->work);
    put_real(o, "energy_balance_error_max_J", f->balance_max);
    put_real(o, "bushing_turn_max_rad", f->strain.bushing);
    if (t->model->switches.n) put_switched(o, t);
}

static void put_cost(json_t *o, const struct trial *t, double wall_s)
{
    const struct spread *s = &t->figures.step_ns;
    json_t *us = json_object();
    put_real(us, "median", spread_quantile(s, 0.5) * 1e-3);
    put_real(us, "p99", spread_quantile(s, 0.99) * 1e-3);
    put_real(us, "p999", spread_quantile(s, 0.999) * 1e-3);
    put_real(us, "max", s->max * 1e-3);
    json_object_set_new(o, "step_us", us);
    put_real(o, "real_time_factor", report_real_time_factor(t));
    put_real(o, "wall_s", wall_s);
    if (t->figures.allocations < 0)
        json_object_set_new(o, "allocations_in_steps", json_null());
    else
        put_int(o, "allocations_in_steps", t->figures.allocations);
    put_int(o, "memory_bytes", (long)t->mechanism.memory_bytes);
}

static void put_end(json_t *o, const struct trial *t, enum status last, struct diag_list *diags)
{
    char blame[512];
    json_t *notes = json_array();
    put_text(o, "status", status_text(last));
    if (status_severity(last) == SEVERITY_BAD) {
        trial_blame(t, blame, sizeof blame);
        put_text(o, "fault", blame);
    }
    diag_sort(diags);
    for (int i = 0; i < diags->n; i++)
        json_array_append_new(notes, json_string(diags->item[i].text));
    json_object_set_new(o, "notes", notes);
}

enum status report_write(const struct trial *t, const char *path, enum status last, double wall_s,
                         struct diag_list *diags)
{
    json_t *o = json_object();
    if (!o) return STATUS_NO_MEMORY;
    put_mechanism(o, t);
    put_figures(o, t);
    put_cost(o, t, wall_s);
    put_end(o, t, last, diags);
    FILE *to = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    int bad = !to || json_dumpf(o, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0;
    if (to) bad |= fputc('\n', to) == EOF;
    if (to) bad |= (to == stdout ? fflush(to) : fclose(to)) != 0;
    json_decref(o);
    return bad ? STATUS_IO : STATUS_OK;
}
