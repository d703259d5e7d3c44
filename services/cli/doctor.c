/* trapeze doctor: what this machine can promise, and how to mend it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include <open62541/config.h>

#include "services/cli/verbs.h"
#include "services/load/rig.h"
#include "services/run/machine.h"

enum { OPTION_JSON, OPTION_CORE };

static const struct verb_option OPTION[] = {
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of lines"},
    [OPTION_CORE] = {"--core", "N", "look at this core (default: the rig's, or the one chosen)"},
    {NULL, NULL, NULL},
};

static struct machine_fact *add(struct machine *m, const char *key, enum machine_state state,
                                const char *why)
{
    struct machine_fact *f = &m->fact[m->n < MACHINE_FACTS - 1 ? m->n++ : m->n];
    *f = (struct machine_fact){.key = key, .state = state, .why = why};
    return f;
}

/* ---- open62541 against its advisories ---------------------------------------------- */

/* Advisories of 2026 and the first 1.4 release that has the fix. */
static const struct {
    const char *name;
    int patch;
} ADVISORY[] = {
    {"SA-2026-0002", 17}, {"SA-2026-0003", 17}, {"SA-2026-0004", 17}, {"SA-2026-0005", 17},
    {"SA-2026-0007", 18}, {"SA-2026-0010", 18}, {"SA-2026-0012", 18}, {"SA-2026-0013", 18},
    {"SA-2026-0014", 18}, {"SA-2026-0015", 18}, {"SA-2026-0018", 19}, {"SA-2026-0020", 19},
    {"SA-2026-0024", 19}, {"SA-2026-0027", 19},
};

static void probe_opcua(struct machine *m)
{
    const char *why = "known holes in the decoder can be reached before login";
    struct machine_fact *f = add(m, "open62541", MACHINE_GOOD, why);
    size_t n = 0;
    int open = 0;
    n += (size_t)snprintf(f->found, sizeof f->found, "%d.%d.%d", UA_OPEN62541_VER_MAJOR,
                          UA_OPEN62541_VER_MINOR, UA_OPEN62541_VER_PATCH);
    for (size_t i = 0; i < sizeof ADVISORY / sizeof ADVISORY[0]; i++) {
        if (UA_OPEN62541_VER_PATCH >= ADVISORY[i].patch) continue;
        if (n < sizeof f->found)
            n += (size_t)snprintf(f->found + n, sizeof f->found - n, "%s%s",
                                  open ? ", " : "; open: ", ADVISORY[i].name);
        open++;
    }
    if (open == 0) return;
    f->state = UA_OPEN62541_VER_PATCH < 18 ? MACHINE_MEND : MACHINE_NOTE;
    snprintf(f->remedy, sizeof f->remedy,
             "build with a newer open62541 1.4; keep the port on loopback");
}

/* ---- key files --------------------------------------------------------------------- */

static void state_folder(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (geteuid() == 0)
        snprintf(path, size, "/var/lib/trapeze");
    else if (state && state[0])
        snprintf(path, size, "%s/trapeze", state);
    else
        snprintf(path, size, "%s/.local/state/trapeze", home ? home : "");
}

static int is_secret(const char *name)
{
    return strstr(name, "key") || strstr(name, "users") || strstr(name, "password");
}

