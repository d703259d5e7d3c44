#include "services/load/rig/rig.h"

#include <math.h>
#include <string.h>

#include "services/base/names.h"
#include "services/load/text/schema.h"
#include "services/load/text/value.h"

/* ---- the keys ---------------------------------------------------------------------- */

enum key_rig {
    KEY_RIG,
    KEY_FORMAT,
    KEY_DESCRIPTION,
    KEY_MODEL,
    KEY_PARAMETERS,
    KEY_STEP,
    KEY_DEADLINE,
    KEY_CORE,
    KEY_SERVICE_CORES,
    KEY_PRIORITY,
    KEY_PACE,
    KEY_SPIN,
    KEY_ON_MISS,
    KEY_TRIP,
    KEY_COMMANDS,
    KEY_ACTUATORS,
    KEY_ITERATIONS,
    KEY_FORMULATION,
    KEY_AUTHORITY,
    KEY_LOCKSTEP,
    KEY_AUTOSTART,
    KEY_SERVICES,
    KEY_DRIVE,
    KEY_SHOW
};

static const struct schema_key RIG[] = {
    [KEY_RIG] = {"rig", SCHEMA_TEXT, 0, "the file's name", 0, "name of the rig"},
    [KEY_FORMAT] = {"format", SCHEMA_NUMBER, "", "1", 0, "form of this file; this program reads 1"},
    [KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
    [KEY_MODEL] = {"model", SCHEMA_TEXT, 0, 0, 0, "model file, from the folder of this file"},
    [KEY_PARAMETERS] = {"parameters", SCHEMA_MAP, 0, "", 0,
                        "name: value, for parameters of the model"},
    [KEY_STEP] = {"step", SCHEMA_NUMBER, "s", 0, 0, "interval of the grid, 50e-6 ... 0.1"},
    [KEY_DEADLINE] = {"deadline", SCHEMA_NUMBER, "s", "step", 0,
                      "a result later than this after its release is a miss; at most step"},
    [KEY_CORE] = {"core", SCHEMA_TEXT, 0, "auto", 0,
                  "processor core of the step; auto: an isolated one, else the last"},
    [KEY_SERVICE_CORES] = {"service-cores", SCHEMA_NUMBERS, "", "all others", 0,
                           "processor cores of the services and the supervisor"},
    [KEY_PRIORITY] = {"priority", SCHEMA_NUMBER, "", "80", 0, "SCHED_FIFO, 1 ... 98"},
    [KEY_PACE] = {"pace", SCHEMA_CHOICE, 0, "realtime", RIG_PACES,
                  "on the clock's grid; or when the frame for the last step has arrived; or "
                  "as fast as it goes, without deadlines"},
    [KEY_SPIN] = {"spin", SCHEMA_NUMBER, "s", "0", 0,
                  "busy wait over the last part of the sleep, at most a tenth of the step"},
    [KEY_ON_MISS] = {"on-miss", SCHEMA_CHOICE, 0, "skip", RIG_POLICIES,
                     "skip: publish late, then one step of 2h at most; finish-late: always h; "
                     "hold: keep showing the last values; stop: to the safe state"},
    [KEY_TRIP] = {"trip", SCHEMA_MAP, 0, "", 0, "when misses lead to the safe state"},
    [KEY_COMMANDS] = {"commands", SCHEMA_MAP, 0, "", 0, "what happens when commands stop"},
    [KEY_ACTUATORS] = {"actuators", SCHEMA_MAP, 0, "", 0,
                       "name: the keys of commands that differ for this actuator"},
    [KEY_ITERATIONS] = {"iterations", SCHEMA_NUMBER, "", "as the model says", 0,
                        "most Newton iterations; may lower the model's bound, not raise it"},
    [KEY_FORMULATION] = {"formulation", SCHEMA_CHOICE, 0, "index3", RIG_FORMULATIONS,
                         "how a step is done; index3: positions by Newton, velocities and "
                         "accelerations projected, order 2"},
    [KEY_AUTHORITY] = {"authority", SCHEMA_MAP, 0, "", 0, "who may command"},
    [KEY_LOCKSTEP] = {"lockstep", SCHEMA_MAP, 0, "", 0, "for pace lockstep"},
    [KEY_AUTOSTART] = {"autostart", SCHEMA_FLAG, 0, "false", 0, "arm and start by itself"},
    [KEY_SERVICES] = {"services", SCHEMA_MAP, 0, "", 0, "name: its keys; started with the rig"},
    [KEY_DRIVE] = {"drive", SCHEMA_MAP, 0, "", 0, "key of the terminal client: what it moves"},
    [KEY_SHOW] = {"show", SCHEMA_NAMES, 0, "all", 0,
                  "sensors, or channels such as tip.x, that the terminal client shows"},
};

enum key_trip { TRIP_KEY_CONSECUTIVE, TRIP_KEY_MISSES, TRIP_KEY_WINDOW };
static const struct schema_key TRIP[] = {
    [TRIP_KEY_CONSECUTIVE] = {"consecutive", SCHEMA_NUMBER, "", "10", 0,
                              "misses in a row; 0: never"},
    [TRIP_KEY_MISSES] = {"misses", SCHEMA_NUMBER, "", "0", 0,
                         "misses per window; 0: never; at most 256"},
    [TRIP_KEY_WINDOW] = {"window", SCHEMA_NUMBER, "", "1000", 0, "slots of the grid"},
};

enum key_command { COMMAND_KEY_TIMEOUT, COMMAND_KEY_ACTION, COMMAND_KEY_RAMP };
static const struct schema_key COMMAND[] = {
    [COMMAND_KEY_TIMEOUT] = {"timeout", SCHEMA_NUMBER, "s", "0.1", 0,
                             "longest time between two writes under stream authority; 0: never"},
    [COMMAND_KEY_ACTION] = {"action", SCHEMA_CHOICE, 0, "ramp", RIG_ACTIONS,
                            "command zero; hold the last one; ramp to the model's safe value"},
    [COMMAND_KEY_RAMP] = {"ramp", SCHEMA_NUMBER, "s", "0.5", 0, "how long the ramp takes"},
};

enum key_authority { AUTHORITY_KEY_LEASE, AUTHORITY_KEY_PREEMPT };
static const struct schema_key AUTHORITY[] = {
    [AUTHORITY_KEY_LEASE] = {"lease", SCHEMA_NUMBER, "s", "2", 0,
                             "life of authority without a sign of its holder"},
    [AUTHORITY_KEY_PREEMPT] = {"preempt", SCHEMA_NAMES, 0, "[]", 0,
                               "services that may take it from another"},
};

enum key_lockstep { LOCKSTEP_KEY_TIMEOUT, LOCKSTEP_KEY_POLL };
static const struct schema_key LOCKSTEP[] = {
    [LOCKSTEP_KEY_TIMEOUT] = {"timeout", SCHEMA_NUMBER, "s", "1", 0,
                              "without a frame for so long: holding"},
    [LOCKSTEP_KEY_POLL] = {"poll", SCHEMA_NUMBER, "s", "50e-6", 0, "between two looks for it"},
};

enum key_drive { DRIVE_KEY_ACTUATOR, DRIVE_KEY_RATE, DRIVE_KEY_BACK };
static const struct schema_key DRIVE[] = {
    [DRIVE_KEY_ACTUATOR] = {"actuator", SCHEMA_NAME, 0, 0, 0, "which one"},
    [DRIVE_KEY_RATE] = {"rate", SCHEMA_NUMBER, "", 0, 0,
                        "change of its command per second, in its unit, while held"},
    [DRIVE_KEY_BACK] = {"back", SCHEMA_NUMBER, "", "0", 0,
                        "per second back to the start value when let go"},
};

#define KEYS(table) (table), (int)(sizeof(table) / sizeof(table)[0]), 0, 0
static const struct schema KEYS_RIG = {"a rig", KEYS(RIG)};
static const struct schema KEYS_TRIP = {"trip", KEYS(TRIP)};
static const struct schema KEYS_COMMAND = {"commands", KEYS(COMMAND)};
static const struct schema KEYS_AUTHORITY = {"authority", KEYS(AUTHORITY)};
static const struct schema KEYS_LOCKSTEP = {"lockstep", KEYS(LOCKSTEP)};
static const struct schema_key OPCUA[] = {
    {"port", SCHEMA_NUMBER, NULL, "4840, or one of the next ten", 0, "TCP port, 1024 ... 65535"},
    {"address", SCHEMA_TEXT, NULL, "127.0.0.1", 0,
     "own address to listen on, 0.0.0.0 for all; --insecure opens the loopback only"},
    {"pubsub", SCHEMA_MAP, NULL, "", 0, "the fast lane; off without this key"},
    {"required", SCHEMA_FLAG, NULL, "true", 0,
     "the rig is not armed without the service, and goes safe when it is lost for good; a key of "
     "every service, elsewhere false by default"},
};
static const struct schema KEYS_OPCUA = {"opcua", KEYS(OPCUA)};
static const struct schema KEYS_DRIVE = {"a key of drive", KEYS(DRIVE)};

static const char *const RIG_SERVICES[] = {"opcua", "recorder", "null"};
enum { RIG_SERVICES_N = sizeof RIG_SERVICES / sizeof RIG_SERVICES[0], RIG_LAST_CORE = 1023 };

#define ROUNDING 1e-15
#define TIMEOUT_NOTED_S 5

/* ---- reading ----------------------------------------------------------------------- */

/* The reader of one file. */
struct rig_reader {
    struct value_reader value;
    struct rig *rig;
};

static int rig_number_between(const struct rig_reader *r, const struct node *node, const char *what,
                              const char *unit, double lower, double upper, double *out)
{
    double v;
    if (!node || !value_number(&r->value, node, what, unit, &v)) return 0;
    /* 50 us is an ulp off 5e-5 s: what is a bound but for rounding is the bound */
    if (v >= lower * (1 - ROUNDING) && v <= upper * (1 + ROUNDING)) {
        *out = fmin(fmax(v, lower), upper);
        return 1;
    }
    message_add(r->value.diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s must lie between %g and %g %s, not %g", what, lower, upper, unit, v);
    return 0;
}

static void rig_integer(const struct rig_reader *r, const struct node *node, const char *what,
                        long lower, long upper, int *out)
{
    long v;
    if (node && value_integer(&r->value, node, what, lower, upper, &v)) *out = (int)v;
}

static void rig_core(struct rig_reader *r, const struct node *node)
{
    r->rig->core = -1;
    if (!node || strcmp(node->text, "auto") == 0) return;
    r->rig->core_place = node->place;
    rig_integer(r, node, "core", 0, RIG_LAST_CORE, &r->rig->core);
}

static void rig_service_cores(struct rig_reader *r, const struct node *node)
{
    struct rig *rig = r->rig;

    if (!node) return;
    rig->service_cores_place = node->place;
    if (!node->first)
        message_add(r->value.diags, node->place, MESSAGE_OUT_OF_RANGE,
                    "service-cores must name a core at least; leave it out for all others");
    rig->service_core = memory_take(r->value.memory, (size_t)node->n + 1, sizeof(int));
    for (const struct node *e = node->first; e && rig->service_core; e = e->next) {
        int *core = &rig->service_core[rig->n_service_cores];
        *core = -1;
        rig_integer(r, e, "service-cores", 0, RIG_LAST_CORE, core);
        if (*core >= 0) rig->n_service_cores++;
        if (*core >= 0 && *core == rig->core)
            message_add(r->value.diags, e->place, MESSAGE_OUT_OF_RANGE,
                        "service-cores: core %d is the step's; services there would delay it",
                        *core);
    }
}

static void rig_time(struct rig_reader *r, const struct node *const *f)
{
    struct rig *rig = r->rig;
    double least = 50e-6;

    rig->step = 1e-3;
    rig_number_between(r, f[KEY_STEP], "step", "s", least, 0.1, &rig->step);
    rig->deadline = rig->step;
    if (f[KEY_DEADLINE])
        rig_number_between(r, f[KEY_DEADLINE], "deadline", "s", 10e-6, rig->step, &rig->deadline);
    rig_number_between(r, f[KEY_SPIN], "spin", "s", 0, rig->step / 10, &rig->spin);
    rig_core(r, f[KEY_CORE]);
    rig_service_cores(r, f[KEY_SERVICE_CORES]);
    rig->priority = 80;
    rig_integer(r, f[KEY_PRIORITY], "priority", 1, 98, &rig->priority);
    if (f[KEY_PACE]) value_choice(&r->value, f[KEY_PACE], "pace", RIG_PACES, &rig->pace);
    if (f[KEY_ON_MISS])
        value_choice(&r->value, f[KEY_ON_MISS], "on-miss", RIG_POLICIES, &rig->policy);
    if (f[KEY_AUTOSTART]) value_flag(&r->value, f[KEY_AUTOSTART], "autostart", &rig->autostart);
    rig_integer(r, f[KEY_ITERATIONS], "iterations", 1, 20, &rig->iterations);
    if (f[KEY_ITERATIONS]) rig->iterations_place = f[KEY_ITERATIONS]->place;
    if (f[KEY_FORMULATION])
        value_choice(&r->value, f[KEY_FORMULATION], "formulation", RIG_FORMULATIONS,
                     &rig->formulation);
}

static void rig_trip(struct rig_reader *r, const struct node *node)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    struct rig *rig = r->rig;

    rig->trip_consecutive = 10;
    rig->trip_window = 1000;
    if (!node) return;
    schema_walk(&KEYS_TRIP, node, "trip", r->value.diags, f);
    rig_integer(r, f[TRIP_KEY_CONSECUTIVE], "consecutive", 0, 1000000, &rig->trip_consecutive);
    rig_integer(r, f[TRIP_KEY_MISSES], "misses", 0, 256, &rig->trip_misses);
    rig_integer(r, f[TRIP_KEY_WINDOW], "window", 1, 1000000000, &rig->trip_window);
}

static void rig_command(struct rig_reader *r, const struct node *node, const char *name,
                        struct rig_command *c)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    schema_walk(&KEYS_COMMAND, node, name, r->value.diags, f);
    if (rig_number_between(r, f[COMMAND_KEY_TIMEOUT], "timeout", "s", 0, 3600, &c->timeout) &&
        c->timeout > TIMEOUT_NOTED_S)
        diag_add(
            r->value.diags, DIAG_NOTE, f[COMMAND_KEY_TIMEOUT]->place.file,
            f[COMMAND_KEY_TIMEOUT]->place.line, f[COMMAND_KEY_TIMEOUT]->place.column,
            "timeout: %g s go by before anybody notices that commands stay away; a bare number "
            "is seconds: %g ms was meant?",
            c->timeout, c->timeout);
    rig_number_between(r, f[COMMAND_KEY_RAMP], "ramp", "s", 0, 3600, &c->ramp);
    if (f[COMMAND_KEY_ACTION])
        value_choice(&r->value, f[COMMAND_KEY_ACTION], "action", RIG_ACTIONS, &c->action);
}

