/* rank_parts.h: the ranking in the making, shared by its files only. */
#ifndef RANK_PARTS_H
#define RANK_PARTS_H

#include "rt/solve/evaluate.h"
#include "services/plan/draft.h"
#include "services/plan/mechanism.h"
#include "services/plan/rank.h"
#include "services/plan/strip.h"

/* Something that moves over time by itself: a motion, or a joint's function of time. */
struct drive {
    int motion; /* or -1 */
    int joint;
};

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
    struct strip *jacobian; /* n_rows of n_columns, scaled, at one pose */
    int *kept;         /* 1: independent, in the choice in force */
    double *misfit;    /* m, per row */
    double smallest_kept, largest_left;
    int n_drives;
    size_t most_drives;
    struct drive *drive; /* what prescribes its motion over time */
    double *rate;      /* n_rows x n_drives: how fast each scaled row opens with a drive */
};

struct ranking {
    const struct model *m;
    struct plan *p;
    const struct draft *d;
    struct workspace *ws;
    struct diag_list *diags;
    const volatile sig_atomic_t *stop; /* or NULL */
    struct memory memory;
    struct block *block;
    int n_blocks;
    struct plan_row *row;
};

/* Loop block a slot's tree joint belongs to, or -1. */
int rank_slot_block(const struct ranking *k, int slot);

/* Fill the lists of block b; `seen` is scratch per slot. 0 without memory. */
int rank_list_block(struct ranking *k, int b, int *seen);

/* Motions that no freedom is left for, of blocks and of single joints: an error for each that
 * a joint or another motion holds. Needs: kept. Returns 0 where there are any, or no memory. */
int rank_check_drives(struct ranking *k, struct evaluation *ev);

/* The scaled Jacobian of block b at the pose evaluated last. 0 without memory. */
int rank_jacobian(struct ranking *k, int b);

#endif
