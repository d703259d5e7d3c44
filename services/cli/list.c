/* trapeze list, trapeze stop NAME: the rigs that run here. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "rt/link/name.h"
#include "services/cli/verbs.h"
#include "services/run/attach.h"

enum { OPTION_JSON };
enum { PATIENCE_MS = 10000, LOOK_MS = 20 };

/* What is shown of a rig. */
struct seen {
    struct port port;
    const char *state; /* "gone": its step process is */
    int pid;           /* of the supervisor */
};

static enum status look(const char *name, struct seen *s, char *why)
{
    struct record *r;
    enum status status = attach_open(name, &s->port, why);

    if (status != STATUS_OK) return status;
    r = calloc(1, s->port.layout.step.record.bytes);
    if (!r) return STATUS_NO_MEMORY;
    port_record(&s->port, r);
    s->state = port_step_alive(&s->port) ? name_state(r->state) : "gone";
    s->pid = atomic_load(&s->port.board->supervisor_pid);
    free(r);
    return STATUS_OK;
}

static void show_line(const char *name, const struct seen *s)
{
    const struct board *b = s->port.board;
    printf("%-24s %-8s  core %-3u  pid %-7d  %s\n", name, s->state, b->core, s->pid,
           b->endpoint[0] ? b->endpoint : "-");
}

static json_t *as_json(const char *name, const struct seen *s)
{
    const struct board *b = s->port.board;
    return json_pack("{s:s, s:s, s:i, s:i, s:s}", "rig", name, "state", s->state, "core",
                     (int)b->core, "pid", s->pid, "endpoint", b->endpoint);
}

static enum status list_run(const struct verb_call *call)
{
    char name[ATTACH_RIGS][ATTACH_RIG], why[200];
    int n = attach_list(name);
    json_t *all = json_array();

    for (int i = 0; i < n; i++) {
        struct seen s;
        if (look(name[i], &s, why) != STATUS_OK)
            fprintf(stderr, "trapeze list: %s: %s\n", name[i], why);
        else if (call->value[OPTION_JSON])
            json_array_append_new(all, as_json(name[i], &s));
        else
            show_line(name[i], &s);
    }
    if (call->value[OPTION_JSON]) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        printf("\n");
    } else if (n == 0) {
        fprintf(stderr, "no rig of this user runs here\n");
    }
    json_decref(all);
    return STATUS_OK;
}

static enum status stop_run(const struct verb_call *call)
{
    const char *name = call->argument[0];
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    char why[200] = "";
    struct seen s;
    enum status status = look(name, &s, why);

    if (status != STATUS_OK) {
        fprintf(stderr, "trapeze stop: %s\n", why[0] ? why : status_text(status));
        return status;
    }
    if (s.pid <= 1 || kill(s.pid, SIGTERM) != 0) {
        fprintf(stderr, "trapeze stop: %s (pid %d): %s\n", name, s.pid, strerror(errno));
        return errno == EPERM ? STATUS_RIGHTS : STATUS_REFUSED;
    }
    for (int waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
        if (kill(s.pid, 0) != 0) {
            printf("%s has ended\n", name);
            return STATUS_OK;
        }
        nanosleep(&nap, NULL);
    }
    fprintf(stderr, "trapeze stop: %s (pid %d) was asked to end and has not within %d s\n", name,
            s.pid, PATIENCE_MS / 1000);
    return STATUS_REFUSED;
}

static const struct verb_option OPTION[] = {
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of lines"},
    {NULL, NULL, NULL},
};
static const struct verb_option NO_OPTION[] = {{NULL, NULL, NULL}};

const struct verb LIST_VERB = {.name = "list",
                               .arguments = "",
                               .help = "the rigs that run: state, core, process, endpoint",
                               .option = OPTION,
                               .least = 0,
                               .most = 0,
                               .run = list_run};

const struct verb STOP_VERB = {.name = "stop",
                               .arguments = "NAME",
                               .help = "end a rig that runs: safe outputs, then the processes",
                               .option = NO_OPTION,
                               .least = 1,
                               .most = 1,
                               .run = stop_run};
