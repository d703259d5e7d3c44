#include "rt/solve/dense.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "rt/solve/advance.h"
#include "rt/solve/dense_rows.h"
#include "rt/solve/index3.h"
#include "rt/solve/linsolve.h"
#include "rt/solve/load.h"

#include "rt/rtsafe.h"

static int joint_rows(const struct model *m, const struct plan *p, int joint)
{
    const struct model_joint *j = &model_joints(m)[joint];
    if (p->joint_sum[joint] != PLAN_NONE) return 1;
    if (p->joint_slot[joint] == PLAN_NONE && p->joint_cut[joint] == PLAN_NONE) return 0;
    int n = p->joint[joint].type->n_rows;
    for (int i = 0; i < j->n_coordinates; i++)
        n += model_coordinates(m)[j->coordinate_at + i].motion >= 0;
    return n;
}

static int all_rows(const struct model *m, const struct plan *p)
{
    int n = 0;
    for (int j = 0; j < p->n_joints; j++) n += joint_rows(m, p, j);
    return n;
}

static size_t part(size_t n) { return (n + 63) / 64 * 64; }

size_t dense_memsize(const struct model *m, const struct plan *p)
{
    size_t n = 6 * (size_t)p->n, r = (size_t)all_rows(m, p), t = n + r;
    return part(8 * t * t) + part(8 * t) + part(8 * r * n) + part(8 * n * n) + 4 * part(8 * r) +
           2 * part(4 * r) + part(4 * t);
}

static void *take(char **at, size_t size)
{
    void *p = *at;
    *at += part(size);
    return p;
}

/* Which plan row each dense row is. */
static void map_rows(struct dense *d, const struct model *m, const struct plan *p)
{
    int row = 0;
    for (int j = 0; j < p->n_joints; j++) {
        int n = joint_rows(m, p, j), first = -1;
        if (p->joint_sum[j] != PLAN_NONE) first = p->sum[p->joint_sum[j]].row_at;
        if (p->joint_cut[j] != PLAN_NONE) first = p->cut[p->joint_cut[j]].row_at;
        for (int i = 0; i < n; i++, row++) {
            d->plan_row[row] = first < 0 ? -1 : first + i;
            d->soft[row] = first >= 0 && p->row[first + i].redundant;
        }
    }
}

enum status dense_init(struct dense *d, const struct model *m, const struct plan *p, void *memory,
                       size_t size)
{
    if (size < dense_memsize(m, p) || (uintptr_t)memory % 64) return STATUS_TOO_SMALL;
    size_t n = 6 * (size_t)p->n, r = (size_t)all_rows(m, p), t = n + r;
    char *at = memory;
    memset(memory, 0, dense_memsize(m, p));
    d->n = (int)n;
    d->n_rows = (int)r;
    d->A = take(&at, 8 * t * t);
    d->b = take(&at, 8 * t);
    d->G = take(&at, 8 * r * n);
    d->P = take(&at, 8 * n * n);
    d->lambda = take(&at, 8 * r);
    d->kappa = take(&at, 8 * r);
    d->value = take(&at, 8 * r);
    d->weight = take(&at, 8 * r);
    d->soft = take(&at, 4 * r);
    d->plan_row = take(&at, 4 * r);
    d->pivot = take(&at, 4 * t);
    map_rows(d, m, p);
    return STATUS_OK;
}

static double *entry(struct dense *d, int i, int j)
{
    size_t t = (size_t)d->n + (size_t)d->n_rows;
    return &d->A[(size_t)j * t + (size_t)i];
}

/* Wrench about o as force and moment at the mass centre x. */
static void to_centre(struct six w, vec3 o, vec3 x, double *out)
{
    vec3 m = w.a + vec_cross(o - x, w.l);
    for (int i = 0; i < 3; i++) out[i] = w.l[i], out[3 + i] = m[i];
}

/* Twist of a body's unit motion i about o. */
static struct six unit_twist(int i, vec3 x, vec3 o)
{
    vec3 e = vec_make(i % 3 == 0, i % 3 == 1, i % 3 == 2);
    return i < 3 ? (struct six){e, vec_zero()} : (struct six){vec_cross(e, o - x), e};
}

static void add_mass(const struct evaluation *ev, struct dense *d)
{
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        const struct plan_body *body = &ev->p->body[k];
        for (int i = 0; i < 3; i++) d->P[(6 * k + i) * d->n + 6 * k + i] += body->m;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double s = 0;
                if (i == j && body->length == 0) s = 1e-9 * body->m; /* a point mass */
                for (int a = 0; a < 3; a++)
                    for (int c = 0; c < 3; c++) s += b->R.c[a][i] * body->J.c[c][a] * b->R.c[c][j];
                d->P[(6 * k + 3 + i) * d->n + 6 * k + 3 + j] += s;
            }
    }
}

