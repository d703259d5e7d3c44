/* Wake-up latency of a rig's step process in triples A-B-A'.
 *
 *   jitter RIG cyclictest  A, A': cyclictest; B: the rig's step process
 *   jitter RIG kill|stop   A, A': the rig; B: its first service is killed (-9) or stopped
 *                          over and over
 *   jitter RIG busy        A, A': the rig with a quiet service; B: with one that burns its
 *                          core all the time
 *   jitter RIG storm       A, A': the rig; B: a storm on its OPC UA server (tests/fault),
 *                          which must stay up and keep its memory; counted after 1 s
 *
 * A' is the control: what the machine does to two equal measurements in the same
 * minutes. The claim: the median over the triples of B/A is at most the greater of
 * LIMIT and 1.1 x the 90th percentile of A'/A, for p50 and for p99; LIMIT is 1.3 and
 * 1.5 against cyclictest, 1.5 for the services. All values are printed; exit 1 if the
 * claim does not hold. TRIPLES (15) and SLICE (4 s) shorten it for trials. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "services/run/service_table.h"
#include "services/run/latency.h"
#include "services/run/cores.h"
#include "tests/fault/storm.h"
#include "tools/bench/figure.h"

enum { MOST = 100, UPDATES = 20, GROWTH_MIB = 16 };
#define STORM_PORT 4990 /* of tools/bench/sensors-rig.yaml */
#define HEAD_S 1.0 /* of a slice under storm: until all are there */

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

/* ---- the services' misdeeds --------------------------------------------------------- */

static int quiet(struct attach *a)
{
    struct timespec nap = {.tv_nsec = 20000000};
    while (!attach_should_stop(a)) nanosleep(&nap, NULL);
    return 0;
}

static int busy(struct attach *a)
{
    volatile unsigned long n = 0;
    while (n % 1000000 || !attach_should_stop(a)) n++;
    return 0;
}

static const struct attach_service QUIET[] = {{.name = "null", .run = quiet}, {.name = NULL}};
static const struct attach_service BUSY[] = {{.name = "null", .run = busy}, {.name = NULL}};

enum misdeed { NONE, KILL, STOP, BURN, STORM };

/* What can be asked for; the first is not done to a service. */
static const struct mode {
    const char *word;
    enum misdeed misdeed;
    double limit_p50, limit_p99;
} MODE[] = {{"cyclictest", NONE, 1.3, 1.5},
            {"kill", KILL, 1.5, 1.5},
            {"stop", STOP, 1.5, 1.5},
            {"busy", BURN, 1.5, 1.5},
            {"storm", STORM, 1.5, 1.5}};
enum { MODES = sizeof MODE / sizeof MODE[0] };

struct bench {
    struct rig_setup rig;
    struct rig_service *service; /* of the rig file */
    int n_services;
    struct latency_set set;
    double seconds;
    const struct mode *mode;
    int64_t resident[2];      /* most of the server, bytes: at rest, under storm */
    int restarts;             /* of the server */
    struct storm_count storm; /* all slices */
};

struct slice {
    struct bench *bench;
    struct latency *latency;
    struct latency head;      /* the wake-ups that do not count */
    enum misdeed misdeed;
    int count;
};

/* The histogram as it stands; it only grows during a slice. */
static void take_wakes(const struct port *port, const struct latency *before, struct latency *l)
{
    const struct monitor_series *w = &port->monitor->series[SERIES_WAKE];

    l->n = l->overflow = w->overflow - before->overflow;
    for (int i = 0; i < MONITOR_BINS; i++) l->n += l->bin[i] = w->bin[i] - before->bin[i];
    l->max_us = w->max_ns / 1000;
}

