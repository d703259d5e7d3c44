/* Motions that no freedom is left for. Theory: a row r that depends on independent ones is
 * r = sum c_i r_i in the free columns. If a drive q opens the rows at rates e, the row
 * opens at e_r - sum c_i e_i, whatever the mechanism does: it is truly redundant where
 * that vanishes, and fights the drive otherwise. The sums fall out of the
 * orthogonalisation when the rates are carried along as further columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/solve/evaluate.h"
#include "rt/solve/links.h"
#include "services/base/message.h"
#include "services/plan/rank_parts.h"
#include "services/plan/start.h"

static const double FIGHTS = 1e-3; /* rate of a row of unit length per rate of the drive */

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* Take the kept rows out of the others, largest first; only the first nc columns count. */
static void take_out(double *rows, int n, size_t nc, size_t width, const int *kept, char *done)
{
    for (;;) {
        int best = -1;
        double size = 0;
        for (int i = 0; i < n; i++) {
            if (!kept[i] || done[i]) continue;
            double s = sqrt(dot(rows + width * (size_t)i, rows + width * (size_t)i, nc));
            if (s > size) size = s, best = i;
        }
        if (best < 0 || size < 1e-9) return;
        double *p = rows + width * (size_t)best;
        done[best] = 1;
        for (size_t c = 0; c < width; c++) p[c] /= size;
        for (int i = 0; i < n; i++) {
            double *row = rows + width * (size_t)i, f;
            if (done[i] || (f = dot(row, p, nc)) == 0) continue;
            for (size_t c = 0; c < width; c++) row[c] -= f * p[c];
        }
    }
}

/* The drive a row prescribes itself, or -1. */
static int own_motion(const struct ranking *k, int r)
{
    int cut = k->p->joint_cut[k->row[r].joint];
    if (cut == PLAN_NONE) return -1;
    const struct plan_cut *c = &k->p->cut[cut];
    int i = r - (c->row_at + c->n_rows - c->n_motions);
    return i < 0 ? -1 : k->p->cut_motion[c->motion_at + i].motion;
}

static const char *joint_name(const struct ranking *k, int joint)
{
    return model_text(k->m, model_joints(k->m)[joint].name);
}

static void report(struct ranking *k, struct drive d, int row, const struct drive *other)
{
    const struct plan_row *r = &k->row[row];
    const struct model_joint *held = &model_joints(k->m)[r->joint];
    char by[200];
    int motion = own_motion(k, row);
    if (other && other->motion >= 0)
        snprintf(by, sizeof by, "motion %s prescribes the same freedom",
                 model_text(k->m, model_motions(k->m)[other->motion].name));
    else if (motion >= 0)
        snprintf(by, sizeof by, "the joints around it hold it");
    else
        snprintf(by, sizeof by, "joint %s holds it (%s)", joint_name(k, r->joint),
                 joint_row_name(&JOINT_TYPE[held->type], r->row));
    if (d.motion >= 0)
        message_add(
            k->diags, message_place(k->m, model_motions(k->m)[d.motion].origin), MESSAGE_MOTION,
            "motion %s: joint %s has no freedom left: %s; leave one of them away, or give the "
            "mechanism a freedom more",
            model_text(k->m, model_motions(k->m)[d.motion].name), joint_name(k, d.joint), by);
    else
        message_add(
            k->diags, message_place(k->m, model_joints(k->m)[d.joint].origin), MESSAGE_MOTION,
            "joint %s has no freedom left to change over time: %s; leave one of them away, or "
            "give the mechanism a freedom more",
            joint_name(k, d.joint), by);
}

