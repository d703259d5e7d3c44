/* A rig held against its model. */
#include <string.h>

#include "rt/mech/model.h"
#include "services/base/names.h"
#include "services/load/rig/rig.h"

static const char *actuator_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_actuators(m)[i].name);
}

static const char *sensor_name(const struct model *m, uint32_t i)
{
    return model_text(m, model_sensors(m)[i].name);
}

/* What a rig names in its model. */
struct rig_kind {
    const char *what;
    const char *(*name)(const struct model *m, uint32_t i);
};
static const struct rig_kind ACTUATOR = {"actuator", actuator_name};
static const struct rig_kind SENSOR = {"sensor", sensor_name};

/* The index of a name, or -1 after a message. */
static int rig_find(const struct model *m, const struct rig_kind *kind, const char *name,
                    struct place at, struct diag_list *diags)
{
    const char *nearest = NULL;
    int best = 1000;
    uint32_t n = kind == &SENSOR ? m->sensors.n : m->actuators.n;
    for (uint32_t i = 0; i < n; i++) {
        const char *known = kind->name(m, i);
        if (strcmp(known, name) == 0) return (int)i;
        int d = names_distance(name, known);
        if (d < best && names_is_near(name, d)) best = d, nearest = known;
    }
    diag_add(diags, DIAG_ERROR, at.file, at.line, at.column, "the model has no %s '%.60s'%s%s%s",
             kind->what, name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
             nearest ? "'?" : "");
    return -1;
}

enum status rig_bind(const struct rig *rig, const struct model *m, struct diag_list *diags,
                     struct rig_command *command)
{
    int before = diags->n_errors;
    struct place at = rig->iterations_place;

    for (uint32_t i = 0; i < m->actuators.n; i++) command[i] = rig->command;
    for (int i = 0; i < rig->n_actuators; i++) {
        const struct rig_actuator *a = &rig->actuator[i];
        int k = rig_find(m, &ACTUATOR, a->name, a->place, diags);
        if (k >= 0) command[k] = a->command;
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
        (void)rig_find(m, &ACTUATOR, rig->key[i].actuator, rig->key[i].place, diags);
    for (int i = 0; i < rig->n_shows; i++) {
        char sensor[200];
        snprintf(sensor, sizeof sensor, "%s", rig->show[i].sensor);
        sensor[strcspn(sensor, ".")] = 0;
        (void)rig_find(m, &SENSOR, sensor, rig->show[i].place, diags);
    }
    fastlane_bind(&rig->fastlane, m, diags);
    if (rig->iterations > m->iterations)
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "iterations: %d is above the model's bound of %d; a rig may only lower it",
                 rig->iterations, m->iterations);
    return diags->n_errors > before ? STATUS_REFUSED : STATUS_OK;
}