static void rig_commands(struct rig_reader *r, const struct node *node,
                         const struct node *actuators)
{
    struct rig *rig = r->rig;

    rig->command = (struct rig_command){.timeout = 0.1, .ramp = 0.5, .action = RIG_RAMP};
    if (node) rig_command(r, node, "commands", &rig->command);
    if (!actuators) return;
    rig->actuator = memory_take(r->value.memory, (size_t)actuators->n + 1, sizeof *rig->actuator);
    for (const struct node *e = actuators->first; e && rig->actuator; e = e->next) {
        struct rig_actuator *a = &rig->actuator[rig->n_actuators++];
        *a = (struct rig_actuator){
            .name = e->key->text, .place = e->key->place, .command = rig->command};
        rig_command(r, e, a->name, &a->command);
    }
}

static void rig_authority(struct rig_reader *r, const struct node *node)
{
    const struct node *f[SCHEMA_MAX_KEYS], *names;
    struct rig *rig = r->rig;

    rig->lease = 2;
    if (!node) return;
    schema_walk(&KEYS_AUTHORITY, node, "authority", r->value.diags, f);
    rig_number_between(r, f[AUTHORITY_KEY_LEASE], "lease", "s", 0.01, 3600, &rig->lease);
    names = f[AUTHORITY_KEY_PREEMPT];
    if (!names) return;
    rig->preempt = memory_take(r->value.memory, (size_t)names->n + 1, sizeof *rig->preempt);
    for (const struct node *e = names->first; e && rig->preempt; e = e->next)
        if (value_text(&r->value, e, "preempt", &rig->preempt[rig->n_preempts])) rig->n_preempts++;
}

