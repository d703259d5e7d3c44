/* Rows, Jacobians, gamma, free directions, closing twists and coordinates of every joint
 * type, against motions that are known in closed form.
 *
 * A moves along a random smooth path, B is carried by it through the joint with random
 * smooth coordinates q(t): so the state is assembled at every level, and all derivatives of
 * the two bodies follow from their paths by five-point differences (h = 1e-3: truncation
 * about 1e-11, rounding in second derivatives 1e-9). Derivatives of rows in arbitrary
 * directions are taken from assembled states, where the angle rows are exact. */
#include "rt/mech/jointkin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double DT = 1e-3;
enum { STATES = 20 };

/* ---- random numbers and small mathematics ---- */

static double pick(unsigned long long *seed, double lower, double upper)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lower + (upper - lower) * (double)(*seed >> 11) * 0x1p-53;
}

static vec3 pick_vector(unsigned long long *seed, double size)
{
    double x = pick(seed, -size, size), y = pick(seed, -size, size);
    return vec_make(x, y, pick(seed, -size, size));
}

static struct mat3 product(const struct mat3 *a, const struct mat3 *b)
{
    struct mat3 r;
    for (int j = 0; j < 3; j++) r.c[j] = mat3_mul(a, b->c[j]);
    return r;
}

static struct mat3 transposed(const struct mat3 *a)
{
    struct mat3 r;
    for (int j = 0; j < 3; j++) r.c[j] = vec_make(a->c[0][j], a->c[1][j], a->c[2][j]);
    return r;
}

static struct mat3 turned(vec3 th) { return quat_matrix(quat_exp(th)); }

/* ---- a case: a joint and its motion ---- */

/* Value, rate, second rate at t = 0 of a cubic. */
struct cubic {
    double c[4];
};

static double cubic_at(const struct cubic *p, double t)
{
    return p->c[0] + t * (p->c[1] + t * (p->c[2] + t * p->c[3]));
}

static struct cubic pick_cubic(unsigned long long *seed, double size)
{
    struct cubic p;
    p.c[0] = pick(seed, -size, size);
    for (int i = 1; i < 4; i++) p.c[i] = pick(seed, -1, 1);
    return p;
}

struct pose {
    vec3 x;
    struct mat3 R;
};

struct scene {
    struct plan_joint j;
    struct pose start;       /* of A */
    struct cubic place[3], turn[3];
    struct cubic shift[3];   /* of B in A's joint frame */
    struct cubic angle[3];   /* rotation of B's frame in A's */
    struct cubic length;
};

static struct pose first_body(const struct scene *s, double t)
{
    vec3 x = vec_make(cubic_at(&s->place[0], t), cubic_at(&s->place[1], t),
                      cubic_at(&s->place[2], t));
    vec3 th = vec_make(cubic_at(&s->turn[0], t), cubic_at(&s->turn[1], t),
                       cubic_at(&s->turn[2], t));
    struct mat3 R = turned(th);
    return (struct pose){x, product(&R, &s->start.R)};
}

/* Translation of the joint's point, in A's joint frame. */
static vec3 joint_shift(const struct scene *s, double t)
{
    const struct joint_type *type = s->j.type;
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = type->hold >> i & 1 ? 0 : cubic_at(&s->shift[i], t);
    if (type->special == JOINT_SCREW) v[2] = s->j.lead * cubic_at(&s->angle[0], t);
    vec3 d = vec_load(v);
    if (type->special == JOINT_DISTANCE) d = vec_unit(d) * vec_splat(cubic_at(&s->length, t));
    return d;
}

static struct mat3 joint_turn(const struct scene *s, double t)
{
    double a = cubic_at(&s->angle[0], t), b = cubic_at(&s->angle[1], t),
           c = cubic_at(&s->angle[2], t);
    struct mat3 z = turned(vec_make(0, 0, a)), x = turned(vec_make(b, 0, 0));
    switch (s->j.type->rotation) {
    case ROTATION_ALIGN:
        return z;
    case ROTATION_CROSS:
        return product(&z, &x);
    case ROTATION_ALL:
        return turned(vec_zero());
    default:
        return turned(vec_make(a, b, c));
    }
}

