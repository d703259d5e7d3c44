/* rank_parts.h: the ranking in the making, shared by its files only. */
#ifndef RANK_PARTS_H
#define RANK_PARTS_H

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"
#include "services/plan/rank.h"

/* One block: its rows and the columns of its tree. */
struct block {
    int n_rows, n_columns, n_bodies;
    int *row;          /* plan rows */
    int *early;        /* 1: row of one of several joints between two bodies; they are chosen
                          first, for their bodies do not move against each other */
    int *column;       /* index in ws->S */
    int *body;         /* slots */
    int whole_paths;   /* 1: its bodies hang from different places (a joint of the loop is
                          cut outright): joints outside the block count too */
    double length;
    double *jacobian;  /* n_rows x n_columns, scaled, at one pose */
    int *kept;         /* 1: independent, in the choice in force */
    double *misfit;    /* m, per row */
    double smallest_kept, largest_left;
};

struct ranking {
    const struct model *m;
    struct plan *p;
    const struct draft *d;
    struct workspace *ws;
    struct diag_list *diags;
    struct memory memory;
    struct block *block;
    int n_blocks;
    struct plan_row *row;
};

/* Loop block a slot's tree joint belongs to, or -1. */
int rank_slot_block(const struct ranking *k, int slot);

/* Fill the lists of block b; `seen` is scratch per slot. 0 without memory. */
int rank_list_block(struct ranking *k, int b, int *seen);

/* The scaled Jacobian of block b at the pose evaluated last. 0 without memory. */
int rank_jacobian(struct ranking *k, int b);

#endif
