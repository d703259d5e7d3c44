/* Combustion engine: the gas force of a four-stroke cylinder, and its starter.
 *
 * Problem: f = (p - p_a) A on the piston, away from the head (VK 54), with p absolute:
 *   expansion   p_i (v/v_min)^-gamma     first half turn of the crank behind `fire`
 *   exhaust     p_a                      second
 *   intake      p_a                      third
 *   compression p_a (v/v_max)^-gamma     fourth
 * (VK 55 takes p_a off twice in compression and expansion.) The stroke is read from the
 * crank's angle, counted over turns, so that a crank swinging back runs the cycle
 * backwards. v = v_min + A (top - q), q the piston's position, growing towards the head.
 * Pressures jump at dead centres only, where the crank does not feel them.
 * Tangent: -df/dq = A² gamma p / v.
 * Source: VK09 eq. 53-55.
 *
 * Starter (VK 53): one torque until a speed is reached, then another until the shaft has
 * made so many turns, then none. Its stage is a state: it changes between steps. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum { G_BORE = 0, G_STROKE, G_RATIO, G_TOP, G_FIRE, G_PI, G_PA, G_GAMMA, G_SHARE };

static const struct field GAS_FIELD[] = {
    {"bore", FIELD_SCALAR, "m", 0, 0, 0, "diameter of the piston", SIGN_POSITIVE},
    {"stroke", FIELD_SCALAR, "m", 0, 0, 0, "travel of the piston", SIGN_POSITIVE},
    {"ratio", FIELD_SCALAR, "", 0, 0, 0, "largest to smallest volume", SIGN_ABOVE_ONE},
    {"top", FIELD_SCALAR, "m", "0", 0, 0,
     "coordinate at top dead centre; it grows towards the head", SIGN_ANY},
    {"fire", FIELD_SCALAR, "rad", "0", 0, 0, "angle of the phase joint at which expansion begins",
     SIGN_ANY},
    {"ignition", FIELD_SCALAR, "Pa", 0, 0, 0, "absolute pressure at which expansion begins",
     SIGN_POSITIVE},
    {"ambient", FIELD_SCALAR, "Pa", "101325", 0, 0, "absolute pressure outside", SIGN_NOT_NEGATIVE},
    {"exponent", FIELD_SCALAR, "", "1.4", 0, 0, "of the polytropic strokes", SIGN_NOT_NEGATIVE},
    {"share", FIELD_SCALAR, "", "1", 0, 0, "part of the force that acts; 0: a cylinder shut off",
     SIGN_ANY},
};

/* Pressure and its fall with volume over p, for the stroke at this angle. */
static double gas_pressure(const double *p, double angle, double v, double v_min, int *works)
{
    double turn = fmod(angle - p[G_FIRE], 4 * M_PI);
    if (turn < 0) turn += 4 * M_PI;
    *works = turn < M_PI || turn >= 3 * M_PI;
    if (turn < M_PI) return p[G_PI] * pow(v / v_min, -p[G_GAMMA]);
    if (turn < 3 * M_PI) return p[G_PA];
    return p[G_PA] * pow(v / (v_min * p[G_RATIO]), -p[G_GAMMA]);
}

static void gas_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    double area = 0.25 * M_PI * p[G_BORE] * p[G_BORE];
    double v_min = area * p[G_STROKE] / (p[G_RATIO] - 1);
    double v = fmax(v_min + area * (p[G_TOP] - in->coordinate->q), 0.5 * v_min);
    int works;
    double pressure = gas_pressure(p, in->phase->q, v, v_min, &works);
    double F = -p[G_SHARE] * (pressure - p[G_PA]) * area;
    double k = works ? p[G_SHARE] * area * area * p[G_GAMMA] * pressure / v : 0;
    force_add_row(out, in->coordinate->row, F, in->s * k);
    out->power = F * in->coordinate->qd;
    out->value[0] = F;
}

const struct force_type FORCE_GAS = {.name = "gas",
                                     .help = "gas force of a four-stroke cylinder on its piston",
                                     .section = FORCE_IN_FORCES,
                                     .refs = REF_JOINT | REF_LENGTH | REF_PHASE,
                                     .field = GAS_FIELD,
                                     .n_fields = 9,
                                     .n_values = 1,
                                     .unit = "N",
                                     .eval = gas_eval};

enum { S_FIRST = 0, S_SECOND = 1, S_SPEED = 2, S_ANGLE = 3 };

static const struct field STARTER_FIELD[] = {
    {"torque", FIELD_SCALAR, "N.m", 0, 0, 0, "until `speed` is reached", SIGN_ANY},
    {"then", FIELD_SCALAR, "N.m", "0", 0, 0, "from then on until `angle` is reached", SIGN_ANY},
    {"speed", FIELD_SCALAR, "rad/s", 0, 0, 0, "of the joint", SIGN_POSITIVE},
    {"angle", FIELD_SCALAR, "rad", 0, 0, 0, "of the joint, at which the starter lets go", SIGN_ANY},
};

static void starter_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    const struct coord *c = in->coordinate;
    double stage = in->z_n[0], F = stage == 0 ? p[S_FIRST] : stage == 1 ? p[S_SECOND] : 0;
    force_add_row(out, c->row, F, 0);
    out->power = F * c->qd;
    out->value[0] = F;
    out->z[0] = fabs(c->q) >= p[S_ANGLE] ? 2 : fmax(stage, fabs(c->qd) >= p[S_SPEED]);
}

const struct force_type FORCE_STARTER = {.name = "starter",
                                         .help = "starter motor: two torques, then none",
                                         .section = FORCE_IN_FORCES,
                                         .refs = REF_JOINT | REF_ANGLE,
                                         .field = STARTER_FIELD,
                                         .n_fields = 4,
                                         .n_states = 1,
                                         .n_values = 1,
                                         .unit = "N.m",
                                         .eval = starter_eval};
