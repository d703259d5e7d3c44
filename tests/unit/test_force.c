/* Force elements, each on random states: what they do to the bodies is what they say of
 * energy and power; their tangents are symmetric and positive semi-definite, and equal the
 * derivative of the force where the header claims it.
 *
 * Derivatives are central differences of 1e-5 (m, rad, s); forces are some 100 N with
 * stiffnesses of some 100 N/m, so that truncation is 1e-8 and rounding 1e-9 of them. */
#include "rt/mech/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/loading.h"

static const double E = 1e-5;
enum { STATES = 60 };

/* Every force and actuator type there is; names say which claim an element is used for. */
static const char TEXT[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0.3, 0.2, 0.4]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1.0, 0.5, 0.2], rotation: {axis: [1, 2, 3], angle: 0.5}}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  slide: {type: prismatic, between: [a, b], at: [1, 0.5, 0.2], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: spring-damper, between: [a, b], from: [0.1, 0, 0], to: [1, 0.3, 0], stiffness: 120, damping: 7}\n"
    "  stretched: {type: spring-damper, between: [a, b], from: [0.1, 0, 0], to: [1, 0.3, 0], stiffness: 120, length: 0.6}\n"
    "  post: {type: ground-spring, body: b, at: [1.2, 0.1, 0], stiffness: [100, 150, 80], damping: [3, 4, 5],\n"
    "           offset: [0.1*sin(3*t), 0, {ramp: {rate: 0.2}}]}\n"
    "  twist: {type: torsion-spring, joint: hinge, stiffness: 90, damping: 4, angle: 0.2}\n"
    "  coil: {type: joint-spring, joint: slide, stiffness: 110, damping: 6, position: 0.1}\n"
    "  bushing: {type: bushing, between: [a, b], at: [0.7, 0.3, 0.2], axes: {axis: [1, 0, 1], angle: 0.7}, axes-b: {axis: [1, 0, 1], angle: 0.7},\n"
    "    stiffness: [[100, 10, 5, 3, 2, 1], [10, 120, 7, 1, 4, 2], [5, 7, 90, 2, 1, 5], [3, 1, 2, 40, 3, 2], [2, 4, 1, 3, 50, 1], [1, 2, 5, 2, 1, 60]],\n"
    "    damping: [3, 4, 5, 2, 1, 2]}\n"
    "  push: {type: force, body: b, at: [1.1, 0.4, 0], value: [5, 6*t, 7]}\n"
    "  push-along: {type: force, body: b, at: [1.1, 0.4, 0], frame: body, value: [5, 6*t, 7]}\n"
    "  wring: {type: torque, body: b, value: [1, 2, 3*t]}\n"
    "  wring-along: {type: torque, body: b, frame: body, value: [1, 2, 3*t]}\n"
    "  motor: {type: joint-torque, joint: hinge, value: 3*sin(t)}\n"
    "  ram: {type: joint-force, joint: slide, value: 4*t}\n"
    "  rub: {type: friction, joint: hinge, viscous: 2, constant: 5, coefficient: 0.3, radius: 0.05, speed: 0.2}\n"
    "  rub-hard: {type: friction, joint: slide, constant: 500, speed: 1e-3}\n"
    "  end: {type: stop, joint: hinge, lower: -0.5, upper: 0.5, stiffness: 200, damping: 0.3}\n"
    "  ball: {type: sphere-contact, body: b, radius: 0.3, stiffness: 300, damping: 2, normal: [0.1, 0.2, 1]}\n"
    "  ball-rough: {type: sphere-contact, body: b, radius: 0.3, stiffness: 300, friction: 0.7, speed: 0.5}\n"
    "  ball-both: {type: sphere-contact, body: b, radius: 0.3, stiffness: 300, damping: 0.4, friction: 0.7}\n"
    "  wheel: {type: wheel-contact, body: b, radius: 0.4, stiffness: 300, damping: 0.4, friction: 0.5, axle: [0, 1, 0.1]}\n"
    "  hold: {type: servo, joint: hinge, stiffness: 80, damping: 5, target: 0.3*sin(2*t)}\n"
    "  hold-weak: {type: servo, joint: slide, stiffness: 80, damping: 5, limit: 10, target: 0.3*t}\n"
    "  electric: {type: motor, joint: hinge, resistance: 2, inductance: 0.01, constant: 0.5, voltage: 12*sin(t)}\n"
    "  gas: {type: gas, joint: slide, phase: hinge, bore: 0.02, stroke: 3, ratio: 8, top: 1.5, ignition: 20 bar}\n"
    "  starter: {type: starter, joint: hinge, torque: 22, then: 11, speed: 0.5, angle: 0.8}\n"
    "  tyre: {type: tyre, body: b, axle: [0, 1, 0.1], radius: 0.5, stiffness: 300, damping: 0.4, load: 50}\n"
    "  shoe: {type: brake, joint: hinge, follows: pedal, share: 0.7}\n"
    "actuators:\n"
    "  pedal: {type: brake, joint: slide}\n"
    "  torque: {type: torque, joint: hinge}\n"
    "  thrust: {type: force, joint: slide}\n"
    "  body-torque: {type: torque, body: b, direction: [0, 1, 1]}\n"
    "  body-force: {type: force, body: b, at: [1.1, 0.4, 0], direction: [0, 1, 1]}\n"
    "  position: {type: position, joint: hinge, stiffness: 70, damping: 6, limit: 20}\n"
    "  speed: {type: speed, joint: hinge, damping: 6, limit: 20}\n"
    "  voltage: {type: voltage, joint: slide, resistance: 3, inductance: 0.02, constant: 0.7, limit: 2}\n";

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

