#include "tests/fault/storm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/client_highlevel.h>
#include <open62541/client_subscriptions.h>

#include "services/opcua/client/remote.h"

enum { HELD = 100, CHANNELS = 48, CHUNK = 1 << 16, WORD = 64 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* ---- those who mean well ----------------------------------------------------------- */

/* A session, as soon as the server is there. */
static int connect_client(const struct storm *s, struct remote *r)
{
    char url[WORD];

    snprintf(url, sizeof url, "opc.tcp://127.0.0.1:%d", s->port);
    while (seconds() < s->until) {
        if (remote_open(r, url) == STATUS_OK) return 1;
        nap_ms(100);
    }
    return 0;
}

static void on_value(UA_Client *client, UA_UInt32 subscription, void *subscription_context,
                     UA_UInt32 item, void *context, UA_DataValue *value)
{
    struct storm *s = context;
    (void)client, (void)subscription, (void)subscription_context, (void)item, (void)value;
    s->count->values++;
}

static int subscribe(struct storm *s, struct remote *r)
{
    UA_CreateSubscriptionRequest q = UA_CreateSubscriptionRequest_default();
    UA_CreateSubscriptionResponse made;

    q.requestedPublishingInterval = 10;
    made = UA_Client_Subscriptions_create(r->client, q, NULL, NULL, NULL);
    if (made.responseHeader.serviceResult) return 0;
    for (int i = 1; i <= STORM_ITEMS; i++) {
        UA_MonitoredItemCreateRequest item;
        UA_MonitoredItemCreateResult result;
        char name[WORD];

        snprintf(name, sizeof name, "sensor:clock-%d.value", i);
        item = UA_MonitoredItemCreateRequest_default(UA_NODEID_STRING(r->ns, name));
        item.requestedParameters.samplingInterval = 10;
        item.requestedParameters.queueSize = 10;
        result = UA_Client_MonitoredItems_createDataChange(
            r->client, made.subscriptionId, UA_TIMESTAMPSTORETURN_SOURCE, item, s, on_value, NULL);
        if (result.statusCode) return 0;
    }
    return 1;
}

static void subscribers(struct storm *s)
{
    struct remote r[STORM_SESSIONS];
    int n = 0;

    while (n < STORM_SESSIONS && connect_client(s, &r[n])) {
        if (subscribe(s, &r[n])) s->count->sessions++;
        n++;
    }
    while (seconds() < s->until) {
        for (int i = 0; i < n; i++) UA_Client_run_iterate(r[i].client, 0);
        nap_ms(1);
    }
    for (int i = 0; i < n; i++) remote_close(&r[i]);
}

static void writer(struct storm *s)
{
    struct remote r;
    UA_NodeId command;
    char answer[WORD] = "";
    double next;

    if (!connect_client(s, &r)) return;
    command = UA_NODEID_STRING_ALLOC(r.ns, "actuator:motor.command");
    remote_acquire(&r, "stream", answer, sizeof answer);
    for (next = seconds(); seconds() < s->until; next += 1e-3) {
        double value = (double)(s->count->writes % 100) * 0.1;
        UA_Variant v;
        UA_Variant_setScalar(&v, &value, &UA_TYPES[UA_TYPES_DOUBLE]);
        s->count->writes++;
        if (UA_Client_writeValueAttribute(r.client, command, &v)) s->count->refused_writes++;
        if (next > seconds())
            nap_ms(1);
        else
            next = seconds();
    }
    UA_NodeId_clear(&command);
    remote_close(&r);
}

/* The children of a node, theirs, and so on: over and over. */
static void browse(struct storm *s, struct remote *r, const UA_NodeId *node, int depth)
{
    UA_BrowseDescription what;
    UA_BrowseRequest q;
    UA_BrowseResponse a;

    UA_BrowseDescription_init(&what);
    UA_BrowseRequest_init(&q);
    what.nodeId = *node;
    what.resultMask = UA_BROWSERESULTMASK_ALL;
    what.browseDirection = UA_BROWSEDIRECTION_FORWARD;
    what.includeSubtypes = true;
    what.referenceTypeId = UA_NODEID_NUMERIC(0, UA_NS0ID_HIERARCHICALREFERENCES);
    q.nodesToBrowse = &what;
    q.nodesToBrowseSize = 1;
    a = UA_Client_Service_browse(r->client, q);
    for (size_t i = 0; a.resultsSize && i < a.results[0].referencesSize; i++) {
        s->count->nodes++;
        if (depth > 0 && seconds() < s->until)
            browse(s, r, &a.results[0].references[i].nodeId.nodeId, depth - 1);
    }
    UA_BrowseResponse_clear(&a);
}

static void browser(struct storm *s)
{
    UA_NodeId objects = UA_NODEID_NUMERIC(0, UA_NS0ID_OBJECTSFOLDER);
    struct remote r;

    if (!connect_client(s, &r)) return;
    while (seconds() < s->until) browse(s, &r, &objects, 5);
    remote_close(&r);
}

/* ---- those who do not -------------------------------------------------------------- */

/* A socket to the server that never blocks for long; -1: not now. */
static int dial(const struct storm *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)s->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_usec = 200000};
    struct linger reset = {1, 0}; /* no port is left waiting */
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
    close(fd);
    nap_ms(20);
    return -1;
}

