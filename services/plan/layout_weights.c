/* Weights of rows: alpha' = 1e6 x m x l², m the heaviest body of the row's loop without
 * its base, l = 1 for rows in metres, the loop's largest lever arm for rows in radians.
 * 1e5 to 1e10 give the same motion; 1e8 and more lose linear momentum beyond 1e-12 by
 * rounding where the weights cancel on a loop's base (test_random_mechanisms). */
#include <math.h>
#include <stdlib.h>

#include "rt/mech/joint.h"
#include "services/plan/layout_parts.h"

static const double WEIGHT = 1e6;

/* A row open by this many times closure ends the run. */
static const double OPEN = 100;

struct measure {
    double mass, length;
};

static double arm_of(const struct model_joint *j)
{
    double a = 0;
    for (int s = 0; s < 2; s++) {
        const double *p = j->point[s];
        if (j->body[s] != MODEL_GROUND) a = fmax(a, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    return a;
}

/* Depth of the shallowest vertex among a loop's joints: its base. */
static int base_depth(const struct draft *d, int j, int now)
{
    for (int s = 0; s < 2; s++) {
        int v = d->end[j][s];
        int depth = v < 0 ? -1 : d->depth[v];
        if (depth < now) now = depth;
    }
    return now;
}

static void take_joint(const struct draft *d, int j, int base, struct measure *z)
{
    const struct model_joint *mj = &model_joints(d->m)[j];
    for (int s = 0; s < 2; s++) {
        int v = d->end[j][s];
        if (v >= 0 && d->depth[v] > base)
            z->mass = fmax(z->mass, model_bodies(d->m)[d->body[v]].mass);
    }
    z->length = fmax(z->length, arm_of(mj));
}

static double lighter_mass(const struct draft *d, int j)
{
    double m = 0;
    for (int s = 0; s < 2; s++)
        if (d->end[j][s] >= 0) m = fmax(m, model_bodies(d->m)[d->body[d->end[j][s]]].mass);
    return m;
}

static int row_is_angle(const struct layout *y, const struct plan_row *r)
{
    const struct model *m = y->d->m;
    const struct model_joint *mj = &model_joints(m)[r->joint];
    const struct joint_type *t = &JOINT_TYPE[mj->type];
    if (t->special == JOINT_SUM) {
        for (uint32_t i = 0; i < mj->n_terms; i++)
            if (!model_coordinates(m)[model_terms(m)[mj->term_at + i].coordinate].is_angle)
                return 0;
        return 1;
    }
    if (r->row >= t->n_rows) { /* a driven coordinate of a cut */
        const struct plan_cut *c = &y->cut[y->joint_cut[r->joint]];
        int i = c->motion_at + r->row - t->n_rows;
        return t->special == JOINT_SCREW ||
               model_coordinates(m)[y->cut_motion[i].coordinate].is_angle;
    }
    return joint_row_is_angle(t, r->row);
}

void layout_weights(struct layout *y)
{
    struct draft *d = y->d;
    size_t n = (size_t)d->n_blocks + 1;
    struct measure *z = calloc(n, sizeof *z);
    int *base = malloc(sizeof(int) * n);
    if (!z || !base) {
        d->memory->failed = 1;
        free(z);
        free(base);
        return;
    }
    for (size_t i = 0; i < n; i++) base[i] = 1 << 30;
    for (int j = 0; j < d->n_joints; j++)
        if (d->block[j] >= 0 && y->joint[j].type->special != JOINT_SUM)
            base[d->block[j]] = base_depth(d, j, base[d->block[j]]);
    for (int j = 0; j < d->n_joints; j++)
        if (d->block[j] >= 0) take_joint(d, j, base[d->block[j]], &z[d->block[j]]);
    for (int i = 0; i < y->plan->n_rows; i++) {
        struct plan_row *r = &y->row[i];
        int b = d->block[r->joint];
        double mass = b >= 0 ? z[b].mass : 0;
        double length = b >= 0 ? z[b].length : arm_of(&model_joints(d->m)[r->joint]);
        if (!(mass > 0)) mass = lighter_mass(d, r->joint);
        if (!(mass > 0)) mass = 1;
        if (!(length > 0)) length = 1;
        r->scale = row_is_angle(y, r) ? length : 1;
        r->mass = mass;
        r->couple = joint_row_is_angle(y->joint[r->joint].type, r->row) &&
                    y->joint_cut[r->joint] != PLAN_NONE && r->row < y->joint[r->joint].type->n_rows;
        r->length = length;
        double closure = d->m->closure >= 0 ? d->m->closure : 1e-5 * length;
        r->limit = fmax(OPEN * closure, 1e-4 * length) / r->scale;
        r->alpha = WEIGHT * mass * r->scale * r->scale;
    }
    free(z);
    free(base);
}
