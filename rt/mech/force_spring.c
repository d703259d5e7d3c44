/* Springs and dampers between points, and from a point to ground along world axes.
 *
 * Problem: f = k (l - l0) + c l' along the line of the points, l = |P_B - P_A|.
 * Tangent: the positive semi-definite part k g g', c g g' with g the row of the elongation,
 * and what tension adds across it where that is felt. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum { SPRING_FROM = 0, SPRING_TO = 3, SPRING_K = 6, SPRING_C = 7, SPRING_LENGTH = 8 };

static const struct field SPRING_FIELD[] = {
    {"from", FIELD_POINT, "m", 0, 0, 0, "point on the first body, world place at the start",
     SIGN_ANY},
    {"to", FIELD_POINT, "m", 0, 1, 0, "point on the second body, world place at the start",
     SIGN_ANY},
    {"stiffness", FIELD_SCALAR, "N/m", "0", 0, 0, "force per elongation", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "N.s/m", "0", 0, 0, "force per rate of elongation",
     SIGN_NOT_NEGATIVE},
    {"length", FIELD_SCALAR, "m", "nan", 0, 0, "length without force; default: as placed",
     SIGN_NOT_NEGATIVE},
};

/* Tension F holds the points across its line with F/l: of strings it is all there is. Left out
 * where it is not felt beside the mass, s F/l below FELT m, and under pressure, where it
 * would be negative. */
static const double FELT = 0.005;

static void add_across(struct force_out *out, vec3 e, vec3 at, double weight)
{
    vec3 a = vec_perp(e), b = vec_cross(e, a);
    mat6_rank1(&out->P, weight, six_wrench_at(a, vec_zero(), at));
    mat6_rank1(&out->P, weight, six_wrench_at(b, vec_zero(), at));
}

static void spring_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    vec3 sa = kin_arm(in->a, p + SPRING_FROM), sb = kin_arm(in->b, p + SPRING_TO);
    vec3 pb = in->b->x + sb, d = pb - (in->a->x + sa);
    double l = vec_norm(d), k = p[SPRING_K], c = p[SPRING_C];
    vec3 e = l > 0 ? d * (1 / l) : vec_zero();
    vec3 dd = kin_velocity(in->b, sb) - kin_velocity(in->a, sa);
    double rate = vec_dot(e, dd), x = l - p[SPRING_LENGTH], F = k * x + c * rate;
    force_add_row(out, six_wrench_at(e, vec_zero(), pb - in->o), -F, in->s * k + in->sc * c);
    double across = l > 0 && F > 0 ? in->s * F / l : 0;
    if (across > FELT * in->m_eff) add_across(out, e, pb - in->o, across);
    out->energy = 0.5 * k * x * x;
    out->power = -c * rate * rate;
    out->value[0] = F;
}

static void spring_touch(const struct force_in *in, struct force_touch *t)
{
    t->n = vec_zero();
    t->centre = t->point = in->b->x + kin_arm(in->b, in->p + SPRING_TO);
}

static void spring_start(const struct force_in *in, double *p)
{
    vec3 pa = in->a->x + kin_arm(in->a, p + SPRING_FROM);
    vec3 pb = in->b->x + kin_arm(in->b, p + SPRING_TO);
    if (isnan(p[SPRING_LENGTH])) p[SPRING_LENGTH] = vec_norm(pb - pa);
}

const struct force_type FORCE_SPRING_DAMPER = {.name = "spring-damper",
                                               .help = "spring and damper between two points",
                                               .section = FORCE_IN_FORCES,
                                               .refs = REF_BETWEEN,
                                               .field = SPRING_FIELD,
                                               .n_fields = 5,
                                               .n_values = 1,
                                               .unit = "N",
                                               .start = spring_start,
                                               .touch = spring_touch,
                                               .eval = spring_eval};

enum { GROUND_AT = 0, GROUND_TO = 3, GROUND_K = 6, GROUND_C = 9 };

static const struct field GROUND_FIELD[] = {
    {"at", FIELD_POINT, "m", 0, 1, 0, "point on the body, world place at the start", SIGN_ANY},
    {"to", FIELD_POINT, "m", "nan", REF_WORLD, 0,
     "world point without force before offset; default: at", SIGN_ANY},
    {"stiffness", FIELD_TRIPLE, "N/m", "0", 0, 0, "per world axis", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_TRIPLE, "N.s/m", "0", 0, 0, "per world axis", SIGN_NOT_NEGATIVE},
    {"offset", FIELD_FUNCTION3, "m", "0", 0, 0, "motion of the ground point, functions of t",
     SIGN_ANY},
};

static void ground_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    vec3 sb = kin_arm(in->b, p + GROUND_AT), pb = in->b->x + sb, vb = kin_velocity(in->b, sb);
    static const double AXIS[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        double k = p[GROUND_K + i], c = p[GROUND_C + i];
        struct jet off = force_jet(in, i);
        double x = pb[i] - p[GROUND_TO + i] - off.f, rate = vb[i] - off.d1;
        double F = k * x + c * rate;
        struct six w = six_wrench_at(vec_load(AXIS[i]), vec_zero(), pb - in->o);
        force_add_row(out, w, -F, in->s * k + in->sc * c);
        out->energy += 0.5 * k * x * x;
        out->power -= c * rate * rate + F * off.d1;
        out->value[i] = -F;
    }
}

static void ground_start(const struct force_in *in, double *p)
{
    vec3 pb = in->b->x + kin_arm(in->b, p + GROUND_AT);
    for (int i = 0; i < 3; i++)
        if (isnan(p[GROUND_TO + i])) p[GROUND_TO + i] = pb[i];
}

const struct force_type FORCE_GROUND_SPRING = {
    .name = "ground-spring",
    .help = "springs and dampers from a point to ground, per world axis",
    .section = FORCE_IN_FORCES,
    .refs = REF_BODY,
    .field = GROUND_FIELD,
    .n_fields = 5,
    .n_values = 3,
    .unit = "N",
    .start = ground_start,
    .eval = ground_eval};