static struct pose second_body(const struct scene *s, double t)
{
    struct pose a = first_body(s, t);
    struct mat3 frame = product(&a.R, &s->j.frame[0]), turn = joint_turn(s, t),
                back = transposed(&s->j.frame[1]);
    struct mat3 fb = product(&frame, &turn), R = product(&fb, &back);
    vec3 P = a.x + mat3_mul(&a.R, s->j.point[0]) + mat3_mul(&frame, joint_shift(s, t));
    return (struct pose){P - mat3_mul(&R, s->j.point[1]), R};
}

/* Five-point first and second derivative of samples at -2, -1, 0, 1, 2. */
static vec3 slope(const vec3 *f)
{
    return (f[0] - f[4] + vec_splat(8) * (f[3] - f[1])) * vec_splat(1 / (12 * DT));
}

static vec3 curve(const vec3 *f)
{
    return (-f[0] - f[4] + vec_splat(16) * (f[1] + f[3]) - vec_splat(30) * f[2]) *
           vec_splat(1 / (12 * DT * DT));
}

static vec3 skew_part(const struct mat3 *m)
{
    return vec_splat(0.5) *
           vec_make(m->c[1][2] - m->c[2][1], m->c[2][0] - m->c[0][2], m->c[0][1] - m->c[1][0]);
}

/* Place, velocity and acceleration of a body from its path: w from R' R^T, its rate from
 * the skew part of R'' R^T. */
static struct kin kin_of(const struct scene *s, struct pose (*path)(const struct scene *, double))
{
    vec3 x[5], column[3][5];
    struct mat3 d1, d2;
    for (int i = 0; i < 5; i++) {
        struct pose p = path(s, (i - 2) * DT);
        x[i] = p.x;
        for (int j = 0; j < 3; j++) column[j][i] = p.R.c[j];
    }
    struct pose now = path(s, 0);
    struct mat3 back = transposed(&now.R);
    for (int j = 0; j < 3; j++) d1.c[j] = slope(column[j]), d2.c[j] = curve(column[j]);
    struct mat3 w = product(&d1, &back), al = product(&d2, &back);
    return (struct kin){.x = now.x,
                        .R = now.R,
                        .v = slope(x),
                        .w = skew_part(&w),
                        .dv = curve(x),
                        .dw = skew_part(&al)};
}

static struct jet length_of(const struct scene *s)
{
    return (struct jet){s->length.c[0], s->length.c[1], 2 * s->length.c[2]};
}

static struct scene pick_scene(unsigned long long *seed, const struct joint_type *type)
{
    struct scene s = {.j = {.type = type}};
    for (int side = 0; side < 2; side++) {
        s.j.point[side] = pick_vector(seed, 1);
        s.j.frame[side] = turned(pick_vector(seed, 2));
    }
    s.j.lead = pick(seed, 0.1, 0.4);
    s.start.R = turned(pick_vector(seed, 2));
    for (int i = 0; i < 3; i++) {
        s.place[i] = pick_cubic(seed, 1), s.turn[i] = pick_cubic(seed, 0);
        s.shift[i] = pick_cubic(seed, 1), s.angle[i] = pick_cubic(seed, 1.2);
    }
    s.length = pick_cubic(seed, 0);
    s.length.c[0] = pick(seed, 0.5, 1.5);
    s.j.length = s.length.c[0];
    return s;
}

struct placed {
    struct kin a, b;
    vec3 o;
    struct jointkin k;
};

static void place(struct placed *p, const struct scene *s)
{
    jointkin_place_full(&p->k, &s->j, &p->a, &p->b, p->o, length_of(s));
    if (s->j.type->special == JOINT_SCREW) /* the caller unwraps it */
        p->k.angle = jointkin_coordinate(&p->k, &p->a, &p->b, 1).q;
}

static struct placed pick_placed(unsigned long long *seed, const struct scene *s)
{
    struct placed p = {
        .a = kin_of(s, first_body), .b = kin_of(s, second_body), .o = pick_vector(seed, 1)};
    place(&p, s);
    return p;
}

static struct six twist_about(const struct kin *k, vec3 o)
{
    return six_twist_at(k->v, k->w, k->x - o);
}

/* Move a body by a small twist about o. */
static struct kin moved(const struct kin *k, struct six d, vec3 o)
{
    struct kin r = *k;
    struct mat3 turn = turned(d.a);
    r.x = o + d.l + mat3_mul(&turn, k->x - o);
    r.R = product(&turn, &k->R);
    return r;
}

