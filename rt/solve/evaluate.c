/* Bodies, tree joints, coordinates and force elements at the present iterate.
 * Theory: evaluate.h; rows and loads are in evaluate_rows.c. */
#include "rt/solve/evaluate.h"

#include <string.h>

#include "rt/mech/jointkin.h"
#include "rt/solve/load.h"

#include "rt/rtsafe.h"

void evaluate_at(const struct evaluation *ev, const struct motion *at)
{
    struct workspace *ws = ev->ws;
    for (int k = 0; k < ev->p->n; k++) {
        struct kin *b = &ws->kin[k];
        struct six a = at->a ? at->a[k] : six_zero();
        ws->qk[k] = at->q[k];
        b->x = at->x[k];
        b->R = quat_matrix(at->q[k]);
        b->v = at->v[k].l, b->w = at->v[k].a;
        b->dv = a.l, b->dw = a.a;
    }
}

void evaluate_points(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    for (int i = 0; i < ev->p->n_segments; i++) ws->o[i] = ws->kin[ev->p->segment_base[i]].x;
}

void evaluate_accepted(const struct evaluation *ev)
{
    const struct workspace *ws = ev->ws;
    evaluate_at(ev, &(struct motion){.x = ws->x, .q = ws->q, .v = ws->v, .a = ws->a});
    evaluate_points(ev);
}

/* R J R'. */
static inline struct mat3 turned_inertia(const struct mat3 *R, const struct plan_body *body)
{
    struct mat3 rj, w;
    if (body->diagonal)
        for (int i = 0; i < 3; i++) rj.c[i] = R->c[i] * vec_splat(body->J.c[i][i]);
    else
        for (int i = 0; i < 3; i++) rj.c[i] = mat3_mul(R, body->J.c[i]);
    for (int j = 0; j < 3; j++)
        w.c[j] = rj.c[0] * vec_splat(R->c[0][j]) + rj.c[1] * vec_splat(R->c[1][j]) +
                 rj.c[2] * vec_splat(R->c[2][j]);
    return w;
}

/* Spatial inertia about o, c = mass centre - o. */
static inline void inertia_about(struct mat6 *K, double m, const struct mat3 *J, vec3 c)
{
    const vec3 e0 = {1, 0, 0, 0}, e1 = {0, 1, 0, 0}, e2 = {0, 0, 1, 0};
    const vec3 s0 = {0, 1, -1, 0}, s1 = {-1, 0, 1, 0}, s2 = {1, -1, 0, 0};
    vec3 mc = c * vec_splat(m), mm = vec_splat(m), cc = vec_splat(vec_dot(mc, c));
    vec3 x0 = s0 * __builtin_shufflevector(mc, mc, 3, 2, 1, 3); /* mc x e0 = (0, z, -y) */
    vec3 x1 = s1 * __builtin_shufflevector(mc, mc, 2, 3, 0, 3);
    vec3 x2 = s2 * __builtin_shufflevector(mc, mc, 1, 0, 3, 3);
    K->c[0] = (struct six){mm * e0, x0};
    K->c[1] = (struct six){mm * e1, x1};
    K->c[2] = (struct six){mm * e2, x2};
    K->c[3] = (struct six){-x0, J->c[0] - mc * vec_splat(c[0]) + cc * e0};
    K->c[4] = (struct six){-x1, J->c[1] - mc * vec_splat(c[1]) + cc * e1};
    K->c[5] = (struct six){-x2, J->c[2] - mc * vec_splat(c[2]) + cc * e2};
}

/* K = M about o and r_o = M a + w x Jw - m g of one body. */
__attribute__((always_inline)) static inline void
body_inertia(struct workspace *ws, const struct plan_body *body, int k, vec3 g)
{
    const struct kin *b = &ws->kin[k];
    struct mat3 J = turned_inertia(&b->R, body);
    vec3 c = b->x - ws->o[body->segment];
    ws->Jw[k] = J;
    inertia_about(&ws->K[k], body->m, &J, c);
    vec3 F = vec_splat(body->m) * (b->dv - g);
    vec3 tau = mat3_mul(&J, b->dw) + vec_cross(b->w, mat3_mul(&J, b->w));
    ws->r_o[k] = six_wrench_at(F, tau, c);
}

