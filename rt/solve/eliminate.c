/* Theory. Condensed system: minimise 1/2 d'K d + f'd over d_B = d_A + S theta + c.
 * With d = dp + e (dp carries the c, links.c): e_B = e_A + S theta. In the variables
 * (theta, e_A, e_C), C the other later neighbours of B:
 *   F_A = (K_BB + K_AB) S, F_C = K_CB S, Dm = S'K_BB S
 *   K_AA += K_BB + K_AB + K_AB', K_AC += K_BC, then K_XY -= F_X Dm^-1 F_Y' for X, Y later.
 * The pivots are taken one by one: Dm = L D L', F rows are transformed by L^-1.
 * Solve: y = D^-1 L^-1 S'f_B; f_A += f_B - F_A y; f_C -= F_C y; back:
 * theta = -L^-T (y + D^-1 sum F_X'e_X), e_B = e_A + S theta.
 * The way up uses the S the factor was made with, the way down S_down (an argument), so that tree
 * joints are kept exactly also where the factor is that of the iterate before.
 * A block (later, earlier) holds K_later,earlier by columns of the earlier body.
 * Cost per body with one freedom and a parent only: 36 multiply-adds of 4 lanes to
 * factor, 8 to solve. Breaks when a freedom has no inertia behind it (pivot 0). */
#include "rt/solve/eliminate.h"

#include "rt/solve/evaluate.h"

#include "rt/rtsafe.h"

static inline double pivot_leaf(const struct plan *p, struct workspace *ws,
                                const struct plan_op *op)
{
    int k = op->slot;
    const struct plan_link *l = &p->link[k];
    struct mat6 *K = &ws->K[k], *A = &ws->K[op->parent];
    struct six S = ws->S[l->s_at], U = mat6_mul(K, S);
    double D = six_dot(S, U), inv = 1 / D;
    struct six u = six_scale(inv, U), minus = six_scale(-inv, U);
    for (int j = 0; j < 3; j++) {
        A->c[j] = six_axpy(U.l[j], minus, six_add(A->c[j], K->c[j]));
        A->c[3 + j] = six_axpy(U.a[j], minus, six_add(A->c[3 + j], K->c[3 + j]));
    }
    ws->F[op->f_at] = u; /* F / D: saves a product in both sweeps */
    ws->Dinv[l->s_at] = inv;
    return D;
}

static inline double pivot_ground(const struct plan *p, struct workspace *ws,
                                  const struct plan_op *op)
{
    int s = p->link[op->slot].s_at;
    double D = six_dot(ws->S[s], mat6_mul(&ws->K[op->slot], ws->S[s]));
    ws->Dinv[s] = 1 / D;
    return D;
}

/* Transpose of a 3x3 held in three vectors. */
static inline void transpose3(vec3 *a, vec3 *b, vec3 *c)
{
    vec3 x = *a, y = *b, z = *c;
    *a = vec_make(x[0], y[0], z[0]);
    *b = vec_make(x[1], y[1], z[1]);
    *c = vec_make(x[2], y[2], z[2]);
}

static struct mat6 transposed(const struct mat6 *m)
{
    struct mat6 t;
    for (int j = 0; j < 3; j++) {
        t.c[j].l = m->c[j].l, t.c[j].a = m->c[3 + j].l;
        t.c[3 + j].l = m->c[j].a, t.c[3 + j].a = m->c[3 + j].a;
    }
    for (int j = 0; j < 6; j += 3) {
        transpose3(&t.c[j].l, &t.c[j + 1].l, &t.c[j + 2].l);
        transpose3(&t.c[j].a, &t.c[j + 1].a, &t.c[j + 2].a);
    }
    return t;
}

/* Take the slot's blocks from its own point to its parent's: d_own = X d. */
static void shift_slot(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    int k = op->slot;
    vec3 r = ws->o[p->body[k].segment] - ws->o[p->link[k].segment];
    for (int i = -1; i < op->n_next; i++) {
        int block = i < 0 ? 0 : p->list[op->nb_at + 2 * i + 1];
        if (block == PLAN_NONE) continue;
        struct mat6 *M = i < 0 ? &ws->K[k] : &ws->block[block];
        struct mat6 n = *M;
        for (int j = 0; j < 3; j++) {
            vec3 e = vec_make(j == 0, j == 1, j == 2);
            n.c[3 + j] = mat6_mul(M, (struct six){vec_cross(e, r), e});
        }
        if (i < 0)
            for (int j = 0; j < 6; j++) n.c[j] = evaluate_shift_wrench(n.c[j], r);
        *M = n;
    }
}

