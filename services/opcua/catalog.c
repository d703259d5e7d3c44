#include "services/opcua/catalog.h"

#include <stddef.h>

#include "services/opcua/values.h"

static const struct catalog_field RIG[] = {
    {"Name", "name", "name of the rig file", VALUES_RIG_NAME, 0, NULL},
    {"State", "state", "unloaded 0, ready 1, armed 2, running 3, holding 4, safe 5, faulted 6",
     VALUES_STATE, 0, NULL},
    {"StateName", "state-name", "the state as a word", VALUES_STATE_NAME, 0, NULL},
    {"StepNumber", "step", "steps integrated; the step all values of one response belong to",
     VALUES_STEP, 0, NULL},
    {"Tick", "tick", "heartbeat, counts in every state", VALUES_TICK, 0, NULL},
    {"Time", "time", "simulation time", VALUES_TIME, 0, "s"},
    {"Period", "period", "length of a step", VALUES_PERIOD, 0, "s"},
    {"Pace", "pace", "realtime, lockstep or free", VALUES_PACE, 0, NULL},
    {"OverrunPolicy", "policy", "what a missed deadline leads to: skip, finish-late, hold, stop",
     VALUES_POLICY, 0, NULL},
    {"Trip", "trip", "why the rig went to the safe state", VALUES_TRIP, 0, NULL},
    {"Authority", "authority", "number of the command authority in force; 0: nobody has it",
     VALUES_AUTHORITY, 0, NULL},
    {"AuthorityMode", "authority-mode", "stream, manual or none", VALUES_AUTHORITY_MODE, 0, NULL},
    {"AuthorityIsMine", "authority-is-mine", "true for the session that holds it",
     VALUES_AUTHORITY_MINE, 0, NULL},
    {"SnapshotTick", "snapshot-tick", "tick of the snapshot in memory; 0: none", VALUES_SNAPSHOT, 0,
     NULL},
    {"FaultSlots", "fault-slots", "bit i: inserted fault i is in use", VALUES_FAULTS, 0, NULL},
    {"StepsLeft", "steps-left", "of a Step(n) under way", VALUES_STEPS_LEFT, 0, NULL},
};
static const struct catalog_field SENSORS[] = {
    {"Names", "names", "of the channels, in the order of Values", VALUES_CHANNEL_NAMES, 0, NULL},
    {"Values", "values", "all channels of one step", VALUES_CHANNELS, 0, NULL},
    {"StepNumber", "step", "the step of Values", VALUES_STEP, 0, NULL},
    {"Time", "time", "simulation time of Values", VALUES_TIME, 0, "s"},
};
static const struct catalog_field ACTUATORS[] = {
    {"Names", "names", "in the order of Commands and Applied", VALUES_COMMAND_NAMES, 0, NULL},
    {"Commands", "commands", "all commands; a write is all or nothing and acts in one step",
     VALUES_COMMANDS, RIGHTS_OPERATOR, NULL},
    {"Applied", "applied", "what acts in the step, after limits, timeouts and faults",
     VALUES_APPLIED_ALL, 0, NULL},
    {"StepNumber", "step", "the step of Applied", VALUES_STEP, 0, NULL},
    {"Time", "time", "simulation time of Applied", VALUES_TIME, 0, "s"},
    {"Lower", "lower", "ends of the ranges", VALUES_LOWER_ALL, 0, NULL},
    {"Upper", "upper", "ends of the ranges", VALUES_UPPER_ALL, 0, NULL},
    {"SafeValues", "safe", "taken when commands stop", VALUES_SAFE_ALL, 0, NULL},
    {"StartValues", "start", "before the first command", VALUES_START_ALL, 0, NULL},
};
static const struct catalog_field ACTUATOR[] = {
    {"Age", "age", "of the last command", VALUES_AGE, 0, "s"},
    {"Timeouts", "timeouts", "how often its commands stopped", VALUES_TIMEOUTS, 0, NULL},
    {"Follows", "follows", "follows, timeout, ramping, safe, stuck or rests", VALUES_FOLLOWS, 0,
     NULL},
};
static const struct catalog_field MODEL[] = {
    {"Name", "name", "of the model", VALUES_MODEL_NAME, 0, NULL},
    {"File", "file", "it was read from", VALUES_MODEL_FILE, 0, NULL},
    {"BodyNames", "body-names", "of the bodies", VALUES_BODY_NAMES, 0, NULL},
};
static const struct catalog_field BODY[] = {
    {"Mass", "mass", "", VALUES_MASS, 0, "kg"},
    {"Position", "position", "mass centre, world", VALUES_POSITION, 0, "m"},
    {"Attitude", "attitude", "quaternion w x y z, body to world", VALUES_ATTITUDE, 0, NULL},
};
static const struct catalog_field JOINT[] = {
    {"Bodies", "bodies", "the two it connects", VALUES_JOINT_BODIES, 0, NULL},
    {"Released", "released", "true while it does not hold", VALUES_JOINT_RELEASED, 0, NULL},
};
static const struct catalog_field MONITOR[] = {
    {"Ticks", "ticks", "since the statistics were reset", VALUES_TICKS, 0, NULL},
    {"Steps", "steps", "integrated", VALUES_STEPS, 0, NULL},
    {"Misses", "misses", "deadlines missed", VALUES_MISSES, 0, NULL},
    {"Skipped", "skipped", "slots of the grid dropped", VALUES_SKIPPED, 0, NULL},
    {"LostSlots", "lost-slots", "time the simulation fell behind, in slots", VALUES_LOST_SLOTS, 0,
     NULL},
    {"Trips", "trips", "to the safe state", VALUES_TRIPS, 0, NULL},
    {"CauseNames", "cause-names", "of Causes", VALUES_CAUSE_NAMES, 0, NULL},
    {"Causes", "causes", "misses by cause", VALUES_CAUSES, 0, NULL},
    {"SeriesNames", "series-names",
     "of Last, MinuteMax, Max, MaxTick, Overflow: wake-up, end, phases", VALUES_SERIES_NAMES, 0,
     NULL},
    {"Last", "last", "times of the last tick", VALUES_SERIES_LAST, 0, "s"},
    {"MinuteMax", "minute-max", "longest times of the last minute", VALUES_SERIES_MINUTE, 0, "s"},
    {"Max", "max", "longest times since the reset", VALUES_SERIES_MAX, 0, "s"},
    {"MaxTick", "max-tick", "when they were", VALUES_SERIES_MAX_TICK, 0, NULL},
    {"Overflow", "overflow", "samples above the histograms' last bin", VALUES_OVERFLOW, 0, NULL},
    {"Iterations", "iterations", "of the last step", VALUES_ITERATIONS, 0, NULL},
    {"IterationsMax", "iterations-max", "since the reset", VALUES_ITERATIONS_MAX, 0, NULL},
    {"Residual", "residual", "of the last step", VALUES_RESIDUAL, 0, "N"},
    {"NotConverged", "not-converged", "steps above the Newton tolerance", VALUES_NOT_CONVERGED, 0,
     NULL},
    {"BudgetStops", "budget-stops", "steps cut short to keep the deadline", VALUES_BUDGET_STOPS, 0,
     NULL},
    {"RefusedCommands", "refused-commands", "values the step itself refused",
     VALUES_REFUSED_COMMANDS, 0, NULL},
    {"RefusedRequests", "refused-requests", "", VALUES_REFUSED_REQUESTS, 0, NULL},
    {"MajorFaults", "major-faults", "page faults of the step thread", VALUES_MAJOR, 0, NULL},
    {"MinorFaults", "minor-faults", "page faults of the step thread", VALUES_MINOR, 0, NULL},
    {"InvoluntarySwitches", "involuntary-switches", "of the step thread", VALUES_INVOLUNTARY, 0,
     NULL},
    {"Resets", "resets", "of the statistics", VALUES_RESETS, 0, NULL},
    {"Deadline", "deadline", "after the release of a step", VALUES_DEADLINE, 0, "s"},
    {"Verdict", "verdict", "guaranteed, watched or degraded", VALUES_VERDICT, 0, NULL},
    {"VerdictText", "verdict-text", "why", VALUES_VERDICT_TEXT, 0, NULL},
};
static const struct catalog_field KEYS[] = {
    {"Names", "names", "left right up down, or letters", VALUES_KEYS, 0, NULL},
    {"Actuators", "actuators", "what each moves", VALUES_KEY_ACTUATORS, 0, NULL},
    {"Rates", "rates", "command units per second while held", VALUES_KEY_RATES, 0, NULL},
    {"Backs", "backs", "command units per second back to the start value when let go; 0: stays",
     VALUES_KEY_BACKS, 0, NULL},
};
static const struct catalog_field NOTHING[1];

