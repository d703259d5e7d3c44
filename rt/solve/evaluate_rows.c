/* Rows of cut joints and coordinate sums, and the loads of the linear system.
 *
 * A row r between A and B has the wrench w_r on B, -w_r on A, the weight alpha'_r, the
 * value phi_r. Energy form of the condensed system (MFC eq. 18):
 *   1/2 alpha' (phi + w.(d_B - d_A))² + s lambda w.(d_B - d_A),
 * so its load at d = dp is t = alpha'(phi + w.(dp_B - dp_A)) + s lambda along w. A force
 * element enters the same way with its 6x6 weight P and phi = 0 (loads are in r_o).
 * Redundant rows have lambda_k = 0 while Newton runs: springs without multiplier. */
#include "rt/mech/jointkin.h"
#include "rt/solve/evaluate.h"

#include "rt/rtsafe.h"

static const struct kin *kin_first(const struct evaluation *ev, int joint)
{
    return &ev->ws->kin[ev->p->joint[joint].kin[0]];
}

static const struct kin *kin_second(const struct evaluation *ev, int joint)
{
    return &ev->ws->kin[ev->p->joint[joint].kin[1]];
}

/* Acceleration field of a body about o, without its centripetal part. */
static struct six acceleration_about(const struct kin *b, vec3 o)
{
    return (struct six){b->dv - vec_cross(b->dw, b->x - o), b->dw};
}

double evaluate_second_rate(const struct evaluation *ev, int active)
{
    const struct plan_coordinate *c = &ev->p->active[active];
    vec3 o = ev->ws->o[c->segment];
    struct six rel = six_sub(acceleration_about(kin_second(ev, c->joint), o),
                             acceleration_about(kin_first(ev, c->joint), o));
    return six_dot(ev->ws->coord[active].row, rel) + ev->ws->coord[active].bias;
}

/* Coordinate minus its prescribed value at a level. */
double evaluate_motion_value(const struct evaluation *ev, int coordinate, int motion,
                             enum evaluate_level level)
{
    int i = ev->p->active_of[coordinate];
    struct jet f = ev->ws->jet[model_motions(ev->m)[motion].function];
    if (level == LEVEL_POSITION) return ev->ws->coord[i].q - f.f;
    if (level == LEVEL_VELOCITY) return ev->ws->coord[i].qd - f.d1;
    return evaluate_second_rate(ev, i) - f.d2;
}

int evaluate_drive(const struct evaluation *ev, int coordinate, int motion,
                   enum evaluate_level level, double *value)
{
    const struct model_coordinate *c = &model_coordinates(ev->m)[coordinate];
    const struct plan_joint *j = &ev->p->joint[c->joint];
    int own = ev->p->active_of[coordinate];
    if (j->type->special != JOINT_SCREW || c->which != 0) {
        *value = evaluate_motion_value(ev, coordinate, motion, level);
        return own;
    }
    int angle = ev->p->active_of[coordinate + 1];
    struct jet f = ev->ws->jet[model_motions(ev->m)[motion].function];
    const struct coord *q = &ev->ws->coord[angle];
    const struct model_coordinate *turn = &model_coordinates(ev->m)[coordinate + 1];
    double lead = model_coordinate_sign(turn) * j->lead;
    if (level == LEVEL_POSITION)
        *value = q->q - turn->offset + (c->offset - f.f) / lead;
    else if (level == LEVEL_VELOCITY)
        *value = q->qd - f.d1 / lead;
    else
        *value = evaluate_second_rate(ev, angle) - f.d2 / lead;
    return angle;
}

int evaluate_sum_is_off(const struct evaluation *ev, const struct plan_sum *s)
{
    for (int i = 0; i < s->n_terms && ev->p->n_switches; i++) {
        int c = model_terms(ev->m)[s->term_at + i].coordinate;
        if (evaluate_is_released(ev, model_coordinates(ev->m)[c].joint)) return 1;
    }
    return 0;
}

double evaluate_sum_value(const struct evaluation *ev, const struct plan_sum *s,
                          enum evaluate_level level)
{
    int fn = model_joints(ev->m)[s->joint].function;
    struct jet f = fn >= 0 ? ev->ws->jet[fn] : (struct jet){0, 0, 0};
    double shift = ev->ws->sum_shift[s - ev->p->sum];
    double v = level == LEVEL_POSITION ? -f.f - shift : level == LEVEL_VELOCITY ? -f.d1 : -f.d2;
    for (int i = 0; i < s->n_terms; i++) {
        const struct model_term *term = &model_terms(ev->m)[s->term_at + i];
        int a = ev->p->active_of[term->coordinate];
        double q = level == LEVEL_POSITION   ? ev->ws->coord[a].q
                   : level == LEVEL_VELOCITY ? ev->ws->coord[a].qd
                                             : evaluate_second_rate(ev, a);
        v += term->factor * q;
    }
    return v * s->scale;
}