/* K_AA += K_BB + K_AB + K_AB' and K_AC += K_BC. */
static void merge(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    const int *nb = p->list + op->nb_at, *with = nb + 2 * op->n_next;
    struct mat6 *A = &ws->K[op->parent];
    mat6_add(A, &ws->K[op->slot]);
    if (nb[1] != PLAN_NONE) {
        struct mat6 t = transposed(&ws->block[nb[1]]);
        mat6_add(A, &ws->block[nb[1]]);
        mat6_add(A, &t);
    }
    for (int i = 1; i < op->n_next; i++) {
        int from = nb[2 * i + 1], to = with[2 * (i - 1)], turn = with[2 * (i - 1) + 1];
        if (from == PLAN_NONE) continue;
        if (turn) {
            struct mat6 t = transposed(&ws->block[from]);
            mat6_add(&ws->block[to], &t);
        } else {
            mat6_add(&ws->block[to], &ws->block[from]);
        }
    }
}

/* M -= sum over pivots of y x' / D; F holds the pivots' rows, n_next apart. */
__attribute__((always_inline)) static inline void take_out(struct mat6 *M, const struct six *y,
                                                           const struct six *x, int n, int stride,
                                                           const double *inv)
{
    if (n == 1) {
        mat6_outer(M, -inv[0], y[0], x[0]);
        return;
    }
    struct six z[PLAN_MAX_FREE];
    for (int i = 0; i < n; i++) z[i] = six_scale(-inv[i], y[i * stride]);
    for (int j = 0; j < 3; j++) {
        struct six a = M->c[j], b = M->c[3 + j];
        for (int i = 0; i < n; i++) {
            a = six_axpy(x[i * stride].l[j], z[i], a);
            b = six_axpy(x[i * stride].a[j], z[i], b);
        }
        M->c[j] = a;
        M->c[3 + j] = b;
    }
}

/* K_XY -= F_X Dm^-1 F_Y' for X, Y over the later neighbours. */
__attribute__((always_inline)) static inline void reduce(const struct plan *p, struct workspace *ws,
                                                         const struct plan_op *op, int n,
                                                         const struct six *F, const double *inv)
{
    const int *nb = p->list + op->nb_at;
    const int *pair = nb + 2 * op->n_next + (op->parent != PLAN_NONE ? 2 * (op->n_next - 1) : 0);
    int m = op->n_next;
    for (int i = 0; i < m; i++) {
        take_out(&ws->K[nb[2 * i]], F + i, F + i, n, m, inv);
        for (int j = i + 1; j < m; j++, pair++) {
            int early = nb[2 * i] < nb[2 * j] ? i : j, late = i + j - early;
            take_out(&ws->block[*pair], F + late, F + early, n, m, inv);
        }
    }
}

__attribute__((always_inline)) static inline double
pivot_many(const struct plan *p, struct workspace *ws, const struct plan_op *op, int n)
{
    int k = op->slot, m = op->n_next;
    const struct plan_link *l = &p->link[k];
    const int *nb = p->list + op->nb_at;
    struct six *S = ws->S + l->s_at, *F = ws->F + op->f_at, U[PLAN_MAX_FREE];
    double *L = ws->L + 15 * k, smallest = 1e300;
    if (l->shift) shift_slot(p, ws, op);
    for (int i = 0; i < n; i++) {
        U[i] = mat6_mul(&ws->K[k], S[i]);
        for (int j = 0; j < m; j++) {
            struct six f = j == 0 && op->parent != PLAN_NONE ? U[i] : six_zero();
            int block = nb[2 * j + 1];
            if (block != PLAN_NONE) f = six_add(f, mat6_mul(&ws->block[block], S[i]));
            F[i * m + j] = f;
        }
    }
    if (op->parent != PLAN_NONE) merge(p, ws, op);
    double row[PLAN_MAX_FREE];
    for (int i = 0; i < n; i++) {
        double D = six_dot(S[i], U[i]);
        for (int j = 0; j < i; j++) {
            double v = six_dot(S[i], U[j]);
            for (int q = 0; q < j; q++) v -= L[j * (j - 1) / 2 + q] * row[q];
            row[j] = v; /* = L_ij D_j */
            L[i * (i - 1) / 2 + j] = v * ws->Dinv[l->s_at + j];
        }
        for (int j = 0; j < i; j++) D -= row[j] * L[i * (i - 1) / 2 + j];
        ws->Dinv[l->s_at + i] = 1 / D;
        if (!(D >= smallest)) smallest = D;
        for (int q = 0; q < i; q++)
            for (int j = 0; j < m; j++)
                F[i * m + j] = six_axpy(-L[i * (i - 1) / 2 + q], F[q * m + j], F[i * m + j]);
    }
    reduce(p, ws, op, n, F, ws->Dinv + l->s_at);
    return smallest;
}

