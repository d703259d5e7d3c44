/* The same step through LAPACKE, as a contender (contender.h):
 *   condensed banded|dense MODEL [h=STEP] [NAME=VALUE ...]
 *
 * Problem: what the step costs when its linear systems go to a library. Absolute
 * coordinates d at the mass centres, all joints as weighted rows (002, eq. 18):
 *   K d = -(s r + G'(alpha Phi + s lambda)),  K = M~ + G' alpha G,  lambda += alpha (Phi + G d)/s
 * positive definite, 6 n unknowns; the chain has 11 subdiagonals. Two iterations, then
 * both projections with the last factor, or with a third one where Newton has not come
 * close enough, as in rt/solve/step.c (trapezoidal rule only). Rows and forces are evaluated by rt/mech; own are the
 * assembly and the calls: dpbtrf/dpbtrs (banded), dpotrf/dpotrs (dense).
 * Its motion must be that of the fast step: solver.c compares them.
 * Not for drives, sums, contacts and redundant rows. */
#include <lapacke.h>
#include <math.h>

#include "rt/mech/force.h"
#include "rt/mech/jointkin.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"
#include "tools/bench/contender.h"

enum { ITERATIONS = 2, MAX_ROWS = 6 };
static const double KEEP_FACTOR = 1e-7; /* m, as in rt/solve/step.c */
enum level { POSITION, VELOCITY, ACCELERATION };

/* An element between two slots: a joint's rows or a force's tangent, about B's centre. */
struct pair {
    int slot[2];               /* -1: immovable */
    int n_rows;
    double alpha;
    vec3 r;                    /* x_B - x_A */
    struct six w[MAX_ROWS];
    double phi[MAX_ROWS], lambda[MAX_ROWS];
    struct mat6 P;             /* sum alpha w w', or the force's */
};

struct condensed {
    struct model *model;
    struct mechanism mechanism;
    const struct plan *p;
    int n, n_unknowns, band;   /* band: subdiagonals kept, -1 dense */
    double h, s, t;
    struct six *D, *v, *a, *f; /* per slot: increment, velocities and accelerations at n, loads */
    vec3 *x;
    quat *q, *qk;
    struct kin *kin;
    struct mat3 *J;            /* world axes */
    struct pair *joint, *force;
    double *K, *b;
};

/* ---- the matrix: lower part, by columns, banded or full ------------------------------- */

static double *column_at(struct condensed *c, int i, int j)
{
    if (c->band < 0) return c->K + i + (size_t)j * (size_t)c->n_unknowns;
    return c->K + (i - j) + (size_t)j * (size_t)(c->band + 1);
}

static void matrix_zero(struct condensed *c)
{
    size_t n = (size_t)c->n_unknowns, rows = c->band < 0 ? n : (size_t)c->band + 1;
    memset(c->K, 0, sizeof(double) * n * rows);
}

/* Add a block: rows of slot i, columns of slot j; of a diagonal block the lower part. */
static void matrix_add(struct condensed *c, int i, int j, const struct mat6 *m, double sign)
{
    for (int k = 0; k < 6; k++) {
        int from = i == j ? k : 0;
        double *to = column_at(c, 6 * i + from, 6 * j + k) - from;
        for (int r = from; r < 3; r++) to[r] += sign * m->c[k].l[r];
        for (int r = from > 3 ? from : 3; r < 6; r++) to[r] += sign * m->c[k].a[r - 3];
    }
}

static int matrix_factor(struct condensed *c)
{
    int n = c->n_unknowns;
    if (c->band < 0) return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, c->K, n) == 0;
    return LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', n, c->band, c->K, c->band + 1) == 0;
}

/* f becomes -K^-1 f. */
static void matrix_solve(struct condensed *c)
{
    int n = c->n_unknowns;
    for (int k = 0; k < c->n; k++) {
        vec_store(c->b + 6 * k, -c->f[k].l);
        vec_store(c->b + 6 * k + 3, -c->f[k].a);
    }
    if (c->band < 0)
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, c->K, n, c->b, n);
    else
        LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', n, c->band, 1, c->K, c->band + 1, c->b, n);
    for (int k = 0; k < c->n; k++)
        c->f[k] = (struct six){vec_load(c->b + 6 * k), vec_load(c->b + 6 * k + 3)};
}

/* ---- a pair's share: twist at B's centre of A's motion is X d_A, X = (1, -r x; 0, 1) ---- */

static struct six to_first(const struct pair *e, struct six w) /* X' w */
{
    return (struct six){w.l, w.a + vec_cross(e->r, w.l)};
}

