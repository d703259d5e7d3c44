#include "services/plan/self_stress.h"

#include <math.h>

#include "rt/mech/sensor.h"
#include "rt/mech/sensor_eval.h"

static const double BEARING = 0.1; /* of the distance to the next joint of the loop */

static int is_watched(const struct model *m, const struct draft *d, int loop)
{
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        int e = SENSOR_TYPE[s->type].eval;
        if ((e == SENSOR_REACTION_FORCE || e == SENSOR_REACTION_TORQUE) &&
            d->block[s->joint] == loop)
            return 1;
    }
    return 0;
}

/* World place of a joint's second point in the file's pose. */
static vec3 joint_place(const struct model *m, int joint)
{
    const struct model_joint *j = &model_joints(m)[joint];
    vec3 p = vec_load(j->point[1]);
    if (j->body[1] == MODEL_GROUND) return p;
    const struct model_body *b = &model_bodies(m)[j->body[1]];
    struct mat3 R = quat_matrix(quat_load(b->q));
    return vec_load(b->x) + mat3_mul(&R, p);
}

static double bearing_length(const struct model *m, const struct plan *p, const struct draft *d,
                             int joint)
{
    double given = model_joints(m)[joint].bearing_length, nearest = 1e300;
    if (given > 0) return given;
    if (p->joint_sum[joint] != PLAN_NONE) return 1;
    for (int j = 0; j < p->n_joints; j++) {
        if (j == joint || d->block[j] != d->block[joint] || p->joint_sum[j] != PLAN_NONE) continue;
        double l = vec_norm(joint_place(m, j) - joint_place(m, joint));
        if (l > 1e-9) nearest = fmin(nearest, l);
    }
    return BEARING * (nearest < 1e300 ? nearest : 1);
}

struct lists {
    struct plan_null *null;
    int *row, *reaction;
    struct plan_null_joint *joint;
    int n_rows, n_joints;
};

static void add_loop(const struct model *m, struct plan *p, const struct draft *d, int loop,
                     struct lists *l)
{
    struct plan_null *z = &l->null[p->n_nulls++];
    *z = (struct plan_null){.row_at = l->n_rows,
                            .joint_at = l->n_joints,
                            .field_at = p->n_null_fields,
                            .reaction_at = p->n_reactions};
    for (int r = 0; r < p->n_rows; r++)
        if (p->row[r].loop == loop && p->row[r].redundant) l->row[l->n_rows++] = r, z->n_rows++;
    for (int j = 0; j < p->n_joints; j++) {
        if (d->block[j] != loop) continue;
        double b = bearing_length(m, p, d, j);
        l->reaction[j] = p->n_reactions++;
        l->joint[l->n_joints++] = (struct plan_null_joint){j, 1 / (b * b)};
        z->n_joints++;
    }
    p->n_null_fields += z->n_rows * z->n_joints;
    int gram = z->n_rows * (z->n_rows + 1);
    if (gram > p->n_null_gram) p->n_null_gram = gram;
}

int self_stress_find(const struct model *m, struct plan *p, const struct draft *d, int all)
{
    struct lists l = {.null = memory_take(d->memory, (size_t)d->n_blocks + 1, sizeof *l.null),
                      .row = memory_take(d->memory, (size_t)p->n_rows + 1, sizeof(int)),
                      .reaction = memory_take(d->memory, (size_t)p->n_joints + 1, sizeof(int)),
                      .joint = memory_take(d->memory, (size_t)p->n_joints + 1, sizeof *l.joint)};
    if (d->memory->failed) return 0;
    for (int j = 0; j < p->n_joints; j++) l.reaction[j] = -1;
    p->joint_reaction = l.reaction;
    for (int b = 0; b < p->n_loops; b++)
        if (p->loop[b].redundant && (all || is_watched(m, d, b))) add_loop(m, p, d, b, &l);
    p->null = l.null;
    p->null_row = l.row;
    p->null_joint = l.joint;
    return 1;
}
