#include "rt/solve/observe.h"

#include <math.h>
#include <string.h>

#include "rt/mech/jointkin.h"
#include "rt/mech/sensor.h"
#include "rt/mech/sensor_eval.h"
#include "rt/solve/violations.h"

#include "rt/rtsafe.h"

static void energies(struct observation *o)
{
    const struct plan *p = o->ev.p;
    const struct workspace *ws = o->ev.ws;
    vec3 g = vec_load(o->ev.m->gravity);
    for (int k = 0; k < p->n; k++) {
        const struct kin *b = &ws->kin[k];
        const struct plan_body *body = &p->body[k];
        vec3 w = mat3_tmul(&b->R, b->w);
        o->kinetic += 0.5 * body->m * vec_dot(b->v, b->v) + 0.5 * vec_dot(w, mat3_mul(&body->J, w));
        o->weight -= body->m * vec_dot(g, b->x);
    }
    for (int i = 0; i < p->n_forces; i++) {
        o->elastic += ws->out[i].energy;
        o->power += ws->out[i].power;
    }
}

/* Rate of what drives a coordinate in the solver (evaluate_drive). */
static double drive_rate(const struct evaluation *ev, int coordinate, int motion)
{
    const struct model_coordinate *c = &model_coordinates(ev->m)[coordinate];
    const struct plan_joint *j = &ev->p->joint[c->joint];
    double rate = ev->ws->jet[model_motions(ev->m)[motion].function].d1;
    if (j->type->special == JOINT_SCREW && c->which == 0)
        return rate / j->lead * model_coordinate_sign(c + 1);
    return rate;
}

/* Power of prescribed motions: W . S f' for a tree joint, (lambda + kappa) Phi_t for rows. */
static double link_power(const struct observation *o, int k)
{
    const struct evaluation *ev = &o->ev;
    const struct plan_link *l = &ev->p->link[k];
    const struct workspace *ws = ev->ws;
    if (l->joint == PLAN_NONE) return 0;
    const struct plan_joint *j = &ev->p->joint[l->joint];
    int moving_length = j->type->special == JOINT_DISTANCE && j->function != PLAN_NONE;
    if (!l->n_driven && !moving_length) return 0;
    struct jointkin jk;
    struct six S[PLAN_MAX_FREE];
    double power = 0;
    evaluate_place(ev, l->joint, ws->kin[k].x, 1, &jk);
    if (moving_length) {
        struct six w = ws->wrench[k];
        power += l->sign * vec_dot(w.l, vec_unit(jk.d)) * jk.length_d1;
    }
    jointkin_free(&jk, S);
    for (int i = 0; i < l->n_driven; i++) {
        const struct model_coordinate *c = &model_coordinates(ev->m)[l->driven_coordinate[i]];
        int of_screw = j->type->special == JOINT_SCREW && c->which == 0;
        double rate = drive_rate(ev, l->driven_coordinate[i], l->driven_motion[i]);
        rate *= l->sign * model_coordinate_sign(of_screw ? c + 1 : c);
        power += six_dot(ws->wrench[k], S[(int)l->driven_column[i]]) * rate;
    }
    return power;
}

static double row_force(const struct workspace *ws, int r) { return ws->lambda[r] + ws->kappa[r]; }

static double rows_power(const struct observation *o)
{
    const struct evaluation *ev = &o->ev;
    const struct plan *p = ev->p;
    const struct workspace *ws = ev->ws;
    double power = 0;
    for (int i = 0; i < p->n_cuts; i++) {
        const struct plan_cut *c = &p->cut[i];
        const struct plan_joint *j = &p->joint[c->joint];
        for (int k = 0; k < c->n_motions; k++) {
            const struct plan_cut_motion *mo = &p->cut_motion[c->motion_at + k];
            power -= row_force(ws, c->row_at + c->n_rows - c->n_motions + k) *
                     drive_rate(ev, mo->coordinate, mo->motion);
        }
        if (j->type->special == JOINT_DISTANCE && j->function != PLAN_NONE)
            power -= row_force(ws, c->row_at) * ws->jet[j->function].d1;
    }
    for (int i = 0; i < p->n_sums; i++) {
        const struct plan_sum *s = &p->sum[i];
        int f = model_joints(ev->m)[s->joint].function;
        if (f >= 0) power -= row_force(ws, s->row_at) * s->scale * ws->jet[f].d1;
    }
    return power;
}

void observe_state(const struct model *m, const struct plan *p, struct workspace *ws, unsigned ask,
                   struct observation *o)
{
    memset(o, 0, sizeof *o);
    o->ev = evaluation_for_sensors(m, p, ws);
    evaluate_functions(&o->ev);
    evaluate_accepted(&o->ev);
    evaluate_coordinates(&o->ev, p->n_watched);
    if (ask & (PLAN_ASK_FORCES | PLAN_ASK_ENERGY)) evaluate_forces(&o->ev);
    if (ask & PLAN_ASK_ROWS) evaluate_rows(&o->ev);
    if (!(ask & PLAN_ASK_ENERGY)) return;
    energies(o);
    for (int k = 0; k < p->n; k++) o->power += link_power(o, k);
    o->power += rows_power(o);
}

