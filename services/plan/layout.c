/* Bodies, joints, links, cuts, sums, forces, coordinates of a plan. The operations are
 * in layout_ops.c. */
#include "services/plan/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/mech/force.h"
#include "rt/mech/jointkin.h"
#include "rt/mech/sensor.h"
#include "rt/mech/sensor_eval.h"
#include "services/plan/layout_parts.h"

static const double SEGMENT_LENGTH = 50; /* m, a reference point serves bodies this near */

static void lay_kin(struct layout *y)
{
    const struct draft *d = y->d;
    int bodies = (int)d->m->bodies.n, at = d->n;
    y->plan->n = d->n;
    y->plan->n_kin = bodies + 1;
    for (int k = 0; k < d->n; k++) y->slot[d->order[k]] = k;
    for (int b = 0; b < bodies; b++) {
        int v = d->vertex[b];
        y->kin_of_body[b] = v >= 0 ? y->slot[v] : at++;
        y->kin_body[y->kin_of_body[b]] = b;
    }
    y->kin_body[bodies] = MODEL_GROUND;
}

static struct mat3 symmetric(const double *p) { return mat3_load(p); }

static int is_diagonal(const double *J)
{
    return J[1] == 0 && J[2] == 0 && J[3] == 0 && J[5] == 0 && J[6] == 0 && J[7] == 0;
}

static double largest_inertia(const double *J) { return fmax(J[0], fmax(J[4], J[8])); }

static void lay_bodies(struct layout *y)
{
    for (int k = 0; k < y->d->n; k++) {
        int b = y->d->body[y->d->order[k]];
        const struct model_body *mb = &model_bodies(y->d->m)[b];
        struct plan_body *pb = &y->body[k];
        pb->body = b;
        pb->m = mb->mass;
        pb->J = symmetric(mb->inertia);
        pb->diagonal = is_diagonal(mb->inertia);
        pb->length = sqrt(largest_inertia(mb->inertia) / mb->mass);
    }
}

int layout_kin(const struct layout *y, int body)
{
    return body == MODEL_GROUND ? y->plan->n_kin - 1 : y->kin_of_body[body];
}

int layout_slot(const struct layout *y, int body)
{
    int k = layout_kin(y, body);
    return k < y->plan->n ? k : PLAN_NONE;
}

/* World place of a joint point in the file's pose. */
static vec3 placed_point(const struct model *m, const struct model_joint *j, int side)
{
    vec3 p = vec_load(j->point[side]);
    if (j->body[side] == MODEL_GROUND) return p;
    const struct model_body *b = &model_bodies(m)[j->body[side]];
    struct mat3 R = quat_matrix(quat_load(b->q));
    return vec_load(b->x) + mat3_mul(&R, p);
}

static double placed_distance(const struct model *m, const struct model_joint *j)
{
    return vec_norm(placed_point(m, j, 1) - placed_point(m, j, 0));
}

static void lay_joints(struct layout *y)
{
    const struct model *m = y->d->m;
    for (int j = 0; j < y->d->n_joints; j++) {
        const struct model_joint *mj = &model_joints(m)[j];
        struct plan_joint *pj = &y->joint[j];
        pj->type = &JOINT_TYPE[mj->type];
        pj->joint = j;
        pj->function = PLAN_NONE;
        if (pj->type->special == JOINT_SUM) continue;
        for (int s = 0; s < 2; s++) {
            pj->kin[s] = layout_kin(y, mj->body[s]);
            pj->point[s] = vec_load(mj->point[s]);
            pj->frame[s] = mat3_load(mj->frame[s]);
        }
        if (pj->type->special == JOINT_DISTANCE) {
            pj->function = mj->function;
            pj->length = placed_distance(m, mj);
        }
        if (pj->type->special == JOINT_SCREW) pj->lead = model_pool(m)[mj->pool_at] / (2 * M_PI);
    }
}

/* How large each body is, by its joints too; a point on nothing counts as 1 m. */
static void lay_reach(struct layout *y)
{
    for (int k = 0; k < y->plan->n; k++) y->body[k].reach = y->body[k].length;
    for (int j = 0; j < y->d->n_joints; j++)
        for (int s = 0; s < 2; s++) {
            const struct plan_joint *pj = &y->joint[j];
            int k = pj->kin[s];
            if (pj->type->special == JOINT_SUM || k >= y->plan->n) continue;
            double arm = pj->type->special == JOINT_DISTANCE ? pj->length : 0;
            y->body[k].reach = fmax(y->body[k].reach, fmax(arm, vec_norm(pj->point[s])));
        }
    for (int k = 0; k < y->plan->n; k++)
        if (!(y->body[k].reach > 0)) y->body[k].reach = 1;
}

