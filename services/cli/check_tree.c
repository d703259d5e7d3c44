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

void check_tree_fill(const struct mechanism *me, struct check_node *node)
{
    const struct model *m = me->model;
    memset(node, 0, m->components.n * sizeof *node);
    for (uint32_t i = 0; i < m->bodies.n; i++) node[model_bodies(m)[i].component].n_bodies++;
    for (int i = 0; i < me->plan->n_ops; i++) {
        const struct plan_op *op = &me->plan->op[i];
        int c = op_component(me, op);
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
    printf("\n%-40s %8s %12s %8s\n", "components", "bodies", "eliminated", "flops");
    for (uint32_t i = 0; i < m->components.n; i++) {
        int in = 2 + 2 * component_depth(m, (int)i);
        printf("%*s%-*s %8d %12d %8.0f", in, "", 40 - in, component_name(m, i), node[i].n_bodies,
               node[i].n_ops, node[i].flops);
        if (node[i].n_late)
            printf("  the order leaves the hierarchy: %d after the level above", node[i].n_late);
        printf("\n");
    }
    if (m->components.n == 1) print_computed(me);
    free(node);
}

json_t *check_tree_json(const struct mechanism *me)
{
    const struct model *m = me->model;
    json_t *list = json_array();
    struct check_node *node = calloc(m->components.n, sizeof *node);
    if (!node) return list;
    check_tree_fill(me, node);
    for (uint32_t i = 0; i < m->components.n; i++)
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i, s:f, s:i}", "name",
                                              model_text(m, model_components(m)[i].name), "parent",
                                              (int)model_components(m)[i].parent, "bodies",
                                              node[i].n_bodies, "operations", node[i].n_ops,
                                              "flops", node[i].flops, "late", node[i].n_late));
    free(node);
    return list;
}
