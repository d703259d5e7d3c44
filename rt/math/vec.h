/* vec.h: 3-vectors in one 4-wide register, last lane zero. Any context. */
#ifndef VEC_H
#define VEC_H

#include <math.h>

typedef double vec3 __attribute__((vector_size(32)));

static inline vec3 vec_make(double x, double y, double z) { return (vec3){x, y, z, 0}; }
static inline vec3 vec_load(const double *p) { return (vec3){p[0], p[1], p[2], 0}; }
static inline void vec_store(double *p, vec3 a) { p[0] = a[0], p[1] = a[1], p[2] = a[2]; }
static inline vec3 vec_splat(double k) { return (vec3){k, k, k, k}; }
static inline vec3 vec_zero(void) { return (vec3){0, 0, 0, 0}; }

static inline vec3 vec_cross(vec3 a, vec3 b)
{
    vec3 c = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) -
             __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

static inline double vec_dot(vec3 a, vec3 b)
{
    vec3 c = a * b;
    return c[0] + c[1] + c[2];
}

static inline double vec_norm(vec3 a) { return sqrt(vec_dot(a, a)); }

/* a / |a|; zero stays zero. */
static inline vec3 vec_unit(vec3 a)
{
    double n = vec_norm(a);
    return n > 0 ? a * (1 / n) : a;
}

/* A unit vector perpendicular to the unit vector a. */
static inline vec3 vec_perp(vec3 a)
{
    double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
    vec3 e = x <= y && x <= z ? vec_make(1, 0, 0) : y <= z ? vec_make(0, 1, 0) : vec_make(0, 0, 1);
    return vec_unit(vec_cross(a, e));
}

/* 3x3 matrix as three columns. */
struct mat3 {
    vec3 c[3];
};

static inline vec3 mat3_mul(const struct mat3 *m, vec3 v)
{
    return m->c[0] * v[0] + m->c[1] * v[1] + m->c[2] * v[2];
}

/* m transposed times v. */
static inline vec3 mat3_tmul(const struct mat3 *m, vec3 v)
{
    return vec_make(vec_dot(m->c[0], v), vec_dot(m->c[1], v), vec_dot(m->c[2], v));
}

/* Row-major 9 numbers to columns. */
static inline struct mat3 mat3_load(const double *p)
{
    return (struct mat3){{{p[0], p[3], p[6], 0}, {p[1], p[4], p[7], 0}, {p[2], p[5], p[8], 0}}};
}

#endif
