#include "services/run/rig_setup.h"

#include <stdio.h>
#include <string.h>

#include "rt/solve/method.h"
#include "services/load/model/load.h"
#include "services/run/service_table.h"

/* The rig's values for parameters, then the command line's, as "name=value". */
static const char **all_sets(struct rig_setup *l, const char *const *set, int n_sets)
{
    const struct rig *rig = &l->rig;
    const char **all = memory_take(&l->memory, (size_t)(rig->n_sets + n_sets) + 1, sizeof *all);

    for (int i = 0; all && i < rig->n_sets; i++) {
        size_t n = strlen(rig->set[i].name) + strlen(rig->set[i].value) + 2;
        char *text = memory_take(&l->memory, n, 1);
        if (!text) return NULL;
        snprintf(text, n, "%s=%s", rig->set[i].name, rig->set[i].value);
        all[i] = text;
    }
    for (int i = 0; all && i < n_sets; i++) all[rig->n_sets + i] = set[i];
    return all;
}

static enum status load_mechanism(struct rig_setup *l, const char *const *set, int n_sets)
{
    const char **all = all_sets(l, set, n_sets);
    struct load_options options = {.sets = all, .n_sets = l->rig.n_sets + n_sets};
    struct plan_options plan = mechanism_options();
    enum status s;

    if (!all) return STATUS_NO_MEMORY;
    s = load_model(l->rig.model, &options, &l->model, &l->diags);
    if (s != STATUS_OK) return s;
    plan.h = l->rig.step;
    plan.method = METHOD[l->rig.formulation];
    s = mechanism_create(&l->mechanism, l->model, &plan, &l->diags);
    if (s == STATUS_OK) s = mechanism_workspace(&l->mechanism, &l->spare);
    if (s != STATUS_OK) return s;
    l->kept = memory_take(&l->memory, PLANT_SNAPSHOTS, l->spare.state_size);
    return l->kept ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status bind(struct rig_setup *l)
{
    l->command = memory_take(&l->memory, l->model->actuators.n + 1, sizeof *l->command);
    if (!l->command) return STATUS_NO_MEMORY;
    return rig_bind(&l->rig, l->model, &l->diags, l->command);
}

enum status rig_setup_create(struct rig_setup *l, const char *path, const char *const *set,
                             int n_sets)
{
    enum status s;

    memset(l, 0, sizeof *l);
    s = rig_read(path, &l->memory, &l->diags, &l->rig);
    if (s == STATUS_OK) s = load_mechanism(l, set, n_sets);
    if (s == STATUS_OK) s = bind(l);
    fflush(stdout);
    diag_print(&l->diags, stderr);
    if (s != STATUS_OK) {
        if (l->diags.n_errors == 0) fprintf(stderr, "trapeze: %s: %s\n", path, status_text(s));
        rig_setup_destroy(l);
        return s;
    }
    l->multibody = (struct multibody){.model = l->model,
                                      .plan = l->mechanism.plan,
                                      .ws = &l->mechanism.ws,
                                      .start = &l->mechanism.start,
                                      .kept = l->kept,
                                      .spare = &l->spare};
    l->options = (struct supervisor_options){
        .rig = &l->rig,
        .model = l->model,
        .command = l->command,
        .plant = multibody_init(&l->multibody, l->rig.iterations),
        .contacts = l->mechanism.plan->can_open || l->model->switches.n > 0,
        .lapack = l->rig.formulation != 0 /* the default does without */,
        .admit = 1.5,
        .service = SERVICE_TABLE,
    };
    return STATUS_OK;
}

void rig_setup_destroy(struct rig_setup *l)
{
    mechanism_destroy(&l->mechanism);
    load_free(l->model);
    memory_release(&l->memory);
    diag_clear(&l->diags);
    memset(l, 0, sizeof *l);
}