/* ---- coordinates ---- */

static void use_coordinate(struct layout *y, int coordinate)
{
    if (coordinate < 0 || y->active_of[coordinate] >= 0) return;
    int i = y->plan->n_watched++;
    y->active_of[coordinate] = i;
    y->active[i].coordinate = coordinate;
    y->active[i].joint = model_coordinates(y->d->m)[coordinate].joint;
}

static void lay_coordinates(struct layout *y)
{
    const struct model *m = y->d->m;
    for (uint32_t i = 0; i < m->coordinates.n; i++) y->active_of[i] = -1;
    for (uint32_t i = 0; i < m->terms.n; i++) use_coordinate(y, model_terms(m)[i].coordinate);
    for (uint32_t i = 0; i < m->motions.n; i++) {
        int c = model_motions(m)[i].coordinate, j = model_coordinates(m)[c].joint;
        use_coordinate(y, c);
        if (y->joint[j].type->special == JOINT_SCREW) /* its angle is what is driven */
            use_coordinate(y, model_joints(m)[j].coordinate_at + 1);
    }
    for (uint32_t i = 0; i < m->forces.n; i++) use_coordinate(y, model_forces(m)[i].coordinate);
    for (uint32_t i = 0; i < m->forces.n; i++) use_coordinate(y, model_forces(m)[i].phase);
    y->plan->n_active = y->plan->n_watched;
    for (uint32_t i = 0; i < m->sensors.n; i++) use_coordinate(y, model_sensors(m)[i].coordinate);
    for (int j = 0; j < y->d->n_joints; j++)
        if (y->joint[j].type->special == JOINT_SCREW)
            use_coordinate(y, model_joints(m)[j].coordinate_at + 1);
}

/* ---- links ---- */

/* Turns of the tree joint of vertex v that only a point mass would make: columns of S at its
 * end. Turns of a child with inertia are its own where its parent's attitude is free. */
static int idle_turns(const struct draft *d, int joint, int v, const struct joint_type *t)
{
    static const int TURNS[] = {
        [ROTATION_FREE] = 3, [ROTATION_ALIGN] = 1, [ROTATION_CROSS] = 2, [ROTATION_ALL] = 0};
    int held = t->rotation != ROTATION_FREE, parent = d->parent[v];
    if (t->special == JOINT_SCREW) return 0;
    if (draft_turns_idle(d, v, joint) || (held && draft_turns_idle(d, parent, joint)))
        return TURNS[t->rotation];
    return 0;
}

static void lay_driven(struct layout *y, struct plan_link *l, int v)
{
    const struct model_joint *mj = &model_joints(y->d->m)[l->joint];
    const struct joint_type *t = y->joint[l->joint].type;
    unsigned driven = draft_driven(y->d->m, l->joint), columns = 0;
    for (int i = 0; i < mj->n_coordinates; i++) {
        if (!(driven >> i & 1)) continue;
        int c = mj->coordinate_at + i, col = jointkin_column(t, i);
        l->driven_coordinate[l->n_driven] = c;
        l->driven_motion[l->n_driven] = model_coordinates(y->d->m)[c].motion;
        l->driven_column[l->n_driven++] = (signed char)col;
        columns |= 1u << col;
    }
    int n = t->n_free - idle_turns(y->d, l->joint, v, t);
    for (int col = 0; col < n; col++)
        if (!(columns >> col & 1)) l->column[l->n_free++] = (signed char)col;
}

static void lay_links(struct layout *y)
{
    const struct draft *d = y->d;
    for (int j = 0; j < d->n_joints; j++) y->joint_slot[j] = PLAN_NONE;
    for (int k = 0; k < d->n; k++) {
        int v = d->order[k];
        struct plan_link *l = &y->link[k];
        l->joint = d->parent_joint[v];
        l->parent = d->parent[v] >= 0 ? y->slot[d->parent[v]] : PLAN_NONE;
        l->s_at = y->plan->n_columns;
        if (l->joint < 0) {
            l->joint = PLAN_NONE;
            l->n_free = draft_turns_idle(d, v, PLAN_NONE) ? 3 : 6;
        } else {
            y->joint_slot[l->joint] = k;
            l->sign = d->end[l->joint][1] == v ? 1 : -1;
            lay_driven(y, l, v);
        }
        y->plan->n_columns += l->n_free;
    }
}

