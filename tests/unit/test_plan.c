/* What services/plan decides, and the elimination by itself.
 *
 * Elimination: on the plans of random mechanisms, with random matrices, directions and loads in
 * place of a mechanism's, the solution agrees with that of the dense system it stands for,
 *     minimise 1/2 e'K e + f'e over e = T theta, T: a body has its parent's e and S theta,
 * to rounding (1e-9 with the conditioning of such matrices). The parts are held to what plan.h
 * says of them, on every model that is shipped; symbolic elimination to what it must find on
 * graphs small enough to know it. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/solve/eliminate.h"
#include "services/plan/symbolic.h"
#include "tests/physics/model_run.h"
#include "tests/physics/random_mechanism.h"

/* ---- the elimination against dense algebra ---- */

static double drawn(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static struct six drawn_six(unsigned *seed)
{
    struct six s = six_zero();
    for (int i = 0; i < 3; i++) s.l[i] = drawn(seed), s.a[i] = drawn(seed);
    return s;
}

static double part_of_six(struct six s, int i) { return i < 3 ? s.l[i] : s.a[i - 3]; }

static void add_to_six(struct six *s, int i, double v)
{
    if (i < 3)
        s->l[i] += v;
    else
        s->a[i - 3] += v;
}

static struct mat6 drawn_matrix(unsigned *seed, double size, double diagonal)
{
    struct mat6 m;
    for (int j = 0; j < 6; j++) m.c[j] = six_scale(size, drawn_six(seed));
    for (int j = 0; j < 6; j++) add_to_six(&m.c[j], j, diagonal);
    return m;
}

static void make_symmetric(struct mat6 *m)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double d = part_of_six(m->c[i], j) - part_of_six(m->c[j], i);
            add_to_six(&m->c[j], i, d);
        }
}

/* The dense system: K (6n x 6n), T (6n x columns). */
struct full {
    int n, columns;
    double *K, *T, *f;
};

static double *at(double *a, int columns, int i, int j)
{
    return a + (size_t)i * (size_t)columns + (size_t)j;
}

static void put_block(struct full *q, int row, int column, const struct mat6 *m)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double v = part_of_six(m->c[j], i);
            *at(q->K, q->n, 6 * row + i, 6 * column + j) = v;
            *at(q->K, q->n, 6 * column + j, 6 * row + i) = v;
        }
}

/* Random numbers into the workspace, and the same into the dense system. */
static void fill(const struct plan *p, struct workspace *ws, struct full *q, unsigned *seed)
{
    for (int k = p->n - 1; k >= 0; k--) {
        const struct plan_link *l = &p->link[k];
        ws->K[k] = drawn_matrix(seed, 0.5, 8);
        make_symmetric(&ws->K[k]);
        put_block(q, k, k, &ws->K[k]);
        ws->f[k] = drawn_six(seed);
        ws->dp[k] = drawn_six(seed);
        for (int i = 0; i < 6; i++) {
            q->f[6 * k + i] = part_of_six(ws->f[k], i);
            for (int c = 0; c < q->columns && l->parent != PLAN_NONE; c++)
                *at(q->T, q->columns, 6 * k + i, c) = *at(q->T, q->columns, 6 * l->parent + i, c);
        }
        for (int c = 0; c < l->n_free; c++) {
            ws->S[l->s_at + c] = drawn_six(seed);
            for (int i = 0; i < 6; i++)
                *at(q->T, q->columns, 6 * k + i, l->s_at + c) += part_of_six(ws->S[l->s_at + c], i);
        }
    }
    for (int i = 0; i < p->n_blocks; i++) ws->block[i] = drawn_matrix(seed, 0.1, 0);
    for (int i = 0; i < p->n_ops; i++)
        for (int j = 0; j < p->op[i].n_next; j++) {
            const int *nb = p->list + p->op[i].nb_at + 2 * j;
            if (nb[1] != PLAN_NONE) put_block(q, nb[0], p->op[i].slot, &ws->block[nb[1]]);
        }
}

/* theta of H theta = -g by Cholesky; H and g are spoiled. */
static void solve_dense(double *H, double *g, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double v = *at(H, n, i, j);
            for (int k = 0; k < j; k++) v -= *at(H, n, i, k) * *at(H, n, j, k);
            *at(H, n, i, j) = i == j ? sqrt(v) : v / *at(H, n, j, j);
        }
    for (int i = 0; i < n; i++) {
        g[i] = -g[i];
        for (int k = 0; k < i; k++) g[i] -= *at(H, n, i, k) * g[k];
        g[i] /= *at(H, n, i, i);
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) g[i] -= *at(H, n, k, i) * g[k];
        g[i] /= *at(H, n, i, i);
    }
}

