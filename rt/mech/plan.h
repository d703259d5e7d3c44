/* plan.h: how a model is solved, decided once at load by services/plan.
 *
 * Moving bodies get slots 0 .. n-1 in elimination order: children before parents.
 * Kinematics also knows fixed bodies and ground: kin index n .. n_kin-1, ground
 * last. Every body's tree joint carries it on its parent exactly; joints left over
 * are cuts, weighted rows. The factorisation is the flat list `op`.
 * Const after load; two workspaces may share it. Memory: one arena of services/plan. */
#ifndef PLAN_H
#define PLAN_H

#include "rt/math/six.h"
#include "rt/mech/joint.h"
#include "rt/mech/model.h"

enum { PLAN_NONE = -1, PLAN_MAX_FREE = 6, PLAN_MAX_ROWS = 6, PLAN_MAX_SUM = 6 };

/* A moving body. */
struct plan_body {
    struct mat3 J;     /* kg m2, body axes, about the mass centre */
    double m;          /* kg */
    int diagonal;      /* 1: J is diagonal */
    double length;     /* m, sqrt(J_max/m): turns angles into lengths in |d| */
    double reach;      /* m, its size: the largest of that and the arms of its joints */
    int body;          /* index in the model */
    int segment;       /* whose reference point its twist is taken about */
};

/* A joint's constants in vector form. */
struct plan_joint {
    vec3 point[2];        /* m, body axes */
    struct mat3 frame[2]; /* columns x, y, z of the joint frame, body axes */
    const struct joint_type *type;
    int kin[2];           /* kin index of first and second body */
    int joint;            /* index in the model */
    int function;         /* distance over time, or PLAN_NONE */
    double length;        /* m, constant distance */
    double lead;          /* m/rad, screw */
};

/* The tree joint of a slot; joint = PLAN_NONE for a free root. */
struct plan_link {
    int joint;
    int parent;           /* slot of the parent, PLAN_NONE if immovable or free */
    int sign;             /* +1: the child is the joint's second body, -1: first */
    int n_free;           /* columns of S kept as unknowns */
    int s_at;             /* first column in ws->S */
    int segment;          /* reference point of S and c: the parent's segment */
    int shift;            /* 1: the child's own segment differs */
    int kind;             /* enum plan_link_kind */
    signed char column[PLAN_MAX_FREE]; /* which S columns of the type are kept */
    int n_driven;         /* columns whose coordinate is prescribed */
    signed char driven_column[3];
    int driven_motion[3];
    int driven_coordinate[3];
};

enum plan_link_kind {
    LINK_FREE,   /* no joint */
    LINK_HINGE,  /* revolute, not driven */
    LINK_BALL,   /* spherical */
    LINK_OTHER
};

/* Weight of a row: alpha for an independent row; a redundant row is a spring of
 * weight min(soft_cap, soft_rate s), without multiplier (rt/README.md). */
struct plan_row {
    double mass;          /* kg, heaviest body of the loop without its base */
    double scale;         /* m, 1 for rows in metres, the loop's length for radians */
    double length;        /* m, largest lever arm of the loop */
    double alpha;
    double soft_cap, soft_rate;
    int redundant;
    int couple;           /* 1: its wrench is a pure couple (rows of axes) */
    int joint, row;       /* for messages */
    int loop;             /* index of its loop, or PLAN_NONE */
    double alarm;         /* |Phi| beyond which a redundant row has opened */
    double limit;         /* |Phi| beyond which no run goes on, any row */
};

/* A joint kept as weighted rows between two slots. */
struct plan_cut {
    int joint;
    int slot[2];          /* PLAN_NONE where immovable */
    int block;            /* off-diagonal block, PLAN_NONE if a side is immovable */
    int row_at, n_rows;
    int motion_at;        /* first driven coordinate, -1 none (rows follow type rows) */
    int n_motions;
    int segment;          /* of the second body (of the first if that is immovable) */
    int apart;            /* 1: the two bodies have different reference points */
    int hinge;            /* 1: a revolute without drive */
    int switch_at;        /* index of its on/off factor, PLAN_NONE if always on */
};

/* A driven coordinate of a cut joint: one further row of the same pair. */
struct plan_cut_motion {
    int coordinate, motion;
};

/* A coordinate sum over several bodies. */
struct plan_sum {
    int joint;
    int row_at;
    int term_at, n_terms;         /* model terms */
    int n_slots;
    int slot[PLAN_MAX_SUM];
    int block[PLAN_MAX_SUM * (PLAN_MAX_SUM - 1) / 2]; /* pair i<j: stored block */
    double scale;                 /* 1 / max|k| */
};

/* A force element between two slots. */
struct plan_force {
    int force;                    /* index in the model */
    int kin[2];
    int slot[2];
    int block;
    int segment;
    int apart;                    /* 1: its bodies have other reference points */
    int active_at;                /* index into active coordinates, or PLAN_NONE */
    int phase_at;                 /* likewise, of the coordinate it reads only */
    double m_eff;
    double stick_k, stick_c;      /* of dry friction at rest, bristle.h */
    int load_at;                  /* index into ws->load, or PLAN_NONE */
};

/* A coordinate: the first n_active are evaluated at every iterate, the rest up to
 * n_watched only for sensors. */
struct plan_coordinate {
    int coordinate;
    int joint;
    int segment;
};

/* Eliminate one slot. Lists in `list` at nb_at: for each later neighbour (parent
 * first if it moves, then the others in order): slot, block of (slot, this).
 * Then, if there is a parent and others: for each other its block with the parent
 * and 1 if that block is stored transposed. Then blocks of all pairs i<j. */
