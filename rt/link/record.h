/* record.h: what the step tells the world once per tick, and how it is laid out.
 *
 * A record is one frame of the step's ring: a fixed head and arrays whose sizes
 * follow from the model. Written by the step thread alone; const for everybody
 * else. The tick runs and the heartbeat counts in every state from ready on.
 * Values in the user's units (model_sensor, model_actuator), poses in SI, world
 * frame. Context: any. */
#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>

#include "rt/mech/model.h"

/* X(code, text): the life of a rig. Transitions: rt/tick/state.h. */
#define STATE_LIST(X)                                                              \
    X(STATE_UNLOADED, "unloaded") /* no model yet: nothing else in the record holds */ \
    X(STATE_READY, "ready")       /* loaded, stands still, takes no commands */        \
    X(STATE_ARMED, "armed")       /* takes commands, stands still */                   \
    X(STATE_RUNNING, "running")   /* moves */                                          \
    X(STATE_HOLDING, "holding")   /* time stands still, commands are still taken */    \
    X(STATE_SAFE, "safe")         /* safe actions on all actuators; what moved goes on \
                                     moving under them */                              \
    X(STATE_FAULTED, "faulted")   /* the solver failed: frozen at the last good state */

enum state {
#define X(code, text) code,
    STATE_LIST(X)
#undef X
        STATE_COUNT
};

/* What a miss leads to. */
#define POLICY_LIST(X)                                                                   \
    X(POLICY_SKIP, "skip")               /* publish late, drop the slots passed, then 2h */ \
    X(POLICY_FINISH_LATE, "finish-late") /* the same, always h */                           \
    X(POLICY_HOLD, "hold")               /* the late values are not shown, the last stay */ \
    X(POLICY_STOP, "stop")               /* to the safe state */

enum policy {
#define X(code, text) code,
    POLICY_LIST(X)
#undef X
        POLICY_COUNT
};

#define PACE_LIST(X)            \
    X(PACE_REALTIME, "realtime") \
    X(PACE_LOCKSTEP, "lockstep") \
    X(PACE_FREE, "free")

enum pace {
#define X(code, text) code,
    PACE_LIST(X)
#undef X
        PACE_COUNT
};

/* Quality of all values of a record; 0 is good. Maps onto OPC UA status codes. */
enum record_quality {
    RECORD_INITIAL = 1,    /* ready, armed: UncertainInitialValue */
    RECORD_HELD = 2,       /* last usable values after a miss, or standing still in
                              safe, holding, faulted: UncertainLastUsableValue */
    RECORD_LATE = 4,       /* published after the deadline: UncertainLastUsableValue */
    RECORD_SUBNORMAL = 8,  /* Newton above tolerance or cut short: UncertainSubNormal */
    RECORD_FINAL = 16      /* last record of this step process: it ends now */
};

enum lease_mode { LEASE_NONE, LEASE_STREAM, LEASE_MANUAL };

/* Command authority, issued by the step. */
struct record_lease {
    uint64_t number;       /* counts every lease issued; 0: none held */
    uint64_t session;      /* the service's own name for the holder */
    int64_t expires_ns;    /* monotonic; refreshed as the mode says */
    uint32_t service;      /* block number */
    uint32_t mode;         /* enum lease_mode */
};

enum record_actuator_flag {
    ACTUATOR_LIVE = 1,     /* follows the commands of the lease */
    ACTUATOR_TIMEOUT = 2,  /* its writes stopped: safe action */
    ACTUATOR_SAFE = 4,     /* safe action by state or end of the lease */
    ACTUATOR_RAMPING = 8,  /* on its way to the safe value */
    ACTUATOR_REFUSED = 16, /* the last new value was not finite or out of range */
    ACTUATOR_STUCK = 32    /* a visible inserted fault acts on it */
};

struct record_actuator {
    double value;          /* applied in this step, in the command's unit */
    uint64_t counter;      /* write counter of the value taken last */
    int64_t age_ns;        /* since the step saw that counter change; -1: never */
    uint32_t flags;        /* enum record_actuator_flag */
    uint32_t timeouts;     /* how often its writes stopped */
};

