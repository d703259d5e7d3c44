#include "services/plan/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/solve/accelerate.h"
#include "rt/solve/eliminate.h"
#include "rt/solve/violations.h"
#include "rt/solve/links.h"
#include "rt/solve/load.h"
#include "rt/solve/reactions.h"
#include "services/base/message.h"

enum {
    ASSEMBLY_PASSES = 60,
    VELOCITY_PASSES = 6,
    VELOCITY_MOST = 100,
    LOAD_PASSES = 6,
    HOLD_PASSES = 40
};
static const double GIVEN_WEIGHT = 1e8, GIVEN_TOLERANCE = 1e-6;
static const double RATIO_MOST = 1e6; /* of masses, beyond it small numbers are lost */
static const double FIRST_STEP = 1e-3; /* s, told to force laws before any step was done */

static void place_kin(struct kin *k, const double *x, const double *q)
{
    memset(k, 0, sizeof *k);
    k->x = vec_load(x);
    k->R = quat_matrix(quat_load(q));
}

void start_place(const struct model *m, const struct plan *p, struct workspace *ws)
{
    static const double ZERO[3] = {0}, ONE[4] = {1};
    for (int k = 0; k < p->n; k++) {
        const struct model_body *b = &model_bodies(m)[p->body[k].body];
        ws->x[k] = vec_load(b->x);
        ws->q[k] = quat_unit(quat_load(b->q));
        ws->v[k] = ws->a[k] = ws->ab[k] = six_zero();
    }
    for (int k = p->n; k < p->n_kin - 1; k++) {
        const struct model_body *b = &model_bodies(m)[p->kin_body[k]];
        place_kin(&ws->kin[k], b->x, b->q);
    }
    place_kin(&ws->kin[p->n_kin - 1], ZERO, ONE);
    memcpy(ws->pool, model_pool(m), sizeof(double) * m->pool.n);
    for (uint32_t i = 0; i < m->parameters.n; i++) ws->param[i] = model_parameters(m)[i].value;
    for (uint32_t i = 0; i < m->actuators.n; i++) {
        const struct model_actuator *a = &model_actuators(m)[i];
        ws->command[i] = ws->command_n[i] = a->start * a->scale;
    }
    for (uint32_t i = 0; i < m->coordinates.n; i++) {
        ws->angle[i] = model_coordinates(m)[i].start;
        ws->rate[i] = 0;
    }
    for (int i = 0; i < p->n_cuts; i++) {
        int s = p->cut[i].switch_at;
        if (s == PLAN_NONE) continue;
        ws->on[s] = !(model_joints(m)[p->cut[i].joint].flags & JOINT_RELEASED);
        ws->switched[s] = p->joint[p->cut[i].joint];
    }
    struct evaluation ev = evaluation_at_state(m, p, ws);
    for (int i = 0; i < p->n_sums; i++) ws->sum_off[i] = evaluate_sum_is_off(&ev, &p->sum[i]);
    ws->t = 0;
    ws->line = (struct timeline){0};
    ws->h_last = 0;
}

/* Factor the system at the pose in the accepted state, forces included in r_o. */
static void evaluate_here(const struct evaluation *ev)
{
    evaluate_inertia(ev);
    links_free(ev, ev->ws->S);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_weights(ev);
    evaluate_rows(ev);
}

/* Apply the solution to the pose, at most `limit` m and rad; returns its size in m. */
static double apply_move(const struct evaluation *ev, double limit, double *moved)
{
    struct workspace *ws = ev->ws;
    double largest = 0, turn = 0, swept = 0;
    for (int k = 0; k < ev->p->n; k++) {
        vec3 lin = six_point(ws->d[k], ws->kin[k].x - ws->o[ev->p->body[k].segment]);
        double angle = vec_norm(ws->d[k].a);
        largest = fmax(largest, vec_norm(lin));
        turn = fmax(turn, angle);
        swept = fmax(swept, ev->p->body[k].length * angle);
    }
    double scale = 1;
    if (turn > 0.2) scale = 0.2 / turn;
    if (largest * scale > limit) scale = limit / largest;
    for (int k = 0; k < ev->p->n; k++) {
        vec3 lin = six_point(ws->d[k], ws->kin[k].x - ws->o[ev->p->body[k].segment]);
        ws->x[k] += lin * vec_splat(scale);
        ws->q[k] = quat_unit(quat_mul(quat_exp(ws->d[k].a * vec_splat(scale)), ws->q[k]));
    }
    *moved += fmax(largest, swept) * scale;
    return fmax(largest, turn);
}

