/* Random signals to random processes of the real program at random times. After each the
 * rig is where it should be, in the time it should take, and nothing is left over.
 * RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=150
 *
 * TRAPEZE_KILLS says how many (12; the campaign: 200), TRAPEZE_SEED which. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "services/run/attach.h"

enum target { SERVICE, STEP, SUPERVISOR };
enum { ACTS = 10, MOST = 1000, RECORD = 1 << 16 };

/* X(target, signal, most ms until it is over). A stop is followed by SIGCONT. */
static const struct act {
    const char *name;
    enum target target;
    int signal;
    double most_ms;
} ACT[ACTS] = {
    {"service KILL", SERVICE, SIGKILL, 4000},
    {"service SEGV", SERVICE, SIGSEGV, 4000},
    {"service TERM", SERVICE, SIGTERM, 4000},
    {"service STOP", SERVICE, SIGSTOP, 500},
    {"step KILL", STEP, SIGKILL, 200},
    {"step SEGV", STEP, SIGSEGV, 200},
    {"step STOP", STEP, SIGSTOP, 500},
    {"supervisor KILL", SUPERVISOR, SIGKILL, 3000},
    {"supervisor TERM", SUPERVISOR, SIGTERM, 5000},
    {"supervisor STOP", SUPERVISOR, SIGSTOP, 500},
};

struct score {
    int n, wedged, orphans, wrong;
    double ms[MOST];
};

