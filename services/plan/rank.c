/* Theory. Rows of a block are reduced to the joint coordinates of its tree: row r moves
 * by J_rq = sum over its bodies of w . S_q. Scaling: body coordinates (lin, l ang), rows
 * in radians times l, each row of unit length in body coordinates, joint coordinates
 * turned into an orthonormal basis of the tree's motions; then a pivot is the sine of the
 * angle a row makes with those before it, and the threshold is absolute.
 * The pose is the file's, before assembly: assembling with all rows would travel. */
#include "services/plan/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/mech/jointkin.h"
#include "rt/solve/accelerate.h"
#include "rt/solve/errors.h"
#include "rt/solve/links.h"
#include "services/load/message.h"
#include "services/plan/gram.h"
#include "services/plan/judge.h"
#include "services/plan/start.h"

static const double PIVOT_LEAST = 1e-2;  /* independent from here on */
static const double PIVOT_REAL = 1e-3;   /* small but meant, if it moves beyond closure */
static const double SOFT_CAP = 1e2, SOFT_SHARE = 0.01;
enum { WALKS = 4, WALK_STEPS = 12 };

/* One block: its rows and the columns of its tree. */
struct block {
    int n_rows, n_columns, n_bodies;
    int *row;          /* plan rows */
    int *early;        /* 1: row of one of several joints between two bodies; they are chosen
                          first, for their bodies do not move against each other */
    int *column;       /* index in ws->S */
    int *body;         /* slots */
    int whole_paths;   /* 1: its bodies hang from different places (a joint of the loop is
                          cut outright): joints outside the block count too */
    double length;
    double *jacobian;  /* n_rows x n_columns, scaled, at one pose */
    int *kept;         /* 1: independent, in the choice in force */
    double *misfit;    /* m, per row */
    double smallest_kept, largest_left;
};

struct ranking {
    const struct model *m;
    struct plan *p;
    const struct draft *d;
    struct workspace *ws;
    struct diag_list *diags;
    struct memory memory;
    struct block *block;
    int n_blocks;
    struct plan_row *row;
};

/* ---- lists ---- */

static int slot_block(const struct ranking *k, int slot)
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
    return !k->block[b].whole_paths && l->joint != PLAN_NONE && slot_block(k, x) != b;
}

/* The slot where the block's joints end above x; -1 is ground. */
static int top_of(const struct ranking *k, int b, int x)
{
    while (x != PLAN_NONE && slot_block(k, x) == b) x = k->p->link[x].parent;
    return x;
}

static int hangs_from_several(const struct ranking *k, int b)
{
    const struct block *y = &k->block[b];
    for (int i = 1; i < y->n_bodies; i++)
        if (top_of(k, b, y->body[i]) != top_of(k, b, y->body[0])) return 1;
    return 0;
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

static int list_block(struct ranking *k, int b, int *seen)
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
    y->jacobian = memory_take(&k->memory, (size_t)y->n_rows * (size_t)y->n_columns + 1, sizeof(double));
    return !k->memory.failed;
}

/* ---- the scaled Jacobian at the present pose ---- */

struct shape {
    int *index;        /* ws->S column -> block column + 1 */
    double *motion;    /* 6 n_bodies x n_columns, by columns */
    double *r;         /* triangular factor of motion */
};

/* Add sign x (w . S_q) for all block columns above slot x; w about o. */
static void add_path(const struct ranking *k, int b, const struct shape *s, int x, struct six w,
                     vec3 o, double sign, double *out)
{
    const struct workspace *ws = k->ws;
    while (x != PLAN_NONE) {
        const struct plan_link *l = &k->p->link[x];
        if (is_base(k, b, x)) return;
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

static void row_jacobian(const struct ranking *k, int b, const struct shape *s, int r, double *out)
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
            add_path(k, b, s, x, w, o, 1, out);
            size2 += wrench_length2(ws, x, w, o, l);
        }
    } else {
        const struct plan_cut *c = &p->cut[p->joint_cut[row->joint]];
        vec3 o = ws->o[c->segment];
        for (int i = 0; i < 2; i++) {
            if (c->slot[i] == PLAN_NONE) continue;
            add_path(k, b, s, c->slot[i], ws->w[r], o, i ? 1 : -1, out);
            size2 += wrench_length2(ws, c->slot[i], ws->w[r], o, l);
        }
    }
    double scale = size2 > 0 ? 1 / sqrt(size2) : 0;
    for (int q = 0; q < k->block[b].n_columns; q++) out[q] *= scale;
}