void observe_errors(const struct observation *o, double error[3])
{
    error[0] = violations_largest(&o->ev, LEVEL_POSITION, 0, 0);
    error[1] = violations_largest(&o->ev, LEVEL_VELOCITY, 0, 0);
    error[2] = violations_largest(&o->ev, LEVEL_ACCELERATION, 0, 0);
}

struct six observe_reaction(const struct observation *o, int joint)
{
    const struct plan *p = o->ev.p;
    const struct workspace *ws = o->ev.ws;
    if (p->n_nulls && p->joint_reaction[joint] >= 0) return ws->reaction[p->joint_reaction[joint]];
    return evaluate_joint_wrench(&o->ev, joint, ws->wrench, ws->lambda, ws->kappa);
}

/* ---- sensors ---- */

void observe_mesh(const struct observation *o, int joint, double force[3], double torque[3])
{
    const struct plan_sum *s = &o->ev.p->sum[o->ev.p->joint_sum[joint]];
    double along = observe_reaction(o, joint).a[0] * s->scale;
    for (int i = 0; i < 3; i++) {
        force[i] = torque[i] = 0;
        if (i >= s->n_terms) continue;
        const struct model_term *t = &model_terms(o->ev.m)[s->term_at + i];
        double *to = model_coordinates(o->ev.m)[t->coordinate].is_angle ? torque : force;
        to[i] = along * t->factor;
    }
}

/* Reaction in the joint frame of the first body; of a gear on each of its joints. */
static void put_reaction(const struct observation *o, int joint, int torque, double *out)
{
    if (o->ev.p->joint_sum[joint] != PLAN_NONE) {
        double both[2][3];
        observe_mesh(o, joint, both[0], both[1]);
        memcpy(out, both[torque], sizeof both[0]);
        return;
    }
    const struct plan_joint *j = evaluate_joint(&o->ev, joint);
    struct six w = observe_reaction(o, joint);
    vec3 v = mat3_tmul(&o->ev.ws->kin[j->kin[0]].R, torque ? w.a : w.l);
    vec_store(out, mat3_tmul(&j->frame[0], v));
}

static void put_rotation(const struct observation *o, int joint, double *out)
{
    const struct plan_joint *j = evaluate_joint(&o->ev, joint);
    const struct kin *a = &o->ev.ws->kin[j->kin[0]], *b = &o->ev.ws->kin[j->kin[1]];
    struct mat3 fa, fb, r;
    for (int i = 0; i < 3; i++) {
        fa.c[i] = mat3_mul(&a->R, j->frame[0].c[i]);
        fb.c[i] = mat3_mul(&b->R, j->frame[1].c[i]);
    }
    for (int i = 0; i < 3; i++) r.c[i] = mat3_tmul(&fa, fb.c[i]);
    vec3 s = vec_splat(0.5) *
             vec_make(r.c[1][2] - r.c[2][1], r.c[2][0] - r.c[0][2], r.c[0][1] - r.c[1][0]);
    double n = vec_norm(s), angle = atan2(n, 0.5 * (r.c[0][0] + r.c[1][1] + r.c[2][2] - 1));
    vec_store(out, s * vec_splat(n > 1e-12 ? angle / n : 1));
}

/* A point's position, velocity or acceleration; `at` in body axes. */
static vec3 point_motion(const struct kin *b, const double *at, int level)
{
    vec3 s = mat3_mul(&b->R, vec_load(at));
    if (level == 0) return b->x + s;
    if (level == 1) return kin_velocity(b, s);
    return b->dv + vec_cross(b->dw, s) + vec_cross(b->w, vec_cross(b->w, s));
}

/* Place of the sensor's body in kin; ground is last. */
static int kin_index(const struct observation *o, const struct model_sensor *s, int side)
{
    return s->body[side] < 0 ? o->ev.p->n_kin - 1 : o->ev.p->kin_of_body[s->body[side]];
}

static void put_body(const struct observation *o, const struct model_sensor *s, int eval,
                     double *out)
{
    const struct workspace *ws = o->ev.ws;
    int index = kin_index(o, s, 1);
    const struct kin *b = &ws->kin[index];
    const double *at = ws->pool + s->pool_at;
    switch (eval) {
    case SENSOR_POSITION:
        vec_store(out, point_motion(b, at, 0));
        break;
    case SENSOR_VELOCITY:
        vec_store(out, point_motion(b, at, 1));
        break;
    case SENSOR_BODY_VELOCITY:
        vec_store(out, mat3_tmul(&b->R, point_motion(b, at, 1)));
        break;
    case SENSOR_OFFSET:
        vec_store(out, point_motion(b, at + 3, 0) - point_motion(b, at, 0));
        break;
    case SENSOR_ACCELERATION:
        vec_store(out, point_motion(b, at, 2));
        break;
    case SENSOR_ACCELEROMETER:
        vec_store(out, mat3_tmul(&b->R, point_motion(b, at, 2) - vec_load(o->ev.m->gravity)));
        break;
    case SENSOR_ANGULAR_VELOCITY:
        vec_store(out, b->w);
        break;
    case SENSOR_GYRO:
        vec_store(out, mat3_tmul(&b->R, b->w));
        break;
    default: /* SENSOR_ATTITUDE */
        if (index < o->ev.p->n)
            for (int i = 0; i < 4; i++) out[i] = ws->q[index][i];
        else
            memcpy(out,
                   s->body[1] < 0 ? (double[4]){1, 0, 0, 0} : model_bodies(o->ev.m)[s->body[1]].q,
                   4 * sizeof *out);
    }
}

