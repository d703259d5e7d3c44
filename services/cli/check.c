/* trapeze check MODEL|RIG: read, judge and show a mechanism. */
#include "services/cli/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "rt/mech/joint.h"
#include "services/draw/sense.h"
#include "services/cli/verbs.h"
#include "services/draw/picture.h"
#include "services/load/model/load.h"
#include "services/run/precheck.h"
#include "services/run/rig_setup.h"
#include "services/run/service_table.h"

enum { OPTION_SET, OPTION_STEP, OPTION_JSON, OPTION_DRAW };

static const struct verb_option OPTION[] = {
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_STEP] = {"--step", "TIME", "step the model is judged for (default 1ms)"},
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of tables"},
    [OPTION_DRAW] = {"--draw", "FILE", "draw the mechanism at its start, .svg or .png"},
    {NULL, NULL, NULL},
};

int check_constraints(const struct model *m)
{
    int rows = (int)m->motions.n;
    for (uint32_t i = 0; i < m->joints.n; i++) rows += JOINT_TYPE[model_joints(m)[i].type].n_rows;
    return rows;
}

const char *check_body_name(const struct model *m, int32_t body)
{
    return body < 0 ? "ground" : model_text(m, model_bodies(m)[body].name);
}

/* The messages, as an array. */
static json_t *messages_json(struct diag_list *diags)
{
    json_t *list = json_array();
    diag_sort(diags);
    for (int i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->item[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:s}", "level",
                                              diag_level_text(d->level), "file", d->file, "line",
                                              d->line, "column", d->column, "text", d->text));
    }
    return list;
}

static void show_json(const struct model *m, const struct mechanism *me,
                      const struct check_cost *cost, struct diag_list *diags)
{
    json_t *root = json_object();
    if (m) check_model_json(m, root);
    if (me) check_plan_json(me, cost, root);
    json_object_set_new(root, "errors", json_integer(diags->n_errors));
    json_object_set_new(root, "messages", messages_json(diags));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    printf("\n");
    json_decref(root);
}

static void show_text(const struct model *m, const struct mechanism *me,
                      const struct check_cost *cost, struct diag_list *diags)
{
    if (m) check_model_print(m);
    if (me) check_plan_print(me, cost);
    fflush(stdout);
    diag_print(diags, stderr);
    if (diags->n_errors)
        fprintf(stderr, "%d error%s\n", diags->n_errors, diags->n_errors == 1 ? "" : "s");
}

/* The picture of the file's pose: it is there also where the mechanism is refused, when it
 * is needed most. */
static enum status draw(const struct model *m, const char *path)
{
    struct scene scene = {0};
    const struct picture_text text = {model_text(m, m->name), vec_load(m->gravity)};
    scene_build(&scene, m, (struct scene_pose){0});
    if (scene.n_lost)
        fprintf(stderr, "trapeze check: %d mesh%s cannot be read and %s left out\n", scene.n_lost,
                scene.n_lost == 1 ? "" : "es", scene.n_lost == 1 ? "is" : "are");
    enum status s = scene.failed ? STATUS_NO_MEMORY
                                 : picture_write(&scene, &text, path, "trapeze check");
    scene_free(&scene);
    return s;
}

/* A rig: its file, its model, how they fit, the keys of its services; then the mechanism. */
static enum status check_rig(const struct verb_call *call)
{
    struct rig_setup l;
    enum status s = rig_setup_create(&l, call->argument[0], call->set, call->n_sets);

    if (s != STATUS_OK) return s;
    s = precheck_services(&l.rig, SERVICE_TABLE, 0);
    if (s != STATUS_OK) {
        rig_setup_destroy(&l);
        return s;
    }
    struct check_cost cost = check_cost_measure(&l.mechanism, l.rig.step);
    if (call->value[OPTION_JSON]) {
        show_json(l.model, &l.mechanism, &cost, &l.diags);
    } else {
        printf("rig %s of the model %s: step %g ms, %d service%s\n", l.rig.name, l.rig.model,
               l.rig.step * 1e3, l.rig.n_services, l.rig.n_services == 1 ? "" : "s");
        check_model_print(l.model);
        check_plan_print(&l.mechanism, &cost);
    }
    if (call->value[OPTION_DRAW]) s = draw(l.model, call->value[OPTION_DRAW]);
    rig_setup_destroy(&l);
    return s;
}

static enum status check_run(const struct verb_call *call)
{
    if (rig_is_rig(call->argument[0])) return check_rig(call);
    struct load_options options = {.sets = call->set, .n_sets = call->n_sets};
    struct plan_options plan = mechanism_options();
    struct diag_list diags = {0};
    struct mechanism me = {0};
    struct model *m = NULL;
    plan.stop = call->stop;
    if (!verb_number(&CHECK_VERB, call, OPTION_STEP, "s", &plan.h)) return STATUS_USAGE;
    if (!(plan.h > 0)) {
        fprintf(stderr, "trapeze check: --step must be positive\n");
        return STATUS_USAGE;
    }
    enum status s = load_model(call->argument[0], &options, &m, &diags);
    struct check_cost cost = {.step_s = plan.h};
    int planned = 0;
    if (s == STATUS_OK) {
        sense_check(m, &diags);
        s = mechanism_create(&me, m, &plan, &diags);
        planned = s == STATUS_OK;
    }
    if (s == STATUS_STOPPED) {
        fprintf(stderr, "trapeze check: stopped while %s was planned\n", call->argument[0]);
        load_free(m);
        diag_clear(&diags);
        return s;
    }
    if (planned) cost = check_cost_measure(&me, plan.h);
    if (call->value[OPTION_JSON])
        show_json(m, planned ? &me : NULL, &cost, &diags);
    else
        show_text(m, planned ? &me : NULL, &cost, &diags);
    if (s == STATUS_NO_MEMORY) fprintf(stderr, "trapeze check: %s\n", status_text(s));
    if (m && call->value[OPTION_DRAW]) {
        enum status drawn = draw(m, call->value[OPTION_DRAW]);
        if (drawn == STATUS_OK && !call->value[OPTION_JSON])
            printf("\ndrawn to %s\n", call->value[OPTION_DRAW]);
        if (s == STATUS_OK) s = drawn;
    }
    if (planned) mechanism_destroy(&me);
    load_free(m);
    diag_clear(&diags);
    return s;
}

const struct verb CHECK_VERB = {
    .name = "check",
    .arguments = "MODEL|RIG",
    .help = "read a model or rig file, say what is wrong, show the mechanism",
    .option = OPTION,
    .least = 1,
    .most = 1,
    .run = check_run};
