/* One writer and four readers in processes of their own hammer a ring. A frame's
 * words all follow from its number, so that a copy mixed of two frames shows.
 *
 * The real ring gives 10^8 whole copies and no torn one. The same hammer must find
 * torn copies in a ring built without the mark (seq = 0 while writing) and in one
 * built without the second look: if it did not, it would prove nothing.
 * TRAPEZE_HAMMER_COPIES changes the number. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/link/ring.h"
#include "tests/rt/ring_variants.h"

enum { READERS = 4, DEPTH = 4, WORDS = 12, DEADLINE_S = 120 };

struct variant {
    uint64_t (*publish)(struct ring *r, const void *frame);
    enum ring_result (*read)(const struct ring *r, uint64_t n, void *frame);
};

static const struct variant REAL = {ring_publish, ring_read};
static const struct variant UNMARKED = {unmarked_publish, unmarked_read};
static const struct variant UNCHECKED = {unchecked_publish, unchecked_read};

struct arena {
    _Atomic uint64_t whole, torn; /* copies */
    _Atomic int stop;
    char pad[64 - 20];
    _Alignas(64) char ring[8192];
};

static uint64_t word_of(uint64_t n, uint64_t i) { return n * UINT64_C(0x9e3779b97f4a7c15) + i; }

static void writer(struct arena *a, const struct variant *v)
{
    struct ring r;
    uint64_t frame[WORDS];

    ring_init(&r, a->ring, DEPTH, sizeof frame);
    for (uint64_t n = 1; !atomic_load_explicit(&a->stop, memory_order_relaxed); n++) {
        for (uint64_t i = 0; i < WORDS; i++) frame[i] = word_of(n, i);
        v->publish(&r, frame);
    }
}

static void reader(struct arena *a, const struct variant *v)
{
    struct ring r;
    uint64_t frame[WORDS], whole = 0, torn = 0;

    ring_init(&r, a->ring, DEPTH, sizeof frame);
    for (uint64_t k = 0;; k++) {
        /* the newest frame, and the oldest still there: the next to be overwritten */
        uint64_t head = ring_head(&r), n = k & 1 ? head : head - DEPTH + 1;
        int ok = 1;
        if (n - 1 < head && v->read(&r, n, frame) == RING_OK) {
            for (uint64_t i = 0; i < WORDS; i++) ok &= frame[i] == word_of(n, i);
            whole += (uint64_t)ok;
            torn += (uint64_t)!ok;
        }
        if (k % 4096) continue;
        atomic_fetch_add(&a->whole, whole);
        atomic_fetch_add(&a->torn, torn);
        whole = torn = 0;
        if (atomic_load_explicit(&a->stop, memory_order_relaxed)) return;
    }
}

static pid_t start(struct arena *a, const struct variant *v,
                   void (*run)(struct arena *, const struct variant *))
{
    pid_t pid = fork();
    if (pid == 0) {
        run(a, v);
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

/* Hammer until so many copies were made or `until_torn` and one was torn. */
static void hammer(const struct variant *v, uint64_t copies, int until_torn, uint64_t *whole,
                   uint64_t *torn)
{
    struct arena *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                           0);
    pid_t pid[1 + READERS];
    struct timespec nap = {.tv_nsec = 10000000};

    assert_ptr_not_equal(a, MAP_FAILED);
    pid[0] = start(a, v, writer);
    for (int i = 1; i <= READERS; i++) pid[i] = start(a, v, reader);
    for (int i = 0; i < DEADLINE_S * 100; i++) {
        nanosleep(&nap, NULL);
        if (a->whole >= copies || (until_torn && a->torn)) break;
    }
    a->stop = 1;
    for (int i = 0; i <= READERS; i++) {
        int status;
        waitpid(pid[i], &status, 0);
        assert_int_equal(status, 0);
    }
    *whole = a->whole;
    *torn = a->torn;
    munmap(a, sizeof *a);
}

static void no_copy_is_torn(void **state)
{
    const char *text = getenv("TRAPEZE_HAMMER_COPIES");
    uint64_t copies = text ? strtoull(text, NULL, 10) : 100000000, whole, torn;

    (void)state;
    hammer(&REAL, copies, 0, &whole, &torn);
    assert_int_equal(torn, 0);
    assert_true(whole >= copies);
}

static void without_the_mark_the_hammer_finds_torn_copies(void **state)
{
    uint64_t whole, torn;
    (void)state;
    hammer(&UNMARKED, UINT64_MAX, 1, &whole, &torn);
    assert_true(torn > 0);
}

static void without_the_second_look_the_hammer_finds_torn_copies(void **state)
{
    uint64_t whole, torn;
    (void)state;
    hammer(&UNCHECKED, UINT64_MAX, 1, &whole, &torn);
    assert_true(torn > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_copy_is_torn),
        cmocka_unit_test(without_the_mark_the_hammer_finds_torn_copies),
        cmocka_unit_test(without_the_second_look_the_hammer_finds_torn_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
