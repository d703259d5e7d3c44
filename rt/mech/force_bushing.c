/* Bushing: six springs and dampers between two frames, energy-consistent at large
 * rotations.
 *
 * Symbols: u = (F_A' d, phi), phi = log(F_A' F_B) in A's axes, Q = K u + C u'.
 * phi' = J_l^-1(phi) Om with Om the relative angular velocity in A's axes, so the
 * torque that does the work of Q is J_l^-T Q = Q + ½ phi x Q + c phi x (phi x Q),
 * c = (1 - (phi/2) cot(phi/2))/phi². (Torque K phi alone loses energy.)
 * Translation acts along A's axes at P_B, as dot2 rows do.
 * Breaks when |phi| nears pi, where log is not unique: the torque changes sign. `sim` warns from 3 rad
 * on (services/sim/strain.h). */
#include "rt/mech/force_types.h"

#include "rt/rtsafe.h"

enum { B_AT = 0, B_AT_B = 3, B_AXES = 6, B_AXES_B = 15, B_K = 24, B_C = 60 };

static const struct field BUSHING_FIELD[] = {
    {"at", FIELD_POINT, "m", 0, 0, 0, "place of the bushing at the start", SIGN_ANY},
    {"at-b", FIELD_POINT, "m", "nan", 1, 0, "point of the second body; default: at", SIGN_ANY},
    {"axes", FIELD_FRAME, "", "", 0, 0, "axes of stiffness on the first body; default: world axes",
     SIGN_ANY},
    {"axes-b", FIELD_FRAME, "", "", 1, 0,
     "axes on the second body without torque, up to 3 rad from the first's; default: world axes",
     SIGN_ANY},
    {"stiffness", FIELD_MATRIX6, "N/m", 0, 0, 0, "x y z, then turns about them (N.m/rad)",
     SIGN_ANY},
    {"damping", FIELD_MATRIX6, "N.s/m", "0", 0, 0, "likewise (N.m.s/rad)", SIGN_ANY},
};

static void bushing_start(const struct force_in *in, double *p)
{
    if (!isnan(p[B_AT_B])) return;
    vec3 pa = in->a->x + kin_arm(in->a, p + B_AT);
    vec_store(p + B_AT_B, mat3_tmul(&in->b->R, pa - in->b->x));
}

/* Rotation vector of F_A' F_B in A's axes. */
static vec3 relative_rotation(const struct mat3 *fa, const struct mat3 *fb)
{
    struct mat3 r;
    for (int j = 0; j < 3; j++) r.c[j] = mat3_tmul(fa, fb->c[j]);
    vec3 s = vec_splat(0.5) *
             vec_make(r.c[1][2] - r.c[2][1], r.c[2][0] - r.c[0][2], r.c[0][1] - r.c[1][0]);
    double c = 0.5 * (r.c[0][0] + r.c[1][1] + r.c[2][2] - 1), n = vec_norm(s);
    double angle = atan2(n, c);
    return s * vec_splat(n > 1e-9 ? angle / n : 1);
}

static double c_of(double angle)
{
    if (angle < 1e-2) return 1. / 12 + angle * angle / 720;
    return (1 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle);
}

/* Rows of u: u' = w_i . (twist_B - twist_A). */
static void bushing_rows(const struct mat3 *fa, vec3 phi, vec3 p, struct six *w)
{
    double c = c_of(vec_norm(phi));
    for (int i = 0; i < 3; i++) {
        vec3 e = vec_make(i == 0, i == 1, i == 2);
        vec3 pe = vec_cross(phi, e);
        vec3 g = e + vec_splat(0.5) * pe + vec_splat(c) * vec_cross(phi, pe);
        w[i] = six_wrench_at(fa->c[i], vec_zero(), p);
        w[3 + i] = (struct six){vec_zero(), mat3_mul(fa, g)};
    }
}

static struct mat3 frame_of(const struct kin *k, const double *axes)
{
    struct mat3 local = mat3_load(axes), f;
    for (int j = 0; j < 3; j++) f.c[j] = mat3_mul(&k->R, local.c[j]);
    return f;
}

static void bushing_eval(const struct force_in *in, struct force_out *out)
{
    const double *p = in->p;
    struct mat3 fa = frame_of(in->a, p + B_AXES), fb = frame_of(in->b, p + B_AXES_B);
    vec3 sa = kin_arm(in->a, p + B_AT), sb = kin_arm(in->b, p + B_AT_B);
    vec3 pb = in->b->x + sb, d = pb - in->a->x - sa, phi = relative_rotation(&fa, &fb);
    vec3 dd = kin_velocity(in->b, sb) - kin_velocity(in->a, sa + d), om = in->b->w - in->a->w;
    struct six w[6];
    bushing_rows(&fa, phi, pb - in->o, w);
    double u[6], ud[6];
    for (int i = 0; i < 3; i++) {
        u[i] = vec_dot(fa.c[i], d), u[3 + i] = phi[i];
        ud[i] = vec_dot(fa.c[i], dd), ud[3 + i] = vec_dot(w[3 + i].a, om);
    }
    for (int i = 0; i < 6; i++) {
        double elastic = 0, viscous = 0;
        struct six g = six_zero();
        for (int j = 0; j < 6; j++) {
            double k = p[B_K + 6 * i + j], c = p[B_C + 6 * i + j];
            elastic += k * u[j], viscous += c * ud[j];
            g = six_axpy(in->s * k + in->sc * c, w[j], g);
        }
        out->f = six_axpy(-elastic - viscous, w[i], out->f);
        mat6_outer(&out->P, 1, g, w[i]);
        out->energy += 0.5 * u[i] * elastic;
        out->power -= ud[i] * viscous;
        if (i < 3) out->value[i] = -elastic - viscous;
    }
}

const struct force_type FORCE_BUSHING = {
    .name = "bushing",
    .help = "six springs and dampers between two bodies, turned by 3 rad at most",
    .section = FORCE_IN_FORCES,
    .refs = REF_BETWEEN,
    .field = BUSHING_FIELD,
    .n_fields = 6,
    .n_values = 3,
    .unit = "N",
    .start = bushing_start,
    .eval = bushing_eval};
