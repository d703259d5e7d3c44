/* tick.h: all that one tick reads and writes.
 *
 * The tick depends on nothing but this state, the timebase, the command frames and
 * the requests. Each file of rt/tick owns one part of struct tick; cycle.c is the
 * list that calls them in order. Arrays stand in one list and lie in memory given
 * by the caller. Times are ns on the timebase. Context: setup for tick_memsize and
 * tick_init, else RT, wait-free, no allocation. */
#ifndef TICK_H
#define TICK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/link/account.h"
#include "rt/link/block.h"
#include "rt/link/board.h"
#include "rt/link/command.h"
#include "rt/link/event.h"
#include "rt/link/record.h"
#include "rt/link/request.h"
#include "rt/link/ring.h"
#include "rt/status.h"
#include "rt/tick/plant.h"
#include "rt/time/timebase.h"
#include "rt/tick/witness.h"

enum safe_action { SAFE_ZERO, SAFE_HOLD, SAFE_RAMP };

/* What the rig file says of one actuator. */
struct tick_rule {
    int64_t timeout_ns;  /* stream: longest time between fresh writes; 0: none */
    int64_t ramp_ns;     /* SAFE_RAMP: from the last to the safe value */
    uint32_t action;     /* enum safe_action */
    uint32_t reserved;
};

/* A forced overrun, for tests: `busy_ns` of work added to step number `step`. */
struct tick_inject {
    uint64_t step;
    int64_t busy_ns;
};

enum { TICK_WINDOW_MISSES = 256 };

/* What the rig file and the supervisor say; const while the loop runs. */
struct tick_config {
    int64_t start_ns;            /* T0, release of slot 0 */
    int64_t period_ns;           /* h */
    int64_t deadline_ns;         /* after the release; <= period */
    int64_t spin_ns;             /* busy wait over the last part of the sleep */
    int64_t poll_ns;             /* lockstep: between two looks for the frame */
    int64_t lockstep_timeout_ns;
    int64_t lease_ns;            /* life of authority without a sign */
    uint32_t pace, policy;       /* enums; policy may change by request */
    uint32_t trip_consecutive;   /* misses in a row; 0: never */
    uint32_t trip_misses;        /* misses ... <= TICK_WINDOW_MISSES; 0: never */
    uint32_t trip_window;        /* ... in this many slots */
    uint32_t preempt;            /* bit i: service i may take authority from another */
    uint32_t arm_allowed;        /* doctor and admission agree */
    uint64_t until_step;         /* the run is over with this step; 0: never */
    int64_t until_ns;            /* and at this simulation time; 0: never */
    uint32_t n_inject;
    const struct tick_rule *rule;     /* one per actuator */
    const struct tick_inject *inject; /* rising step */
};

/* ---- parts of the state, by the file that writes them ------------------------------ */

/* latch.c: what is known of a service. */
struct tick_service {
    struct ring command, request; /* its rings, read only */
    uint64_t frame;               /* number of the frame looked at last */
    uint64_t cursor;              /* of its requests */
    uint32_t attached;            /* 1: there is such a block */
    uint32_t epoch;
};

enum actuator_mode { ACTUATOR_IDLE, ACTUATOR_FOLLOWS, ACTUATOR_TIMED_OUT, ACTUATOR_MADE_SAFE };

/* latch.c writes counter, wanted, seen_ns; apply.c the rest. */
struct tick_actuator {
    uint64_t counter;    /* write counter seen last */
    double wanted;       /* last good command, its unit */
    double asked;        /* in force, its unit */
    double applied;      /* what it does: asked, after faults */
    double from;         /* where a safe action began */
    int64_t seen_ns;     /* release at which the counter was seen to change */
    int64_t safe_ns;     /* release at which the safe action began */
    uint32_t mode;       /* enum actuator_mode */
    uint32_t refused;    /* 1: the last new value was refused */
    uint32_t timeouts;
    uint32_t stuck;      /* 1: a visible fault acts on it */
};

/* fault.c */
struct tick_fault {
    struct fault_order order; /* kind FAULT_NONE: free */
    uint32_t acting;
    uint32_t service;         /* who inserted it, for its events */
    uint64_t session;
    double frozen;            /* freeze, dropout, stuck: the value that stays */
    double elapsed;           /* s since it began */
    char who[REQUEST_TEXT];
};

/* policy.c */
struct tick_policy {
    uint32_t span;            /* periods the next step covers, 1 or 2 */
    uint32_t consecutive;     /* misses in a row while running */
    uint64_t n_misses;        /* written into miss_slot so far */
    uint64_t miss_slot[TICK_WINDOW_MISSES];
};

enum { CAUSE_BLOCKS = 512, CAUSE_FIRST_STEP_BLOCK = 8, CAUSE_LEARN = 64 };

/* cause.c: gaps between stamps, and how long each block takes when warm. */
struct tick_cause {
    int64_t last_ns;          /* stamp before */
    int64_t gap[CAUSE_BLOCKS];
    int64_t warm[CAUSE_BLOCKS];   /* maxima over clean ticks */
    int64_t warmer[CAUSE_BLOCKS]; /* while learning: the largest, not yet believed */
    int64_t ask_ns;           /* last time Newton asked to go on and was let */
    int64_t after_warm;       /* from there to the end of the tick */
    int64_t after_warmer;
    int64_t busy_warm;        /* wake to end */
    int64_t busy_warmer;
    uint32_t n_blocks;        /* step blocks of this tick */
    uint32_t learned;         /* clean steps learned from */
    uint32_t injected;        /* busy time was added in this tick */
    uint32_t budget_stop;     /* Newton was stopped in this tick */
    uint32_t iterations_warm;
    uint32_t reserved;
};

