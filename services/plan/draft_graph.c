/* The graph of a mechanism: who is joined to whom, and which joints close loops. */
#include <stdlib.h>
#include <string.h>

#include "rt/mech/joint.h"
#include "rt/mech/jointkin.h"
#include "services/plan/draft.h"

unsigned draft_driven(const struct model *m, int j)
{
    const struct model_joint *joint = &model_joints(m)[j];
    unsigned bits = 0;
    for (int i = 0; i < joint->n_coordinates; i++)
        if (model_coordinates(m)[joint->coordinate_at + i].motion >= 0) bits |= 1u << i;
    return bits;
}

static int is_sum(const struct model *m, int j)
{
    return JOINT_TYPE[model_joints(m)[j].type].special == JOINT_SUM;
}

/* A driven coordinate must have its own column of S. */
static int can_carry(const struct model *m, int j)
{
    const struct model_joint *joint = &model_joints(m)[j];
    const struct joint_type *t = &JOINT_TYPE[joint->type];
    unsigned driven = draft_driven(m, j);
    if (t->special == JOINT_SUM || joint->flags & JOINT_SWITCHABLE) return 0;
    if (t->special == JOINT_SCREW && driven == 3) return 0;
    for (int i = 0; i < joint->n_coordinates; i++)
        if (driven >> i & 1 && jointkin_column(t, i) < 0) return 0;
    return 1;
}

static int vertex_of(const struct draft *d, int body)
{
    return body == MODEL_GROUND ? -1 : d->vertex[body];
}

void draft_graph(struct draft *d)
{
    const struct model *m = d->m;
    int bodies = (int)m->bodies.n;
    d->n_joints = (int)m->joints.n;
    d->body = memory_take(d->memory, (size_t)bodies + 1, sizeof *d->body);
    d->vertex = memory_take(d->memory, (size_t)bodies + 1, sizeof *d->vertex);
    d->end = memory_take(d->memory, (size_t)d->n_joints + 1, sizeof *d->end);
    d->tree = memory_take(d->memory, (size_t)d->n_joints + 1, 1);
    d->holders = memory_take(d->memory, (size_t)bodies + 1, sizeof(int));
    d->holder = memory_take(d->memory, (size_t)bodies + 1, sizeof(int));
    d->may_tree = memory_take(d->memory, (size_t)d->n_joints + 1, 1);
    if (d->memory->failed) return;
    for (int i = 0; i < bodies; i++) {
        d->vertex[i] = -1;
        if (model_bodies(m)[i].flags & BODY_FIXED) continue;
        d->vertex[i] = d->n;
        d->body[d->n++] = i;
    }
    for (int j = 0; j < d->n_joints; j++) {
        const struct model_joint *joint = &model_joints(m)[j];
        d->end[j][0] = d->end[j][1] = -1;
        if (is_sum(m, j)) continue;
        d->end[j][0] = vertex_of(d, joint->body[0]);
        d->end[j][1] = vertex_of(d, joint->body[1]);
        for (int s = 0; s < 2 && JOINT_TYPE[joint->type].rotation != ROTATION_FREE; s++) {
            if (d->end[j][s] < 0) continue;
            d->holders[d->end[j][s]]++;
            d->holder[d->end[j][s]] = j;
        }
        d->may_tree[j] = (char)(can_carry(m, j) && d->end[j][0] != d->end[j][1]);
    }
}

int draft_turns_idle(const struct draft *d, int v, int joint)
{
    if (v < 0 || !(model_bodies(d->m)[d->body[v]].flags & BODY_POINT)) return 0;
    return d->holders[v] == 0 || (d->holders[v] == 1 && d->holder[v] == joint);
}

int draft_sum_vertices(const struct draft *d, int joint, int *out)
{
    const struct model *m = d->m;
    const struct model_joint *s = &model_joints(m)[joint];
    int n = 0;
    for (uint32_t i = 0; i < s->n_terms; i++) {
        int c = model_terms(m)[s->term_at + i].coordinate;
        int j = model_coordinates(m)[c].joint;
        for (int side = 0; side < 2; side++) {
            int v = d->end[j][side], k = 0;
            if (v < 0) continue;
            while (k < n && out[k] != v) k++;
            if (k == n && n < 6) out[n++] = v;
        }
    }
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && out[k - 1] > out[k]; k--) {
            int t = out[k];
            out[k] = out[k - 1];
            out[k - 1] = t;
        }
    return n;
}

/* ---- biconnected parts (Tarjan), without recursion ---- */

struct arc {
    int to, edge, next;
};

