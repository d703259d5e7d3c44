/* Friction and brakes on a joint coordinate q.
 *
 * Friction: F = -c q' - d |q'| q' - f, with f the dry part of bristle.h, limit
 * constant + mu r (load); load: size of the joint's reaction force across its free directions,
 * r the radius where q is an angle. Brake: dry friction alone, limit share |command|.
 * The deflection follows the coordinate itself, z = z_n + (q - q_n), so a joint that holds
 * does not creep by rounding or by what projections change. States: z, what was found. */
#include "rt/mech/bristle.h"
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum { FR_VISCOUS = 0, FR_CONSTANT, FR_MU, FR_RADIUS, FR_SPEED, FR_SQUARE, FR_FIELDS };

static const struct field FRICTION_FIELD[] = {
    {"viscous", FIELD_SCALAR, "Q.s/q", "0", 0, 0, "force per rate", SIGN_NOT_NEGATIVE},
    {"constant", FIELD_SCALAR, "Q", "0", 0, 0, "dry friction that does not depend on load",
     SIGN_NOT_NEGATIVE},
    {"coefficient", FIELD_SCALAR, "", "0", 0, 0,
     "dry friction per size of the joint's force across its free directions", SIGN_NOT_NEGATIVE},
    {"radius", FIELD_SCALAR, "m", "nan", 0, 0,
     "bearing radius; an angle with `coefficient` needs it, a length takes none", SIGN_POSITIVE},
    {"speed", FIELD_SCALAR, "q/s", "1e-3", 0, 0, "without effect: friction sticks, see text",
     SIGN_POSITIVE},
    {"square", FIELD_SCALAR, "Q.s2/q2", "0", 0, 0, "force per rate squared", SIGN_NOT_NEGATIVE},
};

static const char *friction_check(const double *p, unsigned given, int is_angle)
{
    int by_load = (given >> FR_MU & 1) != 0, radius = (given >> FR_RADIUS & 1) != 0;
    (void)p;
    if (is_angle == 1 && by_load && !radius)
        return "coefficient of a joint that turns needs radius, that of its bearing in m";
    if (is_angle == 0 && radius)
        return "radius is for joints that turn; this one slides: leave it out";
    return 0;
}

static void friction_start(const struct force_in *in, double *p)
{
    (void)in;
    if (isnan(p[FR_RADIUS])) p[FR_RADIUS] = 1; /* a length, or an angle without coefficient */
}

/* Dry friction up to `limit`: adds to F, to the weight of the row and to the answer. */
static void add_dry(const struct force_in *in, struct force_out *out, double limit, double *F,
                    double *weight)
{
    double k = in->stick_k, c = in->stick_c, rate = in->coordinate->qd;
    double before = out->z[0], z = in->z_n[0] + in->moved;
    if (!(limit > 0) || !(k > 0)) {
        out->z[0] = out->zd[0] = out->zd[1] = 0;
        out->z[1] = BRISTLE_STICKS;
        return;
    }
    if (in->starting == FORCE_BEGINS) z = bristle_begin(k, c, rate);
    if (in->starting == FORCE_HOLDS && bristle_rests(c, rate, limit))
        z = bristle_hold(k, c, z, in->second);
    double f = k * z + c * rate;
    struct bristle b = bristle_answer(fabs(f), limit, (int)out->z[1], f * before < 0);
    out->z[0] = bristle_fit(fabs(z), k, limit) * z;
    out->z[1] = b.found;
    out->zd[0] = b.found == BRISTLE_STICKS ? rate : 0;
    out->zd[1] = 0;
    *F -= b.share * f;
    *weight += b.along * (in->s * k + in->sc * c);
    out->power -= b.share * f * rate;
}

static void answer(const struct force_in *in, struct force_out *out, double F, double weight)
{
    force_add_row(out, in->coordinate->row, F, weight);
    out->value[0] = F;
}

static void friction_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    double rate = in->coordinate->qd, square = p[FR_SQUARE] * fabs(rate);
    double limit = p[FR_CONSTANT] + p[FR_MU] * p[FR_RADIUS] * in->load;
    double F = -(p[FR_VISCOUS] + square) * rate, weight = in->sc * (p[FR_VISCOUS] + 2 * square);
    out->power = F * rate;
    add_dry(in, out, limit, &F, &weight);
    answer(in, out, F, weight);
}

const struct force_type FORCE_FRICTION = {.name = "friction",
                                          .help = "viscous and dry friction in a joint",
                                          .section = FORCE_IN_FORCES,
                                          .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                          .field = FRICTION_FIELD,
                                          .n_fields = FR_FIELDS,
                                          .n_states = 2,
                                          .follows = 1,
                                          .sticks = 1,
                                          .load_number = FR_MU,
                                          .n_values = 1,
                                          .unit = "Q",
                                          .check = friction_check,
                                          .start = friction_start,
                                          .eval = friction_eval};

enum { BR_SHARE = 0, BR_SPEED = 1 };

static const struct field BRAKE_FIELD[] = {
    {"share", FIELD_SCALAR, "", "1", 0, 0, "friction per command", SIGN_NOT_NEGATIVE},
    {"speed", FIELD_SCALAR, "q/s", "1e-2", 0, 0, "without effect: a brake holds, see text",
     SIGN_POSITIVE},
};

static void brake_eval(const struct force_in *in, struct force_out *out)
{
    double F = 0, weight = 0;
    add_dry(in, out, in->p[BR_SHARE] * fabs(in->command), &F, &weight);
    answer(in, out, F, weight);
}

const struct force_type FORCE_BRAKE = {.name = "brake",
                                       .help = "a brake on a joint that follows an actuator",
                                       .section = FORCE_IN_FORCES,
                                       .refs = REF_JOINT | REF_ANGLE | REF_LENGTH | REF_FOLLOWS,
                                       .field = BRAKE_FIELD,
                                       .n_fields = 2,
                                       .n_states = 2,
                                       .follows = 1,
                                       .sticks = 1,
                                       .n_values = 1,
                                       .unit = "Q",
                                       .eval = brake_eval};
const struct force_type ACTUATOR_BRAKE = {.name = "brake",
                                          .help = "commanded brake on a joint",
                                          .section = FORCE_IN_ACTUATORS,
                                          .refs = REF_JOINT | REF_ANGLE | REF_LENGTH,
                                          .field = BRAKE_FIELD,
                                          .n_fields = 2,
                                          .n_states = 2,
                                          .follows = 1,
                                          .sticks = 1,
                                          .n_values = 1,
                                          .unit = "Q",
                                          .command_unit = "Q",
                                          .eval = brake_eval};
