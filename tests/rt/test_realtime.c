/* The step process on the real clock. RUN_ALONE NEEDS_ROOT NO_SANITIZER
 *
 * A machine may steal the core whenever it likes, so nothing here claims a speed:
 * every claim is an invariant of the accounts, or a cause named for what the test
 * itself did at a moment it knows. TRAPEZE_SECONDS makes the long run longer. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/link/name.h"
#include "tests/rt/realrig.h"

/* What a watch of a run keeps. */
struct seen {
    struct realrig *rig;
    uint64_t cursor, event_cursor, lost;
    uint64_t ticks, misses, broken; /* accounts that break an invariant */
    uint64_t cause[CAUSE_COUNT];
    uint64_t minor, major, voluntary, involuntary, late;
    uint64_t last_slot;
    int64_t acts;
    int64_t act_at;       /* monotonic, of the last thing the test did */
    uint64_t hits[CAUSE_COUNT]; /* causes of the misses that belong to an act */
    pid_t hog;
};

static void look(const struct account *a, void *context)
{
    struct seen *s = context;
    int missed = (a->flags & ACCOUNT_MISS) != 0;

    s->broken += a->skipped != (uint64_t)(a->end_ns / 1000000);
    s->broken += missed != (a->end_ns >= 1000000);
    s->broken += missed != (a->cause != CAUSE_NONE);
    s->broken += s->ticks > 0 && a->slot <= s->last_slot;
    s->broken += a->wake_ns < 0 || a->end_ns < a->wake_ns;
    s->last_slot = a->slot + a->skipped;
    s->ticks++;
    s->misses += (uint64_t)missed;
    s->cause[a->cause]++;
    if (s->ticks > 1) { /* the first account covers set-up */
        s->minor += a->minor;
        s->major += a->major;
        s->voluntary += a->voluntary;
        s->involuntary += a->involuntary;
    }
    s->late += (a->flags & ACCOUNT_NO_SLEEP) || a->wake_ns > 50000; /* woken late */
}

static void show(const struct seen *s)
{
    print_message("%llu ticks, %llu misses:", (unsigned long long)s->ticks,
                  (unsigned long long)s->misses);
    for (uint32_t i = 1; i < CAUSE_COUNT; i++)
        print_message(" %llu %s", (unsigned long long)s->cause[i], name_cause(i));
    print_message("; %llu acts, %llu woken late\n", (unsigned long long)s->acts,
                  (unsigned long long)s->late);
}

static void watch(struct port *port, void *context)
{
    struct seen *s = context;
    s->lost += realrig_accounts(port, &s->cursor, look, s);
}

static double seconds(double standard)
{
    const char *text = getenv("TRAPEZE_SECONDS");
    return text ? atof(text) : standard;
}

/* 10 s: no page fault, no forbidden system call (the filter would have ended the
 * process), one voluntary switch per tick but for those woken too late to sleep. */
static void a_long_run_faults_never_and_sleeps_once_per_tick(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-long")) skip();
    assert_int_equal(realrig_run(&r, seconds(10), watch, &s), STATUS_OK);
    show(&s);
    assert_int_equal(r.result.step_exit, 0);
    assert_int_equal(s.lost, 0);
    assert_int_equal(s.broken, 0);
    assert_true(s.ticks > 1000);
    assert_int_equal(s.minor + s.major, 0);
    assert_true(s.voluntary <= s.ticks + 1);
    assert_true(s.ticks - 1 - s.voluntary <= s.late);
    assert_true(s.cause[CAUSE_UNEXPLAINED] * 100 <= s.misses);
    realrig_destroy(&r);
}

/* Injected overruns: exactly those steps, exactly that cause. */
static void injected_overruns_are_all_found(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};
    struct tick_inject inject[40];

    (void)state;
    if (!realrig_create(&r, "test-inject")) skip();
    for (uint32_t i = 0; i < 40; i++)
        inject[i] = (struct tick_inject){.step = 100 + 20 * i,
                                         .busy_ns = 1100000 + 250000 * (int64_t)(i % 10)};
    r.options.inject = inject;
    r.options.n_inject = 40;
    assert_int_equal(realrig_run(&r, 2, watch, &s), STATUS_OK);
    show(&s);
    assert_int_equal(s.cause[CAUSE_INJECTED], 40);
    assert_int_equal(s.broken, 0);
    realrig_destroy(&r);
}