/* Follow the unwrapped angles to the present pose. */
static void keep_angles(const struct evaluation *ev)
{
    struct workspace *ws = ev->ws;
    evaluate_functions(ev);
    evaluate_accepted(ev);
    evaluate_coordinates(ev, ev->p->n_watched);
    for (int i = 0; i < ev->p->n_watched; i++) {
        ws->angle[ev->p->active[i].coordinate] = ws->coord[i].q;
        ws->rate[ev->p->active[i].coordinate] = ws->coord[i].qd;
    }
}

static double mechanism_length(const struct plan *p, const struct workspace *ws)
{
    double l = 0.1;
    for (int j = 0; j < p->n_joints; j++)
        for (int s = 0; s < 2; s++)
            if (p->joint[j].kin[s] < p->n) l = fmax(l, vec_norm(p->joint[j].point[s]));
    (void)ws;
    return l;
}

double start_assemble(const struct model *m, const struct plan *p, struct workspace *ws,
                      double *moved)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    double length = mechanism_length(p, ws), error = 0, before = 1e300;
    *moved = 0;
    for (int i = 0; i < ASSEMBLY_PASSES; i++) {
        keep_angles(&ev);
        error = violations_largest(&ev, LEVEL_POSITION, 1, 0);
        if (error <= 1e-13 * length || (i > 6 && error <= 1e-11 * length && error >= 0.5 * before))
            break;
        before = error;
        evaluate_here(&ev);
        links_position(&ev, 0);
        evaluate_loads(&ev, 0);
        evaluate_assemble(&ev);
        eliminate_factor(p, ws);
        eliminate_solve(p, ws, ws->S);
        apply_move(&ev, 0.2 * length, moved);
    }
    return error;
}

/* ---- velocities ---- */

static int given_mask(const struct model *m, const struct plan *p, int k)
{
    unsigned f = model_bodies(m)[p->body[k].body].flags;
    return (f & BODY_GIVEN_V ? 7 : 0) | (f & BODY_GIVEN_W ? 56 : 0);
}

static struct six given_row(const struct workspace *ws, const struct plan *p, int k, int i)
{
    vec3 e = vec_make(i % 3 == 0, i % 3 == 1, i % 3 == 2);
    vec3 c = ws->kin[k].x - ws->o[p->body[k].segment];
    return i < 3 ? six_wrench_at(e, vec_zero(), c) : (struct six){vec_zero(), e};
}

static double given_value(const struct model *m, const struct plan *p, const struct kin *b, int k,
                          int i)
{
    const struct model_body *mb = &model_bodies(m)[p->body[k].body];
    return i < 3 ? b->v[i] - mb->v[i] : b->w[i - 3] - mb->w[i - 3];
}

static double given_weight(const struct plan *p, int k, int i)
{
    const struct plan_body *b = &p->body[k];
    return GIVEN_WEIGHT * b->m * (i < 3 ? 1 : fmax(b->length * b->length, 1e-12));
}

/* Loads and stiffness of the given components; multipliers in g[6n]. */
static void add_given(const struct evaluation *ev, const double *g)
{
    struct workspace *ws = ev->ws;
    for (int k = 0; k < ev->p->n; k++)
        for (int i = 0, mask = given_mask(ev->m, ev->p, k); i < 6; i++) {
            if (!(mask >> i & 1)) continue;
            struct six w = given_row(ws, ev->p, k, i);
            double weight = given_weight(ev->p, k, i);
            double value = given_value(ev->m, ev->p, &ws->kin[k], k, i) + six_dot(w, ws->dp[k]);
            ws->f[k] = six_axpy(weight * value + g[6 * k + i], w, ws->f[k]);
            mat6_rank1(&ws->K[k], weight, w);
        }
}

static struct six twist_of(const struct workspace *ws, const struct plan *p, int k)
{
    const struct kin *b = &ws->kin[k];
    return (struct six){b->v - vec_cross(b->w, b->x - ws->o[p->body[k].segment]), b->w};
}