/* A hinge placed: the same as jointkin_place_full, written out for the common cut. */
static inline void place_hinge(const struct evaluation *ev, const struct plan_cut *c,
                               struct jointkin *k)
{
    const struct plan_joint *j = &ev->p->joint[c->joint];
    const struct kin *a = kin_first(ev, c->joint), *b = kin_second(ev, c->joint);
    k->j = j;
    k->sa = mat3_mul(&a->R, j->point[0]);
    k->sb = mat3_mul(&b->R, j->point[1]);
    vec3 pb = b->x + k->sb;
    k->p = pb - ev->ws->o[c->segment];
    k->d = pb - (a->x + k->sa);
    k->xa = mat3_mul(&a->R, j->frame[0].c[0]);
    k->ya = mat3_mul(&a->R, j->frame[0].c[1]);
    k->za = mat3_mul(&a->R, j->frame[0].c[2]);
    k->xb = mat3_mul(&b->R, j->frame[1].c[0]);
    k->yb = mat3_mul(&b->R, j->frame[1].c[1]);
}

static inline void hinge_rows(const struct evaluation *ev, int index)
{
    const struct plan_cut *c = &ev->p->cut[index];
    struct jointkin *k = &ev->ws->cut_kin[index];
    struct six *w = ev->ws->w + c->row_at;
    double *phi = ev->ws->phi + c->row_at;
    place_hinge(ev, c, k);
    w[0] = (struct six){k->xa, vec_cross(k->p, k->xa)}, phi[0] = vec_dot(k->xa, k->d);
    w[1] = (struct six){k->ya, vec_cross(k->p, k->ya)}, phi[1] = vec_dot(k->ya, k->d);
    w[2] = (struct six){k->za, vec_cross(k->p, k->za)}, phi[2] = vec_dot(k->za, k->d);
    w[3] = (struct six){vec_zero(), vec_cross(k->yb, k->za)}, phi[3] = vec_dot(k->za, k->yb);
    w[4] = (struct six){vec_zero(), vec_cross(k->xb, k->za)}, phi[4] = vec_dot(k->za, k->xb);
}

/* Rates of a hinge's rows from the point's and the axes' relative motion. */
static inline void hinge_values(const struct evaluation *ev, int index, enum evaluate_level level)
{
    const struct plan_cut *c = &ev->p->cut[index];
    const struct jointkin *k = &ev->ws->cut_kin[index];
    const struct kin *a = kin_first(ev, c->joint), *b = kin_second(ev, c->joint);
    double *phi = ev->ws->phi + c->row_at, turn[2] = {0, 0};
    vec3 arm = k->sa + k->d, om = b->w - a->w;
    vec3 lin = kin_velocity(b, k->sb) - kin_velocity(a, arm);
    if (level == LEVEL_ACCELERATION) {
        vec3 bend = vec_cross(b->w, vec_cross(b->w, k->sb)) - vec_cross(a->w, vec_cross(a->w, arm));
        vec3 coriolis = vec_cross(a->w, lin), axis = vec_cross(a->w, k->za);
        lin = b->dv + vec_cross(b->dw, k->sb) - a->dv - vec_cross(a->dw, arm) + bend - coriolis -
              coriolis;
        turn[0] = -vec_dot(om, vec_cross(axis, k->yb) + vec_cross(k->za, vec_cross(b->w, k->yb)));
        turn[1] = -vec_dot(om, vec_cross(axis, k->xb) + vec_cross(k->za, vec_cross(b->w, k->xb)));
        om = b->dw - a->dw;
    }
    phi[0] = vec_dot(k->xa, lin);
    phi[1] = vec_dot(k->ya, lin);
    phi[2] = vec_dot(k->za, lin);
    phi[3] = vec_dot(vec_cross(k->yb, k->za), om) + turn[0];
    phi[4] = vec_dot(vec_cross(k->xb, k->za), om) + turn[1];
}

