/* The flat list of operations and the off-diagonal blocks, by replaying the symbolic
 * elimination in the chosen order. */
#include <stdlib.h>

#include "services/plan/layout_parts.h"
#include "services/plan/symbolic.h"

/* Block of each coupled pair: a hash from (early, late). */
struct pairs {
    unsigned long long *key;
    int *value;
    size_t size;  /* power of two */
    size_t used;
    int failed;
};

static int pairs_grow(struct pairs *p);

static size_t place_of(const struct pairs *p, unsigned long long key)
{
    size_t i = (size_t)(key * 0x9E3779B97F4A7C15ull) & (p->size - 1);
    while (p->key[i] && p->key[i] != key) i = (i + 1) & (p->size - 1);
    return i;
}

/* Block of (a, b), made if new; slots. */
static int pair_block(struct pairs *p, int a, int b, int *n_blocks)
{
    if (2 * (p->used + 1) > p->size && !pairs_grow(p)) return 0;
    int early = a < b ? a : b, late = a < b ? b : a;
    unsigned long long key = ((unsigned long long)(unsigned)early << 32 | (unsigned)late) + 1;
    size_t i = place_of(p, key);
    if (!p->key[i]) {
        p->key[i] = key;
        p->value[i] = (*n_blocks)++;
        p->used++;
    }
    return p->value[i];
}

static int pairs_grow(struct pairs *p)
{
    struct pairs q = {.size = p->size ? 2 * p->size : 256};
    q.key = calloc(q.size, sizeof *q.key);
    q.value = malloc(sizeof *q.value * q.size);
    if (!q.key || !q.value) {
        free(q.key);
        free(q.value);
        p->failed = 1;
        return 0;
    }
    for (size_t i = 0; i < p->size; i++)
        if (p->key[i]) {
            size_t at = place_of(&q, p->key[i]);
            q.key[at] = p->key[i];
            q.value[at] = p->value[i];
        }
    q.used = p->used;
    free(p->key);
    free(p->value);
    *p = q;
    return 1;
}

struct emit {
    struct layout *y;
    struct pairs pairs;
    struct plan_op *op;
    int *list;
    size_t n_list, cap_list;
};

static void put(struct emit *e, int v)
{
    int *p = memory_grow(e->y->d->memory, e->list, e->n_list, &e->cap_list, sizeof(int));
    if (!p) return;
    e->list = p;
    e->list[e->n_list++] = v;
}

