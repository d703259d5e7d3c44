/* Theory. A joint holds translations of P_B along axes of A (dot2 rows), the
 * direction of an axis (dot1 rows) or a distance. Φ, G, γ of the primitives:
 *   dot2      Φ = n·d            w = (n, p x n)       γ = n·b_l
 *   dot1      Φ = u_A·n_B        w = (0, -(u x n))    γ = (w_A-w_B)·((w_A x u) x n + u x (w_B x n))
 *   distance  Φ = (d·d-L²)/(2L)  w = (e, p x e), e = d/L
 * with b_l = w_B x (w_B x s_B) - w_A x (w_A x (s_A+d)) - 2 w_A x d'.
 * A tree joint uses the same facts in the complementary form: S spans the twists that
 * keep every row, and c is the smallest twist at P_B that closes them.
 * Derivatives are checked against finite differences in tests/unit/test_jointkin.c. */
#include "rt/mech/jointkin.h"

#include "rt/rtsafe.h"

void jointkin_place(struct jointkin *k, const struct plan_joint *j, const struct kin *a,
                    const struct kin *b, vec3 o, struct jet length)
{
    const struct joint_type *t = j->type;
    k->j = j;
    k->sa = mat3_mul(&a->R, j->point[0]);
    k->sb = mat3_mul(&b->R, j->point[1]);
    vec3 pb = b->x + k->sb;
    k->p = pb - o;
    k->d = pb - (a->x + k->sa);
    k->za = mat3_mul(&a->R, j->frame[0].c[2]);
    k->zb = mat3_mul(&b->R, j->frame[1].c[2]);
    int plain = t->hold == 7 && (t->rotation == ROTATION_ALIGN || t->rotation == ROTATION_FREE);
    if (!plain) {
        k->xa = mat3_mul(&a->R, j->frame[0].c[0]);
        k->ya = mat3_mul(&a->R, j->frame[0].c[1]);
        k->xb = mat3_mul(&b->R, j->frame[1].c[0]);
        k->yb = mat3_mul(&b->R, j->frame[1].c[1]);
    }
    k->length = length.f;
    k->length_d1 = length.d1;
    k->length_d2 = length.d2;
}

/* The frames a cut or a coordinate needs and a plain tree joint does not. */
static void full_frames(struct jointkin *k, const struct kin *a, const struct kin *b)
{
    const struct plan_joint *j = k->j;
    k->xa = mat3_mul(&a->R, j->frame[0].c[0]);
    k->ya = mat3_mul(&a->R, j->frame[0].c[1]);
    k->xb = mat3_mul(&b->R, j->frame[1].c[0]);
    k->yb = mat3_mul(&b->R, j->frame[1].c[1]);
}

void jointkin_place_full(struct jointkin *k, const struct plan_joint *j, const struct kin *a,
                         const struct kin *b, vec3 o, struct jet length)
{
    jointkin_place(k, j, a, b, o, length);
    full_frames(k, a, b);
}

static struct six translation(vec3 n) { return (struct six){n, vec_zero()}; }

static struct six turn(const struct jointkin *k, vec3 u)
{
    return (struct six){vec_cross(k->p, u), u};
}

/* Translations that are not held, then rotations that are not held. */
void jointkin_free(const struct jointkin *k, struct six *S)
{
    const struct joint_type *t = k->j->type;
    int n = 0;
    if (t->special == JOINT_DISTANCE) {
        vec3 e = vec_unit(k->d), u = vec_perp(e);
        S[n++] = translation(u);
        S[n++] = translation(vec_cross(e, u));
    } else if (t->special == JOINT_SCREW) {
        struct six s = turn(k, k->za);
        s.l += k->za * vec_splat(k->j->lead);
        S[0] = s;
        return;
    } else {
        if (!(t->hold & 1)) S[n++] = translation(k->xa);
        if (!(t->hold & 2)) S[n++] = translation(k->ya);
        if (!(t->hold & 4)) S[n++] = translation(k->za);
    }
    switch (t->rotation) {
    case ROTATION_FREE:
        S[n++] = turn(k, vec_make(1, 0, 0));
        S[n++] = turn(k, vec_make(0, 1, 0));
        S[n++] = turn(k, vec_make(0, 0, 1));
        break;
    case ROTATION_ALIGN:
        S[n++] = turn(k, k->za);
        break;
    case ROTATION_CROSS:
        S[n++] = turn(k, k->za);
        S[n++] = turn(k, k->xb);
        break;
    case ROTATION_ALL:
        break;
    }
}

int jointkin_column(const struct joint_type *t, int which)
{
    if (t->special == JOINT_SCREW) return 0;
    switch (t->coordinates) {
    case COORDINATES_ANGLE:
    case COORDINATES_Z:
        return 0;
    case COORDINATES_Z_ANGLE:
    case COORDINATES_X_Y_ANGLE:
    case COORDINATES_CROSS:
        return which;
    default:
        return -1;
    }
}

