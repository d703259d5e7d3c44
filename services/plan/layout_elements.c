/* Cuts, sums and force elements of a plan, part by part: each of the lowest part that holds all
 * bodies it acts on. Forces stand grouped by type within their part. */
#include <math.h>

#include "rt/mech/force.h"
#include "services/plan/layout_parts.h"

static void lay_cut(struct layout *y, int j)
{
    const struct draft *d = y->d;
    const struct model_joint *mj = &model_joints(d->m)[j];
    struct plan_cut *c = &y->cut[y->plan->n_cuts];
    unsigned driven = draft_driven(d->m, j);
    y->joint_cut[j] = y->plan->n_cuts++;
    c->joint = j;
    for (int s = 0; s < 2; s++) c->slot[s] = d->end[j][s] >= 0 ? y->slot[d->end[j][s]] : PLAN_NONE;
    c->segment = layout_segment(y, c->slot[0], c->slot[1]);
    c->apart = layout_apart(y, c->slot, c->segment);
    c->block = PLAN_NONE;
    c->row_at = y->plan->n_rows;
    c->n_rows = y->joint[j].type->n_rows;
    c->motion_at = y->plan->n_cut_motions;
    for (int i = 0; i < mj->n_coordinates; i++)
        if (driven >> i & 1) {
            int coordinate = mj->coordinate_at + i;
            y->cut_motion[y->plan->n_cut_motions++] = (struct plan_cut_motion){
                coordinate, model_coordinates(d->m)[coordinate].motion};
            c->n_motions++;
            c->n_rows++;
        }
    c->hinge = y->joint[j].type->hold == 7 && y->joint[j].type->rotation == ROTATION_ALIGN &&
               !c->n_motions;
    c->switch_at = mj->flags & JOINT_SWITCHABLE ? y->plan->n_switches++ : PLAN_NONE;
    y->joint_switch[j] = c->switch_at;
    if (c->switch_at != PLAN_NONE) c->hinge = 0;
    for (int r = 0; r < c->n_rows; r++) {
        y->row[y->plan->n_rows].joint = j;
        y->row[y->plan->n_rows++].row = r;
    }
}

static void lay_sum(struct layout *y, int j)
{
    const struct model_joint *mj = &model_joints(y->d->m)[j];
    struct plan_sum *s = &y->sum[y->plan->n_sums];
    int v[6];
    double largest = 0;
    y->joint_sum[j] = y->plan->n_sums++;
    s->joint = j;
    s->row_at = y->plan->n_rows;
    s->term_at = (int)mj->term_at;
    s->n_terms = (int)mj->n_terms;
    for (uint32_t i = 0; i < mj->n_terms; i++)
        largest = fmax(largest, fabs(model_terms(y->d->m)[mj->term_at + i].factor));
    s->scale = largest > 0 ? 1 / largest : 1;
    s->n_slots = draft_sum_vertices(y->d, j, v);
    for (int i = 0; i < s->n_slots; i++) s->slot[i] = y->slot[v[i]];
    for (int i = 1; i < s->n_slots; i++)
        for (int k = i; k > 0 && s->slot[k - 1] > s->slot[k]; k--) {
            int t = s->slot[k];
            s->slot[k] = s->slot[k - 1];
            s->slot[k - 1] = t;
        }
    y->row[y->plan->n_rows].joint = j;
    y->row[y->plan->n_rows++].row = 0;
}

/* The part of what acts between two bodies of the model. */
static int part_of_bodies(const struct layout *y, int a, int b)
{
    const struct model_body *body = model_bodies(y->d->m);
    if (layout_slot(y, a) == PLAN_NONE) a = b; /* what does not move is of no part */
    if (layout_slot(y, b) == PLAN_NONE) b = a;
    if (layout_slot(y, a) == PLAN_NONE) return y->d->n_parts - 1;
    return y->d->part_of[draft_common(y->d->m, body[a].component, body[b].component)];
}

/* Part of a joint; a sum's is the lowest that holds all it touches. */
static int part_of_joint(const struct layout *y, int j)
{
    const struct model_joint *mj = &model_joints(y->d->m)[j];
    int v[6], n, c;
    if (y->joint[j].type->special != JOINT_SUM) return part_of_bodies(y, mj->body[0], mj->body[1]);
    n = draft_sum_vertices(y->d, j, v);
    if (n == 0) return y->d->n_parts - 1;
    c = model_bodies(y->d->m)[y->d->body[v[0]]].component;
    for (int i = 1; i < n; i++)
        c = draft_common(y->d->m, c, model_bodies(y->d->m)[y->d->body[v[i]]].component);
    return y->d->part_of[c];
}