static void rig_lockstep(struct rig_reader *r, const struct node *node)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    struct rig *rig = r->rig;

    rig->lockstep_timeout = 1;
    rig->lockstep_poll = 50e-6;
    if (!node) return;
    schema_walk(&KEYS_LOCKSTEP, node, "lockstep", r->value.diags, f);
    rig_number_between(r, f[LOCKSTEP_KEY_TIMEOUT], "timeout", "s", 1e-3, 3600,
                       &rig->lockstep_timeout);
    rig_number_between(r, f[LOCKSTEP_KEY_POLL], "poll", "s", 20e-6, 0.01, &rig->lockstep_poll);
}

static void rig_parameters(struct rig_reader *r, const struct node *node)
{
    struct rig *rig = r->rig;

    if (!node) return;
    rig->set = memory_take(r->value.memory, (size_t)node->n + 1, sizeof *rig->set);
    for (const struct node *e = node->first; e && rig->set; e = e->next) {
        struct rig_set *s = &rig->set[rig->n_sets];
        s->name = e->key->text;
        s->place = e->place;
        if (value_text(&r->value, e, s->name, &s->value)) rig->n_sets++;
    }
}

static int rig_service_known(const char *name, const char **nearest)
{
    int best = 1000;
    *nearest = NULL;
    for (int i = 0; i < RIG_SERVICES_N; i++) {
        int d = names_distance(name, RIG_SERVICES[i]);
        if (d == 0) return 1;
        if (d < best && names_is_near(name, d)) best = d, *nearest = RIG_SERVICES[i];
    }
    return 0;
}