static struct six pair_motion(const struct pair *e, const struct six *d) /* d_B - X d_A */
{
    struct six m = e->slot[1] < 0 ? six_zero() : d[e->slot[1]];
    if (e->slot[0] < 0) return m;
    struct six a = d[e->slot[0]];
    return six_sub(m, (struct six){six_point(a, e->r), a.a});
}

static void pair_load(struct condensed *c, const struct pair *e, struct six w)
{
    if (e->slot[1] >= 0) c->f[e->slot[1]] = six_add(c->f[e->slot[1]], w);
    if (e->slot[0] >= 0) c->f[e->slot[0]] = six_sub(c->f[e->slot[0]], to_first(e, w));
}

static struct mat6 transposed(const struct mat6 *m)
{
    struct mat6 t;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) mat6_put(&t, i, j, mat6_get(m, j, i));
    return t;
}

static void pair_matrix(struct condensed *c, const struct pair *e)
{
    int a = e->slot[0], b = e->slot[1];
    if (b >= 0) matrix_add(c, b, b, &e->P, 1);
    if (a < 0) return;
    struct mat6 n, m; /* n = X'P, m = X'P X */
    for (int j = 0; j < 6; j++) n.c[j] = to_first(e, e->P.c[j]);
    m = n;
    for (int j = 0; j < 3; j++) {
        vec3 axis = vec_make(j == 0, j == 1, j == 2), u = vec_cross(axis, e->r);
        for (int i = 0; i < 3; i++) m.c[3 + j] = six_axpy(u[i], n.c[i], m.c[3 + j]);
    }
    matrix_add(c, a, a, &m, 1);
    if (b < 0) return;
    if (b < a) {
        matrix_add(c, a, b, &n, -1);
    } else {
        struct mat6 t = transposed(&n);
        matrix_add(c, b, a, &t, -1);
    }
}

/* ---- evaluation ------------------------------------------------------------------------ */

static void place_bodies(struct condensed *c)
{
    for (int k = 0; k < c->n; k++) {
        struct kin *b = &c->kin[k];
        struct six D = c->D[k], v = six_axpy(2 / c->h, D, six_scale(-1, c->v[k]));
        struct six a = six_axpy(2 / c->h, six_sub(v, c->v[k]), six_scale(-1, c->a[k]));
        c->qk[k] = quat_mul(quat_exp(D.a), c->q[k]);
        *b = (struct kin){c->x[k] + D.l, quat_matrix(c->qk[k]), v.l, v.a, a.l, a.a};
    }
}

/* M into the matrix and s (M a + (0, w x J w) - m g) into the loads. */
static void add_inertia(struct condensed *c)
{
    vec3 g = vec_load(c->model->gravity);
    for (int k = 0; k < c->n; k++) {
        const struct plan_body *body = &c->p->body[k];
        const struct kin *b = &c->kin[k];
        struct mat3 turned, *J = &c->J[k];
        struct mat6 M;
        for (int i = 0; i < 3; i++) turned.c[i] = mat3_mul(&b->R, body->J.c[i]);
        for (int i = 0; i < 3; i++) {
            vec3 row = vec_make(b->R.c[0][i], b->R.c[1][i], b->R.c[2][i]);
            J->c[i] = mat3_mul(&turned, row);
            M.c[i] = (struct six){body->m * vec_make(i == 0, i == 1, i == 2), vec_zero()};
            M.c[3 + i] = (struct six){vec_zero(), J->c[i]};
        }
        matrix_add(c, k, k, &M, 1);
        vec3 torque = mat3_mul(J, b->dw) + vec_cross(b->w, mat3_mul(J, b->w));
        c->f[k] = six_scale(c->s, (struct six){body->m * (b->dv - g), torque});
    }
}

static void place_pair(const struct condensed *c, struct pair *e, const int *kin)
{
    e->r = c->kin[kin[1]].x - c->kin[kin[0]].x;
}

/* Values of a joint's rows; with the position also the rows and their weight, which
 * stay those of the factor. */
static void eval_joint(struct condensed *c, int i, enum level level)
{
    struct pair *e = &c->joint[i];
    const struct plan_joint *j = &c->p->joint[i];
    const struct kin *a = &c->kin[j->kin[0]], *b = &c->kin[j->kin[1]];
    struct jointkin k;
    if (level == POSITION) place_pair(c, e, j->kin);
    jointkin_place_full(&k, j, a, b, b->x, (struct jet){j->length, 0, 0});
    if (level == VELOCITY) jointkin_rows_velocity(&k, a, b, e->phi);
    if (level == ACCELERATION) jointkin_rows_acceleration(&k, a, b, e->phi);
    if (level != POSITION) return;
    jointkin_rows(&k, e->w, e->phi);
    mat6_zero(&e->P);
    for (int r = 0; r < e->n_rows; r++) mat6_rank1(&e->P, e->alpha, e->w[r]);
}

