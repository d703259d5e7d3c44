/* A rig over OPC UA against a bare open62541 server (bare.c), as one table:
 *   opcua [--quick] [--strict]
 *
 * Both servers are processes of their own on one core, and so is this client: what is
 * compared is work, not how fast a machine wakes another core. Policy None, loopback.
 * The machine has good and bad seconds, so the two are asked in turns, ours before and
 * after the other; a turn gives a median, a round the ratio of two turns, the table the
 * medians over the rounds. Limits are marked where they are missed.
 * --quick: few rounds; --strict: exit 1 if a limit is missed. OUT: the build folder. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/client_highlevel.h>
#include <open62541/client_subscriptions.h>

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"
#include "tools/bench/figure.h"

#define RIG "bench-opcua"
#define RIG_FILE "tools/bench/sensors-rig.yaml"
enum { PORT = 4990, BARE_PORT = 4991, SENSORS = 1000, ITEMS = 100, MOST_ROUNDS = 64, MOST = 4096 };

static const int BATCH[] = {1, 100, SENSORS};
enum { BATCHES = 3 };

struct peer {
    pid_t pid;
    char url[64];
    struct remote remote;
    UA_ReadRequest read[BATCHES];
    UA_UInt64 delivered;      /* notifications of this slice */
};

static struct peer ours, bare;
static int rounds;
static struct figure_limits limits;

static void nap_us(long us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* ---- the two servers ----------------------------------------------------------------- */

static pid_t start(const char *program, const char *const *argument)
{
    const char *out = getenv("OUT");
    const char *word[8] = {NULL};
    char path[256];
    pid_t pid;

    snprintf(path, sizeof path, "%s/%s", out ? out : "build", program);
    word[0] = path;
    for (int i = 0; i < 6 && argument[i]; i++) word[i + 1] = argument[i];
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(path, (char *const *)(size_t)word);
        fprintf(stderr, "bench: %s cannot be started\n", path);
        _exit(127);
    }
    if (pid < 0) figure_fail("cannot start %s", path);
    return pid;
}

static void stop(void)
{
    const struct peer *peer[] = {&ours, &bare};
    for (int i = 0; i < 2; i++) {
        if (peer[i]->pid <= 0) continue;
        kill(peer[i]->pid, SIGTERM);
        waitpid(peer[i]->pid, NULL, 0);
    }
}

static void connect_to(struct peer *p, int port)
{
    struct peer trial;
    FILE *kept = stderr;

    snprintf(p->url, sizeof p->url, "opc.tcp://127.0.0.1:%d", port);
    stderr = fopen("/dev/null", "w");
    for (int i = 0; i < 100 && !p->remote.client; i++) {
        trial = *p;
        nap_us(100000);
        if (waitpid(p->pid, NULL, WNOHANG) == p->pid) break;
        if (remote_open(&trial.remote, p->url) == STATUS_OK) *p = trial;
    }
    fclose(stderr);
    stderr = kept;
    if (!p->remote.client) figure_fail("no server at %s", p->url);
}

/* All on the first of the cores the rig leaves to its services. */
static void share_core(void)
{
    char why[200] = "";
    struct port port;
    cpu_set_t may, one;
    size_t core = 0;
    pid_t pid;

    if (attach_open(RIG, &port, why) != STATUS_OK) figure_fail("%s", why);
    pid = port.board->service[1].pid;
    if (sched_getaffinity(pid, sizeof may, &may) != 0) figure_fail("where is the service?");
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &may)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(pid, sizeof one, &one) != 0 ||
        sched_setaffinity(bare.pid, sizeof one, &one) != 0 ||
        sched_setaffinity(0, sizeof one, &one) != 0)
        perror("bench: pinning");
}

static void prepare_reads(struct peer *p)
{
    for (int b = 0; b < BATCHES; b++) {
        UA_ReadRequest *q = &p->read[b];
        UA_ReadRequest_init(q);
        q->nodesToRead = UA_Array_new((size_t)BATCH[b], &UA_TYPES[UA_TYPES_READVALUEID]);
        q->nodesToReadSize = (size_t)BATCH[b];
        for (int i = 0; i < BATCH[b]; i++) {
            char name[32];
            snprintf(name, sizeof name, "sensor:clock-%d.value", i + 1);
            q->nodesToRead[i].nodeId = UA_NODEID_STRING_ALLOC(p->remote.ns, name);
            q->nodesToRead[i].attributeId = UA_ATTRIBUTEID_VALUE;
        }
    }
}