/* ---- segments: reference points ---- */

static int root_of(int *set, int v)
{
    while (set[v] != v) v = set[v] = set[set[v]];
    return v;
}

static void unite(int *set, int a, int b)
{
    if (a >= 0 && b >= 0) set[root_of(set, a)] = root_of(set, b);
}

static double place_distance(const struct layout *y, int k, int base)
{
    const double *a = model_bodies(y->d->m)[y->body[k].body].x;
    const double *b = model_bodies(y->d->m)[y->body[base].body].x;
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* A segment of the same connected part near slot k; the parent's first. */
static int near_segment(const struct layout *y, const int *part, int k)
{
    int parent = y->link[k].parent;
    if (parent >= 0) {
        int s = y->body[parent].segment;
        if (place_distance(y, k, y->segment_base[s]) <= SEGMENT_LENGTH) return s;
    }
    for (int s = y->plan->n_segments - 1; s >= 0 && s >= y->plan->n_segments - 64; s--)
        if (part[y->segment_base[s]] == part[k] &&
            place_distance(y, k, y->segment_base[s]) <= SEGMENT_LENGTH)
            return s;
    return -1;
}

static int link_kind(const struct layout *y, const struct plan_link *l)
{
    if (l->joint == PLAN_NONE) return LINK_FREE;
    const struct joint_type *t = y->joint[l->joint].type;
    if (t->special != JOINT_PLAIN || t->hold != 7 || l->n_driven || l->n_free < t->n_free)
        return LINK_OTHER;
    return t->rotation == ROTATION_ALIGN  ? LINK_HINGE
           : t->rotation == ROTATION_FREE ? LINK_BALL
                                          : LINK_OTHER;
}

static void lay_segments(struct layout *y, int *part)
{
    const struct draft *d = y->d;
    int n = d->n;
    for (int k = 0; k < n; k++) part[k] = k;
    for (int k = 0; k < n; k++) unite(part, k, y->link[k].parent);
    for (int j = 0; j < d->n_joints; j++) {
        if (y->joint[j].type->special == JOINT_SUM) {
            int v[6], c = draft_sum_vertices(d, j, v);
            for (int i = 1; i < c; i++) unite(part, y->slot[v[0]], y->slot[v[i]]);
        } else if (d->end[j][0] >= 0 && d->end[j][1] >= 0) {
            unite(part, y->slot[d->end[j][0]], y->slot[d->end[j][1]]);
        }
    }
    for (uint32_t i = 0; i < d->m->forces.n; i++) {
        const struct model_force *f = &model_forces(d->m)[i];
        unite(part, layout_slot(y, f->body[0]), layout_slot(y, f->body[1]));
    }
    for (int k = 0; k < n; k++) part[k] = root_of(part, k);
    for (int k = n - 1; k >= 0; k--) {
        int s = near_segment(y, part, k);
        if (s < 0) {
            s = y->plan->n_segments++;
            y->segment_base[s] = k;
        }
        y->body[k].segment = s;
        struct plan_link *l = &y->link[k];
        l->segment = l->parent >= 0 ? y->body[l->parent].segment : s;
        l->shift = l->segment != s;
        l->kind = link_kind(y, l);
    }
}

int layout_segment(const struct layout *y, int first, int second)
{
    if (second >= 0) return y->body[second].segment;
    return first >= 0 ? y->body[first].segment : 0;
}

int layout_apart(const struct layout *y, const int *slot, int segment)
{
    for (int i = 0; i < 2; i++)
        if (slot[i] >= 0 && y->body[slot[i]].segment != segment) return 1;
    return 0;
}

static void lay_coordinate_segments(struct layout *y)
{
    for (int i = 0; i < y->plan->n_watched; i++) {
        const struct plan_joint *j = &y->joint[y->active[i].joint];
        int a = j->kin[0] < y->plan->n ? j->kin[0] : PLAN_NONE;
        int b = j->kin[1] < y->plan->n ? j->kin[1] : PLAN_NONE;
        y->active[i].segment = layout_segment(y, a, b);
    }
}

/* What the sensors need to be evaluated at the accepted state. */
static unsigned asked(const struct model *m)
{
    unsigned all = 0;
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        int e = SENSOR_TYPE[model_sensors(m)[i].type].eval;
        if (e == SENSOR_REACTION_FORCE || e == SENSOR_REACTION_TORQUE) all |= PLAN_ASK_ROWS;
        if (e == SENSOR_FORCE) all |= PLAN_ASK_FORCES;
        if (e == SENSOR_ENERGY) all |= PLAN_ASK_FORCES | PLAN_ASK_ENERGY;
    }
    return all;
}

