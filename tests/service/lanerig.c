#include "tests/service/lanerig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/client_config_default.h>
#include <open62541/client_highlevel.h>

#include "services/opcua/lane/pubsub.h"

#define RIG "test-pubsub"

/* ---- set-up ------------------------------------------------------------------------- */

void lanerig_nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

FILE *lanerig_create(const char *name, char path[256])
{
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    FILE *f;

    snprintf(path, 256, "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* A joint that stands at t at time t, and sleds with a motor each. */
static void write_model(void)
{
    char path[256];
    FILE *f = lanerig_create("model.yaml", path);

    fprintf(f, "model: lane\nbodies:\n"
               "  hand: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n");
    for (int i = 0; i < LANERIG_MOTORS; i++)
        fprintf(f, "  sled-%d: {mass: 1, inertia: [1, 1, 1], position: [0, %d, 0]}\n", i, i + 1);
    fprintf(f, "joints:\n  clock: {type: prismatic, between: [ground, hand], at: [0, 0, 0], axis: "
               "[1, 0, 0]}\n");
    for (int i = 0; i < LANERIG_MOTORS; i++)
        fprintf(f,
                "  slide-%d: {type: prismatic, between: [ground, sled-%d], at: [0, %d, 0], "
                "axis: [1, 0, 0]}\n",
                i, i, i + 1);
    fprintf(f, "motions:\n  hand: {joint: clock, value: \"t\"}\nactuators:\n");
    for (int i = 0; i < LANERIG_MOTORS; i++)
        fprintf(f,
                "  motor-%d: {type: force, joint: slide-%d, unit: N, range: [-10, 10], safe: 0}\n",
                i, i);
    fprintf(f, "sensors:\n  place: {type: position, body: sled-0}\n"
               "  clock: {type: joint-position, joint: clock}\n");
    for (int i = 0; i < LANERIG_MOTORS; i++)
        fprintf(f, "  at-%d: {type: joint-position, joint: slide-%d, unit: mm}\n", i, i);
    fclose(f);
}

static pid_t start_rig(const char *stem, const char *pubsub)
{
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char path[256], name[64];
    FILE *f;
    pid_t pid;

    snprintf(name, sizeof name, "%s.yaml", stem);
    f = lanerig_create(name, path);
    fprintf(f,
            "rig: %s\nmodel: model.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\nautostart: true\n"
            "commands: {timeout: 5 s, action: zero}\nauthority: {lease: 10 s}\n"
            "services: {opcua: {port: %d, pubsub: {%s}}}\n",
            RIG, LANERIG_PORT, pubsub);
    fclose(f);
    pid = fork();
    if (pid == 0) {
        execl(program, program, "run", path, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    return pid;
}

/* A session at the server; 0: it does not listen. */
static int connect_client(struct lanerig *w)
{
    char url[64];

    snprintf(url, sizeof url, "opc.tcp://127.0.0.1:%d", LANERIG_PORT);
    w->client = UA_Client_new();
    UA_ClientConfig_setDefault(UA_Client_getConfig(w->client));
    UA_Client_getConfig(w->client)->logging->log = NULL;
    if (UA_Client_connect(w->client, url) == UA_STATUSCODE_GOOD) return 1;
    UA_Client_delete(w->client);
    w->client = NULL;
    return 0;
}

/* The memory and the server of the rig. */
static int reach_rig(struct lanerig *w)
{
    char why[200] = "";

    for (int tries = 0; tries < 200; tries++) {
        lanerig_nap(50);
        if (!w->record && attach_open(RIG, &w->port, why) == STATUS_OK)
            w->record = malloc(w->port.layout.step.record.bytes);
        if (w->record && connect_client(w)) return 1;
    }
    fprintf(stderr, "no rig: %s\n", why);
    return 0;
}

void lanerig_reconnect(struct lanerig *w)
{
    UA_Client_delete(w->client);
    for (int tries = 0; tries < 100; tries++) {
        lanerig_nap(50);
        if (connect_client(w)) return;
    }
    fail_msg("the service does not come back");
}

int lanerig_begin(void **state, const char *pubsub, const uint8_t *key, int port)
{
    struct lanerig *w = calloc(1, sizeof *w);
    struct pubsub_peer_from from = {.port = port, .n_channels = LANERIG_CHANNELS, .key = key};

    w->log = pubsub_peer_share(sizeof *w->log);
    w->order = pubsub_peer_share(sizeof *w->order);
    w->subscriber = pubsub_peer_subscribe(w->log, &from);
    w->raw_order = pubsub_peer_share(sizeof *w->raw_order);
    w->publisher = pubsub_peer_publish(w->order, LANERIG_COMMANDS, LANERIG_MOTORS, 0);
    w->raw_publisher = pubsub_peer_publish(w->raw_order, LANERIG_COMMANDS, LANERIG_MOTORS, 1);
    w->raw = socket(AF_INET, SOCK_DGRAM, 0);
    write_model();
    w->rig = start_rig("rig", pubsub);
    *state = w;
    return !(w->log->ready && w->order->ready && w->raw_order->ready && reach_rig(w));
}

int lanerig_end(void **state)
{
    struct lanerig *w = *state;
    int status;

    UA_Client_disconnect(w->client);
    UA_Client_delete(w->client);
    kill(w->rig, SIGTERM);
    waitpid(w->rig, &status, 0);
    pubsub_peer_end(w->subscriber);
    pubsub_peer_end(w->publisher);
    pubsub_peer_end(w->raw_publisher);
    close(w->raw);
    free(w->record);
    free(w);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- asking the server -------------------------------------------------------------- */

UA_NodeId lanerig_node(const char *name) { return UA_NODEID_STRING_ALLOC(2, name); }

UA_Variant lanerig_value(struct lanerig *w, const char *name)
{
    UA_NodeId id = lanerig_node(name);
    UA_Variant v;

    UA_Variant_init(&v);
    if (UA_Client_readValueAttribute(w->client, id, &v) != UA_STATUSCODE_GOOD)
        fail_msg("%s cannot be read", name);
    UA_NodeId_clear(&id);
    return v;
}

uint64_t lanerig_count(struct lanerig *w, const char *name)
{
    UA_Variant v = lanerig_value(w, name);
    uint64_t n = *(UA_UInt64 *)v.data;

    UA_Variant_clear(&v);
    return n;
}

uint64_t lanerig_refused(struct lanerig *w, int reason)
{
    UA_Variant v = lanerig_value(w, "pubsub.refused");
    uint64_t n = ((UA_UInt64 *)v.data)[reason];

    assert_int_equal(v.arrayLength, PUBSUB_REASONS);
    UA_Variant_clear(&v);
    return n;
}

UA_StatusCode lanerig_call(struct lanerig *w, const char *method, const char *mode,
                           uint64_t *number)
{
    UA_NodeId rig = lanerig_node("rig"), id = lanerig_node(method);
    UA_Variant in[2], *out = NULL;
    UA_String text = UA_STRING((char *)(uintptr_t)mode);
    UA_Boolean preempt = false;
    size_t n = 0;
    UA_StatusCode bad;

    UA_Variant_setScalar(&in[0], &text, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalar(&in[1], &preempt, &UA_TYPES[UA_TYPES_BOOLEAN]);
    bad = UA_Client_call(w->client, rig, id, mode ? 2 : 0, in, &n, &out);
    if (number && n > 2) *number = *(UA_UInt64 *)out[2].data;
    UA_Array_delete(out, n, &UA_TYPES[UA_TYPES_VARIANT]);
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&id);
    return bad;
}

void lanerig_borrow(struct lanerig *w)
{
    assert_int_equal(lanerig_call(w, "rig.acquire-authority", "pubsub", &w->epoch),
                     UA_STATUSCODE_GOOD);
    assert_true(w->epoch != 0);
    w->counter = 0;
}

/* Until the step's newest record has this property, at most 2 s. */
int lanerig_is_applied(struct lanerig *w, double value)
{
    const struct record_layout *l = &w->port.layout.step.record;

    for (int i = 0; i < 4000; i++) {
        if (port_record(&w->port, w->record) && record_actuators(l, w->record)[0].value == value)
            return 1;
        usleep(500);
    }
    return 0;
}

uint32_t lanerig_wait(struct pubsub_peer_log *log, uint32_t more)
{
    uint32_t wanted = log->n + more;

    for (int i = 0; i < 20000 && log->n < wanted; i++) lanerig_nap(1);
    assert_true(log->n >= wanted);
    return log->n;
}