static void cut_rows(const struct evaluation *ev, int index)
{
    const struct plan_cut *c = &ev->p->cut[index];
    struct workspace *ws = ev->ws;
    struct jointkin *jk = &ws->cut_kin[index];
    evaluate_place(ev, c->joint, ws->o[c->segment], 1, jk);
    jointkin_rows(jk, ws->w + c->row_at, ws->phi + c->row_at);
    for (int i = 0; i < c->n_motions; i++) {
        const struct plan_cut_motion *mo = &ev->p->cut_motion[c->motion_at + i];
        int r = c->row_at + c->n_rows - c->n_motions + i;
        int a = evaluate_drive(ev, mo->coordinate, mo->motion, LEVEL_POSITION, &ws->phi[r]);
        struct six w = ws->coord[a].row;
        int from = ev->p->active[a].segment;
        if (from != c->segment) w = evaluate_shift_wrench(w, ws->o[from] - ws->o[c->segment]);
        ws->w[r] = w;
    }
}

static void sum_row(const struct evaluation *ev, int i)
{
    const struct plan_sum *s = &ev->p->sum[i];
    struct workspace *ws = ev->ws;
    struct six *w = ws->sum_w + PLAN_MAX_SUM * i;
    for (int j = 0; j < s->n_slots; j++) w[j] = six_zero();
    for (int k = 0; k < s->n_terms; k++) {
        const struct model_term *term = &model_terms(ev->m)[s->term_at + k];
        const struct plan_coordinate *c = &ev->p->active[ev->p->active_of[term->coordinate]];
        struct six row = six_scale(term->factor * s->scale,
                                   ws->coord[ev->p->active_of[term->coordinate]].row);
        for (int side = 0; side < 2; side++) {
            int kin = ev->p->joint[c->joint].kin[side];
            for (int j = 0; j < s->n_slots; j++) {
                if (s->slot[j] != kin) continue;
                int seg = ev->p->body[kin].segment;
                struct six r = evaluate_shift_wrench(row, ws->o[c->segment] - ws->o[seg]);
                w[j] = side ? six_add(w[j], r) : six_sub(w[j], r);
            }
        }
    }
    ws->phi[s->row_at] = evaluate_sum_value(ev, s, LEVEL_POSITION);
}

void evaluate_weights(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int i = 0; i < p->n_rows; i++) {
        const struct plan_row *r = &p->row[i];
        double soft = r->soft_rate * ev->s;
        soft = ev->soft * (soft < r->soft_cap ? soft : r->soft_cap);
        ws->weight[i] = r->redundant ? soft : r->alpha;
    }
    for (int i = 0; i < p->n_cuts && p->n_switches; i++) {
        const struct plan_cut *c = &p->cut[i];
        if (c->switch_at == PLAN_NONE) continue;
        for (int r = 0; r < c->n_rows; r++) ws->weight[c->row_at + r] *= ws->on[c->switch_at];
    }
    for (int i = 0; i < p->n_sums && p->n_switches; i++)
        if (evaluate_sum_is_off(ev, &p->sum[i])) ws->weight[p->sum[i].row_at] = 0;
}

void evaluate_rows(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    for (int i = 0; i < p->n_cuts; i++) {
        if (p->cut[i].hinge)
            hinge_rows(ev, i);
        else
            cut_rows(ev, i);
    }
    for (int i = 0; i < p->n_sums; i++) sum_row(ev, i);
}

void evaluate_cut_places(const struct evaluation *ev)
{
    for (int i = 0; i < ev->p->n_cuts; i++) {
        const struct plan_cut *c = &ev->p->cut[i];
        if (c->hinge)
            place_hinge(ev, c, &ev->ws->cut_kin[i]);
        else
            evaluate_place(ev, c->joint, ev->ws->o[c->segment], 1, &ev->ws->cut_kin[i]);
    }
}

static void cut_values(const struct evaluation *ev, int i, enum evaluate_level level)
{
    const struct plan_cut *c = &ev->p->cut[i];
    struct workspace *ws = ev->ws;
    const struct jointkin *jk = &ws->cut_kin[i];
    const struct kin *a = kin_first(ev, c->joint), *b = kin_second(ev, c->joint);
    if (level == LEVEL_VELOCITY)
        jointkin_rows_velocity(jk, a, b, ws->phi + c->row_at);
    else
        jointkin_rows_acceleration(jk, a, b, ws->phi + c->row_at);
    for (int k = 0; k < c->n_motions; k++) {
        const struct plan_cut_motion *mo = &ev->p->cut_motion[c->motion_at + k];
        int r = c->row_at + c->n_rows - c->n_motions + k;
        evaluate_drive(ev, mo->coordinate, mo->motion, level, &ws->phi[r]);
    }
}