/* d = T theta + dp of the dense system into d[6n]. */
static void answer(const struct full *q, const struct workspace *ws, double *d)
{
    int m = q->columns;
    size_t n = (size_t)q->n, c = (size_t)m;
    double *KT = calloc(n * c + 1, sizeof *KT), *H = calloc(c * c + 1, sizeof *H),
           *g = calloc(c + 1, sizeof *g);
    for (int i = 0; i < q->n; i++)
        for (int k = 0; k < q->n; k++)
            for (int j = 0; j < m && *at(q->K, q->n, i, k) != 0; j++)
                *at(KT, m, i, j) += *at(q->K, q->n, i, k) * *at(q->T, m, k, j);
    for (int i = 0; i < q->n; i++)
        for (int j = 0; j < m; j++) {
            g[j] += *at(q->T, m, i, j) * q->f[i];
            for (int k = 0; k < m; k++) *at(H, m, j, k) += *at(q->T, m, i, j) * *at(KT, m, i, k);
        }
    solve_dense(H, g, m);
    for (int i = 0; i < q->n; i++) {
        d[i] = part_of_six(ws->dp[i / 6], i % 6);
        for (int j = 0; j < m; j++) d[i] += *at(q->T, m, i, j) * g[j];
    }
    free(KT);
    free(H);
    free(g);
}

static double disagreement(const struct plan *p, struct workspace *ws, unsigned seed)
{
    size_t n = 6 * (size_t)p->n, c = (size_t)p->n_columns;
    struct full q = {6 * p->n, p->n_columns, calloc(n * n + 1, 8), calloc(n * c + 1, 8),
                     calloc(n + 1, 8)};
    double *d = calloc(n + 1, 8), worst = 0, largest = 0;
    fill(p, ws, &q, &seed);
    answer(&q, ws, d);
    assert_true(eliminate_factor(p, ws) > 0);
    eliminate_solve(p, ws, ws->S);
    for (int i = 0; i < q.n; i++) {
        worst = fmax(worst, fabs(part_of_six(ws->d[i / 6], i % 6) - d[i]));
        largest = fmax(largest, fabs(d[i]));
    }
    free(q.K);
    free(q.T);
    free(q.f);
    free(d);
    return worst / largest;
}

static void the_elimination_solves_what_dense_algebra_solves(void **state)
{
    static char text[1 << 16];
    int tried = 0, with_blocks = 0;
    (void)state;
    for (unsigned seed = 1; seed <= 120; seed++) {
        struct random_options o = {.free_floating = seed % 3 == 0, .small = seed % 2};
        struct diag_list diags = {0};
        struct trial_options t = trial_options();
        struct trial trial;
        random_mechanism(seed, &o, text, sizeof text);
        if (trial_open_text(&trial, text, &t, &diags) == STATUS_OK) {
            const struct plan *p = trial.mechanism.plan;
            model_run_within("the difference", disagreement(p, &trial.mechanism.ws, seed), 0, 1e-9);
            tried++;
            with_blocks += p->n_blocks > 0;
        }
        trial_close(&trial);
        diag_clear(&diags);
    }
    assert_true(tried > 80);
    assert_true(with_blocks > 20);
}

/* ---- parts ---- */

static int in_run(const struct plan_part *t, int slot)
{
    return slot >= t->slot_at && slot < t->slot_at + t->n_slots;
}

static int in_border(const struct plan *p, const struct plan_part *t, int slot)
{
    for (int i = 0; i < t->n_border; i++)
        if (p->border[t->border_at + i] == slot) return 1;
    return 0;
}

static void holds(const struct plan *p, const struct plan_part *t, int slot)
{
    assert_true(slot == PLAN_NONE || in_run(t, slot) || in_border(p, t, slot));
}

static void check_part(const struct plan *p, int index)
{
    const struct plan_part *t = &p->part[index];
    for (int k = t->slot_at; k < t->slot_at + t->n_slots; k++) {
        assert_int_equal(p->op[k].slot, k);
        assert_in_range(p->link[k].s_at, t->column_at, t->column_at + t->n_columns);
        for (int j = 0; j < p->op[k].n_next; j++) holds(p, t, p->list[p->op[k].nb_at + 2 * j]);
    }
    for (int i = t->cut_at; i < t->cut_at + t->n_cuts; i++) {
        holds(p, t, p->cut[i].slot[0]), holds(p, t, p->cut[i].slot[1]);
        assert_in_range(p->cut[i].row_at, t->row_at, t->row_at + t->n_rows - 1);
    }
    for (int i = t->sum_at; i < t->sum_at + t->n_sums; i++)
        for (int s = 0; s < p->sum[i].n_slots; s++) holds(p, t, p->sum[i].slot[s]);
    for (int i = t->force_at; i < t->force_at + t->n_forces; i++)
        holds(p, t, p->force[i].slot[0]), holds(p, t, p->force[i].slot[1]);
    for (int i = 0; i < t->n_border; i++) {
        int slot = p->border[t->border_at + i];
        assert_true(slot >= t->slot_at + t->n_slots);
        holds(p, &p->part[t->parent], slot); /* the parent takes it over or hands it on */
    }
    assert_in_range(t->shape, 0, index);
    assert_int_equal(p->part[t->shape].shape, t->shape);
}