/* The part of a vector at P_B that lies in held directions. */
static vec3 held(const struct jointkin *k, vec3 v)
{
    unsigned h = k->j->type->hold;
    if (h == 7) return v;
    vec3 r = vec_zero();
    if (h & 1) r += k->xa * vec_splat(vec_dot(k->xa, v));
    if (h & 2) r += k->ya * vec_splat(vec_dot(k->ya, v));
    if (h & 4) r += k->za * vec_splat(vec_dot(k->za, v));
    return r;
}

/* Correction along the row u_A·n_B = 0 when its value is `value`. */
static vec3 cross_close(const struct jointkin *k, double value)
{
    vec3 n = vec_cross(k->za, k->xb);
    return n * vec_splat(value / vec_dot(n, n));
}

static double screw_value(const struct jointkin *k)
{
    return vec_dot(k->za, k->d) - k->j->lead * k->angle;
}

struct six jointkin_close_position(const struct jointkin *k)
{
    const struct joint_type *t = k->j->type;
    vec3 lin, ang = vec_zero();
    if (t->special == JOINT_DISTANCE) {
        double l = k->length;
        double phi = (vec_dot(k->d, k->d) - l * l) / (2 * l);
        lin = k->d * vec_splat(-phi * l / vec_dot(k->d, k->d));
    } else {
        lin = -held(k, k->d);
        if (t->special == JOINT_SCREW) lin -= k->za * vec_splat(screw_value(k));
    }
    switch (t->rotation) {
    case ROTATION_ALIGN:
        ang = vec_cross(k->zb, k->za);
        break;
    case ROTATION_CROSS:
        ang = cross_close(k, vec_dot(k->za, k->xb));
        break;
    case ROTATION_ALL:
        ang = vec_splat(0.5) *
              (vec_cross(k->xb, k->xa) + vec_cross(k->yb, k->ya) + vec_cross(k->zb, k->za));
        break;
    case ROTATION_FREE:
        break;
    }
    return six_twist_at(lin, ang, k->p);
}

static vec3 align_part(const struct jointkin *k, vec3 w)
{
    return w - k->za * vec_splat(vec_dot(k->za, w));
}

/* d' and Om of the header. */
static void relative_rates(const struct jointkin *k, const struct kin *a, const struct kin *b,
                           vec3 *dd, vec3 *om)
{
    *dd = kin_velocity(b, k->sb) - kin_velocity(a, k->sa + k->d);
    *om = b->w - a->w;
}

static vec3 arm_acceleration(const struct kin *b, vec3 s)
{
    return b->dv + vec_cross(b->dw, s) + vec_cross(b->w, vec_cross(b->w, s));
}

/* d'' and Om' of the header. */
static void relative_accelerations(const struct jointkin *k, const struct kin *a,
                                   const struct kin *b, vec3 *ddd, vec3 *omd)
{
    vec3 dd, om;
    relative_rates(k, a, b, &dd, &om);
    *ddd = arm_acceleration(b, k->sb) - arm_acceleration(a, k->sa + k->d) -
           vec_splat(2) * vec_cross(a->w, dd);
    *omd = b->dw - a->dw - vec_cross(a->w, om);
}

static double dot1_gamma(vec3 u, vec3 n, vec3 wa, vec3 wb)
{
    return vec_dot(wa - wb, vec_cross(vec_cross(wa, u), n) + vec_cross(u, vec_cross(wb, n)));
}

static struct six close_rates(const struct jointkin *k, vec3 dd, vec3 om, double cross_value,
                              double distance_value)
{
    const struct joint_type *t = k->j->type;
    vec3 lin, ang = vec_zero();
    if (t->special == JOINT_DISTANCE) {
        lin = k->d * vec_splat(-distance_value * k->length / vec_dot(k->d, k->d));
    } else {
        lin = -held(k, dd);
        if (t->special == JOINT_SCREW)
            lin -= k->za * vec_splat(vec_dot(k->za, dd) - k->j->lead * vec_dot(k->za, om));
    }
    if (t->rotation == ROTATION_ALIGN) ang = -align_part(k, om);
    if (t->rotation == ROTATION_ALL) ang = -om;
    if (t->rotation == ROTATION_CROSS) ang = cross_close(k, cross_value);
    return six_twist_at(lin, ang, k->p);
}

static double distance_velocity(const struct jointkin *k, vec3 dd)
{
    return (vec_dot(k->d, dd)) / k->length -
           k->length_d1 * (vec_dot(k->d, k->d) / (k->length * k->length) + 1) / 2;
}