/* All blocks 2.5 times slower from some step on: 600 us of work become 1500. */
static void slow_down(struct port *port, void *context)
{
    struct seen *s = context;
    if (s->rig->knobs->steps > 400) s->rig->knobs->block_ns = 12500;
    watch(port, context);
}

static void slower_throughout_reads_long_compute(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-slow")) skip();
    r.options.admit = 0.02;
    r.knobs->blocks = 120;
    assert_int_equal(realrig_run(&r, 2, slow_down, &s), STATUS_OK);
    show(&s);
    assert_int_equal(s.broken, 0);
    assert_true(s.misses > 200);
    /* the rest is what a shared machine adds: late wake-ups and holes that came first */
    assert_true(s.cause[CAUSE_LONG_COMPUTE] * 10 >= s.misses * 6);
    assert_true(s.cause[CAUSE_UNEXPLAINED] * 100 <= s.misses);
    realrig_destroy(&r);
}

/* Once per watch: a delay of 1.2 ms inside one block. */
static void delay_once(struct port *port, void *context)
{
    struct seen *s = context;
    watch(port, context);
    if (s->rig->knobs->steps > 400 && s->rig->knobs->delay_ns == 0) {
        s->rig->knobs->delay_ns = 1200000;
        s->acts++;
    }
}

static void one_delay_inside_a_block_reads_hole(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-hole")) skip();
    assert_int_equal(realrig_run(&r, 3, delay_once, &s), STATUS_OK);
    show(&s);
    assert_int_equal(s.broken, 0);
    assert_true(s.acts >= 20);
    /* each delay is a miss; a machine's own thefts may add or outrank a few */
    assert_true(s.misses >= (uint64_t)s.acts - 1);
    assert_true(s.cause[CAUSE_HOLE] * 10 >= (uint64_t)s.acts * 8);
    realrig_destroy(&r);
}

/* Once per watch: take the page away, have the step touch it and take long. */
static void touch_once(struct port *port, void *context)
{
    struct seen *s = context;
    struct realrig_knobs *k = s->rig->knobs;
    watch(port, context);
    if (k->steps > 400 && k->delay_ns == 0 && !k->touch) {
        fallocate(k->page_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096);
        k->touch = 1;
        k->delay_ns = 1200000;
        s->acts++;
    }
}

static void a_touched_page_reads_page_fault(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-page")) skip();
    assert_int_equal(realrig_run(&r, 3, touch_once, &s), STATUS_OK);
    show(&s);
    assert_int_equal(s.broken, 0);
    assert_true(s.acts >= 20);
    assert_true(s.minor >= (uint64_t)s.acts - 1);
    assert_true(s.cause[CAUSE_PAGE_FAULT] * 10 >= (uint64_t)s.acts * 8);
    realrig_destroy(&r);
}

/* A thread of higher priority on the step's core wakes in the middle of the work and
 * keeps the core for 1.5 ms, twenty times. */
static void hog(const struct port *port, int core)
{
    struct sched_param p = {.sched_priority = 95};
    struct record *r = malloc(port->layout.step.record.bytes);
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (!r || sched_setaffinity(0, sizeof set, &set) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &p) != 0)
        _exit(1);
    for (int i = 0; i < 20; i++) {
        struct timespec t;
        int64_t at;
        if (port_record(port, r) == 0) _exit(1);
        at = r->release_ns + 50 * 1000000 + 300000; /* 300 us into a step of 600 */
        t = (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        do clock_gettime(CLOCK_MONOTONIC, &t);
        while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < at + 1500000);
    }
    _exit(0);
}

static void hog_once(struct port *port, void *context)
{
    struct seen *s = context;
    watch(port, context);
    if (s->hog || s->rig->knobs->steps < 400) return;
    s->hog = fork();
    if (s->hog == 0) hog(port, (int)port->board->core);
}

static void a_hog_of_higher_priority_reads_pre_empted(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};
    int status = -1;

    (void)state;
    if (!realrig_create(&r, "test-hog")) skip();
    r.knobs->blocks = 120;
    assert_int_equal(realrig_run(&r, 3, hog_once, &s), STATUS_OK);
    show(&s);
    assert_true(s.hog > 0);
    waitpid(s.hog, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(s.broken, 0);
    assert_true(s.cause[CAUSE_PREEMPTED] >= 16); /* of 20; a late hog meets a sleeper */
    realrig_destroy(&r);
}

