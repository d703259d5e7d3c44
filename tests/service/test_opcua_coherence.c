/* One request, one step: the promise of services/opcua/loop/request_scope.h, over TCP.
 *
 * A joint stands at position t at time t and 97 sensors look at it: a response that
 * mixed two steps would show two values. Eight actuators are always written alike: a
 * write split over two steps would show in a record of the step, and every record is
 * looked at, from the ring of the running rig.
 * RUN_ALONE NO_SANITIZER TIME_LIMIT=240 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/client_config_default.h>
#include <open62541/client_highlevel.h>

#include "services/run/attach.h"

#define RIG "test-opcua-coherence"
#define URL "opc.tcp://127.0.0.1:48417"
enum { CLOCKS = 97, BATCH = 100, MOTORS = 8, READS = 100000, WRITES = 10000 };

struct world {
    pid_t pid;
    UA_Client *client;
    struct port port;
    struct record *record;
    uint64_t cursor;
    uint64_t seen, split, lost;
};

static void write_files(const char *dir, char rig[256])
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/coherence-model.yaml", dir);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "model: coherence\nbodies:\n"
               "  hand: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n");
    for (int i = 0; i < MOTORS; i++)
        fprintf(f, "  sled-%d: {mass: 1, inertia: [1, 1, 1], position: [0, %d, 0]}\n", i, i + 1);
    fprintf(
        f,
        "joints:\n  clock: {type: prismatic, between: [ground, hand], at: [0, 0, 0], axis: [1, 0, 0]}\n");
    for (int i = 0; i < MOTORS; i++)
        fprintf(
            f,
            "  slide-%d: {type: prismatic, between: [ground, sled-%d], at: [0, %d, 0], axis: [1, 0, 0]}\n",
            i, i, i + 1);
    fprintf(f, "motions:\n  hand: {joint: clock, value: \"t\"}\nactuators:\n");
    for (int i = 0; i < MOTORS; i++)
        fprintf(f,
                "  motor-%d: {type: force, joint: slide-%d, unit: N, range: [-10, 10], safe: 0}\n",
                i, i);
    fprintf(f, "sensors:\n");
    for (int i = 0; i < CLOCKS; i++) fprintf(f, "  c%d: {type: joint-position, joint: clock}\n", i);
    fclose(f);
    snprintf(rig, 256, "%s/coherence.yaml", dir);
    f = fopen(rig, "w");
    assert_non_null(f);
    fprintf(f,
            "rig: %s\nmodel: coherence-model.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\n"
            "autostart: true\ncommands: {timeout: 5 s, action: zero}\n"
            "authority: {lease: 10 s}\nservices: {opcua: {port: 48417}}\n",
            RIG);
    fclose(f);
}

static void nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char rig[256], why[200] = "";
    int tries = 200, up = 0;

    write_files(dir, rig);
    w->pid = fork();
    if (w->pid == 0) {
        execl(program, program, "run", rig, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    while (tries-- && !up) {
        nap(50);
        if (!w->record && attach_open(RIG, &w->port, why) == STATUS_OK)
            w->record = malloc(w->port.layout.step.record.bytes);
        if (!w->record) continue;
        w->client = UA_Client_new();
        UA_ClientConfig_setDefault(UA_Client_getConfig(w->client));
        UA_Client_getConfig(w->client)->logging->log = NULL;
        up = UA_Client_connect(w->client, URL) == UA_STATUSCODE_GOOD;
        if (!up) UA_Client_delete(w->client);
    }
    if (!up) fprintf(stderr, "no rig: %s\n", why);
    *state = w;
    return !up;
}

static int teardown(void **state)
{
    struct world *w = *state;
    int status;

    UA_Client_delete(w->client);
    kill(w->pid, SIGTERM);
    waitpid(w->pid, &status, 0);
    free(w->record);
    free(w);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static UA_NodeId node(const char *name) { return UA_NODEID_STRING_ALLOC(2, name); }

/* ---- reads ------------------------------------------------------------------------- */

