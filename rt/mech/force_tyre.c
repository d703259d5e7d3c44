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
 * Normal: N = k d (1 + c d'), never pulling. Left out: aligning torque, camber thrust, rolling
 * resistance. Source: P = Pacejka, Tyre and Vehicle Dynamics, chapters 3 and 7. */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

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
    Y_SPAN = 24
};

static const struct field TYRE_FIELD[] = {
    {"at", FIELD_POINT, "m", "nan", 1, 0, "centre, world place at the start; default: mass centre"},
    {"axle", FIELD_DIRECTION, "", 0, 1, 0, "direction of the axle, to the left"},
    {"radius", FIELD_SCALAR, "m", 0, 0, 0, "without load"},
    {"plane", FIELD_POINT, "m", "0", REF_WORLD, 0, "a point of the ground plane"},
    {"normal", FIELD_DIRECTION, "", "0, 0, 1", REF_WORLD, 0, "normal of the ground plane"},
    {"stiffness", FIELD_SCALAR, "N/m", 0, 0, 0, "normal force per depth"},
    {"damping", FIELD_SCALAR, "s/m", "0", 0, 0, "N = k d (1 + damping d')"},
    {"friction", FIELD_SCALAR, "", "1", 0, 0, "coefficient of friction"},
    {"driving", FIELD_SCALAR, "", "20", 0, 0, "force per longitudinal slip and load"},
    {"cornering", FIELD_SCALAR, "", "15", 0, 0, "force per slip angle and load"},
    {"relaxation", FIELD_SCALAR, "m", "0.3", 0, 0, "way in which the force follows the slip"},
    {"load", FIELD_SCALAR, "N", "3000", 0, 0, "load at which driving and cornering hold"},
    {"fade", FIELD_SCALAR, "", "0", 0, 0, "how much less they are per load above it"},
    {"tread-damping", FIELD_SCALAR, "N.s/m", "3000", 0, 0, "of the tread at rest"},
    {"bump", FIELD_SCALAR, "m", "0", 0, 0, "height of a bump across the way along x"},
    {"bump-from", FIELD_SCALAR, "m", "0", 0, 0, "where it begins"},
    {"bump-length", FIELD_SCALAR, "m", "1", 0, 0, "how long it is"},
};

static void tyre_start(const struct force_in *in, double *p)
{
    (void)in;
    for (int i = 0; i < 3; i++)
        if (isnan(p[Y_AT + i])) p[Y_AT + i] = 0;
}

/* Where the wheel stands: contact frame, depth. */
struct patch {
    vec3 centre, arm, n, t, s;
    double depth;
};

static double bump_height(const double *p, double x)
{
    double part = (x - p[Y_FROM]) / p[Y_SPAN];
    return part > 0 && part < 1 ? 0.5 * p[Y_BUMP] * (1 - cos(2 * M_PI * part)) : 0;
}

/* 0 if the wheel lies flat. */
static int place_patch(const struct force_in *in, struct patch *y)
{
    const double *p = in->p;
    vec3 axle = kin_arm(in->b, p + Y_AXLE);
    y->n = vec_load(p + Y_NORMAL);
    y->centre = in->b->x + kin_arm(in->b, p + Y_AT);
    vec3 down = axle * vec_splat(vec_dot(y->n, axle)) - y->n, t = vec_cross(axle, y->n);
    double size = vec_norm(down);
    if (size < 0.05) return 0;
    vec3 tip = y->centre + down * vec_splat(p[Y_RADIUS] / size);
    double lower = vec_dot(y->n, tip - vec_load(p + Y_PLANE));
    y->depth = bump_height(p, y->centre[0]) - lower;
    y->arm = down * vec_splat((p[Y_RADIUS] - fmax(y->depth, 0)) / size);
    y->t = vec_unit(t);
    y->s = vec_cross(y->n, y->t);
    return 1;
}

/* Deflections, their rates and forces along t and s; the tread's dampers. */
static void tread(const struct force_in *in, struct force_out *out, const struct patch *y, double N,
                  vec3 V, double F[2], double damper[2])
{
    const double *p = in->p;
    double L = p[Y_LENGTH], load = N * fmax(0.1, 1 - p[Y_FADE] * (N / p[Y_LOAD] - 1));
    double C[2] = {p[Y_DRIVE] * load, p[Y_CORNER] * load};
    double slide[2] = {vec_dot(V, y->t), vec_dot(V, y->s)}, z[2], q[2], Q = 0;
    double speed = fabs(vec_dot(kin_velocity(in->b, y->centre - in->b->x), y->t));
    for (int i = 0; i < 2; i++) {
        double before = in->z_n[i] + (in->h - in->b1) * in->z_n[2 + i];
        z[i] = in->b1 > 0 ? (before - in->b1 * slide[i]) / (1 + in->b1 * speed / L) : in->z_n[i];
        q[i] = C[i] * z[i] / L;
    }
    Q = sqrt(q[0] * q[0] + q[1] * q[1]);
    double most = p[Y_MU] * N, r = Q / (3 * most), held = r >= 1;
    double part = held ? 1 / (3 * r) : 1 - r + r * r / 3; /* F/Q */
    double low = p[Y_DAMP] * part * exp(-speed), size = 0; /* damps at rest only */
    for (int i = 0; i < 2; i++) {
        out->z[i] = held ? z[i] / r : z[i];
        out->z[2 + i] = held ? 0 : -slide[i] - speed / L * z[i];
        F[i] = part * q[i] - low * slide[i];
        size += F[i] * F[i];
        damper[i] = part * C[i] / L * in->b1 / (1 + in->b1 * speed / L) + low;
    }
    double cut = size > most * most ? most / sqrt(size) : 1;
    for (int i = 0; i < 2; i++) F[i] *= cut, damper[i] *= cut;
}

static void tyre_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    struct patch y;
    for (int i = 0; i < 4; i++) out->z[i] = 0;
    out->depth = -1;
    if (!place_patch(in, &y)) return;
    out->depth = y.depth;
    if (!(y.depth > 0)) return;
    vec3 P = y.centre + y.arm, V = kin_velocity(in->b, P - in->b->x);
    double k = p[Y_K], rate = -vec_dot(y.n, V), N = k * y.depth * (1 + p[Y_C] * rate), F[2], c[2];
    out->energy = 0.5 * k * y.depth * y.depth;
    out->power = (N > 0 ? N - k * y.depth : -k * y.depth) * -rate;
    if (N <= 0) return;
    out->closed = 1;
    force_add_row(out, six_wrench_at(y.n, vec_zero(), P - in->o), N,
                  in->s * N / y.depth + in->sc * k * y.depth * p[Y_C]);
    tread(in, out, &y, N, V, F, c);
    force_add_row(out, six_wrench_at(y.t, vec_zero(), P - in->o), F[0], in->sc * c[0]);
    force_add_row(out, six_wrench_at(y.s, vec_zero(), P - in->o), F[1], in->sc * c[1]);
    out->power += F[0] * vec_dot(V, y.t) + F[1] * vec_dot(V, y.s);
    vec_store(out->value, vec_make(F[0], F[1], N));
}

const struct force_type FORCE_TYRE = {
    .name = "tyre",
    .help = "a tyre on the ground; its sensor: forward, sideways, load",
    .section = FORCE_IN_FORCES,
    .refs = REF_BODY,
    .field = TYRE_FIELD,
    .n_fields = 17,
    .n_states = 4,
    .n_values = 3,
    .unit = "N",
    .can_open = 1,
    .start = tyre_start,
    .eval = tyre_eval};
