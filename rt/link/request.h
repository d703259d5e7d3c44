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

/* Who may ask. The role is the session's, which the service that asks knows and checks
 * (OBSERVER anybody, OPERATOR, ENGINEER, SUPERVISOR the supervisor alone: checked by the
 * step); the authority is a lease, which the step checks: FREE needs none, LEASE is for
 * its holder. Only what moves actuators needs authority, and those are the command frames;
 * so a test sequencer works beside the controller that commands.
 * X(code, text, role, authority) */
#define REQUEST_LIST(X)                                                                    \
    X(REQUEST_NOTHING, "nothing", OBSERVER, FREE) /* answered, does nothing: a ping */     \
    X(REQUEST_ARM, "arm", OPERATOR, FREE)                                                  \
    X(REQUEST_DISARM, "disarm", OPERATOR, FREE)                                            \
    X(REQUEST_START, "start", OPERATOR, FREE)                                              \
    X(REQUEST_PAUSE, "pause", OPERATOR, FREE)                                              \
    X(REQUEST_STEP, "step", OPERATOR, FREE)   /* count steps, then holding */              \
    X(REQUEST_RESET, "reset", OPERATOR, FREE) /* to the start values, ready */             \
    X(REQUEST_ESTOP, "emergency stop", OPERATOR, FREE)                                     \
    X(REQUEST_PARAMETER, "set parameter", ENGINEER, FREE)   /* index, value (SI) */        \
    X(REQUEST_POLICY, "set overrun policy", ENGINEER, FREE) /* index: enum policy */       \
    X(REQUEST_STATISTICS, "reset statistics", ENGINEER, FREE)                              \
    X(REQUEST_FAULT, "insert fault", ENGINEER, FREE) /* struct fault_order */              \
    X(REQUEST_CLEAR, "clear faults", ENGINEER, FREE) /* index: fault slot, -1: all */      \
    X(REQUEST_SNAPSHOT, "snapshot", ENGINEER, FREE)  /* name; "" is one too */             \
    X(REQUEST_RESTORE, "restore", ENGINEER, FREE)    /* name */                            \
    X(REQUEST_ACQUIRE, "acquire authority", OPERATOR, FREE) /* index: enum lease_mode,     \
                                                               session, preempt */         \
    X(REQUEST_COMMANDS, "write commands", OPERATOR, LEASE) /* come as frames (command.h):   \
                                                              as a request it is a ping */ \
    X(REQUEST_RELEASE, "release authority", OPERATOR, LEASE)                               \
    X(REQUEST_JOINT_LOCK, "lock joint", ENGINEER, FREE) /* index: joint of the model */    \
    X(REQUEST_JOINT_RELEASE, "release joint", ENGINEER, FREE)                              \
    X(REQUEST_STOP, "end the program", SUPERVISOR, FREE) \
    X(REQUEST_TELL, "tell", SUPERVISOR, FREE) /* publish an event of the supervisor's:     \
                                                 index: enum event_kind, count: a,         \
                                                 session: b, about: service, value, at:    \
                                                 index */

enum request_kind {
#define X(code, text, role, authority) code,
    REQUEST_LIST(X)
#undef X
        REQUEST_COUNT
};

/* An inserted fault. target: SIGNAL a channel of the record or an actuator, TIME the step
 * itself. value: what it may be: ANY finite, SIZE >= 0, STEP > 0, SHARE 0 .. 1, STEPS
 * 1 .. FAULT_DELAY_MAX whole, HELD as ANY (an actuator's: in its range) or NaN, SECONDS
 * 0 .. 10, NONE not looked at. Sizes in the target's unit; `random` ones come from the
 * slot's own generator. X(code, text, target, value, what the value is) */
#define FAULT_LIST(X)                                                                        \
    X(FAULT_NONE, "none", TIME, NONE, "")                                                    \
    X(FAULT_BIAS, "bias", SIGNAL, ANY, "is added")                                           \
    X(FAULT_GAIN, "gain", SIGNAL, ANY, "is the factor")                                      \
    X(FAULT_DRIFT, "drift", SIGNAL, ANY, "is added per second")                              \
    X(FAULT_NOISE, "noise", SIGNAL, SIZE, "bounds an even random deviation")                 \
    X(FAULT_SPIKE, "spike", SIGNAL, ANY, "is added in one random step of fifty")             \
    X(FAULT_FREEZE, "freeze", SIGNAL, NONE, "unused: the first faulty value stays")          \
    X(FAULT_STUCK, "stuck", SIGNAL, HELD, "is what it shows or does; NaN: where it is")      \
    X(FAULT_DROPOUT, "dropout", SIGNAL, SHARE, "is the probability of each value to be lost; \
the last one that came stays")                                                               \
    X(FAULT_DELAY, "delay", SIGNAL, STEPS, "is how many steps late")                         \
    X(FAULT_QUANTISATION, "quantisation", SIGNAL, STEP, "is the smallest difference")        \
    X(FAULT_DISCONNECT, "disconnect", SIGNAL, NONE, "unused: a sensor shows 0, an actuator   \
gets no commands any more")                                                                  \
    X(FAULT_OVERRUN, "overrun", TIME, SECONDS, "s of work are added to each step")

enum fault_kind {
#define X(code, text, target, value, help) code,
    FAULT_LIST(X)
#undef X
        FAULT_COUNT
};
enum { FAULT_SLOTS = 16, FAULT_DELAY_MAX = 255 };
enum fault_flag {
    FAULT_VISIBLE = 1,  /* the status tells: BadSensorFailure, UncertainSubstituteValue;
                           else only the value changes */
    FAULT_ACTUATOR = 2  /* target is an actuator, not a channel */
};

/* A fault acts on the steps from <= step < from + n; n 0: until cleared; from 0: from the
 * next step on. A step that is made already is refused. */
struct fault_order {
    uint32_t kind;      /* enum fault_kind */
    uint32_t target;    /* channel of the record, or actuator */
    uint32_t flags;     /* enum fault_flag bits */
    uint32_t reserved;
    uint64_t from, n;
    uint64_t seed;      /* of its random numbers; 0: one by slot and target */
    double value;
};

enum { REQUEST_TEXT = 40 };

struct request {
    uint64_t ticket;    /* the service's own number for it */
    uint64_t lease;     /* number of the lease held, 0: none */
    uint64_t session;   /* acquire: the service's own name for the holder; else who
                           asked, for the audit event */
    uint64_t count;     /* REQUEST_STEP */
    uint32_t kind;      /* enum request_kind */
    int32_t index;
    uint32_t preempt;   /* acquire: take it from another, if the rig allows */
    uint32_t about;     /* tell: block number of the service */
    int32_t at;         /* tell: index of the event */
    uint32_t reserved;
    double value;
    struct fault_order fault;
    char who[REQUEST_TEXT];  /* the user, for events; any bytes */
    char name[REQUEST_TEXT]; /* snapshot, restore: which; compared whole */
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
    X(REPLY_EMPTY, "there is no such snapshot")                                            \
    X(REPLY_OPPOSED, "a motion or other joints drive what the lock should hold")       \
    X(REPLY_SOLVER, "the solver refused it")                                          \
    X(REPLY_PAST, "that step is made already")                                        \
    X(REPLY_NOBODY, "nobody holds the authority")

enum reply_result {
#define X(code, text) code,
    REPLY_LIST(X)
#undef X
        REPLY_COUNT
};

struct reply {
    uint64_t ticket;
    uint64_t tick;      /* of the first record that shows it */
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
