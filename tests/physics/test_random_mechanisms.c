/* Two solvers written apart agree on 500 random mechanisms, and what must be conserved is.
 *
 * Situation: seeded trees of 2 to 40 bodies with joints of all types, up to three loops,
 * springs, bushings, gears, drives; at least a fifth has redundant rows.
 * Tolerances. One step from the same state, Newton at 1e-12: positions within 1e-9 of the
 * largest increment, velocities 1e-8, accelerations and wrenches 1e-6 relative: the dense
 * LU and the elimination round differently by about 1e-16 x 1e8 (weights of cut rows).
 * Linear momentum: 1e-12 of the sum of |m v| (the rule keeps it to rounding). Angular
 * momentum and energy: errors fall with order 2, 1.8 to 2.2 in at least 95 % of the
 * mechanisms whose error is above rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rt/solve/dense.h"
#include "rt/solve/method.h"
#include "rt/solve/observe.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"
#include "tests/physics/random_mechanism.h"

enum { COUNT = 500, STEPS = 20, WARM = 10, TEXT = 200000 };
static const double ROUNDING = 2e-14; /* m, of coordinates of some metres */

struct built {
    struct model *model;
    struct mechanism me;
    struct diag_list diags;
};

static int build(struct built *b, unsigned seed, const struct random_options *o, char *text)
{
    size_t n = random_mechanism(seed, o, text, TEXT);
    *b = (struct built){0};
    if (load_text("random.yaml", text, n, 0, &b->model, &b->diags) != STATUS_OK) {
        diag_print(&b->diags, stdout);
        return 0;
    }
    struct plan_options p = mechanism_options();
    p.wrenches = 1;
    if (mechanism_create(&b->me, b->model, &p, &b->diags) == STATUS_OK) return 1;
    printf("seed %u:\n", seed);
    diag_print(&b->diags, stdout);
    return 0;
}

static void drop(struct built *b)
{
    mechanism_destroy(&b->me);
    load_free(b->model);
    diag_clear(&b->diags);
}

static double gap(struct six x, struct six y) { return vec_norm(x.l - y.l) + vec_norm(x.a - y.a); }

static double size(struct six x) { return vec_norm(x.l) + vec_norm(x.a); }

struct agreement {
    double x, v, a, w;
};

/* Largest difference of two workspaces after one step, relative to the largest value. */
static struct agreement compare(const struct plan *p, const struct workspace *f,
                                const struct workspace *d, const vec3 *before)
{
    double dx = 0, mx = 0, dv = 0, mv = 0, da = 0, ma = 0, dw = 0, mw = 0;
    for (int k = 0; k < p->n; k++) {
        mx = fmax(mx, vec_norm(f->x[k] - before[k]));
        dx = fmax(dx, vec_norm(f->x[k] - d->x[k]));
        mv = fmax(mv, size(f->v[k])), dv = fmax(dv, gap(f->v[k], d->v[k]));
        ma = fmax(ma, size(f->a[k])), da = fmax(da, gap(f->a[k], d->a[k]));
        if (p->link[k].joint == PLAN_NONE) continue;
        mw = fmax(mw, size(f->wrench[k])), dw = fmax(dw, gap(f->wrench[k], d->wrench[k]));
    }
    if (dx < ROUNDING) dx = 0;
    return (struct agreement){dx / mx, dv / mv, da / ma, mw > 0 ? dw / mw : 0};
}

/* Returns 0 when the motion itself ends: the fast path has met a dead point it cannot
 * pass, and so has the dense one. */