/* Tangent of a force, and its wrench into the loads. */
static void eval_force(struct condensed *c, int i)
{
    const struct plan_force *f = &c->p->force[i];
    const struct model_force *e = &model_forces(c->model)[f->force];
    struct workspace *ws = &c->mechanism.ws;
    struct force_in in = {.model = c->model,
                          .element = e,
                          .p = ws->pool + e->pool_at,
                          .pool = ws->pool,
                          .param = ws->param,
                          .a = &c->kin[f->kin[0]],
                          .b = &c->kin[f->kin[1]],
                          .o = c->kin[f->kin[1]].x,
                          .t = c->t,
                          .h = c->h,
                          .s = c->s,
                          .sc = c->h / 2,
                          .b1 = c->h / 2,
                          .m_eff = f->m_eff};
    struct force_out out;
    memset(&out, 0, sizeof out);
    place_pair(c, &c->force[i], f->kin);
    FORCE_TYPE[e->type]->eval(&in, &out);
    c->force[i].P = out.P;
    pair_load(c, &c->force[i], six_scale(-c->s, out.f));
}

/* Matrix and the loads without constraints at the present iterate, and its factor. */
static int linearise(struct condensed *c)
{
    place_bodies(c);
    matrix_zero(c);
    add_inertia(c);
    for (int i = 0; i < c->p->n_forces; i++) {
        eval_force(c, i);
        pair_matrix(c, &c->force[i]);
    }
    for (int i = 0; i < c->p->n_joints; i++) {
        eval_joint(c, i, POSITION);
        pair_matrix(c, &c->joint[i]);
    }
    return matrix_factor(c);
}

/* f += G'(alpha Phi + s lambda). */
static void add_rows(struct condensed *c, double s)
{
    for (int i = 0; i < c->p->n_joints; i++) {
        struct pair *e = &c->joint[i];
        struct six w = six_zero();
        for (int r = 0; r < e->n_rows; r++)
            w = six_axpy(e->alpha * e->phi[r] + s * e->lambda[r], e->w[r], w);
        pair_load(c, e, w);
    }
}

/* One iteration. Returns |d|, infinite where there is no factor. */
static double newton(struct condensed *c)
{
    double most = 0;
    if (!linearise(c)) return INFINITY;
    add_rows(c, c->s);
    matrix_solve(c);
    for (int i = 0; i < c->p->n_joints; i++) {
        struct pair *e = &c->joint[i];
        struct six m = pair_motion(e, c->f);
        for (int r = 0; r < e->n_rows; r++)
            e->lambda[r] += e->alpha * (e->phi[r] + six_dot(e->w[r], m)) / c->s;
    }
    for (int k = 0; k < c->n; k++) {
        vec3 d = c->f[k].a, cross = vec_cross(c->D[k].a, d);
        c->D[k].l += c->f[k].l;
        c->D[k].a += d - 0.5 * cross + vec_cross(c->D[k].a, cross) / 12;
        most = fmax(most, fmax(vec_norm(c->f[k].l), c->p->body[k].length * vec_norm(d)));
    }
    return most;
}

static void project(struct condensed *c, enum level level)
{
    for (int k = 0; k < c->n; k++) c->f[k] = six_zero();
    for (int i = 0; i < c->p->n_joints; i++) eval_joint(c, i, level);
    add_rows(c, 0);
    matrix_solve(c);
    for (int k = 0; k < c->n; k++) {
        struct kin *b = &c->kin[k];
        *(level == VELOCITY ? &b->v : &b->dv) += c->f[k].l;
        *(level == VELOCITY ? &b->w : &b->dw) += c->f[k].a;
    }
}

/* ---- the contender ----------------------------------------------------------------------- */

static void condensed_step(void *self)
{
    struct condensed *c = self;
    double d = 0;
    c->t += c->h;
    for (int k = 0; k < c->n; k++)
        c->D[k] = six_axpy(c->h, c->v[k], six_scale(c->h * c->h / 2, c->a[k]));
    for (int i = 0; i < ITERATIONS && isfinite(d); i++) d = newton(c);
    if (d <= KEEP_FACTOR) {
        place_bodies(c);
    } else if (!isfinite(d) || !linearise(c)) {
        fprintf(stderr, "condensed: not positive definite at t = %g s\n", c->t);
        exit(1);
    }
    project(c, VELOCITY);
    project(c, ACCELERATION);
    for (int k = 0; k < c->n; k++) {
        const struct kin *b = &c->kin[k];
        c->x[k] = b->x;
        c->q[k] = quat_unit(c->qk[k]);
        c->v[k] = (struct six){b->v, b->w};
        c->a[k] = (struct six){b->dv, b->dw};
    }
}

