/* draft.h: a plan in the making. Vertices are the moving bodies, 0 .. n-1 in the
 * model's order; -1 is everything that does not move. SETUP context; memory belongs to
 * the arena given at plan_build. */
#ifndef DRAFT_H
#define DRAFT_H

#include "rt/mech/model.h"
#include "services/base/diag.h"
#include "services/base/memory.h"

/* Two vertices that a cut joint, a force element or a sum couples. */
struct draft_edge {
    int u, v;
};

struct draft {
    const struct model *m;
    struct memory *memory;
    struct diag_list *diags;
    int n;              /* moving bodies */
    int *body;          /* vertex -> model body */
    int *vertex;        /* model body -> vertex, -1 if it does not move */
    int n_joints;
    int (*end)[2];      /* joint -> vertices of its two bodies; sums: -1, -1 */
    char *tree;         /* joint is a tree joint */
    char *may_tree;     /* joint can be one */
    char *hold;         /* rows of all joints between its two bodies, at most 6 */
    int *holders;       /* vertex -> joints on it that hold attitude in some way */
    int *holder;        /* vertex -> one of them, or -1 */
    int *parent_joint;  /* vertex -> its tree joint, -1: free root */
    int *parent;        /* vertex -> vertex, -1: on ground or free */
    int *depth;         /* vertex -> distance from its root */
    int *dof;           /* vertex -> free columns */
    int *node;          /* vertex -> component in whose part it is eliminated */
    int *level;         /* vertex -> parts from there to the last: higher goes before */
    int n_parts;        /* 1: the whole mechanism */
    int *part_of;       /* component -> part */
    int *order;         /* position -> vertex */
    int *block;         /* joint -> loop block, -1: a bridge */
    int n_blocks;
    double flops;       /* of the chosen order */
    int left_hierarchy; /* 1: the cheaper order does not follow the user's tree */
    int failed;         /* memory ran out */
};

/* Coordinates of joint j that a motion prescribes, as bits. */
unsigned draft_driven(const struct model *m, int j);

/* Vertices a coordinate sum touches, at most 6, sorted; returns how many. */
int draft_sum_vertices(const struct draft *d, int joint, int *out);

/* 1 if the turns a joint leaves free are nobody's: vertex v has no inertia, and this joint alone
 * holds its attitude (or none does). Its bodies then turn as one. */
int draft_turns_idle(const struct draft *d, int v, int joint);

/* Fill end, body, vertex, may_tree, holders. */
void draft_graph(struct draft *d);

/* Loop blocks: biconnected parts of the graph of joints with ground as a vertex. */
void draft_blocks(struct draft *d);

/* Choose the tree joints; parent, parent_joint, depth, dof follow. */
void draft_tree(struct draft *d);

/* Recompute parent, depth, dof from `tree`. */
void draft_hang(struct draft *d);

/* The parts: fills node, level, part_of; or one part for the whole mechanism. */
void draft_parts(struct draft *d, const struct draft_edge *edge, int n_edges);
void draft_one_part(struct draft *d);

/* The smallest component that holds two. */
int draft_common(const struct model *m, int a, int b);

/* Choose the elimination order, improving the cut set by symbolic cost. */
void draft_order(struct draft *d);

#endif