static void start_both(void)
{
    char port[16], count[16];
    const char *rig[] = {"run", RIG_FILE, "--allow-degraded", "--insecure", "--quiet", NULL};
    const char *counters[] = {port, count, NULL};

    snprintf(port, sizeof port, "%d", BARE_PORT);
    snprintf(count, sizeof count, "%d", SENSORS);
    atexit(stop);
    ours.pid = start("trapeze", rig);
    bare.pid = start("bench/bare", counters);
    connect_to(&ours, PORT);
    connect_to(&bare, BARE_PORT);
    share_core();
    prepare_reads(&ours);
    prepare_reads(&bare);
}

/* ---- reads ----------------------------------------------------------------------------- */

/* Median time (us) of n reads. */
static double turn(struct peer *p, int batch, int n)
{
    double took[MOST];

    for (int i = 0; i < n; i++) {
        double begin = figure_now_us();
        UA_ReadResponse r = UA_Client_Service_read(p->remote.client, p->read[batch]);
        took[i] = figure_now_us() - begin;
        if (r.responseHeader.serviceResult || r.resultsSize != (size_t)BATCH[batch] ||
            !r.results[0].hasValue)
            figure_fail("read from %s: %s", p->url,
                        UA_StatusCode_name(r.responseHeader.serviceResult));
        UA_ReadResponse_clear(&r);
    }
    return figure_share(took, n, 0.5);
}

static void bench_reads(int batch)
{
    double mine[MOST_ROUNDS], its[MOST_ROUNDS], ratio[MOST_ROUNDS], r;
    int n = BATCH[batch] == 1 ? 500 : BATCH[batch] == 100 ? 200 : 40;

    turn(&ours, batch, n);
    turn(&bare, batch, n);
    for (int i = 0; i < rounds; i++) {
        double before = turn(&ours, batch, n);
        its[i] = turn(&bare, batch, n);
        mine[i] = 0.5 * (before + turn(&ours, batch, n));
        ratio[i] = mine[i] / its[i];
    }
    r = figure_share(ratio, rounds, 0.5);
    printf("read of %4d sensors, p50, us      %10.1f %10.1f %8.2f  at most  %5.2f  %s\n",
           BATCH[batch], figure_share(mine, rounds, 0.5), figure_share(its, rounds, 0.5), r, 1.3,
           figure_verdict(&limits, r <= 1.3));
    fflush(stdout);
}

/* ---- the closed loop ------------------------------------------------------------------- */

/* A value good or uncertain: a late step shows late ones. */
static double read_number(struct peer *p, const char *name)
{
    UA_DataValue v;
    double number;

    if (remote_read(&p->remote, &name, 1, &v) ||
        !UA_Variant_hasScalarType(&v.value, &UA_TYPES[UA_TYPES_DOUBLE]))
        figure_fail("%s cannot be read", name);
    number = *(double *)v.value.data;
    UA_DataValue_clear(&v);
    return number;
}

/* From sending a command to holding the answer that shows the step which used it, begun
 * at any phase of the step. */
static void bench_loop(void)
{
    UA_NodeId command = UA_NODEID_STRING_ALLOC(ours.remote.ns, "actuator:motor.command");
    static double took[MOST];
    int n = rounds > 10 ? 3000 : 500;
    char answer[200];
    double p50;

    if (remote_acquire(&ours.remote, "stream", answer, sizeof answer)) figure_fail("%s", answer);
    for (int i = 0; i < n; i++) {
        double value = (i % 1999) * 0.01 - 9.99, begin;
        UA_StatusCode bad;
        UA_Variant v;

        nap_us(200 + rand() % 1000);
        UA_Variant_setScalar(&v, &value, &UA_TYPES[UA_TYPES_DOUBLE]);
        begin = figure_now_us();
        bad = UA_Client_writeValueAttribute(ours.remote.client, command, &v);
        if (bad) figure_fail("write of the loop: %s", UA_StatusCode_name(bad));
        while (read_number(&ours, "actuator:motor.applied") != value &&
               figure_now_us() - begin < 1e6)
            continue;
        took[i] = (figure_now_us() - begin) * 1e-3;
    }
    p50 = figure_share(took, n, 0.5);
    printf("write -> step -> read, p50, ms    %10.3f %10s %8s  at most  %5.2f  %s\n", p50, "", "",
           0.7, figure_verdict(&limits, p50 <= 0.7));
    printf("                       p99, ms    %10.3f\n", figure_share(took, n, 0.99));
    fflush(stdout);
    UA_NodeId_clear(&command);
}

