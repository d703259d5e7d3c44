#include "rt/solve/violations.h"

#include <math.h>

#include "rt/mech/jointkin.h"

#include "rt/rtsafe.h"

static double larger(double a, double b) { return fabs(b) > a ? fabs(b) : a; }

static double motion_error(const struct evaluation *ev, int coordinate, enum evaluate_level level)
{
    return evaluate_motion_value(ev, coordinate, model_coordinates(ev->m)[coordinate].motion,
                                 level);
}

static double joint_error(const struct evaluation *ev, int joint, enum evaluate_level level,
                          int independent)
{
    const struct plan *p = ev->p;
    const struct plan_joint *j = &p->joint[joint];
    if (p->joint_sum[joint] != PLAN_NONE) {
        const struct plan_sum *s = &p->sum[p->joint_sum[joint]];
        if (evaluate_sum_is_off(ev, s)) return 0;
        return independent && p->row[s->row_at].redundant ? 0
                                                          : fabs(evaluate_sum_value(ev, s, level));
    }
    const struct kin *a = &ev->ws->kin[j->kin[0]], *b = &ev->ws->kin[j->kin[1]];
    const struct model_joint *mj = &model_joints(ev->m)[joint];
    int cut = p->joint_cut[joint];
    if (evaluate_is_released(ev, joint)) return 0;
    struct jointkin k;
    struct six w[PLAN_MAX_ROWS];
    double value[PLAN_MAX_ROWS], e = 0;
    evaluate_place(ev, joint, b->x, 1, &k);
    if (level == LEVEL_POSITION)
        jointkin_rows(&k, w, value);
    else if (level == LEVEL_VELOCITY)
        jointkin_rows_velocity(&k, a, b, value);
    else
        jointkin_rows_acceleration(&k, a, b, value);
    for (int r = 0; r < j->type->n_rows; r++)
        if (!independent || cut == PLAN_NONE || !p->row[p->cut[cut].row_at + r].redundant)
            e = larger(e, value[r]);
    for (int i = 0; i < mj->n_coordinates; i++)
        if (model_coordinates(ev->m)[mj->coordinate_at + i].motion >= 0)
            e = larger(e, motion_error(ev, mj->coordinate_at + i, level));
    return e;
}

double violations_joint(const struct evaluation *ev, int joint, enum evaluate_level level)
{
    return joint_error(ev, joint, level, 0);
}

double violations_largest(const struct evaluation *ev, enum evaluate_level level, int independent,
                          int *joint)
{
    double largest = 0;
    if (joint) *joint = -1;
    for (int j = 0; j < ev->p->n_joints; j++) {
        double e = joint_error(ev, j, level, independent);
        if (e > largest) {
            largest = e;
            if (joint) *joint = j;
        }
    }
    return largest;
}