static void lay_cuts(struct layout *y)
{
    for (int j = 0; j < y->d->n_joints; j++)
        y->joint_cut[j] = y->joint_sum[j] = y->joint_switch[j] = PLAN_NONE;
    for (int part = 0; part < y->d->n_parts; part++) {
        struct plan_part *p = &y->parts[part];
        p->cut_at = y->plan->n_cuts;
        p->sum_at = y->plan->n_sums;
        p->row_at = y->plan->n_rows;
        for (int j = 0; j < y->d->n_joints; j++) {
            int moves = y->d->end[j][0] != y->d->end[j][1];
            if (y->joint[j].type->special != JOINT_SUM && !y->d->tree[j] && moves &&
                part_of_joint(y, j) == part)
                lay_cut(y, j);
        }
        for (int j = 0; j < y->d->n_joints; j++)
            if (y->joint[j].type->special == JOINT_SUM && part_of_joint(y, j) == part)
                lay_sum(y, j);
        p->n_cuts = y->plan->n_cuts - p->cut_at;
        p->n_sums = y->plan->n_sums - p->sum_at;
        p->n_rows = y->plan->n_rows - p->row_at;
    }
}

/* ---- forces, grouped by type ---- */

static int is_live(const struct model *m, uint32_t pool_at)
{
    for (uint32_t i = 0; i < m->derives.n; i++)
        if (model_derives(m)[i].pool_at == pool_at) return 1;
    return 0;
}

int layout_asks_load(const struct model *m, const struct model_force *f)
{
    int number = FORCE_TYPE[f->type]->load_number;
    uint32_t at = f->pool_at + (uint32_t)number;
    return number > 0 && (model_pool(m)[at] != 0 || is_live(m, at));
}

static void lay_states(struct layout *y, struct plan_force *f, const struct model_force *mf)
{
    const struct force_type *t = FORCE_TYPE[mf->type];
    f->load_at = layout_asks_load(y->d->m, mf) ? y->plan->n_loads++ : PLAN_NONE;
    if (t->n_states && t->follows)
        y->plan->follow_states = 1;
    else if (t->n_states)
        y->plan->bound_states = 1;
}

static void lay_force(struct layout *y, uint32_t i)
{
    const struct model_force *mf = &model_forces(y->d->m)[i];
    struct plan_force *f = &y->force[y->plan->n_forces++];
    f->force = (int)i;
    for (int s = 0; s < 2; s++) {
        f->kin[s] = layout_kin(y, mf->body[s]);
        f->slot[s] = layout_slot(y, mf->body[s]);
    }
    f->block = PLAN_NONE;
    f->segment = layout_segment(y, f->slot[0], f->slot[1]);
    f->active_at = mf->coordinate >= 0 ? y->active_of[mf->coordinate] : PLAN_NONE;
    f->phase_at = mf->phase >= 0 ? y->active_of[mf->phase] : PLAN_NONE;
    if (f->active_at >= 0) f->segment = y->active[f->active_at].segment;
    f->apart = layout_apart(y, f->slot, f->segment);
    f->m_eff = 1;
    lay_states(y, f, mf);
    y->plan->can_open |= FORCE_TYPE[mf->type]->can_open;
}

static void lay_forces(struct layout *y)
{
    const struct model *m = y->d->m;
    for (int part = 0; part < y->d->n_parts; part++) {
        struct plan_part *p = &y->parts[part];
        p->force_at = y->plan->n_forces;
        for (int t = 0; t < FORCE_TYPE_COUNT; t++)
            for (uint32_t i = 0; i < m->forces.n; i++) {
                const struct model_force *f = &model_forces(m)[i];
                if (f->type == t && part_of_bodies(y, f->body[0], f->body[1]) == part)
                    lay_force(y, i);
            }
        p->n_forces = y->plan->n_forces - p->force_at;
    }
}

void layout_elements(struct layout *y)
{
    lay_cuts(y);
    lay_forces(y);
}