struct six jointkin_close_velocity(const struct jointkin *k, const struct kin *a,
                                   const struct kin *b)
{
    vec3 dd, om;
    relative_rates(k, a, b, &dd, &om);
    double cross = -vec_dot(vec_cross(k->za, k->xb), om);
    return close_rates(k, dd, om, k->j->type->rotation == ROTATION_CROSS ? cross : 0,
                       k->j->type->special == JOINT_DISTANCE ? distance_velocity(k, dd) : 0);
}

/* Second time derivative of (d·d - L²)/(2L), all terms. */
static double distance_acceleration(const struct jointkin *k, const struct kin *a,
                                    const struct kin *b)
{
    vec3 rel = kin_velocity(b, k->sb) - kin_velocity(a, k->sa);
    vec3 acc = arm_acceleration(b, k->sb) - arm_acceleration(a, k->sa);
    double l = k->length, l1 = k->length_d1, l2 = k->length_d2;
    double g = vec_dot(k->d, k->d), g1 = 2 * vec_dot(k->d, rel);
    double g2 = 2 * (vec_dot(rel, rel) + vec_dot(k->d, acc));
    /* f = g/(2l) - l/2 */
    return g2 / (2 * l) - g1 * l1 / (l * l) - g * l2 / (2 * l * l) + g * l1 * l1 / (l * l * l) -
           l2 / 2;
}

struct six jointkin_close_acceleration(const struct jointkin *k, const struct kin *a,
                                       const struct kin *b)
{
    const struct joint_type *t = k->j->type;
    vec3 ddd, omd;
    relative_accelerations(k, a, b, &ddd, &omd);
    double cross = 0, distance = 0;
    if (t->rotation == ROTATION_CROSS)
        cross = -vec_dot(vec_cross(k->za, k->xb), b->dw - a->dw) +
                dot1_gamma(k->za, k->xb, a->w, b->w);
    if (t->special == JOINT_DISTANCE) distance = distance_acceleration(k, a, b);
    return close_rates(k, ddd, omd, cross, distance);
}

/* The dot1 rows of a rotation kind: u axes of A with n axes of B. */
static int dot1_pairs(const struct jointkin *k, vec3 *u, vec3 *n)
{
    switch (k->j->type->rotation) {
    case ROTATION_ALIGN:
        u[0] = k->za, n[0] = k->yb;
        u[1] = k->za, n[1] = k->xb;
        return 2;
    case ROTATION_ALL:
        u[0] = k->za, n[0] = k->yb;
        u[1] = k->za, n[1] = k->xb;
        u[2] = k->xa, n[2] = k->yb;
        return 3;
    case ROTATION_CROSS:
        u[0] = k->za, n[0] = k->xb;
        return 1;
    default:
        return 0;
    }
}

static int held_axes(const struct jointkin *k, vec3 *n)
{
    unsigned h = k->j->type->hold;
    int m = 0;
    if (h & 1) n[m++] = k->xa;
    if (h & 2) n[m++] = k->ya;
    if (h & 4) n[m++] = k->za;
    return m;
}

void jointkin_rows(const struct jointkin *k, struct six *w, double *phi)
{
    const struct joint_type *t = k->j->type;
    if (t->special == JOINT_DISTANCE) {
        vec3 e = k->d * vec_splat(1 / k->length);
        w[0] = six_wrench_at(e, vec_zero(), k->p);
        phi[0] = (vec_dot(k->d, k->d) - k->length * k->length) / (2 * k->length);
        return;
    }
    vec3 ax[3], u[3], n[3];
    int m = held_axes(k, ax), rot = dot1_pairs(k, u, n);
    for (int i = 0; i < m; i++) {
        w[i] = six_wrench_at(ax[i], vec_zero(), k->p);
        phi[i] = vec_dot(ax[i], k->d);
    }
    for (int i = 0; i < rot; i++) {
        w[m + i] = (struct six){vec_zero(), -vec_cross(u[i], n[i])};
        phi[m + i] = vec_dot(u[i], n[i]);
    }
    if (t->special == JOINT_SCREW) {
        struct six s = six_wrench_at(k->za, vec_zero(), k->p);
        s.a -= k->za * vec_splat(k->j->lead);
        w[m + rot] = s;
        phi[m + rot] = screw_value(k);
    }
}

void jointkin_rows_velocity(const struct jointkin *k, const struct kin *a, const struct kin *b,
                            double *value)
{
    const struct joint_type *t = k->j->type;
    vec3 dd, om, ax[3], u[3], n[3];
    relative_rates(k, a, b, &dd, &om);
    if (t->special == JOINT_DISTANCE) {
        value[0] = distance_velocity(k, dd);
        return;
    }
    int m = held_axes(k, ax), rot = dot1_pairs(k, u, n);
    for (int i = 0; i < m; i++) value[i] = vec_dot(ax[i], dd);
    for (int i = 0; i < rot; i++) value[m + i] = -vec_dot(vec_cross(u[i], n[i]), om);
    if (t->special == JOINT_SCREW)
        value[m + rot] = vec_dot(k->za, dd) - k->j->lead * vec_dot(k->za, om);
}

