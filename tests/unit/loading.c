#include "tests/unit/loading.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct loading loading_text(const char *text)
{
    struct loading l = {0};
    l.status = load_text("test.yaml", text, strlen(text), NULL, &l.model, &l.diags);
    return l;
}

struct loading loading_file(const char *path, const char *set)
{
    struct loading l = {0};
    const char *sets[] = {set};
    const struct load_options o = {.sets = sets, .n_sets = set != NULL};
    l.status = load_model(path, &o, &l.model, &l.diags);
    return l;
}

struct loading loading_good(const char *text)
{
    struct loading l = loading_text(text);
    if (l.status != STATUS_OK) diag_print(&l.diags, stderr);
    assert_int_equal(l.status, STATUS_OK);
    return l;
}

void loading_done(struct loading *l)
{
    load_free(l->model);
    diag_clear(&l->diags);
}

static int named(const struct loading *l, uint32_t text, const char *name)
{
    return strcmp(model_text(l->model, text), name) == 0;
}

const struct model_body *loading_body(const struct loading *l, const char *name)
{
    for (uint32_t i = 0; i < l->model->bodies.n; i++)
        if (named(l, model_bodies(l->model)[i].name, name)) return &model_bodies(l->model)[i];
    fail_msg("no body %s", name);
    return NULL;
}

const struct model_joint *loading_joint(const struct loading *l, const char *name)
{
    for (uint32_t i = 0; i < l->model->joints.n; i++)
        if (named(l, model_joints(l->model)[i].name, name)) return &model_joints(l->model)[i];
    fail_msg("no joint %s", name);
    return NULL;
}

const struct model_force *loading_force(const struct loading *l, const char *name)
{
    for (uint32_t i = 0; i < l->model->forces.n; i++)
        if (named(l, model_forces(l->model)[i].name, name)) return &model_forces(l->model)[i];
    fail_msg("no force %s", name);
    return NULL;
}

const struct model_actuator *loading_actuator(const struct loading *l, const char *name)
{
    for (uint32_t i = 0; i < l->model->actuators.n; i++)
        if (named(l, model_actuators(l->model)[i].name, name)) return &model_actuators(l->model)[i];
    fail_msg("no actuator %s", name);
    return NULL;
}

const struct model_sensor *loading_sensor(const struct loading *l, const char *name)
{
    for (uint32_t i = 0; i < l->model->sensors.n; i++)
        if (named(l, model_sensors(l->model)[i].name, name)) return &model_sensors(l->model)[i];
    fail_msg("no sensor %s", name);
    return NULL;
}

int loading_says(const struct loading *l, const char *words)
{
    for (int i = 0; i < l->diags.n; i++)
        if (strstr(l->diags.item[i].text, words)) return 1;
    return 0;
}

void loading_assert_near(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-14 * (1 + fabs(b[i]))))
            fail_msg("entry %d is %.17g, not %.17g", i, a[i], b[i]);
}
