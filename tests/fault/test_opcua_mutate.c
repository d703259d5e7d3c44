/* A client that is logged in and breaks its requests at random (mutate.h): the server
 * survives, keeps its memory, and answers afterwards. `make campaign` sends more:
 * TRAPEZE_MUTATIONS says how many.
 * RUN_ALONE TIME_LIMIT=170 */
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

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"
#include "tests/fault/mutate.h"
#include "tests/fault/storm.h"

#define RIG "test-opcua-mutate"
enum { PORT = 4893, GROWTH = 128 << 20 };
static const uint64_t MUTATIONS = 100000;

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

    if (remote_open(&r, "opc.tcp://127.0.0.1:4893") != STATUS_OK) return 0;
    good = remote_read(&r, &name, 1, &v) == UA_STATUSCODE_GOOD && v.hasValue;
    if (good) UA_DataValue_clear(&v);
    remote_close(&r);
    return good;
}

static void write_rig(const char *dir, char rig[300])
{
    FILE *f;

    snprintf(rig, 300, "%s/mutate-model.yaml", dir);
    f = fopen(rig, "w");
    assert_non_null(f);
    fputs(
        "model: two\nparameters:\n  grip: {value: 2 N.s/m, live: true, range: [0 N.s/m, 9 N.s/m]}\n"
        "bodies:\n  sled-1: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
        "  sled-2: {mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\njoints:\n"
        "  slide-1: {type: prismatic, between: [ground, sled-1], at: [0, 1, 0], axis: [1, 0, 0]}\n"
        "  slide-2: {type: prismatic, between: [ground, sled-2], at: [0, 2, 0], axis: [1, 0, 0]}\n"
        "actuators:\n  motor-1: {type: force, joint: slide-1, unit: N, range: [-9, 9], safe: 0}\n"
        "  motor-2: {type: force, joint: slide-2, unit: N, range: [-9, 9], safe: 0}\nsensors:\n"
        "  at-1: {type: joint-position, joint: slide-1}\n"
        "  at-2: {type: joint-position, joint: slide-2}\n",
        f);
    fclose(f);
    snprintf(rig, 300, "%s/mutate.yaml", dir);
    f = fopen(rig, "w");
    assert_non_null(f);
    fprintf(f,
            "rig: " RIG "\nmodel: mutate-model.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\n"
            "autostart: true\nservices: {opcua: {port: %d}}\n",
            PORT);
    fclose(f);
}

static int setup(void **state)
{
    static struct world w;
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char rig[300], why[200] = "";
    int tries = 200;

    write_rig(dir, rig);
    w.supervisor = fork();
    if (w.supervisor == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
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

    kill(w->supervisor, SIGTERM);
    waitpid(w->supervisor, &status, 0);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void broken_requests_leave_the_server_as_it_was(void **state)
{
    struct world *w = *state;
    const struct board_service *b = &w->port.board->service[1];
    const char *text = getenv("TRAPEZE_MUTATIONS");
    uint64_t n = text ? strtoull(text, NULL, 10) : MUTATIONS;
    pid_t pid = b->pid;
    int64_t before = storm_resident(pid);
    struct mutate_count count = {0};
    int good;

    assert_true(before > 0);
    good = mutate_run(PORT, 20260101, n, &count);
    printf("# %llu requests on %llu lines, %llu bytes of answers, %llu lines refused; resident "
           "%+.1f MiB\n",
           (unsigned long long)count.sent, (unsigned long long)count.lines,
           (unsigned long long)count.answered, (unsigned long long)count.failed,
           (double)(storm_resident(b->pid) - before) / (1 << 20));
    assert_int_equal(b->pid, pid);
    assert_int_equal(b->epoch, 1);
    assert_true(good);
    assert_true(count.sent >= n);
    assert_true(count.answered > n); /* most of them come to an answer */
    assert_true(storm_resident(pid) - before < GROWTH);
    assert_true(server_answers());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_requests_leave_the_server_as_it_was)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