/* Attitudes of slots k .. k+3, at once where each turns by less than 1 rad. */
__attribute__((always_inline)) static inline void turn_four(struct workspace *ws,
                                                            const struct six *D, int k)
{
    vec3 th[4];
    quat q[4];
    struct mat3 R[4];
    double most = 0;
    for (int i = 0; i < 4; i++) {
        th[i] = D[k + i].a;
        q[i] = ws->q[k + i];
        double t2 = vec_dot(th[i], th[i]);
        most = t2 > most ? t2 : most;
    }
    if (most < 1) {
        quat_turn_four(th, q, R);
    } else {
        for (int i = 0; i < 4; i++) {
            q[i] = quat_mul(quat_exp(th[i]), q[i]);
            R[i] = quat_matrix(q[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        ws->qk[k + i] = q[i];
        ws->kin[k + i].R = R[i];
    }
}

static inline void turn_one(struct workspace *ws, const struct six *D, int k)
{
    ws->qk[k] = quat_mul(quat_exp(D[k].a), ws->q[k]);
    ws->kin[k].R = quat_matrix(ws->qk[k]);
}

/* Motion of slots k .. k+n-1, n at most 4, from their increments D. */
__attribute__((always_inline)) static inline void
bodies_motion(const struct evaluation *ev, const struct increments *step, int k, int n)
{
    struct workspace *ws = ev->ws;
    if (n == 4)
        turn_four(ws, step->D, k);
    else
        for (int i = k; i < k + n; i++) turn_one(ws, step->D, i);
    for (int i = k; i < k + n; i++) {
        struct kin *b = &ws->kin[i];
        struct six D = step->D[i], v = six_axpy(ev->rule.cv, D, step->v0[i]); /* MFC 3 */
        struct six a = six_axpy(ev->rule.ca, D, step->a0[i]);                 /* MFC 4 */
        b->x = ws->x[i] + D.l;
        b->v = v.l, b->w = v.a;
        b->dv = a.l, b->dw = a.a;
    }
}

void evaluate_bodies(const struct evaluation *ev, const struct increments *step)
{
    vec3 g = vec_load(ev->m->gravity);
    for (int k = 0; k < ev->p->n; k += 4) {
        int n = ev->p->n - k < 4 ? ev->p->n - k : 4;
        bodies_motion(ev, step, k, n);
        for (int i = k; i < k + n; i++) body_inertia(ev->ws, &ev->p->body[i], i, g);
    }
}

void evaluate_motion(const struct evaluation *ev, const struct increments *step)
{
    for (int k = 0; k < ev->p->n; k += 4)
        bodies_motion(ev, step, k, ev->p->n - k < 4 ? ev->p->n - k : 4);
}

void evaluate_inertia(const struct evaluation *ev)
{
    vec3 g = vec_load(ev->m->gravity);
    for (int k = 0; k < ev->p->n; k++) body_inertia(ev->ws, &ev->p->body[k], k, g);
}

void evaluate_functions(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    double t = ws->still ? ws->t : ev->t;
    for (int i = 0; i < (int)ev->m->functions.n; i++) {
        ws->jet[i] = function_eval(ev->m, i, t, ws->pool, ws->param);
        if (ws->still) ws->jet[i].d1 = ws->jet[i].d2 = 0;
    }
}

static struct jet joint_length(const struct evaluation *ev, const struct plan_joint *j)
{
    if (j->type->special != JOINT_DISTANCE) return (struct jet){0, 0, 0};
    if (j->function == PLAN_NONE) return (struct jet){j->length, 0, 0};
    return ev->ws->jet[j->function];
}

/* The angle nearest to the predicted one, without the offset it is shown with. */
static double unwrapped(const struct evaluation *ev, int coordinate, double raw)
{
    const struct workspace *ws = ev->ws;
    double predicted = ws->angle[coordinate] + ev->ahead * ws->rate[coordinate];
    const struct model_coordinate *c = &model_coordinates(ev->m)[coordinate];
    return jointkin_unwrap(raw, model_coordinate_sign(c) * (predicted - c->offset));
}

void evaluate_place(const struct evaluation *ev, int joint, vec3 o, int full, struct jointkin *k)
{
    const struct plan_joint *j = evaluate_joint(ev, joint);
    const struct kin *a = &ev->ws->kin[j->kin[0]], *b = &ev->ws->kin[j->kin[1]];
    if (full)
        jointkin_place_full(k, j, a, b, o, joint_length(ev, j));
    else
        jointkin_place(k, j, a, b, o, joint_length(ev, j));
    if (j->type->special == JOINT_SCREW) {
        int i = model_joints(ev->m)[joint].coordinate_at + 1;
        k->angle = unwrapped(ev, i, jointkin_coordinate(k, a, b, 1).q);
    }
}

static void reverse(struct coord *c)
{
    c->q = -c->q;
    c->qd = -c->qd;
    c->row = six_scale(-1, c->row);
    c->bias = -c->bias;
}

void evaluate_coordinates(const struct evaluation *ev, int n)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int i = 0; i < n; i++) {
        const struct plan_coordinate *c = &p->active[i];
        const struct model_coordinate *mc = &model_coordinates(ev->m)[c->coordinate];
        const struct plan_joint *j = &p->joint[c->joint];
        struct jointkin jk;
        evaluate_place(ev, c->joint, ws->o[c->segment], 1, &jk);
        ws->coord[i] = jointkin_coordinate(&jk, &ws->kin[j->kin[0]], &ws->kin[j->kin[1]],
                                           mc->which);
        if (mc->is_angle) ws->coord[i].q = unwrapped(ev, c->coordinate, ws->coord[i].q);
        if (mc->reversed) reverse(&ws->coord[i]);
        ws->coord[i].q += mc->offset;
    }
}

/* What all elements see alike. */
static struct force_in common_view(const struct evaluation *ev)
{
    const struct workspace *ws = ev->ws;
    return (struct force_in){.model = ev->m,
                             .pool = ws->pool,
                             .param = ws->param,
                             .t = ev->t,
                             .jet = ws->jet,
                             .h = ev->h,
                             .h_plan = ev->p->h,
                             .s = ev->wk,
                             .sc = ev->wc,
                             .b1 = ev->b1,
                             .starting = ev->starting};
}

/* What one element sees besides. */
__attribute__((always_inline)) static inline void view(const struct evaluation *ev,
                                                       const struct plan_force *f,
                                                       const struct model_force *e,
                                                       struct force_in *in)
{
    const struct workspace *ws = ev->ws;
    in->element = e;
    in->p = ws->pool + e->pool_at;
    in->a = &ws->kin[f->kin[0]], in->b = &ws->kin[f->kin[1]];
    in->o = ws->o[f->segment];
    in->command = e->actuator >= 0 ? ws->command[e->actuator] : 0;
    in->coordinate = f->active_at >= 0 ? &ws->coord[f->active_at] : 0;
    in->phase = f->phase_at >= 0 ? &ws->coord[f->phase_at] : 0;
    in->m_eff = f->m_eff;
    in->z_n = ws->z + e->state_at, in->zd_n = ws->zd + e->state_at;
    in->stick_k = f->stick_k;
    if (!(f->stick_k > 0)) return; /* the rest is for dry friction alone */
    in->moved = in->coordinate && in->b1 > 0 ? in->coordinate->q - ws->angle[e->coordinate] : 0;
    in->load = f->load_at == PLAN_NONE ? 0 : load_expected(ev, f->load_at);
    in->stick_c = f->stick_c;
    if (ev->starting == FORCE_HOLDS && f->active_at >= 0)
        in->second = evaluate_second_rate(ev, f->active_at);
}

void evaluate_states(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    struct force_in in = common_view(ev);
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        const struct model_force *e = &model_forces(ev->m)[f->force];
        struct force_out out = {.z = ws->z_k + e->state_at, .zd = ws->zd_k + e->state_at};
        if (!FORCE_TYPE[e->type]->follows) continue;
        view(ev, f, e, &in);
        FORCE_TYPE[e->type]->eval(&in, &out);
    }
}

