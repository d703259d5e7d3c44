/* Forces along one joint coordinate q: springs, given forces, end stops, servo. The row of
 * the coordinate carries the force F on the second body; power is F q'. Tangents are positive semi-definite (secants where the law softens). */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

/* F on B along the coordinate, with weights k and c of its tangent. */
static void along(const struct force_in *in, struct force_out *out, double F, double k, double c)
{
    force_add_row(out, in->coordinate->row, F, in->s * k + in->sc * c);
    out->value[0] = F;
}

enum { JS_K = 0, JS_C = 1, JS_FREE = 2 };

static const struct field TORSION_FIELD[] = {
    {"stiffness", FIELD_SCALAR, "N.m/rad", "0", 0, 0, "torque per angle", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "N.m.s/rad", "0", 0, 0, "torque per angular rate", SIGN_NOT_NEGATIVE},
    {"angle", FIELD_SCALAR, "rad", "0", 0, 0, "angle without torque", SIGN_ANY},
};
static const struct field SLIDE_FIELD[] = {
    {"stiffness", FIELD_SCALAR, "N/m", "0", 0, 0, "force per displacement", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "N.s/m", "0", 0, 0, "force per speed", SIGN_NOT_NEGATIVE},
    {"position", FIELD_SCALAR, "m", "0", 0, 0, "displacement without force", SIGN_ANY},
};

static void joint_spring_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    double x = in->coordinate->q - p[JS_FREE], rate = in->coordinate->qd;
    along(in, out, -p[JS_K] * x - p[JS_C] * rate, p[JS_K], p[JS_C]);
    out->energy = 0.5 * p[JS_K] * x * x;
    out->power = -p[JS_C] * rate * rate;
}

const struct force_type FORCE_TORSION_SPRING = {.name = "torsion-spring",
                                                .help = "spring and damper about a joint's axis",
                                                .section = FORCE_IN_FORCES,
                                                .refs = REF_JOINT | REF_ANGLE,
                                                .field = TORSION_FIELD,
                                                .n_fields = 3,
                                                .n_values = 1,
                                                .unit = "N.m",
                                                .eval = joint_spring_eval};
const struct force_type FORCE_JOINT_SPRING = {.name = "joint-spring",
                                              .help = "spring and damper along a joint's axis",
                                              .section = FORCE_IN_FORCES,
                                              .refs = REF_JOINT | REF_LENGTH,
                                              .field = SLIDE_FIELD,
                                              .n_fields = 3,
                                              .n_values = 1,
                                              .unit = "N",
                                              .eval = joint_spring_eval};

static const struct field JOINT_TORQUE_FIELD[] = {
    {"value", FIELD_FUNCTION, "N.m", 0, 0, 0, "torque of the first body on the second", SIGN_ANY},
};
static const struct field JOINT_FORCE_FIELD[] = {
    {"value", FIELD_FUNCTION, "N", 0, 0, 0, "force of the first body on the second", SIGN_ANY},
};

static void joint_given_eval(const struct force_in *in, struct force_out *out)
{
    struct jet f = force_jet(in, 0);
    along(in, out, f.f, 0, 0);
    out->power = f.f * in->coordinate->qd;
}

const struct force_type FORCE_JOINT_TORQUE = {.name = "joint-torque",
                                              .help = "given torque about a joint's axis",
                                              .section = FORCE_IN_FORCES,
                                              .refs = REF_JOINT | REF_ANGLE,
                                              .field = JOINT_TORQUE_FIELD,
                                              .n_fields = 1,
                                              .n_values = 1,
                                              .unit = "N.m",
                                              .eval = joint_given_eval};
const struct force_type FORCE_JOINT_FORCE = {.name = "joint-force",
                                             .help = "given force along a joint's axis",
                                             .section = FORCE_IN_FORCES,
                                             .refs = REF_JOINT | REF_LENGTH,
                                             .field = JOINT_FORCE_FIELD,
                                             .n_fields = 1,
                                             .n_values = 1,
                                             .unit = "N",
                                             .eval = joint_given_eval};

static void commanded_eval(const struct force_in *in, struct force_out *out)
{
    along(in, out, in->command, 0, 0);
    out->power = in->command * in->coordinate->qd;
}

const struct force_type ACTUATOR_JOINT_TORQUE = {.name = "torque",
                                                 .help = "commanded torque about a joint's axis",
                                                 .section = FORCE_IN_ACTUATORS,
                                                 .refs = REF_JOINT | REF_ANGLE,
                                                 .n_values = 1,
                                                 .unit = "N.m",
                                                 .command_unit = "N.m",
                                                 .eval = commanded_eval};
const struct force_type ACTUATOR_JOINT_FORCE = {.name = "force",
                                                .help = "commanded force along a joint's axis",
                                                .section = FORCE_IN_ACTUATORS,
                                                .refs = REF_JOINT | REF_LENGTH,
                                                .n_values = 1,
                                                .unit = "N",
                                                .command_unit = "N",
                                                .eval = commanded_eval};

/* End stop: Hunt-Crossley F = k d (1 + c d'), d the depth, never pulling. */
enum { STOP_LOWER = 0, STOP_UPPER = 1, STOP_K = 2, STOP_C = 3 };