/* Motions of the block's bodies per joint column, (lin, l ang) at mass centres. */
static void body_motions(const struct ranking *k, int b, const struct shape *s)
{
    const struct block *y = &k->block[b];
    const struct workspace *ws = k->ws;
    size_t height = 6 * (size_t)y->n_bodies;
    for (int i = 0; i < y->n_bodies; i++) {
        int x = y->body[i];
        vec3 at = ws->kin[x].x;
        while (x != PLAN_NONE) {
            const struct plan_link *l = &k->p->link[x];
            if (is_base(k, b, x)) break;
            for (int c = 0; c < l->n_free; c++) {
                int q = s->index[l->s_at + c];
                if (!q) continue;
                struct six t = evaluate_shift_twist(ws->S[l->s_at + c], at - ws->o[l->segment]);
                double *out = s->motion + (size_t)(q - 1) * height + 6 * (size_t)i;
                vec_store(out, t.l);
                vec_store(out + 3, t.a * vec_splat(y->length));
            }
            x = l->parent;
        }
    }
}

static int block_jacobian(struct ranking *k, int b)
{
    struct block *y = &k->block[b];
    size_t nc = (size_t)y->n_columns, height = 6 * (size_t)y->n_bodies;
    struct shape s = {.index = calloc((size_t)k->p->n_columns + 1, sizeof(int)),
                      .motion = calloc(height * nc + 1, sizeof(double)),
                      .r = calloc(nc * nc + 1, sizeof(double))};
    int ok = s.index && s.motion && s.r;
    if (ok) {
        for (int q = 0; q < y->n_columns; q++) s.index[y->column[q]] = q + 1;
        memset(y->jacobian, 0, sizeof(double) * (size_t)y->n_rows * nc);
        body_motions(k, b, &s);
        gram_factor(s.motion, height, nc, s.r);
        for (int i = 0; i < y->n_rows; i++) {
            double *row = y->jacobian + (size_t)i * nc;
            row_jacobian(k, b, &s, y->row[i], row);
            gram_divide(s.r, nc, row);
        }
    }
    free(s.index);
    free(s.motion);
    free(s.r);
    return ok;
}

/* ---- choice of rows ---- */

/* Pivoted choice at the present Jacobian; kept[] gets 1 for independent rows. Returns
 * the rank, or -1 without memory. */
static int choose(const struct block *y, int *kept, double *smallest, double *largest)
{
    size_t nc = (size_t)y->n_columns;
    double *work = malloc(sizeof(double) * ((size_t)y->n_rows * nc + 1));
    if (!work) return -1;
    memcpy(work, y->jacobian, sizeof(double) * (size_t)y->n_rows * nc);
    int rank = gram_choose(work, (size_t)y->n_rows, nc, PIVOT_LEAST, y->early, kept,
                           smallest, largest);
    free(work);
    return rank;
}

/* Smallest pivot of a given choice at the present Jacobian. */
static double quality(const struct block *y, const int *kept)
{
    size_t nc = (size_t)y->n_columns, n = 0;
    double *work = malloc(sizeof(double) * ((size_t)y->n_rows * nc + 1)), smallest = 1, largest = 0;
    int *all = malloc(sizeof(int) * ((size_t)y->n_rows + 1));
    if (work && all) {
        for (int i = 0; i < y->n_rows; i++)
            if (kept[i]) memcpy(work + nc * n++, y->jacobian + nc * (size_t)i, sizeof(double) * nc);
        gram_choose(work, n, nc, 0, NULL, all, &smallest, &largest);
    }
    free(work);
    free(all);
    return n ? smallest : 1;
}

static void evaluate_pose(const struct evaluation *ev)
{
    evaluate_functions(ev);
    evaluate_accepted(ev);
    evaluate_inertia(ev);
    links_free(ev);
    evaluate_coordinates(ev, ev->p->n_watched);
    evaluate_weights(ev);
    evaluate_rows(ev);
}