void evaluate_row_values(const struct evaluation *ev, enum evaluate_level level)
{
    const struct plan *p = ev->p;
    for (int i = 0; i < p->n_cuts; i++) {
        if (p->cut[i].hinge)
            hinge_values(ev, i, level);
        else
            cut_values(ev, i, level);
    }
    for (int i = 0; i < p->n_sums; i++)
        ev->ws->phi[p->sum[i].row_at] = evaluate_sum_value(ev, &p->sum[i], level);
}

/* N = P X, X: twist about o to twist about o + r. */
static struct mat6 times_shift(const struct mat6 *P, vec3 r)
{
    struct mat6 n = *P;
    for (int j = 0; j < 3; j++) {
        vec3 e = vec_make(j == 0, j == 1, j == 2);
        n.c[3 + j] = mat6_mul(P, (struct six){vec_cross(e, r), e});
    }
    return n;
}

static struct mat6 shift_times(const struct mat6 *P, vec3 r)
{
    struct mat6 n;
    for (int j = 0; j < 6; j++) n.c[j] = evaluate_shift_wrench(P->c[j], r);
    return n;
}

/* Add a symmetric weight P, taken about the point of `segment`, between two slots. */
static void add_pair_apart(const struct evaluation *ev, const int *slot, int block, int segment,
                           const struct mat6 *P)
{
    struct workspace *ws = ev->ws;
    vec3 r[2] = {vec_zero(), vec_zero()};
    for (int i = 0; i < 2; i++) {
        if (slot[i] == PLAN_NONE) continue;
        r[i] = ws->o[segment] - ws->o[ev->p->body[slot[i]].segment];
        struct mat6 n = times_shift(P, r[i]);
        n = shift_times(&n, r[i]);
        mat6_add(&ws->K[slot[i]], &n);
    }
    if (block == PLAN_NONE) return;
    int early = slot[0] < slot[1] ? 0 : 1;
    struct mat6 n = times_shift(P, r[early]);
    n = shift_times(&n, r[1 - early]);
    mat6_sub(&ws->block[block], &n);
}

/* The same where both bodies share the reference point. */
static inline void add_pair(struct workspace *ws, const int *slot, int block, const struct mat6 *P)
{
    if (slot[0] != PLAN_NONE) mat6_add(&ws->K[slot[0]], P);
    if (slot[1] != PLAN_NONE) mat6_add(&ws->K[slot[1]], P);
    if (block != PLAN_NONE) mat6_sub(&ws->block[block], P);
}

/* P += weight w w' for a row without force, w = (0, t). */
static inline void add_couple(struct mat6 *P, double weight, vec3 t)
{
    vec3 z = t * vec_splat(weight);
    for (int j = 0; j < 3; j++) P->c[3 + j].a += z * vec_splat(t[j]);
}

/* Sum of weight w w' of a cut. */
static inline void cut_weight(const struct evaluation *ev, const struct plan_cut *c, struct mat6 *P)
{
    const struct workspace *ws = ev->ws;
    mat6_zero(P);
    for (int r = c->row_at; r < c->row_at + c->n_rows; r++) {
        if (ev->p->row[r].couple)
            add_couple(P, ws->weight[r], ws->w[r].a);
        else
            mat6_rank1(P, ws->weight[r], ws->w[r]);
    }
}

static void add_sum(const struct evaluation *ev, int i)
{
    const struct plan_sum *s = &ev->p->sum[i];
    struct workspace *ws = ev->ws;
    const struct six *w = ws->sum_w + PLAN_MAX_SUM * i;
    double weight = ws->weight[s->row_at];
    for (int j = 0, n = 0; j < s->n_slots; j++) {
        mat6_rank1(&ws->K[s->slot[j]], weight, w[j]);
        for (int k = j + 1; k < s->n_slots; k++)
            mat6_outer(&ws->block[s->block[n++]], weight, w[k], w[j]);
    }
}

void evaluate_assemble(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int i = 0; i < p->n_blocks; i++) mat6_zero(&ws->block[i]);
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        if (f->apart)
            add_pair_apart(ev, f->slot, f->block, f->segment, &ws->out[i].P);
        else
            add_pair(ws, f->slot, f->block, &ws->out[i].P);
    }
    for (int i = 0; i < p->n_cuts; i++) {
        const struct plan_cut *c = &p->cut[i];
        struct mat6 P;
        cut_weight(ev, c, &P);
        if (c->apart)
            add_pair_apart(ev, c->slot, c->block, c->segment, &P);
        else
            add_pair(ws, c->slot, c->block, &P);
    }
    for (int i = 0; i < p->n_sums; i++) add_sum(ev, i);
}

