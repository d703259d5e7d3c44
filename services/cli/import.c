/* trapeze import ROBOT.urdf: a robot in URDF becomes a model file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/verbs.h"
#include "services/load/model/load.h"
#include "services/load/text/reader.h"
#include "services/load/urdf/urdf.h"
#include "services/plan/mechanism.h"

enum {
    OPTION_O,
    OPTION_SET,
    OPTION_FLOATING,
    OPTION_MERGE,
    OPTION_COMMAND,
    OPTION_NO_IO,
    OPTION_DENSITY,
    OPTION_STRICT
};

static const struct verb_option OPTION[] = {
    [OPTION_O] = {"-o", "MODEL.yaml", "the model file to write (default: standard output)"},
    [OPTION_SET] = {"--set", "JOINT=VALUE",
                    "start value of a joint, rad or m unless a unit is given; may be repeated"},
    [OPTION_FLOATING] = {"--floating", NULL,
                         "the root link moves freely (default: it is fixed in space)"},
    [OPTION_MERGE] = {"--merge", NULL, "links on fixed joints become one body"},
    [OPTION_COMMAND] = {"--command", "KIND",
                        "effort, position or velocity for every joint that is driven"},
    [OPTION_NO_IO] = {"--no-io", NULL, "neither actuators nor sensors"},
    [OPTION_DENSITY] = {"--density", "DENSITY",
                        "weigh links without <inertial> by their boxes, cylinders and spheres"},
    [OPTION_STRICT] = {"--strict", NULL, "refuse what would be mended with a warning"},
    {NULL, NULL, NULL},
};

static int read_options(const struct verb_call *call, struct urdf_options *o)
{
    static const char *const KIND[] = {"effort", "position", "velocity"};
    const char *command = call->value[OPTION_COMMAND];
    *o = (struct urdf_options){.floating = call->value[OPTION_FLOATING] != NULL,
                               .merge = call->value[OPTION_MERGE] != NULL,
                               .strict = call->value[OPTION_STRICT] != NULL,
                               .no_io = call->value[OPTION_NO_IO] != NULL,
                               .command = command,
                               .starts = call->set,
                               .n_starts = call->n_sets};
    int known = !command;
    for (int i = 0; i < 3; i++) known |= command && strcmp(command, KIND[i]) == 0;
    if (!known)
        fprintf(stderr, "trapeze import: --command is effort, position or velocity, not '%s'\n",
                command);
    if (!known || !verb_number(&IMPORT_VERB, call, OPTION_DENSITY, "kg/m3", &o->density)) return 0;
    if (o->density >= 0) return 1;
    fprintf(stderr, "trapeze import: --density must not be negative\n");
    return 0;
}

/* Beside the file first, then in its place: a reader never sees half a model. */
static enum status write_file(const char *path, const char *text)
{
    char beside[4096];
    int fits = snprintf(beside, sizeof beside, "%s.new", path) < (int)sizeof beside;
    FILE *to = fits ? fopen(beside, "w") : NULL;
    int good = to && fputs(text, to) >= 0;
    if (to && fclose(to) != 0) good = 0;
    if (good && rename(beside, path) == 0) return STATUS_OK;
    fprintf(stderr, "trapeze import: %s cannot be written: %s\n", path, strerror(errno));
    if (to) remove(beside);
    return STATUS_IO;
}

/* Read the model as `trapeze check` does and say in a line what it is. */
static enum status judge(const char *path, const char *text, struct diag_list *diags)
{
    struct plan_options plan = mechanism_options();
    struct mechanism me = {0};
    struct model *m = NULL;
    enum status s = load_text(path, text, strlen(text), NULL, &m, diags);
    if (s == STATUS_OK) s = mechanism_create(&me, m, &plan, diags);
    if (s == STATUS_OK) {
        fprintf(stderr,
                "%s: %u bodies, %u joints, %d degrees of freedom, %u actuators, %u sensors\n", path,
                m->bodies.n, m->joints.n, me.plan->dof, m->actuators.n, m->sensors.n);
        mechanism_destroy(&me);
    }
    load_free(m);
    return s;
}

static enum status import_text(const char *path, const struct urdf_options *o, char **text,
                               struct diag_list *diags)
{
    struct memory memory = {0};
    size_t n = 0;
    const char *urdf = reader_file_text(path, &memory, diags, &n);
    enum status s = urdf            ? urdf_import(path, urdf, n, o, text, diags)
                    : memory.failed ? STATUS_NO_MEMORY
                                    : STATUS_REFUSED;
    memory_release(&memory);
    return s;
}

static enum status import_run(const struct verb_call *call)
{
    struct urdf_options o;
    struct diag_list diags = {0}, after = {0};
    const char *out = call->value[OPTION_O];
    char *text = NULL;
    if (!read_options(call, &o)) return STATUS_USAGE;
    enum status s = import_text(call->argument[0], &o, &text, &diags);
    diag_print(&diags, stderr);
    if (diags.n_errors)
        fprintf(stderr, "%d error%s\n", diags.n_errors, diags.n_errors == 1 ? "" : "s");
    if (s == STATUS_NO_MEMORY) fprintf(stderr, "trapeze import: %s\n", status_text(s));
    if (s == STATUS_OK && !out) fputs(text, stdout);
    if (s == STATUS_OK && out) s = write_file(out, text);
    if (s == STATUS_OK) {
        s = judge(out ? out : "model", text, &after);
        diag_print(&after, stderr);
    }
    free(text);
    diag_clear(&diags);
    diag_clear(&after);
    return s;
}

const struct verb IMPORT_VERB = {.name = "import",
                                 .arguments = "ROBOT.urdf",
                                 .help = "turn a robot in URDF into a model file",
                                 .option = OPTION,
                                 .least = 1,
                                 .most = 1,
                                 .run = import_run};
