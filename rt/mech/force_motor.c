/* DC motor with its current as a state of its own.
 *
 * Problem: L i' + R i + k q' = u, F = k i, |i| <= limit; u given or commanded.
 * Symbols: u voltage, i current, k constant (N m/A = V s/rad), q the joint coordinate.
 * Method: the first-order member of the step's family, i = i* + b1 i' with
 * i* = i_n + (h - b1) i'_n, is solved for the given q':
 *     i = (L i* + b1 (u - k q')) / (L + b1 R),   dF/dq' = -k² b1 / (L + b1 R),
 * so that the motor is a force law with a damper's tangent, and none at the limit. A winding
 * faster than the step, L/R below half of it, would make i swing about its value: it takes
 * its quasi-static form i = (u - k q')/R instead.
 * Energy: L i²/2 is stored, u i - R i² comes in; at the limit the supply gives what the
 * mechanism takes. State: i. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum { M_R = 0, M_L = 1, M_K = 2, M_LIMIT = 3 };

#define MOTOR_FIELDS                                                                     \
    {"resistance", FIELD_SCALAR, "Ohm", 0, 0, 0, "of the winding", SIGN_NOT_NEGATIVE},                      \
        {"inductance", FIELD_SCALAR, "H", "0", 0, 0, "of the winding", SIGN_NOT_NEGATIVE},                  \
        {"constant", FIELD_SCALAR, "Q/A", 0, 0, 0, "force per current, voltage per rate", SIGN_ANY}, \
    {                                                                                      \
        "limit", FIELD_SCALAR, "A", "1e30", 0, 0, "largest current", SIGN_NOT_NEGATIVE     \
    }

static const struct field VOLTAGE_FIELD[] = {MOTOR_FIELDS};
static const struct field MOTOR_FIELD[] = {
    MOTOR_FIELDS,
    {"voltage", FIELD_FUNCTION, "V", 0, 0, 0, "at the terminals, function of t", SIGN_ANY},
};

static const char *motor_check(const double *p, unsigned given, int is_angle)
{
    (void)given, (void)is_angle;
    if (p[M_R] == 0 && p[M_L] == 0)
        return "a winding without resistance and inductance carries any current; give resistance";
    return 0;
}

static void motor_run(const struct force_in *in, struct force_out *out, double u)
{
    const double *p = in->p;
    double R = p[M_R], L = p[M_L], k = p[M_K], rate = in->coordinate->qd, b1 = in->b1;
    double before = in->z_n[0] + (in->h - b1) * in->zd_n[0], drive = u - k * rate;
    double i = in->z_n[0], c = 0;
    int at_once = L == 0 || L < 0.5 * in->h_plan * R;
    if (at_once) {
        i = drive / R;
        c = k * k / R;
    } else if (b1 > 0) {
        i = (L * before + b1 * drive) / (L + b1 * R);
        c = k * k * b1 / (L + b1 * R);
    }
    double limited = fmax(-p[M_LIMIT], fmin(p[M_LIMIT], i)), active = limited == i;
    int held = fabs(limited) >= p[M_LIMIT];
    force_add_row(out, in->coordinate->row, k * limited, in->sc * active * c);
    out->z[0] = limited;
    out->zd[0] = held || at_once ? 0 : (drive - R * limited) / L;
    out->energy = 0.5 * L * limited * limited;
    out->power = held ? k * limited * rate : (u - R * limited) * limited;
    out->value[0] = k * limited;
}

static void motor_eval(const struct force_in *in, struct force_out *out)
{
    motor_run(in, out, force_jet(in, 0).f);
}

static void voltage_eval(const struct force_in *in, struct force_out *out)
{
    motor_run(in, out, in->command);
}

const struct force_type FORCE_MOTOR = {.name = "motor",
                                       .help = "DC motor on a joint, its voltage given",
                                       .section = FORCE_IN_FORCES,
                                       .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                       .field = MOTOR_FIELD,
                                       .n_fields = 5,
                                       .n_states = 1,
                                       .n_values = 1,
                                       .unit = "Q",
                                       .check = motor_check,
                                       .eval = motor_eval};
const struct force_type ACTUATOR_VOLTAGE = {.name = "voltage",
                                            .help = "commanded voltage of a DC motor on a joint",
                                            .section = FORCE_IN_ACTUATORS,
                                            .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                            .field = VOLTAGE_FIELD,
                                            .n_fields = 4,
                                            .n_states = 1,
                                            .n_values = 1,
                                            .unit = "Q",
                                            .command_unit = "V",
                                            .check = motor_check,
                                            .eval = voltage_eval};
