/* model.h: a compiled mechanism. One block of memory, position independent
 * (offsets, no pointers), written once by services/load/model/compile, const ever after.
 *
 * Place on the arrow: source -> [model] -> plan -> workspace. Two workspaces may
 * run on one model; processes share it as a read-only map. SI units throughout;
 * world frame unless a field says otherwise; quaternions are (w, x, y, z), body to
 * world. Any context may read it. Index -1 (MODEL_NONE) means ground or none. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

enum { MODEL_NONE = -1, MODEL_GROUND = -1 };
#define MODEL_MAGIC UINT64_C(0x31304c444d5a5054) /* "TPZMDL01" */

/* A run of n entries that starts `at` bytes from the start of the model. */
struct model_span {
    uint32_t at;
    uint32_t n;
};

/* Where an element was written, for messages. `file` is a text offset. */
struct model_origin {
    uint32_t file, line, column;
};

enum model_body_flag {
    BODY_FIXED = 1,    /* space-fixed: counted, never moves */
    BODY_POINT = 2,    /* point mass: no inertia of its own */
    BODY_GIVEN_V = 4,  /* `velocity` stands in the file: kept exactly */
    BODY_GIVEN_W = 8,  /* `angular-velocity` stands in the file */
    BODY_SHOWN = 16    /* a component shows it to the outside */
};

struct model_body {
    struct model_origin origin;
    uint32_t name;      /* text offset of the full path, e.g. front-left/rod */
    int32_t component;  /* index; 0 is the model itself */
    uint32_t flags;     /* enum model_body_flag */
    double mass;        /* kg */
    double inertia[9];  /* kg m2 about the mass centre, body axes, symmetric */
    double x[3];        /* m, mass centre at the start */
    double q[4];        /* attitude at the start */
    double v[3];        /* m/s, where given */
    double w[3];        /* rad/s, world axes, where given */
};

enum model_shape_kind { SHAPE_BOX, SHAPE_CYLINDER, SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_MESH };
enum { SHAPE_NO_COLOUR = -1 };

/* What a body looks like, for people; the solver never reads it. Cylinder and capsule
 * lie along their own z axis. */
struct model_shape {
    int32_t body;
    int32_t kind;       /* enum model_shape_kind */
    int32_t colour;     /* 0xrrggbb, or SHAPE_NO_COLOUR */
    uint32_t mesh;      /* text offset: path of a mesh's file */
    double size[3];     /* m: edges; radius, length, inner radius; radius. Mesh: scale */
    double x[3];        /* m, its middle from the body's mass centre, body axes */
    double q[4];        /* its attitude against the body */
};

/* Joints keep one frame per side, in body axes (ground: world axes). The frame's
 * z axis is the joint's axis; at the start both frames coincide but for what
 * at-b and axis-b say. For a universal joint axis-b is the x axis of side 1. */
struct model_joint {
    struct model_origin origin;
    uint32_t name;
    int32_t component;
    int32_t type;          /* row of the joint table, joint.h */
    int32_t body[2];       /* first, second */
    int32_t flags;         /* enum model_joint_flag */
    double point[2][3];    /* m, in the body's axes from its mass centre */
    double frame[2][9];    /* columns x, y, z of the joint frame in body axes,
                              row-major 3x3 */
    int32_t coordinate_at; /* first of the joint's coordinates */
    int32_t n_coordinates;
    int32_t function;      /* distance over time, gear offset; or MODEL_NONE */
    uint32_t term_at;      /* gear, rack: first of its terms */
    uint32_t n_terms;
    uint32_t pool_at;      /* numbers of the type's fields */
    double bearing_length; /* m, for reactions that are not unique; 0: default */
};

enum model_joint_flag {
    JOINT_SWITCHABLE = 1, /* may be released and locked: always a cut */
    JOINT_RELEASED = 2    /* starts released */
};

/* A scalar joint coordinate: an angle (rad, unwrapped) or a length (m). */
struct model_coordinate {
    int32_t joint;
    int32_t which;     /* 0 .. n_coordinates-1 of that joint */
    int32_t is_angle;
    int32_t motion;    /* prescribed by this motion, or MODEL_NONE */
    int32_t reversed;  /* 1: counts against the joint's axes (the angle of a mirrored
                          cylindrical or screw joint) */
    int32_t reserved;
    double start;      /* value shown at the start pose */
    double offset;     /* value shown where the two joint frames coincide */
};

/* What a coordinate shows per unit of its joint's own. */
static inline double model_coordinate_sign(const struct model_coordinate *c)
{
    return c->reversed ? -1 : 1;
}

/* One summand k q of a coordinate sum (gear, rack). */
struct model_term {
    int32_t coordinate;
    int32_t reserved;
    double factor;
};

/* Prescribed motion of a coordinate: q = f(t). */
struct model_motion {
    struct model_origin origin;
    uint32_t name;
    int32_t coordinate;
    int32_t function;
    int32_t reserved;
};

enum { MODEL_FUNCTIONS_PER_FORCE = 4 };

/* A force element, from forces: or the force an actuator exerts. */
struct model_force {
    struct model_origin origin;
    uint32_t name;
    int32_t component;
    int32_t type;       /* row of the force table, force.h */
    int32_t body[2];    /* the force acts on body[1], its opposite on body[0] */
    int32_t joint;      /* or MODEL_NONE */
    int32_t coordinate; /* or MODEL_NONE */
    int32_t phase;      /* coordinate it reads only, or MODEL_NONE */
    int32_t actuator;   /* whose command it obeys, or MODEL_NONE */
    int32_t function[MODEL_FUNCTIONS_PER_FORCE];
    uint32_t pool_at;   /* numbers of the type's fields */
    uint32_t state_at;  /* first of its own states in the workspace */
};

