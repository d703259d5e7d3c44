/* trapeze jitter [RIG]: wake-up latencies of this machine: a bare loop, the rig's real
 * step beside it, cyclictest for comparison; interleaved in slices, on one core. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

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
enum { CONTENDERS = 3, BAR = 30 };
#define SLICE_S 2.0

static const struct verb_option OPTION[] = {
    [OPTION_DURATION] = {"--duration", "TIME", "of each contender (default 10s)"},
    [OPTION_PERIOD] = {"--period", "TIME", "between wake-ups (default: the rig's step, or 1ms)"},
    [OPTION_LOAD] = {"--load", "KIND", "none, cpu, io or all, by stress-ng (default none)"},
    [OPTION_AGAINST] = {"--against", "cyclictest", "run it too, in slices between ours"},
    [OPTION_CORE] = {"--core", "N", "default: the rig's, or the one chosen"},
    [OPTION_PRIORITY] = {"--priority", "N", "SCHED_FIFO (default: the rig's, or 80)"},
    [OPTION_OUT] = {"--out", "PREFIX", "PREFIX.txt, .png and .svg: histogram and plot"},
    [OPTION_JSON] = {"--json", NULL, "print JSON instead of a table"},
    {NULL, NULL, NULL},
};

struct jitter {
    struct latency_set set;
    struct latency contender[CONTENDERS]; /* bare, rig, cyclictest */
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
        : i == 1 ? latency_rig(&j->set, &j->loaded, j->slice, l)
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

static void show_table(const struct jitter *j)
{
    printf("core %d, SCHED_FIFO %d, %.0f us, load %s\n", j->set.core, j->set.priority,
           j->set.period * 1e6, j->load);
    printf("%-12s %10s %8s %8s %8s %8s %10s\n", "wake, us", "n", "p50", "p99", "p99.9", "max",
           "> 4095");
    for (int i = 0; i < CONTENDERS; i++) {
        const struct latency *l = &j->contender[i];
        if (j->takes_part[i])
            printf("%-12s %10llu %8lld %8lld %8lld %8lld %10llu\n", l->name,
                   (unsigned long long)l->n, (long long)latency_share(l, 0.5),
                   (long long)latency_share(l, 0.99), (long long)latency_share(l, 0.999),
                   (long long)l->max_us, (unsigned long long)l->overflow);
    }
}

static void show_json(const struct jitter *j)
{
    json_t *list = json_array();
    for (int i = 0; i < CONTENDERS; i++) {
        const struct latency *l = &j->contender[i];
        json_t *bins = json_array();
        if (!j->takes_part[i]) continue;
        for (int k = 0; k < MONITOR_BINS; k++)
            if (l->bin[k])
                json_array_append_new(bins, json_pack("[i, I]", k, (json_int_t)l->bin[k]));
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", l->name, "n",
                            (json_int_t)l->n, "p50_us", (json_int_t)latency_share(l, 0.5), "p99_us",
                            (json_int_t)latency_share(l, 0.99), "p999_us",
                            (json_int_t)latency_share(l, 0.999), "max_us", (json_int_t)l->max_us,
                            "overflow", (json_int_t)l->overflow, "histogram", bins));
    }
    json_t *root = json_pack("{s:i, s:i, s:f, s:s, s:o}", "core", j->set.core, "priority",
                             j->set.priority, "period_s", j->set.period, "load", j->load,
                             "contenders", list);
    json_dumpf(root, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(root);
}