/* Random bytes, every other time behind the head of a real message. */
static void garbage(struct storm *s)
{
    static const char HEAD[][5] = {"HELF", "OPNF", "MSGF", "MSGC", "CLOF", "ERRF"};
    unsigned char bytes[8192];

    while (seconds() < s->until) {
        int fd = dial(s);
        size_t n = 1 + (size_t)rand() % sizeof bytes;
        if (fd < 0) continue;
        for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)rand();
        if (rand() % 2 && n > 8) {
            memcpy(bytes, HEAD[rand() % 6], 4);
            if (rand() % 2) memcpy(bytes + 4, &(uint32_t){(uint32_t)n}, 4);
        }
        if (send(fd, bytes, n, MSG_NOSIGNAL) > 0) s->count->garbage++;
        nap_ms(1);
        close(fd);
    }
}

/* Connections that are held and say nothing, or the first bytes of a greeting. */
static void half_open(struct storm *s)
{
    int held[HELD], n = 0;

    for (int i = 0; i < HELD; i++) held[i] = -1;
    for (; seconds() < s->until; n = (n + 1) % HELD) {
        if (held[n] >= 0) close(held[n]);
        held[n] = dial(s);
        if (held[n] < 0) continue;
        if (rand() % 2) send(held[n], "HELF\x20\0\0", 7, MSG_NOSIGNAL);
        s->count->half_open++;
        nap_ms(5);
    }
}

static size_t put(unsigned char *to, size_t at, const void *bytes, size_t n)
{
    memcpy(to + at, bytes, n);
    return at + n;
}

static size_t put_u32(unsigned char *to, size_t at, uint32_t v)
{
    return put(to, at, &v, sizeof v);
}

