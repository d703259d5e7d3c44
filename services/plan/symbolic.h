/* symbolic.h: elimination on the graph alone: its order, fill and cost.
 *
 * A vertex may go when its tree children are gone; then its parent and its other
 * neighbours are pairwise coupled. SETUP context. */
#ifndef SYMBOLIC_H
#define SYMBOLIC_H

#include "services/plan/draft.h"

/* The coupling graph besides the tree. */
struct symbolic_graph {
    int n;
    int n_edges;
    const struct draft_edge *edge; /* cuts, forces, sums; u != v, both moving */
    const int *parent;             /* tree parent or -1 */
    const int *dof;
    const int *level;              /* NULL: cost alone decides */
    int *depth;                    /* NULL, or set to the longest chain of eliminations
                                      that wait for each other */
};

/* What eliminating one vertex meets. */
struct symbolic_step {
    int vertex;
    int n_next;
    const int *next;      /* later neighbours besides the parent */
    double flops;
};

/* Eliminate greedily: deepest level first (if given), then cheapest, then in turns, so that
 * neighbours in the list are independent work. Calls `visit` for each (NULL: none); order[n] may be NULL. Returns the
 * flops of one factorisation and solve, or -1 when memory ran out. */
double symbolic_eliminate(const struct symbolic_graph *g, int *order,
                          void (*visit)(void *context, const struct symbolic_step *step),
                          void *context);

#endif