/* About twenty times a second. */
static void watch(struct port *port, void *context)
{
    static const struct latency NOTHING;
    struct slice *s = context;
    int32_t pid = port->board->service[1].pid;

    s->count++;
    if (s->misdeed == KILL && pid && s->count % 4 == 0) kill(pid, SIGKILL);
    if (s->misdeed == STOP && pid) kill(pid, s->count % 4 < 2 ? SIGSTOP : SIGCONT);
    if (s->bench->mode->misdeed == STORM) {
        int64_t now = storm_resident(pid), *most = &s->bench->resident[s->misdeed == STORM];
        if (now > *most) *most = now;
        if (s->count <= HEAD_S * UPDATES) take_wakes(port, &NOTHING, &s->head);
    }
    take_wakes(port, &s->head, s->latency);
}

static void add_storm(struct storm_count *to, const struct storm_count *c)
{
    to->sessions += c->sessions;
    to->values += c->values;
    to->writes += c->writes;
    to->refused_writes += c->refused_writes;
    to->nodes += c->nodes;
    to->garbage += c->garbage;
    to->half_open += c->half_open;
    to->chunks += c->chunks;
}

static void prepare(struct bench *b, struct slice *s)
{
    static struct rig_service null = {.name = "null", .place = {"bench", 1, 1}};
    struct rig *rig = &b->rig.rig;
    int own = b->mode->misdeed != BURN;

    rig->name = "bench-jitter";
    rig->core = b->set.core;
    rig->priority = b->set.priority;
    rig->trip_consecutive = rig->trip_misses = 0;
    rig->service = own ? b->service : &null;
    rig->n_services = own ? b->n_services : 1;
    b->rig.options.service = own ? SERVICE_TABLE : s->misdeed == BURN ? BUSY : QUIET;
    b->rig.options.insecure = 1;
    b->rig.options.admit = 0;
    b->rig.options.duration = b->seconds + (b->mode->misdeed == STORM ? HEAD_S : 0);
    b->rig.options.stop = &stop;
    b->rig.options.watch = watch;
    b->rig.options.watch_context = s;
}

static enum status rig_slice(struct bench *b, enum misdeed misdeed, struct latency *l)
{
    static struct slice s;
    struct supervisor_result result;
    struct storm storm;
    enum status st;

    memset(&s, 0, sizeof s);
    s = (struct slice){.bench = b, .latency = l, .misdeed = misdeed};
    prepare(b, &s);
    if (misdeed == STORM && !storm_start(&storm, STORM_PORT, b->rig.options.duration, b->set.core))
        return STATUS_IO;
    st = supervisor_run(&b->rig.options, &result);
    if (misdeed == STORM) {
        add_storm(&b->storm, storm.count);
        b->restarts += result.restarts;
        storm_free(&storm);
    }
    return st;
}

/* ---- triples ------------------------------------------------------------------------ */

/* Latency (us) below which this share lies, interpolated inside its bin. */
static double share(const struct latency *l, double part)
{
    double wanted = part * (double)l->n, sum = 0;
    for (int i = 0; i < MONITOR_BINS; i++) {
        if (l->bin[i] && sum + (double)l->bin[i] >= wanted)
            return i + (wanted - sum) / (double)l->bin[i];
        sum += (double)l->bin[i];
    }
    return (double)l->max_us;
}

/* Which: 0 A, 1 B, 2 A'. */
static enum status measure(struct bench *b, int which, struct latency *l)
{
    memset(l, 0, sizeof *l);
    if (b->mode->misdeed == NONE && which != 1) return latency_cyclictest(&b->set, b->seconds, l);
    return rig_slice(b, which == 1 ? b->mode->misdeed : NONE, l);
}

/* The claim for one percentile. */
static int judge(const char *name, double *ratio, double *control, int n, double limit)
{
    double median = figure_share(ratio, n, 0.5), high = figure_share(control, n, 0.9);
    double allowed = limit > 1.1 * high ? limit : 1.1 * high;

    printf("%-4s median B/A %.2f (limit %.2f; A'/A: median %.2f, 90th percentile %.2f): %s\n", name,
           median, allowed, figure_share(control, n, 0.5), high,
           median <= allowed ? "holds" : "DOES NOT HOLD");
    return median <= allowed;
}