static int send_sized(int fd, unsigned char *m, size_t n)
{
    put_u32(m, 4, (uint32_t)n);
    return send(fd, m, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static size_t greeting(unsigned char *m)
{
    static const char URL[] = "opc.tcp://127.0.0.1";
    size_t n = put(m, 0, "HELF\0\0\0\0\0\0\0", 12); /* version 0 */

    for (int i = 0; i < 4; i++) n = put_u32(m, n, i < 2 ? CHUNK : 0); /* buffers; no limits */
    n = put_u32(m, n, sizeof URL - 1);
    return put(m, n, URL, sizeof URL - 1);
}

/* OpenSecureChannel with policy None (Part 4, 5.5.2; Part 6, 6.7). */
static size_t opening(unsigned char *m)
{
    static const char POLICY[] = "http://opcfoundation.org/UA/SecurityPolicy#None";
    static const unsigned char TYPE[] = {1, 0, 0xbe, 1}; /* i=446 */
    size_t n = put(m, 0, "OPNF\0\0\0\0\0\0\0", 12);

    n = put_u32(m, n, sizeof POLICY - 1);
    n = put(m, n, POLICY, sizeof POLICY - 1);
    n = put_u32(m, put_u32(m, n, UINT32_MAX), UINT32_MAX); /* no certificates */
    n = put_u32(m, put_u32(m, n, 1), 1);                   /* sequence and request number */
    n = put(m, n, TYPE, sizeof TYPE);
    memset(m + n, 0, 64);
    n += 2 + 8 + 4 + 4;               /* no session, time, handle, diagnostics */
    n = put_u32(m, n, UINT32_MAX);    /* no audit id */
    n += 4 + 3 + 4 + 4;               /* hint, no more header, version, type: issue */
    n = put_u32(m, n, 1);             /* mode None */
    n = put_u32(m, n, UINT32_MAX);    /* no nonce */
    return put_u32(m, n, 60000);      /* lifetime, ms */
}

struct channel {
    int fd;                      /* -1: none */
    uint32_t id, token, sequence;
};

/* Where the token's number stands in the answer to `opening`. */
enum { ACKNOWLEDGE = 28, ANSWER_CHANNEL = 8, ANSWER_TOKEN = 115, ANSWER = 135 };

static int open_channel(struct storm *s, struct channel *c)
{
    unsigned char m[512];

    *c = (struct channel){.fd = dial(s), .sequence = 1};
    if (c->fd < 0) return 0;
    if (send_sized(c->fd, m, greeting(m)) && recv(c->fd, m, sizeof m, 0) == ACKNOWLEDGE &&
        send_sized(c->fd, m, opening(m)) && recv(c->fd, m, sizeof m, 0) >= ANSWER &&
        memcmp(m, "OPNF", 4) == 0) {
        memcpy(&c->id, m + ANSWER_CHANNEL, 4);
        memcpy(&c->token, m + ANSWER_TOKEN, 4);
        s->count->channels++;
        return 1;
    }
    close(c->fd);
    c->fd = -1;
    return 0;
}

static int send_chunk(struct channel *c, unsigned char *m)
{
    size_t n = put(m, 0, "MSGC\0\0\0", 8);

    n = put_u32(m, put_u32(m, n, c->id), c->token);
    put_u32(m, put_u32(m, n, ++c->sequence), 2);
    return send_sized(c->fd, m, CHUNK);
}

/* One chunk to each channel in turn; what the server closes is opened anew. All are held
 * to the end. */
static void chunks(struct storm *s)
{
    unsigned char *m = calloc(1, CHUNK);
    struct channel c[CHANNELS];

    for (int i = 0; i < CHANNELS; i++) c[i].fd = -1;
    for (int i = 0; m && s->count->chunks < STORM_CHUNKS && seconds() < s->until;
         i = (i + 1) % CHANNELS) {
        if (c[i].fd < 0 && !open_channel(s, &c[i])) continue;
        if (send_chunk(&c[i], m)) {
            s->count->chunks++;
        } else {
            close(c[i].fd);
            c[i].fd = -1;
        }
    }
    free(m);
    while (seconds() < s->until) nap_ms(20);
}

/* ---- all together ------------------------------------------------------------------ */

static void (*const KIND[STORM_KINDS])(struct storm *s) = {subscribers, writer,    browser,
                                                           garbage,     half_open, chunks};

static void begin(struct storm *s, int kind, int spared)
{
    cpu_set_t set;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (null >= 0) dup2(null, STDERR_FILENO); /* it is refused, and knows */
    if (spared >= 0 && sched_getaffinity(0, sizeof set, &set) == 0) {
        CPU_CLR((size_t)spared, &set);
        if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
    }
    srand((unsigned)kind);
    KIND[kind](s);
    _exit(0);
}

int storm_start(struct storm *s, int port, double duration, int spared)
{
    memset(s, 0, sizeof *s);
    s->port = port;
    s->until = seconds() + duration;
    s->count = mmap(NULL, sizeof *s->count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0);
    if (s->count == MAP_FAILED) return 0;
    fflush(NULL);
    for (int i = 0; i < STORM_KINDS; i++) {
        s->pid[i] = fork();
        if (s->pid[i] == 0) begin(s, i, spared);
        if (s->pid[i] < 0) {
            storm_stop(s);
            return 0;
        }
    }
    return 1;
}

void storm_stop(struct storm *s)
{
    for (int i = 0; i < STORM_KINDS; i++) {
        if (s->pid[i] <= 0) continue;
        kill(s->pid[i], SIGKILL);
        waitpid(s->pid[i], NULL, 0);
        s->pid[i] = 0;
    }
}

void storm_free(struct storm *s)
{
    storm_stop(s);
    if (s->count) munmap(s->count, sizeof *s->count);
    s->count = NULL;
}

int64_t storm_resident(pid_t pid)
{
    char path[WORD];
    long long size = 0, resident = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    f = fopen(path, "re");
    if (!f) return 0;
    if (fscanf(f, "%lld %lld", &size, &resident) != 2) resident = 0;
    fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}