static void condensed_reset(void *self)
{
    struct condensed *c = self;
    const struct workspace *ws = &c->mechanism.start;
    size_t n = (size_t)c->n;
    memcpy(c->x, ws->x, n * sizeof *c->x);
    memcpy(c->q, ws->q, n * sizeof *c->q);
    memcpy(c->v, ws->v, n * sizeof *c->v);
    memcpy(c->a, ws->a, n * sizeof *c->a);
    for (int i = 0; i < c->p->n_joints; i++)
        memset(c->joint[i].lambda, 0, sizeof c->joint[i].lambda);
    c->t = 0;
}

static void condensed_centres(void *self, double *xyz)
{
    const struct condensed *c = self;
    for (int k = 0; k < c->n; k++) vec_store(xyz + 3 * c->p->body[k].body, c->x[k]);
}

static void *room(int n, size_t size)
{
    size_t bytes = ((size_t)n + 1) * size + 63;
    void *p = aligned_alloc(64, bytes / 64 * 64);
    if (!p) exit(1);
    return memset(p, 0, bytes / 64 * 64);
}

/* Slots of a pair; returns how far they lie apart. */
static int pair_init(struct pair *e, const int *kin, int n)
{
    for (int i = 0; i < 2; i++) e->slot[i] = kin[i] < n ? kin[i] : -1;
    return e->slot[0] < 0 || e->slot[1] < 0 ? 0 : abs(e->slot[0] - e->slot[1]);
}

static void condensed_init(struct condensed *c, int banded)
{
    const struct plan *p = c->p = c->mechanism.plan;
    int n = c->n = p->n, apart = 0;
    c->n_unknowns = 6 * n;
    c->s = c->h * c->h / 4;
    c->D = room(n, sizeof *c->D), c->v = room(n, sizeof *c->v), c->a = room(n, sizeof *c->a);
    c->f = room(n, sizeof *c->f), c->x = room(n, sizeof *c->x), c->q = room(n, sizeof *c->q);
    c->qk = room(n, sizeof *c->qk), c->J = room(n, sizeof *c->J);
    c->kin = room(p->n_kin, sizeof *c->kin);
    memcpy(c->kin, c->mechanism.start.kin, sizeof *c->kin * (size_t)p->n_kin);
    c->joint = room(p->n_joints, sizeof *c->joint);
    c->force = room(p->n_forces, sizeof *c->force);
    for (int i = 0; i < p->n_joints; i++) {
        const struct plan_joint *j = &p->joint[i];
        struct pair *e = &c->joint[i];
        int d = pair_init(e, j->kin, n);
        double lightest = 1e300;
        for (int k = 0; k < 2; k++)
            if (e->slot[k] >= 0 && p->body[e->slot[k]].m < lightest)
                lightest = p->body[e->slot[k]].m;
        e->n_rows = j->type->n_rows;
        e->alpha = 1e8 * lightest;
        if (d > apart) apart = d;
    }
    for (int i = 0; i < p->n_forces; i++) {
        int d = pair_init(&c->force[i], p->force[i].kin, n);
        if (d > apart) apart = d;
    }
    c->band = banded ? 6 * apart + 5 : -1;
    c->K = room(c->n_unknowns * (banded ? c->band + 1 : c->n_unknowns), sizeof(double));
    c->b = room(c->n_unknowns, sizeof(double));
}

int main(int argc, char **argv)
{
    const char *sets[16];
    struct load_options load = {.sets = sets};
    struct plan_options options = mechanism_options();
    struct condensed c = {0};
    struct diag_list diags = {0};
    if (argc < 3)
        return fprintf(stderr, "usage: condensed banded|dense MODEL [NAME=VALUE ...]\n"), 2;
    for (int i = 3; i < argc && load.n_sets < 16; i++) {
        if (strncmp(argv[i], "h=", 2) == 0)
            options.h = atof(argv[i] + 2);
        else
            sets[load.n_sets++] = argv[i];
    }
    if (load_model(argv[2], &load, &c.model, &diags) != STATUS_OK ||
        mechanism_create(&c.mechanism, c.model, &options, &diags) != STATUS_OK) {
        diag_print(&diags, stderr);
        return 1;
    }
    c.h = options.h;
    condensed_init(&c, strcmp(argv[1], "banded") == 0);
    condensed_reset(&c);
    struct contender me = {.self = &c,
                           .h = c.h,
                           .n_bodies = c.n,
                           .reset = condensed_reset,
                           .step = condensed_step,
                           .centres = condensed_centres};
    return contender_serve(&me);
}