/* Rows written to history and to sent; the random generators of the fault slots. */
enum tick_memory {
    TICK_MEMORY_SHOWN,
    TICK_MEMORY_SENT,
    TICK_MEMORY_RANDOM,
    TICK_MEMORY = TICK_MEMORY_RANDOM + FAULT_SLOTS
};

/* A snapshot in memory, by name. */
struct tick_snapshot {
    uint64_t tick;            /* when it was taken; 0: free */
    char name[REQUEST_TEXT];
};

/* X(type, name, count): what a snapshot keeps, one contiguous run. */
#define TICK_STATE(X)                                                         \
    X(struct tick_actuator, actuator, l->n_actuators)                         \
    X(double, channel, l->n_channels)  /* as shown, after faults */           \
    X(double, raw, l->n_channels)      /* as the plant gave them */           \
    X(double, history, (size_t)l->n_channels *(FAULT_DELAY_MAX + 1)) /* raw, by step */           \
    X(double, sent, (size_t)l->n_actuators *(FAULT_DELAY_MAX + 1)) /* asked, by step */               \
    X(uint64_t, memory, TICK_MEMORY)   /* enum tick_memory */

#define TICK_SCRATCH(X)                                                       \
    X(double, command_si, l->n_actuators + 1)                                 \
    X(uint32_t, channel_flags, l->n_channels)                                 \
    X(uint64_t, record_words, l->bytes / 8)   /* record being written */      \
    X(uint64_t, frame_words, command_bytes / 8) /* copy of a command frame */ \
    X(uint64_t, snapshot, PLANT_SNAPSHOTS *state_words) /* of TICK_STATE */

struct tick {
    const struct tick_config *config;
    const struct model *model;
    struct record_layout layout;
    struct plant plant;
    struct timebase time;
    const struct board *board;      /* epochs of the services; may be NULL in tests */
    atomic_uint *stop;              /* set from outside: enum trip; may be NULL */

    struct ring record_ring, account_ring, event_ring, reply_ring; /* written */
    struct monitor *monitor;                                       /* written */
    struct tick_service service[BLOCK_SERVICES];

    /* cycle.c: where we are */
    uint64_t tick, slot, step;
    int64_t release_ns, wake_ns;    /* absolute */
    int64_t mark_ns;                /* stamp at the end of the phase before */
    int64_t account_took_ns;        /* PHASE_ACCOUNT of the tick before */
    int64_t heartbeat_ns;           /* lockstep: last record published */
    uint64_t frame_step;            /* lockstep: step the newest frame answers */
    uint32_t no_sleep;
    uint32_t sleeps;                /* since the account before */
    uint32_t stepping;              /* this tick integrates */
    uint32_t dirty;                 /* sensors must be evaluated without a step */
    uint32_t restored;              /* the channels came back with a snapshot */
    uint32_t held;                  /* policy hold: the result is not shown */
    uint32_t missed;                /* this tick */
    uint32_t skipped;               /* slots after this tick */
    int64_t end_ns;                 /* absolute, publish */
    double interval;                /* s, of this tick's step */
    double shown_t;                 /* s, time of the values shown */
    struct step_report report;
    struct timebase_usage usage;    /* at the end of the tick before */

    /* state.c, control.c */
    uint32_t state, trip;
    uint32_t moving;                /* safe state: what moved goes on moving */
    uint32_t policy_now;            /* enum policy */
    uint64_t steps_left;            /* of Step(n) */
    uint64_t steps_asked, steps_session;
    uint32_t steps_service;
    uint32_t over;                  /* 1: the end asked for was reached */
    uint32_t ending;                /* 1: safe, then end */
    int64_t end_by_ns;
    uint64_t end_ticks;
    int64_t waiting_since_ns;       /* lockstep */
    uint64_t snapshot_tick;         /* of the newest one */
    struct tick_snapshot snapshots[PLANT_SNAPSHOTS];
    uint32_t i_inject;
    uint32_t reserved;

    struct record_lease lease;
    char lease_who[REQUEST_TEXT];
    uint64_t lease_count, lease_refresh;
    struct tick_policy policy;
    struct tick_fault fault[FAULT_SLOTS];
    struct tick_cause cause;
    struct witness_case witness;
    struct account account;

    size_t state_size;              /* bytes of TICK_STATE from `state` on */
    void *state_at;
#define X(type, name, count) type *name;
    TICK_STATE(X)
    TICK_SCRATCH(X)
#undef X
};

/* The record being written. */
static inline struct record *tick_record(const struct tick *t)
{
    return (struct record *)t->record_words;
}

/* Bytes of memory for a model's tick. */
size_t tick_memsize(const struct block_head *layout);

/* Where the tick finds the blocks: its own writable, the others read-only. */
struct tick_blocks {
    void *step;
    const void *supervisor;                     /* may be NULL in tests */
    const void *service[BLOCK_SERVICES];        /* [0] unused; NULL: no such service */
};

/* Place a tick in `memory` (64-byte aligned, zeroed, tick_memsize bytes): state
 * ready, slot 0, at the plant's start values. Clears the step's rings and monitor.
 * Returns STATUS_TOO_SMALL if it does not fit. */
MUST_CHECK enum status tick_init(struct tick *t, const struct tick_config *config,
                                 const struct block_head *layout, const struct tick_blocks *blocks,
                                 struct plant plant, struct timebase timebase, void *memory,
                                 size_t size);

/* Publish an event of this tick; its t is that of the values shown last unless given.
 * tick_stamped only fills in when and how grave. */
void tick_event(struct tick *t, struct event event);
struct event tick_stamped(const struct tick *t, struct event event);

#endif