struct walk {
    int n;               /* vertices, ground is n-1 */
    int *head;
    struct arc *arc;
    int n_arcs;
    int *number, *low, *iterator, *from_edge, *stack, *edge_stack;
    char *edge_done;
    int n_edges;
    int *edge_joint;     /* edge -> joint (sums add clique edges) */
};

static void add_arc(struct walk *w, int u, int v, int edge)
{
    w->arc[w->n_arcs] = (struct arc){v, edge, w->head[u]};
    w->head[u] = w->n_arcs++;
}

static void add_edge(struct walk *w, int u, int v, int joint)
{
    if (u < 0) u = w->n - 1;
    if (v < 0) v = w->n - 1;
    w->edge_joint[w->n_edges] = joint;
    add_arc(w, u, v, w->n_edges);
    add_arc(w, v, u, w->n_edges);
    w->n_edges++;
}

/* Pop a part off the edge stack; parts of one edge are bridges unless two joints
 * of a sum share them. */
static int close_part(struct draft *d, struct walk *w, int top, int until)
{
    int first = top;
    while (w->edge_stack[first - 1] != until) first--;
    first--;
    if (top - first > 1) {
        for (int i = first; i < top; i++) d->block[w->edge_joint[w->edge_stack[i]]] = d->n_blocks;
        d->n_blocks++;
    }
    return first;
}

static void search_from(struct draft *d, struct walk *w, int root, int *counter)
{
    int top = 0, edges = 0;
    w->stack[top++] = root;
    w->number[root] = w->low[root] = ++*counter;
    w->from_edge[root] = -1;
    while (top) {
        int u = w->stack[top - 1], a = w->iterator[u];
        if (a >= 0) {
            w->iterator[u] = w->arc[a].next;
            int v = w->arc[a].to, e = w->arc[a].edge;
            if (w->edge_done[e]) continue;
            w->edge_done[e] = 1;
            w->edge_stack[edges++] = e;
            if (!w->number[v]) {
                w->number[v] = w->low[v] = ++*counter;
                w->from_edge[v] = e;
                w->stack[top++] = v;
            } else if (w->number[v] < w->low[u]) {
                w->low[u] = w->number[v];
            }
            continue;
        }
        top--;
        if (!top) break;
        int parent = w->stack[top - 1];
        if (w->low[u] < w->low[parent]) w->low[parent] = w->low[u];
        if (w->low[u] >= w->number[parent]) edges = close_part(d, w, edges, w->from_edge[u]);
    }
}

static int build_walk(struct draft *d, struct walk *w)
{
    size_t joints = (size_t)d->n_joints, edges = joints * 15 + 1;
    w->n = d->n + 1;
    size_t n = (size_t)w->n;
    w->head = memory_take(d->memory, n, sizeof(int));
    w->arc = memory_take(d->memory, 2 * edges, sizeof *w->arc);
    w->number = memory_take(d->memory, n, sizeof(int));
    w->low = memory_take(d->memory, n, sizeof(int));
    w->iterator = memory_take(d->memory, n, sizeof(int));
    w->from_edge = memory_take(d->memory, n, sizeof(int));
    w->stack = memory_take(d->memory, n, sizeof(int));
    w->edge_stack = memory_take(d->memory, edges, sizeof(int));
    w->edge_done = memory_take(d->memory, edges, 1);
    w->edge_joint = memory_take(d->memory, edges, sizeof(int));
    if (d->memory->failed) return 0;
    for (int v = 0; v < w->n; v++) w->head[v] = -1;
    for (int j = 0; j < d->n_joints; j++) {
        int v[6];
        if (!is_sum(d->m, j)) {
            int fixed = !(model_joints(d->m)[j].flags & JOINT_SWITCHABLE); /* those make no loop */
            if (fixed && d->end[j][0] != d->end[j][1]) add_edge(w, d->end[j][0], d->end[j][1], j);
            continue;
        }
        int k = draft_sum_vertices(d, j, v);
        for (int a = 0; a < k; a++)
            for (int b = a + 1; b < k; b++) add_edge(w, v[a], v[b], j);
        if (k == 1) add_edge(w, v[0], -1, j);
    }
    memcpy(w->iterator, w->head, n * sizeof(int));
    return 1;
}

void draft_blocks(struct draft *d)
{
    struct walk w = {0};
    d->block = memory_take(d->memory, (size_t)d->n_joints + 1, sizeof *d->block);
    if (d->memory->failed || !build_walk(d, &w)) return;
    for (int j = 0; j < d->n_joints; j++) d->block[j] = -1;
    int counter = 0;
    for (int v = w.n - 1; v >= 0; v--)
        if (!w.number[v]) search_from(d, &w, v, &counter);
}
