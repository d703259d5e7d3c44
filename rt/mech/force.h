/* force.h: the force elements, one const row each, one small file per family.
 *
 * An element acts between body[0] (A) and body[1] (B); ground may be either. It
 * returns the wrench on B (A gets the opposite) and the positive semi-definite
 * tangent P = s K + s c_v C of that wrench, both about the reference point of B's
 * segment. That is all the solver knows of it. Rows w with G_B = w, G_A = -w.
 * RT context, wait-free, no allocation; SI units, world axes. */
#ifndef FORCE_H
#define FORCE_H

#include "rt/math/six.h"
#include "rt/mech/field.h"
#include "rt/mech/function.h"
#include "rt/mech/kin.h"
#include "rt/mech/model.h"

enum force_section { FORCE_IN_FORCES, FORCE_IN_ACTUATORS };

/* Which states an element answers with. */
enum force_start {
    FORCE_STEPS,  /* those of the iterate */
    FORCE_BEGINS, /* its first: there is no step n */
    FORCE_HOLDS   /* better first ones: dry friction at rest takes up what still accelerates */
};

/* What an element sees. */
struct force_in {
    const struct model *model;
    const struct model_force *element;
    const double *p;         /* its pool numbers, in the order of its fields */
    const double *pool;      /* the whole pool, for functions */
    const double *param;     /* live parameters, for functions */
    const struct kin *a, *b; /* its bodies */
    vec3 o;                  /* reference point of wrenches */
    double t;                /* s */
    const struct jet *jet;   /* all functions of the model at t; NULL: not evaluated yet */
    double h;                /* s, step */
    double h_plan;           /* s, step the plan was made for */
    double s, sc;            /* weights of K and C in P: s and s c_v */
    double b1;               /* s, first-order member of the family: z = z_n + (h - b1) zd_n
                                + b1 zd; 0: a look at the present state, z = z_n */
    double command;          /* SI, of its actuator; else 0 */
    const struct coord *coordinate; /* of its joint coordinate; NULL if none */
    const struct coord *phase; /* of the coordinate it reads only; NULL if none */
    double moved;            /* rad or m, its coordinate's way since step n; 0 in a look */
    double load;             /* N, its joint's force across its free directions, load.h; 0
                                where the type asks for none */
    double m_eff;            /* kg or kg m2, effective mass along its row, at load */
    double stick_k, stick_c; /* stiffness and damping of dry friction at rest, bristle.h */
    int starting;            /* enum force_start */
    double second;           /* 1/s2, second rate of its coordinate; FORCE_HOLDS only */
    const double *z_n, *zd_n; /* its states at step n and their rates, 1/s */
};

/* What it answers. */
struct force_out {
    struct six f;        /* wrench on B about o */
    struct mat6 P;       /* s K + s c_v C about o, symmetric */
    double energy;       /* J stored */
    double power;        /* W put into the mechanism by what is not stored */
    double value[3];     /* the element's force as its sensor shows it */
    double *z, *zd;      /* its states at this iterate and their rates, 1/s; a discrete
                            state leaves its rate at 0. On entry those of the iterate
                            before, at the first iterate those of step n */
    int closed;          /* contact, stop: 1 while it pushes */
    double depth;        /* m or rad, penetration, negative when open */
};

/* Where an element acts, for what is judged of it at load. */
struct force_touch {
    vec3 centre; /* m, through which a contact's normal force passes */
    vec3 point;  /* m, at which it rubs; of a spring its point on B */
    vec3 n;      /* normal of the plane */
};

struct force_type {
    const char *name;
    const char *help;
    enum force_section section;
    unsigned refs;             /* enum ref_bits */
    const struct field *field;
    int n_fields;
    int n_states;
    int follows;               /* 1: its states follow from coordinates alone: the step may keep
                                  its last tangent */
    int sticks;                /* 1: it has dry friction, bristle.h */
    int load_number;           /* pool number that asks for its joint's load where it is not 0
                                  or live; 0: none does */
    int n_values;              /* numbers its sensor shows: 1 or 3 */
    const char *unit;          /* SI unit of value[]; "Q": N.m or N, by its coordinate */
    const char *command_unit;  /* actuators: SI unit of the command; "q": rad or m, by
                                  its coordinate */
    int can_open;              /* contact: the opening step is redone */
    const char *(*check)(const double *p, unsigned given, int is_angle); /* setup: what is
                                  wrong with these numbers together, as a clause, or NULL;
                                  bit i of `given`: field i stands in the file; is_angle as
                                  its coordinate, -1: it has none. NULL: nothing can be */
    void (*start)(const struct force_in *in, double *p); /* setup: fill the numbers
                                  whose fallback is "nan", at the start pose; NULL:
                                  it has none */
    void (*touch)(const struct force_in *in, struct force_touch *touch); /* setup: an element
                                  that acts at a point; NULL: it does not */
    void (*eval)(const struct force_in *in, struct force_out *out);
};

extern const struct force_type *const FORCE_TYPE[];
extern const int FORCE_TYPE_COUNT;

/* First row from `from` on with this name and section, or -1. Several rows may
 * share a name and differ in refs (torque on a joint, torque on a body). */
int force_find(const char *name, enum force_section section, int from);

/* Function i of the element at the time of the iterate. */
static inline struct jet force_jet(const struct force_in *in, int i)
{
    int f = in->element->function[i];
    if (in->jet && f >= 0) return in->jet[f];
    return function_eval(in->model, f, in->t, in->pool, in->param);
}

/* Add a row w with force F along it and tangent weight `weight` to the answer. */
static inline void force_add_row(struct force_out *out, struct six w, double F, double weight)
{
    out->f = six_axpy(F, w, out->f);
    mat6_rank1(&out->P, weight, w);
}

#endif
