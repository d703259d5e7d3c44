/* Contact of a sphere or a wheel with the ground plane.
 *
 * Normal force: Hunt-Crossley (HC) N = k d (1 + c d'), d the depth, never pulling; no jump
 * at closing. Choose k so that a contact lasts at least 10 steps, n_c = pi sqrt(m/k)/h.
 * Friction: bristle.h in the plane, limit mu N. A wheel touches with the lowest point of its
 * rim at every inclination (rim.h).
 * The solver redoes the step in which a contact opens (soften_opening in step.c), else the
 * trapezoidal rule pushes on after the end of contact and creates energy. */
#include "rt/mech/bristle.h"
#include "rt/mech/force_types.h"
#include "rt/mech/rim.h"

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

/* States of friction: deflection along two axes of the plane, what was found. */
enum { CONTACT_STATES = 3 };

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
        "speed", FIELD_SCALAR, "m/s", "1e-3", 0, 0, "without effect: friction sticks, see text",    \
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

static void forget(struct force_out *out)
{
    for (int i = 0; i < CONTACT_STATES; i++) out->z[i] = out->zd[i] = 0;
}

/* Friction at a point that slides with vt, up to `limit`; t1, t2 span the plane. The deflection
 * follows the sliding by the rule, z = z_n + (h - b1) v_n + b1 v. */
static void contact_friction(const struct force_in *in, struct force_out *out, vec3 P, vec3 vt,
                             double limit)
{
    vec3 n = vec_load(in->p + C_NORMAL), t1 = vec_perp(n), t2 = vec_cross(n, t1);
    double k = in->stick_k, c = in->stick_c, v[2] = {vec_dot(vt, t1), vec_dot(vt, t2)};
    double z[2], f[2], turned = 0;
    if (!(limit > 0) || !(k > 0)) {
        forget(out);
        return;
    }
    vec3 r = P - in->b->x, at = vec_zero();
    int rests = in->starting == FORCE_HOLDS && bristle_rests(c, vec_norm(vt), limit);
    if (rests)
        at = in->b->dv + vec_cross(in->b->dw, r) + vec_cross(in->b->w, vec_cross(in->b->w, r));
    for (int i = 0; i < 2; i++) {
        z[i] = in->z_n[i];
        if (in->b1 > 0) z[i] += (in->h - in->b1) * in->zd_n[i] + in->b1 * v[i];
        if (in->starting == FORCE_BEGINS) z[i] = bristle_begin(k, c, v[i]);
        if (rests) z[i] = bristle_hold(k, c, z[i], vec_dot(at, i ? t2 : t1));
        f[i] = k * z[i] + c * v[i];
        turned += f[i] * out->z[i];
    }
    double size = sqrt(f[0] * f[0] + f[1] * f[1]), length = sqrt(z[0] * z[0] + z[1] * z[1]);
    struct bristle b = bristle_answer(size, limit, (int)out->z[2], turned < 0);
    double fit = bristle_fit(length, k, limit), weight = in->sc * (k * in->b1 + c);
    vec3 along = size > 0 ? (t1 * vec_splat(f[0]) + t2 * vec_splat(f[1])) * vec_splat(1 / size)
                          : t1;
    vec3 F = along * vec_splat(-b.share * size);
    for (int i = 0; i < 2; i++) out->z[i] = fit * z[i], out->zd[i] = v[i];
    out->z[2] = b.found, out->zd[2] = 0;
    out->f = six_add(out->f, six_wrench_at(F, vec_zero(), P - in->o));
    mat6_rank1(&out->P, weight * b.along, six_wrench_at(along, vec_zero(), P - in->o));
    mat6_rank1(&out->P, weight * b.across,
               six_wrench_at(vec_cross(n, along), vec_zero(), P - in->o));
    out->power += vec_dot(F, vt);
    vec_store(out->value, vec_load(out->value) + F);
}

/* Normal and friction at the point P = centre + arm, depth d. */
static void contact_at(const struct force_in *in, struct force_out *out, vec3 centre, vec3 arm,
                       double depth)
{
    const double *p = in->p;
    out->depth = depth;
    if (!(depth > 0)) {
        forget(out);
        return;
    }
    vec3 n = vec_load(p + C_NORMAL), P = centre + arm;
    vec3 v = kin_velocity(in->b, P - in->b->x), vt = v - n * vec_splat(vec_dot(n, v));
    double rate = -vec_dot(n, v), k = p[C_K];
    double N = k * depth * (1 + p[C_C] * rate);
    out->energy = 0.5 * k * depth * depth;
    out->power = (N > 0 ? N - k * depth : -k * depth) * -rate;
    if (N <= 0) {
        forget(out);
        return;
    }
    out->closed = 1;
    force_add_row(out, six_wrench_at(n, vec_zero(), P - in->o), N,
                  in->s * N / depth + in->sc * k * depth * p[C_C]);
    vec_store(out->value, n * vec_splat(N));
    contact_friction(in, out, P, vt, p[C_MU] * N);
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
    vec3 c = in->b->x + kin_arm(in->b, p + C_AT);
    struct rim rim = rim_below(n, z);
    double depth = rim.reach * p[C_RADIUS] - vec_dot(n, c - vec_load(p + C_PLANE));
    contact_at(in, out, c, rim.down * vec_splat(p[C_RADIUS]), depth);
}

static void sphere_touch(const struct force_in *in, struct force_touch *t)
{
    t->n = vec_load(in->p + C_NORMAL);
    t->centre = in->b->x + kin_arm(in->b, in->p + C_AT);
    t->point = t->centre - t->n * vec_splat(in->p[C_RADIUS]);
}

static void wheel_touch(const struct force_in *in, struct force_touch *t)
{
    struct rim rim = rim_below(vec_load(in->p + C_NORMAL), kin_arm(in->b, in->p + C_AXLE));
    t->n = vec_load(in->p + C_NORMAL);
    t->centre = in->b->x + kin_arm(in->b, in->p + C_AT);
    t->point = t->centre + rim.down * vec_splat(in->p[C_RADIUS]);
}

const struct force_type FORCE_SPHERE_CONTACT = {.name = "sphere-contact",
                                                .help = "a sphere on the ground plane",
                                                .section = FORCE_IN_FORCES,
                                                .refs = REF_BODY,
                                                .field = SPHERE_FIELD,
                                                .n_fields = 8,
                                                .n_states = CONTACT_STATES,
                                                .sticks = 1,
                                                .n_values = 3,
                                                .unit = "N",
                                                .can_open = 1,
                                                .start = contact_start,
                                                .touch = sphere_touch,
                                                .eval = sphere_eval};
const struct force_type FORCE_WHEEL_CONTACT = {.name = "wheel-contact",
                                               .help = "a thin wheel on the ground plane",
                                               .section = FORCE_IN_FORCES,
                                               .refs = REF_BODY,
                                               .field = WHEEL_FIELD,
                                               .n_fields = 9,
                                               .n_states = CONTACT_STATES,
                                               .sticks = 1,
                                               .n_values = 3,
                                               .unit = "N",
                                               .can_open = 1,
                                               .start = contact_start,
                                               .touch = wheel_touch,
                                               .eval = wheel_eval};
