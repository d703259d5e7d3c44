/* trapeze jitter [RIG]: wake-up latencies of this machine: a bare loop, the rig's real
 * step beside it, cyclictest for comparison; interleaved in slices, on one core. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "services/cli/jitter_report.h"
#include "services/cli/verbs.h"
#include "services/run/latency.h"
#include "services/run/cores.h"
#include "services/run/processes.h"

enum {
    OPTION_DURATION,
    OPTION_PERIOD,
    OPTION_LOAD,
    OPTION_AGAINST,
    OPTION_CORE,
    OPTION_PRIORITY,
    OPTION_OUT,
    OPTION_JSON
};
enum { CONTENDERS = JITTER_CONTENDERS, BAR = 30 };
#define SLICE_S 2.0

static const struct verb_option OPTION[] = {
    [OPTION_DURATION] = {"--duration", "TIME", "of each contender (default 10s)"},
    [OPTION_PERIOD] = {"--period", "TIME", "between wake-ups (default: the rig's step, or 1ms)"},
    [OPTION_LOAD] = {"--load", "KIND", "none, cpu, io or all, by stress-ng (default none)"},
    [OPTION_AGAINST] = {"--against", "cyclictest", "run it too, in slices between ours"},
    [OPTION_CORE] = {"--core", "N", "default: the rig's, or the one chosen"},
    [OPTION_PRIORITY] = {"--priority", "N", "SCHED_FIFO (default: the rig's, or 80)"},
    [OPTION_OUT] = {"--out", "PREFIX", "PREFIX.txt, .hgrm, .png and .svg: histograms and plot"},
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of a table"},
    {NULL, NULL, NULL},
};

struct jitter {
    struct latency_set set;
    struct latency contender[CONTENDERS]; /* bare, rig, cyclictest */
    struct latency result;      /* of the rig: from the release to the result */
    int takes_part[CONTENDERS];
    struct rig_setup loaded;
    double seconds;
    const char *load, *out;
    double slice;               /* s, of each contender in each round */
    int slices, slices_done, now;
    int64_t slice_began_ns, max_us;
};

/* ---- measuring --------------------------------------------------------------------- */

/* How far it is, slice by slice and within one, and the largest latency so far. */
static void show_progress(void *context, int64_t max_us)
{
    struct jitter *j = context;
    double now = (double)(processes_now() - j->slice_began_ns) / 1e9 / j->slice;
    double done = (j->slices_done + (now < 1 ? now : 1)) / j->slices;
    char bar[BAR + 1] = {0};

    if (!isatty(STDERR_FILENO)) return;
    if (max_us > j->max_us) j->max_us = max_us;
    memset(bar, '#', (size_t)(done * BAR));
    fprintf(stderr, "\r[%-*s] %3.0f %%   %s   max %lld us \033[K", BAR, bar, 100 * done,
            j->contender[j->now].name, (long long)j->max_us);
}

static enum status measure_slice(struct jitter *j, int i)
{
    struct latency *l = &j->contender[i];
    enum status s;

    j->now = i;
    j->slice_began_ns = processes_now();
    show_progress(j, 0);
    s = i == 0   ? latency_bare(&j->set, j->slice, l)
        : i == 1 ? latency_rig(&j->set, &j->loaded, j->slice, l, &j->result)
                 : latency_cyclictest(&j->set, j->slice, l);
    j->slices_done++;
    j->slice_began_ns = processes_now();
    show_progress(j, l->max_us);
    return s;
}

/* Slices in turn, the order turned by one each round. */
static enum status measure(struct jitter *j)
{
    int rounds = (int)ceil(j->seconds / SLICE_S - 1e-9), n = 0;
    enum status s = STATUS_OK;

    for (int i = 0; i < CONTENDERS; i++) n += j->takes_part[i];
    j->slices = n * rounds;
    j->slice = j->seconds / rounds;
    j->set.progress = show_progress;
    j->set.progress_context = j;
    for (int round = 0; round < rounds && s == STATUS_OK && !*j->set.stop; round++)
        for (int k = 0; k < CONTENDERS && s == STATUS_OK && !*j->set.stop; k++) {
            int i = (k + round) % CONTENDERS;
            if (j->takes_part[i]) s = measure_slice(j, i);
        }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    return s;
}

/* ---- showing ----------------------------------------------------------------------- */

static enum status report(const struct verb_call *call, const struct jitter *j)
{
    struct jitter_report r = {.set = &j->set,
                              .load = j->load,
                              .rig = call->n_arguments ? call->argument[0] : NULL,
                              .seconds = j->seconds,
                              .deadline_us = (int64_t)(j->loaded.rig.deadline * 1e6 + 0.5)};

