/* A tyre on flat ground with a bump: normal force, and brush forces with relaxation length.
 *
 * Problem: contact point P below the wheel's centre in the wheel's plane, forward t = a x n,
 * sideways s = n x t (a axle, n normal), sliding velocity V of the material point at P, rolling
 * speed |V_x| of the centre. Deflections z = (u, v) of the tread, in m:
 *     z' = -V - |V_x|/L z                                            (P 7.9, 7.11)
 * so that at speed z/L is the slip (tan alpha, kappa) with a lag of L metres, and at rest the
 * tyre is a spring of stiffness C/L that holds the wheel without creep.
 * Force: q = C z/L per direction, Q = |q|, brush with parabolic pressure       (P 3.8)
 *     F = Q - Q²/(3 mu N) + Q³/(27 mu² N²), at most mu N from Q = 3 mu N on; there z is held.
 * Load: C = c N (1 - fade (N/N0 - 1)). At low speed the tread also damps, c_d V.
 * Method: z = (z* - b1 V)/(1 + b1 |V_x|/L), z* = z_n + (h - b1) z'_n, solved for the given motion.
 * Tangent: the secant F/Q of the tread's damper C/L b1/(1 + b1 |V_x|/L), positive.
 * Normal: N = k d (1 + c d'), never pulling. On a bump h(x) the depth follows h at the centre, and
 * the normal force N (n - h' x) passes through the centre: the gradient of k d²/2, so the bump
 * gives back what it takes.
 * P is the lowest point of the rim (rim.h) at every inclination, lifted to the ground along n, so that
 * the normal force is the gradient of k d²/2 however far the wheel is inclined; near upright along the
 * wheel's plane, d sin(camber) beside that, as the tread of a standing tyre gives way; in between
 * from one to the other. From
 * TREAD_FLAT on downwards the wheel lies on its side and does not roll: it has no forward, the
 * deflections stand along fixed axes of the plane, taken over from t and s where it tips over (third
 * state), without relaxation and trail.
 * Aligning torque: the sideways force acts behind the patch's middle by the trail
 *     e (1 - r)³/(1 - r + r²/3), r = Q/(3 mu N), e a third of half the patch's length   (P 3.9)
 * which fades out below walking speed (tanh V_x), where the tread does not roll through it.
 * Left out: camber thrust, rolling resistance. Source: P = Pacejka, Tyre and Vehicle Dynamics, chapters 3 and 7. */
#include "rt/mech/force_types.h"
#include "rt/mech/rim.h"

#include "rt/rtsafe.h"

static const double TREAD_FLAT = 0.05; /* sine of the inclination */
static const double UPRIGHT = 0.97, INCLINED = 0.9; /* square of it: camber 10 and 18 deg */

/* Deflections along t and s, 1 if these are the fixed axes of a wheel on its side. */
enum { TYRE_FLAT = 2, TYRE_STATES };

enum {
    Y_AT = 0,
    Y_AXLE = 3,
    Y_RADIUS = 6,
    Y_PLANE = 7,
    Y_NORMAL = 10,
    Y_K = 13,
    Y_C = 14,
    Y_MU = 15,
    Y_DRIVE = 16,
    Y_CORNER = 17,
    Y_LENGTH = 18,
    Y_LOAD = 19,
    Y_FADE = 20,
    Y_DAMP = 21,
    Y_BUMP = 22,
    Y_FROM = 23,
    Y_SPAN = 24,
    Y_TRAIL = 25
};

static const struct field TYRE_FIELD[] = {
    {"at", FIELD_POINT, "m", "nan", 1, 0, "centre, world place at the start; default: mass centre",
     SIGN_ANY},
    {"axle", FIELD_DIRECTION, "", 0, 1, 0, "direction of the axle, to the left", SIGN_ANY},
    {"radius", FIELD_SCALAR, "m", 0, 0, 0, "without load", SIGN_POSITIVE},
    {"plane", FIELD_POINT, "m", "0", REF_WORLD, 0, "a point of the ground plane", SIGN_ANY},
    {"normal", FIELD_DIRECTION, "", "0, 0, 1", REF_WORLD, 0, "normal of the ground plane",
     SIGN_ANY},
    {"stiffness", FIELD_SCALAR, "N/m", 0, 0, 0, "normal force per depth", SIGN_NOT_NEGATIVE},
    {"damping", FIELD_SCALAR, "s/m", "0", 0, 0, "N = k d (1 + damping d')", SIGN_NOT_NEGATIVE},
    {"friction", FIELD_SCALAR, "", "1", 0, 0, "coefficient of friction", SIGN_NOT_NEGATIVE},
    {"driving", FIELD_SCALAR, "", "20", 0, 0, "force per longitudinal slip and load",
     SIGN_NOT_NEGATIVE},
    {"cornering", FIELD_SCALAR, "", "15", 0, 0, "force per slip angle and load", SIGN_NOT_NEGATIVE},
    {"relaxation", FIELD_SCALAR, "m", "0.3", 0, 0, "way in which the force follows the slip",
     SIGN_POSITIVE},
    {"load", FIELD_SCALAR, "N", "3000", 0, 0, "load at which driving and cornering hold",
     SIGN_POSITIVE},
    {"fade", FIELD_SCALAR, "", "0", 0, 0, "how much less they are per load above it", SIGN_ANY},
    {"tread-damping", FIELD_SCALAR, "N.s/m", "3000", 0, 0, "of the tread at rest",
     SIGN_NOT_NEGATIVE},
    {"bump", FIELD_SCALAR, "m", "0", 0, 0, "height of a bump across the way along x", SIGN_ANY},
    {"bump-from", FIELD_SCALAR, "m", "0", 0, 0, "where it begins", SIGN_ANY},
    {"bump-length", FIELD_SCALAR, "m", "1", 0, 0, "how long it is", SIGN_POSITIVE},
    {"trail", FIELD_SCALAR, "m", "0", 0, 0, "how far behind its middle the sideways force acts",
     SIGN_ANY},
};

