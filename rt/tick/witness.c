/* witness.c: see witness.h. */
#include "rt/tick/witness.h"

#include "rt/tick/tick.h"

#include "rt/rtsafe.h"

void witness_tell(struct witness *w, int64_t taken_ns, int64_t waited_ns, int64_t stolen_ns)
{
    uint64_t n = atomic_load_explicit(&w->number, memory_order_relaxed);

    atomic_store_explicit(&w->number, n + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&w->taken_ns, taken_ns, memory_order_relaxed);
    atomic_store_explicit(&w->waited_ns, waited_ns, memory_order_relaxed);
    atomic_store_explicit(&w->stolen_ns, stolen_ns, memory_order_relaxed);
    atomic_store_explicit(&w->number, n + 2, memory_order_release);
}

struct witness_finding {
    uint64_t number;
    int64_t taken_ns, waited_ns, stolen_ns;
};

/* Returns 0 while it is being written: look again in the next tick. */
static int witness_read(const struct witness *w, struct witness_finding *f)
{
    f->number = atomic_load_explicit(&w->number, memory_order_acquire);
    f->taken_ns = atomic_load_explicit(&w->taken_ns, memory_order_relaxed);
    f->waited_ns = atomic_load_explicit(&w->waited_ns, memory_order_relaxed);
    f->stolen_ns = atomic_load_explicit(&w->stolen_ns, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return f->number % 2 == 0 && f->number > 0 &&
           atomic_load_explicit(&w->number, memory_order_relaxed) == f->number;
}

static void witness_count(struct tick *t, enum cause cause)
{
    struct witness_case *c = &t->witness;

    for (uint32_t i = 0; i < c->n; i++) {
        c->held[i].a = cause;
        t->monitor->cause[cause]++;
        t->monitor->ever.cause[cause]++;
        ring_publish(&t->event_ring, &c->held[i]);
    }
    c->n = 0;
    c->late_ns = 0;
}

/* The other ticks of the time between two findings waited no longer than they woke late. */
static enum cause witness_cause(const struct witness_case *c, const struct witness_finding *f)
{
    int64_t waited = f->waited_ns - c->waited_ns - c->others_ns;
    int64_t stolen = f->stolen_ns - c->stolen_ns;

    if (c->number == 0) return CAUSE_LATE_WAKE; /* nothing to compare with */
    return 2 * waited >= c->late_ns || 2 * stolen >= c->late_ns ? CAUSE_STOLEN : CAUSE_LATE_WAKE;
}

/* Of use only if the witness looked after the last of those held had woken: the kernel
 * adds a wait to its sum when it is over. */
static int witness_is_fresh(const struct witness_case *c, const struct witness_finding *f)
{
    if (f->number == c->number) return 0;
    return c->n == 0 || f->taken_ns > c->held[c->n - 1].time_ns + c->late_ns;
}

void witness_settle(struct tick *t)
{
    struct witness_case *c = &t->witness;
    struct witness_finding f;

    if (!c->witness) return;
    if (witness_read(c->witness, &f) && witness_is_fresh(c, &f)) {
        if (c->n) witness_count(t, witness_cause(c, &f));
        c->number = f.number;
        c->waited_ns = f.waited_ns;
        c->stolen_ns = f.stolen_ns;
        c->others_ns = 0;
    }
    if (c->n && t->release_ns - c->held[c->n - 1].time_ns > WITNESS_PATIENCE_NS)
        witness_count(t, CAUSE_LATE_WAKE);
    c->others_ns += t->wake_ns - t->release_ns;
}

int witness_hold(struct tick *t, const struct event *miss)
{
    struct witness_case *c = &t->witness;

    if (!c->witness || c->n == WITNESS_HELD) return 0;
    c->others_ns -= t->wake_ns - t->release_ns; /* settle took it for another's */
    c->late_ns += t->wake_ns - t->release_ns;
    c->held[c->n] = *miss;
    c->held[c->n++].time_ns = t->release_ns;
    return 1;
}

void witness_close(struct tick *t)
{
    if (t->witness.n) witness_count(t, CAUSE_LATE_WAKE);
}