static void small(const char *type, const char *what, double value, double bound)
{
    if (!(fabs(value) <= bound)) fail_msg("%s: %s is %.3g, bound %.3g", type, what, value, bound);
}

static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(v[i]));
    return m;
}

static double six_size(struct six x) { return fmax(vec_norm(x.l), vec_norm(x.a)); }

/* Run a check on random states of every type but sums. */
static void every_type(void (*check)(const struct scene *s, struct placed *p,
                                     unsigned long long *seed))
{
    unsigned long long seed = 20060101;
    for (int i = 0; i < JOINT_TYPE_COUNT; i++) {
        if (JOINT_TYPE[i].special == JOINT_SUM) continue;
        for (int n = 0; n < STATES; n++) {
            struct scene s = pick_scene(&seed, &JOINT_TYPE[i]);
            struct placed p = pick_placed(&seed, &s);
            check(&s, &p, &seed);
        }
    }
}

/* ---- the claims ---- */

static void check_rows_vanish(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    struct six w[PLAN_MAX_ROWS];
    double value[PLAN_MAX_ROWS];
    (void)seed;
    jointkin_rows(&p->k, w, value);
    small(t->name, "a row", largest(value, t->n_rows), 1e-13);
    jointkin_rows_velocity(&p->k, &p->a, &p->b, value);
    small(t->name, "a row's rate", largest(value, t->n_rows), 1e-9);
    jointkin_rows_acceleration(&p->k, &p->a, &p->b, value);
    small(t->name, "a row's second rate", largest(value, t->n_rows), 1e-7);
    small(t->name, "the closing of positions", six_size(jointkin_close_position(&p->k)), 1e-12);
    small(t->name, "the closing of velocities",
          six_size(jointkin_close_velocity(&p->k, &p->a, &p->b)), 1e-8);
    small(t->name, "the closing of accelerations",
          six_size(jointkin_close_acceleration(&p->k, &p->a, &p->b)), 1e-6);
}

static void every_joint_is_silent_on_motions_it_allows(void **state)
{
    (void)state;
    every_type(check_rows_vanish);
}

/* dPhi along a twist of either body, central difference of 1e-5: error 1e-10. */
static void check_jacobian(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    const double e = 1e-5;
    struct six w[PLAN_MAX_ROWS], unused[PLAN_MAX_ROWS];
    double phi[2][PLAN_MAX_ROWS];
    jointkin_rows(&p->k, w, phi[0]);
    for (int side = 0; side < 2; side++) {
        struct six d = {pick_vector(seed, 1), pick_vector(seed, 1)};
        for (int sign = 0; sign < 2; sign++) {
            struct placed q = *p;
            struct six step = six_scale(sign ? e : -e, d);
            if (side)
                q.b = moved(&p->b, step, p->o);
            else
                q.a = moved(&p->a, step, p->o);
            place(&q, s);
            jointkin_rows(&q.k, unused, phi[sign]);
        }
        for (int r = 0; r < t->n_rows; r++) {
            double slope_r = (phi[1][r] - phi[0][r]) / (2 * e),
                   claimed = (side ? 1 : -1) * six_dot(w[r], d);
            small(t->name, "a row's Jacobian less its difference", claimed - slope_r, 1e-8);
        }
    }
}

static void every_row_is_the_derivative_of_its_value(void **state)
{
    (void)state;
    every_type(check_jacobian);
}

/* Rates are linear in the bodies' rates with the row as factor: what is left is Phi_t and
 * gamma, which the motions above have checked. */
