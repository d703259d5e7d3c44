/* The parts of a mechanism: the user's components, in post-order.
 *
 * A body is eliminated in the smallest component that holds all it is coupled to, and not
 * before the bodies that hang on it: where its neighbours are is on one path to the root, so
 * fill stays on that path too and the parts are a tree. Eliminated part by part, children
 * first, the bodies of a part are neighbours in every array of the plan. */
#include <stdlib.h>

#include "services/plan/draft.h"

static int component_depth(const struct model *m, int c)
{
    int n = 0;
    for (; model_components(m)[c].parent >= 0; c = model_components(m)[c].parent) n++;
    return n;
}

int draft_common(const struct model *m, int a, int b)
{
    int da = component_depth(m, a), db = component_depth(m, b);
    for (; da > db; da--) a = model_components(m)[a].parent;
    for (; db > da; db--) b = model_components(m)[b].parent;
    while (a != b) {
        a = model_components(m)[a].parent;
        b = model_components(m)[b].parent;
    }
    return a;
}

static void share(struct draft *d, int u, int v)
{
    if (u < 0 || v < 0) return;
    int cu = model_bodies(d->m)[d->body[u]].component,
        cv = model_bodies(d->m)[d->body[v]].component;
    int c = draft_common(d->m, cu, cv);
    d->node[u] = draft_common(d->m, d->node[u], c);
    d->node[v] = draft_common(d->m, d->node[v], c);
}

/* No body goes before those that hang on it: its part is theirs, or above. */
static void raise_parents(struct draft *d)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (int v = 0; v < d->n; v++) {
            int p = d->parent[v], c;
            if (p < 0) continue;
            c = draft_common(d->m, d->node[p], d->node[v]);
            changed |= c != d->node[p];
            d->node[p] = c;
        }
    }
}

/* Post-order of the components: a parent follows its children, which keep the file's order. */
static int number_below(struct draft *d, int c, int next)
{
    int n = (int)d->m->components.n;
    for (int i = 0; i < n; i++)
        if (i != c && model_components(d->m)[i].parent == c) next = number_below(d, i, next);
    d->part_of[c] = next;
    return next + 1;
}

void draft_parts(struct draft *d, const struct draft_edge *edge, int n_edges)
{
    for (int v = 0; v < d->n; v++) d->node[v] = model_bodies(d->m)[d->body[v]].component;
    for (int j = 0; j < d->n_joints; j++) share(d, d->end[j][0], d->end[j][1]);
    for (int i = 0; i < n_edges; i++) share(d, edge[i].u, edge[i].v);
    raise_parents(d);
    d->n_parts = number_below(d, 0, 0);
    for (int v = 0; v < d->n; v++) d->level[v] = d->n_parts - d->part_of[d->node[v]];
}

void draft_one_part(struct draft *d)
{
    d->n_parts = 1;
    for (uint32_t c = 0; c < d->m->components.n; c++) d->part_of[c] = 0;
    for (int v = 0; v < d->n; v++) d->node[v] = 0;
}
