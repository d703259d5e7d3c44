/* evaluation.h: what one evaluation of the mechanism is for: time, weights, and what force
 * laws are told. One constructor per purpose; nobody fills the struct by hand.
 * RT context, wait-free. */
#ifndef EVALUATION_H
#define EVALUATION_H

#include "rt/mech/model.h"
#include "rt/mech/plan.h"
#include "rt/mech/workspace.h"
#include "rt/solve/rule.h"

/* Fixed while the mechanism is evaluated. */
struct evaluation {
    const struct model *m;
    const struct plan *p;
    struct workspace *ws;
    struct rule rule;    /* of a step; elsewhere zero and unused */
    double t;            /* s, time the iterate belongs to */
    double ahead;        /* s from the accepted state: angles are unwrapped against
                            angle + ahead rate; 0 at the accepted state itself */
    double h;            /* s, step the force laws are told; 0: none is in work */
    double b1;           /* s, weight of z' in z of element states; 0: a look at them */
    double s;            /* factor of unbalanced wrenches and multipliers: rule.s in
                            Newton, 1 where accelerations are solved for */
    double wk, wc;       /* weights of K and C of force elements: rule.s, rule.sc; 0
                            where the metric is M alone */
    double soft;         /* 1; 0: redundant rows are left out (start values) */
    int starting;        /* enum force_start: which states force elements answer with */
    const int *left_out; /* force elements not evaluated, by plan index; NULL: none */
};

/* A step of h from the accepted state: M~ = M + s K + s c_v C, time t + h (MFC eq. 11). */
struct evaluation evaluation_for_step(const struct model *m, const struct plan *p,
                                      struct workspace *ws, double h);

/* The accepted state with the metric M: element states as they are, no redundant rows. */
struct evaluation evaluation_at_state(const struct model *m, const struct plan *p,
                                      struct workspace *ws);

/* The accepted state as sensors see it: force laws as the last step had them. */
struct evaluation evaluation_for_sensors(const struct model *m, const struct plan *p,
                                         struct workspace *ws);

/* Stiffness of the force elements alone in their P, at the accepted state. */
struct evaluation evaluation_of_stiffness(const struct model *m, const struct plan *p,
                                          struct workspace *ws);

/* The same purpose with the metric M alone, where accelerations or jumps are solved for. */
struct evaluation evaluation_mass_only(const struct evaluation *ev);

#endif
