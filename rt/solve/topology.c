#include "rt/solve/topology.h"

#include <math.h>
#include <string.h>

#include "rt/solve/accelerate.h"
#include "rt/solve/violations.h"

#include "rt/rtsafe.h"

/* Share of the speeds at which a locked joint must not go on moving. */
static const double OPPOSED = 1e-5;

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

/* Which coordinate of a type is the angle about z of A, or -1. */
static int angle_of(const struct joint_type *t)
{
    switch (t->coordinates) {
    case COORDINATES_ANGLE:
    case COORDINATES_CROSS:
        return 0;
    case COORDINATES_Z_ANGLE:
        return 1;
    case COORDINATES_X_Y_ANGLE:
        return 2;
    default:
        return -1;
    }
}

/* Which coordinate of a type is the way along axis i of A, or -1. */
static int way_of(const struct joint_type *t, int i)
{
    if (t->coordinates == COORDINATES_X_Y_ANGLE) return i < 2 ? i : -1;
    return i == 2 && (t->coordinates == COORDINATES_Z || t->coordinates == COORDINATES_Z_ANGLE)
               ? 0
               : -1;
}

/* What a coordinate shall be, as the joint frames show it (without its offset): `now`, or
 * what its motion asks for. The coordinate takes the value, so that it is unwrapped to it. */
static double wanted(const struct evaluation *ev, int joint, int which, double now)
{
    if (which < 0) return now;
    int at = model_joints(ev->m)[joint].coordinate_at + which;
    const struct model_coordinate *c = &model_coordinates(ev->m)[at];
    double sign = model_coordinate_sign(c), q = sign * now + c->offset;
    if (c->motion >= 0) q = ev->ws->jet[model_motions(ev->m)[c->motion].function].f;
    ev->ws->angle[at] = q;
    return sign * (q - c->offset);
}

/* Frame of side 0 with z along `z`, x as near to its own as that allows. */
static void turn_frame(struct plan_joint *j, vec3 z)
{
    vec3 x = j->frame[0].c[0] - z * vec_splat(vec_dot(z, j->frame[0].c[0]));
    x = vec_norm(x) > 1e-6 ? vec_unit(x) : vec_perp(z);
    j->frame[0] = (struct mat3){{x, vec_cross(z, x), z}};
}

/* Turn x and y about z by d. */
static void turn_about_z(struct plan_joint *j, double d)
{
    vec3 x = j->frame[0].c[0], y = j->frame[0].c[1], c = vec_splat(cos(d)), s = vec_splat(sin(d));
    if (fabs(d) < 1e-14) return;
    j->frame[0].c[0] = c * x + s * y;
    j->frame[0].c[1] = c * y - s * x;
}

/* The second body's axes as the first has them. */
static struct mat3 axes_on_first(const struct workspace *ws, const struct plan_joint *j)
{
    const struct kin *a = &ws->kin[j->kin[0]], *b = &ws->kin[j->kin[1]];
    struct mat3 f;
    for (int i = 0; i < 3; i++) f.c[i] = mat3_tmul(&a->R, mat3_mul(&b->R, j->frame[1].c[i]));
    return f;
}

/* Turn the first body's frame so that the rows of axes are zero and the angle is as wanted. */
static void lock_axes(struct plan_joint *j, const struct mat3 *f, double angle)
{
    vec3 z = j->frame[0].c[2];
    if (j->type->rotation == ROTATION_ALL) j->frame[0] = *f;
    if (j->type->rotation == ROTATION_ALIGN) turn_frame(j, f->c[2]);
    if (j->type->rotation == ROTATION_CROSS) {
        z -= f->c[0] * vec_splat(vec_dot(z, f->c[0]));
        turn_frame(j, vec_norm(z) > 1e-6 ? vec_unit(z) : f->c[2]);
    }
    if (j->type->rotation != ROTATION_ALIGN && j->type->rotation != ROTATION_CROSS) return;
    double raw = atan2(vec_dot(j->frame[0].c[1], f->c[0]), vec_dot(j->frame[0].c[0], f->c[0]));
    turn_about_z(j, jointkin_unwrap(raw, angle) - angle);
}

/* A screw's angle: as it is, or as a motion of its angle or of its way asks. */
static double screw_angle(const struct evaluation *ev, int joint, double now)
{
    const struct plan_joint *j = &ev->p->joint[joint];
    int at = model_joints(ev->m)[joint].coordinate_at;
    const struct model_coordinate *c = &model_coordinates(ev->m)[at];
    double q = wanted(ev, joint, 1, now);
    if (c->motion >= 0 && j->lead != 0) {
        q = wanted(ev, joint, 0, j->lead * now) / j->lead;
        ev->ws->angle[at + 1] = model_coordinate_sign(c + 1) * q + (c + 1)->offset;
    }
    ev->ws->angle[at] = model_coordinate_sign(c) * j->lead * q + c->offset;
    return q;
}

/* Move the first body's side so that all rows are zero here, and the coordinates go on: what
 * the joint leaves free stays as it is, or as its motion has it. */
