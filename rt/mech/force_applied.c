/* Given forces and torques on a body: constants, functions of time, actuators.
 *
 * A force at a point that turns with the body has no stiffness in the tangent: the
 * loads are not conservative and their tangent is not symmetric; Newton converges
 * without it at the steps used here. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

static vec3 value_of(const struct force_in *in)
{
    double f[3];
    for (int i = 0; i < 3; i++) f[i] = force_jet(in, i).f;
    return vec_load(f);
}

static void answer(struct force_out *out, vec3 f) { vec_store(out->value, f); }

enum { FORCE_AT = 0, FORCE_FRAME = 3 };

static const struct field FORCE_FIELD[] = {
    {"at", FIELD_POINT, "m", "nan", 1, 0,
     "point of attack, world place at the start; default: mass centre", SIGN_ANY},
    {"frame", FIELD_CHOICE, "", "world", 0, "world body", "axes the value is given in", SIGN_ANY},
    {"value", FIELD_FUNCTION3, "N", 0, 0, 0, "force on the body, functions of t", SIGN_ANY},
};

static void force_at_start(const struct force_in *in, double *p)
{
    (void)in;
    for (int i = 0; i < 3; i++)
        if (isnan(p[FORCE_AT + i])) p[FORCE_AT + i] = 0;
}

static void force_eval(const struct force_in *in, struct force_out *out)
{
    vec3 s = kin_arm(in->b, in->p + FORCE_AT), f = value_of(in);
    if (in->p[FORCE_FRAME] > 0) f = mat3_mul(&in->b->R, f);
    out->f = six_wrench_at(f, vec_zero(), in->b->x + s - in->o);
    out->power = vec_dot(f, kin_velocity(in->b, s));
    answer(out, f);
}

const struct force_type FORCE_FORCE = {.name = "force",
                                       .help = "given force on a body",
                                       .section = FORCE_IN_FORCES,
                                       .refs = REF_BODY,
                                       .field = FORCE_FIELD,
                                       .n_fields = 3,
                                       .n_values = 3,
                                       .unit = "N",
                                       .start = force_at_start,
                                       .eval = force_eval};

enum { TORQUE_FRAME = 0 };

static const struct field TORQUE_FIELD[] = {
    {"frame", FIELD_CHOICE, "", "world", 0, "world body", "axes the value is given in", SIGN_ANY},
    {"value", FIELD_FUNCTION3, "N.m", 0, 0, 0, "torque on the body, functions of t", SIGN_ANY},
};

static void torque_eval(const struct force_in *in, struct force_out *out)
{
    vec3 m = value_of(in);
    if (in->p[TORQUE_FRAME] > 0) m = mat3_mul(&in->b->R, m);
    out->f = (struct six){vec_zero(), m};
    out->power = vec_dot(m, in->b->w);
    answer(out, m);
}

const struct force_type FORCE_TORQUE = {.name = "torque",
                                        .help = "given torque on a body",
                                        .section = FORCE_IN_FORCES,
                                        .refs = REF_BODY,
                                        .field = TORQUE_FIELD,
                                        .n_fields = 2,
                                        .n_values = 3,
                                        .unit = "N.m",
                                        .eval = torque_eval};

enum { BODY_FORCE_AT = 0, BODY_FORCE_DIRECTION = 3 };

static const struct field BODY_FORCE_FIELD[] = {
    {"at", FIELD_POINT, "m", "nan", 1, 0, "point of attack; default: mass centre", SIGN_ANY},
    {"direction", FIELD_DIRECTION, "", 0, 1, 0, "direction of the force, fixed in the body",
     SIGN_ANY},
};

static void body_force_eval(const struct force_in *in, struct force_out *out)
{
    vec3 s = kin_arm(in->b, in->p + BODY_FORCE_AT);
    vec3 f = kin_arm(in->b, in->p + BODY_FORCE_DIRECTION) * vec_splat(in->command);
    out->f = six_wrench_at(f, vec_zero(), in->b->x + s - in->o);
    out->power = vec_dot(f, kin_velocity(in->b, s));
    out->value[0] = in->command;
}

const struct force_type ACTUATOR_BODY_FORCE = {.name = "force",
                                               .help = "commanded force on a body",
                                               .section = FORCE_IN_ACTUATORS,
                                               .refs = REF_BODY,
                                               .field = BODY_FORCE_FIELD,
                                               .n_fields = 2,
                                               .n_values = 1,
                                               .unit = "N",
                                               .command_unit = "N",
                                               .start = force_at_start,
                                               .eval = body_force_eval};

static const struct field BODY_TORQUE_FIELD[] = {
    {"direction", FIELD_DIRECTION, "", 0, 1, 0, "axis of the torque, fixed in the body", SIGN_ANY},
};

static void body_torque_eval(const struct force_in *in, struct force_out *out)
{
    vec3 m = kin_arm(in->b, in->p) * vec_splat(in->command);
    out->f = (struct six){vec_zero(), m};
    out->power = vec_dot(m, in->b->w);
    out->value[0] = in->command;
}

const struct force_type ACTUATOR_BODY_TORQUE = {.name = "torque",
                                                .help = "commanded torque on a body",
                                                .section = FORCE_IN_ACTUATORS,
                                                .refs = REF_BODY,
                                                .field = BODY_TORQUE_FIELD,
                                                .n_fields = 1,
                                                .n_values = 1,
                                                .unit = "N.m",
                                                .command_unit = "N.m",
                                                .eval = body_torque_eval};