static void check_linear(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    struct six w[PLAN_MAX_ROWS];
    double phi[PLAN_MAX_ROWS], before[PLAN_MAX_ROWS], after[PLAN_MAX_ROWS];
    struct six d = {pick_vector(seed, 1), pick_vector(seed, 1)};
    struct placed q = *p;
    jointkin_rows(&p->k, w, phi);
    vec3 arm = p->b.x - p->o;
    q.b.v += six_point(d, arm), q.b.w += d.a;
    jointkin_rows_velocity(&p->k, &p->a, &p->b, before);
    jointkin_rows_velocity(&p->k, &p->a, &q.b, after);
    for (int r = 0; r < t->n_rows; r++)
        small(t->name, "a row's rate", after[r] - before[r] - six_dot(w[r], d), 1e-12);
    q = *p;
    q.b.dv += six_point(d, arm), q.b.dw += d.a;
    jointkin_rows_acceleration(&p->k, &p->a, &p->b, before);
    jointkin_rows_acceleration(&p->k, &p->a, &q.b, after);
    for (int r = 0; r < t->n_rows; r++)
        small(t->name, "a row's second rate", after[r] - before[r] - six_dot(w[r], d), 1e-12);
    q = *p;
    arm = p->a.x - p->o;
    q.a.dv += six_point(d, arm), q.a.dw += d.a;
    jointkin_rows_acceleration(&p->k, &q.a, &p->b, after);
    for (int r = 0; r < t->n_rows; r++)
        small(t->name, "a row's second rate", after[r] - before[r] + six_dot(w[r], d), 1e-12);
}

static void rates_of_rows_are_linear_in_the_rates_of_bodies(void **state)
{
    (void)state;
    every_type(check_linear);
}

