/* The spanning forest: which joint carries each body. Pairs of bodies that their joints
 * together hold by most rows come first, of their joints those with most rows: a tree joint
 * is exact and leaves the fewest pivots, and what is cut inside a stiff pair (three planes,
 * spigot and bolt) keeps its conditioning wherever the mechanism goes. */
#include <stdlib.h>

#include "rt/mech/joint.h"
#include "services/plan/draft.h"

static int find(int *set, int v)
{
    while (set[v] != v) v = set[v] = set[set[v]];
    return v;
}

static int rows_of(const struct model *m, int j)
{
    int driven = __builtin_popcount(draft_driven(m, j));
    return JOINT_TYPE[model_joints(m)[j].type].n_rows + driven;
}

/* A joint that may carry a body, the pair of bodies it ties, and the rows of that pair. */
struct candidate {
    int joint, low, high, rows, pair;
};

static int by_pair(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high != b->high ? (a->high < b->high ? -1 : 1) : a->joint - b->joint;
}

static int by_hold(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->pair != b->pair) return b->pair - a->pair;
    return a->rows != b->rows ? b->rows - a->rows : a->joint - b->joint;
}

/* The joints that may be in the tree, best first. Returns how many. */
static int candidates(const struct draft *d, struct candidate *c)
{
    int n = 0;
    for (int j = 0; j < d->n_joints; j++) {
        if (!d->may_tree[j]) continue;
        int a = d->end[j][0] < 0 ? d->n : d->end[j][0], b = d->end[j][1] < 0 ? d->n : d->end[j][1];
        c[n++] = (struct candidate){j, a < b ? a : b, a < b ? b : a, rows_of(d->m, j), 0};
    }
    qsort(c, (size_t)n, sizeof *c, by_pair);
    for (int i = 0, k; i < n; i = k) {
        int sum = 0;
        for (k = i; k < n && c[k].low == c[i].low && c[k].high == c[i].high; k++) sum += c[k].rows;
        for (int e = i; e < k; e++) d->hold[c[e].joint] = (char)(c[e].pair = sum < 6 ? sum : 6);
    }
    qsort(c, (size_t)n, sizeof *c, by_hold);
    return n;
}

void draft_tree(struct draft *d)
{
    struct candidate *c = memory_take(d->memory, (size_t)d->n_joints + 1, sizeof *c);
    int *set = memory_take(d->memory, (size_t)d->n + 1, sizeof *set);
    d->parent_joint = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->parent = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->depth = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->dof = memory_take(d->memory, (size_t)d->n + 1, sizeof(int));
    d->hold = memory_take(d->memory, (size_t)d->n_joints + 1, 1);
    if (d->memory->failed) return;
    for (int v = 0; v <= d->n; v++) set[v] = v;
    int n = candidates(d, c);
    for (int i = 0; i < n; i++) {
        int a = find(set, c[i].low), b = find(set, c[i].high);
        if (a == b) continue;
        set[a] = b;
        d->tree[c[i].joint] = 1;
    }
    draft_hang(d);
}

struct adjacency {
    int *head, *next, *joint, *to;
};

static int other_end(const struct draft *d, int j, int v)
{
    return d->end[j][0] == v ? d->end[j][1] : d->end[j][0];
}

static void hang_from(struct draft *d, const struct adjacency *a, int *queue, int first, int last)
{
    while (first < last) {
        int u = queue[first++];
        for (int i = a->head[u]; i >= 0; i = a->next[i]) {
            int v = other_end(d, a->joint[i], u);
            if (v < 0 || d->depth[v] >= 0) continue;
            d->parent[v] = u;
            d->parent_joint[v] = a->joint[i];
            d->depth[v] = d->depth[u] + 1;
            queue[last++] = v;
        }
    }
}

static void count_dof(struct draft *d)
{
    for (int v = 0; v < d->n; v++) {
        int j = d->parent_joint[v];
        d->dof[v] = j < 0 ? 6
                          : JOINT_TYPE[model_joints(d->m)[j].type].n_free -
                                __builtin_popcount(draft_driven(d->m, j));
    }
}

struct root {
    double mass;
    int v;
};

static int by_mass(const void *x, const void *y)
{
    const struct root *a = x, *b = y;
    if (a->mass != b->mass) return a->mass > b->mass ? -1 : 1;
    return a->v - b->v;
}

/* One root per remaining tree: the heaviest body in it. */
static void mark_free_roots(struct draft *d, const struct adjacency *a, int *queue)
{
    size_t n = 0;
    struct root *free_body = malloc(sizeof *free_body * ((size_t)d->n + 1));
    if (!free_body) {
        d->memory->failed = 1;
        return;
    }
    for (int v = 0; v < d->n; v++)
        if (d->depth[v] < 0) free_body[n++] = (struct root){model_bodies(d->m)[d->body[v]].mass, v};
    qsort(free_body, n, sizeof *free_body, by_mass);
    for (size_t i = 0; i < n; i++) {
        int root = free_body[i].v;
        if (d->depth[root] >= 0) continue;
        d->parent[root] = d->parent_joint[root] = -1;
        d->depth[root] = 0;
        queue[0] = root;
        hang_from(d, a, queue, 0, 1);
    }
    free(free_body);
}

void draft_hang(struct draft *d)
{
    size_t n = (size_t)d->n + 1, e = 2 * (size_t)d->n_joints + 2;
    int *mem = malloc(sizeof(int) * (2 * n + 2 * e));
    if (!mem) {
        d->memory->failed = 1;
        return;
    }
    struct adjacency a = {.head = mem, .next = mem + n, .joint = mem + n + e};
    int *queue = mem + n + 2 * e, count = 0, last = 0;
    for (int v = 0; v <= d->n; v++) a.head[v] = -1;
    for (int v = 0; v < d->n; v++) d->depth[v] = -1;
    for (int j = 0; j < d->n_joints; j++) {
        if (!d->tree[j]) continue;
        for (int side = 0; side < 2; side++) {
            int v = d->end[j][side];
            if (v < 0) continue;
            a.joint[count] = j;
            a.next[count] = a.head[v];
            a.head[v] = count++;
        }
    }
    for (int j = 0; j < d->n_joints; j++) {
        if (!d->tree[j] || (d->end[j][0] >= 0 && d->end[j][1] >= 0)) continue;
        int v = d->end[j][0] < 0 ? d->end[j][1] : d->end[j][0];
        d->parent[v] = -1;
        d->parent_joint[v] = j;
        d->depth[v] = 0;
        queue[last++] = v;
    }
    hang_from(d, &a, queue, 0, last);
    mark_free_roots(d, &a, queue);
    count_dof(d);
    free(mem);
}