static void mark(struct ranking *k)
{
    for (int b = 0; b < k->n_blocks; b++)
        for (int i = 0; i < k->block[b].n_rows; i++)
            k->row[k->block[b].row[i]].redundant = !k->block[b].kept[i];
}

static void note_misfit(struct ranking *k)
{
    for (int b = 0; b < k->n_blocks; b++) {
        struct block *y = &k->block[b];
        for (int i = 0; i < y->n_rows; i++) {
            double e = fabs(k->ws->phi[y->row[i]]) * k->row[y->row[i]].scale;
            if (!y->kept[i] && e > y->misfit[i]) y->misfit[i] = e;
        }
    }
}

/* ---- walking ---- */

static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Longest motion of a body per unit time. */
static double speed_of(const struct ranking *k, double length)
{
    double s = 0;
    for (int i = 0; i < k->p->n; i++) {
        struct six v = k->ws->v[i];
        s = fmax(s, fmax(vec_norm(v.l), length * vec_norm(v.a)));
    }
    return s;
}

static double longest(const struct ranking *k)
{
    double l = 1e300;
    for (int b = 0; b < k->n_blocks; b++)
        if (k->block[b].n_rows) l = fmin(l, k->block[b].length);
    return l < 1e300 ? l : 1;
}

/* One walk: random velocities, projected, followed in small assembled steps. */
static void walk(struct ranking *k, int number, struct evaluation *ev)
{
    struct workspace *ws = k->ws;
    unsigned long long seed = 7919ull * (unsigned long long)(number / 2 + 1);
    double length = longest(k), moved;
    start_place(k->m, k->p, ws);
    start_assemble(k->m, k->p, ws, &moved);
    for (int i = 0; i < k->p->n; i++) {
        double sign = number % 2 ? -1 : 1;
        ws->v[i].l = vec_make(uniform(&seed), uniform(&seed), uniform(&seed)) * vec_splat(sign * length);
        ws->v[i].a = vec_make(uniform(&seed), uniform(&seed), uniform(&seed)) * vec_splat(sign);
    }
    for (int step = 0; step < WALK_STEPS; step++) {
        accelerate_jump(ev);
        double speed = speed_of(k, length);
        if (!(speed > 1e-12)) return;
        double dt = 0.033 * length / speed;
        for (int i = 0; i < k->p->n; i++) {
            ws->x[i] += ws->v[i].l * vec_splat(dt);
            ws->q[i] = quat_unit(quat_mul(quat_exp(ws->v[i].a * vec_splat(dt)), ws->q[i]));
        }
        start_assemble(k->m, k->p, ws, &moved);
        evaluate_pose(ev);
        note_misfit(k);
    }
}

/* A choice at one pose and how well it does at all of them. */
struct choices {
    int n;
    int *kept[WALKS + 1];
    int rank[WALKS + 1];
    double worst[WALKS + 1];
};

/* After the walks: larger rank wins, then the best worst pivot. */
static int reconsider(struct ranking *k, struct evaluation *ev)
{
    int n_poses = WALKS + 1, ok = 1;
    struct choices *c = calloc((size_t)k->n_blocks + 1, sizeof *c);
    if (!c) return 0;
    for (int pass = 0; pass < 2 && ok; pass++)
        for (int pose = 0; pose < n_poses && ok; pose++) {
            if (pose == 0) {
                double moved;
                start_place(k->m, k->p, k->ws);
                start_assemble(k->m, k->p, k->ws, &moved);
            } else {
                walk(k, pose - 1, ev);
            }
            evaluate_pose(ev);
            for (int b = 0; b < k->n_blocks && ok; b++) {
                struct block *y = &k->block[b];
                if (!y->n_rows) continue;
                ok = block_jacobian(k, b);
                double s, l;
                if (pass == 0 && ok) {
                    c[b].kept[pose] = memory_take(&k->memory, (size_t)y->n_rows, sizeof(int));
                    ok = !k->memory.failed;
                    if (ok) c[b].rank[pose] = choose(y, c[b].kept[pose], &s, &l);
                    c[b].worst[pose] = 1;
                } else if (ok) {
                    for (int i = 0; i < n_poses; i++)
                        c[b].worst[i] = fmin(c[b].worst[i], quality(y, c[b].kept[i]));
                }
            }
        }
    for (int b = 0; b < k->n_blocks && ok; b++) {
        struct block *y = &k->block[b];
        int best = 0;
        for (int i = 1; i < n_poses && y->n_rows; i++)
            if (c[b].rank[i] > c[b].rank[best] ||
                (c[b].rank[i] == c[b].rank[best] && c[b].worst[i] > 2 * c[b].worst[best]))
                best = i;
        if (y->n_rows) memcpy(y->kept, c[b].kept[best], sizeof(int) * (size_t)y->n_rows);
    }
    free(c);
    return ok;
}