/* What goes with a released joint does nothing; its states stay. */
static void rest(int n_states, const struct force_in *in, struct force_out *out)
{
    memcpy(out->z, in->z_n, sizeof(double) * (size_t)n_states);
    memset(out->zd, 0, sizeof(double) * (size_t)n_states);
}

void evaluate_forces(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    struct force_in in = common_view(ev);
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        const struct model_force *e = &model_forces(ev->m)[f->force];
        struct force_out *out = &ws->out[i];
        memset(out, 0, sizeof *out);
        view(ev, f, e, &in);
        out->z = ws->z_k + e->state_at, out->zd = ws->zd_k + e->state_at;
        if (evaluate_is_released(ev, e->joint))
            rest(FORCE_TYPE[e->type]->n_states, &in, out);
        else if (!ev->left_out || !ev->left_out[i])
            FORCE_TYPE[e->type]->eval(&in, out);
        for (int side = 0; side < 2; side++) {
            int slot = f->slot[side];
            if (slot == PLAN_NONE) continue;
            struct six w = out->f;
            if (f->apart)
                w = evaluate_shift_wrench(w, ws->o[f->segment] - ws->o[p->body[slot].segment]);
            ws->r_o[slot] = side ? six_sub(ws->r_o[slot], w) : six_add(ws->r_o[slot], w);
        }
    }
}

struct six evaluate_joint_wrench(const struct evaluation *ev, int joint, const struct six *tree,
                                 const double *lambda, const double *kappa)
{
    const struct plan *p = ev->p;
    const struct workspace *ws = ev->ws;
    if (p->joint_sum[joint] != PLAN_NONE) {
        int r = p->sum[p->joint_sum[joint]].row_at;
        return (struct six){vec_zero(), vec_make(-lambda[r] - (kappa ? kappa[r] : 0), 0, 0)};
    }
    const struct plan_joint *j = &p->joint[joint];
    const struct kin *b = &ws->kin[j->kin[1]];
    vec3 P = b->x + mat3_mul(&b->R, j->point[1]);
    int k = p->joint_slot[joint];
    if (k != PLAN_NONE) {
        struct six w = evaluate_shift_wrench(tree[k], ws->kin[k].x - P);
        return p->link[k].sign > 0 ? w : six_scale(-1, w);
    }
    if (p->joint_cut[joint] == PLAN_NONE) return six_zero();
    const struct plan_cut *c = &p->cut[p->joint_cut[joint]];
    struct six w = six_zero();
    for (int r = c->row_at; r < c->row_at + c->n_rows; r++)
        w = six_axpy(-lambda[r] - (kappa ? kappa[r] : 0), ws->w[r], w);
    return evaluate_shift_wrench(w, ws->o[c->segment] - P);
}
