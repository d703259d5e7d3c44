/* witness.h: evidence about late wake-ups that the step thread cannot gather itself.
 *
 * The thread may not ask the kernel how long it stood in the queue of its core. Another
 * thread of its process does, some fifty times a second, and leaves here what it found.
 * A miss by a late wake-up is therefore counted, and told as an event, only when the next
 * finding is there (WITNESS_PATIENCE_NS at most): as `stolen` where another thread or the
 * hypervisor had the core for at least half of the time it was late, else as the late
 * wake-up that the account of its tick says. RT context, wait-free. */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "rt/link/event.h"

struct tick;

enum { WITNESS_HELD = 16, WITNESS_PATIENCE_NS = 200000000 };

/* Written by the other thread alone: an odd number while it writes. */
struct witness {
    _Atomic uint64_t number;
    _Atomic int64_t taken_ns;    /* monotonic, before it looked */
    _Atomic int64_t waited_ns;   /* the step thread, ready but not running, ever */
    _Atomic int64_t stolen_ns;   /* of its core by the hypervisor, ever */
};

/* The step thread's side; part of struct tick. */
struct witness_case {
    const struct witness *witness; /* NULL: there is none, nothing is held back */
    uint64_t number;               /* finding seen last, and what it says */
    int64_t waited_ns, stolen_ns;
    int64_t others_ns;             /* wake-ups since then, of ticks not held */
    int64_t late_ns;               /* wake-ups held back, all together */
    uint32_t n;
    uint32_t reserved;
    struct event held[WITNESS_HELD];
};

/* Once per tick, before its miss is counted: judge what is held back if the witness has
 * spoken since, or has been silent too long. */
void witness_settle(struct tick *t);

/* Hold back the miss by a late wake-up of this tick. Returns 0 if it is to be counted as
 * it is: no witness, or too many held. */
int witness_hold(struct tick *t, const struct event *miss);

/* Count all that is held, as late wake-ups: the loop ends. */
void witness_close(struct tick *t);

/* The other thread: leave a finding. */
void witness_tell(struct witness *w, int64_t taken_ns, int64_t waited_ns, int64_t stolen_ns);

#endif