/* The model's path, or another's, from the folder of the rig file. */
static const char *rig_path(struct memory *memory, const char *file, const char *model)
{
    const char *slash = strrchr(file, '/');
    int n = slash && model[0] != '/' ? (int)(slash - file) + 1 : 0;
    size_t size = (size_t)n + strlen(model) + 1;
    char *path = memory_take(memory, size, 1);

    if (path) snprintf(path, size, "%.*s%s", n, file, model);
    return path;
}

/* Of the keys of opcua the one that is more than a word. */
static void rig_opcua(struct rig_reader *r, const struct node *keys)
{
    struct fastlane *f = &r->rig->fastlane;

    for (const struct node *n = keys->first; n; n = n->next)
        if (strcmp(n->key->text, "pubsub") == 0) fastlane_read(&r->value, n, f);
    if (f->keys) f->keys = rig_path(r->value.memory, f->keys_place.file, f->keys);
}

/* What a person needs to command the rig is demanded, if the file does not say else. */
static void rig_required(struct rig_reader *r, struct rig_service *s)
{
    s->required = strcmp(s->name, "opcua") == 0;
    for (const struct node *n = s->keys ? s->keys->first : NULL; n; n = n->next)
        if (strcmp(n->key->text, "required") == 0)
            value_flag(&r->value, n, "required", &s->required);
}