    for (int i = 0; i < CONTENDERS; i++)
        if (j->takes_part[i]) r.row[i] = &j->contender[i];
    if (j->takes_part[1]) r.row[CONTENDERS] = &j->result;
    if (call->value[OPTION_JSON])
        jitter_report_json(&r);
    else
        jitter_report_table(&r);
    return j->out ? jitter_report_files(&r, j->out) : STATUS_OK;
}

/* ---- the verb ---------------------------------------------------------------------- */

static enum status choose_core(struct jitter *j)
{
    struct diag_list diags = {0};
    struct cores cores;
    enum status s = cores_choose(&j->loaded.rig, &cores, &diags);

    diag_print(&diags, stderr);
    diag_clear(&diags);
    if (s == STATUS_OK) j->set.core = cores.step;
    return s;
}

static enum status read_options(const struct verb_call *call, struct jitter *j)
{
    double core = j->loaded.rig.core, priority = j->set.priority;

    if (!verb_number(&JITTER_VERB, call, OPTION_DURATION, "s", &j->seconds) ||
        !verb_number(&JITTER_VERB, call, OPTION_PERIOD, "s", &j->set.period) ||
        !verb_number(&JITTER_VERB, call, OPTION_CORE, "", &core) ||
        !verb_number(&JITTER_VERB, call, OPTION_PRIORITY, "", &priority))
        return STATUS_USAGE;
    j->loaded.rig.core = (int)core;
    if (call->value[OPTION_CORE]) j->loaded.rig.core_place = (struct place){"trapeze jitter", 0, 0};
    if (choose_core(j) != STATUS_OK) return STATUS_REFUSED;
    j->set.priority = (int)priority;
    if (call->value[OPTION_AGAINST] && strcmp(call->value[OPTION_AGAINST], "cyclictest") != 0) {
        fprintf(stderr, "trapeze jitter: --against knows cyclictest\n");
        return STATUS_USAGE;
    }
    if (j->out && strchr(j->out, '\'')) {
        fprintf(stderr, "trapeze jitter: --out takes a name without quotes\n");
        return STATUS_USAGE;
    }
    if (!(j->seconds >= 0.1) || !(j->set.period >= 50e-6 && j->set.period <= 0.1) ||
        j->set.priority < 1 || j->set.priority > 98) {
        fprintf(stderr, "trapeze jitter: a duration from 0.1 s, a period from 50 us to 0.1 s, a "
                        "priority from 1 to 98\n");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status jitter(const struct verb_call *call, struct jitter *j)
{
    enum status s = STATUS_OK;
    pid_t load;

    j->set = (struct latency_set){.priority = 80, .period = 1e-3, .stop = call->stop};
    j->loaded.rig.core = -1;
    if (call->n_arguments) {
        s = rig_setup_create(&j->loaded, call->argument[0], NULL, 0);
        if (s != STATUS_OK) return s;
        j->set.period = j->loaded.rig.step;
        j->set.priority = j->loaded.rig.priority;
    }
    s = read_options(call, j);
    if (s != STATUS_OK) return s;
    if (call->n_arguments && j->loaded.rig.step != j->set.period)
        j->loaded.rig.step = j->loaded.rig.deadline = j->set.period;
    j->takes_part[0] = 1;
    j->takes_part[1] = call->n_arguments > 0;
    j->takes_part[2] = call->value[OPTION_AGAINST] != NULL;
    load = latency_load_start(j->load);
    if (load < 0) return STATUS_USAGE;
    s = measure(j);
    latency_load_stop(load);
    if (s == STATUS_RIGHTS)
        fprintf(stderr,
                "trapeze jitter: no right to SCHED_FIFO or locked memory; see trapeze doctor\n");
    if (s != STATUS_OK) return s;
    return report(call, j);
}

static enum status jitter_run(const struct verb_call *call)
{
    struct jitter *j = calloc(1, sizeof *j);
    enum status s;

    if (!j) return STATUS_NO_MEMORY;
    j->seconds = 10;
    j->load = call->value[OPTION_LOAD] ? call->value[OPTION_LOAD] : "none";
    j->out = call->value[OPTION_OUT];
    j->contender[0].name = "machine";
    j->contender[1].name = "rig";
    j->contender[2].name = "cyclictest";
    j->result.name = "result";
    s = jitter(call, j);
    rig_setup_destroy(&j->loaded);
    free(j);
    return s;
}

const struct verb JITTER_VERB = {
    .name = "jitter",
    .arguments = "[RIG]",
    .help = "measure wake-up latencies of the machine and the rig's step",
    .option = OPTION,
    .least = 0,
    .most = 1,
    .run = jitter_run};
