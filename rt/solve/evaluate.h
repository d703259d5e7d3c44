/* evaluate.h: the mechanism at the present iterate: bodies, joints, coordinates, force
 * elements, rows, and the loads of the linear system at each level.
 *
 * The linear system everywhere is  [M~ G'; G -1/alpha'] [d; mu] = -[load; phi]  with
 * tree joints carried exactly: d_B = d_A + S theta + c. Here dp sums the c towards the
 * root, f = load + M~ dp + G'(weight (phi + G dp) + q), and eliminate.h finds e, d = dp + e.
 * RT context, wait-free. Twists and wrenches about the segment's point o. */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "rt/mech/jointkin.h"
#include "rt/solve/evaluation.h"

/* Where all bodies are and how they move, by slot: a state, or a stage of an explicit rule. */
struct motion {
    const vec3 *x;       /* m, mass centres */
    const quat *q;       /* attitudes */
    const struct six *v; /* m/s, rad/s */
    const struct six *a; /* m/s2, rad/s2; NULL: none yet, taken as zero */
};

/* Where all bodies are by what a step adds to the accepted state, by slot. */
struct increments {
    struct six *D;        /* m, rad: x = x_n + D_x, p = exp(D_th) p_n */
    const struct six *v0; /* m/s, rad/s: v = c_v D + v0 (MFC 3) */
    const struct six *a0; /* m/s2, rad/s2: a = D/s + a0 (MFC 4) */
};

/* All functions of time at ev->t. Writes jet; once per step. */
void evaluate_functions(const struct evaluation *ev);

/* Kinematics of all bodies from the step's increments, with their inertia. Writes kin, qk,
 * Jw, K, r_o. */
void evaluate_bodies(const struct evaluation *ev, const struct increments *step);

/* Kinematics alone. Writes kin, qk. */
void evaluate_motion(const struct evaluation *ev, const struct increments *step);

/* Kinematics of all bodies as `at` has them. Writes kin, qk; o stays, a factor's too. */
void evaluate_at(const struct evaluation *ev, const struct motion *at);

/* Reference points o at the bodies as they are in kin. */
void evaluate_points(const struct evaluation *ev);

/* Kinematics of all bodies from the accepted state, and o at the bodies' places. */
void evaluate_accepted(const struct evaluation *ev);

/* Diagonal blocks K = M about o and unbalanced wrench r_o = M a + w x Jw - m g, from
 * kin as it stands. */
void evaluate_inertia(const struct evaluation *ev);

/* The first n coordinates of the plan's list: n_active are used by rows and forces,
 * n_watched by sensors too. Writes coord. */
void evaluate_coordinates(const struct evaluation *ev, int n);

/* Second rate of an active or watched coordinate. */
double evaluate_second_rate(const struct evaluation *ev, int active);

/* 1 if a joint is released: its motions, gears and force elements rest. */
static inline int evaluate_is_released(const struct evaluation *ev, int joint)
{
    int s = ev->p->n_switches && joint >= 0 ? ev->p->joint_switch[joint] : PLAN_NONE;
    return s != PLAN_NONE && ev->ws->on[s] == 0;
}

/* 1 if a joint of a gear or rack is released. */
int evaluate_sum_is_off(const struct evaluation *ev, const struct plan_sum *s);

/* Force elements: force_w, force_P and what sensors show; r_o gets the wrenches. */
void evaluate_forces(const struct evaluation *ev);

/* States of the elements whose states follow from coordinates alone, at the iterate: what
 * evaluate_forces finds of them, and nothing else. */
void evaluate_states(const struct evaluation *ev);

/* Weights of all rows for ev->s and the switches; once per step. */
void evaluate_weights(const struct evaluation *ev);

/* Rows of cuts and sums: w, sum_w, phi at position level. Needs: weights. */
void evaluate_rows(const struct evaluation *ev);

/* Place the cut joints anew for their values; rows and weights stay the factor's. */
void evaluate_cut_places(const struct evaluation *ev);

enum evaluate_level { LEVEL_POSITION, LEVEL_VELOCITY, LEVEL_ACCELERATION };

/* phi of the rows at velocity or acceleration level. Needs: rows evaluated. */
void evaluate_row_values(const struct evaluation *ev, enum evaluate_level level);

/* A driven coordinate less its motion, and a sum's value, at a level. */
double evaluate_motion_value(const struct evaluation *ev, int coordinate, int motion,
                             enum evaluate_level level);

/* What a driven coordinate misses, for the solver: as evaluate_motion_value, but where the
 * position of a screw is driven its angle is, by the lead, so that a fine screw is as well
 * conditioned as any. Returns the active coordinate whose row that is. */
int evaluate_drive(const struct evaluation *ev, int coordinate, int motion,
                   enum evaluate_level level, double *value);

double evaluate_sum_value(const struct evaluation *ev, const struct plan_sum *s,
                          enum evaluate_level level);

/* Add force elements' P and rows' weights to K and the off-diagonal blocks. */
void evaluate_assemble(const struct evaluation *ev);

/* Add to the loads f of the tree what force elements and rows ask at d = dp;
 * with_lambda adds s lambda_k. Needs: links evaluated (links.h). */
void evaluate_loads(const struct evaluation *ev, int with_lambda);

/* Multipliers of the rows after a solve: weight (phi + G d), into out[n_rows] (MFC 17). */
void evaluate_multipliers(const struct evaluation *ev, double *out);

/* Add the solution d to the velocities or the accelerations in kin. */
void evaluate_apply_solution(const struct evaluation *ev, enum evaluate_level level);

/* A joint's constants; a switchable one as it was locked last. */
static inline const struct plan_joint *evaluate_joint(const struct evaluation *ev, int joint)
{
    int s = ev->p->n_switches ? ev->p->joint_switch[joint] : PLAN_NONE;
    return s == PLAN_NONE ? &ev->p->joint[joint] : &ev->ws->switched[s];
}

/* Place a joint about o, with the unwrapped angle a screw needs. full: all six axes. */
void evaluate_place(const struct evaluation *ev, int joint, vec3 o, int full, struct jointkin *k);

/* A twist about o as one about o + r. */
static inline struct six evaluate_shift_twist(struct six t, vec3 r)
{
    return (struct six){t.l + vec_cross(t.a, r), t.a};
}

/* A wrench about o + r as one about o. */
static inline struct six evaluate_shift_wrench(struct six w, vec3 r)
{
    return (struct six){w.l, w.a + vec_cross(r, w.l)};
}

/* Wrench of a joint's first on its second body at P_B: from the tree joints' wrenches (about
 * the child's mass centre), or from the forces lambda + kappa of its rows (kappa NULL: none).
 * Of a sum: its force, as the torque's first number. */
struct six evaluate_joint_wrench(const struct evaluation *ev, int joint, const struct six *tree,
                                 const double *lambda, const double *kappa);

/* M d of slot k about o. */
static inline struct six evaluate_mass_times(const struct workspace *ws, const struct plan *p,
                                             int k, struct six d)
{
    vec3 c = ws->kin[k].x - ws->o[p->body[k].segment];
    vec3 F = vec_splat(p->body[k].m) * six_point(d, c);
    return six_wrench_at(F, mat3_mul(&ws->Jw[k], d.a), c);
}

#endif
