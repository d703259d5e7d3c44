/* values.h: what the variables show: one const row per kind of value.
 *
 * Every variable's context is a struct values_item; its row says how to read it from
 * the turn's record, the model, the monitor or the board, its type, and which quality
 * it carries. SERVICE context; never blocks. */
#ifndef VALUES_H
#define VALUES_H

#include "services/opcua/rights.h"
#include "services/opcua/turn.h"

/* X(code, type, rank, quality): rank -1 scalar, 1 array, -2 either. Quality STEP: of
 * the simulated values; LIVE: Good while the step lives; CONST: always Good. */
#define VALUES_LIST(X)                                                                   \
    X(VALUES_STATE, INT32, -1, LIVE)                                                     \
    X(VALUES_STATE_NAME, STRING, -1, LIVE)                                               \
    X(VALUES_STEP, UINT64, -1, LIVE)                                                     \
    X(VALUES_TICK, UINT64, -1, LIVE)                                                     \
    X(VALUES_TIME, DOUBLE, -1, STEP)                                                     \
    X(VALUES_TRIP, STRING, -1, LIVE)                                                     \
    X(VALUES_POLICY, STRING, -1, LIVE)                                                   \
    X(VALUES_PACE, STRING, -1, LIVE)                                                     \
    X(VALUES_PERIOD, DOUBLE, -1, CONST)                                                  \
    X(VALUES_RIG_NAME, STRING, -1, CONST)                                                \
    X(VALUES_AUTHORITY, UINT64, -1, LIVE)      /* lease number; 0: nobody's */           \
    X(VALUES_AUTHORITY_MODE, STRING, -1, LIVE)                                           \
    X(VALUES_AUTHORITY_MINE, BOOLEAN, -1, LIVE) /* the asking session holds it */        \
    X(VALUES_SNAPSHOT, UINT64, -1, LIVE)                                                 \
    X(VALUES_FAULTS, UINT32, -1, LIVE)                                                   \
    X(VALUES_STEPS_LEFT, UINT64, -1, LIVE)                                               \
    X(VALUES_CHANNELS, DOUBLE, 1, STEP)        /* all channels of all sensors */         \
    X(VALUES_CHANNEL_NAMES, STRING, 1, CONST)                                            \
    X(VALUES_SENSOR, DOUBLE, -2, STEP)         /* index: sensor */                       \
    X(VALUES_CHANNEL, DOUBLE, -1, STEP)        /* index: channel */                      \
    X(VALUES_COMMANDS, DOUBLE, 1, LIVE)        /* sent last, all actuators */            \
    X(VALUES_COMMAND_NAMES, STRING, 1, CONST)                                            \
    X(VALUES_APPLIED_ALL, DOUBLE, 1, STEP)                                               \
    X(VALUES_COMMAND, DOUBLE, -1, LIVE)        /* index: actuator */                     \
    X(VALUES_APPLIED, DOUBLE, -1, STEP)                                                  \
    X(VALUES_AGE, DOUBLE, -1, LIVE)                                                      \
    X(VALUES_TIMEOUTS, UINT32, -1, LIVE)                                                 \
    X(VALUES_FOLLOWS, STRING, -1, LIVE)        /* what the actuator does now */          \
    X(VALUES_SAFE, DOUBLE, -1, CONST)                                                    \
    X(VALUES_MODEL_NAME, STRING, -1, CONST)                                              \
    X(VALUES_MODEL_FILE, STRING, -1, CONST)                                              \
    X(VALUES_BODY_NAMES, STRING, 1, CONST)                                               \
    X(VALUES_MASS, DOUBLE, -1, CONST)          /* index: body */                         \
    X(VALUES_POSITION, DOUBLE, 1, STEP)                                                  \
    X(VALUES_ATTITUDE, DOUBLE, 1, STEP)                                                  \
    X(VALUES_JOINT_BODIES, STRING, 1, CONST)   /* index: joint */                        \
    X(VALUES_JOINT_RELEASED, BOOLEAN, -1, LIVE)                                          \
    X(VALUES_PARAMETER, DOUBLE, -1, LIVE)      /* index: parameter */                    \
    X(VALUES_PARAMETER_LIVE, BOOLEAN, -1, CONST)                                         \
    X(VALUES_TICKS, UINT64, -1, LIVE)                                                    \
    X(VALUES_STEPS, UINT64, -1, LIVE)                                                    \
    X(VALUES_MISSES, UINT64, -1, LIVE)                                                   \
    X(VALUES_SKIPPED, UINT64, -1, LIVE)                                                  \
    X(VALUES_TRIPS, UINT64, -1, LIVE)                                                    \
    X(VALUES_LOST_SLOTS, UINT64, -1, LIVE)                                               \
    X(VALUES_BUDGET_STOPS, UINT64, -1, LIVE)                                             \
    X(VALUES_NOT_CONVERGED, UINT64, -1, LIVE)                                            \
    X(VALUES_REFUSED_COMMANDS, UINT64, -1, LIVE)                                         \
    X(VALUES_REFUSED_REQUESTS, UINT64, -1, LIVE)                                         \
    X(VALUES_MAJOR, UINT64, -1, LIVE)                                                    \
    X(VALUES_MINOR, UINT64, -1, LIVE)                                                    \
    X(VALUES_INVOLUNTARY, UINT64, -1, LIVE)                                              \
    X(VALUES_RESETS, UINT64, -1, LIVE)                                                   \
    X(VALUES_ITERATIONS, UINT32, -1, LIVE)                                               \
    X(VALUES_ITERATIONS_MAX, UINT64, -1, LIVE)                                           \
    X(VALUES_RESIDUAL, DOUBLE, -1, LIVE)                                                 \
    X(VALUES_DEADLINE, DOUBLE, -1, LIVE)                                                 \
    X(VALUES_CAUSES, UINT64, 1, LIVE)                                                    \
    X(VALUES_CAUSE_NAMES, STRING, 1, CONST)                                              \
    X(VALUES_SERIES_NAMES, STRING, 1, CONST)   /* wake, end, each phase */               \
    X(VALUES_SERIES_LAST, DOUBLE, 1, LIVE)                                               \
    X(VALUES_SERIES_MINUTE, DOUBLE, 1, LIVE)                                             \
    X(VALUES_SERIES_MAX, DOUBLE, 1, LIVE)                                                \
    X(VALUES_SERIES_MAX_TICK, UINT64, 1, LIVE)                                           \
    X(VALUES_HISTOGRAM, UINT32, 1, LIVE)       /* index: series */                       \
    X(VALUES_OVERFLOW, UINT64, 1, LIVE)                                                  \
    X(VALUES_LOWER_ALL, DOUBLE, 1, CONST)                                                \
    X(VALUES_UPPER_ALL, DOUBLE, 1, CONST)                                                \
    X(VALUES_SAFE_ALL, DOUBLE, 1, CONST)                                                 \
    X(VALUES_START_ALL, DOUBLE, 1, CONST)                                                \
    X(VALUES_KEYS, STRING, 1, CONST)           /* of the terminal client */              \
    X(VALUES_KEY_ACTUATORS, STRING, 1, CONST)                                            \
    X(VALUES_KEY_RATES, DOUBLE, 1, CONST)                                                \
    X(VALUES_KEY_BACKS, DOUBLE, 1, CONST)                                                \
    X(VALUES_VERDICT, STRING, -1, CONST)                                                 \
    X(VALUES_VERDICT_TEXT, STRING, -1, CONST)

enum values_kind {
#define X(code, type, rank, quality) code,
    VALUES_LIST(X)
#undef X
        VALUES_KINDS
};

/* The context of a variable. */
struct values_item {
    struct rights_node node;   /* first: rights.c reads it */
    uint16_t kind;             /* enum values_kind */
    uint32_t index;            /* of what, as the kind says */
};

/* The type and rank of a kind. */
const UA_DataType *values_type(enum values_kind kind);
int values_rank(enum values_kind kind);

/* The read callback of every variable. */
UA_StatusCode values_read(UA_Server *ua, const UA_NodeId *session, void *session_context,
                          const UA_NodeId *node, void *node_context, UA_Boolean source_time,
                          const UA_NumericRange *range, UA_DataValue *value);

/* The name of a channel (tip.x, or angle for a sensor of one channel) in text[size].
 * Returns 0 if there is no such channel. */
int values_channel_name(const struct model *m, uint32_t channel, char *text, size_t size);

/* "x", "y", ... of channel k of n; "value" where there is one. */
const char *values_axis(uint32_t n, uint32_t k);

#endif
