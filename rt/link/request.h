/* request.h: what a service asks the step to do once, and the answer.
 *
 * A service publishes a struct request in its own ring; the step takes at most
 * REQUEST_PER_TICK of each tick's requests over all services (round robin, so
 * that nobody starves) and answers each in its reply ring with the service's block
 * number and ticket. A service waits for its reply on the published grid and never
 * blocks the step. A reply that is not DONE changed nothing. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdint.h>

enum { REQUEST_PER_TICK = 4 };

/* Who may: FREE anybody, OPEN nobody holds the lease or the caller does, LEASE only
 * the holder. X(code, text, authority) */
#define REQUEST_LIST(X)                                                                   \
    X(REQUEST_NOTHING, "nothing", FREE)        /* answered, does nothing: a ping */       \
    X(REQUEST_ARM, "arm", OPEN)                                                           \
    X(REQUEST_DISARM, "disarm", OPEN)                                                     \
    X(REQUEST_START, "start", OPEN)                                                       \
    X(REQUEST_PAUSE, "pause", OPEN)                                                       \
    X(REQUEST_STEP, "step", OPEN)              /* count steps, then holding */            \
    X(REQUEST_RESET, "reset", OPEN)            /* to the start values, ready */           \
    X(REQUEST_ESTOP, "emergency stop", FREE)                                              \
    X(REQUEST_PARAMETER, "set parameter", OPEN) /* index, value (SI) */                   \
    X(REQUEST_POLICY, "set overrun policy", OPEN) /* index: enum policy */                \
    X(REQUEST_STATISTICS, "reset statistics", FREE)                                       \
    X(REQUEST_FAULT, "insert fault", OPEN)     /* struct fault_order in the request */    \
    X(REQUEST_CLEAR, "clear faults", OPEN)     /* index: fault slot, -1: all */           \
    X(REQUEST_SNAPSHOT, "snapshot", FREE)                                                 \
    X(REQUEST_RESTORE, "restore", OPEN)                                                   \
    X(REQUEST_ACQUIRE, "acquire authority", FREE) /* index: enum lease_mode, session,     \
                                                     preempt */                           \
    X(REQUEST_RELEASE, "release authority", LEASE)                                        \
    X(REQUEST_JOINT_LOCK, "lock joint", OPEN)  /* index: joint of the model */            \
    X(REQUEST_JOINT_RELEASE, "release joint", OPEN)                                       \
    X(REQUEST_STOP, "end the program", FREE)   /* supervisor only */

enum request_kind {
#define X(code, text, authority) code,
    REQUEST_LIST(X)
#undef X
        REQUEST_COUNT
};

/* X(code, text, target): an inserted fault. */
#define FAULT_LIST(X)                                                                  \
    X(FAULT_NONE, "none", NONE)                                                        \
    X(FAULT_BIAS, "bias", CHANNEL)       /* value added, user's unit */                \
    X(FAULT_FREEZE, "freeze", CHANNEL)   /* the value of the first faulty step stays */ \
    X(FAULT_NOISE, "noise", CHANNEL)     /* uniform in +- value, user's unit */        \
    X(FAULT_DROPOUT, "dropout", CHANNEL) /* value lost with probability `value`; the   \
                                            last one that came through stays */        \
    X(FAULT_DELAY, "delay", CHANNEL)     /* value = steps, 1 .. FAULT_DELAY_MAX */     \
    X(FAULT_STUCK, "stuck", ACTUATOR)    /* value in the command's unit; NaN: where it is */ \
    X(FAULT_OVERRUN, "overrun", NONE)    /* value = s of busy time in each step */

enum fault_kind {
#define X(code, text, target) code,
    FAULT_LIST(X)
#undef X
        FAULT_COUNT
};
enum { FAULT_SLOTS = 16, FAULT_DELAY_MAX = 255 };

/* A fault acts on the steps from <= step < from + n; n 0: until cleared; from 0:
 * from the next step on. */
struct fault_order {
    uint32_t kind;      /* enum fault_kind */
    uint32_t target;    /* channel of the record, or actuator */
    uint64_t from, n;
    double value;
};

struct request {
    uint64_t ticket;    /* the service's own number for it */
    uint64_t lease;     /* number of the lease held, 0: none */
    uint64_t session;   /* acquire: the service's own name for the holder; else who
                           asked, for the audit event */
    uint64_t count;     /* REQUEST_STEP */
    uint32_t kind;      /* enum request_kind */
    int32_t index;
    uint32_t preempt;   /* acquire: take it from another, if the rig allows */
    uint32_t reserved;
    double value;
    struct fault_order fault;
};

#define REPLY_LIST(X)                                                                 \
    X(REPLY_DONE, "done")                                                             \
    X(REPLY_STARTED, "started")            /* Step(n): ends with EVENT_STEPS_DONE */   \
    X(REPLY_UNKNOWN, "no such request")                                               \
    X(REPLY_STATE, "not possible in this state")                                      \
    X(REPLY_AUTHORITY, "another session holds the authority")                         \
    X(REPLY_NOT_ALLOWED, "not allowed on this machine or for this service")           \
    X(REPLY_RANGE, "value out of range")                                              \
    X(REPLY_INDEX, "no such element")                                                 \
    X(REPLY_RESTART, "restart needed: the parameter is not live")                     \
    X(REPLY_FULL, "no free slot")                                                     \
    X(REPLY_EMPTY, "there is no snapshot")                                            \
    X(REPLY_SOLVER, "the solver refused it")

enum reply_result {
#define X(code, text) code,
    REPLY_LIST(X)
#undef X
        REPLY_COUNT
};

struct reply {
    uint64_t ticket;
    uint64_t tick;      /* when it took effect */
    uint64_t step;
    uint64_t number;    /* acquire: the lease; fault: its slot; snapshot: its tick */
    uint32_t service;   /* block number of the asker */
    uint32_t epoch;     /* of that service when it was taken */
    uint32_t kind;      /* enum request_kind */
    uint32_t result;    /* enum reply_result */
    uint32_t state;     /* enum state afterwards */
    uint32_t reserved;
};

#endif
