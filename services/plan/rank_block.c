/* Blocks of loops: their rows, bodies and columns, and the scaled Jacobian of their rows.
 * Theory: rank.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/solve/evaluate.h"
#include "services/plan/orthogonalise.h"
#include "rt/mech/function.h"
#include "rt/mech/jointkin.h"
#include "services/plan/rank_parts.h"

/* ---- lists ---- */

int rank_slot_block(const struct ranking *k, int slot)
{
    int j = k->p->link[slot].joint;
    return j == PLAN_NONE ? -1 : k->d->block[j];
}

static void mark_bodies(struct ranking *k, int b, int *seen)
{
    struct block *y = &k->block[b];
    for (int j = 0; j < k->p->n_joints; j++) {
        if (k->d->block[j] != b || k->p->joint[j].type->special == JOINT_SUM) continue;
        for (int s = 0; s < 2; s++) {
            int slot = k->p->joint[j].kin[s];
            if (slot >= k->p->n || seen[slot] == b + 1) continue;
            seen[slot] = b + 1;
            y->body[y->n_bodies++] = slot;
        }
    }
}

/* 1 if the walk from slot x upwards ends here: x is the base of block b. */
static int is_base(const struct ranking *k, int b, int x)
{
    const struct plan_link *l = &k->p->link[x];
    return !k->block[b].whole_paths && l->joint != PLAN_NONE && rank_slot_block(k, x) != b;
}

/* The slot where the block's joints end above x; -1 is ground. */
static int top_of(const struct ranking *k, int b, int x)
{
    while (x != PLAN_NONE && rank_slot_block(k, x) == b) x = k->p->link[x].parent;
    return x;
}

static int hangs_from_several(const struct ranking *k, int b)
{
    const struct block *y = &k->block[b];
    for (int i = 1; i < y->n_bodies; i++)
        if (top_of(k, b, y->body[i]) != top_of(k, b, y->body[0])) return 1;
    return 0;
}

static int drive_index(const struct block *y, int motion, int joint)
{
    for (int i = 0; i < y->n_drives; i++)
        if (y->drive[i].motion == motion && y->drive[i].joint == joint) return i;
    return -1;
}

/* 1 if the function of time of a joint (a distance, a gear) ever changes. */
static int has_moving_function(const struct ranking *k, int joint)
{
    static const double T[] = {0, 0.013, 0.37, 1.1, 2.9, 11.3};
    int f = model_joints(k->m)[joint].function;
    if (f < 0) return 0;
    for (size_t i = 0; i < sizeof T / sizeof *T; i++) {
        struct jet v = function_eval(k->m, f, T[i], model_pool(k->m), k->ws->param);
        if (v.d1 != 0 || v.d2 != 0) return 1;
    }
    return 0;
}

static void add_drive(struct ranking *k, struct block *y, int motion, int joint)
{
    if (drive_index(y, motion, joint) >= 0) return;
    struct drive *more = memory_grow(&k->memory, y->drive, (size_t)y->n_drives, &y->most_drives,
                                     sizeof *more);
    if (!more) return;
    y->drive = more;
    y->drive[y->n_drives++] = (struct drive){motion, joint};
}

/* Motions and functions of time on the paths upwards and of the cut joints. */
static void list_drives(struct ranking *k, int b, int *seen)
{
    struct block *y = &k->block[b];
    int mark = -(k->n_blocks + b + 2);
    for (int i = 0; i < y->n_bodies; i++)
        for (int x = y->body[i]; x != PLAN_NONE && !is_base(k, b, x) && seen[x] != mark;
             x = k->p->link[x].parent) {
            const struct plan_link *l = &k->p->link[x];
            seen[x] = mark;
            for (int c = 0; c < l->n_driven; c++) add_drive(k, y, l->driven_motion[c], l->joint);
            if (l->joint != PLAN_NONE && has_moving_function(k, l->joint))
                add_drive(k, y, -1, l->joint);
        }
    for (int i = 0; i < y->n_rows; i++) {
        int joint = k->row[y->row[i]].joint, cut = k->p->joint_cut[joint];
        if (has_moving_function(k, joint)) add_drive(k, y, -1, joint);
        for (int c = 0; cut != PLAN_NONE && c < k->p->cut[cut].n_motions; c++)
            add_drive(k, y, k->p->cut_motion[k->p->cut[cut].motion_at + c].motion, joint);
    }
}

/* Columns of all slots on the paths upwards from the block's bodies. */
static int list_columns(struct ranking *k, int b, int *seen)
{
    struct block *y = &k->block[b];
    size_t most = (size_t)k->p->n_columns + 1; /* freed with the ranking */
    y->column = memory_take(&k->memory, most, sizeof(int));
    if (k->memory.failed) return 0;
    for (int i = 0; i < y->n_bodies; i++)
        for (int x = y->body[i]; x != PLAN_NONE && !is_base(k, b, x); x = k->p->link[x].parent) {
            if (seen[x] == -(b + 1)) break;
            seen[x] = -(b + 1);
            if (k->p->link[x].joint == PLAN_NONE && !y->whole_paths) break; /* a floating base */
            for (int c = 0; c < k->p->link[x].n_free; c++)
                y->column[y->n_columns++] = k->p->link[x].s_at + c;
        }
    return 1;
}