/* Written once, compiled for the common numbers of freedoms. */
static double pivot_general(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    switch (op->n_free) {
    case 3:
        return pivot_many(p, ws, op, 3);
    case 6:
        return pivot_many(p, ws, op, 6);
    default:
        return pivot_many(p, ws, op, op->n_free);
    }
}

/* One pivot; F is kept divided by D as for hinges. */
static double pivot_one(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    int k = op->slot, m = op->n_next, has = op->parent != PLAN_NONE;
    const int *nb = p->list + op->nb_at;
    struct six S = ws->S[p->link[k].s_at], *F = ws->F + op->f_at, U = mat6_mul(&ws->K[k], S);
    double D = six_dot(S, U), inv = 1 / D;
    for (int j = 0; j < m; j++) {
        struct six f = j == 0 && has ? U : six_zero();
        int block = nb[2 * j + 1];
        if (block != PLAN_NONE) f = six_add(f, mat6_mul(&ws->block[block], S));
        F[j] = f;
    }
    if (has) merge(p, ws, op);
    reduce(p, ws, op, 1, F, &inv);
    for (int j = 0; j < m; j++) F[j] = six_scale(inv, F[j]);
    ws->Dinv[p->link[k].s_at] = inv;
    return D;
}

double eliminate_factor(const struct plan *p, struct workspace *ws)
{
    double smallest = 1e300;
    for (int i = 0; i < p->n_ops; i++) {
        const struct plan_op *op = &p->op[i];
        double d = op->kind == OP_LEAF1     ? pivot_leaf(p, ws, op)
                   : op->kind == OP_GROUND1 ? pivot_ground(p, ws, op)
                   : op->kind == OP_ONE     ? pivot_one(p, ws, op)
                                            : pivot_general(p, ws, op);
        if (!(d >= smallest)) smallest = d;
    }
    return smallest;
}

__attribute__((always_inline)) static inline void
up_many(const struct plan *p, struct workspace *ws, const struct plan_op *op, int n)
{
    int k = op->slot, m = op->n_next;
    const struct plan_link *l = &p->link[k];
    const int *nb = p->list + op->nb_at;
    const struct six *S = ws->S + l->s_at, *F = ws->F + op->f_at;
    const double *L = ws->L + 15 * k;
    double *y = ws->y + l->s_at, z[PLAN_MAX_FREE];
    if (l->shift)
        ws->f[k] = evaluate_shift_wrench(ws->f[k], ws->o[p->body[k].segment] - ws->o[l->segment]);
    for (int i = 0; i < n; i++) {
        z[i] = six_dot(S[i], ws->f[k]);
        for (int q = 0; q < i; q++) z[i] -= L[i * (i - 1) / 2 + q] * z[q];
        y[i] = z[i] * ws->Dinv[l->s_at + i];
    }
    for (int j = 0; j < m; j++) {
        struct six f = ws->f[nb[2 * j]];
        if (j == 0 && op->parent != PLAN_NONE) f = six_add(f, ws->f[k]);
        for (int i = 0; i < n; i++) f = six_axpy(-y[i], F[i * m + j], f);
        ws->f[nb[2 * j]] = f;
    }
}

__attribute__((always_inline)) static inline void down_many(const struct plan *p,
                                                            struct workspace *ws,
                                                            const struct six *S_down,
                                                            const struct plan_op *op, int n)
{
    int k = op->slot, m = op->n_next;
    const struct plan_link *l = &p->link[k];
    const int *nb = p->list + op->nb_at;
    const struct six *S = S_down + l->s_at, *F = ws->F + op->f_at;
    const double *L = ws->L + 15 * k;
    double theta[PLAN_MAX_FREE];
    struct six e = op->parent != PLAN_NONE ? ws->e[op->parent] : six_zero();
    for (int i = n - 1; i >= 0; i--) {
        double v = 0;
        for (int j = 0; j < m; j++) v += six_dot(F[i * m + j], ws->e[nb[2 * j]]);
        theta[i] = -ws->y[l->s_at + i] - v * ws->Dinv[l->s_at + i];
        for (int q = i + 1; q < n; q++) theta[i] -= L[q * (q - 1) / 2 + i] * theta[q];
    }
    for (int i = 0; i < n; i++) e = six_axpy(theta[i], S[i], e);
    if (l->shift) e = evaluate_shift_twist(e, ws->o[p->body[k].segment] - ws->o[l->segment]);
    ws->e[k] = e;
    ws->d[k] = six_add(e, ws->dp[k]);
}

