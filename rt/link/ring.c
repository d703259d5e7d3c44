/* ring.c: see ring.h for the protocol. The two constants exist so that a test can
 * build the ring without its mark or without its second look and prove that such a
 * ring tears. */
#include "rt/link/ring.h"

#include "rt/rtsafe.h"

#ifndef RING_MARK
#define RING_MARK 1
#endif
#ifndef RING_RECHECK
#define RING_RECHECK 1
#endif

enum { RING_LINE = 8 }; /* words of a cache line */

static size_t ring_stride(size_t bytes)
{
    size_t words = 1 + (bytes + 7) / 8;
    return (words + RING_LINE - 1) / RING_LINE * RING_LINE;
}

size_t ring_memsize(uint64_t depth, size_t bytes)
{
    return 8 * (RING_LINE + (size_t)depth * ring_stride(bytes));
}

void ring_init(struct ring *r, const void *mem, uint64_t depth, size_t bytes)
{
    r->word = (_Atomic uint64_t *)(uintptr_t)mem;
    r->mask = depth - 1;
    r->n_words = (bytes + 7) / 8;
    r->stride = ring_stride(bytes);
}

static _Atomic uint64_t *ring_slot(const struct ring *r, uint64_t n)
{
    return r->word + RING_LINE + (size_t)(n & r->mask) * r->stride;
}

uint64_t ring_publish(struct ring *r, const void *frame)
{
    uint64_t n = atomic_load_explicit(r->word, memory_order_relaxed) + 1;
    _Atomic uint64_t *slot = ring_slot(r, n);
    const uint64_t *from = frame;

    if (RING_MARK) atomic_store_explicit(slot, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < r->n_words; i++)
        atomic_store_explicit(slot + 1 + i, from[i], memory_order_relaxed);
    atomic_store_explicit(slot, n, memory_order_release);
    atomic_store_explicit(r->word, n, memory_order_release);
    return n;
}

void ring_clear(struct ring *r)
{
    for (uint64_t i = 0; i <= r->mask; i++)
        atomic_store_explicit(ring_slot(r, i), 0, memory_order_relaxed);
    atomic_store_explicit(r->word, 0, memory_order_release);
}

uint64_t ring_head(const struct ring *r)
{
    return atomic_load_explicit(r->word, memory_order_acquire);
}

enum ring_result ring_read(const struct ring *r, uint64_t n, void *frame)
{
    _Atomic uint64_t *slot = ring_slot(r, n);
    uint64_t *to = frame;

    if (n == 0) return RING_NONE;
    if (atomic_load_explicit(slot, memory_order_acquire) != n)
        return n > ring_head(r) ? RING_NONE : RING_GONE;
    for (size_t i = 0; i < r->n_words; i++)
        to[i] = atomic_load_explicit(slot + 1 + i, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (RING_RECHECK && atomic_load_explicit(slot, memory_order_relaxed) != n) return RING_GONE;
    return RING_OK;
}

uint64_t ring_latest(const struct ring *r, void *frame)
{
    uint64_t n = ring_head(r);
    if (n == 0) return 0;
    if (ring_read(r, n, frame) == RING_OK) return n;
    if (n > 1 && ring_read(r, n - 1, frame) == RING_OK) return n - 1;
    return 0;
}

enum ring_result ring_next(const struct ring *r, uint64_t *cursor, void *frame, uint64_t *lost)
{
    uint64_t head = ring_head(r), depth = r->mask + 1, gone = 0;
    enum ring_result result = RING_NONE;

    if (head < *cursor) /* only a foreign writer does that */
        *cursor = head;
    if (head - *cursor > depth) {
        gone = head - *cursor - depth;
        *cursor = head - depth;
    }
    for (int look = 0; look < RING_LOOKS && *cursor != head; look++) {
        *cursor += 1;
        if (ring_read(r, *cursor, frame) == RING_OK) {
            result = RING_OK;
            break;
        }
        gone++;
    }
    if (lost) *lost += gone;
    return result;
}