/* Its bodies are tied by further joints. */
static int is_one_of_several(const struct ranking *k, int joint)
{
    return k->d->hold[joint] > JOINT_TYPE[model_joints(k->m)[joint].type].n_rows;
}

int rank_list_block(struct ranking *k, int b, int *seen)
{
    struct block *y = &k->block[b];
    size_t rows = 0, bodies = 0;
    for (int r = 0; r < k->p->n_rows; r++) rows += k->d->block[k->row[r].joint] == b;
    for (int j = 0; j < k->p->n_joints; j++) bodies += k->d->block[j] == b ? 2 : 0;
    y->row = memory_take(&k->memory, rows + 1, sizeof(int));
    y->early = memory_take(&k->memory, rows + 1, sizeof(int));
    y->body = memory_take(&k->memory, bodies + 1, sizeof(int));
    y->kept = memory_take(&k->memory, rows + 1, sizeof(int));
    y->misfit = memory_take(&k->memory, rows + 1, sizeof(double));
    if (k->memory.failed) return 0;
    mark_bodies(k, b, seen);
    for (int r = 0; r < k->p->n_rows; r++)
        if (k->d->block[k->row[r].joint] == b) {
            k->row[r].loop = b;
            y->early[y->n_rows] = is_one_of_several(k, k->row[r].joint);
            y->row[y->n_rows++] = r;
            y->length = k->row[r].length;
        }
    y->whole_paths = hangs_from_several(k, b);
    if (!list_columns(k, b, seen)) return 0;
    list_drives(k, b, seen);
    y->rate = memory_take(&k->memory, (size_t)y->n_rows * (size_t)y->n_drives + 1, sizeof(double));
    y->jacobian = strip_make((size_t)y->n_rows); /* freed by rank_rows */
    return y->jacobian && !k->memory.failed;
}

/* ---- the scaled Jacobian at the present pose ---- */

struct shape {
    int *index;           /* ws->S column -> block column + 1 */
    struct strip *motion; /* n_columns of 6 n_bodies */
    struct triangle r;    /* triangular factor of motion */
    double *row;          /* one row of the Jacobian, all columns */
};

/* Add sign x (w . S) for what drives the tree joint of slot x. */
static void add_drives(const struct ranking *k, const struct block *y, int x, struct six w, vec3 o,
                       double sign, double *rate)
{
    const struct plan_link *l = &k->p->link[x];
    const struct evaluation ev = {.m = k->m, .p = k->p, .ws = k->ws};
    struct jointkin jk;
    struct six S[PLAN_MAX_FREE];
    if (l->joint == PLAN_NONE) return;
    int moves = drive_index(y, -1, l->joint);
    if (!l->n_driven && moves < 0) return;
    evaluate_place(&ev, l->joint, o, 1, &jk);
    jointkin_free(&jk, S);
    for (int i = 0; i < l->n_driven; i++) {
        int at = drive_index(y, l->driven_motion[i], l->joint);
        double lead = 1;
        if (jk.j->type->special == JOINT_SCREW &&
            model_coordinates(k->m)[l->driven_coordinate[i]].which == 0)
            lead = 1 / jk.j->lead;
        if (at >= 0) rate[at] += sign * l->sign * lead * six_dot(w, S[(int)l->driven_column[i]]);
    }
    if (moves >= 0)
        rate[moves] += sign * l->sign * six_dot(w, six_twist_at(vec_unit(jk.d), vec_zero(), jk.p));
}

/* Add sign x (w . S_q) for all block columns above slot x; w about o. */
static void add_path(const struct ranking *k, int b, const struct shape *s, int x, struct six w,
                     vec3 o, double sign, double *out, double *rate)
{
    const struct workspace *ws = k->ws;
    while (x != PLAN_NONE) {
        const struct plan_link *l = &k->p->link[x];
        if (is_base(k, b, x)) return;
        if (k->block[b].n_drives) add_drives(k, &k->block[b], x, w, o, sign, rate);
        for (int c = 0; c < l->n_free; c++) {
            struct six S = evaluate_shift_twist(ws->S[l->s_at + c], o - ws->o[l->segment]);
            if (s->index[l->s_at + c]) out[s->index[l->s_at + c] - 1] += sign * six_dot(w, S);
        }
        x = l->parent;
    }
}

/* Squared length of a wrench on a body in body coordinates (lin, ang/l). */
static double wrench_length2(const struct workspace *ws, int slot, struct six w, vec3 o, double l)
{
    struct six c = evaluate_shift_wrench(w, o - ws->kin[slot].x);
    return vec_dot(c.l, c.l) + vec_dot(c.a, c.a) / (l * l);
}