/* The server under storm: it stays up and keeps its memory. */
static int judge_server(const struct bench *b)
{
    const struct storm_count *c = &b->storm;
    double growth = (double)(b->resident[1] - b->resident[0]) / (1 << 20);

    printf(
        "storm: %llu sessions, %llu values, %llu writes, %llu nodes browsed, %llu connections of "
        "garbage,\n%llu half open, %llu unfinished chunks\n",
        (unsigned long long)c->sessions, (unsigned long long)c->values,
        (unsigned long long)c->writes, (unsigned long long)c->nodes, (unsigned long long)c->garbage,
        (unsigned long long)c->half_open, (unsigned long long)c->chunks);
    printf("server restarts %d (limit 0): %s\n", b->restarts,
           b->restarts == 0 ? "holds" : "DOES NOT HOLD");
    printf("server growth %.1f MiB (limit %d): %s\n", growth, GROWTH_MIB,
           growth < GROWTH_MIB ? "holds" : "DOES NOT HOLD");
    return b->restarts == 0 && growth < GROWTH_MIB;
}

static int run(struct bench *b, int triples)
{
    double ratio[2][MOST], control[2][MOST], value[3][2];
    static struct latency l;
    int n = 0;

    printf("%3s %18s %18s %18s   us\n", "", "A p50/p99", "B p50/p99", "A' p50/p99");
    for (int k = 0; k < triples && !stop; k++) {
        for (int w = 0; w < 3; w++) {
            if (measure(b, w, &l) != STATUS_OK || l.n == 0) {
                if (!stop) fprintf(stderr, "jitter: a measurement failed\n");
                return 2;
            }
            value[w][0] = share(&l, 0.5);
            value[w][1] = share(&l, 0.99);
        }
        printf("%3d %8.1f /%8.1f %8.1f /%8.1f %8.1f /%8.1f\n", k + 1, value[0][0], value[0][1],
               value[1][0], value[1][1], value[2][0], value[2][1]);
        fflush(stdout);
        for (int p = 0; p < 2; p++) {
            ratio[p][n] = value[1][p] / value[0][p];
            control[p][n] = value[2][p] / value[0][p];
        }
        n++;
    }
    if (n == 0) return 2;
    int good = judge("p50", ratio[0], control[0], n, b->mode->limit_p50);
    good &= judge("p99", ratio[1], control[1], n, b->mode->limit_p99);
    if (b->mode->misdeed == STORM) good &= judge_server(b);
    return good ? 0 : 1;
}

static double setting(const char *name, double standard)
{
    const char *text = getenv(name);
    return text ? atof(text) : standard;
}

int main(int argc, char **argv)
{
    static struct bench b;
    int which = 0, triples = (int)setting("TRIPLES", 15), code;

    while (argc == 3 && which < MODES && strcmp(argv[2], MODE[which].word) != 0) which++;
    if (argc != 3 || which == MODES || triples < 1 || triples > MOST) {
        fprintf(stderr, "usage: jitter RIG cyclictest|kill|stop|busy|storm\n");
        return 2;
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (rig_setup_create(&b.rig, argv[1], NULL, 0) != STATUS_OK) return 2;
    b.service = b.rig.rig.service;
    b.n_services = b.rig.rig.n_services;
    b.seconds = setting("SLICE", 4);
    b.mode = &MODE[which];
    b.set = (struct latency_set){.core = cores_default(),
                                 .priority = b.rig.rig.priority,
                                 .period = b.rig.rig.step,
                                 .stop = &stop};
    printf("%s: %s, core %d, SCHED_FIFO %d, %.0f us, slices of %.0f s\n", argv[1], MODE[which].word,
           b.set.core, b.set.priority, b.set.period * 1e6, b.seconds);
    code = run(&b, triples);
    rig_setup_destroy(&b.rig);
    return code;
}
