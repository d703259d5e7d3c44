/* Joints locked and released while running: impact, order, energy.
 *
 * Situation: double pendulum of two rods (1 m, 1 kg), horizontal at rest; the elbow is
 * locked at 0.3 s and released at 0.6 s. Closed form of the jump: the impact at the elbow
 * keeps the angular momentum about the ground pivot and makes the rods turn together, so
 * w = (L about the pivot)/(I of both about the pivot).
 * Pendulum that swaps its pivot: a rod free at its other end with angular rate w takes the
 * new pivot with -w/2 and a quarter of its energy (radius of gyration l/sqrt 12).
 * Tolerances: the jump is a linear solve, 1e-9; orders 1.9 to 2.1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rt/solve/method.h"
#include "rt/solve/observe.h"
#include "rt/solve/topology.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"

static const char ELBOW[] =
    "model: elbow\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  a: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [1.5, 0, 0]}\njoints:\n"
    "  shoulder: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  elbow: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  lock: {type: fixed, between: [a, b], at: [1, 0, 0], switchable: true, released: true}\n"
    "sensors:\n  tip: {type: position, body: b, at: [2, 0, 0]}\n";
enum { LOCK = 2 };

static const char SWAP[] =
    "model: swap\ngravity: [0, 0, 0]\nbodies:\n"
    "  rod: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [-0.5, 0, 0], angular-velocity: [0, 0, 2]}\njoints:\n"
    "  right: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], switchable: true}\n"
    "  left: {type: revolute, between: [ground, rod], at: [-1, 0, 0], axis: [0, 0, 1], switchable: true, released: true}\n";

struct stage {
    struct model *m;
    struct mechanism me;
    struct diag_list diags;
};

static void open_stage(struct stage *s, const char *text)
{
    struct plan_options o = mechanism_options();
    *s = (struct stage){0};
    if (load_text("stage.yaml", text, strlen(text), 0, &s->m, &s->diags) != STATUS_OK ||
        mechanism_create(&s->me, s->m, &o, &s->diags) != STATUS_OK) {
        diag_print(&s->diags, stdout);
        fail();
    }
}

static void close_stage(struct stage *s)
{
    mechanism_destroy(&s->me);
    load_free(s->m);
    diag_clear(&s->diags);
}

static void steps(struct stage *s, double h, long n)
{
    struct step_limits l = {.iterations = 10, .tolerance = 1e-12};
    struct step_report r;
    for (long i = 0; i < n; i++)
        assert_int_not_equal(
            status_severity(method_advance(s->m, s->me.plan, &s->me.ws, h, &l, &r)), SEVERITY_BAD);
}

static double change(struct stage *s, int joint, int on)
{
    struct model_change c = {joint, on};
    double loss;
    assert_int_equal(topology_apply(s->m, s->me.plan, &s->me.ws, &c, 1, &loss), STATUS_OK);
    return loss;
}

static double energy(struct stage *s)
{
    struct observation o;
    observe_state(s->m, s->me.plan, &s->me.ws, PLAN_ASK_ALL, &o);
    return o.kinetic + o.weight + o.elastic;
}

static struct six *velocity(struct stage *s, int body)
{
    return &s->me.ws.v[s->me.plan->kin_of_body[body]];
}
static vec3 place(struct stage *s, int body) { return s->me.ws.x[s->me.plan->kin_of_body[body]]; }

/* Angular momentum about the origin, z. */
static double momentum(struct stage *s)
{
    double L = 0;
    for (int b = 0; b < 2; b++)
        L += vec_cross(place(s, b), velocity(s, b)->l)[2] + velocity(s, b)->a[2] / 12;
    return L;
}

static void locking_an_elbow_keeps_momentum_about_the_pivot(void **state)
{
    (void)state;
    struct stage s;
    open_stage(&s, ELBOW);
    assert_int_equal(s.me.plan->dof, 2);
    steps(&s, 1e-3, 300);
    double before = momentum(&s), I = 2. / 12, e = energy(&s);
    for (int b = 0; b < 2; b++) I += vec_dot(place(&s, b), place(&s, b));
    double loss = change(&s, LOCK, 1);
    assert_true(fabs(velocity(&s, 0)->a[2] - before / I) < 1e-9);
    assert_true(fabs(velocity(&s, 1)->a[2] - before / I) < 1e-9);
    assert_true(loss > 0 && fabs(e - energy(&s) - loss) < 1e-9);
    assert_true(fabs(change(&s, LOCK, 0)) < 1e-12); /* releasing loses nothing */
    close_stage(&s);
}

static vec3 tip_after(double h)
{
    struct stage s;
    open_stage(&s, ELBOW);
    steps(&s, h, lround(0.3 / h));
    change(&s, LOCK, 1);
    steps(&s, h, lround(0.3 / h));
    change(&s, LOCK, 0);
    steps(&s, h, lround(0.4 / h));
    struct observation o;
    double tip[3];
    observe_state(s.m, s.me.plan, &s.me.ws, PLAN_ASK_ALL, &o);
    observe_sensors(&o, tip);
    close_stage(&s);
    return vec_load(tip);
}

static void order_two_is_kept_through_lock_and_release(void **state)
{
    (void)state;
    vec3 fine = tip_after(1.25e-4);
    double e2 = vec_norm(tip_after(4e-3 / 2) - fine), e1 = vec_norm(tip_after(1e-3) - fine);
    printf("errors %.2e %.2e, order %.2f\n", e2, e1, log2(e2 / e1));
    assert_true(log2(e2 / e1) > 1.9 && log2(e2 / e1) < 2.1);
}

static void swapping_the_pivot_of_a_rod_leaves_minus_half_its_rate(void **state)
{
    (void)state;
    struct stage s;
    open_stage(&s, SWAP);
    struct model_change both[2] = {{0, 0}, {1, 1}};
    double loss, t = 0.5 * (1. / 3) * 4;
    steps(&s, 1e-3, 400);
    vec3 end = place(&s, 0) + (place(&s, 0) - vec_zero()); /* the free end: twice the mass centre */
    assert_int_equal(topology_apply(s.m, s.me.plan, &s.me.ws, both, 2, &loss), STATUS_OK);
    assert_true(fabs(velocity(&s, 0)->a[2] + 1) < 1e-6);
    assert_true(fabs(loss - 0.75 * t) < 1e-6);
    steps(&s, 1e-3, 400);
    vec3 arm = place(&s, 0) - end;
    assert_true(fabs(vec_norm(arm) - 0.5) < 1e-9); /* it turns about where it was taken */
    assert_true(fabs(velocity(&s, 0)->a[2] + 1) < 1e-6);
    close_stage(&s);
}

static void a_joint_that_cannot_switch_is_refused(void **state)
{
    (void)state;
    struct stage s;
    struct model_change c = {0, 0};
    open_stage(&s, ELBOW);
    assert_int_equal(topology_apply(s.m, s.me.plan, &s.me.ws, &c, 1, 0), STATUS_REFUSED);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locking_an_elbow_keeps_momentum_about_the_pivot),
        cmocka_unit_test(order_two_is_kept_through_lock_and_release),
        cmocka_unit_test(swapping_the_pivot_of_a_rod_leaves_minus_half_its_rate),
        cmocka_unit_test(a_joint_that_cannot_switch_is_refused),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