static int needs_wrenches(const struct model *m)
{
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        int e = SENSOR_TYPE[model_sensors(m)[i].type].eval;
        if (e == SENSOR_REACTION_FORCE || e == SENSOR_REACTION_TORQUE) return 1;
    }
    for (uint32_t i = 0; i < m->forces.n; i++)
        if (layout_asks_load(m, &model_forces(m)[i])) return 1;
    return m->motions.n > 0;
}

static int reserve(struct layout *y)
{
    const struct draft *d = y->d;
    const struct model *m = d->m;
    size_t n = (size_t)d->n + 1, nj = (size_t)d->n_joints + 1, nb = m->bodies.n + 2;
    size_t nc = m->coordinates.n + 1, nf = m->forces.n + 1;
    struct memory *mem = d->memory;
    y->plan = memory_take(mem, 1, sizeof *y->plan);
    y->parts = memory_take(mem, (size_t)d->n_parts + 1, sizeof *y->parts);
    y->slot = memory_take(mem, n, sizeof(int));
    y->kin_of_body = memory_take(mem, nb, sizeof(int));
    y->kin_body = memory_take(mem, nb, sizeof(int));
    y->body = memory_take(mem, n, sizeof *y->body);
    y->joint = memory_take(mem, nj, sizeof *y->joint);
    y->link = memory_take(mem, n, sizeof *y->link);
    y->segment_base = memory_take(mem, n, sizeof(int));
    y->cut = memory_take(mem, nj, sizeof *y->cut);
    y->cut_motion = memory_take(mem, m->motions.n + 1, sizeof *y->cut_motion);
    y->row = memory_take(mem, nj * 7, sizeof *y->row);
    y->sum = memory_take(mem, nj, sizeof *y->sum);
    y->force = memory_take(mem, nf, sizeof *y->force);
    y->active = memory_take(mem, nc, sizeof *y->active);
    y->active_of = memory_take(mem, nc, sizeof(int));
    y->joint_slot = memory_take(mem, nj, sizeof(int));
    y->joint_cut = memory_take(mem, nj, sizeof(int));
    y->joint_sum = memory_take(mem, nj, sizeof(int));
    y->joint_switch = memory_take(mem, nj, sizeof(int));
    y->part = memory_take(mem, n, sizeof(int));
    return !mem->failed;
}

static double mechanism_length(const struct layout *y)
{
    double l = 0;
    for (int k = 0; k < y->plan->n; k++) l = fmax(l, y->body[k].length);
    for (int j = 0; j < y->d->n_joints; j++)
        for (int s = 0; s < 2; s++)
            if (y->d->end[j][s] >= 0) l = fmax(l, vec_norm(y->joint[j].point[s]));
    return l;
}

static void publish(struct layout *y)
{
    struct plan *p = y->plan;
    p->n_joints = y->d->n_joints;
    p->body = y->body;
    p->joint = y->joint;
    p->link = y->link;
    p->cut = y->cut;
    p->cut_motion = y->cut_motion;
    p->row = y->row;
    p->sum = y->sum;
    p->force = y->force;
    p->active = y->active;
    p->active_of = y->active_of;
    p->segment_base = y->segment_base;
    p->kin_of_body = y->kin_of_body;
    p->kin_body = y->kin_body;
    p->joint_slot = y->joint_slot;
    p->joint_cut = y->joint_cut;
    p->joint_sum = y->joint_sum;
    p->joint_switch = y->joint_switch;
    p->flops = y->d->flops;
    p->length = mechanism_length(y);
    p->wrenches = needs_wrenches(y->d->m);
    p->asked = asked(y->d->m);
}

struct plan *layout_plan(struct draft *d)
{
    struct layout y = {.d = d};
    if (!reserve(&y)) return 0;
    lay_kin(&y);
    lay_bodies(&y);
    lay_joints(&y);
    lay_reach(&y);
    lay_coordinates(&y);
    lay_links(&y);
    lay_segments(&y, y.part);
    lay_coordinate_segments(&y);
    layout_elements(&y);
    publish(&y);
    if (!layout_ops(&y) || !layout_runs(&y)) return 0;
    layout_weights(&y);
    return y.plan;
}
