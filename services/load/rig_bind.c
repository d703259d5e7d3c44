/* A rig held against its model. */
#include <string.h>

#include "rt/mech/model.h"
#include "services/load/names.h"
#include "services/load/rig.h"

static int rig_find_actuator(const struct model *m, const char *name)
{
    for (uint32_t i = 0; i < m->actuators.n; i++)
        if (strcmp(model_text(m, model_actuators(m)[i].name), name) == 0) return (int)i;
    return -1;
}

static void rig_no_actuator(const struct model *m, const char *name, struct place at,
                            struct diag_list *diags)
{
    const char *nearest = NULL;
    int best = 1000;
    for (uint32_t i = 0; i < m->actuators.n; i++) {
        const char *known = model_text(m, model_actuators(m)[i].name);
        int d = names_distance(name, known);
        if (d < best && names_is_near(name, d)) best = d, nearest = known;
    }
    if (nearest)
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "the model has no actuator '%.60s'; did you mean '%s'?", name, nearest);
    else
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "the model has no actuator '%.60s'", name);
}

enum status rig_bind(const struct rig *rig, const struct model *m, struct diag_list *diags,
                     struct rig_command *command)
{
    int before = diags->n_errors;
    struct place at = rig->iterations_place;

    for (uint32_t i = 0; i < m->actuators.n; i++) command[i] = rig->command;
    for (int i = 0; i < rig->n_actuators; i++) {
        int k = rig_find_actuator(m, rig->actuator[i].name);
        if (k < 0)
            rig_no_actuator(m, rig->actuator[i].name, rig->actuator[i].place, diags);
        else
            command[k] = rig->actuator[i].command;
    }
    for (uint32_t i = 0; i < m->actuators.n; i++) {
        const struct model_actuator *a = &model_actuators(m)[i];
        if (command[i].action == RIG_ZERO && (a->lower > 0 || a->upper < 0))
            diag_add(diags, DIAG_ERROR, rig->file, 0, 0,
                     "actuator '%s': the safe action zero lies outside its range %g ... %g; "
                     "use ramp or hold",
                     model_text(m, a->name), a->lower, a->upper);
    }
    for (int i = 0; i < rig->n_keys; i++)
        if (rig_find_actuator(m, rig->key[i].actuator) < 0)
            rig_no_actuator(m, rig->key[i].actuator, (struct place){rig->file, 0, 0}, diags);
    fastlane_bind(&rig->fastlane, m, diags);
    if (rig->iterations > m->iterations)
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "iterations: %d is above the model's bound of %d; a rig may only lower it",
                 rig->iterations, m->iterations);
    return diags->n_errors > before ? STATUS_REFUSED : STATUS_OK;
}