/* One line per microsecond, one column per contender, as OSADL's are. */
static int write_histogram(const struct jitter *j, const char *path)
{
    FILE *f = fopen(path, "we");
    int64_t end = 0;

    if (!f) return 0;
    fprintf(f, "# us");
    for (int i = 0; i < CONTENDERS; i++) {
        if (!j->takes_part[i]) continue;
        fprintf(f, " %s", j->contender[i].name);
        if (j->contender[i].max_us > end) end = j->contender[i].max_us;
    }
    fprintf(f, "\n");
    for (int64_t us = 0; us < MONITOR_BINS && us <= end; us++) {
        fprintf(f, "%06lld", (long long)us);
        for (int i = 0; i < CONTENDERS; i++)
            if (j->takes_part[i])
                fprintf(f, " %06llu", (unsigned long long)j->contender[i].bin[us]);
        fprintf(f, "\n");
    }
    for (int i = 0; i < CONTENDERS; i++)
        if (j->takes_part[i])
            fprintf(f, "# %s max %lld us, %llu beyond the histogram\n", j->contender[i].name,
                    (long long)j->contender[i].max_us,
                    (unsigned long long)j->contender[i].overflow);
    return fclose(f) == 0;
}

/* Both axes logarithmic: the body and the rare late ones on one picture. A cross marks
 * each maximum, also beyond the histogram. */
static void draw_plot(const struct jitter *j, const char *prefix, FILE *g)
{
    static const char *const COLOUR[CONTENDERS] = {"#3060a0", "#c04020", "#707070"};
    const char *gap = "plot";
    int column = 2;

    for (int i = 0; i < CONTENDERS; i++) {
        const struct latency *l = &j->contender[i];
        if (!j->takes_part[i]) continue;
        fprintf(
            g,
            "%s '%s.txt' using ($1 > 0 ? $1 : 0.5):($%d > 0 ? $%d : 1/0) with points pt 7 ps 0.5 "
            "lc rgb '%s' title '%s: p50 %lld, p99 %lld, max %lld us', "
            "'-' with points pt 2 ps 1.5 lw 2 lc rgb '%s' notitle",
            gap, prefix, column, column, COLOUR[i], l->name, (long long)latency_share(l, 0.5),
            (long long)latency_share(l, 0.99), (long long)l->max_us, COLOUR[i]);
        gap = ",";
        column++;
    }
    fprintf(g, "\n");
    for (int i = 0; i < CONTENDERS; i++)
        if (j->takes_part[i])
            fprintf(g, "%lld %llu\ne\n", (long long)j->contender[i].max_us,
                    (unsigned long long)(j->contender[i].overflow ? j->contender[i].overflow : 1));
}

static int draw(const struct jitter *j, const char *prefix)
{
    static const char *const TERMINAL[][2] = {{"pngcairo size 1000,600 noenhanced", "png"},
                                              {"svg size 1000,600 noenhanced", "svg"}};
    FILE *g = popen("gnuplot 2> /dev/null", "we");

    if (!g) return 0;
    fprintf(g,
            "set logscale xy\nset xrange [0.5:*]\nset yrange [0.7:*]\nset grid\n"
            "set xlabel 'wake-up latency, us'\nset ylabel 'samples per us'\n"
            "set title 'core %d, SCHED_FIFO %d, every %.0f us, load %s'\n",
            j->set.core, j->set.priority, j->set.period * 1e6, j->load);
    for (int k = 0; k < 2; k++) {
        fprintf(g, "set terminal %s\nset output '%s.%s'\n", TERMINAL[k][0], prefix, TERMINAL[k][1]);
        draw_plot(j, prefix, g);
    }
    return pclose(g) == 0;
}

static enum status write_files(const struct jitter *j)
{
    char path[1024];

    snprintf(path, sizeof path, "%s.txt", j->out);
    if (!write_histogram(j, path)) {
        fprintf(stderr, "trapeze jitter: %s cannot be written: %s\n", path, strerror(errno));
        return STATUS_IO;
    }
    fprintf(stderr, "histogram %s\n", path);
    if (draw(j, j->out))
        fprintf(stderr, "plot      %s.png %s.svg\n", j->out, j->out);
    else
        fprintf(stderr, "trapeze jitter: no plot: apt-get install gnuplot-nox\n");
    return STATUS_OK;
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
    if (call->n_arguments) j->loaded.rig.step = j->loaded.rig.deadline = j->set.period;
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
    if (call->value[OPTION_JSON])
        show_json(j);
    else
        show_table(j);
    return j->out ? write_files(j) : STATUS_OK;
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
