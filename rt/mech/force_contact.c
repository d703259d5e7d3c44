/* Contact of a sphere or a wheel with the ground plane.
 *
 * Normal force: Hunt-Crossley (HC) N = k d (1 + c d'), d the depth, never pulling; no jump
 * at closing. Choose k so that a contact lasts at least 10 steps, n_c = pi sqrt(m/k)/h.
 * Friction: F_t = -mu N v_t / sqrt(v_t² + vs²), vs = max(speed, ½ mu N h/m_eff); the
 * tangent is the secant where one step overshoots vs, else the exact symmetric one.
 * The solver redoes the step in which a contact opens (soften_opening in step.c), else the
 * trapezoidal rule pushes on after the end of contact and creates energy. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum {
    C_AT = 0,
    C_RADIUS = 3,
    C_PLANE = 4,
    C_NORMAL = 7,
    C_K = 10,
    C_C = 11,
    C_MU = 12,
    C_SPEED = 13,
    C_AXLE = 14
};

#define CONTACT_FIELDS                                                                           \
    {"at",                                                                                          \
     FIELD_POINT,                                                                                   \
     "m",                                                                                           \
     "nan",                                                                                         \
     1,                                                                                             \
     0,                                                                                             \
     "centre, world place at the start; default: mass centre",                                      \
     SIGN_ANY},                                                                                     \
        {"radius", FIELD_SCALAR, "m", 0, 0, 0, "radius", SIGN_POSITIVE},                                        \
        {"plane", FIELD_POINT, "m", "0", REF_WORLD, 0, "a point of the ground plane", SIGN_ANY},           \
        {"normal", FIELD_DIRECTION, "", "0, 0, 1", REF_WORLD, 0, "normal of the ground plane",      \
         SIGN_ANY},                                                                                 \
        {"stiffness", FIELD_SCALAR, "N/m", 0, 0, 0, "normal force per depth", SIGN_NOT_NEGATIVE},                   \
        {"damping", FIELD_SCALAR, "s/m", "0", 0, 0, "N = k d (1 + damping d')", SIGN_NOT_NEGATIVE},                 \
        {"friction", FIELD_SCALAR, "", "0", 0, 0, "coefficient of friction", SIGN_NOT_NEGATIVE},                    \
    {                                                                                           \
        "speed", FIELD_SCALAR, "m/s", "1e-3", 0, 0, "width of the transition through rest",         \
            SIGN_POSITIVE                                                                           \
    }

static const struct field SPHERE_FIELD[] = {CONTACT_FIELDS};
static const struct field WHEEL_FIELD[] = {
    CONTACT_FIELDS,
    {"axle", FIELD_DIRECTION, "", 0, 1, 0, "direction of the wheel's axle", SIGN_ANY},
};

static void contact_start(const struct force_in *in, double *p)
{
    (void)in;
    for (int i = 0; i < 3; i++)
        if (isnan(p[C_AT + i])) p[C_AT + i] = 0;
}

/* Normal and friction at the point P = centre + arm, depth d. */
static void contact_at(const struct force_in *in, struct force_out *out, vec3 centre, vec3 arm,
                       double depth)
{
    const double *p = in->p;
    out->depth = depth;
    if (!(depth > 0)) return;
    vec3 n = vec_load(p + C_NORMAL), P = centre + arm;
    vec3 v = kin_velocity(in->b, P - in->b->x), vt = v - n * vec_splat(vec_dot(n, v));
    double rate = -vec_dot(n, v), k = p[C_K];
    double N = k * depth * (1 + p[C_C] * rate);
    out->energy = 0.5 * k * depth * depth;
    out->power = (N > 0 ? N - k * depth : -k * depth) * -rate;
    if (N <= 0) return;
    out->closed = 1;
    force_add_row(out, six_wrench_at(n, vec_zero(), P - in->o), N,
                  in->s * N / depth + in->sc * k * depth * p[C_C]);
    double mu_n = p[C_MU] * N, step = mu_n * in->h / in->m_eff, vs = fmax(p[C_SPEED], 0.5 * step);
    double speed2 = vec_dot(vt, vt), root = sqrt(speed2 + vs * vs);
    vec3 ft = vt * vec_splat(-mu_n / root);
    out->f = six_add(out->f, six_wrench_at(ft, vec_zero(), P - in->o));
    double across = mu_n / root, along = step > vs ? across : across * vs * vs / (root * root);
    vec3 t1 = speed2 > 0 ? vec_unit(vt) : vec_perp(n), t2 = vec_cross(n, t1);
    mat6_rank1(&out->P, in->sc * along, six_wrench_at(t1, vec_zero(), P - in->o));
    mat6_rank1(&out->P, in->sc * across, six_wrench_at(t2, vec_zero(), P - in->o));
    out->power += vec_dot(ft, vt);
    vec_store(out->value, n * vec_splat(N) + ft);
}

static void sphere_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    vec3 n = vec_load(p + C_NORMAL), c = in->b->x + kin_arm(in->b, p + C_AT);
    double depth = p[C_RADIUS] - vec_dot(n, c - vec_load(p + C_PLANE));
    contact_at(in, out, c, n * vec_splat(-(p[C_RADIUS] - depth)), depth);
}

static void wheel_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    vec3 n = vec_load(p + C_NORMAL), z = kin_arm(in->b, p + C_AXLE);
    vec3 c = in->b->x + kin_arm(in->b, p + C_AT), down = z * vec_splat(vec_dot(n, z)) - n;
    double size = vec_norm(down);
    if (size < 0.05) { /* lies flat: no lowest point */
        out->depth = -1;
        return;
    }
    vec3 arm = down * vec_splat(p[C_RADIUS] / size);
    double depth = -vec_dot(n, c + arm - vec_load(p + C_PLANE));
    contact_at(in, out, c, arm, depth);
}

const struct force_type FORCE_SPHERE_CONTACT = {.name = "sphere-contact",
                                                .help = "a sphere on the ground plane",
                                                .section = FORCE_IN_FORCES,
                                                .refs = REF_BODY,
                                                .field = SPHERE_FIELD,
                                                .n_fields = 8,
                                                .n_values = 3,
                                                .unit = "N",
                                                .can_open = 1,
                                                .start = contact_start,
                                                .eval = sphere_eval};
const struct force_type FORCE_WHEEL_CONTACT = {.name = "wheel-contact",
                                               .help = "a thin wheel on the ground plane",
                                               .section = FORCE_IN_FORCES,
                                               .refs = REF_BODY,
                                               .field = WHEEL_FIELD,
                                               .n_fields = 9,
                                               .n_values = 3,
                                               .unit = "N",
                                               .can_open = 1,
                                               .start = contact_start,
                                               .eval = wheel_eval};