static void tyre_start(const struct force_in *in, double *p)
{
    (void)in;
    for (int i = 0; i < 3; i++)
        if (isnan(p[Y_AT + i])) p[Y_AT + i] = 0;
}

/* Where the wheel stands: contact frame, depth. */
struct patch {
    vec3 centre, P, n, t, s;
    double depth;
    double slope; /* of the bump along x */
    double z_n[2], zd_n[2]; /* deflections at step n and their rates, in this frame */
    int flat; /* 1: on its side */
};

static double bump_height(const double *p, double x, double *slope)
{
    double part = (x - p[Y_FROM]) / p[Y_SPAN], turn = 2 * M_PI * part;
    int on = part > 0 && part < 1;
    *slope = on ? p[Y_BUMP] * M_PI / p[Y_SPAN] * sin(turn) : 0;
    return on ? 0.5 * p[Y_BUMP] * (1 - cos(turn)) : 0;
}

/* The axes of the tread, and its deflections at step n along them. */
static void place_axes(const struct force_in *in, vec3 axle, struct patch *y)
{
    vec3 t = vec_cross(axle, y->n), fixed = vec_perp(y->n);
    double size = vec_norm(t);
    y->flat = size < TREAD_FLAT;
    y->t = y->flat ? fixed : vec_unit(t);
    y->s = vec_cross(y->n, y->t);
    for (int i = 0; i < 2; i++) y->z_n[i] = in->z_n[i], y->zd_n[i] = in->zd_n[i];
    if (y->flat == (in->z_n[TYRE_FLAT] > 0.5) || !(size > 0)) return;
    vec3 was_t = y->flat ? vec_unit(t) : fixed, was_s = vec_cross(y->n, was_t);
    vec3 z = was_t * vec_splat(in->z_n[0]) + was_s * vec_splat(in->z_n[1]);
    vec3 zd = was_t * vec_splat(in->zd_n[0]) + was_s * vec_splat(in->zd_n[1]);
    for (int i = 0; i < 2; i++) {
        y->z_n[i] = vec_dot(z, i ? y->s : y->t);
        y->zd_n[i] = vec_dot(zd, i ? y->s : y->t);
    }
}

static void place_patch(const struct force_in *in, struct patch *y)
{
    const double *p = in->p;
    vec3 axle = kin_arm(in->b, p + Y_AXLE);
    y->n = vec_load(p + Y_NORMAL);
    y->centre = in->b->x + kin_arm(in->b, p + Y_AT);
    struct rim rim = rim_below(y->n, axle);
    double above = vec_dot(y->n, y->centre - vec_load(p + Y_PLANE));
    double ground = bump_height(p, y->centre[0], &y->slope);
    double part = (rim.reach * rim.reach - INCLINED) / (UPRIGHT - INCLINED);
    part = fmin(1, fmax(0, part));
    vec3 lift = y->n * vec_splat(1 - part) - rim.down * vec_splat(part);
    y->depth = ground + rim.reach * p[Y_RADIUS] - above;
    y->P = y->centre + rim.down * vec_splat(p[Y_RADIUS]) + lift * vec_splat(y->depth);
    place_axes(in, axle, y);
}

/* What the tread answers: forces along t and s, its dampers, its trail. */
struct tread {
    double F[2], damper[2], trail;
};

static double trail_of(const double *p, double r, double rolling)
{
    double part = r < 1 ? (1 - r) * (1 - r) * (1 - r) / (1 - r + r * r / 3) : 0;
    return p[Y_TRAIL] * part * tanh(rolling);
}

