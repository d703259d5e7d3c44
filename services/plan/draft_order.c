/* The elimination order and the cut set, by symbolic cost.
 *
 * Two orders are tried: along the user's component tree (part by part) and by cost
 * alone; the first is taken unless the second is clearly cheaper. The cut set is
 * improved by hill climbing inside loops: swap a cut joint with a tree joint of its
 * cycle, or cut a tree joint outright; each trial is a symbolic elimination. */
#include <stdlib.h>
#include <string.h>

#include "rt/mech/joint.h"
#include "services/plan/draft.h"
#include "services/plan/symbolic.h"

enum { TRIALS_WORK = 1000000 }; /* vertices visited in all trials */
static const double WAIT = 60;             /* flops an operation costs that must wait */
static const double LEAVE_HIERARCHY = 0.9; /* cost alone must be this much cheaper */

struct edges {
    struct draft_edge *edge;
    int n, capacity, failed;
};

static void edge_add(struct edges *e, int u, int v)
{
    if (u < 0 || v < 0 || u == v) return;
    if (e->n == e->capacity) {
        int c = e->capacity ? 2 * e->capacity : 64;
        struct draft_edge *p = realloc(e->edge, sizeof *p * (size_t)c);
        if (!p) {
            e->failed = 1;
            return;
        }
        e->edge = p;
        e->capacity = c;
    }
    e->edge[e->n++] = (struct draft_edge){u, v};
}

static int force_vertex(const struct draft *d, int body)
{
    return body == MODEL_GROUND ? -1 : d->vertex[body];
}

static void collect_edges(const struct draft *d, struct edges *e)
{
    const struct model *m = d->m;
    e->n = 0;
    for (int j = 0; j < d->n_joints; j++) {
        if (JOINT_TYPE[model_joints(m)[j].type].special == JOINT_SUM) {
            int v[6], n = draft_sum_vertices(d, j, v);
            for (int a = 0; a < n; a++)
                for (int b = a + 1; b < n; b++) edge_add(e, v[a], v[b]);
        } else if (!d->tree[j]) {
            edge_add(e, d->end[j][0], d->end[j][1]);
        }
    }
    for (uint32_t i = 0; i < m->forces.n; i++) {
        const struct model_force *f = &model_forces(m)[i];
        edge_add(e, force_vertex(d, f->body[0]), force_vertex(d, f->body[1]));
    }
}

/* Multiply-adds of assembling and loading the rows of the cuts. */
static double rows_cost(const struct draft *d)
{
    double c = 0;
    for (int j = 0; j < d->n_joints; j++)
        if (!d->tree[j] && JOINT_TYPE[model_joints(d->m)[j].type].special != JOINT_SUM)
            c += 150 + 60. * JOINT_TYPE[model_joints(d->m)[j].type].n_rows;
    return c;
}

static double cost(struct draft *d, struct edges *e, const int *level, int *order, int *depth)
{
    collect_edges(d, e);
    struct symbolic_graph g = {d->n, e->n, e->edge, d->parent, d->dof, level, 0};
    g.depth = depth;
    double f = symbolic_eliminate(&g, order, 0, 0);
    if (f < 0 || e->failed) {
        d->failed = 1;
        return 1e300;
    }
    return f + rows_cost(d);
}

/* ---- hill climbing ---- */

struct climb {
    struct draft *d;
    struct edges *e;
    double best;    /* flops */
    int depth;
    long work;
};

/* 1 if the tree as it stands costs less. Operations that wait for each other cost time of
 * their own, WAIT flops each; that counts where joints are swapped, not where the tree is
 * cut outright (measured: a chain cut in the middle is no faster). */
static int improves(struct climb *c, double wait)
{
    int depth;
    if (c->work > TRIALS_WORK) return 0;
    c->work += c->d->n + c->d->n_joints;
    draft_hang(c->d);
    double f = cost(c->d, c->e, 0, 0, &depth);
    if (f + wait * depth >= 0.999 * (c->best + wait * c->depth)) return 0;
    c->best = f;
    c->depth = depth;
    return 1;
}

/* Try to take cut joint j into the tree instead of tree joint i. */
static int swap_joints(struct climb *c, int j, int i)
{
    c->d->tree[j] = 1;
    c->d->tree[i] = 0;
    if (improves(c, WAIT)) return 1;
    c->d->tree[j] = 0;
    c->d->tree[i] = 1;
    return 0;
}

/* Tree joints on the cycle that cut j closes, at most `most`. */
static int cycle_joints(const struct draft *d, int j, int *out, int most)
{
    int u = d->end[j][0], v = d->end[j][1], n = 0;
    while (u != v && n < most) {
        int *deeper = u < 0 || (v >= 0 && d->depth[v] > d->depth[u]) ? &v : &u;
        if (*deeper < 0) break;
        int pj = d->parent_joint[*deeper];
        if (pj < 0) break;
        out[n++] = pj;
        *deeper = d->parent[*deeper];
    }
    return n;
}

static int rows(const struct draft *d, int j)
{
    return JOINT_TYPE[model_joints(d->m)[j].type].n_rows;
}

/* Tree joint i may be left for j: it holds no more, and its bodies are held no tighter. */
static int may_leave(const struct draft *d, int i, int j)
{
    return d->hold[i] <= d->hold[j] && rows(d, i) <= rows(d, j);
}

static int pass(struct climb *c)
{
    struct draft *d = c->d;
    int changed = 0, cycle[64];
    for (int j = 0; j < d->n_joints; j++) {
        if (d->tree[j] || !d->may_tree[j]) continue;
        draft_hang(d);
        int n = cycle_joints(d, j, cycle, 64);
        for (int k = 0; k < n; k++)
            if (may_leave(d, cycle[k], j) && swap_joints(c, j, cycle[k])) {
                changed = 1;
                break;
            }
    }
    for (int j = 0; j < d->n_joints; j++) {
        if (!d->tree[j] || d->hold[j] > rows(d, j)) continue; /* one of several: stays */
        d->tree[j] = 0;
        if (improves(c, 0))
            changed = 1;
        else
            d->tree[j] = 1;
    }
    draft_hang(d);
    return changed;
}

static void improve_cuts(struct draft *d, struct edges *e)
{
    if (!e->n && !d->n_blocks) return;
    struct climb c = {.d = d, .e = e};
    c.best = cost(d, e, 0, 0, &c.depth);
    while (pass(&c) && c.work < TRIALS_WORK) continue;
    draft_hang(d);
}

void draft_order(struct draft *d)
{
    struct edges e = {0};
    d->order = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->level = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->node = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->part_of = memory_take(d->memory, d->m->components.n + 1, sizeof(int));
    if (d->memory->failed) return;
    collect_edges(d, &e);
    improve_cuts(d, &e);
    collect_edges(d, &e);
    draft_parts(d, e.edge, e.n);
    d->flops = cost(d, &e, 0, d->order, 0);
    if (d->m->components.n > 1) {
        int *along = malloc(sizeof(int) * ((size_t)d->n + 1));
        if (!along) d->failed = 1;
        double f = along ? cost(d, &e, d->level, along, 0) : 1e300;
        d->left_hierarchy = d->flops < LEAVE_HIERARCHY * f;
        if (!d->left_hierarchy && along) {
            memcpy(d->order, along, sizeof(int) * (size_t)d->n);
            d->flops = f;
        }
        free(along);
    }
    if (d->left_hierarchy || d->m->components.n <= 1) draft_one_part(d);
    free(e.edge);
}