/* ---- stopped, stolen --------------------------------------------------------------- */

static void count_misses(struct port *port, struct seen *s)
{
    struct event e;

    watch(port, s);
    while (ring_next(&port->event, &s->event_cursor, &e, NULL) == RING_OK)
        if (e.kind == EVENT_MISS) s->hits[e.a]++;
}

/* The step process is stopped for 50 ms, ten times. */
static void stop_for_50_ms(struct port *port, void *context)
{
    static const struct timespec nap = {.tv_nsec = 50000000};
    struct seen *s = context;
    pid_t step = port->board->step_pid;

    count_misses(port, s);
    if (s->acts == 10 || s->rig->knobs->steps < 400) return;
    kill(step, SIGSTOP);
    nanosleep(&nap, NULL);
    kill(step, SIGCONT);
    s->acts++;
}

static void a_stopped_step_reads_stopped(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-stop")) skip();
    assert_int_equal(realrig_run(&r, 3, stop_for_50_ms, &s), STATUS_OK);
    show(&s);
    assert_int_equal(s.acts, 10);
    assert_int_equal(s.broken, 0);
    assert_true(s.hits[CAUSE_STOPPED] >= 9);
    realrig_destroy(&r);
}

/* A thread of the highest priority has the core for 20 ms over the releases. */
static void have_core(const struct port *port, int core)
{
    struct sched_param p = {.sched_priority = 99};
    struct timespec t;
    struct record *r = malloc(port->layout.step.record.bytes);
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (!r || sched_setaffinity(0, sizeof set, &set) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &p) != 0)
        _exit(1);
    for (int i = 0; i < 10; i++) {
        int64_t at;
        if (port_record(port, r) == 0) _exit(1);
        at = r->release_ns + 150 * 1000000 + 800000; /* 800 us after a release: it sleeps */
        t = (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        do clock_gettime(CLOCK_MONOTONIC, &t);
        while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < at + 20000000);
    }
    _exit(0);
}

static void hog_releases(struct port *port, void *context)
{
    struct seen *s = context;

    count_misses(port, s);
    if (s->hog || s->rig->knobs->steps < 400) return;
    s->hog = fork();
    if (s->hog == 0) have_core(port, (int)port->board->core);
}

static void a_hog_over_the_release_reads_stolen(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};
    int status = -1;

    (void)state;
    if (!realrig_create(&r, "test-stolen")) skip();
    assert_int_equal(realrig_run(&r, 3.5, hog_releases, &s), STATUS_OK);
    show(&s);
    waitpid(s.hog, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(s.broken, 0);
    print_message("told: %llu stolen, %llu late wake-up\n",
                  (unsigned long long)s.hits[CAUSE_STOLEN],
                  (unsigned long long)s.hits[CAUSE_LATE_WAKE]);
    assert_true(s.hits[CAUSE_STOLEN] >= 9);
    realrig_destroy(&r);
}

static void forbid(struct port *port, void *context)
{
    struct seen *s = context;
    (void)port;
    if (s->rig->knobs->steps > 100) s->rig->knobs->forbidden = 1;
}

/* The filter is there and bites: one write() ends the step process. */
static void a_forbidden_system_call_ends_the_step_process(void **state)
{
    struct realrig r;
    struct seen s = {.rig = &r};

    (void)state;
    if (!realrig_create(&r, "test-filter")) skip();
    assert_int_equal(realrig_run(&r, 3, forbid, &s), STATUS_IO);
    assert_int_equal(r.result.step_exit, -SIGSYS);
    realrig_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_run_faults_never_and_sleeps_once_per_tick),
        cmocka_unit_test(injected_overruns_are_all_found),
        cmocka_unit_test(slower_throughout_reads_long_compute),
        cmocka_unit_test(one_delay_inside_a_block_reads_hole),
        cmocka_unit_test(a_touched_page_reads_page_fault),
        cmocka_unit_test(a_hog_of_higher_priority_reads_pre_empted),
        cmocka_unit_test(a_stopped_step_reads_stopped),
        cmocka_unit_test(a_hog_over_the_release_reads_stolen),
        cmocka_unit_test(a_forbidden_system_call_ends_the_step_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