enum {
    RECORD_CHANNEL_FAULTED = 1
}; /* bit of a channel's flags: a visible
                                      inserted fault, BadSensorFailure */

/* Head of a record. The arrays follow where struct record_layout says. */
struct record {
    uint64_t tick;         /* heartbeat: ticks since the process started */
    uint64_t slot;         /* grid slot k of the release */
    uint64_t step;         /* steps integrated since the process started */
    int64_t release_ns;    /* monotonic, T0 + k h */
    int64_t publish_ns;    /* monotonic, just before publishing */
    double t;              /* s, simulation time of the values */
    double interval;       /* s, taken by this step; 0: stood still */
    uint32_t state;        /* enum state */
    uint32_t quality;      /* enum record_quality bits */
    uint32_t status;       /* enum status of the last step */
    uint32_t iterations;
    double d;              /* m, |d| of the last iteration */
    double residual;       /* N */
    uint32_t element_kind; /* status bad: enum model_element it came from */
    uint32_t element;      /* and its index in the model */
    uint32_t policy;       /* enum policy */
    uint32_t pace;         /* enum pace */
    uint64_t misses;       /* since the statistics were reset */
    uint64_t skipped;      /* slots */
    uint64_t steps_left;   /* of a Step(n) request; 0: none */
    uint64_t snapshot_tick; /* tick of the newest snapshot in memory; 0: none */
    uint32_t faults;       /* bit i: fault slot i is in use */
    uint32_t trip;         /* enum trip that led to the safe state */
    struct record_lease lease;
};

/* Why the rig went to the safe state. */
#define TRIP_LIST(X)                                   \
    X(TRIP_NONE, "none")                               \
    X(TRIP_ESTOP, "emergency stop")                    \
    X(TRIP_CONSECUTIVE, "consecutive deadline misses") \
    X(TRIP_WINDOW, "deadline misses per window")       \
    X(TRIP_POLICY, "a deadline miss with policy stop") \
    X(TRIP_STOP, "the program is ending")              \
    X(TRIP_SUPERVISOR, "the supervisor is gone")       \
    X(TRIP_SERVICE, "a service that the rig demands cannot run")

enum trip {
#define X(code, text) code,
    TRIP_LIST(X)
#undef X
        TRIP_COUNT
};

/* Bytes from the start of a record to its arrays. Context: setup computes. */
struct record_layout {
    uint32_t n_channels, n_actuators, n_bodies, n_live, n_joints, reserved;
    uint32_t channel_at;       /* double[n_channels], user's units */
    uint32_t actuator_at;      /* struct record_actuator[n_actuators] */
    uint32_t pose_at;          /* double[n_bodies][7]: x, then quaternion (w, x, y, z) */
    uint32_t live_at;          /* double[n_live]: live parameters in model order, SI */
    uint32_t channel_flags_at; /* uint32_t[n_channels] */
    uint32_t released_at;      /* uint32_t[n_joints]: 1 if the joint is released */
    uint64_t bytes;            /* of the whole record, a multiple of 8 */
};

/* Fill in the layout for a model. */
void record_layout(const struct model *m, struct record_layout *l);

#define RECORD_ARRAY(stem, at, type)                                                   \
    static inline const type *record_##stem(const struct record_layout *l, const struct record *r) \
    {                                                                                  \
        return (const type *)((const char *)r + l->at);                                \
    }                                                                                  \
    static inline type *record_set_##stem(const struct record_layout *l, struct record *r) \
    {                                                                                  \
        return (type *)((char *)r + l->at);                                            \
    }
RECORD_ARRAY(channels, channel_at, double)
RECORD_ARRAY(actuators, actuator_at, struct record_actuator)
RECORD_ARRAY(poses, pose_at, double)
RECORD_ARRAY(live, live_at, double)
RECORD_ARRAY(channel_flags, channel_flags_at, uint32_t)
RECORD_ARRAY(released, released_at, uint32_t)
#undef RECORD_ARRAY

#endif