static void lock_here(const struct evaluation *ev, int joint, struct plan_joint *j)
{
    struct workspace *ws = ev->ws;
    const struct kin *a = &ws->kin[j->kin[0]], *b = &ws->kin[j->kin[1]];
    int screw = j->type->special == JOINT_SCREW, turns = angle_of(j->type);
    struct jointkin k;
    evaluate_place(ev, joint, vec_zero(), 1, &k);
    struct mat3 f = axes_on_first(ws, j), before = j->frame[0];
    vec3 place = mat3_tmul(&a->R, b->x + mat3_mul(&b->R, j->point[1]) - a->x);
    vec3 d = place - j->point[0];
    if (j->type->special == JOINT_DISTANCE) {
        j->length = vec_norm(d);
        j->function = PLAN_NONE;
        return;
    }
    double angle = screw ? k.angle : turns < 0 ? 0 : jointkin_coordinate(&k, a, b, turns).q;
    if (!screw && turns >= 0) {
        int at = model_joints(ev->m)[joint].coordinate_at + turns;
        const struct model_coordinate *c = &model_coordinates(ev->m)[at];
        angle = jointkin_unwrap(angle, model_coordinate_sign(c) * (ws->angle[at] - c->offset));
    }
    angle = screw ? screw_angle(ev, joint, angle) : wanted(ev, joint, turns, angle);
    lock_axes(j, &f, angle);
    for (int i = 0; i < 3; i++) {
        double way = j->type->hold & 1u << i ? 0 : vec_dot(d, before.c[i]);
        if (screw && i == 2)
            way = j->lead * angle;
        else if (!(j->type->hold & 1u << i))
            way = wanted(ev, joint, way_of(j->type, i), way);
        j->point[0] += j->frame[0].c[i] * vec_splat(vec_dot(d, j->frame[0].c[i]) - way);
    }
}

/* Gears whose joints are all locked mesh where they stand. */
static void mesh(const struct evaluation *ev)
{
    for (int i = 0; i < ev->p->n_sums; i++) {
        const struct plan_sum *s = &ev->p->sum[i];
        int changed = ev->ws->sum_off[i] && !evaluate_sum_is_off(ev, s);
        ev->ws->sum_off[i] = evaluate_sum_is_off(ev, s);
        if (changed) ev->ws->sum_shift[i] += evaluate_sum_value(ev, s, LEVEL_POSITION) / s->scale;
    }
}

static void clear_multipliers(const struct plan *p, struct workspace *ws, int joint)
{
    const struct plan_cut *c = &p->cut[p->joint_cut[joint]];
    for (int r = c->row_at; r < c->row_at + c->n_rows; r++) ws->lambda[r] = ws->kappa[r] = 0;
}

/* Kinetic energy and what springs hold; their forces as they are now. */
static double energy(const struct evaluation *ev)
{
    double e = kinetic(ev->p, ev->ws);
    for (int i = 0; i < ev->p->n_forces; i++) e += ev->ws->out[i].energy;
    return e;
}

static double energy_before(const struct evaluation *ev)
{
    evaluate_inertia(ev);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    return energy(ev);
}

/* The fastest point, m/s, by the bodies' own size and by 1 m. */
static double fastest(const struct plan *p, const struct workspace *ws)
{
    double v = 0;
    for (int k = 0; k < p->n; k++)
        v = fmax(v, vec_norm(ws->v[k].l) + vec_norm(ws->v[k].a) * fmax(1, p->body[k].length));
    return v;
}

/* A locked joint whose rows still move after the impact: something else drives its bodies. */
static int find_opposed(const struct evaluation *ev, const struct model_change *change, int n,
                        double speed)
{
    evaluate_accepted(ev);
    evaluate_coordinates(ev, ev->p->n_watched);
    for (int i = 0; i < n; i++)
        if (change[i].on && violations_joint(ev, change[i].joint, LEVEL_VELOCITY) > OPPOSED * speed)
            return change[i].joint;
    return PLAN_NONE;
}

static void make_changes(const struct evaluation *ev, const struct model_change *change, int n)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    for (int i = 0; i < n; i++) {
        int s = p->joint_switch[change[i].joint];
        if (change[i].on) lock_here(ev, change[i].joint, &ws->switched[s]);
        ws->on[s] = change[i].on ? 1 : 0;
        clear_multipliers(p, ws, change[i].joint);
    }
    evaluate_coordinates(ev, p->n_active);
    mesh(ev);
}

static enum status change_and_jump(const struct evaluation *ev, const struct model_change *change,
                                   int n)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    double speed = fastest(p, ws);
    make_changes(ev, change, n);
    if (!(accelerate_jump(ev) > 0)) return STATUS_SINGULAR;
    ws->opposed = find_opposed(ev, change, n, fmax(speed, fastest(p, ws)));
    if (ws->opposed != PLAN_NONE) return STATUS_OPPOSED;
    if (!(accelerate_solve(ev, ws->a) > 0)) return STATUS_SINGULAR;
    memcpy(ws->ab, ws->a, sizeof(struct six) * (size_t)p->n);
    memset(ws->lead, 0, sizeof(struct six) * (size_t)p->n);
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa, 0, sizeof(double) * (size_t)p->n_rows);
    return STATUS_OK;
}

enum status topology_apply(const struct model *m, const struct plan *p, struct workspace *ws,
                           const struct model_change *change, int n, double *loss)
{
    struct evaluation ev = evaluation_at_state(m, p, ws);
    for (int i = 0; i < n; i++)
        if (p->joint_switch[change[i].joint] == PLAN_NONE) return STATUS_REFUSED;
    memcpy(ws->undo, ws->state, ws->state_size);
    evaluate_functions(&ev);
    evaluate_accepted(&ev);
    double before = energy_before(&ev);
    enum status s = change_and_jump(&ev, change, n);
    if (s != STATUS_OK) {
        memcpy(ws->state, ws->undo, ws->state_size);
        return s;
    }
    if (loss) *loss = before - energy(&ev);
    return STATUS_OK;
}