static void rig_services(struct rig_reader *r, const struct node *node)
{
    struct rig *rig = r->rig;
    const char *near;

    if (!node) return;
    rig->service = memory_take(r->value.memory, (size_t)node->n + 1, sizeof *rig->service);
    for (const struct node *e = node->first; e && rig->service; e = e->next) {
        const char *name = e->key->text;
        if (!rig_service_known(name, &near)) {
            if (near)
                message_add(r->value.diags, e->key->place, MESSAGE_UNKNOWN_KEY,
                            "services: '%.40s' is no service; did you mean '%s'?", name, near);
            else
                message_add(r->value.diags, e->key->place, MESSAGE_UNKNOWN_KEY,
                            "services: '%.40s' is no service; known are opcua recorder", name);
            continue;
        }
        rig->service[rig->n_services++] = (struct rig_service){
            .name = name, .keys = e->kind == NODE_MAP ? e : NULL, .place = e->key->place};
        rig_required(r, &rig->service[rig->n_services - 1]);
        if (e->kind == NODE_MAP && strcmp(name, "opcua") == 0) rig_opcua(r, e);
        if (e->kind != NODE_MAP && !reader_is_empty(e))
            message_add(r->value.diags, e->place, MESSAGE_WRONG_KIND,
                        "%s must be a map with its keys or empty, not %s", name,
                        reader_kind_text(e));
    }
}

