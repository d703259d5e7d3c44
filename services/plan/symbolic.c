#include "services/plan/symbolic.h"

#include <stdlib.h>
#include <string.h>

struct list {
    int n, capacity;
    int *v;
};

struct entry {
    double cost;
    int level, stamp, vertex, serial;
};

struct state {
    const struct symbolic_graph *g;
    struct list *near;    /* neighbours not yet gone, tree parent excluded, and of
                             bodies above included */
    int *children;        /* tree children not yet gone */
    int *stamp;           /* newest heap entry of a vertex */
    int *wait;            /* eliminations a vertex has to wait for, one after the other */
    char *gone;
    struct entry *heap;
    int n_heap, cap_heap, serial;
    int failed;
};

static int list_add(struct state *s, struct list *l, int v)
{
    for (int i = 0; i < l->n; i++)
        if (l->v[i] == v) return 0;
    if (l->n == l->capacity) {
        int c = l->capacity ? 2 * l->capacity : 4;
        int *p = realloc(l->v, sizeof(int) * (size_t)c);
        if (!p) {
            s->failed = 1;
            return 0;
        }
        l->v = p;
        l->capacity = c;
    }
    l->v[l->n++] = v;
    return 1;
}

static void list_remove(struct list *l, int v)
{
    for (int i = 0; i < l->n; i++)
        if (l->v[i] == v) {
            l->v[i] = l->v[--l->n];
            return;
        }
}

/* Multiply-adds of eliminating a vertex with d pivots and m later neighbours. */
static double cost_of(int d, int m, int parent)
{
    double pairs = 0.5 * m * (m + 1);
    return 36. * (parent ? 2 : 1) + d * (36. + 36. * (m - parent) + 36. * pairs + 6. * d) +
           2. * d * 12 * (m + 1);
}

static int precedes(const struct entry *a, const struct entry *b)
{
    if (a->level != b->level) return a->level > b->level;
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->serial < b->serial; /* in turns: neighbours in the list are independent work */
}

static void heap_push(struct state *s, struct entry e)
{
    if (s->n_heap == s->cap_heap) {
        int c = s->cap_heap ? 2 * s->cap_heap : 64;
        struct entry *p = realloc(s->heap, sizeof *p * (size_t)c);
        if (!p) {
            s->failed = 1;
            return;
        }
        s->heap = p;
        s->cap_heap = c;
    }
    int i = s->n_heap++;
    while (i > 0 && precedes(&e, &s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = e;
}

static struct entry heap_pop(struct state *s)
{
    struct entry top = s->heap[0], last = s->heap[--s->n_heap];
    int i = 0;
    for (;;) {
        int c = 2 * i + 1;
        if (c >= s->n_heap) break;
        if (c + 1 < s->n_heap && precedes(&s->heap[c + 1], &s->heap[c])) c++;
        if (!precedes(&s->heap[c], &last)) break;
        s->heap[i] = s->heap[c];
        i = c;
    }
    s->heap[i] = last;
    return top;
}

/* Neighbours besides the parent. */
static int others(const struct state *s, int v)
{
    int n = s->near[v].n, p = s->g->parent[v];
    for (int i = 0; i < s->near[v].n; i++)
        if (s->near[v].v[i] == p) n--;
    return n;
}

static void offer(struct state *s, int v)
{
    if (s->children[v] > 0 || s->gone[v]) return;
    int has = s->g->parent[v] >= 0;
    double c = cost_of(s->g->dof[v], others(s, v) + has, has);
    heap_push(s,
              (struct entry){c, s->g->level ? s->g->level[v] : 0, ++s->stamp[v], v, s->serial++});
}

static int begin(struct state *s, const struct symbolic_graph *g)
{
    size_t n = (size_t)g->n;
    memset(s, 0, sizeof *s);
    s->g = g;
    s->near = calloc(n + 1, sizeof *s->near);
    s->children = calloc(n + 1, sizeof(int));
    s->stamp = calloc(n + 1, sizeof(int));
    s->wait = calloc(n + 1, sizeof(int));
    s->gone = calloc(n + 1, 1);
    if (!s->near || !s->children || !s->stamp || !s->wait || !s->gone) return 0;
    for (int v = 0; v < g->n; v++)
        if (g->parent[v] >= 0) s->children[g->parent[v]]++;
    for (int i = 0; i < g->n_edges; i++) {
        list_add(s, &s->near[g->edge[i].u], g->edge[i].v);
        list_add(s, &s->near[g->edge[i].v], g->edge[i].u);
    }
    for (int v = g->n - 1; v >= 0; v--) offer(s, v);
    return !s->failed;
}

static void finish(struct state *s)
{
    for (int v = 0; s->near && v < s->g->n; v++) free(s->near[v].v);
    free(s->near);
    free(s->children);
    free(s->stamp);
    free(s->wait);
    free(s->gone);
    free(s->heap);
}

/* Vertex u waits for v. */
static void follow(struct state *s, int u, int v)
{
    if (s->wait[u] < s->wait[v] + 1) s->wait[u] = s->wait[v] + 1;
}

/* Couple the neighbours a vertex leaves behind, and its parent with them. */
static void couple(struct state *s, int v)
{
    struct list *l = &s->near[v];
    int p = s->g->parent[v];
    if (p >= 0) follow(s, p, v);
    for (int i = 0; i < l->n; i++) {
        follow(s, l->v[i], v);
        list_remove(&s->near[l->v[i]], v);
        if (p >= 0 && l->v[i] != p) {
            list_add(s, &s->near[p], l->v[i]);
            list_add(s, &s->near[l->v[i]], p);
        }
        for (int j = i + 1; j < l->n; j++) {
            list_add(s, &s->near[l->v[i]], l->v[j]);
            list_add(s, &s->near[l->v[j]], l->v[i]);
        }
    }
    s->gone[v] = 1;
    if (p >= 0) s->children[p]--;
    for (int i = 0; i < l->n; i++) offer(s, l->v[i]);
    if (p >= 0) offer(s, p);
}

double symbolic_eliminate(const struct symbolic_graph *g, int *order,
                          void (*visit)(void *context, const struct symbolic_step *step),
                          void *context)
{
    struct state s;
    double flops = 0;
    int done = 0, depth = 0;
    if (!begin(&s, g)) s.failed = 1;
    while (!s.failed && s.n_heap) {
        struct entry e = heap_pop(&s);
        if (s.gone[e.vertex] || e.stamp != s.stamp[e.vertex]) continue;
        flops += e.cost;
        if (order) order[done] = e.vertex;
        done++;
        if (visit) {
            struct symbolic_step step = {e.vertex, s.near[e.vertex].n, s.near[e.vertex].v, e.cost};
            visit(context, &step);
        }
        couple(&s, e.vertex);
        if (s.wait[e.vertex] + 1 > depth) depth = s.wait[e.vertex] + 1;
    }
    if (g->depth) *g->depth = depth;
    int ok = !s.failed;
    finish(&s);
    return ok ? flops : -1;
}