/* A state of the two bodies, and what an element sees of it. */
struct sight {
    const struct model *m;
    const struct model_force *f;
    struct kin body[2];
    struct coord q;
    vec3 o;
    double t, command, s, sc;
    double moved;    /* of its coordinate, since step n */
    double state[5]; /* at the iterate before; zero at step n */
};

/* Dry friction at rest, of 2 kg at 1 ms. */
static const double STICK_K = 8e6, STICK_C = 8e3;

static struct force_out ask(const struct sight *x)
{
    double state[5], rate[5] = {0}, before[5] = {0}, rate_before[5] = {0};
    memcpy(state, x->state, sizeof state);
    struct force_in in = {.model = x->m,
                          .element = x->f,
                          .p = model_pool(x->m) + x->f->pool_at,
                          .pool = model_pool(x->m),
                          .a = &x->body[0],
                          .b = &x->body[1],
                          .o = x->o,
                          .t = x->t,
                          .h = 1e-3,
                          .s = x->s,
                          .sc = x->sc,
                          .b1 = 5e-4,
                          .command = x->command,
                          .coordinate = x->f->coordinate >= 0 ? &x->q : NULL,
                          .phase = x->f->phase >= 0 ? &x->q : NULL,
                          .moved = x->moved,
                          .load = 30,
                          .m_eff = 2,
                          .stick_k = STICK_K,
                          .stick_c = STICK_C,
                          .z_n = before,
                          .zd_n = rate_before};
    struct force_out out = {.z = state, .zd = rate};
    FORCE_TYPE[x->f->type]->eval(&in, &out);
    out.z = out.zd = NULL;
    return out;
}

static struct kin turned(struct kin k, vec3 th)
{
    struct mat3 turn = quat_matrix(quat_exp(th)), R;
    for (int j = 0; j < 3; j++) R.c[j] = mat3_mul(&turn, k.R.c[j]);
    k.R = R;
    return k;
}

static struct kin start_of(const struct model *m, int32_t body)
{
    struct kin k = {.R = quat_matrix((quat){1, 0, 0, 0})};
    if (body < 0) return k;
    k.x = vec_load(model_bodies(m)[body].x);
    k.R = quat_matrix(quat_load(model_bodies(m)[body].q));
    return k;
}

static struct six twist_of(const struct sight *x, int side)
{
    const struct kin *k = &x->body[side];
    return six_twist_at(k->v, k->w, k->x - x->o);
}

/* The relative twist of the element's bodies; the coordinate's rate follows from it. */
static struct six relative(const struct sight *x)
{
    return six_sub(twist_of(x, 1), twist_of(x, 0));
}

