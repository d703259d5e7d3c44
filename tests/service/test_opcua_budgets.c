/* What one client may take of the server: sessions that never log in and queues of large
 * values leave room for others, and the server's memory bounded.
 * RUN_ALONE TIME_LIMIT=120 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/client_subscriptions.h>

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"
#include "tests/fault/storm.h"

#define RIG "test-opcua-budgets"
#define URL "opc.tcp://127.0.0.1:4894"
enum { LINES = 20, EACH = 4, ITEMS = 2000, GROWTH = 96 << 20 };

struct world {
    pid_t supervisor;
    struct port port;
};

static void nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static int server_answers(void)
{
    const char *name = "rig.step";
    struct remote r;
    UA_DataValue v;
    int good;

    if (remote_open(&r, URL) != STATUS_OK) return 0;
    good = remote_read(&r, &name, 1, &v) == UA_STATUSCODE_GOOD && v.hasValue;
    if (good) UA_DataValue_clear(&v);
    remote_close(&r);
    return good;
}

static int setup(void **state)
{
    static struct world w;
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char rig[300], here[200], why[200] = "";
    int tries = 200;
    FILE *f;

    snprintf(rig, sizeof rig, "%s/budgets.yaml", dir);
    f = fopen(rig, "w");
    if (!f || !getcwd(here, sizeof here)) return 1;
    fprintf(f,
            "rig: " RIG "\nmodel: %s/tools/bench/sensors.yaml\nparameters: {n: 100}\nstep: 1 ms\n"
            "trip: {consecutive: 0}\nautostart: true\nservices: {opcua: {port: 4894}}\n",
            here);
    fclose(f);
    w.supervisor = fork();
    if (w.supervisor == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(program, program, "run", rig, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    while (tries-- && attach_open(RIG, &w.port, why) != STATUS_OK) nap(50);
    while (tries-- > 0 && !server_answers()) nap(50);
    *state = &w;
    return tries <= 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    int status;

    kill(w->supervisor, SIGTERM);
    waitpid(w->supervisor, &status, 0);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A line that makes sessions and activates none. */
static UA_Client *make_sessions(int n)
{
    UA_CreateSessionRequest q;
    UA_CreateSessionResponse a;
    struct remote r;

    assert_int_equal(remote_create(&r), UA_STATUSCODE_GOOD);
    assert_int_equal(UA_Client_connectSecureChannel(r.client, URL), UA_STATUSCODE_GOOD);
    for (int i = 0; i < n; i++) {
        UA_CreateSessionRequest_init(&q);
        q.requestedSessionTimeout = 600000;
        q.sessionName = UA_STRING((char[]){"never"});
        __UA_Client_Service(r.client, &q, &UA_TYPES[UA_TYPES_CREATESESSIONREQUEST], &a,
                            &UA_TYPES[UA_TYPES_CREATESESSIONRESPONSE]);
        UA_CreateSessionResponse_clear(&a);
    }
    return r.client;
}

static void sessions_never_activated_shut_nobody_out(void **state)
{
    UA_Client *line[LINES];
    (void)state;

    for (int i = 0; i < LINES; i++) {
        line[i] = make_sessions(EACH);
        assert_true(server_answers());
    }
    for (int i = 0; i < LINES; i++) UA_Client_delete(line[i]);
    assert_true(server_answers());
}

/* Clients that go without a word, one after the other, more than there are places. */
static void sessions_without_a_line_make_room(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct remote r;
        assert_int_equal(remote_open(&r, URL), STATUS_OK);
        UA_Client_disconnectSecureChannel(r.client);
        UA_Client_delete(r.client);
    }
    assert_true(server_answers());
}

static void ignore(UA_Client *c, UA_UInt32 sub, void *sub_context, UA_UInt32 item,
                   void *item_context, UA_DataValue *value)
{
    (void)c, (void)sub, (void)sub_context, (void)item, (void)item_context, (void)value;
}

static void queues_of_large_values_are_bounded(void **state)
{
    struct world *w = *state;
    const struct board_service *b = &w->port.board->service[1];
    pid_t pid = b->pid;
    int64_t before = storm_resident(pid), most = 0;
    UA_CreateSubscriptionRequest q = UA_CreateSubscriptionRequest_default();
    UA_CreateSubscriptionResponse sub;
    struct remote r;
    int taken = 0;

    assert_int_equal(remote_open(&r, URL), STATUS_OK);
    q.requestedPublishingInterval = 3600000;
    q.requestedLifetimeCount = 60000;
    sub = UA_Client_Subscriptions_create(r.client, q, NULL, NULL, NULL);
    assert_int_equal(sub.responseHeader.serviceResult, UA_STATUSCODE_GOOD);
    assert_true(sub.revisedPublishingInterval <= 60000);
    for (int i = 0; i < ITEMS; i++) {
        UA_MonitoredItemCreateRequest item = UA_MonitoredItemCreateRequest_default(
            UA_NODEID_STRING(r.ns, (char[]){"monitor.wake-histogram"}));
        UA_MonitoredItemCreateResult made;
        item.requestedParameters.samplingInterval = 1;
        item.requestedParameters.queueSize = 1000;
        made = UA_Client_MonitoredItems_createDataChange(
            r.client, sub.subscriptionId, UA_TIMESTAMPSTORETURN_BOTH, item, NULL, ignore, NULL);
        if (made.statusCode) break;
        assert_int_equal(made.revisedQueueSize, 1);
        taken++;
    }
    for (int i = 0; i < 40; i++) {
        int64_t now = storm_resident(pid);
        if (now > most) most = now;
        nap(50);
    }
    printf("# %d items of 16 KiB taken, resident %+.1f MiB\n", taken,
           (double)(most - before) / (1 << 20));
    assert_true(taken > 50 && taken < ITEMS);
    assert_true(most - before < GROWTH);
    assert_int_equal(b->pid, pid);
    remote_close(&r);
    assert_true(server_answers());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions_never_activated_shut_nobody_out),
                                       cmocka_unit_test(sessions_without_a_line_make_room),
                                       cmocka_unit_test(queues_of_large_values_are_bounded)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
