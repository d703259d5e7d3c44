/* How soon an emergency stop is answered, beside a client that calls 100 methods at a time
 * and others that read and write without pause, with a step of 1 ms and one of 100 ms: 99
 * of 100 within 10 ms (or, on a machine busy with other work, twice what a read of one
 * value takes there). The others are served all the while.
 * RUN_ALONE TIME_LIMIT=120 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/opcua/client/remote.h"

enum { STOPS = 200, METHODS = 100, READERS = 2, PORT = 4891 };
static const double LIMIT_S = 0.010;

struct world {
    pid_t rig, busy[READERS + 1];
    char url[64], name[64];
};

static void nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void start_rig(struct world *w, int step_ms)
{
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char file[300], here[200];
    FILE *f;

    snprintf(w->name, sizeof w->name, "test-opcua-reaction-%d", step_ms);
    snprintf(w->url, sizeof w->url, "opc.tcp://127.0.0.1:%d", PORT + step_ms % 7);
    snprintf(file, sizeof file, "%s/%s.yaml", dir, w->name);
    assert_non_null(getcwd(here, sizeof here));
    f = fopen(file, "w");
    assert_non_null(f);
    fprintf(f,
            "rig: %s\nmodel: %s/tools/bench/sensors.yaml\nparameters: {n: 100}\nstep: %d ms\n"
            "trip: {consecutive: 0}\nautostart: true\nservices: {opcua: {port: %d}}\n",
            w->name, here, step_ms, PORT + step_ms % 7);
    fclose(f);
    w->rig = fork();
    if (w->rig == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(program, program, "run", file, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
}

/* Calls METHODS methods with one request, again and again. */
static void call_many(const struct world *w)
{
    UA_CallMethodRequest item[METHODS];
    UA_CallRequest q;
    struct remote r;

    if (remote_open(&r, w->url) != STATUS_OK) _exit(1);
    UA_Client_getConfig(r.client)->timeout = 60000;
    UA_CallRequest_init(&q);
    for (int i = 0; i < METHODS; i++) {
        UA_CallMethodRequest_init(&item[i]);
        item[i].objectId = UA_NODEID_STRING(r.ns, (char[]){"rig"});
        item[i].methodId = UA_NODEID_STRING(r.ns, (char[]){"rig.reset-statistics"});
    }
    q.methodsToCall = item;
    q.methodsToCallSize = METHODS;
    for (;;) {
        UA_CallResponse a = UA_Client_Service_call(r.client, q);
        if (a.responseHeader.serviceResult || a.resultsSize != METHODS) _exit(1);
        UA_CallResponse_clear(&a);
    }
}

static void read_many(const struct world *w)
{
    const char *name[] = {"sensors.values", "rig.state", "rig.time", "monitor.wake-histogram"};
    UA_DataValue v[4];
    struct remote r;

    if (remote_open(&r, w->url) != STATUS_OK) _exit(1);
    for (;;) {
        if (remote_read(&r, name, 4, v)) _exit(1);
        for (int i = 0; i < 4; i++) UA_DataValue_clear(&v[i]);
        nap(1);
    }
}

static pid_t beside(const struct world *w, void (*act)(const struct world *w))
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        act(w);
    }
    return pid;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double p99(double *s)
{
    qsort(s, STOPS, sizeof *s, by_size);
    return s[STOPS * 99 / 100 - 1];
}

static void stops_come_first(int step_ms)
{
    struct world w = {.rig = 0};
    double stop[STOPS], read[STOPS], late, plain;
    const char *name = "rig.step";
    struct remote r;
    int tries = 100, status, answered = 0;

    start_rig(&w, step_ms);
    freopen("/dev/null", "w", stderr);
    while (remote_open(&r, w.url) != STATUS_OK && tries--) nap(100);
    assert_true(tries > 0);
    w.busy[0] = beside(&w, call_many);
    for (int i = 1; i <= READERS; i++) w.busy[i] = beside(&w, read_many);
    nap(500);
    for (int i = 0; i < STOPS; i++) {
        UA_DataValue v;
        char answer[100];
        double begin = now();
        UA_StatusCode bad = remote_call(&r, "estop", NULL, 0, answer, sizeof answer);
        stop[i] = now() - begin;
        assert_true(!UA_StatusCode_isBad(bad));
        answered += bad == UA_STATUSCODE_GOOD;
        begin = now();
        assert_int_equal(remote_read(&r, &name, 1, &v), UA_STATUSCODE_GOOD);
        read[i] = now() - begin;
        UA_DataValue_clear(&v);
        nap(7);
    }
    for (int i = 0; i <= READERS; i++) assert_int_equal(waitpid(w.busy[i], &status, WNOHANG), 0);
    late = p99(stop);
    plain = p99(read);
    printf(
        "# step %d ms: stop p50 %.2f p99 %.2f max %.2f ms, read p50 %.2f p99 %.2f ms, %d answered "
        "by the step in time\n",
        step_ms, stop[STOPS / 2] * 1e3, late * 1e3, stop[STOPS - 1] * 1e3, read[STOPS / 2] * 1e3,
        plain * 1e3, answered);
    assert_true(late <= fmax(LIMIT_S, 2 * plain));
    assert_true(step_ms > 1 || answered > STOPS / 2);
    remote_close(&r);
    for (int i = 0; i <= READERS; i++) kill(w.busy[i], SIGKILL), waitpid(w.busy[i], &status, 0);
    kill(w.rig, SIGTERM);
    waitpid(w.rig, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_stop_is_answered_within_10_ms_at_a_step_of_1_ms(void **state)
{
    (void)state;
    stops_come_first(1);
}

static void a_stop_is_answered_within_10_ms_at_a_step_of_100_ms(void **state)
{
    (void)state;
    stops_come_first(100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_answered_within_10_ms_at_a_step_of_1_ms),
        cmocka_unit_test(a_stop_is_answered_within_10_ms_at_a_step_of_100_ms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