static const struct field STOP_FIELD[] = {
    {"lower", FIELD_SCALAR, "q", "-1e30", 0, 0, "lower end", SIGN_ANY},
    {"upper", FIELD_SCALAR, "q", "1e30", 0, 0, "upper end", SIGN_ANY},
    {"stiffness", FIELD_SCALAR, "Q/q", 0, 0, 0, "force per depth behind the end",
     SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "s/q", "0", 0, 0, "F = k d (1 + damping d')", SIGN_NOT_NEGATIVE},
};

static const char *stop_check(const double *p, unsigned given, int is_angle)
{
    (void)given, (void)is_angle;
    return p[STOP_LOWER] < p[STOP_UPPER] ? 0 : "lower must lie below upper";
}

static void stop_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    double q = in->coordinate->q, below = p[STOP_LOWER] - q, above = q - p[STOP_UPPER];
    double sign = below > above ? 1 : -1, depth = fmax(below, above);
    double rate = -sign * in->coordinate->qd, k = p[STOP_K];
    double size = depth > 0 ? fmax(0, k * depth * (1 + p[STOP_C] * rate)) : 0;
    out->depth = depth;
    out->closed = size > 0;
    along(in, out, sign * size, size > 0 ? size / depth : 0, size > 0 ? k * depth * p[STOP_C] : 0);
    double stored = depth > 0 ? 0.5 * k * depth * depth : 0;
    out->energy = stored;
    out->power = depth > 0 ? -(size - k * depth) * rate : 0;
}

const struct force_type FORCE_STOP = {.name = "stop",
                                      .help = "end stops of a joint coordinate",
                                      .section = FORCE_IN_FORCES,
                                      .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                      .field = STOP_FIELD,
                                      .n_fields = 4,
                                      .n_values = 1,
                                      .unit = "Q",
                                      .can_open = 1,
                                      .check = stop_check,
                                      .eval = stop_eval};

/* Servo: F = k (target - q) + c (target' - q'), limited. At the limit no tangent. */
enum { SERVO_K = 0, SERVO_C = 1, SERVO_LIMIT = 2 };

static const struct field SERVO_FIELD[] = {
    {"stiffness", FIELD_SCALAR, "Q/q", 0, 0, 0, "gain on position", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "Q.s/q", "0", 0, 0, "gain on rate", SIGN_NOT_NEGATIVE},
    {"limit", FIELD_SCALAR, "Q", "1e30", 0, 0, "largest force", SIGN_NOT_NEGATIVE},
    {"target", FIELD_FUNCTION, "q", 0, 0, 0, "position wanted, function of t", SIGN_ANY},
};
static const struct field POSITION_FIELD[] = {
    {"stiffness", FIELD_SCALAR, "Q/q", 0, 0, 0, "gain on position", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "Q.s/q", "0", 0, 0, "gain on rate; a command counts as at rest",
     SIGN_NOT_NEGATIVE},
    {"limit", FIELD_SCALAR, "Q", "1e30", 0, 0, "largest force", SIGN_NOT_NEGATIVE},
};

static void servo_force(const struct force_in *in, struct force_out *out, double target,
                        double rate)
{
    const double *p = in->p;
    double F = p[SERVO_K] * (target - in->coordinate->q) + p[SERVO_C] * (rate - in->coordinate->qd);
    double limited = fmax(-p[SERVO_LIMIT], fmin(p[SERVO_LIMIT], F)), active = limited == F;
    along(in, out, limited, active * p[SERVO_K], active * p[SERVO_C]);
    out->power = limited * in->coordinate->qd;
}

static void servo_eval(const struct force_in *in, struct force_out *out)
{
    struct jet t = force_jet(in, 0);
    servo_force(in, out, t.f, t.d1);
}

static void position_eval(const struct force_in *in, struct force_out *out)
{
    servo_force(in, out, in->command, 0);
}

const struct force_type FORCE_SERVO = {.name = "servo",
                                       .help = "position servo with limited force",
                                       .section = FORCE_IN_FORCES,
                                       .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                       .field = SERVO_FIELD,
                                       .n_fields = 4,
                                       .n_values = 1,
                                       .unit = "Q",
                                       .eval = servo_eval};
const struct force_type ACTUATOR_POSITION = {
    .name = "position",
    .help = "commanded position through a servo with limited force",
    .section = FORCE_IN_ACTUATORS,
    .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
    .field = POSITION_FIELD,
    .n_fields = 3,
    .n_values = 1,
    .unit = "Q",
    .command_unit = "q",
    .eval = position_eval};

/* Speed servo: F = c (command - q'), limited. */
enum { SPEED_C = 0, SPEED_LIMIT = 1 };

static const struct field SPEED_FIELD[] = {
    {"damping", FIELD_SCALAR, "Q.s/q", 0, 0, 0, "gain on speed", SIGN_NOT_NEGATIVE},
    {"limit", FIELD_SCALAR, "Q", "1e30", 0, 0, "largest force", SIGN_NOT_NEGATIVE},
};

static void speed_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p, rate = in->coordinate->qd;
    double F = p[SPEED_C] * (in->command - rate);
    double limited = fmax(-p[SPEED_LIMIT], fmin(p[SPEED_LIMIT], F));
    along(in, out, limited, 0, limited == F ? p[SPEED_C] : 0);
    out->power = limited * rate;
}

const struct force_type ACTUATOR_SPEED = {
    .name = "speed",
    .help = "commanded speed through a servo with limited force",
    .section = FORCE_IN_ACTUATORS,
    .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
    .field = SPEED_FIELD,
    .n_fields = 2,
    .n_values = 1,
    .unit = "Q",
    .command_unit = "q/s",
    .eval = speed_eval};
