/* A storm on the OPC UA server (storm.h), some seconds of it: the server stays up, keeps
 * its memory, and answers afterwards. `make campaign` has the long one and looks at the
 * step's wake-ups. TRAPEZE_SECONDS makes this one longer.
 * RUN_ALONE NO_SANITIZER TIME_LIMIT=120 */
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"
#include "tests/fault/storm.h"

#define RIG "test-opcua-storm"
enum { PORT = 4995, GROWTH = 16 << 20 };

struct world {
    pid_t supervisor;
    struct port port;
    struct storm storm;
};

static void nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static int server_answers(void)
{
    const char *name = "sensors.values";
    struct remote r;
    UA_DataValue v;
    char url[64];
    int good;

    snprintf(url, sizeof url, "opc.tcp://127.0.0.1:%d", PORT);
    if (remote_open(&r, url) != STATUS_OK) return 0;
    good = remote_read(&r, &name, 1, &v) == UA_STATUSCODE_GOOD && v.hasValue &&
           v.value.arrayLength >= STORM_ITEMS;
    if (good) UA_DataValue_clear(&v);
    remote_close(&r);
    return good;
}

static int setup(void **state)
{
    static struct world w;
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char rig[256], why[200] = "", here[200] = "";
    int tries = 200;
    FILE *f;

    snprintf(rig, sizeof rig, "%s/storm.yaml", dir);
    f = fopen(rig, "w");
    if (!f || !getcwd(here, sizeof here)) return 1;
    fprintf(f,
            "rig: %s\nmodel: %s/tools/bench/sensors.yaml\nparameters: {n: %d}\nstep: 1 ms\n"
            "trip: {consecutive: 0}\nautostart: true\ncommands: {timeout: 5 s, action: zero}\n"
            "services: {opcua: {port: %d}}\n",
            RIG, here, STORM_ITEMS, PORT);
    fclose(f);
    w.supervisor = fork();
    if (w.supervisor == 0) {
        execl(program, program, "run", rig, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    while (tries-- && attach_open(RIG, &w.port, why) != STATUS_OK) nap(50);
    while (tries-- > 0 && !server_answers()) nap(50);
    *state = &w;
    if (tries <= 0) fprintf(stderr, "no rig: %s\n", why);
    return tries <= 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    int status;

    storm_free(&w->storm);
    kill(w->supervisor, SIGTERM);
    waitpid(w->supervisor, &status, 0);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void print_counts(const struct storm_count *c)
{
    printf("# %llu sessions, %llu values, %llu writes (%llu refused), %llu nodes browsed\n",
           (unsigned long long)c->sessions, (unsigned long long)c->values,
           (unsigned long long)c->writes, (unsigned long long)c->refused_writes,
           (unsigned long long)c->nodes);
    printf("# %llu connections of garbage, %llu half open, %llu chunks on %llu channels\n",
           (unsigned long long)c->garbage, (unsigned long long)c->half_open,
           (unsigned long long)c->chunks, (unsigned long long)c->channels);
}

static void a_storm_leaves_the_server_as_it_was(void **state)
{
    struct world *w = *state;
    const struct board_service *b = &w->port.board->service[1];
    const char *text = getenv("TRAPEZE_SECONDS");
    pid_t pid = b->pid;
    double length = text ? atof(text) : 8;
    int64_t before = storm_resident(pid), most = before, now;
    const struct storm_count *c;

    assert_true(before > 0);
    assert_true(storm_start(&w->storm, PORT, length, (int)w->port.board->core));
    for (int i = 0; i < (int)(length * 20); i++) {
        nap(50);
        now = storm_resident(pid);
        if (now > most) most = now;
    }
    storm_stop(&w->storm);
    c = w->storm.count;
    print_counts(c);
    printf("# resident: %.1f MiB before, %.1f MiB at most\n", (double)before / (1 << 20),
           (double)most / (1 << 20));
    assert_int_equal(c->sessions, STORM_SESSIONS);
    assert_true(c->values > 10000 && c->nodes > 1000);
    assert_true(c->writes > 500 && c->refused_writes < c->writes / 10);
    assert_true(c->garbage > 100 && c->half_open > 100 && c->chunks == STORM_CHUNKS);
    assert_int_equal(b->pid, pid);
    assert_int_equal(b->epoch, 1);
    assert_true(most - before < GROWTH);
    assert_true(server_answers());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_storm_leaves_the_server_as_it_was)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