static void up_general(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    switch (op->n_free) {
    case 3:
        up_many(p, ws, op, 3);
        break;
    case 6:
        up_many(p, ws, op, 6);
        break;
    default:
        up_many(p, ws, op, op->n_free);
    }
}

static void down_general(const struct plan *p, struct workspace *ws, const struct six *S_down,
                         const struct plan_op *op)
{
    switch (op->n_free) {
    case 3:
        down_many(p, ws, S_down, op, 3);
        break;
    case 6:
        down_many(p, ws, S_down, op, 6);
        break;
    default:
        down_many(p, ws, S_down, op, op->n_free);
    }
}

static inline void up_one(const struct plan *p, struct workspace *ws, const struct plan_op *op)
{
    int s = p->link[op->slot].s_at;
    const int *nb = p->list + op->nb_at;
    struct six f = ws->f[op->slot];
    double z = six_dot(ws->S[s], f);
    ws->y[s] = z * ws->Dinv[s];
    struct six near = ws->f[nb[0]];
    if (op->parent != PLAN_NONE) near = six_add(near, f);
    ws->f[nb[0]] = six_axpy(-z, ws->F[op->f_at], near);
    for (int j = 1; j < op->n_next; j++)
        ws->f[nb[2 * j]] = six_axpy(-z, ws->F[op->f_at + j], ws->f[nb[2 * j]]);
}

static inline void down_one(const struct plan *p, struct workspace *ws, const struct six *S_down,
                            const struct plan_op *op)
{
    int k = op->slot, s = p->link[k].s_at;
    const int *nb = p->list + op->nb_at;
    struct six near = ws->e[nb[0]], x = ws->F[op->f_at], sum = {x.l * near.l, x.a * near.a};
    struct six e = op->parent != PLAN_NONE ? near : six_zero();
    for (int j = 1; j < op->n_next; j++) {
        struct six y = ws->e[nb[2 * j]];
        x = ws->F[op->f_at + j];
        sum = (struct six){sum.l + x.l * y.l, sum.a + x.a * y.a};
    }
    vec3 t = sum.l + sum.a;
    e = six_axpy(-ws->y[s] - (t[0] + t[1] + t[2]), S_down[s], e);
    ws->e[k] = e;
    ws->d[k] = six_add(e, ws->dp[k]);
}

/* A run of hinges, each on the next: the load is handed up in registers. */
static int up_run(const struct plan *p, struct workspace *ws, int i)
{
    struct six f = ws->f[p->op[i].slot];
    for (;; i++) {
        const struct plan_op *op = &p->op[i];
        int s = p->link[op->slot].s_at;
        double z = six_dot(ws->S[s], f);
        ws->y[s] = z * ws->Dinv[s];
        f = six_axpy(-z, ws->F[op->f_at], six_add(ws->f[op->parent], f));
        if (!op->chained) break;
    }
    ws->f[p->op[i].parent] = f;
    return i;
}

static int down_run(const struct plan *p, struct workspace *ws, const struct six *S_down, int i)
{
    struct six e = ws->e[p->op[i].parent];
    for (;; i--) {
        const struct plan_op *op = &p->op[i];
        int k = op->slot, s = p->link[k].s_at;
        double theta = -ws->y[s] - six_dot(ws->F[op->f_at], e);
        e = six_axpy(theta, S_down[s], e);
        ws->e[k] = e;
        ws->d[k] = six_add(e, ws->dp[k]);
        if (i == 0 || !p->op[i - 1].chained) return i;
    }
}

void eliminate_solve(const struct plan *p, struct workspace *ws, const struct six *S_down)
{
    for (int i = 0; i < p->n_ops; i++) {
        const struct plan_op *op = &p->op[i];
        if (op->kind == OP_GENERAL) {
            up_general(p, ws, op);
        } else if (op->kind == OP_LEAF1) {
            i = up_run(p, ws, i);
        } else if (op->kind == OP_ONE) {
            up_one(p, ws, op);
        } else {
            int s = p->link[op->slot].s_at;
            ws->y[s] = six_dot(ws->S[s], ws->f[op->slot]) * ws->Dinv[s];
        }
    }
    for (int i = p->n_ops - 1; i >= 0; i--) {
        const struct plan_op *op = &p->op[i];
        if (op->kind == OP_GENERAL) {
            down_general(p, ws, S_down, op);
        } else if (op->kind == OP_LEAF1) {
            i = down_run(p, ws, S_down, i);
        } else if (op->kind == OP_ONE) {
            down_one(p, ws, S_down, op);
        } else {
            int k = op->slot, s = p->link[k].s_at;
            ws->e[k] = six_scale(-ws->y[s], S_down[s]);
            ws->d[k] = six_add(ws->e[k], ws->dp[k]);
        }
    }
}