/* The worst row and drive of one block: the drive is named, and the one it fights. */
static int check_rates(struct ranking *k, const struct block *y, const double *rows, size_t width)
{
    size_t nc = (size_t)y->n_columns;
    double worst = fmax(FIGHTS, k->m->closure > 0 ? 10 * k->m->closure / y->length : 0);
    int row = -1, drive = -1, other = -1;
    for (int i = 0; i < y->n_rows; i++)
        for (int q = 0; q < y->n_drives && !y->kept[i]; q++) {
            const struct drive *d = &y->drive[q];
            int angle = d->motion >= 0 &&
                        model_coordinates(k->m)[model_motions(k->m)[d->motion].coordinate].is_angle;
            double e = fabs(rows[width * (size_t)i + nc + (size_t)q]) / (angle ? y->length : 1);
            if (e > worst) worst = e, row = i, drive = q;
        }
    if (row < 0) return 1;
    for (int q = 0; q < y->n_drives; q++) /* the row's own motion is the one that is too much */
        if (y->drive[q].motion >= 0 && y->drive[q].motion == own_motion(k, y->row[row]) &&
            q != drive)
            other = drive, drive = q;
    for (int q = 0; q < y->n_drives && other < 0; q++)
        if (q != drive && fabs(rows[width * (size_t)row + nc + (size_t)q]) > FIGHTS * y->length)
            other = q;
    report(k, y->drive[drive], y->row[row], other >= 0 ? &y->drive[other] : NULL);
    return 0;
}

static int check_block(struct ranking *k, int b)
{
    struct block *y = &k->block[b];
    size_t nc = (size_t)y->n_columns, nd = (size_t)y->n_drives, width = nc + nd,
           n = (size_t)y->n_rows;
    int left = 0;
    for (int i = 0; i < y->n_rows; i++) left |= !y->kept[i];
    if (!nd || !left) return 1;
    double *rows = calloc(n * width + 1, sizeof *rows);
    char *done = calloc(n + 1, 1);
    int fine = rows && done && rank_jacobian(k, b);
    for (size_t i = 0; fine && i < n; i++) {
        strip_unpack(&y->jacobian[i], rows + i * width, nc);
        memcpy(rows + i * width + nc, y->rate + i * nd, nd * sizeof *rows);
    }
    if (fine) {
        take_out(rows, y->n_rows, nc, width, y->kept, done);
        fine = check_rates(k, y, rows, width);
    }
    free(rows);
    free(done);
    return fine;
}

/* A cut joint by itself: its motions against what it holds. */
static int check_joint(struct ranking *k, const struct plan_cut *c)
{
    double row[PLAN_MAX_ROWS + 3][6];
    double l = k->row[c->row_at].length;
    vec3 o = k->ws->kin[c->slot[c->slot[1] != PLAN_NONE]].x;
    for (int i = 0; i < c->n_rows && i < PLAN_MAX_ROWS + 3; i++) {
        struct six w = evaluate_shift_wrench(k->ws->w[c->row_at + i], k->ws->o[c->segment] - o);
        vec_store(row[i], w.l);
        vec_store(row[i] + 3, w.a / vec_splat(l > 0 ? l : 1));
        double before = sqrt(dot(row[i], row[i], 6));
        for (int pass = 0; pass < 2; pass++)
            for (int q = 0; q < i; q++) {
                double f = dot(row[i], row[q], 6);
                for (int e = 0; e < 6; e++) row[i][e] -= f * row[q][e];
            }
        double size = sqrt(dot(row[i], row[i], 6));
        int is_motion = i >= c->n_rows - c->n_motions;
        if (is_motion && !(size > 1e-6 * before)) {
            const struct plan_cut_motion
                *mo = &k->p->cut_motion[c->motion_at + i - (c->n_rows - c->n_motions)];
            struct drive d = {mo->motion, c->joint};
            int first = c->row_at;
            report(k, d, first, NULL);
            return 0;
        }
        for (int e = 0; e < 6; e++) row[i][e] = size > 1e-12 * before ? row[i][e] / size : 0;
    }
    return 1;
}

int rank_check_drives(struct ranking *k, struct evaluation *ev)
{
    int fine = 1;
    if (!k->m->motions.n && !k->m->functions.n) return 1;
    start_place(k->m, k->p, k->ws);
    evaluate_functions(ev);
    evaluate_accepted(ev);
    evaluate_inertia(ev);
    links_free(ev, k->ws->S);
    evaluate_coordinates(ev, k->p->n_watched);
    evaluate_weights(ev);
    evaluate_rows(ev);
    for (int i = 0; i < k->p->n_cuts; i++)
        if (k->p->cut[i].n_motions) fine &= check_joint(k, &k->p->cut[i]);
    for (int b = 0; b < k->n_blocks && fine; b++) fine &= check_block(k, b);
    return fine;
}
