/* account.h: what a tick cost, and the running statistics of all ticks.
 *
 * One struct account per tick goes into a ring of BLOCK_ACCOUNTS; struct monitor
 * holds histograms, maxima and counters. Both lie in the step's block and are
 * written by the step thread alone. Readers load single values (64- and 32-bit
 * loads do not tear); sums over several values may be one tick apart. A rising
 * `resets` means the statistics were cleared. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdint.h>

/* The list of a tick; account.phase_ns is the time each took. */
#define PHASE_LIST(X)            \
    X(PHASE_LATCH, "latch")      \
    X(PHASE_APPLY, "apply")      \
    X(PHASE_STEP, "step")        \
    X(PHASE_SENSORS, "sensors")  \
    X(PHASE_PUBLISH, "publish")  \
    X(PHASE_ACCOUNT, "account") /* of the tick before */

enum phase {
#define X(code, text) code,
    PHASE_LIST(X)
#undef X
        PHASE_COUNT
};

/* Why a deadline was missed, in order of precedence. */
#define CAUSE_LIST(X)                                                             \
    X(CAUSE_NONE, "none")                                                         \
    X(CAUSE_INJECTED, "injected")                                                 \
    X(CAUSE_PAGE_FAULT, "page fault")                                             \
    X(CAUSE_STOPPED, "stopped")          /* SIGSTOP, a freezer or a debugger: it  \
                                            slept where it did not ask to */      \
    X(CAUSE_PREEMPTED, "pre-empted")     /* involuntary switch */                 \
    X(CAUSE_HOLE, "hole")                /* one gap above 3x its warm maximum */  \
    X(CAUSE_STOLEN, "stolen")            /* woken late because another thread or  \
                                            the hypervisor had the core; known    \
                                            some ms later: monitor and events say \
                                            it, the account has late wake-up */   \
    X(CAUSE_LATE_WAKE, "late wake-up")                                            \
    X(CAUSE_LONG_COMPUTE, "long compute")                                         \
    X(CAUSE_UNEXPLAINED, "unexplained")  /* never relabelled */

enum cause {
#define X(code, text) code,
    CAUSE_LIST(X)
#undef X
        CAUSE_COUNT
};

enum account_flag {
    ACCOUNT_MISS = 1,
    ACCOUNT_STEPPED = 2,   /* an integration step was taken */
    ACCOUNT_HELD = 4,      /* policy hold: the result was not shown */
    ACCOUNT_BUDGET = 8,    /* Newton cut short to keep the deadline */
    ACCOUNT_NO_SLEEP = 16, /* the release had passed before the thread could sleep */
    ACCOUNT_WARM = 32      /* taken into the warm maxima */
};

struct account {
    uint64_t tick, slot, step;
    int64_t release_ns;               /* monotonic */
    int64_t wake_ns;                  /* after the release */
    int64_t end_ns;                   /* publish after the release */
    int64_t slack_ns;                 /* deadline - end; negative: missed */
    int64_t phase_ns[PHASE_COUNT];
    int64_t gap_ns;                   /* longest gap in excess of its warm maximum */
    int64_t gap_warm_ns;              /* that block's warm maximum */
    int32_t gap_block;                /* which block of the tick */
    uint32_t blocks_long;             /* blocks above their warm maximum */
    uint32_t cause;                   /* enum cause */
    uint32_t cause_phase;             /* enum phase the cause fell into */
    uint32_t flags;                   /* enum account_flag */
    uint32_t iterations;
    uint32_t redone;
    uint32_t state;                   /* enum state */
    uint32_t skipped;                 /* slots dropped after this tick */
    uint32_t minor, major;            /* page faults since the tick before */
    uint32_t voluntary, involuntary;  /* switches since the tick before */
    uint32_t unasked;                 /* voluntary ones beyond its own sleeps: stopped */
    uint32_t reserved;
    uint32_t status;                  /* enum status of the step */
    double interval;                  /* s */
    double residual;                  /* N */
};
_Static_assert(sizeof(struct account) <= 256, "an account is at most 256 bytes");

