/* Wake-up latency of a rig's step process in triples A-B-A'.
 *
 *   jitter RIG cyclictest      A, A': cyclictest; B: the rig's step process
 *   jitter RIG kill|stop|busy  A, A': the rig with a quiet service; B: the service is
 *                              killed (-9), stopped, or burns its core all the time
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

#include "services/run/latency.h"
#include "services/run/machine.h"
#include "tools/bench/figure.h"

enum { MOST = 100 };

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

static const struct attach_service QUIET[] = {{"null", NULL, quiet}, {NULL, NULL, NULL}};
static const struct attach_service BUSY[] = {{"null", NULL, busy}, {NULL, NULL, NULL}};

enum misdeed { NONE, KILL, STOP, BURN };

struct slice {
    struct latency *latency;
    enum misdeed misdeed;
    int count;
};

/* About twenty times a second. */
static void watch(struct port *port, void *context)
{
    struct slice *s = context;
    const struct monitor_series *w = &port->monitor->series[SERIES_WAKE];
    int32_t pid = port->board->service[1].pid;

    s->count++;
    if (s->misdeed == KILL && pid && s->count % 4 == 0) kill(pid, SIGKILL);
    if (s->misdeed == STOP && pid) kill(pid, s->count % 4 < 2 ? SIGSTOP : SIGCONT);
    s->latency->n = s->latency->overflow = w->overflow;
    for (int i = 0; i < MONITOR_BINS; i++) s->latency->n += s->latency->bin[i] = w->bin[i];
    s->latency->max_us = w->max_ns / 1000;
}

static enum status rig_slice(struct loaded *rig, const struct latency_set *set, double seconds,
                             enum misdeed misdeed, struct latency *l)
{
    struct rig_service service = {.name = "null", .place = {"bench", 1, 1}};
    struct slice s = {.latency = l, .misdeed = misdeed};
    struct supervisor_result result;
    enum status st;

    rig->rig.name = "bench-jitter";
    rig->rig.core = set->core;
    rig->rig.priority = set->priority;
    rig->rig.trip_consecutive = rig->rig.trip_misses = 0;
    rig->rig.service = &service;
    rig->rig.n_services = 1;
    rig->options.service = misdeed == BURN ? BUSY : QUIET;
    rig->options.admit = 0;
    rig->options.duration = seconds;
    rig->options.stop = &stop;
    rig->options.watch = watch;
    rig->options.watch_context = &s;
    st = supervisor_run(&rig->options, &result);
    rig->rig.service = NULL;
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

struct bench {
    struct loaded rig;
    struct latency_set set;
    double seconds;
    int against_cyclictest;
    enum misdeed misdeed;
};

/* Which: 0 A, 1 B, 2 A'. */
static enum status measure(struct bench *b, int which, struct latency *l)
{
    memset(l, 0, sizeof *l);
    if (b->against_cyclictest && which != 1) return latency_cyclictest(&b->set, b->seconds, l);
    return rig_slice(&b->rig, &b->set, b->seconds, which == 1 ? b->misdeed : NONE, l);
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
    int good = judge("p50", ratio[0], control[0], n, b->against_cyclictest ? 1.3 : 1.5);
    good &= judge("p99", ratio[1], control[1], n, 1.5);
    return good ? 0 : 1;
}

static double setting(const char *name, double standard)
{
    const char *text = getenv(name);
    return text ? atof(text) : standard;
}

int main(int argc, char **argv)
{
    static const char *const WORD[] = {"cyclictest", "kill", "stop", "busy"};
    static struct bench b;
    int which = 0, triples = (int)setting("TRIPLES", 15), code;

    while (argc == 3 && which < 4 && strcmp(argv[2], WORD[which]) != 0) which++;
    if (argc != 3 || which == 4 || triples < 1 || triples > MOST) {
        fprintf(stderr, "usage: jitter RIG cyclictest|kill|stop|busy\n");
        return 2;
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (loaded_create(&b.rig, argv[1], NULL, 0) != STATUS_OK) return 2;
    b.seconds = setting("SLICE", 4);
    b.against_cyclictest = which == 0;
    b.misdeed = (enum misdeed)which;
    b.set = (struct latency_set){.core = cores_default(),
                                 .priority = b.rig.rig.priority,
                                 .period = b.rig.rig.step,
                                 .stop = &stop};
    printf("%s: %s, core %d, SCHED_FIFO %d, %.0f us, slices of %.0f s\n", argv[1], WORD[which],
           b.set.core, b.set.priority, b.set.period * 1e6, b.seconds);
    code = run(&b, triples);
    loaded_destroy(&b.rig);
    return code;
}
