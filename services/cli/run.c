/* trapeze run RIG: the rig as a service, until Ctrl-C. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/verbs.h"
#include "services/opcua/lane/pubsub_key.h"
#include "services/run/rig_setup.h"

enum {
    OPTION_DEGRADED,
    OPTION_DURATION,
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
    [OPTION_DURATION] = {"--duration", "TIME", "end by itself after this time"},
    [OPTION_PACE] = {"--pace", "PACE", "realtime, lockstep or free, instead of the rig's"},
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_QUIET] = {"--quiet", NULL, "say only what is wrong"},
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
    struct uadp_key key;
    enum status s;
    int n;

    if (!verb_number(&RUN_VERB, call, OPTION_DURATION, "s", &o->duration)) return STATUS_USAGE;
    if (!(o->duration >= 0)) {
        fprintf(stderr, "trapeze run: --duration must be positive\n");
        return STATUS_USAGE;
    }
    if (!read_pace(call->value[OPTION_PACE], &l->rig.pace)) return STATUS_USAGE;
    n = read_inject(call->value[OPTION_INJECT], l->rig.step, inject);
    if (n < 0) return STATUS_USAGE;
    o->allow_degraded = call->value[OPTION_DEGRADED] != NULL;
    o->insecure = call->value[OPTION_INSECURE] != NULL;
    o->stop = call->stop;
    o->out = call->value[OPTION_QUIET] ? NULL : stdout;
    if (!pubsub_key_read(&l->rig.fastlane, &key)) return STATUS_REFUSED;
    explicit_bzero(&key, sizeof key); /* the service reads it again */
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
