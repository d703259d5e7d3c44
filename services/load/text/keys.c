#include "services/load/text/keys.h"

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

static const struct schema_key MODEL[] = {
    [MODEL_KEY_MODEL] = {"model", SCHEMA_TEXT, 0, "the file's name", 0, "name of the model"},
    [MODEL_KEY_FORMAT] = {"format", SCHEMA_NUMBER, "", "1", 0,
                          "form of this file; this program reads 1"},
    [MODEL_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
    [MODEL_KEY_GRAVITY] = {"gravity", SCHEMA_NUMBERS, "m/s2", "[0, 0, 0]", 0,
                           "acceleration of gravity; counts in the outermost file only"},
    [MODEL_KEY_PARAMETERS] = {"parameters", SCHEMA_MAP, 0, "", 0, "names for numbers, see below"},
    [MODEL_KEY_BODIES] = {"bodies", SCHEMA_MAP, 0, "", 0, "name: body"},
    [MODEL_KEY_JOINTS] = {"joints", SCHEMA_MAP, 0, "", 0, "name: joint"},
    [MODEL_KEY_MOTIONS] = {"motions", SCHEMA_MAP, 0, "", 0, "name: prescribed motion of a joint"},
    [MODEL_KEY_FORCES] = {"forces", SCHEMA_MAP, 0, "", 0, "name: force element"},
    [MODEL_KEY_ACTUATORS] = {"actuators", SCHEMA_MAP, 0, "", 0, "name: force that obeys a command"},
    [MODEL_KEY_SENSORS] = {"sensors", SCHEMA_MAP, 0, "", 0, "name: sensor"},
    [MODEL_KEY_SWITCHES] = {"switches", SCHEMA_MAP, 0, "", 0,
                            "name: joints locked and released on a condition"},
    [MODEL_KEY_USE] = {"use", SCHEMA_MAP, 0, "", 0, "name: another file, placed as a component"},
    [MODEL_KEY_REPEAT] = {"repeat", SCHEMA_LIST, 0, "", 0, "sections made several times"},
    [MODEL_KEY_SHOWS] = {"shows", SCHEMA_NAMES, 0, "", 0,
                         "bodies a user of this file may connect to"},
    [MODEL_KEY_INTEGRATOR] = {"integrator", SCHEMA_MAP, 0, "", 0,
                              "settings of the solver; outermost file only"},
    [MODEL_KEY_CLOSURE] = {"closure", SCHEMA_NUMBER, "m", "1e-5 of each loop's length", 0,
                           "by how much joints may miss at the start; outermost file only"},
    [MODEL_KEY_SETTLE] = {"settle", SCHEMA_FLAG, 0, "false", 0,
                          "start at static equilibrium; outermost file only"},
};
const struct schema KEYS_MODEL = {"a model", MODEL, COUNT(MODEL), 0, 0};

static const struct schema_key PARAMETER[] = {
    [PARAMETER_KEY_VALUE] = {"value", SCHEMA_NUMBER, 0, 0, 0, "the number"},
    [PARAMETER_KEY_LIVE] = {"live", SCHEMA_FLAG, 0, "false", 0,
                            "may be changed while running; only numbers of forces can follow"},
    [PARAMETER_KEY_RANGE] = {"range", SCHEMA_NUMBERS, 0, "[-1e300, 1e300]", 0,
                             "least and most a live parameter may become"},
    [PARAMETER_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
};
const struct schema KEYS_PARAMETER = {"a parameter", PARAMETER, COUNT(PARAMETER), 0, 0};

static const struct schema_key INTEGRATOR[] = {
    [INTEGRATOR_KEY_RHO] = {"rho", SCHEMA_TEXT, "", "auto", 0,
                            "spectral radius 0 ... 1, 1 is the trapezoidal rule, or auto"},
    [INTEGRATOR_KEY_TOLERANCE] = {"tolerance", SCHEMA_NUMBER, "m", "1e-9", 0,
                                  "largest last correction of Newton"},
    [INTEGRATOR_KEY_ITERATIONS] = {"iterations", SCHEMA_NUMBER, "", "3", 0,
                                   "most Newton iterations per step, 1 ... 20"},
};
const struct schema KEYS_INTEGRATOR = {"integrator", INTEGRATOR, COUNT(INTEGRATOR), 0, 0};

static const struct schema_key BODY[] = {
    [BODY_KEY_MASS] = {"mass", SCHEMA_NUMBER, "kg", "", 0, "required unless fixed or from a solid"},
    [BODY_KEY_INERTIA] = {"inertia", SCHEMA_LIST, "kg.m2", "", 0,
                          "about the mass centre along the body's axes: [xx, yy, zz], "
                          "[xx, yy, zz, xy, xz, yz] or three lists of three; required unless "
                          "fixed, point or from a solid"},
    [BODY_KEY_POSITION] = {"position", SCHEMA_NUMBERS, "m", "[0, 0, 0]", 0,
                           "place of the mass centre at the start"},
    [BODY_KEY_ROTATION] = {"rotation", SCHEMA_ANY, 0, "none", 0,
                           "attitude at the start, see below; a list of such is done one after "
                           "the other"},
    [BODY_KEY_VELOCITY] = {"velocity", SCHEMA_NUMBERS, "m/s", "what the joints ask for", 0,
                           "of the mass centre at the start; kept exactly"},
    [BODY_KEY_ANGULAR_VELOCITY] = {"angular-velocity", SCHEMA_NUMBERS, "rad/s",
                                   "what the joints ask for", 0, "at the start; kept exactly"},
    [BODY_KEY_FIXED] = {"fixed", SCHEMA_FLAG, 0, "false", 0, "fixed in space, never moves"},
    [BODY_KEY_POINT] = {"point", SCHEMA_FLAG, 0, "false", 0,
                        "a point mass: no inertia, attachments at the mass centre only"},
    [BODY_KEY_BOX] = {"box", SCHEMA_MAP, 0, "", 0, "mass and inertia of a solid box"},
    [BODY_KEY_CYLINDER] = {"cylinder", SCHEMA_MAP, 0, "", 0, "... of a cylinder or tube"},
    [BODY_KEY_SPHERE] = {"sphere", SCHEMA_MAP, 0, "", 0, "... of a solid sphere"},
    [BODY_KEY_ROD] = {"rod", SCHEMA_MAP, 0, "", 0, "... of a thin rod"},
    [BODY_KEY_SHAPE] = {"shape", SCHEMA_ANY, 0, "its solid, else its inertia", 0,
                        "what it looks like, see below; a list of such for several"},
    [BODY_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
};
const struct schema KEYS_BODY = {"a body", BODY, COUNT(BODY), 0, 0};

static const struct schema_key ROTATION[] = {
    [ROTATION_KEY_AXIS] = {"axis", SCHEMA_NUMBERS, "", "", 0, "turn about this axis ..."},
    [ROTATION_KEY_ANGLE] = {"angle", SCHEMA_NUMBER, "rad", "", 0, "... by this angle"},
    [ROTATION_KEY_QUATERNION] = {"quaternion", SCHEMA_NUMBERS, "", "", 0, "or [w, x, y, z]"},
    [ROTATION_KEY_RPY] = {"rpy", SCHEMA_NUMBERS, "rad", "", 0,
                          "or [roll, pitch, yaw]: about x, then y, then z, axes fixed in space"},
};
const struct schema KEYS_ROTATION = {"a rotation", ROTATION, COUNT(ROTATION), 0, 0};

static const struct schema_key BOX[] = {
    [SOLID_KEY_DENSITY] = {"density", SCHEMA_NUMBER, "kg/m3", "", 0, "gives the mass"},
    [SOLID_KEY_MASS] = {"mass", SCHEMA_NUMBER, "kg", "", 0, "instead of the body's mass"},
    [BOX_KEY_SIZE] = {"size", SCHEMA_NUMBERS, "m", 0, 0, "edges along the body's axes"},
};
static const struct schema_key CYLINDER[] = {
    [SOLID_KEY_DENSITY] = {"density", SCHEMA_NUMBER, "kg/m3", "", 0, "gives the mass"},
    [SOLID_KEY_MASS] = {"mass", SCHEMA_NUMBER, "kg", "", 0, "instead of the body's mass"},
    [CYLINDER_KEY_RADIUS] = {"radius", SCHEMA_NUMBER, "m", 0, 0, "outer radius"},
    [CYLINDER_KEY_LENGTH] = {"length", SCHEMA_NUMBER, "m", 0, 0, "along its axis"},
    [CYLINDER_KEY_AXIS] = {"axis", SCHEMA_CHOICE, 0, "z", "x y z",
                           "axis of the body it lies along"},
    [CYLINDER_KEY_INNER] = {"inner-radius", SCHEMA_NUMBER, "m", "0", 0, "makes it a tube"},
};
static const struct schema_key SPHERE[] = {
    [SOLID_KEY_DENSITY] = {"density", SCHEMA_NUMBER, "kg/m3", "", 0, "gives the mass"},
    [SOLID_KEY_MASS] = {"mass", SCHEMA_NUMBER, "kg", "", 0, "instead of the body's mass"},
    [SPHERE_KEY_RADIUS] = {"radius", SCHEMA_NUMBER, "m", 0, 0, "radius"},
};
static const struct schema_key ROD[] = {
    [SOLID_KEY_DENSITY] = {"density", SCHEMA_NUMBER, "kg/m", "", 0, "gives the mass"},
    [SOLID_KEY_MASS] = {"mass", SCHEMA_NUMBER, "kg", "", 0, "instead of the body's mass"},
    [ROD_KEY_LENGTH] = {"length", SCHEMA_NUMBER, "m", 0, 0, "length"},
    [ROD_KEY_AXIS] = {"axis", SCHEMA_CHOICE, 0, "x", "x y z", "axis of the body it lies along"},
};
const struct schema KEYS_SOLID[SOLID_COUNT] = {
    [SOLID_BOX] = {"a box", BOX, COUNT(BOX), 0, 0},
    [SOLID_CYLINDER] = {"a cylinder", CYLINDER, COUNT(CYLINDER), 0, 0},
    [SOLID_SPHERE] = {"a sphere", SPHERE, COUNT(SPHERE), 0, 0},
    [SOLID_ROD] = {"a rod", ROD, COUNT(ROD), 0, 0},
};

static const struct schema_key SHAPE[] = {
    [SHAPE_KEY_TYPE] = {"type", SCHEMA_CHOICE, 0, 0, "box cylinder sphere capsule mesh",
                        "what it is"},
    [SHAPE_KEY_SIZE] = {"size", SCHEMA_NUMBERS, "m", "", 0, "box: edges along its axes"},
    [SHAPE_KEY_RADIUS] = {"radius", SCHEMA_NUMBER, "m", "", 0, "cylinder, sphere, capsule"},
    [SHAPE_KEY_LENGTH] = {"length", SCHEMA_NUMBER, "m", "", 0,
                          "cylinder; capsule: between the middles of its ends"},
    [SHAPE_KEY_INNER] = {"inner-radius", SCHEMA_NUMBER, "m", "0", 0, "cylinder: makes it a tube"},
    [SHAPE_KEY_AXIS] = {"axis", SCHEMA_CHOICE, 0, "z", "x y z",
                        "cylinder, capsule: axis of the body it lies along"},
    [SHAPE_KEY_FROM] = {"from", SCHEMA_NUMBERS, "m", "", 0,
                        "cylinder, capsule: one end, in the world at the start ..."},
    [SHAPE_KEY_TO] = {"to", SCHEMA_NUMBERS, "m", "", 0,
                      "... and the other, instead of length, axis, at and rotation"},
    [SHAPE_KEY_AT] = {"at", SCHEMA_NUMBERS, "m", "the mass centre", 0,
                      "its middle (mesh: its origin), in the world at the start"},
    [SHAPE_KEY_ROTATION] = {"rotation", SCHEMA_ANY, 0, "none", 0,
                            "its attitude against the body's axes"},
    [SHAPE_KEY_FILE] = {"file", SCHEMA_TEXT, 0, "", 0,
                        "mesh: STL or OBJ, beside this file or below"},
    [SHAPE_KEY_SCALE] = {"scale", SCHEMA_NUMBER, "", "1", 0,
                         "mesh: metres per unit of its file, 0.001 where it is in mm"},
    [SHAPE_KEY_COLOUR] = {"colour", SCHEMA_TEXT, 0, "by turns", 0, "as '#rrggbb'"},
};
const struct schema KEYS_SHAPE = {"a shape", SHAPE, COUNT(SHAPE), 0, 0};

static const struct schema_key JOINT[] = {
    [JOINT_KEY_TYPE] = {"type", SCHEMA_NAME, 0, 0, 0, "one of the joint types below"},
    [JOINT_KEY_BETWEEN] = {"between", SCHEMA_NAMES, 0, 0, 0,
                           "[first, second]: two bodies, or a body and ground"},
    [JOINT_KEY_AT] = {"at", SCHEMA_NUMBERS, "m", 0, 0, "place on the first body"},
    [JOINT_KEY_AXIS] = {"axis", SCHEMA_NUMBERS, "", "[0, 0, 1] where the type needs none", 0,
                        "axis on the first body"},
    [JOINT_KEY_AT_B] = {"at-b", SCHEMA_NUMBERS, "m", "at", 0,
                        "place on the second body where it differs"},
    [JOINT_KEY_AXIS_B] = {"axis-b", SCHEMA_NUMBERS, "", "axis", 0,
                          "axis on the second body where it differs; universal: its own axis"},
    [JOINT_KEY_SWITCHABLE] = {"switchable", SCHEMA_FLAG, 0, "false", 0,
                              "may be released and locked while running"},
    [JOINT_KEY_RELEASED] = {"released", SCHEMA_FLAG, 0, "false", 0, "starts released"},
    [JOINT_KEY_BEARING_LENGTH] = {"bearing-length", SCHEMA_NUMBER, "m", "chosen by the solver", 0,
                                  "lever that shares reactions among redundant joints"},
    [JOINT_KEY_START] = {"start", SCHEMA_ANY, "rad or m", "0 where the joint frames coincide", 0,
                         "what its coordinate shows at the start; a list where it has several"},
    [JOINT_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
};
const struct schema KEYS_JOINT = {"a joint", JOINT, COUNT(JOINT), 0, 0};

static const struct schema_key GEAR[] = {
    [GEAR_KEY_TYPE] = {"type", SCHEMA_NAME, 0, 0, 0, "gear or rack"},
    [GEAR_KEY_JOINTS] = {"joints", SCHEMA_NAMES, 0, 0, 0,
                         "two or three joints; rack: [turning, sliding]"},
    [GEAR_KEY_COORDINATES] = {"coordinates", SCHEMA_NAMES, 0, "the only one of each joint", 0,
                              "which coordinate of each joint"},
    [GEAR_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
    [GEAR_KEY_RATIOS] = {"ratios", SCHEMA_NUMBERS, "", 0, 0,
                         "factors of the coordinates, one per joint; gear only"},
};
const struct schema KEYS_GEAR = {"a gear", GEAR, COUNT(GEAR), 0, 0};
const struct schema KEYS_RACK = {"a rack", GEAR, GEAR_KEY_RATIOS, 0, 0};

static const struct schema_key MOTION[] = {
    [MOTION_KEY_JOINT] = {"joint", SCHEMA_NAME, 0, 0, 0, "the joint that is moved"},
    [MOTION_KEY_COORDINATE] = {"coordinate", SCHEMA_NAME, 0, "the only one", 0,
                               "which of its coordinates"},
    [MOTION_KEY_VALUE] = {"value", SCHEMA_FUNCTION, "rad or m", 0, 0,
                          "value of the coordinate over time"},
    [MOTION_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
};
const struct schema KEYS_MOTION = {"a motion", MOTION, COUNT(MOTION), 0, 0};

static const struct schema_key SWITCH[] = {
    [SWITCH_KEY_SENSOR] =
        {"sensor", SCHEMA_NAME, 0, 0, 0,
         "what is watched: a sensor, with the channel where it has several: tip.y"},
    [SWITCH_KEY_CROSSES] = {"crosses", SCHEMA_NUMBER, "the sensor's unit", 0, 0,
                            "the level at which the joints change"},
    [SWITCH_KEY_GOING] = {"going", SCHEMA_CHOICE, 0, "either", "either up down",
                          "the way the level must be crossed"},
    [SWITCH_KEY_LOCK] = {"lock", SCHEMA_NAMES, 0, "", 0,
                         "switchable joints that are locked where they are"},
    [SWITCH_KEY_RELEASE] = {"release", SCHEMA_NAMES, 0, "", 0,
                            "switchable joints that are released"},
    [SWITCH_KEY_WHILE] = {"while", SCHEMA_NAME, 0, "", 0,
                          "another channel, which must then lie ..."},
    [SWITCH_KEY_WITHIN] = {"within", SCHEMA_NUMBERS, "that sensor's unit", "", 0,
                           "... in this range, [least, most]"},
    [SWITCH_KEY_CLEAR] = {"clear", SCHEMA_NUMBER, "the sensor's unit", "1e-6 in SI", 0,
                          "how far from the level it must have been before it acts (again)"},
    [SWITCH_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
};
const struct schema KEYS_SWITCH = {"a switch", SWITCH, COUNT(SWITCH), 0, 0};

const struct schema_key KEYS_ELEMENT[ELEMENT_KEY_COUNT] = {
    [ELEMENT_KEY_TYPE] = {"type", SCHEMA_NAME, 0, 0, 0, "one of the types below"},
    [ELEMENT_KEY_BETWEEN] = {"between", SCHEMA_NAMES, 0, 0, 0,
                             "[first, second]: two bodies, or a body and ground"},
    [ELEMENT_KEY_BODY] = {"body", SCHEMA_NAME, 0, 0, 0, "a body"},
    [ELEMENT_KEY_JOINT] = {"joint", SCHEMA_NAME, 0, 0, 0, "a joint"},
    [ELEMENT_KEY_COORDINATE] = {"coordinate", SCHEMA_NAME, 0, "the only one that fits", 0,
                                "which coordinate of the joint"},
    [ELEMENT_KEY_FORCE] = {"force", SCHEMA_NAME, 0, 0, 0, "a force element or an actuator"},
    [ELEMENT_KEY_PHASE] = {"phase", SCHEMA_NAME, 0, 0, 0, "a joint whose angle is read"},
    [ELEMENT_KEY_FOLLOWS] = {"follows", SCHEMA_NAME, 0, 0, 0,
                             "an actuator whose command is obeyed"},
    [ELEMENT_KEY_DESCRIPTION] = {"description", SCHEMA_TEXT, 0, "", 0, "what it is, for people"},
    [ELEMENT_KEY_UNIT] = {"unit", SCHEMA_TEXT, 0, "the SI unit", 0, "unit of the value shown"},
    [ELEMENT_KEY_RANGE] = {"range", SCHEMA_NUMBERS, 0, "unknown", 0,
                           "[least, most]; bare numbers are in `unit`"},
    [ELEMENT_KEY_SAFE] = {"safe", SCHEMA_NUMBER, 0, "0, or the nearest in range", 0,
                          "command in the safe state, in `unit`"},
    [ELEMENT_KEY_START] = {"start", SCHEMA_NUMBER, 0, "safe", 0,
                           "command before the first one arrives, in `unit`"},
};

static const struct schema_key FUNCTION[] = {
    [FUNCTION_KEY_RAMP] = {"ramp", SCHEMA_MAP, 0, "", 0, "constant, then a slope, then constant"},
    [FUNCTION_KEY_SINE] = {"sine", SCHEMA_MAP, 0, "", 0, "offset + amplitude sin(omega t + phase)"},
    [FUNCTION_KEY_TABLE] = {"table", SCHEMA_MAP, 0, "", 0,
                            "smooth curve (C2 spline) through points"},
};
const struct schema KEYS_FUNCTION = {"a function of time", FUNCTION, COUNT(FUNCTION), 0, 0};

static const struct schema_key RAMP[] = {
    [RAMP_KEY_START] = {"start", SCHEMA_NUMBER, "s", "0", 0, "when the slope begins"},
    [RAMP_KEY_FROM] = {"from", SCHEMA_NUMBER, "as the value", "0", 0, "value before"},
    [RAMP_KEY_RATE] = {"rate", SCHEMA_NUMBER, "value per s", "", 0, "slope; or give to and end"},
    [RAMP_KEY_TO] = {"to", SCHEMA_NUMBER, "as the value", "", 0, "value behind"},
    [RAMP_KEY_END] = {"end", SCHEMA_NUMBER, "s", "", 0, "when it ends; with rate alone: never"},
};
const struct schema KEYS_RAMP = {"a ramp", RAMP, COUNT(RAMP), 0, 0};

static const struct schema_key SINE[] = {
    [SINE_KEY_AMPLITUDE] = {"amplitude", SCHEMA_NUMBER, "as the value", 0, 0, "half the swing"},
    [SINE_KEY_FREQUENCY] = {"frequency", SCHEMA_NUMBER, "Hz", "", 0, "cycles per second, or ..."},
    [SINE_KEY_OMEGA] = {"omega", SCHEMA_NUMBER, "rad/s", "", 0, "... angular frequency"},
    [SINE_KEY_PHASE] = {"phase", SCHEMA_NUMBER, "rad", "0", 0, "phase at t = 0"},
    [SINE_KEY_OFFSET] = {"offset", SCHEMA_NUMBER, "as the value", "0", 0, "mean value"},
};
const struct schema KEYS_SINE = {"a sine", SINE, COUNT(SINE), 0, 0};

static const struct schema_key TABLE[] = {
    [TABLE_KEY_TIMES] = {"times", SCHEMA_NUMBERS, "s", 0, 0, "rising"},
    [TABLE_KEY_VALUES] = {"values", SCHEMA_NUMBERS, "as the value", 0, 0, "as many as times"},
};
const struct schema KEYS_TABLE = {"a table", TABLE, COUNT(TABLE), 0, 0};

static const struct schema_key USE[] = {
    [USE_KEY_FILE] = {"file", SCHEMA_TEXT, 0, 0, 0, "path, relative to the file that uses it"},
    [USE_KEY_POSITION] = {"position", SCHEMA_NUMBERS, "m", "[0, 0, 0]", 0,
                          "where the component's origin stands"},
    [USE_KEY_ROTATION] = {"rotation", SCHEMA_ANY, 0, "none", 0, "how it is turned, as for bodies"},
    [USE_KEY_MIRROR] = {"mirror", SCHEMA_CHOICE, 0, "none", "x y z",
                        "axis of the component that is reversed, before it is turned and moved"},
    [USE_KEY_PARAMETERS] = {"parameters", SCHEMA_MAP, 0, "", 0,
                            "values for its parameters, in terms of those of this file"},
};
const struct schema KEYS_USE = {"a component", USE, COUNT(USE), 0, 0};

static const struct schema_key REPEAT[] = {
    [REPEAT_KEY_INDEX] = {"index", SCHEMA_NAME, 0, "i", 0, "name of the index"},
    [REPEAT_KEY_FROM] = {"from", SCHEMA_NUMBER, "", "1", 0, "first value of the index"},
    [REPEAT_KEY_TO] = {"to", SCHEMA_NUMBER, "", "", 0, "last value of the index, or ..."},
    [REPEAT_KEY_COUNT] = {"count", SCHEMA_NUMBER, "", "", 0, "... how many"},
    [REPEAT_KEY_BODIES] = {"bodies", SCHEMA_MAP, 0, "", 0, "as in the model; likewise below"},
    [REPEAT_KEY_JOINTS] = {"joints", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_MOTIONS] = {"motions", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_FORCES] = {"forces", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_ACTUATORS] = {"actuators", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_SENSORS] = {"sensors", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_SWITCHES] = {"switches", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_USE] = {"use", SCHEMA_MAP, 0, "", 0, ""},
    [REPEAT_KEY_REPEAT] = {"repeat", SCHEMA_LIST, 0, "", 0, "with an index of its own"},
};
const struct schema KEYS_REPEAT = {"a repeat", REPEAT, COUNT(REPEAT), 0, 0};