void jointkin_rows_acceleration(const struct jointkin *k, const struct kin *a, const struct kin *b,
                                double *value)
{
    const struct joint_type *t = k->j->type;
    vec3 ddd, omd, ax[3], u[3], n[3];
    if (t->special == JOINT_DISTANCE) {
        value[0] = distance_acceleration(k, a, b);
        return;
    }
    relative_accelerations(k, a, b, &ddd, &omd);
    int m = held_axes(k, ax), rot = dot1_pairs(k, u, n);
    for (int i = 0; i < m; i++) value[i] = vec_dot(ax[i], ddd);
    for (int i = 0; i < rot; i++)
        value[m + i] = -vec_dot(vec_cross(u[i], n[i]), b->dw - a->dw) +
                       dot1_gamma(u[i], n[i], a->w, b->w);
    if (t->special == JOINT_SCREW)
        value[m + rot] = vec_dot(k->za, ddd) - k->j->lead * vec_dot(k->za, omd);
}

static struct coord angle_about(vec3 u, double s, double c, vec3 wa, vec3 om)
{
    return (struct coord){.q = atan2(s, c),
                          .qd = vec_dot(u, om),
                          .row = {vec_zero(), u},
                          .bias = vec_dot(vec_cross(wa, u), om)};
}

static struct coord length_along(const struct jointkin *k, vec3 n, vec3 dd, vec3 bias)
{
    return (struct coord){.q = vec_dot(n, k->d),
                          .qd = vec_dot(n, dd),
                          .row = six_wrench_at(n, vec_zero(), k->p),
                          .bias = vec_dot(n, bias)};
}

static struct coord distance_coordinate(const struct jointkin *k, const struct kin *a,
                                        const struct kin *b)
{
    double l = vec_norm(k->d);
    vec3 e = k->d * vec_splat(1 / l);
    vec3 rel = kin_velocity(b, k->sb) - kin_velocity(a, k->sa);
    vec3 turn_b = vec_cross(b->w, vec_cross(b->w, k->sb));
    vec3 turn_a = vec_cross(a->w, vec_cross(a->w, k->sa));
    double rate = vec_dot(e, rel);
    return (struct coord){.q = l,
                          .qd = rate,
                          .row = six_wrench_at(e, vec_zero(), k->p),
                          .bias = (vec_dot(rel, rel) - rate * rate) / l +
                                  vec_dot(e, turn_b - turn_a)};
}

/* Second angle of a universal joint, about x of B: z_A and x_B are orthonormal, so
 * its rate is x_B·Om. x_B moves with B. */
static struct coord cross_second(const struct jointkin *k, const struct kin *b, vec3 om)
{
    double s = vec_dot(k->xb, vec_cross(k->za, k->zb));
    return (struct coord){.q = atan2(s, vec_dot(k->za, k->zb)),
                          .qd = vec_dot(k->xb, om),
                          .row = {vec_zero(), k->xb},
                          .bias = vec_dot(vec_cross(b->w, k->xb), om)};
}

struct coord jointkin_coordinate(const struct jointkin *k, const struct kin *a, const struct kin *b,
                                 int which)
{
    const struct joint_type *t = k->j->type;
    vec3 dd, om;
    relative_rates(k, a, b, &dd, &om);
    vec3 bias = vec_cross(b->w, vec_cross(b->w, k->sb)) -
                vec_cross(a->w, vec_cross(a->w, k->sa + k->d)) - vec_splat(2) * vec_cross(a->w, dd);
    double s = vec_dot(k->ya, k->xb), c = vec_dot(k->xa, k->xb);
    switch (t->coordinates) {
    case COORDINATES_Z:
        return length_along(k, k->za, dd, bias);
    case COORDINATES_Z_ANGLE:
        if (which == 0) return length_along(k, k->za, dd, bias);
        return angle_about(k->za, s, c, a->w, om);
    case COORDINATES_X_Y_ANGLE:
        if (which < 2) return length_along(k, which ? k->ya : k->xa, dd, bias);
        return angle_about(k->za, s, c, a->w, om);
    case COORDINATES_CROSS:
        if (which == 0) return angle_about(k->za, s, c, a->w, om);
        return cross_second(k, b, om);
    case COORDINATES_DISTANCE:
        return distance_coordinate(k, a, b);
    default:
        return angle_about(k->za, s, c, a->w, om);
    }
}

double jointkin_unwrap(double raw, double reference)
{
    return raw + 2 * M_PI * round((reference - raw) / (2 * M_PI));
}