/* ---- verdicts ---- */

static int any_left(const struct ranking *k)
{
    for (int b = 0; b < k->n_blocks; b++)
        for (int i = 0; i < k->block[b].n_rows; i++)
            if (!k->block[b].kept[i]) return 1;
    return 0;
}

static double loop_closure(const struct ranking *k, const struct block *y)
{
    return k->m->closure >= 0 ? k->m->closure : 1e-5 * y->length;
}

static void refuse(struct ranking *k, const struct block *y, int i)
{
    const struct plan_row *r = &k->row[y->row[i]];
    const struct model_joint *j = &model_joints(k->m)[r->joint];
    message_add(k->diags, message_place(k->m, j->origin), MESSAGE_OPEN_LOOP,
                "loop does not close: %s of joint %s is off by %.3g m over its motion (closure %.3g m); "
                "correct its place or axis, use a joint that leaves it free, or allow it with closure:",
                joint_row_name(&JOINT_TYPE[j->type], r->row), model_text(k->m, j->name), y->misfit[i],
                loop_closure(k, y));
}

/* Rows that moved beyond closure: meant (small lever) or a loop that does not close.
 * Returns how many became independent, -1 if refused. */
static int promote(struct ranking *k)
{
    int changed = 0, refused = 0;
    for (int b = 0; b < k->n_blocks; b++) {
        struct block *y = &k->block[b];
        double closure = loop_closure(k, y);
        int best = -1;
        double pivot = 0;
        for (int i = 0; i < y->n_rows; i++) {
            if (y->kept[i] || y->misfit[i] <= closure) continue;
            y->kept[i] = 1;
            double q = quality(y, y->kept);
            y->kept[i] = 0;
            if (q > pivot || best < 0) best = i, pivot = q;
        }
        if (best < 0) continue;
        if (pivot >= PIVOT_REAL) {
            y->kept[best] = 1;
            changed++;
        } else {
            refuse(k, y, best);
            refused = 1;
        }
    }
    return refused ? -1 : changed;
}

/* Misfit of the rows left out, at the file's pose and along the walks. */
static void measure_misfit(struct ranking *k, struct evaluation *ev)
{
    for (int b = 0; b < k->n_blocks; b++)
        for (int i = 0; i < k->block[b].n_rows; i++) k->block[b].misfit[i] = 0;
    start_place(k->m, k->p, k->ws);
    evaluate_pose(ev);
    note_misfit(k);
    for (int w = 0; w < WALKS; w++) walk(k, w, ev);
    start_place(k->m, k->p, k->ws);
    evaluate_pose(ev);
}

/* Choose over the poses, measure, promote, until nothing changes. */
static enum status verify(struct ranking *k, struct evaluation *ev)
{
    mark(k);
    if (!any_left(k)) return STATUS_OK;
    if (!reconsider(k, ev)) return STATUS_NO_MEMORY;
    for (int round = 0; round < 6; round++) {
        mark(k);
        if (!any_left(k)) return STATUS_OK;
        measure_misfit(k, ev);
        for (int b = 0; b < k->n_blocks; b++)
            if (k->block[b].n_rows && !block_jacobian(k, b)) return STATUS_NO_MEMORY;
        int n = promote(k);
        if (n < 0) return STATUS_REFUSED;
        if (n == 0) return STATUS_OK;
    }
    return STATUS_OK;
}