/* Near the start pose, moving; ground stays. */
static struct sight pick_sight(unsigned long long *seed, const struct model *m,
                               const struct model_force *f)
{
    struct sight x = {
        .m = m, .f = f, .o = pick_vector(seed, 1), .t = pick(seed, 0, 2), .s = 1, .sc = 1};
    for (int i = 0; i < 2; i++) {
        x.body[i] = start_of(m, f->body[i]);
        if (f->body[i] < 0) continue;
        x.body[i] = turned(x.body[i], pick_vector(seed, 0.8));
        x.body[i].x += pick_vector(seed, 0.25);
        x.body[i].v = pick_vector(seed, 1), x.body[i].w = pick_vector(seed, 1);
    }
    x.q.row = (struct six){pick_vector(seed, 1), pick_vector(seed, 1)};
    x.q.q = pick(seed, -1, 1);
    x.q.qd = six_dot(x.q.row, relative(&x));
    x.command = pick(seed, -5, 5);
    return x;
}

/* The same a little later: bodies along their twists, the coordinate with its rate. */
static struct sight later(const struct sight *x, double dt)
{
    struct sight y = *x;
    for (int i = 0; i < 2; i++) {
        y.body[i] = turned(y.body[i], y.body[i].w * vec_splat(dt));
        y.body[i].x += y.body[i].v * vec_splat(dt);
    }
    y.q.q += x->q.qd * dt;
    y.t += dt;
    return y;
}

static void near_to(const struct sight *x, const char *what, double value, double wanted,
                    double bound)
{
    if (!(fabs(value - wanted) <= bound))
        fail_msg("%s: %s is %.10g, wanted %.10g, bound %.2g", model_text(x->m, x->f->name), what,
                 value, wanted, bound);
}

static void every_force(void (*check)(const struct sight *x, unsigned long long *seed))
{
    unsigned long long seed = 9;
    struct loading l = loading_good(TEXT);
    for (uint32_t i = 0; i < l.model->forces.n; i++)
        for (int n = 0; n < STATES; n++) {
            struct sight x = pick_sight(&seed, l.model, &model_forces(l.model)[i]);
            check(&x, &seed);
        }
    loading_done(&l);
}

static void every_type_of_force_is_tried(void **state)
{
    (void)state;
    struct loading l = loading_good(TEXT);
    for (int t = 0; t < FORCE_TYPE_COUNT; t++) {
        int found = 0;
        for (uint32_t i = 0; i < l.model->forces.n; i++)
            found |= model_forces(l.model)[i].type == t;
        if (!found) fail_msg("no element of type %s in the text", FORCE_TYPE[t]->name);
    }
    loading_done(&l);
}

/* ---- energy ---- */

/* What the wrench does on both bodies is what the element gives away: its power less the
 * growth of what it stores. */
static void check_power(const struct sight *x, unsigned long long *seed)
{
    (void)seed;
    const struct force_type *t = FORCE_TYPE[x->f->type];
    if (t->n_states > 0 && !t->sticks) return; /* what is stored is not of the pose */
    struct sight before = later(x, -E), after = later(x, E);
    struct force_out here = ask(x), lo = ask(&before), hi = ask(&after);
    if (here.closed != lo.closed || here.closed != hi.closed ||
        (lo.energy == 0) != (hi.energy == 0))
        return;
    double growth = (hi.energy - lo.energy) / (2 * E);
    near_to(x, "the power on the bodies", six_dot(here.f, relative(x)), here.power - growth, 2e-6);
}

static void every_force_does_the_work_it_accounts_for(void **state)
{
    (void)state;
    every_force(check_power);
}

/* ---- tangents ---- */

static double entry(const struct mat6 *m, int i, int j) { return mat6_get(m, i, j); }

/* Cholesky of P with a rounding's worth added to the diagonal. */
static int is_positive(const struct mat6 *P)
{
    double L[6][6] = {{0}}, trace = 0;
    for (int i = 0; i < 6; i++) trace += entry(P, i, i);
    for (int j = 0; j < 6; j++)
        for (int i = j; i < 6; i++) {
            double v = entry(P, i, j) + (i == j ? 1e-12 * trace + 1e-300 : 0);
            for (int k = 0; k < j; k++) v -= L[i][k] * L[j][k];
            if (i == j && !(v > 0)) return 0;
            L[i][j] = i == j ? sqrt(v) : v / L[j][j];
        }
    return 1;
}