/* What the row itself prescribes over time: it opens by the drive's rate. */
static void add_own_drive(const struct ranking *k, const struct block *y, int r, double *rate)
{
    const struct plan_row *row = &k->row[r];
    int sum = k->p->joint_sum[row->joint], cut = k->p->joint_cut[row->joint];
    int moves = drive_index(y, -1, row->joint);
    if (sum != PLAN_NONE) {
        if (moves >= 0) rate[moves] -= k->p->sum[sum].scale;
        return;
    }
    const struct plan_cut *c = &k->p->cut[cut];
    int i = r - (c->row_at + c->n_rows - c->n_motions);
    if (i < 0) {
        if (moves >= 0) rate[moves] -= 1;
        return;
    }
    const struct plan_cut_motion *mo = &k->p->cut_motion[c->motion_at + i];
    const struct plan_joint *j = &k->p->joint[row->joint];
    int lead = j->type->special == JOINT_SCREW &&
               model_coordinates(k->m)[mo->coordinate].which == 0;
    rate[drive_index(y, mo->motion, row->joint)] -= lead ? 1 / j->lead : 1;
}

static void row_jacobian(const struct ranking *k, int b, const struct shape *s, int r, double *out,
                         double *rate)
{
    const struct plan *p = k->p;
    const struct workspace *ws = k->ws;
    const struct plan_row *row = &k->row[r];
    double l = k->block[b].length, size2 = 0;
    int sum = p->joint_sum[row->joint];
    if (sum != PLAN_NONE) {
        for (int i = 0; i < p->sum[sum].n_slots; i++) {
            int x = p->sum[sum].slot[i];
            struct six w = ws->sum_w[PLAN_MAX_SUM * sum + i];
            vec3 o = ws->o[p->body[x].segment];
            add_path(k, b, s, x, w, o, 1, out, rate);
            size2 += wrench_length2(ws, x, w, o, l);
        }
    } else {
        const struct plan_cut *c = &p->cut[p->joint_cut[row->joint]];
        vec3 o = ws->o[c->segment];
        for (int i = 0; i < 2; i++) {
            if (c->slot[i] == PLAN_NONE) continue;
            add_path(k, b, s, c->slot[i], ws->w[r], o, i ? 1 : -1, out, rate);
            size2 += wrench_length2(ws, c->slot[i], ws->w[r], o, l);
        }
    }
    double scale = size2 > 0 ? 1 / sqrt(size2) : 0;
    for (int q = 0; q < k->block[b].n_columns; q++) out[q] *= scale;
    if (k->block[b].n_drives) add_own_drive(k, &k->block[b], r, rate);
    for (int q = 0; q < k->block[b].n_drives; q++) rate[q] *= scale;
}

/* Motions of the block's bodies per joint column, (lin, l ang) at mass centres. */
static int body_motions(const struct ranking *k, int b, const struct shape *s)
{
    const struct block *y = &k->block[b];
    const struct workspace *ws = k->ws;
    int ok = 1;
    for (int i = 0; i < y->n_bodies && ok; i++) {
        int x = y->body[i];
        vec3 at = ws->kin[x].x;
        while (x != PLAN_NONE) {
            const struct plan_link *l = &k->p->link[x];
            if (is_base(k, b, x)) break;
            for (int c = 0; c < l->n_free; c++) {
                int q = s->index[l->s_at + c];
                if (!q) continue;
                struct six t = evaluate_shift_twist(ws->S[l->s_at + c], at - ws->o[l->segment]);
                double out[6];
                vec_store(out, t.l);
                vec_store(out + 3, t.a * vec_splat(y->length));
                for (size_t e = 0; e < 6 && ok; e++)
                    ok = out[e] == 0 || strip_put(&s->motion[q - 1], 6 * (size_t)i + e, out[e]);
            }
            x = l->parent;
        }
    }
    return ok;
}

int rank_jacobian(struct ranking *k, int b)
{
    struct block *y = &k->block[b];
    size_t nc = (size_t)y->n_columns, nd = (size_t)y->n_drives;
    struct shape s = {.index = calloc((size_t)k->p->n_columns + 1, sizeof(int)),
                      .motion = strip_make(nc),
                      .row = calloc(nc + 1, sizeof(double))};
    int ok = s.index && s.motion && s.row;
    if (ok) {
        for (int q = 0; q < y->n_columns; q++) s.index[y->column[q]] = q + 1;
        memset(y->rate, 0, sizeof(double) * (size_t)y->n_rows * nd);
        ok = body_motions(k, b, &s) &&
             orthogonalise_factor(s.motion, 6 * (size_t)y->n_bodies, nc, &s.r);
        for (int i = 0; i < y->n_rows && ok; i++) {
            memset(s.row, 0, sizeof(double) * nc);
            row_jacobian(k, b, &s, y->row[i], s.row, y->rate + (size_t)i * nd);
            orthogonalise_divide(&s.r, s.row);
            ok = strip_pack(&y->jacobian[i], s.row, nc);
        }
    }
    free(s.index);
    strip_free(s.motion, nc);
    free(s.row);
    orthogonalise_free(&s.r);
    return ok;
}
