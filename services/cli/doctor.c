/* trapeze doctor: what this machine can promise, and how to mend it. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <open62541/config.h>

#include "services/cli/doctor_keys.h"
#include "services/cli/verbs.h"
#include "services/load/rig/rig.h"
#include "services/run/host.h"
#include "services/run/precheck.h"
#include "services/run/service_table.h"

enum { OPTION_JSON, OPTION_CORE };

static const struct verb_option OPTION[] = {
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of lines"},
    [OPTION_CORE] = {"--core", "N", "look at this core (default: the rig's, or the one chosen)"},
    {NULL, NULL, NULL},
};

/* ---- open62541 against its advisories ---------------------------------------------- */

/* Advisories of 2026 by number, the first 1.4 release that has the fix, and why the hole
 * cannot be reached here all the same (NULL: it can). */
static const struct {
    const char *number;
    int patch;
    const char *closed;
} ADVISORY[] = {
    {"0002", 17, NULL}, {"0003", 17, NULL},         {"0004", 17, NULL},
    {"0005", 17, NULL}, {"0007", 18, NULL},         {"0010", 18, NULL},
    {"0012", 18, NULL}, {"0013", 18, NULL},         {"0014", 18, NULL},
    {"0015", 18, NULL}, {"0018", 19, NULL},         {"0020", 19, "no registration"},
    {"0024", 19, NULL}, {"0027", 19, "no history"},
};
enum { OPCUA_WANTED = 18 };

/* The release that is loaded, from the library's file name; the header's where that does
 * not say. */
static int opcua_patch(void)
{
    char path[256];
    const char *at = host_library("libopen62541.so", path, sizeof path)
                         ? strstr(path, "libopen62541.so.1.4.")
                         : NULL;
    return at ? (int)strtol(at + strlen("libopen62541.so.1.4."), NULL, 10) : UA_OPEN62541_VER_PATCH;
}

/* Add words to what was found. */
__attribute__((format(printf, 2, 3))) static void add_words(struct host_fact *f, const char *format,
                                                            ...)
{
    size_t n = strlen(f->found);
    va_list list;

    va_start(list, format);
    vsnprintf(f->found + n, sizeof f->found - n, format, list);
    va_end(list);
}

/* The release that runs; whether it carries our mends (tools/opcua-mend), without which one
 * event filter of an observer ends the server; what is open beside that. */
static void probe_opcua(struct host *m)
{
    struct host_fact *f = host_add(m, "open62541", HOST_GOOD,
                                   "known holes of the library can be reached by clients");
    uintptr_t mends = (uintptr_t)dlsym(RTLD_DEFAULT, "trapeze_mends");
    int patch = opcua_patch(), open = 0, closed = 0;

    add_words(f, "1.4.%d, %s", patch,
              mends ? "event filters mended" : "NOT mended: an event filter can end it");
    for (size_t i = 0; i < sizeof ADVISORY / sizeof ADVISORY[0]; i++)
        if (patch < ADVISORY[i].patch && !ADVISORY[i].closed)
            add_words(f, "%s%s", open++ ? " " : "; open SA-2026-", ADVISORY[i].number);
    for (size_t i = 0; i < sizeof ADVISORY / sizeof ADVISORY[0]; i++)
        if (patch < ADVISORY[i].patch && ADVISORY[i].closed)
            add_words(f, "%s%s (%s)", closed++ ? ", " : "; out of reach ", ADVISORY[i].number,
                      ADVISORY[i].closed);
    if (open == 0 && mends) return;
    f->state = patch < OPCUA_WANTED || !mends ? HOST_MEND : HOST_NOTE;
    snprintf(f->remedy, sizeof f->remedy,
             mends ? "build with a newer open62541 1.4; keep the port on loopback"
                   : "build with `make`, which mends the library");
}

/* ---- showing ----------------------------------------------------------------------- */

static void show_lines(const struct host *m)
{
    for (int i = 0; i < m->n; i++) {
        const struct host_fact *f = &m->fact[i];
        printf("%-7s %-14s %s\n", host_state_text(f->state), f->key, f->found);
        if (f->state == HOST_GOOD) continue;
        printf("%-22s why: %s\n", "", f->why);
        if (f->remedy[0]) printf("%-22s do:  %s\n", "", f->remedy);
    }
    printf("\n%d to mend, %d could be better: deadlines are %s\n", host_count(m, HOST_MEND),
           host_count(m, HOST_NOTE),
           m->rt_kernel && m->isolated && m->can_fifo && m->can_lock
               ? "guaranteed, hardware permitting"
           : m->can_fifo && m->can_lock ? "watched but not guaranteed"
                                        : "neither kept nor guaranteed");
}