static void check_tangent(const struct sight *x, unsigned long long *seed)
{
    struct sight y = *x;
    y.s = pick(seed, 0, 1), y.sc = pick(seed, 0, 1);
    struct force_out out = ask(&y);
    double size = 0;
    for (int i = 0; i < 6; i++) size += fabs(entry(&out.P, i, i));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            near_to(x, "P", entry(&out.P, i, j), entry(&out.P, j, i), 1e-13 * size);
    if (!is_positive(&out.P))
        fail_msg("%s: P has a negative direction", model_text(x->m, x->f->name));
}

static void every_tangent_is_symmetric_and_positive(void **state)
{
    (void)state;
    every_force(check_tangent);
}

static void same_six(const struct sight *x, const char *what, struct six value, struct six wanted,
                     double bound)
{
    for (int i = 0; i < 6; i++) near_to(x, what, six_get(value, i), six_get(wanted, i), bound);
}

/* Rates of a body changed by a twist d about o; the coordinate's rate follows. */
static struct sight faster(const struct sight *x, int side, struct six d, double by)
{
    struct sight y = *x;
    struct kin *k = &y.body[side];
    k->v += six_point(six_scale(by, d), k->x - x->o);
    k->w += d.a * vec_splat(by);
    y.q.qd = six_dot(y.q.row, relative(&y));
    return y;
}

static int is_one_of(const struct sight *x, const char *names)
{
    const char *name = model_text(x->m, x->f->name), *at = names;
    size_t n = strlen(name);
    while ((at = strstr(at, name))) {
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) return 1;
        at += n;
    }
    return 0;
}

/* Dampers: the wrench is linear in rates, or the law is smooth and its own derivative is
 * used. Left out: friction that overshoots in a step (secant on purpose), contacts where
 * the normal force moves the friction (not symmetric), servos at their limit. */
static void check_damping(const struct sight *x, unsigned long long *seed)
{
    if (!is_one_of(
            x,
            "spring stretched post twist coil bushing rub end ball ball-rough hold push wring motor ram electric voltage gas"))
        return;
    struct sight y = *x;
    struct six d = {pick_vector(seed, 1), pick_vector(seed, 1)};
    y.s = 0, y.sc = 1;
    struct force_out here = ask(&y);
    for (int side = 0; side < 2; side++) {
        if (x->f->body[side] < 0) continue;
        struct sight lo = faster(&y, side, d, -E), hi = faster(&y, side, d, E);
        struct force_out f0 = ask(&lo), f1 = ask(&hi);
        if (f0.closed != f1.closed) continue;
        struct six slope = six_scale(0.5 / E, six_sub(f1.f, f0.f));
        same_six(x, "df/dv", slope, six_scale(side ? -1 : 1, mat6_mul(&here.P, d)), 1e-5);
    }
}

static void damping_tangents_are_the_derivatives_they_claim(void **state)
{
    (void)state;
    every_force(check_damping);
}

/* Along a coordinate the tangent is the law's own slope, sign included. */
static void check_coordinate_stiffness(const struct sight *x, unsigned long long *seed)
{
    (void)seed;
    if (!is_one_of(x, "twist coil end hold gas")) return;
    struct sight y = *x, lo, hi;
    y.s = 1, y.sc = 0;
    lo = hi = y;
    lo.q.q -= E, hi.q.q += E;
    struct force_out here = ask(&y), f0 = ask(&lo), f1 = ask(&hi);
    if (f0.closed != f1.closed) return;
    double slope = (f1.value[0] - f0.value[0]) / (2 * E), norm = six_dot(y.q.row, y.q.row);
    near_to(x, "dF/dq", slope, -six_dot(y.q.row, mat6_mul(&here.P, y.q.row)) / (norm * norm), 1e-5);
}

static void stiffness_along_a_coordinate_is_the_slope_of_the_force(void **state)
{
    (void)state;
    every_force(check_coordinate_stiffness);
}

/* Without force there is no geometric part: the tangent is the whole derivative. Both
 * bodies carried along together keep the spring and the bushing as they were placed. */
