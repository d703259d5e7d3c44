#include "rt/solve/topology.h"

#include <string.h>

#include "rt/solve/accelerate.h"

#include "rt/rtsafe.h"

static double kinetic(const struct plan *p, const struct workspace *ws)
{
    double t = 0;
    for (int k = 0; k < p->n; k++) {
        struct mat3 R = quat_matrix(ws->q[k]);
        vec3 w = mat3_tmul(&R, ws->v[k].a);
        t += 0.5 * p->body[k].m * vec_dot(ws->v[k].l, ws->v[k].l) +
             0.5 * vec_dot(w, mat3_mul(&p->body[k].J, w));
    }
    return t;
}

/* Frame of side 0 with z along `z`, x as near to its own as that allows. */
static void turn_frame(struct plan_joint *j, vec3 z)
{
    vec3 x = j->frame[0].c[0] - z * vec_splat(vec_dot(z, j->frame[0].c[0]));
    x = vec_norm(x) > 1e-6 ? vec_unit(x) : vec_perp(z);
    j->frame[0] = (struct mat3){{x, vec_cross(z, x), z}};
}

/* The second body's axes as the first has them. */
static struct mat3 axes_on_first(const struct workspace *ws, const struct plan_joint *j)
{
    const struct kin *a = &ws->kin[j->kin[0]], *b = &ws->kin[j->kin[1]];
    struct mat3 f;
    for (int i = 0; i < 3; i++) f.c[i] = mat3_tmul(&a->R, mat3_mul(&b->R, j->frame[1].c[i]));
    return f;
}

/* Move the first body's side so that all rows are zero here; what the joint leaves free
 * stays as it is. `angle` is a screw's. */
static void lock_here(const struct workspace *ws, struct plan_joint *j, double angle)
{
    const struct kin *a = &ws->kin[j->kin[0]], *b = &ws->kin[j->kin[1]];
    struct mat3 f = axes_on_first(ws, j);
    vec3 place = mat3_tmul(&a->R, b->x + mat3_mul(&b->R, j->point[1]) - a->x);
    vec3 d = place - j->point[0], z = j->frame[0].c[2];
    if (j->type->special == JOINT_DISTANCE) {
        j->length = vec_norm(d);
        j->function = PLAN_NONE;
        return;
    }
    if (j->type->rotation == ROTATION_ALL) j->frame[0] = f;
    if (j->type->rotation == ROTATION_ALIGN) turn_frame(j, f.c[2]);
    if (j->type->rotation == ROTATION_CROSS) {
        z -= f.c[0] * vec_splat(vec_dot(z, f.c[0]));
        turn_frame(j, vec_norm(z) > 1e-6 ? vec_unit(z) : f.c[2]);
    }
    if (j->type->special == JOINT_SCREW) d -= j->frame[0].c[2] * vec_splat(j->lead * angle);
    for (int i = 0; i < 3; i++)
        if (j->type->hold & 1u << i || (i == 2 && j->type->special == JOINT_SCREW))
            j->point[0] += j->frame[0].c[i] * vec_splat(vec_dot(d, j->frame[0].c[i]));
}

static void clear_multipliers(const struct plan *p, struct workspace *ws, int joint)
{
    const struct plan_cut *c = &p->cut[p->joint_cut[joint]];
    for (int r = c->row_at; r < c->row_at + c->n_rows; r++) ws->lambda[r] = ws->kappa[r] = 0;
}

enum status topology_apply(const struct model *m, const struct plan *p, struct workspace *ws,
                           const struct model_change *change, int n, double *loss)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    for (int i = 0; i < n; i++)
        if (p->joint_switch[change[i].joint] == PLAN_NONE) return STATUS_REFUSED;
    double before = kinetic(p, ws);
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    for (int i = 0; i < n; i++) {
        int s = p->joint_switch[change[i].joint];
        struct jointkin k;
        evaluate_place(&ev, change[i].joint, vec_zero(), 1, &k);
        if (change[i].on) lock_here(ws, &ws->switched[s], k.angle);
        ws->on[s] = change[i].on ? 1 : 0;
        clear_multipliers(p, ws, change[i].joint);
    }
    if (!(accelerate_jump(&ev) > 0)) return STATUS_SINGULAR;
    if (!(accelerate_solve(&ev, ws->a) > 0)) return STATUS_SINGULAR;
    memcpy(ws->ab, ws->a, sizeof(struct six) * (size_t)p->n);
    memset(ws->lead, 0, sizeof(struct six) * (size_t)p->n);
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa, 0, sizeof(double) * (size_t)p->n_rows);
    if (loss) *loss = before - kinetic(p, ws);
    return STATUS_OK;
}