struct plan_op {
    int slot;
    int parent;                   /* slot, or PLAN_NONE */
    int n_free;
    int n_next;                   /* later neighbours, parent included */
    int nb_at;
    int f_at;                     /* first F row in ws->F; n_free x n_next */
    int kind;                     /* enum plan_op_kind */
    int chained;                  /* OP_LEAF1 whose parent is the next operation's slot,
                                     an OP_LEAF1 too */
};

enum plan_op_kind {
    OP_LEAF1,    /* one freedom, parent only, no shift, no block: articulated body */
    OP_GROUND1,  /* one freedom on immovable ground, no other neighbour */
    OP_ONE,      /* one freedom, any neighbours, no shift */
    OP_GENERAL
};

/* A part of the mechanism: what is eliminated together, a user's component or the whole. Parts
 * stand in post-order, children before their parent, the whole last. What belongs to a part is a
 * run of each array: an element or a joint is of the lowest part that holds both its bodies. A
 * body of a run may also be coupled to bodies of parts above: they are the part's border, and
 * all that it hands to its parent is what it leaves on them, (D, r) of VK06 (eq. 19, 37, 38) in
 * stiffness form. */
struct plan_part {
    int component;             /* in the model */
    int parent;                /* part, PLAN_NONE: the whole */
    int slot_at, n_slots;      /* bodies, and operations, which stand in the same order */
    int column_at, n_columns;
    int cut_at, n_cuts;
    int sum_at, n_sums;
    int row_at, n_rows;
    int force_at, n_forces;
    int border_at, n_border;   /* slots, in plan.border */
    int shape;                 /* first part of the same joints, elements and order */
    double flops;              /* of factorising and solving its operations */
};

/* A block of joints that close one or several loops together. */
struct plan_loop {
    int n_joints;
    int n_rows, rank, redundant; /* of its cut rows */
    int freedoms;
    double length;        /* m, its largest lever arm */
    double misfit;        /* m, largest |Phi| of redundant rows over the poses walked */
    double closure;       /* m */
    double pivot_kept, pivot_left; /* smallest independent, largest redundant */
};

/* A loop whose reactions are not unique and are asked for: the self-stress fields of
 * its redundant rows are taken out of the reactions, weighted minimum norm. */
struct plan_null {
    int n_rows, row_at;     /* redundant rows, in null_row */
    int n_joints, joint_at; /* joints of the loop, in null_joint */
    int field_at;           /* first wrench in ws->null: n_rows x n_joints */
    int reaction_at;        /* first of its joints in ws->reaction */
};

enum { PLAN_MAX_NULL = 96 };

struct plan_null_joint {
    int joint;
    double inverse2;        /* 1/m2: 1 / bearing length squared */
};

struct method; /* rt/solve/method.h */

/* What sensors need beyond bodies and coordinates at the accepted state. */
enum plan_ask {
    PLAN_ASK_FORCES = 1, /* force elements */
    PLAN_ASK_ROWS = 2,   /* rows of cuts and sums: reactions of joints */
    PLAN_ASK_ENERGY = 4, /* energies and powers; forces too */
    PLAN_ASK_ALL = 7
};

struct plan {
    const struct method *method;          /* the formulation that moves the mechanism */
    int n, n_kin, n_segments;
    int n_joints, n_cuts, n_rows, n_sums, n_forces, n_active, n_watched, n_ops, n_blocks, n_columns,
        n_F;
    int n_list, n_cut_motions, n_switches, n_loops;
    int n_nulls, n_null_fields, n_reactions, n_null_gram;
    int dof, constraints, redundant;
    int wrenches;         /* joint wrenches are needed (sensors, friction) */
    int n_loads;          /* joints whose load some friction asks for, one per element */
    int bound_states;     /* some element's states need the tangent of the final configuration */
    int follow_states;    /* some element's follow from coordinates alone */
    int can_open;         /* some contact may open: the step may be redone */
    unsigned asked;       /* enum plan_ask: what the model's sensors need */
    double flops;         /* of one factorisation and solve */
    double length;        /* m, of the mechanism: largest lever arm of a joint on a moving
                             body, or radius of inertia */
    struct plan_body *body;               /* body, row, force: written at load only */
    const struct plan_joint *joint;       /* all joints of the model but sums */
    const struct plan_link *link;
    const struct plan_cut *cut;
    const struct plan_cut_motion *cut_motion;
    struct plan_row *row;
    const struct plan_sum *sum;
    struct plan_force *force;             /* grouped by type */
    const struct plan_coordinate *active;
    const int *active_of;                 /* model coordinate -> active index or -1 */
    const struct plan_op *op;
    const int *list;
    int n_parts, n_border;
    const struct plan_part *part;
    const int *border;
    const int *segment_base;              /* slot whose mass centre is the reference */
    const int *joint_slot;                /* joint -> slot it carries, or -1 (cut) */
    const int *joint_cut;                 /* joint -> cut, or -1 */
    const int *joint_sum;                 /* joint -> sum, or -1 */
    const int *joint_switch;              /* joint -> switch, or -1: never switched */
    const int *kin_of_body;               /* model body -> kin index */
    const int *kin_body;                  /* kin index -> model body, ground: -1 */
    const struct plan_loop *loop;
    const int *slot_loop;                 /* slot -> loop its tree joint is part of, or -1 */
    const struct plan_null *null;
    const int *null_row;
    const struct plan_null_joint *null_joint;
    const int *joint_reaction;            /* joint -> index in ws->reaction, or -1 */
    double rho;                           /* resolved */
    double h;                             /* s, step it was made for */
    int geometric;                        /* use the geometric stiffness in Newton */
};

#endif
