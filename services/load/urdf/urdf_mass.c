/* Sums of masses, with moments about one origin. */
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

void urdf_mass_turn(quat q, const double inertia[9], double turned[9])
{
    struct mat3 R = quat_matrix(q), J = mat3_load(inertia);
    for (int j = 0; j < 3; j++) {
        vec3 row = vec_make(R.c[0][j], R.c[1][j], R.c[2][j]); /* row j of R */
        vec3 c = mat3_mul(&R, mat3_mul(&J, row));
        for (int i = 0; i < 3; i++) turned[3 * i + j] = c[i];
    }
}

/* sign m (|c|² 1 - c c') */
static void add_offset(double inertia[9], double m, vec3 c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia[3 * i + j] += m * ((i == j ? vec_dot(c, c) : 0) - c[i] * c[j]);
}

void urdf_mass_add(struct urdf_mass *sum, double m, struct urdf_frame at, const double inertia[9])
{
    double turned[9];
    urdf_mass_turn(at.q, inertia, turned);
    add_offset(turned, m, at.x);
    sum->m += m;
    for (int i = 0; i < 3; i++) sum->mx[i] += m * at.x[i];
    for (int i = 0; i < 9; i++) sum->inertia[i] += turned[i];
}

void urdf_mass_centre(const struct urdf_mass *sum, vec3 *centre, double inertia[9])
{
    *centre = vec_load(sum->mx) * vec_splat(1 / sum->m);
    memcpy(inertia, sum->inertia, sizeof sum->inertia);
    add_offset(inertia, -sum->m, *centre);
}

double urdf_mass_ball(double m)
{
    double r = cbrt(3 * m / (4 * M_PI * 1000));
    return 0.4 * m * r * r;
}
