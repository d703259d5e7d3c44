/* trapeze run RIG: the rig as a service, until Ctrl-C. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/verbs.h"
#include "services/run/rig_setup.h"

enum {
    OPTION_DEGRADED,
    OPTION_DURATION,
    OPTION_UNTIL,
    OPTION_STEPS,
    OPTION_READY,
    OPTION_LOG,
    OPTION_PACE,
    OPTION_SET,
    OPTION_QUIET,
    OPTION_INSECURE,
    OPTION_INJECT
};
enum { MAX_INJECT = 256 };

static const struct verb_option OPTION[] = {
    [OPTION_DEGRADED] = {"--allow-degraded", NULL,
                         "run also without real-time rights, or when admission refuses"},
    [OPTION_DURATION] = {"--duration", "TIME", "end by itself after this time on the clock"},
    [OPTION_UNTIL] = {"--until", "TIME", "hold and end at this simulation time"},
    [OPTION_STEPS] = {"--steps", "N", "hold and end after so many steps"},
    [OPTION_READY] = {"--ready", "FILE",
                      "write rig, pid, state and endpoint to it when everything is up; it goes at "
                      "the end"},
    [OPTION_LOG] = {"--log", "FORMAT", "text or json: how to say what happens, a line each"},
    [OPTION_PACE] = {"--pace", "PACE", "realtime, lockstep or free, instead of the rig's"},
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_QUIET] = {"--quiet", NULL, "say only what is wrong, and the end"},
    [OPTION_INSECURE] = {"--insecure", NULL,
                         "services open the loopback without keys and passwords, for a first try"},
    [OPTION_INJECT] = {"--inject", "STEP:PERIODS,...",
                       "for tests: make these steps longer by so many periods"},
    {NULL, NULL, NULL},
};

static int by_step(const void *a, const void *b)
{
    const struct tick_inject *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

/* "100:1.5,200:10": steps and busy periods. Returns how many, -1 after a message. */
static int read_inject(const char *text, double period, struct tick_inject *to)
{
    int n = 0;

    while (text && *text) {
        char *end;
        unsigned long long step = strtoull(text, &end, 10);
        double periods = *end == ':' ? strtod(end + 1, &end) : -1;
        if (n == MAX_INJECT || step == 0 || !(periods >= 0 && periods <= 1e4) ||
            (*end && *end != ',')) {
            fprintf(stderr,
                    "trapeze run: --inject takes up to %d STEP:PERIODS, like 100:1.5,200:10\n",
                    MAX_INJECT);
            return -1;
        }
        to[n++] = (struct tick_inject){.step = step, .busy_ns = (int64_t)(periods * period * 1e9)};
        text = *end ? end + 1 : end;
    }
    qsort(to, (size_t)n, sizeof *to, by_step);
    return n;
}

static int read_pace(const char *text, int *pace)
{
    static const char *const WORD[] = {"realtime", "lockstep", "free"};
    if (!text) return 1;
    for (int i = 0; i < 3; i++)
        if (strcmp(text, WORD[i]) == 0) {
            *pace = i;
            return 1;
        }
    fprintf(stderr, "trapeze run: --pace is realtime, lockstep or free, not '%s'\n", text);
    return 0;
}

/* Whole and positive. Returns 0 after a message. */
static int read_steps(const char *text, uint64_t *steps)
{
    char *end;

    if (!text) return 1;
    errno = 0;
    *steps = strtoull(text, &end, 10);
    if (errno == 0 && *steps > 0 && *end == 0 && *text != '-') return 1;
    fprintf(stderr, "trapeze run: --steps must be a whole number above 0, not '%s'\n", text);
    return 0;
}

static int read_log(const char *text, int *json)
{
    if (!text) return 1;
    *json = strcmp(text, "json") == 0;
    if (*json || strcmp(text, "text") == 0) return 1;
    fprintf(stderr, "trapeze run: --log is text or json, not '%s'\n", text);
    return 0;
}

/* When to end, and how to tell. Returns 0 after a message. */
static int read_ends(const struct verb_call *call, struct supervisor_options *o)
{
    if (!verb_number(&RUN_VERB, call, OPTION_DURATION, "s", &o->duration) ||
        !verb_number(&RUN_VERB, call, OPTION_UNTIL, "s", &o->until) ||
        !read_steps(call->value[OPTION_STEPS], &o->steps) ||
        !read_log(call->value[OPTION_LOG], &o->log_json))
        return 0;
    if (o->duration >= 0 && o->until >= 0 && o->until < 1e9) return 1;
    fprintf(stderr, "trapeze run: --duration and --until must be positive\n");
    return 0;
}

static void say_model(const struct rig_setup *l)
{
    printf("model   %s   %u bodies, %u joints, %d degrees of freedom\n", l->rig.model,
           l->model->bodies.n, l->model->joints.n, l->mechanism.plan->dof);
    fflush(stdout);
}

static enum status run(const struct verb_call *call, struct rig_setup *l)
{
    struct tick_inject inject[MAX_INJECT];
    struct supervisor_options *o = &l->options;
    struct supervisor_result result;
    enum status s;
    int n;

    if (!read_ends(call, o) || !read_pace(call->value[OPTION_PACE], &l->rig.pace))
        return STATUS_USAGE;
    n = read_inject(call->value[OPTION_INJECT], l->rig.step, inject);
    if (n < 0) return STATUS_USAGE;
    o->allow_degraded = call->value[OPTION_DEGRADED] != NULL;
    o->insecure = call->value[OPTION_INSECURE] != NULL;
    o->stop = call->stop;
    o->quiet = call->value[OPTION_QUIET] != NULL;
    o->out = o->quiet || o->log_json ? NULL : stdout;
    o->log = stdout;
    o->ready = call->value[OPTION_READY];
    if (o->out) say_model(l);
    o->inject = inject;
    o->n_inject = (uint32_t)n;
    s = supervisor_run(o, &result);
    o->inject = NULL;
    return s;
}

static enum status run_run(const struct verb_call *call)
{
    struct rig_setup l;
    enum status s = rig_setup_create(&l, call->argument[0], call->set, call->n_sets);

    if (s != STATUS_OK) return s;
    s = run(call, &l);
    rig_setup_destroy(&l);
    return s;
}

const struct verb RUN_VERB = {.name = "run",
                              .arguments = "RIG",
                              .help = "run a rig: step process, services, until Ctrl-C",
                              .option = OPTION,
                              .least = 1,
                              .most = 1,
                              .run = run_run};
