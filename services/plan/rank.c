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
#include "rt/solve/violations.h"
#include "rt/solve/links.h"
#include "services/base/message.h"
#include "services/plan/orthogonalise.h"
#include "services/plan/judge.h"
#include "services/plan/rank_parts.h"
#include "services/plan/start.h"

static const double PIVOT_LEAST = 1e-2;  /* independent from here on */
static const double PIVOT_REAL = 1e-3;   /* small but meant, if it moves beyond closure */
static const double SOFT_CAP = 1e2, SOFT_SHARE = 0.01;
enum { WALKS = 4, WALK_STEPS = 12, LARGE_BLOCK = 200 };

/* ---- choice of rows ---- */

/* Pivoted choice at the present Jacobian; kept[] gets 1 for independent rows. Returns
 * the rank, or -1 without memory. */
static int choose(const struct block *y, int *kept, double *smallest, double *largest)
{
    size_t n = (size_t)y->n_rows;
    struct strip *work = strip_make(n);
    int rank = -1, ok = work != NULL;
    for (size_t i = 0; i < n && ok; i++) ok = strip_copy(&work[i], &y->jacobian[i]);
    if (ok)
        rank = orthogonalise_choose(work, n, (size_t)y->n_columns, PIVOT_LEAST, y->early, kept,
                                    smallest, largest);
    strip_free(work, n);
    return rank;
}

/* Smallest pivot of a given choice at the present Jacobian. */
static double quality(const struct block *y, const int *kept)
{
    size_t most = (size_t)y->n_rows, n = 0;
    double smallest = 1, largest = 0;
    struct strip *work = strip_make(most);
    int *all = malloc(sizeof(int) * (most + 1)), ok = work && all;
    for (size_t i = 0; i < most && ok; i++)
        if (kept[i]) ok = strip_copy(&work[n++], &y->jacobian[i]);
    if (ok) orthogonalise_choose(work, n, (size_t)y->n_columns, 0, NULL, all, &smallest, &largest);
    strip_free(work, most);
    free(all);
    return n ? smallest : 1;
}

static void evaluate_pose(const struct evaluation *ev)
{
    evaluate_functions(ev);
    evaluate_accepted(ev);
    evaluate_inertia(ev);
    links_free(ev, ev->ws->S);
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

static int is_stopped(const struct ranking *k) { return k->stop && *k->stop; }

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
        ws->v[i].l = vec_make(uniform(&seed), uniform(&seed), uniform(&seed)) *
                     vec_splat(sign * length);
        ws->v[i].a = vec_make(uniform(&seed), uniform(&seed), uniform(&seed)) * vec_splat(sign);
    }
    for (int step = 0; step < WALK_STEPS && !is_stopped(k); step++) {
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

/* Poses to compare: all, or two where the loops are so large that each takes seconds. */
static int poses_for(const struct ranking *k)
{
    for (int b = 0; b < k->n_blocks; b++)
        if (k->block[b].n_columns > LARGE_BLOCK) return 2;
    return WALKS + 1;
}

/* After the walks: larger rank wins, then the best worst pivot. */
static int reconsider(struct ranking *k, struct evaluation *ev)
{
    int n_poses = poses_for(k), ok = 1;
    struct choices *c = calloc((size_t)k->n_blocks + 1, sizeof *c);
    if (!c) return 0;
    for (int pass = 0; pass < 2 && ok; pass++)
        for (int pose = 0; pose < n_poses && ok && !is_stopped(k); pose++) {
            if (pose == 0) {
                double moved;
                start_place(k->m, k->p, k->ws);
                start_assemble(k->m, k->p, k->ws, &moved);
            } else {
                walk(k, pose - 1, ev);
            }
            evaluate_pose(ev);
            for (int b = 0; b < k->n_blocks && ok && !is_stopped(k); b++) {
                struct block *y = &k->block[b];
                if (!y->n_rows) continue;
                ok = rank_jacobian(k, b);
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
    for (int b = 0; b < k->n_blocks && ok && !is_stopped(k); b++) {
        struct block *y = &k->block[b];
        int best = 0;
        for (int i = 1; i < n_poses && y->n_rows; i++)
            if (c[b].rank[i] > c[b].rank[best] ||
                (c[b].rank[i] == c[b].rank[best] && c[b].worst[i] > 2 * c[b].worst[best]))
                best = i;
        if (c[b].kept[best]) memcpy(y->kept, c[b].kept[best], sizeof(int) * (size_t)y->n_rows);
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
    message_add(
        k->diags, message_place(k->m, j->origin), MESSAGE_OPEN_LOOP,
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
    if (is_stopped(k)) return STATUS_STOPPED;
    for (int round = 0; round < 6; round++) {
        mark(k);
        if (!any_left(k)) return STATUS_OK;
        measure_misfit(k, ev);
        if (is_stopped(k)) return STATUS_STOPPED;
        for (int b = 0; b < k->n_blocks; b++)
            if (k->block[b].n_rows && !rank_jacobian(k, b)) return STATUS_NO_MEMORY;
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
    for (int i = 0; i < k->p->n; i++) slot_loop[i] = rank_slot_block(k, i);
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
        if (!(model_joints(m)[j].flags & JOINT_RELEASED))
            p->constraints += p->joint[j].type->n_rows;
    for (int r = 0; r < p->n_rows; r++) {
        p->redundant += p->row[r].redundant;
        held += !p->row[r].redundant && !(model_joints(m)[p->row[r].joint].flags & JOINT_RELEASED);
    }
    p->dof = p->n_columns - held;
    for (int k = 0; k < p->n; k++) p->constraints += p->link[k].n_driven;
    p->constraints += p->n_cut_motions;
}

enum status rank_rows(const struct model *m, struct plan *p, const struct draft *d,
                      struct workspace *ws, const volatile sig_atomic_t *stop,
                      struct diag_list *diags)
{
    struct ranking k = {.m = m,
                        .p = p,
                        .d = d,
                        .ws = ws,
                        .diags = diags,
                        .stop = stop,
                        .n_blocks = d->n_blocks,
                        .row = p->row};
    struct evaluation ev = evaluation_at_state(m, p, ws);
    int *seen = memory_take(&k.memory, (size_t)p->n + 1, sizeof(int)), ok = 1;
    enum status s = STATUS_OK;
    k.block = memory_take(&k.memory, (size_t)k.n_blocks + 1, sizeof *k.block);
    for (int r = 0; r < p->n_rows; r++) k.row[r].loop = PLAN_NONE;
    if (k.memory.failed) ok = 0;
    evaluate_pose(&ev);
    for (int b = 0; b < k.n_blocks && ok; b++) {
        ok = rank_list_block(&k, b, seen) && rank_jacobian(&k, b);
        struct block *y = &k.block[b];
        if (ok) ok = choose(y, y->kept, &y->smallest_kept, &y->largest_left) >= 0;
    }
    if (!ok) s = STATUS_NO_MEMORY;
    if (s == STATUS_OK && is_stopped(&k)) s = STATUS_STOPPED;
    if (s == STATUS_OK) s = verify(&k, &ev);
    if (s == STATUS_OK && !rank_check_drives(&k, &ev)) s = STATUS_REFUSED;
    if (s == STATUS_OK) {
        mark(&k);
        set_springs(&k);
        if (!report_loops(&k, d->memory)) s = STATUS_NO_MEMORY;
        count(m, p);
    }
    for (int b = 0; k.block && b < k.n_blocks; b++)
        strip_free(k.block[b].jacobian, (size_t)k.block[b].n_rows);
    memory_release(&k.memory);
    return s;
}