/* ---- subscriptions --------------------------------------------------------------------- */

static void on_change(UA_Client *client, UA_UInt32 subscription, void *subscription_context,
                      UA_UInt32 item, void *context, UA_DataValue *value)
{
    struct peer *p = context;
    (void)client, (void)subscription, (void)subscription_context, (void)item, (void)value;
    p->delivered++;
}

static UA_UInt32 subscribe(struct peer *p)
{
    UA_CreateSubscriptionRequest q = UA_CreateSubscriptionRequest_default();
    UA_CreateSubscriptionResponse r;

    q.requestedPublishingInterval = 1;
    r = UA_Client_Subscriptions_create(p->remote.client, q, NULL, NULL, NULL);
    if (r.responseHeader.serviceResult) figure_fail("no subscription at %s", p->url);
    for (int i = 0; i < ITEMS; i++) {
        UA_MonitoredItemCreateRequest item = UA_MonitoredItemCreateRequest_default(
            p->read[BATCHES - 1].nodesToRead[i].nodeId);
        UA_MonitoredItemCreateResult made;
        item.requestedParameters.samplingInterval = 1;
        item.requestedParameters.queueSize = 10;
        made = UA_Client_MonitoredItems_createDataChange(p->remote.client, r.subscriptionId,
                                                         UA_TIMESTAMPSTORETURN_SOURCE, item, p,
                                                         on_change, NULL);
        if (made.statusCode)
            figure_fail("no item at %s: %s", p->url, UA_StatusCode_name(made.statusCode));
    }
    return r.subscriptionId;
}

/* Values delivered per item and second over so many seconds. */
static double deliver(struct peer *p, double seconds)
{
    UA_UInt32 id = subscribe(p);
    double begin, took;

    begin = figure_now_us();
    while (figure_now_us() - begin < 2e5) UA_Client_run_iterate(p->remote.client, 1);
    p->delivered = 0;
    begin = figure_now_us();
    do {
        UA_Client_run_iterate(p->remote.client, 1);
        took = figure_now_us() - begin;
    } while (took < 1e6 * seconds);
    UA_Client_Subscriptions_deleteSingle(p->remote.client, id);
    return (double)p->delivered / ITEMS / (took * 1e-6);
}

static void bench_subscription(void)
{
    double mine[MOST_ROUNDS], its[MOST_ROUNDS], ratio[MOST_ROUNDS], r;
    int n = rounds > 10 ? 11 : 3;

    for (int i = 0; i < n; i++) {
        double before = deliver(&ours, 1);
        its[i] = deliver(&bare, 1);
        mine[i] = 0.5 * (before + deliver(&ours, 1));
        ratio[i] = mine[i] / its[i];
    }
    r = figure_share(ratio, n, 0.5);
    printf("%d items at 1 ms, values/item/s  %10.1f %10.1f %8.2f  at least %5.2f  %s\n", ITEMS,
           figure_share(mine, n, 0.5), figure_share(its, n, 0.5), r, 0.95,
           figure_verdict(&limits, r >= 0.95));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int quick = 0, strict = 0;

    for (int i = 1; i < argc; i++) {
        quick |= strcmp(argv[i], "--quick") == 0;
        strict |= strcmp(argv[i], "--strict") == 0;
    }
    rounds = quick ? 7 : 41;
    signal(SIGPIPE, SIG_IGN);
    start_both();
    printf("OPC UA, loopback, policy None, medians of %d rounds; bare: an open62541 server whose "
           "variables\nreturn a counter\n%-34s%10s %10s %8s  %14s\n",
           rounds, "", "ours", "bare", "ratio", "limit");
    for (int b = 0; b < BATCHES; b++) bench_reads(b);
    bench_loop();
    bench_subscription();
    figure_close(&limits);
    return strict && limits.over ? 1 : 0;
}