struct model_actuator {
    struct model_origin origin;
    uint32_t name;
    int32_t component;
    int32_t force;      /* the force element it drives */
    uint32_t unit;      /* text offset, unit of the command as written */
    uint32_t help;      /* text offset of `description`, may be empty */
    double scale;       /* SI value = command x scale */
    double lower, upper; /* range of the command, in its unit */
    double safe;        /* safe command, in its unit */
    double start;       /* command before the first one arrives, in its unit */
};

struct model_sensor {
    struct model_origin origin;
    uint32_t name;
    int32_t component;
    int32_t type;       /* row of the sensor table, sensor.h */
    int32_t body[2];
    int32_t joint, coordinate, force;
    uint32_t pool_at;
    uint32_t channel_at; /* first channel in the record */
    uint32_t n_channels;
    uint32_t unit;      /* text offset, unit of the value as reported */
    uint32_t help;
    double scale;       /* value = SI value x scale */
    double lower, upper; /* EURange, in the unit; both 0: unknown */
};

enum model_going { GOING_EITHER, GOING_UP, GOING_DOWN };

/* Joints locked and released when a channel of a sensor crosses a level. */
struct model_switch {
    struct model_origin origin;
    uint32_t name;
    int32_t component;
    int32_t sensor, channel;  /* watched */
    int32_t going;            /* enum model_going: the way it must cross */
    int32_t guard, guard_channel; /* must lie in [lower, upper] then; or MODEL_NONE */
    uint32_t change_at, n_changes;
    double level;             /* SI */
    double clear;             /* SI, how far from the level it arms */
    double lower, upper;      /* SI */
};

/* What a switch or a request does to a joint. */
struct model_change {
    int32_t joint;      /* switchable */
    int32_t on;         /* 1: lock it where it is, 0: release it */
};

/* A node of the component tree; 0 is the model itself, parents come first. */
struct model_component {
    struct model_origin origin;
    uint32_t name;      /* text offset of the full path; "" for the model */
    int32_t parent;     /* MODEL_NONE for the model itself */
};

/* What a fault of the solver is blamed on. */
enum model_element { STEP_BODY, STEP_JOINT, STEP_FORCE, STEP_ACTUATOR };

enum model_parameter_flag { PARAMETER_LIVE = 1 };

struct model_parameter {
    struct model_origin origin;
    uint32_t name;      /* full path */
    uint32_t unit;      /* text offset, may be empty */
    int32_t flags;
    int32_t reserved;
    double value;       /* SI */
    double lower, upper; /* allowed range of a live parameter, SI */
};

/* A pool number that follows live parameters: pool[pool_at] = code. */
struct model_derive {
    uint32_t pool_at;
    uint32_t code_at;   /* first instruction in `code` */
    uint32_t n_code;
    uint32_t reserved;
};

struct model {
    uint64_t magic;
    uint64_t size;          /* bytes of the whole block */
    uint32_t name;          /* text offset */
    uint32_t file;          /* text offset of the file it was read from */
    double gravity[3];      /* m/s2 */
    double rho;             /* spectral radius; < 0: auto */
    double tolerance;       /* Newton tolerance, m */
    double closure;         /* m; < 0: 1e-5 of each loop's length */
    int32_t iterations;     /* Newton bound */
    int32_t settle;         /* start at static equilibrium */
    int32_t n_channels;     /* sensor channels in a record */
    int32_t n_states;       /* states of force elements */
    struct model_span bodies, joints, coordinates, terms, motions, forces, actuators, sensors,
        switches, changes, components, parameters, functions, code, derives, shapes, pool, text;
};

/* Typed access to the arrays of the block. */
#define MODEL_ARRAY(stem, field, type)                              \
    static inline const type *model_##stem(const struct model *m)   \
    {                                                               \
        return (const type *)((const char *)m + m->field.at);       \
    }
struct function_code;
struct model_function;
MODEL_ARRAY(bodies, bodies, struct model_body)
MODEL_ARRAY(joints, joints, struct model_joint)
MODEL_ARRAY(coordinates, coordinates, struct model_coordinate)
MODEL_ARRAY(terms, terms, struct model_term)
MODEL_ARRAY(motions, motions, struct model_motion)
MODEL_ARRAY(forces, forces, struct model_force)
MODEL_ARRAY(actuators, actuators, struct model_actuator)
MODEL_ARRAY(sensors, sensors, struct model_sensor)
MODEL_ARRAY(switches, switches, struct model_switch)
MODEL_ARRAY(changes, changes, struct model_change)
MODEL_ARRAY(components, components, struct model_component)
MODEL_ARRAY(parameters, parameters, struct model_parameter)
MODEL_ARRAY(functions, functions, struct model_function)
MODEL_ARRAY(code, code, struct function_code)
MODEL_ARRAY(derives, derives, struct model_derive)
MODEL_ARRAY(shapes, shapes, struct model_shape)
MODEL_ARRAY(pool, pool, double)
#undef MODEL_ARRAY

/* The NUL-terminated string at a text offset. */
static inline const char *model_text(const struct model *m, uint32_t at)
{
    return (const char *)m + m->text.at + at;
}

#endif