/* Sorted later neighbours besides the parent; returns if the parent is coupled too. */
static int sorted_next(const struct emit *e, const struct symbolic_step *s, int parent, int *out,
                       int *n)
{
    int with_parent = 0;
    *n = 0;
    for (int i = 0; i < s->n_next; i++) {
        int k = e->y->slot[s->next[i]];
        if (k == parent)
            with_parent = 1;
        else
            out[(*n)++] = k;
    }
    for (int i = 1; i < *n; i++)
        for (int j = i; j > 0 && out[j - 1] > out[j]; j--) {
            int t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    return with_parent;
}

static int kind_of(const struct plan_link *l, const struct plan_op *op, int coupled)
{
    if (op->n_free != 1 || l->shift) return OP_GENERAL;
    if (op->parent != PLAN_NONE && op->n_next == 1 && !coupled) return OP_LEAF1;
    if (op->parent == PLAN_NONE && op->n_next == 0) return OP_GROUND1;
    return OP_ONE;
}

static void emit_step(void *context, const struct symbolic_step *s)
{
    struct emit *e = context;
    struct plan *p = e->y->plan;
    int k = e->y->slot[s->vertex], n, parent = e->y->link[k].parent;
    int *next = malloc(sizeof(int) * ((size_t)s->n_next + 2));
    if (!next) {
        e->pairs.failed = 1;
        return;
    }
    int coupled = sorted_next(e, s, parent, next, &n);
    int has = parent != PLAN_NONE;
    struct plan_op *op = &e->op[p->n_ops++];
    *op = (struct plan_op){.slot = k,
                           .parent = parent,
                           .n_free = e->y->link[k].n_free,
                           .n_next = n + has,
                           .nb_at = (int)e->n_list,
                           .f_at = p->n_F};
    p->n_F += op->n_free * op->n_next;
    if (has) {
        put(e, parent);
        put(e, coupled ? pair_block(&e->pairs, k, parent, &p->n_blocks) : PLAN_NONE);
    }
    for (int i = 0; i < n; i++) {
        put(e, next[i]);
        put(e, pair_block(&e->pairs, k, next[i], &p->n_blocks));
    }
    for (int i = 0; has && i < n; i++) {
        put(e, pair_block(&e->pairs, parent, next[i], &p->n_blocks));
        put(e, next[i] < parent); /* stored (later parent, earlier C): transposed */
    }
    for (int i = has ? -1 : 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            put(e, pair_block(&e->pairs, i < 0 ? parent : next[i], next[j], &p->n_blocks));
    op->kind = kind_of(&e->y->link[k], op, coupled);
    free(next);
}

/* A graph whose only order is the one chosen: levels count down. */
static double replay(struct layout *y, struct emit *e, const struct draft_edge *edge, int n_edges)
{
    const struct draft *d = y->d;
    int *level = malloc(sizeof(int) * ((size_t)d->n + 1));
    if (!level) return -1;
    for (int k = 0; k < d->n; k++) level[d->order[k]] = d->n - k;
    struct symbolic_graph g = {d->n, n_edges, edge, d->parent, d->dof, level, 0};
    double f = symbolic_eliminate(&g, 0, emit_step, e);
    free(level);
    return f;
}

static int vertex(const struct layout *y, int slot)
{
    return slot == PLAN_NONE ? -1 : y->d->order[slot];
}

static int couple_pair(struct layout *y, struct emit *e, const int *slot, struct draft_edge *edge,
                       int *n)
{
    if (slot[0] == PLAN_NONE || slot[1] == PLAN_NONE || slot[0] == slot[1]) return PLAN_NONE;
    edge[(*n)++] = (struct draft_edge){vertex(y, slot[0]), vertex(y, slot[1])};
    return pair_block(&e->pairs, slot[0], slot[1], &y->plan->n_blocks);
}

int layout_ops(struct layout *y)
{
    struct plan *p = y->plan;
    struct emit e = {.y = y};
    size_t most = (size_t)p->n_cuts + (size_t)p->n_forces + 15 * (size_t)p->n_sums + 1;
    struct draft_edge *edge = malloc(sizeof *edge * most);
    int n = 0;
    e.op = memory_take(y->d->memory, (size_t)p->n + 1, sizeof *e.op);
    if (!edge || !e.op || !pairs_grow(&e.pairs)) e.pairs.failed = 1;
    for (int i = 0; !e.pairs.failed && i < p->n_cuts; i++)
        y->cut[i].block = couple_pair(y, &e, y->cut[i].slot, edge, &n);
    for (int i = 0; !e.pairs.failed && i < p->n_forces; i++)
        y->force[i].block = couple_pair(y, &e, y->force[i].slot, edge, &n);
    for (int i = 0; !e.pairs.failed && i < p->n_sums; i++) {
        struct plan_sum *s = &y->sum[i];
        for (int a = 0, q = 0; a < s->n_slots; a++)
            for (int b = a + 1; b < s->n_slots; b++) {
                int slot[2] = {s->slot[a], s->slot[b]};
                s->block[q++] = couple_pair(y, &e, slot, edge, &n);
            }
    }
    double f = e.pairs.failed ? -1 : replay(y, &e, edge, n);
    for (int i = 0; e.op && i + 1 < p->n_ops; i++)
        e.op[i].chained = e.op[i].kind == OP_LEAF1 && e.op[i + 1].kind == OP_LEAF1 &&
                          e.op[i].parent == e.op[i + 1].slot;
    p->op = e.op;
    p->list = e.list;
    p->n_list = (int)e.n_list;
    free(edge);
    free(e.pairs.key);
    free(e.pairs.value);
    return f >= 0 && !e.pairs.failed && !y->d->memory->failed;
}