static void velocity_pass(const struct evaluation *ev, double *g)
{
    struct workspace *ws = ev->ws;
    const struct plan *p = ev->p;
    evaluate_here(ev);
    for (int k = 0; k < p->n; k++) ws->r_o[k] = evaluate_mass_times(ws, p, k, twist_of(ws, p, k));
    evaluate_row_values(ev, LEVEL_VELOCITY);
    links_velocity(ev, ws->S, 1);
    evaluate_loads(ev, 1);
    evaluate_assemble(ev);
    add_given(ev, g);
    eliminate_factor(p, ws);
    eliminate_solve(p, ws, ws->S);
    evaluate_multipliers(ev, ws->kappa_k);
    for (int r = 0; r < p->n_rows; r++)
        if (!p->row[r].redundant) ws->lambda_k[r] += ws->kappa_k[r];
    evaluate_apply_solution(ev, LEVEL_VELOCITY);
    for (int k = 0; k < p->n; k++)
        for (int i = 0, mask = given_mask(ev->m, p, k); i < 6; i++)
            if (mask >> i & 1)
                g[6 * k + i] += given_weight(p, k, i) * given_value(ev->m, p, &ws->kin[k], k, i);
}

static int anything_moves(const struct evaluation *ev)
{
    for (int k = 0; k < ev->p->n; k++)
        if (given_mask(ev->m, ev->p, k)) return 1;
    return violations_largest(ev, LEVEL_VELOCITY, 1, 0) > 0;
}

/* The given component that is missed most. */
struct missed {
    int slot, which;
    double part; /* of the largest speed */
};

static struct missed worst_given(const struct evaluation *ev)
{
    double worst = 0, speed = 0;
    struct missed m = {-1, 0, 0};
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        double l = fmax(ev->p->body[k].length, 1e-6);
        speed = fmax(speed, fmax(vec_norm(b->v), l * vec_norm(b->w)));
        for (int i = 0, mask = given_mask(ev->m, ev->p, k); i < 6; i++) {
            if (!(mask >> i & 1)) continue;
            double e = fabs(given_value(ev->m, ev->p, b, k, i)) * (i < 3 ? 1 : l);
            if (e > worst) worst = e, m.slot = k, m.which = i;
        }
    }
    if (worst > 0) m.part = worst / fmax(speed, worst);
    return m;
}

/* Heaviest to lightest body of the mechanism. */
static double mass_ratio(const struct evaluation *ev, int *heavy, int *light)
{
    *heavy = *light = 0;
    for (int k = 0; k < ev->p->n; k++) {
        if (ev->p->body[k].m > ev->p->body[*heavy].m) *heavy = k;
        if (ev->p->body[k].m < ev->p->body[*light].m) *light = k;
    }
    return ev->p->body[*heavy].m / ev->p->body[*light].m;
}

static const char *body_name(const struct evaluation *ev, int slot)
{
    return model_text(ev->m, model_bodies(ev->m)[ev->p->body[slot].body].name);
}

/* Name the body whose given velocity is missed most. */
static int check_given(const struct evaluation *ev, struct diag_list *diags)
{
    struct missed e = worst_given(ev);
    int heavy, light, i = e.which;
    if (e.part <= GIVEN_TOLERANCE || e.slot < 0) return 1;
    const struct model_body *mb = &model_bodies(ev->m)[ev->p->body[e.slot].body];
    const struct kin *b = &ev->ws->kin[e.slot];
    const char *what = i < 3 ? "velocity" : "angular-velocity";
    double ratio = mass_ratio(ev, &heavy, &light);
    double given = i < 3 ? mb->v[i] : mb->w[i - 3], found = i < 3 ? b->v[i] : b->w[i - 3];
    if (ratio > RATIO_MOST)
        message_add(diags, message_place(ev->m, mb->origin), MESSAGE_VELOCITY,
                    "%s of body %s is missed: %.9g given, %.9g found; whether the joints allow it "
                    "cannot be told with such masses: %s is %.2g times as heavy as %s",
                    what, body_name(ev, e.slot), given, found, body_name(ev, heavy), ratio,
                    body_name(ev, light));
    else
        message_add(
            diags, message_place(ev->m, mb->origin), MESSAGE_VELOCITY,
            "%s of body %s contradicts the joints: %.9g given, %.9g is nearest that the joints "
            "allow; give fewer velocities, the rest is completed",
            what, body_name(ev, e.slot), given, found);
    return 0;
}