static void check_stiffness(const struct sight *x, unsigned long long *seed)
{
    if (!is_one_of(x, "spring bushing post")) return;
    struct sight y = *x;
    vec3 shift = pick_vector(seed, 1), turn = pick_vector(seed, 2);
    struct mat3 R = quat_matrix(quat_exp(turn));
    int grounded = x->f->body[0] < 0;
    y.s = 1, y.sc = 0, y.t = 0;
    for (int i = 0; i < 2; i++) {
        y.body[i] = start_of(x->m, x->f->body[i]);
        if (grounded) continue;
        y.body[i] = turned(y.body[i], turn);
        y.body[i].x = shift + mat3_mul(&R, y.body[i].x);
    }
    if (grounded)
        y.body[1].v = vec_make(0.3, 0, 0.2), y.body[0].v = vec_zero(); /* that of its offset */
    struct force_out here = ask(&y);
    same_six(x, "the force as placed", here.f, six_zero(), 1e-11);
    struct six d = {pick_vector(seed, 1), pick_vector(seed, 1)};
    for (int side = grounded; side < 2; side++) {
        struct six f[2];
        for (int k = 0; k < 2; k++) {
            struct sight z = y;
            double by = k ? E : -E;
            z.body[side] = turned(z.body[side], d.a * vec_splat(by));
            z.body[side].x += six_point(six_scale(by, d), y.body[side].x - y.o);
            f[k] = ask(&z).f;
        }
        struct six slope = six_scale(0.5 / E, six_sub(f[1], f[0]));
        same_six(x, "df/dx", slope, six_scale(side ? -1 : 1, mat6_mul(&here.P, d)), 1e-5);
    }
}

static void stiffness_tangents_are_exact_where_there_is_no_force(void **state)
{
    (void)state;
    every_force(check_stiffness);
}

/* ---- laws ---- */

/* A closed path in attitude and place ends with the energy it began with, and the work done
 * along it is what was stored: no curl. 4000 midpoint steps: error about 1e-6 J. */
static void a_bushing_gives_back_all_work_over_a_closed_path(void **state)
{
    (void)state;
    struct loading l = loading_good(TEXT);
    const struct model_force *f = loading_force(&l, "bushing");
    struct sight x = {.m = l.model, .f = f};
    double work = 0, size = 0;
    enum { STEPS = 4000 };
    for (int i = 0; i < STEPS; i++) {
        struct kin k[3];
        for (int j = 0; j < 3; j++) {
            double t = 2 * M_PI * (i + 0.5 * j) / STEPS;
            vec3 th = vec_make(0.9 * sin(t), 0.7 * sin(t + 1), 1.1 * cos(2 * t));
            k[j] = turned(start_of(l.model, f->body[1]), th);
            k[j].x += vec_make(0.2 * sin(2 * t), 0.3 * cos(t), 0.1 * sin(t));
        }
        x.body[0] = start_of(l.model, f->body[0]), x.body[1] = k[1];
        x.o = k[1].x;
        struct force_out out = ask(&x);
        struct mat3 back;
        for (int j = 0; j < 3; j++)
            back.c[j] = vec_make(k[0].R.c[0][j], k[0].R.c[1][j], k[0].R.c[2][j]);
        struct mat3 turn;
        for (int j = 0; j < 3; j++) turn.c[j] = mat3_mul(&k[2].R, back.c[j]);
        vec3 angle = vec_splat(0.5) * vec_make(turn.c[1][2] - turn.c[2][1],
                                               turn.c[2][0] - turn.c[0][2],
                                               turn.c[0][1] - turn.c[1][0]);
        work += vec_dot(out.f.l, k[2].x - k[0].x) + vec_dot(out.f.a, angle);
        size += fabs(vec_dot(out.f.a, angle));
    }
    near_to(&x, "the work over the path", work, 0, 1e-5 * size);
    assert_true(size > 10);
    loading_done(&l);
}

static void check_no_pull(const struct sight *x, unsigned long long *seed)
{
    (void)seed;
    if (!is_one_of(x, "ball ball-rough ball-both wheel end")) return;
    struct force_out out = ask(x);
    if (out.depth <= 0) {
        same_six(x, "the force of an open contact", out.f, six_zero(), 0);
        assert_int_equal(out.closed, 0);
        return;
    }
    if (is_one_of(x, "ball-rough ball-both wheel")) {
        vec3 f = vec_load(out.value), n = vec_make(0, 0, 1);
        double N = vec_dot(f, n), T = vec_norm(f - n * vec_splat(N)),
               mu = is_one_of(x, "wheel") ? 0.5 : 0.7;
        if (N < 0) fail_msg("%s pulls", model_text(x->m, x->f->name));
        if (T > mu * N * (1 + 1e-12))
            fail_msg("%s: friction %g beyond mu N %g", model_text(x->m, x->f->name), T, mu * N);
    }
}