#define FIELDS(table) table, (int)(sizeof table / sizeof table[0])
const struct catalog_type CATALOG_TYPE[CATALOG_TYPES] = {
    [TYPE_RIG] = {"type:rig", "RigType", "a mechanism simulated in real time", FIELDS(RIG)},
    [TYPE_SENSORS] = {"type:sensors", "SensorsType", "all sensors of a rig", FIELDS(SENSORS)},
    [TYPE_SENSOR] = {"type:sensor", "SensorType", "a sensor; Value, and one variable per axis",
                     NOTHING, 0},
    [TYPE_ACTUATORS] = {"type:actuators", "ActuatorsType", "all actuators of a rig",
                        FIELDS(ACTUATORS)},
    [TYPE_ACTUATOR] = {"type:actuator", "ActuatorType",
                       "an actuator; Command and what became of it", FIELDS(ACTUATOR)},
    [TYPE_MODEL] = {"type:model", "ModelType", "the mechanism", FIELDS(MODEL)},
    [TYPE_BODY] = {"type:body", "BodyType", "a rigid body", FIELDS(BODY)},
    [TYPE_JOINT] = {"type:joint", "JointType", "a joint between two bodies", FIELDS(JOINT)},
    [TYPE_KEYS] = {"type:keys", "KeysType", "the keys of the terminal client", FIELDS(KEYS)},
    [TYPE_MONITOR] = {"type:deadline-monitor", "DeadlineMonitorType",
                      "whether and why steps were late", FIELDS(MONITOR)},
};