static void rig_drive(struct rig_reader *r, const struct node *node)
{
    struct rig *rig = r->rig;

    if (!node) return;
    rig->key = memory_take(r->value.memory, (size_t)node->n + 1, sizeof *rig->key);
    for (const struct node *e = node->first; e && rig->key; e = e->next) {
        const struct node *f[SCHEMA_MAX_KEYS];
        struct rig_key k = {.key = e->key->text, .place = e->place};
        if (!schema_walk(&KEYS_DRIVE, e, k.key, r->value.diags, f)) continue;
        if (!value_text(&r->value, f[DRIVE_KEY_ACTUATOR], "actuator", &k.actuator) ||
            !value_number(&r->value, f[DRIVE_KEY_RATE], "rate", "", &k.rate))
            continue;
        if (f[DRIVE_KEY_BACK]) value_number(&r->value, f[DRIVE_KEY_BACK], "back", "", &k.back);
        rig->key[rig->n_keys++] = k;
    }
}

static void rig_show(struct rig_reader *r, const struct node *node)
{
    struct rig *rig = r->rig;

    if (!node) return;
    rig->show = memory_take(r->value.memory, (size_t)node->n + 1, sizeof *rig->show);
    for (const struct node *e = node->first; e && rig->show; e = e->next) {
        struct rig_show *s = &rig->show[rig->n_shows];
        s->place = e->place;
        if (value_text(&r->value, e, "show", &s->sensor)) rig->n_shows++;
    }
}

