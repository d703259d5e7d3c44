/* The map of a component is x -> x0 + R(q) M x with M = 1 or a reversal of one axis.
 * Symbols: R(q) = placement.q, M = placement.mirror. M R(w, v) M = R(w, -M v). */
#include "services/load/model/placement.h"

#include "rt/math/quat.h"

static vec3 reversed(int axis, vec3 v)
{
    if (axis >= 0) v[axis] = -v[axis];
    return v;
}

/* The quaternion of M R(q) M. */
static quat mirrored(int axis, quat q)
{
    vec3 v = vec_make(q[1], q[2], q[3]);
    if (axis >= 0) v = -reversed(axis, v);
    return (quat){q[0], v[0], v[1], v[2]};
}

static void quat_store(double *p, quat q) { p[0] = q[0], p[1] = q[1], p[2] = q[2], p[3] = q[3]; }

static vec3 turned(const struct placement *p, vec3 v)
{
    struct mat3 R = quat_matrix(quat_load(p->q));
    return mat3_mul(&R, v);
}

struct placement placement_none(void)
{
    return (struct placement){.q = {1, 0, 0, 0}, .mirror = -1};
}

/* R(qo) Mo R(qi) Mi = R(qo) R(Mo qi Mo) Mo Mi; two reversals of different axes are
 * half a turn about the third. */
struct placement placement_compose(const struct placement *outer, const struct placement *inner)
{
    struct placement p = {.mirror = -1};
    quat q = quat_mul(quat_load(outer->q), mirrored(outer->mirror, quat_load(inner->q)));
    if (outer->mirror >= 0 && inner->mirror >= 0 && outer->mirror != inner->mirror) {
        quat half = {0};
        half[1 + 3 - outer->mirror - inner->mirror] = 1;
        q = quat_mul(q, half);
    } else if (outer->mirror < 0 || inner->mirror < 0) {
        p.mirror = outer->mirror < 0 ? inner->mirror : outer->mirror;
    }
    quat_store(p.q, quat_unit(q));
    placement_point(outer, inner->x, p.x);
    return p;
}

void placement_polar(const struct placement *p, const double in[3], double out[3])
{
    vec_store(out, turned(p, reversed(p->mirror, vec_load(in))));
}

void placement_axial(const struct placement *p, const double in[3], double out[3])
{
    vec3 v = reversed(p->mirror, vec_load(in));
    vec_store(out, turned(p, p->mirror >= 0 ? -v : v));
}

void placement_point(const struct placement *p, const double in[3], double out[3])
{
    vec3 v = turned(p, reversed(p->mirror, vec_load(in)));
    vec_store(out, vec_load(p->x) + v);
}

void placement_attitude(const struct placement *p, const double in[4], double out[4])
{
    quat_store(out, quat_unit(quat_mul(quat_load(p->q), mirrored(p->mirror, quat_load(in)))));
}

void placement_inertia(const struct placement *p, double inertia[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (i != j && (i == p->mirror || j == p->mirror))
                inertia[3 * i + j] = 0 - inertia[3 * i + j];
}