/* Deflections, their rates and forces. */
static void tread(const struct force_in *in, struct force_out *out, const struct patch *y, double N,
                  vec3 V, struct tread *a)
{
    const double *p = in->p;
    double L = p[Y_LENGTH], load = N * fmax(0.1, 1 - p[Y_FADE] * (N / p[Y_LOAD] - 1));
    double C[2] = {p[Y_DRIVE] * load, p[Y_CORNER] * load};
    double slide[2] = {vec_dot(V, y->t), vec_dot(V, y->s)}, z[2], q[2], Q = 0;
    double rolling = y->flat ? 0 : vec_dot(kin_velocity(in->b, y->centre - in->b->x), y->t);
    double speed = fabs(rolling);
    for (int i = 0; i < 2; i++) {
        double before = y->z_n[i] + (in->h - in->b1) * y->zd_n[i];
        z[i] = in->b1 > 0 ? (before - in->b1 * slide[i]) / (1 + in->b1 * speed / L) : y->z_n[i];
        q[i] = C[i] * z[i] / L;
    }
    Q = sqrt(q[0] * q[0] + q[1] * q[1]);
    double most = p[Y_MU] * N, r = most > 0 ? Q / (3 * most) : 1e30;
    int held = r >= 1;
    double part = held ? 1 / (3 * r) : 1 - r + r * r / 3; /* F/Q */
    double low = p[Y_DAMP] * part * exp(-speed), size = 0; /* damps at rest only */
    for (int i = 0; i < 2; i++) {
        out->z[i] = held ? z[i] / r : z[i];
        out->zd[i] = held ? 0 : -slide[i] - speed / L * z[i];
        a->F[i] = part * q[i] - low * slide[i];
        size += a->F[i] * a->F[i];
        a->damper[i] = part * C[i] / L * in->b1 / (1 + in->b1 * speed / L) + low;
    }
    double cut = size > most * most ? most / sqrt(size) : 1;
    for (int i = 0; i < 2; i++) a->F[i] *= cut, a->damper[i] *= cut;
    a->trail = trail_of(p, r, rolling);
}

static void tyre_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    struct patch y;
    for (int i = 0; i < TYRE_STATES; i++) out->z[i] = out->zd[i] = 0;
    place_patch(in, &y);
    out->depth = y.depth;
    out->z[TYRE_FLAT] = y.flat;
    if (!(y.depth > 0)) return;
    vec3 P = y.P, V = kin_velocity(in->b, P - in->b->x);
    vec3 along = vec_make(-y.slope, 0, 0), centre_v = kin_velocity(in->b, y.centre - in->b->x);
    double k = p[Y_K], rate = -vec_dot(y.n, V) - vec_dot(along, centre_v);
    double N = k * y.depth * (1 + p[Y_C] * rate);
    struct tread a;
    out->energy = 0.5 * k * y.depth * y.depth;
    out->power = (N > 0 ? N - k * y.depth : -k * y.depth) * -rate;
    if (N <= 0) return;
    out->closed = 1;
    struct six row = six_add(six_wrench_at(y.n, vec_zero(), P - in->o),
                             six_wrench_at(along, vec_zero(), y.centre - in->o));
    force_add_row(out, row, N, in->s * N / y.depth + in->sc * k * y.depth * p[Y_C]);
    tread(in, out, &y, N, V, &a);
    vec3 aligning = y.n * vec_splat(-a.trail * a.F[1]);
    force_add_row(out, six_wrench_at(y.t, vec_zero(), P - in->o), a.F[0], in->sc * a.damper[0]);
    force_add_row(out, six_wrench_at(y.s, vec_zero(), P - in->o), a.F[1], in->sc * a.damper[1]);
    out->f.a += aligning;
    out->power += a.F[0] * vec_dot(V, y.t) + a.F[1] * vec_dot(V, y.s) + vec_dot(aligning, in->b->w);
    vec_store(out->value, vec_make(a.F[0], a.F[1], N));
}

static void tyre_touch(const struct force_in *in, struct force_touch *t)
{
    struct rim rim = rim_below(vec_load(in->p + Y_NORMAL), kin_arm(in->b, in->p + Y_AXLE));
    t->n = vec_load(in->p + Y_NORMAL);
    t->centre = in->b->x + kin_arm(in->b, in->p + Y_AT);
    t->point = t->centre + rim.down * vec_splat(in->p[Y_RADIUS]);
}

const struct force_type FORCE_TYRE = {
    .name = "tyre",
    .help = "a tyre on the ground; its sensor: forward, sideways, load",
    .section = FORCE_IN_FORCES,
    .refs = REF_BODY,
    .field = TYRE_FIELD,
    .n_fields = 18,
    .n_states = TYRE_STATES,
    .n_values = 3,
    .unit = "N",
    .can_open = 1,
    .start = tyre_start,
    .touch = tyre_touch,
    .eval = tyre_eval};