/* Determinant of the Gram matrix of unit vectors, by elimination. */
static double gram(const struct six *v, int n)
{
    double a[6][6], det = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = six_dot(v[i], v[j]) / sqrt(six_dot(v[i], v[i]) * six_dot(v[j], v[j]));
    for (int k = 0; k < n; k++) {
        det *= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    return det;
}

static void check_free(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    struct six w[PLAN_MAX_ROWS], S[PLAN_MAX_FREE];
    double phi[PLAN_MAX_ROWS];
    (void)seed;
    assert_int_equal(t->n_rows + t->n_free, 6);
    jointkin_rows(&p->k, w, phi);
    jointkin_free(&p->k, S);
    for (int r = 0; r < t->n_rows; r++)
        for (int i = 0; i < t->n_free; i++)
            small(t->name, "a row along a free direction", six_dot(w[r], S[i]), 1e-13);
    if (t->n_free && gram(S, t->n_free) < 1e-4)
        fail_msg("%s: its free directions depend on each other", t->name);
    if (gram(w, t->n_rows) < 1e-4) fail_msg("%s: its rows depend on each other", t->name);
}

static void free_directions_span_all_that_rows_leave(void **state)
{
    (void)state;
    every_type(check_free);
}

/* B displaced by 1e-3 and brought back by c: what is left is of second order. */
static void check_close_position(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    struct six d = {pick_vector(seed, 1e-3), pick_vector(seed, 1e-3)}, w[PLAN_MAX_ROWS];
    double phi[PLAN_MAX_ROWS];
    struct placed q = *p;
    q.b = moved(&p->b, d, p->o);
    place(&q, s);
    struct six c = jointkin_close_position(&q.k);
    q.b = moved(&q.b, c, p->o);
    place(&q, s);
    jointkin_rows(&q.k, w, phi);
    small(s->j.type->name, "a row after closing", largest(phi, s->j.type->n_rows), 2e-5);
}

static void closing_a_position_leaves_errors_of_second_order(void **state)
{
    (void)state;
    every_type(check_close_position);
}

static void check_close_rates(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    double value[PLAN_MAX_ROWS];
    struct placed q = *p;
    vec3 arm = p->b.x - p->o;
    q.b.v += pick_vector(seed, 1), q.b.w += pick_vector(seed, 1);
    struct six c = jointkin_close_velocity(&q.k, &q.a, &q.b);
    q.b.v += six_point(c, arm), q.b.w += c.a;
    jointkin_rows_velocity(&q.k, &q.a, &q.b, value);
    small(t->name, "a row's rate after closing", largest(value, t->n_rows), 1e-12);
    q = *p;
    q.b.dv += pick_vector(seed, 1), q.b.dw += pick_vector(seed, 1);
    c = jointkin_close_acceleration(&q.k, &q.a, &q.b);
    q.b.dv += six_point(c, arm), q.b.dw += c.a;
    jointkin_rows_acceleration(&q.k, &q.a, &q.b, value);
    small(t->name, "a row's second rate after closing", largest(value, t->n_rows), 1e-7);
}

static void closing_rates_leaves_none(void **state)
{
    (void)state;
    every_type(check_close_rates);
}

/* The cubic a coordinate of a type follows in a scene. */
static struct jet wanted(const struct scene *s, int which)
{
    const struct cubic *c = &s->angle[0];
    struct cubic lead = s->angle[0];
    for (int i = 0; i < 4; i++) lead.c[i] *= s->j.lead;
    switch (s->j.type->coordinates) {
    case COORDINATES_Z:
        c = &s->shift[2];
        break;
    case COORDINATES_Z_ANGLE:
        if (which == 0) c = s->j.type->special == JOINT_SCREW ? &lead : &s->shift[2];
        break;
    case COORDINATES_X_Y_ANGLE:
        if (which < 2) c = &s->shift[which];
        break;
    case COORDINATES_CROSS:
        c = &s->angle[which];
        break;
    case COORDINATES_DISTANCE:
        c = &s->length;
        break;
    default:
        break;
    }
    return (struct jet){c->c[0], c->c[1], 2 * c->c[2]};
}

static void check_coordinates(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    struct six S[PLAN_MAX_FREE], va = twist_about(&p->a, p->o), vb = twist_about(&p->b, p->o);
    struct six aa = six_twist_at(p->a.dv, p->a.dw, p->a.x - p->o),
               ab = six_twist_at(p->b.dv, p->b.dw, p->b.x - p->o);
    (void)seed;
    jointkin_free(&p->k, S);
    for (int i = 0; i < joint_coordinate_count(t); i++) {
        struct jet want = wanted(s, i);
        struct coord c = jointkin_coordinate(&p->k, &p->a, &p->b, i);
        small(t->name, "a coordinate", c.q - want.f, 1e-13);
        small(t->name, "a coordinate's rate", c.qd - want.d1, 1e-9);
        small(t->name, "a coordinate's row", six_dot(c.row, six_sub(vb, va)) - want.d1, 1e-9);
        small(t->name, "a coordinate's second rate",
              six_dot(c.row, six_sub(ab, aa)) + c.bias - want.d2, 1e-7);
        int column = jointkin_column(t, i);
        if (column >= 0 && t->special != JOINT_SCREW)
            small(t->name, "its column of S less one", six_dot(c.row, S[column]) - 1, 1e-12);
    }
}

static void coordinates_have_the_values_and_rates_of_the_motion(void **state)
{
    (void)state;
    every_type(check_coordinates);
}

/* The relative motion is the columns of S times the coordinates' rates. */
static void check_columns(const struct scene *s, struct placed *p, unsigned long long *seed)
{
    const struct joint_type *t = s->j.type;
    struct six S[PLAN_MAX_FREE], rest;
    (void)seed;
    if (joint_coordinate_count(t) != t->n_free || t->special == JOINT_DISTANCE) return;
    jointkin_free(&p->k, S);
    rest = six_sub(twist_about(&p->b, p->o), twist_about(&p->a, p->o));
    for (int i = 0; i < t->n_free; i++)
        rest = six_axpy(-wanted(s, i).d1, S[jointkin_column(t, i)], rest);
    small(t->name, "motion beyond S q'", six_size(rest), 1e-8);
}

static void free_directions_carry_the_whole_motion(void **state)
{
    (void)state;
    every_type(check_columns);
}

static void an_angle_is_unwrapped_to_the_turn_of_its_reference(void **state)
{
    (void)state;
    for (int turns = -50; turns <= 50; turns++)
        for (double angle = -3.1; angle < 3.1; angle += 0.1) {
            double whole = angle + 2 * M_PI * turns;
            small("unwrap", "the angle", jointkin_unwrap(angle, whole + 3.1) - whole, 1e-12);
            small("unwrap", "the angle", jointkin_unwrap(angle, whole - 3.1) - whole, 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_is_silent_on_motions_it_allows),
        cmocka_unit_test(every_row_is_the_derivative_of_its_value),
        cmocka_unit_test(rates_of_rows_are_linear_in_the_rates_of_bodies),
        cmocka_unit_test(free_directions_span_all_that_rows_leave),
        cmocka_unit_test(closing_a_position_leaves_errors_of_second_order),
        cmocka_unit_test(closing_rates_leaves_none),
        cmocka_unit_test(coordinates_have_the_values_and_rates_of_the_motion),
        cmocka_unit_test(free_directions_carry_the_whole_motion),
        cmocka_unit_test(an_angle_is_unwrapped_to_the_turn_of_its_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