/* Twist of a slot about the point of `segment`; zero where immovable. */
static struct six twist_apart(const struct evaluation *ev, const struct six *d, int slot,
                              int segment)
{
    if (slot == PLAN_NONE) return six_zero();
    return evaluate_shift_twist(d[slot], ev->ws->o[segment] - ev->ws->o[ev->p->body[slot].segment]);
}

/* Relative twist d_B - d_A of a pair. */
static inline struct six relative(const struct evaluation *ev, const struct six *d, const int *slot,
                                  int segment, int apart)
{
    if (apart)
        return six_sub(twist_apart(ev, d, slot[1], segment), twist_apart(ev, d, slot[0], segment));
    if (slot[0] == PLAN_NONE) return d[slot[1]];
    if (slot[1] == PLAN_NONE) return six_scale(-1, d[slot[0]]);
    return six_sub(d[slot[1]], d[slot[0]]);
}

/* f_B += load, f_A -= load, each about its own point. */
static inline void add_load(const struct evaluation *ev, const int *slot, int segment, int apart,
                            struct six load)
{
    struct workspace *ws = ev->ws;
    for (int i = 0; i < 2; i++) {
        if (slot[i] == PLAN_NONE) continue;
        struct six w = load;
        if (apart)
            w = evaluate_shift_wrench(w, ws->o[segment] - ws->o[ev->p->body[slot[i]].segment]);
        ws->f[slot[i]] = i ? six_add(ws->f[slot[i]], w) : six_sub(ws->f[slot[i]], w);
    }
}

static double sum_product(const struct evaluation *ev, int i, const struct six *d)
{
    const struct plan_sum *s = &ev->p->sum[i];
    const struct six *w = ev->ws->sum_w + PLAN_MAX_SUM * i;
    double g = 0;
    for (int j = 0; j < s->n_slots; j++) g += six_dot(w[j], d[s->slot[j]]);
    return g;
}

void evaluate_loads(const struct evaluation *ev, int with_lambda)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    double s = with_lambda ? ev->s : 0;
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        struct six rel = relative(ev, ws->dp, f->slot, f->segment, f->apart);
        add_load(ev, f->slot, f->segment, f->apart, mat6_mul(&ws->out[i].P, rel));
    }
    for (int i = 0; i < p->n_cuts; i++) {
        const struct plan_cut *c = &p->cut[i];
        struct six rel = relative(ev, ws->dp, c->slot, c->segment, c->apart), load = six_zero();
        for (int r = c->row_at; r < c->row_at + c->n_rows; r++) {
            double t = ws->weight[r] * (ws->phi[r] + six_dot(ws->w[r], rel)) + s * ws->lambda_k[r];
            load = six_axpy(t, ws->w[r], load);
        }
        add_load(ev, c->slot, c->segment, c->apart, load);
    }
    for (int i = 0; i < p->n_sums; i++) {
        const struct plan_sum *z = &p->sum[i];
        int r = z->row_at;
        double t = ws->weight[r] * (ws->phi[r] + sum_product(ev, i, ws->dp)) + s * ws->lambda_k[r];
        for (int j = 0; j < z->n_slots; j++)
            ws->f[z->slot[j]] = six_axpy(t, ws->sum_w[PLAN_MAX_SUM * i + j], ws->f[z->slot[j]]);
    }
}

void evaluate_multipliers(const struct evaluation *ev, double *out)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int i = 0; i < p->n_cuts; i++) {
        const struct plan_cut *c = &p->cut[i];
        struct six rel = relative(ev, ws->d, c->slot, c->segment, c->apart);
        for (int r = c->row_at; r < c->row_at + c->n_rows; r++)
            out[r] = ws->weight[r] * (ws->phi[r] + six_dot(ws->w[r], rel));
    }
    for (int i = 0; i < p->n_sums; i++) {
        int r = p->sum[i].row_at;
        out[r] = ws->weight[r] * (ws->phi[r] + sum_product(ev, i, ws->d));
    }
}

void evaluate_apply_solution(const struct evaluation *ev, enum evaluate_level level)
{
    struct workspace *ws = ev->ws;
    for (int k = 0; k < ev->p->n; k++) {
        struct kin *b = &ws->kin[k];
        vec3 lin = six_point(ws->d[k], b->x - ws->o[ev->p->body[k].segment]);
        if (level == LEVEL_VELOCITY)
            b->v += lin, b->w += ws->d[k].a;
        else
            b->dv += lin, b->dw += ws->d[k].a;
    }
}