struct rig_under_fire {
    char file[600], log[600];
    pid_t supervisor;
    struct port port;
    struct record *record;
    uint64_t seed;
    struct score score[ACTS];
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void nap(double ms)
{
    struct timespec t = {.tv_sec = (time_t)(ms / 1e3),
                         .tv_nsec = (long)((ms - 1e3 * (double)(long)(ms / 1e3)) * 1e6)};
    nanosleep(&t, NULL);
}

static double chance(struct rig_under_fire *r, double below)
{
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return below * (double)(r->seed >> 33) / (double)(1ull << 31);
}

/* ---- the rig ----------------------------------------------------------------------- */

static void write_rig(struct rig_under_fire *r)
{
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp";
    char here[400];
    FILE *f;

    assert_non_null(getcwd(here, sizeof here));
    snprintf(r->file, sizeof r->file, "%s/kills.yaml", dir);
    snprintf(r->log, sizeof r->log, "%s/kills.log", dir);
    f = fopen(r->file, "w");
    assert_non_null(f);
    fprintf(f,
            "rig: test-kills\nmodel: %s/config/models/pendulum.yaml\nstep: 1 ms\n"
            "trip: {consecutive: 0}\nautostart: true\nservices: {opcua: }\n",
            here);
    fclose(f);
}

/* The service's own word for it: it can be reached. */
static int service_is_up(const struct rig_under_fire *r, uint32_t epoch)
{
    const struct board_service *b = &r->port.board->service[1];
    return b->pid != 0 && b->epoch >= epoch;
}

static int is_running(struct rig_under_fire *r)
{
    return port_record(&r->port, r->record) && r->record->state == STATE_RUNNING;
}

static uint64_t tick_of(struct rig_under_fire *r)
{
    port_record(&r->port, r->record);
    return r->record->tick;
}

static int start(struct rig_under_fire *r)
{
    const char *program = getenv("TRAPEZE") ? getenv("TRAPEZE") : "build/trapeze";
    char why[200];
    double until = now_ms() + 20000;

    r->supervisor = fork();
    if (r->supervisor == 0) {
        int log = open(r->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        setsid();
        dup2(log, 1);
        dup2(log, 2);
        execl(program, program, "run", r->file, "--allow-degraded", "--insecure", (char *)NULL);
        _exit(127);
    }
    while (now_ms() < until) {
        nap(50);
        if (attach_open("test-kills", &r->port, why) == STATUS_OK) break;
    }
    while (now_ms() < until) {
        if (is_running(r) && service_is_up(r, 1)) return 1;
        nap(20);
    }
    return 0;
}

/* Processes of the rig's session that are still there, our own zombies gone. */
static int left_over(pid_t session)
{
    char command[64], line[64] = "0";
    FILE *f;

    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    snprintf(command, sizeof command, "ps -o pid= -s %d | wc -l", (int)session);
    f = popen(command, "r");
    if (f && !fgets(line, sizeof line, f)) line[0] = '0';
    if (f) pclose(f);
    return atoi(line);
}

/* Until the supervisor has ended and nothing is left; returns ms, or -1. */
static double gone_in(struct rig_under_fire *r, double begin, double most)
{
    int status, ended = 0;

    while (now_ms() - begin < most) {
        if (!ended && waitpid(r->supervisor, &status, WNOHANG) == r->supervisor) ended = 1;
        if (ended && left_over(r->supervisor) == 0) return now_ms() - begin;
        nap(5);
    }
    return -1;
}

static void stop(struct rig_under_fire *r, struct score *s)
{
    double begin = now_ms();

    if (!r->supervisor) return;
    kill(r->supervisor, SIGTERM);
    if (gone_in(r, begin, 8000) < 0) {
        s->orphans += left_over(r->supervisor);
        kill(-r->supervisor, SIGKILL);
        nap(200);
        left_over(r->supervisor);
    }
    r->supervisor = 0;
}

/* ---- one act ----------------------------------------------------------------------- */

static pid_t victim(const struct rig_under_fire *r, enum target t)
{
    return t == SUPERVISOR ? r->supervisor
           : t == STEP     ? r->port.board->step_pid
                           : r->port.board->service[1].pid;
}

/* The step ticks on, and all are there. Returns ms, or -1. */
static double well_in(struct rig_under_fire *r, uint32_t epoch, double begin, double most)
{
    uint64_t tick = tick_of(r);

    while (now_ms() - begin < most) {
        if (is_running(r) && tick_of(r) > tick && service_is_up(r, epoch)) return now_ms() - begin;
        nap(1);
    }
    return -1;
}

static double step_gone_in(struct rig_under_fire *r, double begin, double most)
{
    while (now_ms() - begin < most) {
        if (!port_step_alive(&r->port)) return now_ms() - begin;
        nap(1);
    }
    return -1;
}

static void act(struct rig_under_fire *r, const struct act *a, struct score *s)
{
    uint32_t epoch = r->port.board->service[1].epoch;
    uint64_t before = tick_of(r);
    double begin, took;

    nap(chance(r, 300));
    kill(victim(r, a->target), a->signal);
    if (a->signal == SIGSTOP) {
        nap(10 + chance(r, 490));
        kill(victim(r, a->target), SIGCONT);
    }
    begin = now_ms();
    if (a->signal == SIGSTOP || a->target == SERVICE)
        took = well_in(r, a->signal == SIGSTOP ? epoch : epoch + 1, begin, a->most_ms);
    else if (a->target == STEP)
        took = step_gone_in(r, begin, a->most_ms);
    else
        took = gone_in(r, begin, a->most_ms);
    s->wedged += took < 0;
    s->ms[s->n++ % MOST] = took;
    if (a->target == SERVICE) s->wrong += tick_of(r) <= before || !is_running(r);
    if (a->target == SUPERVISOR && a->signal != SIGSTOP) {
        port_record(&r->port, r->record);
        s->wrong += r->record->state != STATE_SAFE || !(r->record->quality & RECORD_FINAL);
        s->orphans += left_over(r->supervisor);
        r->supervisor = 0;
    }
    if (a->target == STEP && a->signal != SIGSTOP) stop(r, s);
}

/* ---- the table --------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int show(struct rig_under_fire *r)
{
    int bad = 0;

    print_message("%-18s %4s %9s %9s %7s %8s %6s\n", "act", "n", "p50 ms", "max ms", "wedged",
                  "orphans", "wrong");
    for (int i = 0; i < ACTS; i++) {
        struct score *s = &r->score[i];
        if (!s->n) continue;
        qsort(s->ms, (size_t)s->n, sizeof s->ms[0], by_size);
        print_message("%-18s %4d %9.1f %9.1f %7d %8d %6d\n", ACT[i].name, s->n, s->ms[s->n / 2],
                      s->ms[s->n - 1], s->wedged, s->orphans, s->wrong);
        bad += s->wedged + s->orphans + s->wrong;
    }
    return bad;
}

static void killed_at_random_the_rig_is_where_it_should_be(void **state)
{
    static struct rig_under_fire r;
    const char *text = getenv("TRAPEZE_KILLS"), *seed = getenv("TRAPEZE_SEED");
    int n = text ? atoi(text) : 12;

    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* orphans become ours, and are counted */
    r.seed = seed ? strtoull(seed, NULL, 10) : (uint64_t)now_ms();
    r.record = calloc(1, RECORD);
    assert_non_null(r.record);
    write_rig(&r);
    for (int i = 0; i < n; i++) {
        int k = i < ACTS ? i : (int)chance(&r, ACTS); /* each once, then as it comes */
        if (!r.supervisor && !start(&r)) fail_msg("the rig does not start: see %s", r.log);
        act(&r, &ACT[k], &r.score[k]);
    }
    stop(&r, &r.score[0]);
    assert_int_equal(show(&r), 0);
    free(r.record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_random_the_rig_is_where_it_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