/* r = M a + w x J w - m g, into b. */
static void add_inertia_load(const struct evaluation *ev, struct dense *d)
{
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        double m = ev->p->body[k].m, Jw[3] = {0}, Ja[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double J = d->P[(6 * k + 3 + i) * d->n + 6 * k + 3 + j];
                Jw[i] += J * b->w[j];
                Ja[i] += J * b->dw[j];
            }
        for (int i = 0; i < 3; i++) {
            int u = (i + 1) % 3, v = (i + 2) % 3;
            d->b[6 * k + i] += m * (b->dv[i] - ev->m->gravity[i]);
            d->b[6 * k + 3 + i] += Ja[i] + b->w[u] * Jw[v] - b->w[v] * Jw[u];
        }
    }
}

/* Force elements: wrenches into b, tangents into P, taken about the second body. */
static void add_forces(const struct evaluation *ev, struct dense *d)
{
    struct workspace *ws = ev->ws;
    for (int i = 0; i < ev->p->n_forces; i++) {
        const struct plan_force *f = &ev->p->force[i];
        vec3 o = ws->o[f->segment];
        for (int side = 0; side < 2; side++) {
            if (f->slot[side] < 0) continue;
            double w[6];
            to_centre(ws->out[i].f, o, ws->kin[f->slot[side]].x, w);
            for (int r = 0; r < 6; r++) d->b[6 * f->slot[side] + r] += side ? -w[r] : w[r];
            for (int other = 0; other < 2; other++) {
                if (f->slot[other] < 0) continue;
                for (int c = 0; c < 6; c++) {
                    struct six t = unit_twist(c, ws->kin[f->slot[other]].x, o);
                    to_centre(mat6_mul(&ws->out[i].P, t), o, ws->kin[f->slot[side]].x, w);
                    for (int r = 0; r < 6; r++)
                        d->P[(6 * f->slot[side] + r) * d->n + 6 * f->slot[other] + c] +=
                            side == other ? w[r] : -w[r];
                }
            }
        }
    }
}

static void set_weights(const struct evaluation *ev, struct dense *d)
{
    for (int r = 0; r < d->n_rows; r++) {
        d->weight[r] = 0;
        if (d->plan_row[r] < 0) continue;
        const struct plan_row *p = &ev->p->row[d->plan_row[r]];
        double soft = p->soft_rate * ev->s;
        double w = p->redundant ? (soft < p->soft_cap ? soft : p->soft_cap) : p->alpha;
        int s = ev->p->n_switches ? ev->p->joint_switch[p->joint] : PLAN_NONE;
        if (s != PLAN_NONE && ev->ws->on[s] == 0) w = 1e-12 * p->alpha;
        d->weight[r] = 1 / w;
    }
}

/* M~, its loads, and the whole matrix factored, at the present iterate. */
static enum status form(const struct evaluation *ev, struct dense *d)
{
    int n = d->n, t = n + d->n_rows;
    struct increments step = index3_increments(ev->ws);
    evaluate_bodies(ev, &step);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    memset(d->P, 0, sizeof(double) * (size_t)n * (size_t)n);
    memset(d->b, 0, sizeof(double) * (size_t)t);
    add_mass(ev, d);
    add_inertia_load(ev, d);
    add_forces(ev, d);
    set_weights(ev, d);
    dense_rows_eval(ev, d, LEVEL_POSITION);
    memset(d->A, 0, sizeof(double) * (size_t)t * (size_t)t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) *entry(d, i, j) = d->P[i * n + j];
    for (int r = 0; r < d->n_rows; r++) {
        for (int i = 0; i < n; i++) {
            double g = d->G[(size_t)r * (size_t)n + (size_t)i];
            *entry(d, n + r, i) = *entry(d, i, n + r) = g;
        }
        *entry(d, n + r, n + r) = -d->weight[r];
    }
    return linsolve_lu(t, d->A, d->pivot);
}

/* Right side of Newton: -[s (r + G'lambda); Phi]. */
static void newton_side(const struct evaluation *ev, struct dense *d)
{
    for (int i = 0; i < d->n; i++) {
        double s = d->b[i];
        for (int r = 0; r < d->n_rows; r++)
            if (!d->soft[r]) s += d->G[(size_t)r * (size_t)d->n + (size_t)i] * d->lambda[r];
        d->b[i] = -ev->s * s;
    }
    for (int r = 0; r < d->n_rows; r++) d->b[d->n + r] = -d->value[r];
}

static double update(const struct evaluation *ev, struct dense *d, int norm2)
{
    double largest = 0, sum = 0;
    struct six *D = index3_own(ev->ws)->D;
    for (int k = 0; k < ev->p->n; k++) {
        const double *x = d->b + 6 * k;
        double l = norm2 ? 1 : ev->p->body[k].length, lin = 0, ang = 0;
        vec3 dt = vec_load(x + 3);
        for (int i = 0; i < 3; i++) lin += x[i] * x[i], ang += x[3 + i] * x[3 + i] * l * l;
        D[k].l += vec_load(x);
        D[k].a = index3_turn(D[k].a, dt);
        sum += lin + ang;
        if (!(fmax(lin, ang) <= largest)) largest = fmax(lin, ang);
    }
    for (int r = 0; r < d->n_rows; r++)
        if (!d->soft[r]) d->lambda[r] += d->b[d->n + r] / ev->s;
    return isfinite(sum) ? sqrt(norm2 ? sum : largest) : NAN;
}

