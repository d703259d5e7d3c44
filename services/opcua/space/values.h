/* values.h: what the variables show: one const row per kind of value.
 *
 * Every variable's context is a struct values_item; its row says how to read it from
 * the turn's record, the model, the monitor or the board, its type, and which quality
 * it carries. SERVICE context; never blocks. */
#ifndef VALUES_H
#define VALUES_H

#include "services/opcua/access/rights.h"
#include "services/opcua/loop/request_scope.h"

/* X(code, type, rank, quality, reader): rank -1 scalar, 1 array, -2 either. Quality STEP: of
 * the simulated values; LIVE: Good while the step lives; CONST: always Good. The reader stands in
 * read_rig.c, read_monitor.c or read_lane.c. */
#define VALUES_LIST(X)                                                                                    \
    X(VALUES_STATE, UINT32, -1, LIVE, read_rig_state)                                                       \
    X(VALUES_STATE_NAME, STRING, -1, LIVE, read_rig_state_name)                                            \
    X(VALUES_STEP, UINT64, -1, LIVE, read_rig_step)                                                        \
    X(VALUES_TICK, UINT64, -1, LIVE, read_rig_tick)                                                        \
    X(VALUES_TIME, DOUBLE, -1, STEP, read_rig_time)                                                        \
    X(VALUES_TRIP, STRING, -1, LIVE, read_rig_trip)                                                        \
    X(VALUES_POLICY, STRING, -1, LIVE, read_rig_policy)                                                    \
    X(VALUES_PACE, STRING, -1, LIVE, read_rig_pace)                                                        \
    X(VALUES_PERIOD, DOUBLE, -1, CONST, read_rig_period)                                                   \
    X(VALUES_RIG_NAME, STRING, -1, CONST, read_rig_rig_name)                                               \
    X(VALUES_AUTHORITY, UINT64, -1, LIVE, read_rig_authority) /* lease number; 0: nobody's */              \
    X(VALUES_AUTHORITY_MODE, STRING, -1, LIVE, read_rig_authority_mode)                                    \
    X(VALUES_AUTHORITY_MINE, BOOLEAN, -1, LIVE,                                                \
      read_rig_authority_mine) /* the asking session holds it */                                \
    X(VALUES_SNAPSHOT, UINT64, -1, LIVE, read_rig_snapshot)                                                \
    X(VALUES_FAULTS, UINT32, -1, LIVE, read_rig_faults)                                                    \
    X(VALUES_STEPS_LEFT, UINT64, -1, LIVE, read_rig_steps_left)                                            \
    X(VALUES_CHANNELS, DOUBLE, 1, STEP, read_rig_channels) /* all channels of all sensors */               \
    X(VALUES_CHANNEL_NAMES, STRING, 1, CONST, read_rig_channel_names)                                      \
    X(VALUES_CHANNEL_UNITS, STRING, 1, CONST, read_rig_channel_units)                                      \
    X(VALUES_CHANNEL_STATUS, STATUSCODE, 1, LIVE, read_rig_channel_status)                                 \
    X(VALUES_SENSOR, DOUBLE, -2, STEP, read_rig_sensor) /* index: sensor */                                \
    X(VALUES_CHANNEL, DOUBLE, -1, STEP, read_rig_channel) /* index: channel */                             \
    X(VALUES_COMMANDS, DOUBLE, 1, LIVE, read_rig_commands) /* sent last, all actuators */                  \
    X(VALUES_COMMAND_NAMES, STRING, 1, CONST, read_rig_command_names)                                      \
    X(VALUES_COMMAND_UNITS, STRING, 1, CONST, read_rig_command_units)                                      \
    X(VALUES_AGES, DOUBLE, 1, LIVE, read_rig_ages)                                                         \
    X(VALUES_APPLIED_ALL, DOUBLE, 1, STEP, read_rig_applied_all)                                           \
    X(VALUES_COMMAND, DOUBLE, -1, LIVE, read_rig_command) /* index: actuator */                            \
    X(VALUES_APPLIED, DOUBLE, -1, STEP, read_rig_applied)                                                  \
    X(VALUES_AGE, DOUBLE, -1, LIVE, read_rig_age)                                                          \
    X(VALUES_TIMEOUTS, UINT32, -1, LIVE, read_rig_timeouts)                                                \
    X(VALUES_FOLLOWS, STRING, -1, LIVE, read_rig_follows) /* what the actuator does now */                 \
    X(VALUES_SAFE, DOUBLE, -1, CONST, read_rig_safe)                                                       \
    X(VALUES_MODEL_NAME, STRING, -1, CONST, read_rig_model_name)                                           \
    X(VALUES_MODEL_FILE, STRING, -1, CONST, read_rig_model_file)                                           \
    X(VALUES_BODY_NAMES, STRING, 1, CONST, read_rig_body_names)                                            \
    X(VALUES_MASS, DOUBLE, -1, CONST, read_rig_mass) /* index: body */                                     \
    X(VALUES_POSITION, DOUBLE, 1, STEP, read_rig_position)                                                 \
    X(VALUES_ATTITUDE, DOUBLE, 1, STEP, read_rig_attitude)                                                 \
    X(VALUES_JOINT_BODIES, STRING, 1, CONST, read_rig_joint_bodies) /* index: joint */                     \
    X(VALUES_JOINT_RELEASED, BOOLEAN, -1, LIVE, read_rig_joint_released)                                   \
    X(VALUES_PARAMETER, DOUBLE, -1, LIVE, read_rig_parameter) /* index: parameter */                       \
    X(VALUES_TICKS, UINT64, -1, LIVE, read_monitor_ticks)                                                      \
    X(VALUES_STEPS, UINT64, -1, LIVE, read_monitor_steps)                                                      \
    X(VALUES_MISSES, UINT64, -1, LIVE, read_monitor_misses)                                                    \
    X(VALUES_SKIPPED, UINT64, -1, LIVE, read_monitor_skipped)                                                  \
    X(VALUES_TRIPS, UINT64, -1, LIVE, read_monitor_trips)                                                      \
    X(VALUES_COMMAND_TIMEOUTS, UINT64, -1, LIVE, read_monitor_timeouts)                                        \
    X(VALUES_LOST_SLOTS, UINT64, -1, LIVE, read_monitor_lost_slots)                                            \
    X(VALUES_BUDGET_STOPS, UINT64, -1, LIVE, read_monitor_budget_stops)                                        \
    X(VALUES_NOT_CONVERGED, UINT64, -1, LIVE, read_monitor_not_converged)                                      \
    X(VALUES_REFUSED_COMMANDS, UINT64, -1, LIVE, read_monitor_refused_commands)                                \
    X(VALUES_REFUSED_REQUESTS, UINT64, -1, LIVE, read_monitor_refused_requests)                                \
    X(VALUES_MAJOR, UINT64, -1, LIVE, read_monitor_major)                                                      \
    X(VALUES_MINOR, UINT64, -1, LIVE, read_monitor_minor)                                                      \
    X(VALUES_INVOLUNTARY, UINT64, -1, LIVE, read_monitor_involuntary)                                          \
    X(VALUES_RESETS, UINT64, -1, LIVE, read_monitor_resets)                                                    \
    X(VALUES_ITERATIONS, UINT32, -1, LIVE, read_monitor_iterations)                                            \
    X(VALUES_ITERATIONS_MAX, UINT64, -1, LIVE, read_monitor_iterations_max)                                    \
    X(VALUES_RESIDUAL, DOUBLE, -1, LIVE, read_monitor_residual)                                                \
    X(VALUES_DEADLINE, DOUBLE, -1, LIVE, read_monitor_deadline)                                                \
    X(VALUES_CAUSES, UINT64, 1, LIVE, read_monitor_causes)                                                     \
    X(VALUES_CAUSE_NAMES, STRING, 1, CONST, read_monitor_cause_names)                                          \
    X(VALUES_SERIES_NAMES, STRING, 1, CONST,                                                  \
      read_monitor_series_names) /* wake, end, each phase */                                  \
    X(VALUES_SERIES_LAST, DOUBLE, 1, LIVE, read_monitor_series_last)                                           \
    X(VALUES_SERIES_MINUTE, DOUBLE, 1, LIVE, read_monitor_series_minute)                                       \
    X(VALUES_SERIES_MAX, DOUBLE, 1, LIVE, read_monitor_series_max)                                             \
    X(VALUES_SERIES_MAX_TICK, UINT64, 1, LIVE, read_monitor_series_max_tick)                                   \
    X(VALUES_HISTOGRAM, UINT32, 1, LIVE, read_monitor_histogram) /* index: series */                           \
    X(VALUES_OVERFLOW, UINT64, 1, LIVE, read_monitor_overflow)                                                 \
    X(VALUES_LOWER_ALL, DOUBLE, 1, CONST, read_rig_lower_all)                                              \
    X(VALUES_UPPER_ALL, DOUBLE, 1, CONST, read_rig_upper_all)                                              \
    X(VALUES_SAFE_ALL, DOUBLE, 1, CONST, read_rig_safe_all)                                                \
    X(VALUES_START_ALL, DOUBLE, 1, CONST, read_rig_start_all)                                              \
    X(VALUES_KEYS, STRING, 1, CONST, read_rig_keys) /* of the terminal client */                           \
    X(VALUES_KEY_ACTUATORS, STRING, 1, CONST, read_rig_key_actuators)                                      \
    X(VALUES_KEY_RATES, DOUBLE, 1, CONST, read_rig_key_rates)                                              \
    X(VALUES_SHOWS, STRING, 1, CONST, read_rig_shows)                                                      \
    X(VALUES_KEY_BACKS, DOUBLE, 1, CONST, read_rig_key_backs)                                              \
    X(VALUES_VERDICT, STRING, -1, CONST, read_monitor_verdict)                                                 \
    X(VALUES_VERDICT_TEXT, STRING, -1, CONST, read_monitor_verdict_text)                                       \
    X(VALUES_LOOP_BINS, UINT32, 1, LIVE, read_monitor_loop_bins) /* index: actuator */                         \
    X(VALUES_LOOP_COUNT, UINT64, -1, LIVE, read_monitor_loop_count)                                            \
    X(VALUES_LOOP_OUTSIDE, UINT64, -1, LIVE, read_monitor_loop_outside)                                        \
    X(VALUES_LOOP_LAST, DOUBLE, -1, LIVE, read_monitor_loop_last)                                              \
    X(VALUES_LOOP_MAX, DOUBLE, -1, LIVE, read_monitor_loop_max)                                                \
    X(VALUES_CLIENT_BINS, UINT32, 1, LIVE, read_monitor_client_bins) /* index: actuator */                     \
    X(VALUES_CLIENT_COUNT, UINT64, -1, LIVE, read_monitor_client_count)                                        \
    X(VALUES_CLIENT_OUTSIDE, UINT64, -1, LIVE, read_monitor_client_outside)                                    \
    X(VALUES_CLIENT_LAST, DOUBLE, -1, LIVE, read_monitor_client_last)                                          \
    X(VALUES_CLIENT_MAX, DOUBLE, -1, LIVE, read_monitor_client_max)                                            \
    X(VALUES_LOOP_WIDTH, DOUBLE, -1, CONST, read_monitor_loop_width)                                           \
    X(VALUES_RECORDS_NEWEST, UINT64, -1, LIVE, read_monitor_newest)                                            \
    X(VALUES_RECORDS_KEPT, UINT64, -1, LIVE, read_monitor_kept)                                                \
    X(VALUES_RECORDS_DEPTH, UINT32, -1, CONST, read_monitor_depth)                                             \
    X(VALUES_RECORD_BYTES, UINT64, -1, CONST, read_monitor_bytes)                                              \
    X(VALUES_LANE_SENT, UINT64, -1, CONST, read_lane_sent)                                                 \
    X(VALUES_LANE_UNSENT, UINT64, -1, CONST, read_lane_unsent)                                             \
    X(VALUES_LANE_LOST, UINT64, -1, CONST, read_lane_lost)                                                 \
    X(VALUES_LANE_RECEIVED, UINT64, -1, CONST, read_lane_received)                                         \
    X(VALUES_LANE_ACCEPTED, UINT64, -1, CONST, read_lane_accepted)                                         \
    X(VALUES_LANE_REFUSED, UINT64, 1, CONST, read_lane_refused)                                            \
    X(VALUES_LANE_REASONS, STRING, 1, CONST, read_lane_reasons)                                            \
    X(VALUES_LANE_COUNTER, UINT64, -1, CONST, read_lane_counter)                                           \
    X(VALUES_LANE_SCHEDULING, STRING, -1, CONST, read_lane_scheduling)                                     \
    X(VALUES_LANE_LOOP_BINS, UINT32, 1, CONST, read_lane_loop_bins)                                        \
    X(VALUES_LANE_LOOP_COUNT, UINT64, -1, CONST, read_lane_loop_count)                                     \
    X(VALUES_LANE_LOOP_OUTSIDE, UINT64, -1, CONST, read_lane_loop_outside)                                 \
    X(VALUES_LANE_LOOP_LAST, DOUBLE, -1, CONST, read_lane_loop_last)                                       \
    X(VALUES_LANE_LOOP_MAX, DOUBLE, -1, CONST, read_lane_loop_max)

enum values_kind {
#define X(code, type, rank, quality, reader) code,
    VALUES_LIST(X)
#undef X
        VALUES_KINDS
};

/* The context of a variable. */
struct values_item {
    struct rights_node node;   /* first: rights.c reads it */
    uint16_t kind;             /* enum values_kind */
    uint32_t index;            /* of what, as the kind says */
    uint32_t bytes;            /* of its value; 0: not read yet */
};

/* The type and rank of a kind. */
const UA_DataType *values_type(enum values_kind kind);
int values_rank(enum values_kind kind);

/* The read callback of every variable. */
UA_StatusCode values_read(UA_Server *ua, const UA_NodeId *session, void *session_context,
                          const UA_NodeId *node, void *node_context, UA_Boolean source_time,
                          const UA_NumericRange *range, UA_DataValue *value);

#endif