static double distance_of(const struct observation *o, const struct model_sensor *s)
{
    const struct workspace *ws = o->ev.ws;
    vec3 p[2];
    for (int i = 0; i < 2; i++)
        p[i] = point_motion(&ws->kin[kin_index(o, s, i)], ws->pool + s->pool_at + 3 * i, 0);
    return vec_norm(p[1] - p[0]);
}

static void put_force(const struct observation *o, int force, int n, double *out)
{
    const struct plan *p = o->ev.p;
    for (int i = 0; i < p->n_forces; i++)
        if (p->force[i].force == force)
            memcpy(out, o->ev.ws->out[i].value, sizeof(double) * (size_t)n);
}

static double energy_of(const struct observation *o, int which)
{
    double potential = o->weight + o->elastic;
    return which == 0 ? o->kinetic + potential : which == 1 ? o->kinetic : potential;
}

static void put(const struct observation *o, const struct model_sensor *s, double *out)
{
    const struct workspace *ws = o->ev.ws;
    int eval = SENSOR_TYPE[s->type].eval;
    int active = s->coordinate >= 0 ? o->ev.p->active_of[s->coordinate] : -1;
    switch (eval) {
    case SENSOR_COORDINATE:
        out[0] = ws->coord[active].q;
        break;
    case SENSOR_COORDINATE_RATE:
        out[0] = ws->coord[active].qd;
        break;
    case SENSOR_COORDINATE_ACCELERATION:
        out[0] = evaluate_second_rate(&o->ev, active);
        break;
    case SENSOR_ROTATION_VECTOR:
        put_rotation(o, s->joint, out);
        break;
    case SENSOR_DISTANCE:
        out[0] = distance_of(o, s);
        break;
    case SENSOR_REACTION_FORCE:
    case SENSOR_REACTION_TORQUE:
        put_reaction(o, s->joint, eval == SENSOR_REACTION_TORQUE, out);
        break;
    case SENSOR_FORCE:
        put_force(o, s->force, (int)s->n_channels, out);
        break;
    case SENSOR_CONSTRAINT_ERROR:
        out[0] = violations_largest(&o->ev, (enum evaluate_level)ws->pool[s->pool_at], 0, 0);
        break;
    case SENSOR_ENERGY:
        out[0] = energy_of(o, (int)ws->pool[s->pool_at]);
        break;
    default:
        put_body(o, s, eval, out);
    }
}

/* Rates of a sensor's channels, where they are known without a difference. */
static int put_rate(const struct observation *o, const struct model_sensor *s, double *out)
{
    const struct workspace *ws = o->ev.ws;
    const double *at = ws->pool + s->pool_at;
    int active = s->coordinate >= 0 ? o->ev.p->active_of[s->coordinate] : -1;
    switch (SENSOR_TYPE[s->type].eval) {
    case SENSOR_COORDINATE:
        out[0] = ws->coord[active].qd;
        return 1;
    case SENSOR_COORDINATE_RATE:
        out[0] = evaluate_second_rate(&o->ev, active);
        return 1;
    case SENSOR_POSITION:
        vec_store(out, point_motion(&ws->kin[kin_index(o, s, 1)], at, 1));
        return 1;
    case SENSOR_VELOCITY:
        vec_store(out, point_motion(&ws->kin[kin_index(o, s, 1)], at, 2));
        return 1;
    case SENSOR_OFFSET: {
        const struct kin *b = &ws->kin[kin_index(o, s, 1)];
        vec_store(out, point_motion(b, at + 3, 1) - point_motion(b, at, 1));
        return 1;
    }
    default:
        return 0;
    }
}

void observe_channel(const struct observation *o, int sensor, int channel, double *value,
                     double *rate)
{
    double v[4] = {0}, r[4] = {0};
    const struct model_sensor *s = &model_sensors(o->ev.m)[sensor];
    put(o, s, v);
    *value = v[channel];
    *rate = put_rate(o, s, r) ? r[channel] : NAN;
}

void observe_sensors(const struct observation *o, double *channel)
{
    for (uint32_t i = 0; i < o->ev.m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(o->ev.m)[i];
        double *out = channel + s->channel_at;
        put(o, s, out);
        for (uint32_t k = 0; k < s->n_channels; k++) out[k] *= s->scale;
    }
}