static void show_json(const struct host *m)
{
    json_t *list = json_array();
    for (int i = 0; i < m->n; i++) {
        const struct host_fact *f = &m->fact[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "key", f->key, "state",
                                              host_state_text(f->state), "found", f->found, "why",
                                              f->why, "remedy", f->remedy));
    }
    json_t *root = json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:i, s:i, s:o}", "core", m->core,
                             "service_cores", m->others, "preempt_rt", m->rt_kernel, "isolated",
                             m->isolated, "fifo", m->can_fifo, "memory_lock", m->can_lock,
                             "to_mend", host_count(m, HOST_MEND), "notes", host_count(m, HOST_NOTE),
                             "conditions", list);
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

/* Of a rig: can its services run; and where it runs now: is its step as it was set? */
static void probe_rig(const struct rig *rig, struct host *m)
{
    struct host_fact *f = host_add(m, "services", HOST_GOOD,
                                   "a service that can never run keeps the rig from being armed");
    int bad = precheck_services(rig, SERVICE_TABLE, 0) != STATUS_OK;
    struct port port;
    char why[200];
    uint32_t now;

    snprintf(f->found, sizeof f->found, "%d, %s", rig->n_services,
             bad ? "not all can run (see above)" : "can run by their settings");
    if (bad) {
        f->state = HOST_MEND;
        snprintf(f->remedy, sizeof f->remedy, "mend what is said above in %.100s", rig->file);
    }
    if (!attach_is_live(rig->name) || attach_open(rig->name, &port, why) != STATUS_OK) return;
    now = atomic_load(&port.board->scheduling);
    f = host_add(m, "step-thread", now ? HOST_MEND : HOST_GOOD,
                 "a step thread that somebody demoted or moved keeps no deadlines");
    snprintf(f->found, sizeof f->found, "it runs now, %s%s%s%s%s",
             now ? "changed:" : "as it was set", now & BOARD_POLICY ? " policy" : "",
             now & BOARD_PRIORITY ? " priority" : "", now & BOARD_CORE ? " core" : "",
             port.board->scheduling_changes && !now ? ", but was changed before" : "");
    if (now) snprintf(f->remedy, sizeof f->remedy, "start the rig again, and find out who did it");
}

/* The machine under the eyes of a rig, read from a file or all defaults. */
static enum status examine(const struct verb_call *call, struct rig *rig, struct host *m,
                           struct diag_list *diags)
{
    struct cores cores;
    double core = -1;
    enum status s;

    if (!verb_number(&DOCTOR_VERB, call, OPTION_CORE, "", &core)) return STATUS_USAGE;
    if (core >= 0) {
        rig->core = (int)core;
        rig->core_place = (struct place){"trapeze doctor", 0, 0};
    }
    s = cores_choose(rig, &cores, diags);
    if (s == STATUS_OK) host_probe(m, &cores, rig->priority);
    return s;
}

static enum status doctor_run(const struct verb_call *call)
{
    struct memory memory = {0};
    struct diag_list diags = {0};
    struct rig rig = {.core = -1, .priority = 80};
    struct host m;
    enum status s = STATUS_OK;

    if (call->n_arguments) s = rig_read(call->argument[0], &memory, &diags, &rig);
    if (s == STATUS_OK) s = examine(call, &rig, &m, &diags);
    diag_print(&diags, stderr);
    diag_clear(&diags);
    if (s == STATUS_OK && call->n_arguments) probe_rig(&rig, &m);
    memory_release(&memory);
    if (s != STATUS_OK) return s;
    probe_opcua(&m);
    doctor_keys(&m);
    if (call->value[OPTION_JSON])
        show_json(&m);
    else
        show_lines(&m);
    return host_count(&m, HOST_MEND) ? STATUS_REFUSED : STATUS_OK;
}

const struct verb DOCTOR_VERB = {.name = "doctor",
                                 .arguments = "[RIG]",
                                 .help = "what this machine can promise, and how to mend it",
                                 .option = OPTION,
                                 .least = 0,
                                 .most = 1,
                                 .run = doctor_run};