/* Runs follow each other without gap and hold everything; children come before their parent. */
static void check_parts(const struct plan *p)
{
    struct plan_part sum = {0};
    for (int i = 0; i < p->n_parts; i++) {
        const struct plan_part *t = &p->part[i];
        assert_int_equal(t->slot_at, sum.n_slots);
        assert_int_equal(t->column_at, sum.n_columns);
        assert_int_equal(t->cut_at, sum.n_cuts);
        assert_int_equal(t->sum_at, sum.n_sums);
        assert_int_equal(t->row_at, sum.n_rows);
        assert_int_equal(t->force_at, sum.n_forces);
        sum.n_slots += t->n_slots, sum.n_columns += t->n_columns, sum.n_cuts += t->n_cuts;
        sum.n_sums += t->n_sums, sum.n_rows += t->n_rows, sum.n_forces += t->n_forces;
        assert_true(i == p->n_parts - 1 ? t->parent == PLAN_NONE : t->parent > i);
        check_part(p, i);
    }
    assert_int_equal(sum.n_slots, p->n);
    assert_int_equal(sum.n_columns, p->n_columns);
    assert_int_equal(sum.n_cuts, p->n_cuts);
    assert_int_equal(sum.n_sums, p->n_sums);
    assert_int_equal(sum.n_rows, p->n_rows);
    assert_int_equal(sum.n_forces, p->n_forces);
}

static void parts_are_runs_that_meet_the_rest_at_their_border(void **state)
{
    glob_t found;
    int several = 0;
    (void)state;
    assert_int_equal(glob("config/models/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct model_run r;
        struct trial_options o = model_run_options(1e-3);
        model_run_open(&r, found.gl_pathv[i], &o);
        check_parts(r.trial.mechanism.plan);
        several += r.trial.mechanism.plan->n_parts > 1;
        model_run_close(&r);
    }
    globfree(&found);
    assert_true(several >= 4);
}

/* The first drive of the robot sits on its base, which does not move; the others are on links. */
static void equal_components_have_equal_shapes(void **state)
{
    struct model_run r;
    struct trial_options o = model_run_options(1e-3);
    (void)state;
    model_run_open(&r, "config/models/kr15.yaml", &o);
    const struct plan *p = r.trial.mechanism.plan;
    assert_int_equal(p->n_parts, 7);
    assert_int_equal(p->part[0].shape, 0);
    for (int i = 1; i < 6; i++) assert_int_equal(p->part[i].shape, 1);
    assert_int_equal(p->part[6].shape, 6);
    model_run_close(&r);
}

/* ---- the symbolic elimination ---- */

static void children_go_before_their_parent_and_ends_before_the_middle(void **state)
{
    /* a chain 0 - 1 - 2 - 3 hung at 0, and a spring from 1 to 3 */
    static const int parent[] = {-1, 0, 1, 2}, dof[] = {1, 1, 1, 1};
    static const struct draft_edge spring[] = {{1, 3}};
    struct symbolic_graph g = {.n = 4, .parent = parent, .dof = dof};
    int order[4], depth = 0;
    (void)state;
    g.depth = &depth;
    double chain = symbolic_eliminate(&g, order, NULL, NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(order[i], 3 - i);
    assert_int_equal(depth, 4);
    g.edge = spring, g.n_edges = 1;
    double more = symbolic_eliminate(&g, order, NULL, NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(order[i], 3 - i);
    assert_true(more > chain);
}

static void count_next(void *context, const struct symbolic_step *step)
{
    ((int *)context)[step->vertex] = step->n_next;
}

/* Free bodies around one: the middle goes last, and nobody is coupled by fill. Taken first, by
 * its level, it couples all the others. */
static void fill_is_what_the_order_makes_it(void **state)
{
    static const int parent[] = {-1, -1, -1, -1, -1}, dof[] = {6, 6, 6, 6, 6};
    static const int level[] = {1, 0, 0, 0, 0};
    static const struct draft_edge star[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    struct symbolic_graph g = {.n = 5, .n_edges = 4, .edge = star, .parent = parent, .dof = dof};
    int next[5], order[5];
    (void)state;
    double outside_in = symbolic_eliminate(&g, order, count_next, next);
    assert_true(order[3] == 0 || order[4] == 0);
    for (int v = 1; v < 5; v++) assert_true(next[v] <= 1);
    g.level = level;
    double inside_out = symbolic_eliminate(&g, order, count_next, next);
    assert_int_equal(order[0], 0);
    assert_int_equal(next[0] + next[1] + next[2] + next[3] + next[4], 4 + 3 + 2 + 1);
    assert_true(inside_out > 2 * outside_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_elimination_solves_what_dense_algebra_solves),
        cmocka_unit_test(parts_are_runs_that_meet_the_rest_at_their_border),
        cmocka_unit_test(equal_components_have_equal_shapes),
        cmocka_unit_test(children_go_before_their_parent_and_ends_before_the_middle),
        cmocka_unit_test(fill_is_what_the_order_makes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
