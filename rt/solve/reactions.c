#include "rt/solve/reactions.h"

#include <math.h>

#include "rt/solve/accelerate.h"
#include "rt/solve/eliminate.h"

#include "rt/rtsafe.h"

/* Load the system with a unit force along row r. */
static void load_row(const struct evaluation *ev, int r)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int k = 0; k < p->n; k++) ws->f[k] = ws->dp[k] = six_zero();
    int sum = p->joint_sum[p->row[r].joint];
    if (sum != PLAN_NONE) {
        for (int i = 0; i < p->sum[sum].n_slots; i++)
            ws->f[p->sum[sum].slot[i]] = ws->sum_w[PLAN_MAX_SUM * sum + i];
        return;
    }
    const struct plan_cut *c = &p->cut[p->joint_cut[p->row[r].joint]];
    for (int i = 0; i < 2; i++) {
        if (c->slot[i] == PLAN_NONE) continue;
        int seg = p->body[c->slot[i]].segment;
        struct six w = evaluate_shift_wrench(ws->w[r], ws->o[c->segment] - ws->o[seg]);
        ws->f[c->slot[i]] = i ? w : six_scale(-1, w);
    }
}

/* Answer of all joints of the loop to that load, into field[n_joints]. */
static void self_stress(const struct evaluation *ev, const struct plan_null *z, int r,
                        struct six *field)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    load_row(ev, r);
    for (int k = 0; k < p->n; k++) ws->r_o[k] = ws->f[k];
    eliminate_solve(p, ws, ws->S);
    for (int i = 0; i < p->n_rows; i++) ws->phi[i] = 0;
    evaluate_multipliers(ev, ws->kappa_k);
    for (int i = 0; i < p->n_rows; i++) ws->lambda_k[i] = 0;
    accelerate_wrenches(ev);
    ws->kappa_k[r] += 1;
    for (int i = 0; i < z->n_joints; i++)
        field[i] = evaluate_joint_wrench(ev, p->null_joint[z->joint_at + i].joint, ws->wrench,
                                         ws->kappa_k, NULL);
}

static double product(const struct evaluation *ev, const struct plan_null *z, const struct six *a,
                      const struct six *b)
{
    double s = 0;
    for (int i = 0; i < z->n_joints; i++)
        s += vec_dot(a[i].l, b[i].l) +
             vec_dot(a[i].a, b[i].a) * ev->p->null_joint[z->joint_at + i].inverse2;
    return s;
}

/* Solve the small normal equations in place: A symmetric n x n, x on entry the right
 * side. A field that depends on the others is left out. */
static void solve_small(double *A, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double d = A[i * n + i], before = d;
        for (int k = 0; k < i; k++) d -= A[i * n + k] * A[i * n + k] * A[k * n + k];
        A[i * n + i] = d > 1e-10 * before ? d : 1e300;
        for (int j = i + 1; j < n; j++) {
            double v = A[j * n + i];
            for (int k = 0; k < i; k++) v -= A[i * n + k] * A[j * n + k] * A[k * n + k];
            A[j * n + i] = v / A[i * n + i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    for (int i = 0; i < n; i++) x[i] /= A[i * n + i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
}

static void make_unique(const struct evaluation *ev, const struct plan_null *z)
{
    struct workspace *ws = ev->ws;
    struct six *N = ws->null + z->field_at, *have = ws->reaction + z->reaction_at;
    double *A = ws->gram, *x = ws->gram + z->n_rows * z->n_rows;
    for (int i = 0; i < z->n_rows; i++)
        self_stress(ev, z, ev->p->null_row[z->row_at + i], N + i * z->n_joints);
    for (int i = 0; i < z->n_rows; i++) {
        for (int j = 0; j <= i; j++)
            A[i * z->n_rows + j] = product(ev, z, N + i * z->n_joints, N + j * z->n_joints);
        x[i] = product(ev, z, N + i * z->n_joints, have);
    }
    solve_small(A, x, z->n_rows);
    for (int i = 0; i < z->n_rows; i++)
        for (int j = 0; j < z->n_joints; j++)
            have[j] = six_axpy(-x[i], N[i * z->n_joints + j], have[j]);
}

void reactions_find(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int r = 0; r < p->n_rows; r++)
        ws->row_keep[r] = ws->lambda_k[r], ws->row_keep[p->n_rows + r] = ws->kappa_k[r];
    for (int k = 0; k < p->n; k++) ws->wrench_keep[k] = ws->wrench[k], ws->e_keep[k] = ws->d[k];
    for (int i = 0; i < p->n_nulls; i++)
        for (int j = 0; j < p->null[i].n_joints; j++)
            ws->reaction[p->null[i].reaction_at + j] = evaluate_joint_wrench(
                ev, p->null_joint[p->null[i].joint_at + j].joint, ws->wrench, ws->lambda_k,
                ws->kappa_k);
    for (int i = 0; i < p->n_nulls; i++) make_unique(ev, &p->null[i]);
    for (int k = 0; k < p->n; k++) ws->wrench[k] = ws->wrench_keep[k], ws->d[k] = ws->e_keep[k];
    for (int r = 0; r < p->n_rows; r++)
        ws->lambda_k[r] = ws->row_keep[r], ws->kappa_k[r] = ws->row_keep[p->n_rows + r];
}
