#include "services/run/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/run/attach.h"

#define CORES_FOLDER "/sys/devices/system/cpu/"

int cores_line(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    text[0] = 0;
    if (!f) return 0;
    if (fgets(text, (int)size, f)) text[strcspn(text, "\n")] = 0;
    fclose(f);
    return 1;
}

int cores_in_list(const char *list, int core)
{
    while (*list) {
        char *end;
        long from = strtol(list, &end, 10), to = from;
        if (end == list) return 0;
        if (*end == '-') to = strtol(end + 1, &end, 10);
        if (core >= from && core <= to) return 1;
        list = *end == ',' ? end + 1 : end;
        if (*end && *end != ',') return 0;
    }
    return 0;
}

const char *cores_text(const cpu_set_t *set, char text[CORES_TEXT])
{
    size_t n = 0;

    text[0] = 0;
    for (int i = 0; i < CPU_SETSIZE && n < CORES_TEXT; i++) {
        int last = i;
        if (!CPU_ISSET((size_t)i, set)) continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, set)) last++;
        n += (size_t)snprintf(text + n, CORES_TEXT - n, "%s%d", n ? "," : "", i);
        if (last > i && n < CORES_TEXT)
            n += (size_t)snprintf(text + n, CORES_TEXT - n, last > i + 1 ? "-%d" : ",%d", last);
        i = last;
    }
    return text;
}

/* ---- what the machine has ---------------------------------------------------------- */

/* Cores that are there, and those this process may use without asking. */
struct cores_machine {
    char online[256], isolated[256];
    cpu_set_t own;
};

static void look(struct cores_machine *m)
{
    char text[CORES_TEXT];

    CPU_ZERO(&m->own);
    sched_getaffinity(0, sizeof m->own, &m->own);
    if (!cores_line(CORES_FOLDER "online", m->online, sizeof m->online))
        snprintf(m->online, sizeof m->online, "%s", cores_text(&m->own, text));
    cores_line(CORES_FOLDER "isolated", m->isolated, sizeof m->isolated);
}

/* An isolated core, else the last of our own; none of `taken`. -1: all are taken. */
static int choose(const struct cores_machine *m, const cpu_set_t *taken)
{
    int last = -1;

    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t)i, taken)) continue;
        if (cores_in_list(m->isolated, i) && cores_in_list(m->online, i)) return i;
        if (CPU_ISSET((size_t)i, &m->own)) last = i;
    }
    return last;
}

/* ---- other rigs --------------------------------------------------------------------- */

struct cores_others {
    const char *self;        /* not to be counted */
    cpu_set_t steps;
    char name[CPU_SETSIZE][CORES_NAME];
};

static void note_other(const char *rig, const struct port *port, void *context)
{
    struct cores_others *o = context;
    uint32_t core = port->board->core;

    if (!port_step_alive(port) || core >= CPU_SETSIZE || (o->self && strcmp(rig, o->self) == 0))
        return;
    CPU_SET(core, &o->steps);
    snprintf(o->name[core], CORES_NAME, "%.*s", CORES_NAME - 1, rig);
}

/* Without the cores of other steps, if one is left for the services then. */
static int choose_apart(const struct cores_machine *m, const cpu_set_t *taken,
                        const struct cores_others *o)
{
    cpu_set_t all, left = m->own;
    int core;

    CPU_OR(&all, taken, &o->steps);
    core = choose(m, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (i == core || CPU_ISSET((size_t)i, &o->steps)) CPU_CLR((size_t)i, &left);
    return core >= 0 && CPU_COUNT(&left) > 0 ? core : choose(m, taken);
}

int cores_default(void)
{
    struct cores_machine m;
    cpu_set_t none;
    int core;

    look(&m);
    CPU_ZERO(&none);
    core = choose(&m, &none);
    return core < 0 ? 0 : core;
}

/* A cpuset may keep us from a core that is there: try it. */
static int may_use(const struct cores_machine *m, int core)
{
    cpu_set_t set;
    int granted;

    if (CPU_ISSET((size_t)core, &m->own)) return 1;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    granted = sched_setaffinity(0, sizeof set, &set) == 0;
    sched_setaffinity(0, sizeof m->own, &m->own);
    return granted;
}

static void check(const struct cores_machine *m, int core, const char *key, struct place at,
                  struct diag_list *diags)
{
    char text[CORES_TEXT];

    if (!cores_in_list(m->online, core))
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "%s: there is no core %d; this machine has %s", key, core, m->online);
    else if (!may_use(m, core))
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "%s: core %d is closed to this program by its cpuset; it may use %s", key, core,
                 cores_text(&m->own, text));
}

/* ---- choosing ---------------------------------------------------------------------- */

enum status cores_choose(const struct rig *rig, struct cores *c, struct diag_list *diags)
{
    struct cores_machine m;
    int before = diags->n_errors;
    struct place at = rig->service_cores_place;
    struct cores_others *others = calloc(1, sizeof *others);

    if (!others) return STATUS_NO_MEMORY;
    look(&m);
    CPU_ZERO(&c->services);
    for (int i = 0; i < rig->n_service_cores; i++) {
        check(&m, rig->service_core[i], "service-cores", at, diags);
        CPU_SET((size_t)rig->service_core[i], &c->services);
    }
    others->self = rig->name;
    attach_rigs(note_other, others);
    c->step = rig->core >= 0 ? rig->core : choose_apart(&m, &c->services, others);
    c->clash[0] = 0;
    if (c->step >= 0 && c->step < CPU_SETSIZE)
        snprintf(c->clash, sizeof c->clash, "%s", others->name[c->step]);
    free(others);
    if (rig->core >= 0) check(&m, rig->core, "core", rig->core_place, diags);
    if (c->step < 0)
        diag_add(diags, DIAG_ERROR, at.file, at.line, at.column,
                 "service-cores: none of the cores %s is left for the step", m.online);
    if (diags->n_errors > before) return STATUS_REFUSED;
    if (rig->n_service_cores == 0) {
        c->services = m.own;
        CPU_CLR((size_t)c->step, &c->services);
    }
    c->shared = CPU_COUNT(&c->services) == 0;
    if (c->shared) CPU_SET((size_t)c->step, &c->services);
    return STATUS_OK;
}
