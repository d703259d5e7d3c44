/* The tree of components and what the elimination does at each, for `trapeze check`.
 *
 * A body is eliminated at the smallest component that holds it and all it still meets
 * then: at its own, unless it is shown to the outside and connected there. The order
 * follows the hierarchy when no body is eliminated below a component that has begun. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/check.h"

/* Depth of a component of the model's tree. */
static int component_depth(const struct model *m, int c)
{
    int depth = 0;
    while (model_components(m)[c].parent >= 0) c = model_components(m)[c].parent, depth++;
    return depth;
}

/* The smallest component that holds two. */
static int component_common(const struct model *m, int a, int b)
{
    int da = component_depth(m, a), db = component_depth(m, b);
    for (; da > db; da--) a = model_components(m)[a].parent;
    for (; db > da; db--) b = model_components(m)[b].parent;
    while (a != b) a = model_components(m)[a].parent, b = model_components(m)[b].parent;
    return a;
}

static int slot_component(const struct mechanism *me, int slot)
{
    return model_bodies(me->model)[me->plan->body[slot].body].component;
}

/* The component an operation belongs to. */
static int op_component(const struct mechanism *me, const struct plan_op *op)
{
    int c = slot_component(me, op->slot);
    for (int i = 0; i < op->n_next; i++)
        c = component_common(me->model, c, slot_component(me, me->plan->list[op->nb_at + 2 * i]));
    return c;
}

/* Flops of eliminating one body with d freedoms and m later neighbours. */
static double op_flops(const struct plan_op *op)
{
    int d = op->n_free, m = op->n_next, parent = op->parent >= 0;
    double pairs = 0.5 * m * (m + 1);
    return 36. * (parent + 1) + d * (36. + 36. * (m - parent) + 36. * pairs + 6. * d) +
           24. * d * (m + 1);
}

/* 1 if a component above c has begun. */
static int above_has_begun(const struct model *m, const struct check_node *node, int c)
{
    for (c = model_components(m)[c].parent; c >= 0; c = model_components(m)[c].parent)
        if (node[c].n_ops > 0) return 1;
    return 0;
}

static int part_component(const struct plan *p, int slot)
{
    int i = 0;
    while (slot >= p->part[i].slot_at + p->part[i].n_slots) i++;
    return p->part[i].component;
}

void check_tree_fill(const struct mechanism *me, struct check_node *node)
{
    const struct model *m = me->model;
    memset(node, 0, m->components.n * sizeof *node);
    for (uint32_t i = 0; i < m->bodies.n; i++) node[model_bodies(m)[i].component].n_bodies++;
    for (int i = 0; i < me->plan->n_ops; i++) {
        const struct plan_op *op = &me->plan->op[i];
        int c = me->plan->n_parts > 1 ? part_component(me->plan, op->slot) : op_component(me, op);
        node[c].n_late += above_has_begun(m, node, c);
        node[c].n_ops++;
        node[c].flops += op_flops(op);
    }
}

/* The last part of a component's path; the model's name for the model itself. */
static const char *component_name(const struct model *m, uint32_t c)
{
    const char *path = model_text(m, model_components(m)[c].name), *slash = strrchr(path, '/');
    return c == 0 ? model_text(m, m->name) : slash ? slash + 1 : path;
}

/* The part that eliminates what belongs to a component; NULL: the whole is one part. */
static const struct plan_part *part_of(const struct plan *p, uint32_t component)
{
    for (int i = 0; i < p->n_parts && p->n_parts > 1; i++)
        if (p->part[i].component == (int)component) return &p->part[i];
    return NULL;
}

/* The first body of a component that something outside holds, and where that goes. */
static void print_held(const struct mechanism *me, int c)
{
    const struct model *m = me->model;
    const struct plan_part *t = part_of(me->plan, (uint32_t)c);
    for (int i = 0; i < t->n_border; i++) {
        int body = me->plan->body[me->plan->border[t->border_at + i]].body;
        if (component_common(m, model_bodies(m)[body].component, c) != c) continue;
        printf(": %s and what hangs on it wait for %s, where their outer joints and forces are",
               check_body_name(m, body),
               component_name(m, (uint32_t)model_components(m)[c].parent));
        return;
    }
}

static void print_part(const struct mechanism *me, uint32_t c, int n_bodies)
{
    const struct plan_part *t = part_of(me->plan, c);
    if (!t) return;
    printf(" %7d", t->n_border);
    if (&me->plan->part[t->shape] != t && t->n_slots > 0)
        printf("  as %s", component_name(me->model, (uint32_t)me->plan->part[t->shape].component));
    if (n_bodies > 0 && t->n_slots == 0) {
        printf("  eliminates none of its bodies");
        print_held(me, (int)c);
    }
}

/* Where the model has no components: what is done in each loop and in the open chains,
 * the nodes of the block-cut tree. */
static void print_computed(const struct mechanism *me)
{
    const struct plan *p = me->plan;
    for (int loop = -1; loop < p->n_loops; loop++) {
        double flops = 0;
        int ops = 0;
        for (int i = 0; i < p->n_ops; i++)
            if (p->slot_loop[p->op[i].slot] == loop) ops++, flops += op_flops(&p->op[i]);
        if (!ops) continue;
        char name[40];
        if (loop < 0)
            snprintf(name, sizeof name, "open chains");
        else
            snprintf(name, sizeof name, "loop %d", loop + 1);
        printf("    %-36s %8d %12d %8.0f\n", name, ops, ops, flops);
    }
}

void check_tree_print(const struct mechanism *me)
{
    const struct model *m = me->model;
    struct check_node *node = calloc(m->components.n, sizeof *node);
    if (!node) return;
    check_tree_fill(me, node);
    printf("\n%-40s %8s %12s %8s%s\n", "components", "bodies", "eliminated", "flops",
           me->plan->n_parts > 1 ? "  border  shape" : "");
    for (uint32_t i = 0; i < m->components.n; i++) {
        int in = 2 + 2 * component_depth(m, (int)i);
        printf("%*s%-*s %8d %12d %8.0f", in, "", 40 - in, component_name(m, i), node[i].n_bodies,
               node[i].n_ops, node[i].flops);
        print_part(me, i, node[i].n_bodies);
        if (node[i].n_late)
            printf("  the order leaves the hierarchy: %d after the level above", node[i].n_late);
        printf("\n");
    }
    if (m->components.n == 1) print_computed(me);
    free(node);
}

static json_t *component_json(const struct mechanism *me, uint32_t i, const struct check_node *n)
{
    const struct model *m = me->model;
    const struct plan_part *t = part_of(me->plan, i);
    json_t *o = json_pack("{s:s, s:i, s:i, s:i, s:f, s:i}", "name",
                          model_text(m, model_components(m)[i].name), "parent",
                          (int)model_components(m)[i].parent, "bodies", n->n_bodies, "operations",
                          n->n_ops, "flops", n->flops, "late", n->n_late);
    if (!t) return o;
    json_object_set_new(o, "border", json_integer(t->n_border));
    json_object_set_new(
        o, "shape",
        json_string(model_text(m, model_components(m)[me->plan->part[t->shape].component].name)));
    return o;
}

json_t *check_tree_json(const struct mechanism *me)
{
    const struct model *m = me->model;
    json_t *list = json_array();
    struct check_node *node = calloc(m->components.n, sizeof *node);
    if (!node) return list;
    check_tree_fill(me, node);
    for (uint32_t i = 0; i < m->components.n; i++)
        json_array_append_new(list, component_json(me, i, &node[i]));
    free(node);
    return list;
}
