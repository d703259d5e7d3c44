/* check.h: what `trapeze check` shows, shared by its files. SERVICE context. */
#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>

#include "rt/mech/model.h"
#include "services/plan/mechanism.h"

/* Rows of all joints and motions. */
int check_constraints(const struct model *m);

/* The name of a body, "ground" for MODEL_GROUND. */
const char *check_body_name(const struct model *m, int32_t body);

/* Print the model as tables. */
void check_model_print(const struct model *m);

/* How the plan was judged. */
struct check_cost {
    double step_s;  /* s, step of the simulation */
    double step_us; /* us one step takes here, two iterations; 0: not measured */
};

/* Measure a few steps of a mechanism on a workspace of its own. */
struct check_cost check_cost_measure(struct mechanism *me, double step_s);

/* Print what the plan says: freedoms, redundant rows, loops, order, cost. */
void check_plan_print(const struct mechanism *me, const struct check_cost *cost);

/* The same two for machines, into one object. */
void check_model_json(const struct model *m, json_t *to);
void check_plan_json(const struct mechanism *me, const struct check_cost *cost, json_t *to);

/* What is eliminated at a component: bodies that meet only what is inside it. */
struct check_node {
    int n_bodies;   /* of its own */
    int n_ops;      /* bodies eliminated at its level */
    double flops;   /* of them */
    int n_late;     /* of these, after a level above has begun */
};

/* Fill node[n components] from the order of elimination. */
void check_tree_fill(const struct mechanism *me, struct check_node *node);

/* Print the tree of components with their operations. */
void check_tree_print(const struct mechanism *me);
json_t *check_tree_json(const struct mechanism *me);

#endif
