/* Real mechanisms in the real step process: a car of 17 bodies and a chain of 128, at
 * 1 kHz. RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=300
 *
 * After start: 0 page faults, 0 allocations (malloc and its kin are counted in the step
 * thread by this program), 0 forbidden system calls (the filter would have ended the
 * process; test_realtime.c shows that it bites), voluntary switches <= ticks + 1, and
 * ticks - switches <= ticks that came too late to sleep. No claim about speed.
 * TRAPEZE_SECONDS makes the runs longer (the campaign: 60). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "rt/link/name.h"
#include "services/run/rig_setup.h"

/* ---- counting what the step thread takes from the heap ------------------------------ */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static _Thread_local int counting;
static _Atomic long *taken; /* shared with the step process */
static int take_some;       /* 1: let the step thread allocate, to see it counted */

static void count(void)
{
    if (counting) ++*taken;
}

void *malloc(size_t n)
{
    count();
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    count();
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    count();
    return __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    count();
    return __libc_memalign(align, n);
}

void free(void *p)
{
    count();
    __libc_free(p);
}

/* In the step thread, before its admission test and its loop. */
static void begin_counting(struct stepper *s)
{
    (void)s;
    counting = 1;
    if (take_some) {
        void *volatile p = malloc(16);
        free(p);
    }
}

/* ---- the accounts ------------------------------------------------------------------ */

struct seen {
    uint64_t cursor, lost, ticks, stepped, misses, broken, faults, voluntary, late;
    uint64_t unexplained;
    int64_t period_ns, account_sum_ns;
    double residual;
};

static void watch(struct port *port, void *context)
{
    struct seen *s = context;
    struct account a;

    s->period_ns = port->monitor->period_ns;
    while (ring_next(&port->account, &s->cursor, &a, &s->lost) == RING_OK) {
        s->ticks++;
        s->stepped += (a.flags & ACCOUNT_STEPPED) != 0;
        s->misses += (a.flags & ACCOUNT_MISS) != 0;
        s->broken += a.skipped != (uint64_t)(a.end_ns / s->period_ns);
        s->faults += s->ticks > 1 ? a.minor + a.major : 0; /* the first covers set-up */
        s->voluntary += s->ticks > 1 ? a.voluntary : 0;
        s->late += (a.flags & ACCOUNT_NO_SLEEP) || a.wake_ns > 50000; /* woken late */
        s->unexplained += a.cause == CAUSE_UNEXPLAINED;
        s->account_sum_ns += a.phase_ns[PHASE_ACCOUNT];
    }
}

static void run_rig(const char *path, uint32_t bodies)
{
    struct supervisor_result result;
    struct rig_setup l;
    struct seen s = {0};
    const char *text = getenv("TRAPEZE_SECONDS");

    assert_int_equal(rig_setup_create(&l, path, NULL, 0), STATUS_OK);
    assert_int_equal(l.model->bodies.n, bodies);
    *taken = 0;
    l.rig.name = "test-rig-run";
    l.rig.trip_consecutive = 0;
    l.options.duration = text ? atof(text) : 10;
    l.options.admit = 0.3;
    l.options.allow_degraded = 1; /* a loaded machine may fail admission; rights: NEEDS_ROOT */
    l.options.no_services = 1;
    l.options.disturb = begin_counting;
    l.options.watch = watch;
    l.options.watch_context = &s;
    assert_int_equal(supervisor_run(&l.options, &result), STATUS_OK);
    print_message("%s: %llu ticks, %llu misses, account %.2f us on average\n", path,
                  (unsigned long long)s.ticks, (unsigned long long)s.misses,
                  (double)s.account_sum_ns / 1e3 / (double)s.ticks);
    assert_int_equal(result.step_exit, 0);
    assert_int_equal(s.lost, 0);
    assert_int_equal(s.broken, 0);
    assert_true(s.stepped > (uint64_t)(l.options.duration * 500));
    assert_int_equal(s.faults, 0);
    assert_int_equal(*taken, 0);
    assert_true(s.voluntary <= s.ticks + 1);
    assert_true(s.ticks - 1 - s.voluntary <= s.late);
    assert_true(s.unexplained * 100 <= s.misses);
    rig_setup_destroy(&l);
}

static void the_car_neither_faults_nor_allocates(void **state)
{
    (void)state;
    run_rig("config/rigs/car.yaml", 17);
}

static void the_chain_neither_faults_nor_allocates(void **state)
{
    (void)state;
    run_rig("config/rigs/chain.yaml", 128);
}

/* A first allocation needs the kernel, which the filter forbids: it is counted, and the
 * step process ends. */
static void an_allocation_in_the_step_thread_would_be_found(void **state)
{
    struct supervisor_result result;
    struct rig_setup l;

    (void)state;
    assert_int_equal(rig_setup_create(&l, "config/rigs/pendulum.yaml", NULL, 0), STATUS_OK);
    *taken = 0;
    take_some = 1;
    l.rig.name = "test-rig-run";
    l.options.duration = 0.5;
    l.options.disturb = begin_counting;
    assert_int_equal(supervisor_run(&l.options, &result), STATUS_IO);
    take_some = 0;
    assert_int_equal(result.step_exit, -SIGSYS);
    assert_int_equal(*taken, 1);
    rig_setup_destroy(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_car_neither_faults_nor_allocates),
        cmocka_unit_test(the_chain_neither_faults_nor_allocates),
        cmocka_unit_test(an_allocation_in_the_step_thread_would_be_found),
    };
    taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return taken == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