static enum status project(const struct evaluation *ev, struct dense *d, enum evaluate_level level)
{
    dense_rows_eval(ev, d, level);
    for (int i = 0; i < d->n; i++) d->b[i] = 0;
    for (int r = 0; r < d->n_rows; r++) d->b[d->n + r] = -d->value[r];
    enum status s = linsolve_lu_solve(d->n + d->n_rows, d->A, d->pivot, d->b);
    for (int k = 0; k < ev->p->n; k++) {
        struct kin *b = &ev->ws->kin[k];
        vec3 lin = vec_load(d->b + 6 * k), ang = vec_load(d->b + 6 * k + 3);
        if (level == LEVEL_VELOCITY)
            b->v += lin, b->w += ang;
        else
            b->dv += lin, b->dw += ang;
    }
    return s;
}

/* Wrench of each tree joint on its child about the child's mass centre: -G'(lambda + kappa). */
static void tree_wrenches(const struct evaluation *ev, struct dense *d)
{
    int row = 0;
    for (int j = 0; j < ev->p->n_joints; j++) {
        int n = joint_rows(ev->m, ev->p, j), k = ev->p->joint_slot[j];
        double w[6] = {0};
        for (int r = row; r < row + n && k != PLAN_NONE; r++)
            for (int i = 0; i < 6; i++)
                w[i] -= d->G[(size_t)r * (size_t)d->n + (size_t)(6 * k + i)] *
                        (d->lambda[r] + d->kappa[r]);
        if (k != PLAN_NONE) ev->ws->wrench[k] = (struct six){vec_load(w), vec_load(w + 3)};
        row += n;
    }
}

static void accept(const struct evaluation *ev, struct dense *d)
{
    struct workspace *ws = ev->ws;
    for (int k = 0; k < ev->p->n; k++)
        index3_accept_body(ev, k, (struct six){vec_load(d->b + 6 * k), vec_load(d->b + 6 * k + 3)});
    for (int i = 0; i < d->n_rows; i++) {
        if (d->plan_row[i] < 0) continue;
        ws->lambda[d->plan_row[i]] = d->lambda[i];
        ws->kappa[d->plan_row[i]] = d->kappa[i];
    }
    tree_wrenches(ev, d);
    if (ev->p->n_loads) {
        evaluate_rows(ev);
        load_note(ev, ws->lambda, ws->kappa);
    }
    advance_end(ev);
}

static enum status newton(const struct evaluation *ev, struct dense *d, const struct step_limits *l,
                          struct step_report *report)
{
    report->status = STATUS_NOT_CONVERGED;
    for (int i = 0; i < l->iterations; i++) {
        if (form(ev, d) != STATUS_OK) return report->status = STATUS_SINGULAR;
        newton_side(ev, d);
        if (linsolve_lu_solve(d->n + d->n_rows, d->A, d->pivot, d->b) != STATUS_OK)
            return report->status = STATUS_SINGULAR;
        report->d = update(ev, d, l->norm2);
        report->iterations = i + 1;
        if (!isfinite(report->d)) return report->status = STATUS_NOT_FINITE;
        if (report->d <= l->tolerance) report->status = STATUS_OK;
        if (report->status == STATUS_OK && !l->fixed) break;
    }
    return report->status;
}

enum status dense_advance(const struct model *m, const struct plan *p, struct workspace *ws,
                          struct dense *d, double h, const struct step_limits *limits,
                          struct step_report *report)
{
    struct evaluation ev = evaluation_for_step(m, p, ws, h);
    memset(report, 0, sizeof *report);
    index3_begin(&ev);
    advance_states(&ev);
    evaluate_functions(&ev);
    index3_predict(&ev);
    enum status s = newton(&ev, d, limits, report);
    if (status_severity(s) == SEVERITY_BAD) return s;
    if (form(&ev, d) != STATUS_OK) return report->status = STATUS_SINGULAR;
    for (int r = 0; r < d->n_rows; r++)
        if (d->soft[r]) d->lambda[r] = d->value[r] / (d->weight[r] * ev.s);
    if (project(&ev, d, LEVEL_VELOCITY) != STATUS_OK) return report->status = STATUS_SINGULAR;
    evaluate_coordinates(&ev, p->n_active);
    if (project(&ev, d, LEVEL_ACCELERATION) != STATUS_OK) return report->status = STATUS_SINGULAR;
    memcpy(d->kappa, d->b + d->n, sizeof(double) * (size_t)d->n_rows);
    accept(&ev, d);
    ws->d_last = report->d;
    return s;
}