int start_velocities(const struct model *m, const struct plan *p, struct workspace *ws,
                     struct diag_list *diags)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    keep_angles(&ev);
    for (int k = 0; k < p->n; k++) {
        const struct model_body *b = &model_bodies(m)[p->body[k].body];
        ws->kin[k].v = b->flags & BODY_GIVEN_V ? vec_load(b->v) : vec_zero();
        ws->kin[k].w = b->flags & BODY_GIVEN_W ? vec_load(b->w) : vec_zero();
    }
    if (!anything_moves(&ev)) return 1;
    double *g = calloc(6 * (size_t)p->n + 1, sizeof *g);
    if (!g) return 0;
    for (int r = 0; r < p->n_rows; r++) ws->lambda_k[r] = 0;
    double missed = 1;
    for (int i = 0; i < VELOCITY_PASSES || (i < VELOCITY_MOST && missed > 0.1 * GIVEN_TOLERANCE);
         i++) {
        evaluate_coordinates(&ev, p->n_active);
        velocity_pass(&ev, g);
        missed = worst_given(&ev).part;
    }
    free(g);
    for (int k = 0; k < p->n; k++) ws->v[k] = (struct six){ws->kin[k].v, ws->kin[k].w};
    accelerate_jump(&ev);
    keep_angles(&ev);
    return check_given(&ev, diags); /* of what the joints have left of it */
}

/* Joint wrenches: r_o at the accelerations there are. */
static void start_wrenches(const struct model *m, const struct plan *p, struct workspace *ws)
{
    struct evaluation at = evaluation_at_state(m, p, ws);
    evaluate_accepted(&at);
    evaluate_here(&at);
    evaluate_assemble(&at);
    eliminate_factor(p, ws);
    for (int k = 0; k < p->n; k++) ws->d[k] = six_zero();
    accelerate_wrenches(&at);
    if (p->n_nulls) reactions_find(&at);
}

/* Accelerations and wrenches with the loads of joints as they are known. */
static double accelerate(const struct model *m, const struct plan *p, struct workspace *ws,
                         int starting)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    ev.h = FIRST_STEP;
    ev.starting = starting;
    keep_angles(&ev);
    double pivot = accelerate_solve(&ev, ws->a);
    memcpy(ws->z, ws->z_k, sizeof(double) * (size_t)m->n_states);
    memcpy(ws->zd, ws->zd_k, sizeof(double) * (size_t)m->n_states);
    memcpy(ws->ab, ws->a, sizeof(struct six) * (size_t)p->n);
    memset(ws->lead, 0, sizeof(struct six) * (size_t)p->n);
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa, 0, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa_k, 0, sizeof(double) * (size_t)p->n_rows);
    for (int i = 0; i < p->n_forces; i++) {
        ws->closed[i] = ws->out[i].closed;
        ws->depth[i] = ws->out[i].depth;
    }
    start_wrenches(m, p, ws);
    return pivot;
}

/* Let dry friction take up what still accelerates at rest; 1 if that changed anything. */
static int hold(const struct model *m, const struct plan *p, struct workspace *ws)
{
    size_t size = sizeof(double) * (size_t)m->n_states;
    struct evaluation at = evaluation_at_state(m, p, ws);
    at.starting = FORCE_HOLDS;
    evaluate_functions(&at);
    evaluate_accepted(&at);
    evaluate_coordinates(&at, p->n_active);
    evaluate_forces(&at);
    int changed = memcmp(ws->z, ws->z_k, size) != 0;
    memcpy(ws->z, ws->z_k, size);
    return changed;
}

static int sticks(const struct plan *p)
{
    for (int i = 0; i < p->n_forces; i++)
        if (p->force[i].stick_k > 0) return 1;
    return 0;
}

/* Accelerations, loads of joints and the dry friction they allow, each from the other. */
double start_accelerations(const struct model *m, const struct plan *p, struct workspace *ws,
                           int starting)
{
    int holds = starting && sticks(p), passes = holds ? HOLD_PASSES : p->n_loads ? LOAD_PASSES : 0;
    for (int i = 0; i < p->n_loads; i++) ws->load[i] = (struct load){0};
    double pivot = accelerate(m, p, ws, starting ? FORCE_BEGINS : FORCE_STEPS);
    for (int i = 0; i < passes; i++) {
        struct evaluation at = evaluation_at_state(m, p, ws);
        if (p->n_loads) load_begin(&at, ws->lambda, ws->kappa);
        if (i == 0 && starting && p->n_loads) accelerate(m, p, ws, FORCE_BEGINS);
        if (holds && !hold(m, p, ws) && !p->n_loads) break;
        pivot = accelerate(m, p, ws, FORCE_STEPS);
    }
    return pivot;
}
