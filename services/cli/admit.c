/* trapeze admit RIG: does this model keep its deadline on this core? */
#include <stdio.h>

#include <jansson.h>

#include "services/cli/verbs.h"
#include "services/run/precheck.h"
#include "services/run/rig_setup.h"
#include "services/run/console_text.h"

enum { OPTION_DURATION, OPTION_SET, OPTION_JSON };

static const struct verb_option OPTION[] = {
    [OPTION_DURATION] = {"--duration", "TIME", "how long to measure (default 10s)"},
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of a table"},
    {NULL, NULL, NULL},
};

static void say(const char *what, const struct admission_way *w)
{
    char a[16], b[16], c[16];
    printf("  %-34s %10s %10s %10s %10llu %8llu\n", what, console_text_time(w->median_ns, a),
           console_text_time(w->p99_ns, b), console_text_time(w->worst_ns, c),
           (unsigned long long)w->iterations, (unsigned long long)w->n);
}

static void show(const struct rig_setup *l, const struct supervisor_result *r)
{
    const struct admission *a = &r->admission;
    char cold[16], bound[16];

    printf("\n  %-34s %10s %10s %10s %10s %8s\n", "a step and its sensors", "median", "p99",
           "worst", "iterations", "steps");
    printf("  %-34s %10s\n", "the first, cold", console_text_time(a->cold_ns, cold));
    say("as the model runs", &a->runs);
    say("with all iterations", &a->full);
    if (a->contacts)
        say(l->model->switches.n ? "and a switch that acts: in parts"
                                 : "and a contact that opens: redone",
            &a->longest);
    printf("  bound %s, the last row's p99: %.0f %% of the deadline; accepted up to %d %%\n",
           console_text_time(a->bound_ns, bound),
           100 * (double)a->bound_ns / (l->rig.deadline * 1e9), SUPERVISOR_ADMITS);
}

static json_t *way_json(const struct admission_way *w)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "steps", (json_int_t)w->n, "iterations",
                     (json_int_t)w->iterations, "redone", (json_int_t)w->redone, "median_ns",
                     (json_int_t)w->median_ns, "p99_ns", (json_int_t)w->p99_ns, "worst_ns",
                     (json_int_t)w->worst_ns);
}

static void show_json(const struct rig_setup *l, const struct supervisor_result *r)
{
    const struct admission *a = &r->admission;
    json_t *j = json_pack("{s:s, s:b, s:f, s:I, s:I, s:o, s:o}", "rig", l->rig.name, "accepted",
                          r->accepted, "deadline_ns", l->rig.deadline * 1e9, "bound_ns",
                          (json_int_t)a->bound_ns, "cold_ns", (json_int_t)a->cold_ns, "runs",
                          way_json(&a->runs), "full", way_json(&a->full));
    if (a->contacts) json_object_set_new(j, "redone", way_json(&a->longest));
    json_dumpf(j, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(j);
}

static enum status admit_run(const struct verb_call *call)
{
    struct supervisor_result result = {0};
    struct rig_setup l;
    double seconds = 10;
    enum status s;

    if (!verb_number(&ADMIT_VERB, call, OPTION_DURATION, "s", &seconds)) return STATUS_USAGE;
    if (!(seconds >= 0.1 && seconds <= 3600)) {
        fprintf(stderr, "trapeze admit: --duration is between 0.1 and 3600 s\n");
        return STATUS_USAGE;
    }
    s = rig_setup_create(&l, call->argument[0], call->set, call->n_sets);
    if (s != STATUS_OK) return s;
    s = precheck_services(&l.rig, l.options.service, 0);
    if (s != STATUS_OK) {
        rig_setup_destroy(&l);
        return s;
    }
    l.options.admit = seconds;
    l.options.admit_only = 1;
    l.options.no_services = 1;
    l.options.allow_degraded = 1;
    l.options.stop = call->stop;
    l.options.out = call->value[OPTION_JSON] ? NULL : stdout;
    s = supervisor_run(&l.options, &result);
    if (s == STATUS_OK) {
        if (call->value[OPTION_JSON])
            show_json(&l, &result);
        else
            show(&l, &result);
        if (!result.accepted) s = STATUS_REFUSED;
    }
    rig_setup_destroy(&l);
    return s;
}

const struct verb ADMIT_VERB = {.name = "admit",
                                .arguments = "RIG",
                                .help = "measure a rig's step on its core and judge it",
                                .option = OPTION,
                                .least = 1,
                                .most = 1,
                                .run = admit_run};