static int run_both(struct built *b, struct agreement *worst)
{
    const struct plan *p = b->me.plan;
    struct workspace other;
    struct dense dense;
    vec3 before[64];
    int alive = 1;
    size_t bytes = (dense_memsize(b->model, p) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    assert_non_null(memory);
    assert_int_equal(mechanism_workspace(&b->me, &other), STATUS_OK);
    assert_int_equal(dense_init(&dense, b->model, p, memory, bytes), STATUS_OK);
    struct step_limits l = {.iterations = 20, .tolerance = 1e-12};
    struct step_report fast, slow;
    *worst = (struct agreement){0};
    for (int i = 0; i < STEPS && alive; i++) {
        workspace_copy(&other, &b->me.ws);
        for (int k = 0; k < p->n; k++) before[k] = b->me.ws.x[k];
        enum status s1 = method_advance(b->model, p, &b->me.ws, 1e-3, &l, &fast);
        enum status s2 = dense_advance(b->model, p, &other, &dense, 1e-3, &l, &slow);
        alive = status_severity(s1) != SEVERITY_BAD && status_severity(s2) != SEVERITY_BAD;
        if (!alive || i < WARM) continue; /* from rest the increments are rounding */
        struct agreement a = compare(p, &b->me.ws, &other, before);
        worst->x = fmax(worst->x, a.x), worst->v = fmax(worst->v, a.v);
        worst->a = fmax(worst->a, a.a), worst->w = fmax(worst->w, a.w);
    }
    free(memory);
    return alive;
}

static void fast_and_dense_path_agree_on_500_random_mechanisms(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    int redundant = 0, loops = 0, compared = 0;
    unsigned seed = 0;
    struct agreement worst = {0};
    assert_non_null(text);
    for (; compared < COUNT && seed < COUNT + COUNT / 50; seed++) {
        struct built b;
        struct random_options o = {0};
        struct agreement a;
        if (!build(&b, seed, &o, text) || !run_both(&b, &a)) {
            printf("seed %u is left out\n", seed);
            drop(&b);
            continue;
        }
        assert_true(b.me.plan->dof >= 1);
        compared++;
        redundant += b.me.plan->redundant > 0;
        loops += b.me.plan->n_loops > 0;
        if (a.x > 1e-9 || a.v > 1e-8 || a.a > 1e-6 || a.w > 1e-6)
            fail_msg("seed %u: x %.1e v %.1e a %.1e w %.1e", seed, a.x, a.v, a.a, a.w);
        worst.x = fmax(worst.x, a.x), worst.v = fmax(worst.v, a.v);
        worst.a = fmax(worst.a, a.a), worst.w = fmax(worst.w, a.w);
        drop(&b);
    }
    assert_int_equal(compared, COUNT); /* at most 2 % are left out */
    printf("worst: x %.1e v %.1e a %.1e w %.1e; %d with loops, %d with redundant rows\n", worst.x,
           worst.v, worst.a, worst.w, loops, redundant);
    assert_true(redundant >= COUNT / 5);
    free(text);
}

struct invariants {
    vec3 linear, angular;
    double scale, energy;
};

static struct invariants measure(const struct built *b)
{
    struct invariants r = {vec_zero(), vec_zero(), 0, 0};
    struct observation o;
    struct workspace ws = b->me.ws;
    observe_state(b->model, b->me.plan, &ws, PLAN_ASK_ALL, &o);
    for (int k = 0; k < b->me.plan->n; k++) {
        const struct kin *q = &ws.kin[k];
        vec3 mv = q->v * vec_splat(b->me.plan->body[k].m);
        r.linear += mv;
        r.scale += vec_norm(mv);
        r.angular += vec_cross(q->x, mv) + mat3_mul(&ws.Jw[k], q->w);
    }
    r.energy = o.kinetic + o.weight + o.elastic;
    return r;
}

static void advance(struct built *b, double h, double until)
{
    struct step_limits l = {.iterations = 20, .tolerance = 1e-13};
    struct step_report report;
    mechanism_reset(&b->me, &b->me.ws);
    long n = lround(until / h);
    for (long i = 0; i < n; i++) {
        enum status s = method_advance(b->model, b->me.plan, &b->me.ws, h, &l, &report);
        assert_int_not_equal(status_severity(s), SEVERITY_BAD);
    }
}

static void free_systems_keep_linear_momentum_to_rounding(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    struct random_options o = {.free_floating = 1};
    for (unsigned seed = 1000; seed < 1100; seed++) {
        struct built b;
        if (!build(&b, seed, &o, text)) {
            drop(&b);
            continue;
        }
        struct invariants start = measure(&b);
        advance(&b, 1e-3, 0.05);
        struct invariants end = measure(&b);
        double drift = vec_norm(end.linear - start.linear);
        if (drift > 1e-12 * fmax(start.scale, end.scale))
            fail_msg("seed %u: linear momentum off by %.1e of %.1e", seed, drift, start.scale);
        drop(&b);
    }
    free(text);
}

/* Order seen between two errors, or 2 when both are rounding. */
static double order_of(double coarse, double fine, double floor)
{
    if (coarse < floor || fine < floor) return 2;
    return log2(coarse / fine);
}

static void angular_momentum_and_energy_errors_fall_with_order_two(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    struct random_options o = {.free_floating = 1, .conservative = 1};
    int n = 0, off_momentum = 0, off_energy = 0;
    for (unsigned seed = 2000; seed < 2120; seed++) {
        struct built b;
        double dl[2], de[2];
        if (!build(&b, seed, &o, text)) {
            drop(&b);
            continue;
        }
        struct invariants start = measure(&b);
        for (int i = 0; i < 2; i++) {
            advance(&b, i ? 5e-4 : 1e-3, 0.1);
            struct invariants end = measure(&b);
            dl[i] = vec_norm(end.angular - start.angular);
            de[i] = fabs(end.energy - start.energy);
        }
        double pl = order_of(dl[0], dl[1], 1e-11), pe = order_of(de[0], de[1], 1e-11);
        if (pl < 1.8 || pl > 2.2)
            off_momentum++, printf("seed %u: momentum order %.2f (%.1e)\n", seed, pl, dl[0]);
        if (pe < 1.8 || pe > 2.2)
            off_energy++, printf("seed %u: energy order %.2f (%.1e)\n", seed, pe, de[0]);
        n++;
        drop(&b);
    }
    assert_true(n >= 100);
    printf("%d of %d momentum, %d of %d energy outside 1.8 .. 2.2\n", off_momentum, n, off_energy,
           n);
    assert_true(off_momentum <= n / 20);
    assert_true(off_energy <= n / 20);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_dense_path_agree_on_500_random_mechanisms),
        cmocka_unit_test(free_systems_keep_linear_momentum_to_rounding),
        cmocka_unit_test(angular_momentum_and_energy_errors_fall_with_order_two),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