/* What is measured: wake latency, release to publish, and each phase. */
enum {
    SERIES_WAKE = 0,
    SERIES_END = 1,
    SERIES_PHASE = 2,                 /* + enum phase */
    SERIES_COUNT = SERIES_PHASE + PHASE_COUNT,
    MONITOR_BINS = 4096,              /* of 1 us */
    MONITOR_SECONDS = 60
};

struct monitor_series {
    uint64_t n;                       /* samples */
    uint64_t overflow;                /* samples of MONITOR_BINS us and more */
    uint64_t sum_ns;
    int64_t last_ns;
    int64_t max_ns;                   /* since the reset */
    uint64_t max_tick, max_step;      /* where */
    int64_t second_max_ns[MONITOR_SECONDS]; /* maxima of the last 60 s, one per s */
    uint64_t second_step[MONITOR_SECONDS]; /* where */
    uint32_t bin[MONITOR_BINS];       /* samples with floor(us) = index */
};

/* Steps that went one way, measured. */
struct admission_way {
    uint64_t n;                       /* how many */
    uint64_t iterations;              /* most of one step */
    uint64_t redone;                  /* steps done twice */
    int64_t median_ns, p99_ns, worst_ns;
};

/* What the admission test found: this model on this core, before arming. */
struct admission {
    uint64_t done;                    /* 1: the rest holds */
    int64_t cold_ns;                  /* the first step */
    struct admission_way runs;        /* as the model runs */
    struct admission_way full;        /* always all iterations */
    struct admission_way longest;     /* and as if a contact opened or a switch acted: the
                                         step is redone */
    uint64_t contacts;                /* 1: a contact may open or a switch act; else `longest`
                                         is empty */
    uint64_t status;                  /* enum status of the worst step */
    int64_t bound_ns;                 /* what the verdict uses: p99 of the longest way */
};

/* Counted since the step process started; no reset touches them. */
struct monitor_totals {
    uint64_t ticks, steps, misses, skipped, trips;
    uint64_t cause[CAUSE_COUNT];
};

struct monitor {
    struct admission admission;       /* written before the first tick */
    uint64_t resets;                  /* how often the statistics were cleared */
    uint64_t second;                  /* second now filled: second_max_ns[second % 60] */
    int64_t deadline_ns, period_ns;
    uint64_t ticks, steps, misses, skipped, held, trips, timeouts, late_wakes;
    uint64_t budget_stops, not_converged, refused_commands, refused_requests;
    uint64_t lost_slots;              /* time the simulation fell behind, in slots */
    uint64_t cause[CAUSE_COUNT];      /* misses by cause */
    uint64_t cause_phase[PHASE_COUNT]; /* long computes and holes by phase */
    uint64_t minor, major, voluntary, involuntary; /* since the loop began */
    uint64_t no_sleeps;               /* ticks woken late that did not sleep */
    uint64_t iterations_max;
    struct monitor_totals ever;
    int64_t thread_id;                /* of the step thread; written before the first tick */
    uint64_t clearing;                /* > 0: a reset is under way, series by series */
    struct monitor_series series[SERIES_COUNT];
};

/* The second of the last 60 with the largest sample. */
static inline int monitor_minute_at(const struct monitor_series *s)
{
    int at = 0;
    for (int i = 1; i < MONITOR_SECONDS; i++)
        if (s->second_max_ns[i] > s->second_max_ns[at]) at = i;
    return at;
}

/* Largest sample of the last 60 s of a series, and its step. Context: any reader. */
static inline int64_t monitor_minute_max(const struct monitor_series *s)
{
    return s->second_max_ns[monitor_minute_at(s)];
}

static inline uint64_t monitor_minute_step(const struct monitor_series *s)
{
    return s->second_step[monitor_minute_at(s)];
}

#endif