static const char *rig_stem(struct memory *memory, const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *dot = strrchr(name, '.');
    return memory_text(memory, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static int rig_has(const struct node *root, const char *const *key)
{
    for (int i = 0; key[i]; i++)
        if (reader_find(root, key[i])) return 1;
    return 0;
}

/* Keys of which a file has one only if it is a model, or a rig. */
static const char *const OF_MODEL[] = {"bodies", "joints",   "forces",  "sensors", "components",
                                       "use",    "switches", "gravity", "motions", NULL};
static const char *const OF_RIG[] = {"rig",       "step",      "services", "core",
                                     "priority",  "pace",      "trip",     "on-miss",
                                     "authority", "autostart", NULL};

static int rig_is_model(const struct node *root)
{
    return root->kind == NODE_MAP && rig_has(root, OF_MODEL) && !rig_has(root, OF_RIG);
}

int rig_is_rig(const char *path)
{
    struct memory memory = {.limit = (size_t)64 << 20};
    struct diag_list diags = {0};
    const struct node *root = NULL;
    enum status s = reader_read_file(path, &memory, &diags, &root);
    int yes = s == STATUS_OK && root && root->kind == NODE_MAP && rig_has(root, OF_RIG) &&
              !rig_has(root, OF_MODEL);
    diag_clear(&diags);
    memory_release(&memory);
    return yes;
}

static void rig_fill(struct rig_reader *r, const struct node *root, const char *file)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    struct memory *memory = r->value.memory;
    struct rig *rig = r->rig;
    const char *text;

    if (rig_is_model(root)) {
        message_add(
            r->value.diags, (struct place){root->place.file, 0, 0}, MESSAGE_WRONG_KIND,
            "this is a model, a rig file is wanted: one that names it, as model: %s; sim and "
            "check take models",
            root->place.file);
        return;
    }
    schema_walk(&KEYS_RIG, root, "the rig", r->value.diags, f);
    if (root->kind != NODE_MAP) return;
    rig->file = memory_text(memory, file, strlen(file));
    rig->name = rig_stem(memory, file);
    if (f[KEY_RIG]) value_text(&r->value, f[KEY_RIG], "rig", &rig->name);
    value_format(&r->value, f[KEY_FORMAT]);
    rig->description = "";
    if (f[KEY_DESCRIPTION]) rig->description = f[KEY_DESCRIPTION]->text;
    if (f[KEY_MODEL] && value_text(&r->value, f[KEY_MODEL], "model", &text))
        rig->model = rig_path(memory, file, text);
    rig_time(r, f);
    rig_trip(r, f[KEY_TRIP]);
    rig_commands(r, f[KEY_COMMANDS], f[KEY_ACTUATORS]);
    rig_authority(r, f[KEY_AUTHORITY]);
    rig_lockstep(r, f[KEY_LOCKSTEP]);
    rig_parameters(r, f[KEY_PARAMETERS]);
    rig_services(r, f[KEY_SERVICES]);
    rig_drive(r, f[KEY_DRIVE]);
    rig_show(r, f[KEY_SHOW]);
    for (int i = 0; i < rig->n_preempts; i++)
        if (!rig_service_known(rig->preempt[i], &text))
            message_add(r->value.diags, f[KEY_AUTHORITY]->place, MESSAGE_UNKNOWN_KEY,
                        "preempt: '%.40s' is no service; known are opcua recorder",
                        rig->preempt[i]);
}

static enum status rig_from_tree(const char *file, const struct node *root, struct memory *memory,
                                 struct diag_list *diags, struct rig *rig)
{
    struct rig_reader r = {.value = {.memory = memory, .diags = diags}, .rig = rig};

    *rig = (struct rig){.core = -1};
    rig_fill(&r, root, file);
    if (memory->failed) return STATUS_NO_MEMORY;
    return diags->n_errors ? STATUS_REFUSED : STATUS_OK;
}

enum status rig_read(const char *path, struct memory *memory, struct diag_list *diags,
                     struct rig *rig)
{
    const struct node *root;
    enum status s = reader_read_file(path, memory, diags, &root);
    return root ? rig_from_tree(path, root, memory, diags, rig) : s;
}

enum status rig_read_text(const char *file, const char *text, size_t n, struct memory *memory,
                          struct diag_list *diags, struct rig *rig)
{
    const struct node *root;
    enum status s = reader_read_text(file, text, n, memory, diags, &root);
    return root ? rig_from_tree(file, root, memory, diags, rig) : s;
}

/* ---- FORMAT.md --------------------------------------------------------------------- */

static void rig_write_table(FILE *to, const char *title, const struct schema *s)
{
    fprintf(to, "\n%s\n\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n",
            title);
    for (int i = 0; i < s->n_keys; i++) {
        const struct schema_key *k = &s->key[i];
        fprintf(to, "| `%s` | %s%s%s%s | %s | %s | %s |\n", k->key, schema_kind_text(k->kind),
                k->choices ? ": `" : "", k->choices ? k->choices : "", k->choices ? "`" : "",
                k->unit ? k->unit : "", k->fallback ? k->fallback : "required", k->help);
    }
}

void rig_write_format(FILE *to)
{
    fprintf(to, "## Rig files\n\n"
                "A rig file says which model runs, how fast, on which core, and what happens "
                "when a deadline is missed or commands stop. Numbers may carry units: `1 ms`, "
                "`500 us`.\n\n"
                "    rig: bench\n"
                "    model: ../models/pendulum.yaml\n"
                "    parameters: {l: 1.2 m}\n"
                "    step: 1 ms\n"
                "    deadline: 800 us\n"
                "    on-miss: skip\n"
                "    commands: {timeout: 100 ms, action: ramp, ramp: 0.5 s}\n"
                "    services: {opcua: {port: 4840}}\n");
    rig_write_table(to, "A rig:", &KEYS_RIG);
    rig_write_table(to, "`trip`, when misses lead to the safe state:", &KEYS_TRIP);
    rig_write_table(to, "`commands`, and each entry of `actuators`:", &KEYS_COMMAND);
    rig_write_table(to, "`authority`:", &KEYS_AUTHORITY);
    rig_write_table(to, "`lockstep`:", &KEYS_LOCKSTEP);
    rig_write_table(to, "`drive`, each key of the terminal client:", &KEYS_DRIVE);
    rig_write_table(
        to,
        "`services` has one entry for each service, its name and its keys. `opcua`, the "
        "OPC UA server:",
        &KEYS_OPCUA);
    rig_write_table(to, "`pubsub` of the service `opcua`, the fast lane, off without this key:",
                    &FASTLANE_KEYS);
    rig_write_table(to, "`commands` of `pubsub`:", &FASTLANE_COMMAND_KEYS);
}