static void set_springs(struct ranking *k)
{
    double g = vec_norm(vec_load(k->m->gravity));
    if (!(g > 0)) g = 9.81;
    for (int b = 0; b < k->n_blocks; b++) {
        struct block *y = &k->block[b];
        double misfit = 0;
        for (int i = 0; i < y->n_rows; i++)
            if (!y->kept[i]) misfit = fmax(misfit, y->misfit[i]);
        for (int i = 0; i < y->n_rows; i++) {
            struct plan_row *r = &k->row[y->row[i]];
            double base = r->mass * r->scale * r->scale;
            r->soft_cap = SOFT_CAP * base;
            r->soft_rate = misfit > 0 ? SOFT_SHARE * g / misfit * base : 1e300;
            r->alarm = 10 * fmax(y->misfit[i], 1e-9 * y->length) / r->scale;
        }
    }
}

static int report_loops(struct ranking *k, struct memory *memory)
{
    struct plan_loop *loop = memory_take(memory, (size_t)k->n_blocks + 1, sizeof *loop);
    if (!loop) return 0;
    for (int b = 0; b < k->n_blocks; b++) {
        struct block *y = &k->block[b];
        struct plan_loop *l = &loop[b];
        int *scratch = malloc(sizeof(int) * ((size_t)y->n_rows + 1));
        l->n_rows = y->n_rows;
        l->length = y->length;
        l->closure = loop_closure(k, y);
        for (int j = 0; j < k->p->n_joints; j++) l->n_joints += k->d->block[j] == b;
        for (int i = 0; i < y->n_rows; i++) {
            l->rank += y->kept[i];
            l->redundant += !y->kept[i];
            if (!y->kept[i]) l->misfit = fmax(l->misfit, y->misfit[i]);
        }
        l->freedoms = y->n_columns - l->rank;
        l->pivot_kept = y->n_rows ? quality(y, y->kept) : 1;
        if (scratch && y->n_rows) {
            double s;
            choose(y, scratch, &s, &l->pivot_left);
        }
        free(scratch);
    }
    int *slot_loop = memory_take(memory, (size_t)k->p->n + 1, sizeof(int));
    if (!slot_loop) return 0;
    for (int i = 0; i < k->p->n; i++) slot_loop[i] = slot_block(k, i);
    k->p->slot_loop = slot_loop;
    k->p->loop = loop;
    k->p->n_loops = k->n_blocks;
    return 1;
}

/* What holds at the start: rows of joints that start released do not count. */
static void count(const struct model *m, struct plan *p)
{
    int held = 0;
    p->constraints = p->redundant = 0;
    for (int j = 0; j < p->n_joints; j++)
        if (!(model_joints(m)[j].flags & JOINT_RELEASED)) p->constraints += p->joint[j].type->n_rows;
    for (int r = 0; r < p->n_rows; r++) {
        p->redundant += p->row[r].redundant;
        held += !p->row[r].redundant && !(model_joints(m)[p->row[r].joint].flags & JOINT_RELEASED);
    }
    p->dof = p->n_columns - held;
    for (int k = 0; k < p->n; k++) p->constraints += p->link[k].n_driven;
    p->constraints += p->n_cut_motions;
}

enum status rank_rows(const struct model *m, struct plan *p, const struct draft *d,
                      struct workspace *ws, struct diag_list *diags)
{
    struct ranking k = {.m = m, .p = p, .d = d, .ws = ws, .diags = diags, .n_blocks = d->n_blocks,
                        .row = p->row};
    struct evaluation ev = start_evaluation(m, p, ws);
    int *seen = memory_take(&k.memory, (size_t)p->n + 1, sizeof(int)), ok = 1;
    enum status s = STATUS_OK;
    k.block = memory_take(&k.memory, (size_t)k.n_blocks + 1, sizeof *k.block);
    for (int r = 0; r < p->n_rows; r++) k.row[r].loop = PLAN_NONE;
    if (k.memory.failed) ok = 0;
    evaluate_pose(&ev);
    for (int b = 0; b < k.n_blocks && ok; b++) {
        ok = list_block(&k, b, seen) && block_jacobian(&k, b);
        struct block *y = &k.block[b];
        if (ok) ok = choose(y, y->kept, &y->smallest_kept, &y->largest_left) >= 0;
    }
    if (!ok) s = STATUS_NO_MEMORY;
    if (s == STATUS_OK) s = verify(&k, &ev);
    if (s == STATUS_OK) {
        mark(&k);
        set_springs(&k);
        if (!report_loops(&k, d->memory)) s = STATUS_NO_MEMORY;
        count(m, p);
    }
    memory_release(&k.memory);
    return s;
}