/* Count secrets that others may read; the first one's path stays in `bad`. */
static int open_secrets(const char *folder, int depth, int *n, char *bad, size_t size)
{
    struct dirent *e;
    DIR *d = opendir(folder);
    int open = 0;

    while (d && (e = readdir(d))) {
        char path[1024];
        struct stat s;
        if (e->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        if (lstat(path, &s) != 0) continue;
        if (S_ISDIR(s.st_mode) && depth < 3) open += open_secrets(path, depth + 1, n, bad, size);
        if (!S_ISREG(s.st_mode) || !is_secret(e->d_name)) continue;
        *n += 1;
        if ((s.st_mode & 077) == 0) continue;
        open++;
        snprintf(bad, size, "%.500s", path);
    }
    if (d) closedir(d);
    return open;
}

static void probe_keys(struct machine *m)
{
    char folder[512], bad[512] = "";
    int n = 0, open;
    struct machine_fact *f;

    state_folder(folder, sizeof folder);
    open = open_secrets(folder, 0, &n, bad, sizeof bad);
    f = add(m, "key-files", open ? MACHINE_MEND : MACHINE_GOOD,
            "who can read the keys can be the server");
    snprintf(f->found, sizeof f->found, "%d secret files in %.80s, %d open to others", n, folder,
             open);
    if (open) snprintf(f->remedy, sizeof f->remedy, "chmod 600 %.140s", bad);
}

/* ---- showing ----------------------------------------------------------------------- */

static void show_lines(const struct machine *m)
{
    for (int i = 0; i < m->n; i++) {
        const struct machine_fact *f = &m->fact[i];
        printf("%-7s %-14s %s\n", machine_state_text(f->state), f->key, f->found);
        if (f->state == MACHINE_GOOD) continue;
        printf("%-22s why: %s\n", "", f->why);
        if (f->remedy[0]) printf("%-22s do:  %s\n", "", f->remedy);
    }
    printf("\n%d to mend, %d could be better: deadlines are %s\n", machine_count(m, MACHINE_MEND),
           machine_count(m, MACHINE_NOTE),
           m->rt_kernel && m->isolated && m->can_fifo && m->can_lock
               ? "guaranteed, hardware permitting"
           : m->can_fifo && m->can_lock ? "watched but not guaranteed"
                                        : "neither kept nor guaranteed");
}

static void show_json(const struct machine *m)
{
    json_t *list = json_array();
    for (int i = 0; i < m->n; i++) {
        const struct machine_fact *f = &m->fact[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "key", f->key, "state",
                                              machine_state_text(f->state), "found", f->found,
                                              "why", f->why, "remedy", f->remedy));
    }
    json_t *root = json_pack("{s:i, s:b, s:b, s:b, s:b, s:i, s:i, s:o}", "core", m->core,
                             "preempt_rt", m->rt_kernel, "isolated", m->isolated, "fifo",
                             m->can_fifo, "memory_lock", m->can_lock, "to_mend",
                             machine_count(m, MACHINE_MEND), "notes",
                             machine_count(m, MACHINE_NOTE), "conditions", list);
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

/* Core and priority of the rig, where one is given. */
static enum status read_rig(const char *path, int *core, int *priority)
{
    struct memory memory = {0};
    struct diag_list diags = {0};
    struct rig rig;
    enum status s = rig_read(path, &memory, &diags, &rig);

    diag_print(&diags, stderr);
    if (s == STATUS_OK) {
        *core = rig.core;
        *priority = rig.priority;
    }
    diag_clear(&diags);
    memory_release(&memory);
    return s;
}

static enum status doctor_run(const struct verb_call *call)
{
    struct machine m;
    int core = -1, priority = 80;
    double asked = -1;
    enum status s = STATUS_OK;

    if (call->n_arguments) s = read_rig(call->argument[0], &core, &priority);
    if (s != STATUS_OK) return s;
    if (!verb_number(&DOCTOR_VERB, call, OPTION_CORE, "", &asked)) return STATUS_USAGE;
    if (asked >= 0) core = (int)asked;
    machine_probe(&m, core, priority);
    probe_opcua(&m);
    probe_keys(&m);
    if (call->value[OPTION_JSON])
        show_json(&m);
    else
        show_lines(&m);
    return machine_count(&m, MACHINE_MEND) ? STATUS_REFUSED : STATUS_OK;
}

const struct verb DOCTOR_VERB = {.name = "doctor",
                                 .arguments = "[RIG]",
                                 .help = "what this machine can promise, and how to mend it",
                                 .option = OPTION,
                                 .least = 0,
                                 .most = 1,
                                 .run = doctor_run};