static void reads_of_100_nodes_never_mix_two_steps(void **state)
{
    struct world *w = *state;
    UA_ReadRequest q;
    uint64_t mixed = 0, steps = 0, last = 0, not_good = 0;

    UA_ReadRequest_init(&q);
    q.nodesToRead = UA_Array_new(BATCH, &UA_TYPES[UA_TYPES_READVALUEID]);
    q.nodesToReadSize = BATCH;
    for (int i = 0; i < BATCH; i++) {
        char name[32];
        snprintf(name, sizeof name, "sensor:c%d.value", i);
        q.nodesToRead[i].nodeId = node(i == CLOCKS       ? "rig.step"
                                       : i == CLOCKS + 1 ? "rig.time"
                                       : i == CLOCKS + 2 ? "sensors.values"
                                                         : name);
        q.nodesToRead[i].attributeId = UA_ATTRIBUTEID_VALUE;
    }
    for (int k = 0; k < READS; k++) {
        UA_ReadResponse r = UA_Client_Service_read(w->client, q);
        const UA_Double *all = NULL;
        int same = r.resultsSize == BATCH;
        assert_int_equal(r.responseHeader.serviceResult, UA_STATUSCODE_GOOD);
        all = r.results[BATCH - 1].value.data;
        for (int i = 0; i < CLOCKS && same; i++)
            same = *(UA_Double *)r.results[i].value.data == all[i] && all[i] == all[0];
        if (!same || fabs(all[0] - *(UA_Double *)r.results[CLOCKS + 1].value.data) > 1e-6) mixed++;
        steps += *(UA_UInt64 *)r.results[CLOCKS].value.data != last;
        last = *(UA_UInt64 *)r.results[CLOCKS].value.data;
        not_good += r.results[0].hasStatus && r.results[0].status;
        UA_ReadResponse_clear(&r);
    }
    UA_ReadRequest_clear(&q);
    printf("# %d reads saw %llu steps; %llu had an uncertain value\n", READS,
           (unsigned long long)steps, (unsigned long long)not_good);
    assert_int_equal(mixed, 0);
    assert_true(steps > 1000);
}

/* ---- writes ------------------------------------------------------------------------ */

/* Look at every record since the last look. */
static void look(struct world *w)
{
    const struct record_layout *l = &w->port.layout.step.record;

    while (ring_next(&w->port.record, &w->cursor, w->record, &w->lost) == RING_OK) {
        const struct record_actuator *a = record_actuators(l, w->record);
        int same = 1;
        for (int i = 1; i < MOTORS; i++) same &= a[i].value == a[0].value;
        w->split += !same;
        w->seen++;
    }
}

static void acquire(struct world *w)
{
    UA_String mode = UA_STRING_STATIC("stream");
    UA_Boolean preempt = false;
    UA_Variant in[2];
    UA_NodeId rig = node("rig"), method = node("rig.acquire-authority");
    size_t n;
    UA_Variant *out;

    UA_Variant_setScalar(&in[0], &mode, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalar(&in[1], &preempt, &UA_TYPES[UA_TYPES_BOOLEAN]);
    assert_int_equal(UA_Client_call(w->client, rig, method, 2, in, &n, &out), UA_STATUSCODE_GOOD);
    UA_Array_delete(out, n, &UA_TYPES[UA_TYPES_VARIANT]);
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&method);
}

static void writes_of_8_commands_are_never_split(void **state)
{
    struct world *w = *state;
    UA_WriteRequest q;
    UA_Double value;
    uint64_t refused = 0;

    acquire(w);
    UA_WriteRequest_init(&q);
    q.nodesToWrite = UA_Array_new(MOTORS, &UA_TYPES[UA_TYPES_WRITEVALUE]);
    q.nodesToWriteSize = MOTORS;
    for (int i = 0; i < MOTORS; i++) {
        char name[64];
        snprintf(name, sizeof name, "actuator:motor-%d.command", i);
        q.nodesToWrite[i].nodeId = node(name);
        q.nodesToWrite[i].attributeId = UA_ATTRIBUTEID_VALUE;
        q.nodesToWrite[i].value.hasValue = true;
        UA_Variant_setScalar(&q.nodesToWrite[i].value.value, &value, &UA_TYPES[UA_TYPES_DOUBLE]);
        q.nodesToWrite[i].value.value.storageType = UA_VARIANT_DATA_NODELETE;
    }
    w->cursor = ring_head(&w->port.record);
    for (int k = 0; k < WRITES; k++) {
        UA_WriteResponse r;
        value = (double)(k % 2000) * 0.01 - 10;
        r = UA_Client_Service_write(w->client, q);
        for (size_t i = 0; i < r.resultsSize; i++) refused += r.results[i] != UA_STATUSCODE_GOOD;
        UA_WriteResponse_clear(&r);
        look(w);
    }
    UA_WriteRequest_clear(&q);
    printf("# %d writes over %llu records, %llu not seen\n", WRITES, (unsigned long long)w->seen,
           (unsigned long long)w->lost);
    assert_int_equal(refused, 0);
    assert_int_equal(w->split, 0);
    assert_true(w->seen > 100);
    assert_true(w->lost < w->seen / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_100_nodes_never_mix_two_steps),
        cmocka_unit_test(writes_of_8_commands_are_never_split),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
