/* A client with stream authority falls silent: it stops writing, is killed, is stopped, or
 * loses its line. The actuator is at its safe value within timeout + 2 steps after the step
 * that used its last command, and marked; counted in ticks of the step's own records, of
 * which every one is looked at. Until the timeout it follows.
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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"

#define RIG "test-opcua-silence"
#define URL "opc.tcp://127.0.0.1:48421"
enum { TIMEOUT_TICKS = 50, MOST_RECORDS = 4096, LOOK_BACK = 40 };
static const double COMMAND = 7, SAFE = 3;

/* Between the test and its client. */
struct orders {
    volatile sig_atomic_t writes; /* commands accepted */
    volatile sig_atomic_t stop;   /* write no more, but go on reading */
    volatile sig_atomic_t cut;    /* cut the line */
};

struct world {
    pid_t rig;
    struct remote looker;
    struct port port;
    struct record *record;
    struct orders *orders;
};

static void nap(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void write_file(const char *dir, const char *name, const char *text, char path[256])
{
    FILE *f;

    snprintf(path, 256, "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char path[256], why[200] = "";
    int up = 0;

    write_file(
        dir, "silence-model.yaml",
        "model: silence\nbodies:\n  sled: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "joints:\n  slide: {type: prismatic, between: [ground, sled], at: [0, 0, 0], axis: "
        "[1, 0, 0]}\nactuators:\n  motor: {type: force, joint: slide, unit: N, range: [-10, "
        "10], safe: 3}\n",
        path);
    write_file(dir, "silence.yaml",
               "rig: " RIG "\nmodel: silence-model.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\n"
               "autostart: true\ncommands: {timeout: 50 ms, action: ramp, ramp: 1 ms}\n"
               "services: {opcua: {port: 48421}}\n",
               path);
    w->orders = mmap(NULL, sizeof *w->orders, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0);
    w->rig = fork();
    if (w->rig == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(program, program, "run", path, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    for (int i = 0; i < 200 && !up; i++) {
        nap(50);
        if (!w->record && attach_open(RIG, &w->port, why) == STATUS_OK)
            w->record = malloc(w->port.layout.step.record.bytes);
        if (!w->record || remote_create(&w->looker)) continue;
        up = !remote_connect(&w->looker, URL);
        if (!up) remote_close(&w->looker);
    }
    if (!up) fprintf(stderr, "no rig: %s\n", why);
    *state = w;
    return !up;
}

static int teardown(void **state)
{
    struct world *w = *state;
    int status;

    remote_close(&w->looker);
    kill(w->rig, SIGTERM);
    waitpid(w->rig, &status, 0);
    free(w->record);
    free(w);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- the client -------------------------------------------------------------------- */

/* All sockets of this process: close those inherited, or cut one's own. */
static void each_socket(int (*do_it)(int fd))
{
    struct stat st;

    for (int fd = 3; fd < 256; fd++)
        if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode)) do_it(fd);
}

static int cut(int fd) { return shutdown(fd, SHUT_RDWR); }

static void stream(struct orders *o)
{
    struct remote r;
    char name[] = "motor", *actuator = name, answer[100];
    const char *look = "rig.step";
    UA_DataValue v;

    each_socket(close);
    if (remote_open(&r, URL) != STATUS_OK) return;
    for (int i = 0; i < 100 && remote_acquire(&r, "stream", answer, sizeof answer); i++) nap(100);
    for (;;) {
        if (o->cut) {
            each_socket(cut);
            for (;;) pause();
        }
        if (!o->stop && remote_command(&r, &actuator, &COMMAND, 1) == UA_STATUSCODE_GOOD)
            o->writes++;
        if (o->stop && remote_read(&r, &look, 1, &v) == UA_STATUSCODE_GOOD) UA_DataValue_clear(&v);
        nap(3);
    }
}

static pid_t start_client(struct world *w)
{
    pid_t pid;

    *w->orders = (struct orders){.writes = 0};
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where a claim fails */
        stream(w->orders);
        _exit(1);
    }
    for (int i = 0; i < 150 && w->orders->writes < 20; i++) nap(100);
    assert_true(w->orders->writes >= 20);
    return pid;
}

/* ---- what the records show --------------------------------------------------------- */

/* Follow the records from the cursor until the actuator is safe. Claims: with a command
 * younger than the timeout it follows, with an older one it is safe. */
static void watch(struct world *w, uint64_t cursor, const char *what)
{
    const struct record_layout *l = &w->port.layout.step.record;
    uint64_t lost = 0, used = 0, safe = 0, follows = 0;

    for (int i = 0; i < MOST_RECORDS && !safe; i++) {
        const struct record_actuator *a = record_actuators(l, w->record);
        if (ring_next(&w->port.record, &cursor, w->record, &lost) != RING_OK) {
            nap(1);
            continue;
        }
        if (a->age_ns == 0) used = w->record->tick;
        if (a->age_ns < TIMEOUT_TICKS * INT64_C(1000000) && a->flags & ACTUATOR_LIVE) {
            assert_true(a->value == COMMAND);
            follows++;
        } else {
            assert_true(a->value == SAFE);
            assert_true(a->flags & (ACTUATOR_TIMEOUT | ACTUATOR_SAFE));
            safe = w->record->tick;
        }
    }
    printf("# %s: safe %llu ticks after the last command was used\n", what,
           (unsigned long long)(safe - used));
    assert_int_equal(lost, 0);
    assert_true(used > 0 && follows > 0 && safe > 0);
    assert_true(safe - used <= TIMEOUT_TICKS + 2);
}

static void is_marked(struct world *w)
{
    const char *name[] = {"actuator:motor.applied", "actuator:motor.command",
                          "actuator:motor.follows"};
    const UA_String timeout = UA_STRING_STATIC("timeout"), made_safe = UA_STRING_STATIC("safe");
    UA_DataValue v[3];

    assert_int_equal(remote_read(&w->looker, name, 3, v), UA_STATUSCODE_GOOD);
    assert_int_equal(v[0].status, UA_STATUSCODE_UNCERTAINSUBSTITUTEVALUE);
    assert_true(*(double *)v[0].value.data == SAFE);
    assert_int_equal(v[1].status, UA_STATUSCODE_UNCERTAINLASTUSABLEVALUE);
    assert_true(UA_String_equal(v[2].value.data, &timeout) ||
                UA_String_equal(v[2].value.data, &made_safe));
    for (int i = 0; i < 3; i++) UA_DataValue_clear(&v[i]);
}

static void end_client(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- the four ways ----------------------------------------------------------------- */

static void a_client_that_stops_writing(void **state)
{
    struct world *w = *state;
    pid_t client = start_client(w);
    uint64_t cursor = ring_head(&w->port.record) - LOOK_BACK;

    w->orders->stop = 1;
    watch(w, cursor, "stops writing");
    is_marked(w);
    end_client(client);
}

static void a_client_that_is_killed(void **state)
{
    struct world *w = *state;
    pid_t client = start_client(w);
    uint64_t cursor = ring_head(&w->port.record) - LOOK_BACK;

    end_client(client);
    watch(w, cursor, "is killed");
    is_marked(w);
}

static void a_client_that_is_stopped(void **state)
{
    struct world *w = *state;
    pid_t client = start_client(w);
    uint64_t cursor = ring_head(&w->port.record) - LOOK_BACK;

    kill(client, SIGSTOP);
    watch(w, cursor, "is stopped");
    is_marked(w);
    end_client(client);
}

static void a_client_that_loses_its_line(void **state)
{
    struct world *w = *state;
    pid_t client = start_client(w);
    uint64_t cursor = ring_head(&w->port.record) - LOOK_BACK;

    w->orders->cut = 1;
    watch(w, cursor, "loses its line");
    is_marked(w);
    end_client(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_stops_writing),
        cmocka_unit_test(a_client_that_is_killed),
        cmocka_unit_test(a_client_that_is_stopped),
        cmocka_unit_test(a_client_that_loses_its_line),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