static void contacts_never_pull_and_friction_stays_below_mu_n(void **state)
{
    (void)state;
    every_force(check_no_pull);
}

/* A force without moment about the centre's foot on the plane acts there. */
static void check_foot(const struct sight *x, unsigned long long *seed)
{
    (void)seed;
    if (!is_one_of(x, "ball-rough ball-both")) return;
    struct sight y = *x;
    y.o = vec_make(x->body[1].x[0], x->body[1].x[1], 0);
    near_to(x, "the moment about the foot", vec_norm(ask(&y).f.a), 0, 1e-12);
}

static void a_sphere_touches_the_plane_below_its_centre(void **state)
{
    (void)state;
    every_force(check_foot);
}

static void check_limit(const struct sight *x, unsigned long long *seed)
{
    (void)seed;
    double limit = is_one_of(x, "hold-weak") ? 10 : 20;
    if (!is_one_of(x, "hold-weak position")) return;
    struct sight far = *x;
    far.q.q += x->q.q > 0 ? 10 : -10;
    far.s = far.sc = 1;
    struct force_out out = ask(&far);
    near_to(x, "the force at the limit", fabs(out.value[0]), limit, 1e-12);
    near_to(x, "the tangent at the limit", entry(&out.P, 0, 0), 0, 0);
}

static void a_servo_keeps_its_limit_and_has_no_tangent_there(void **state)
{
    (void)state;
    every_force(check_limit);
}

static struct sight hard_friction(struct loading *l)
{
    struct sight x = {.m = l->model, .f = loading_force(l, "rub-hard"), .s = 1, .sc = 1};
    x.q.row = (struct six){vec_make(1, 0, 0), vec_zero()};
    return x;
}

/* 500 N: spring and damper with their own tangent below it, 500 N and no tangent beyond. */
static void dry_friction_is_a_spring_below_its_limit_and_constant_there(void **state)
{
    (void)state;
    struct loading l = loading_good(TEXT);
    for (double v = -0.1; v < 0.1; v += 0.0103)
        for (double z = -1e-4; z < 1e-4; z += 1.07e-5) {
            struct sight x = hard_friction(&l);
            x.q.qd = v, x.moved = z;
            struct force_out out = ask(&x);
            double f = STICK_K * z + STICK_C * v, limited = fmax(-500, fmin(500, f));
            near_to(&x, "the force", out.value[0], -limited, 1e-9);
            near_to(&x, "the tangent", entry(&out.P, 0, 0), f == limited ? STICK_K + STICK_C : 0,
                    1e-6);
        }
    loading_done(&l);
}

/* An iterate that slides forward after one that slid back would go back again: its tangent
 * is the secant, which leads to rest. */
static void an_iterate_that_turned_gets_the_secant(void **state)
{
    (void)state;
    struct loading l = loading_good(TEXT);
    struct sight x = hard_friction(&l);
    x.q.qd = 1, x.moved = 1e-3;
    x.state[0] = -500 / STICK_K, x.state[1] = 1;
    double share = 500 / (STICK_K * 1e-3 + STICK_C);
    struct force_out out = ask(&x);
    near_to(&x, "the tangent", entry(&out.P, 0, 0), share * (STICK_K + STICK_C), 1e-6);
    loading_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_force_is_tried),
        cmocka_unit_test(every_force_does_the_work_it_accounts_for),
        cmocka_unit_test(every_tangent_is_symmetric_and_positive),
        cmocka_unit_test(damping_tangents_are_the_derivatives_they_claim),
        cmocka_unit_test(stiffness_along_a_coordinate_is_the_slope_of_the_force),
        cmocka_unit_test(stiffness_tangents_are_exact_where_there_is_no_force),
        cmocka_unit_test(a_bushing_gives_back_all_work_over_a_closed_path),
        cmocka_unit_test(contacts_never_pull_and_friction_stays_below_mu_n),
        cmocka_unit_test(a_sphere_touches_the_plane_below_its_centre),
        cmocka_unit_test(a_servo_keeps_its_limit_and_has_no_tangent_there),
        cmocka_unit_test(dry_friction_is_a_spring_below_its_limit_and_constant_there),
        cmocka_unit_test(an_iterate_that_turned_gets_the_secant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
