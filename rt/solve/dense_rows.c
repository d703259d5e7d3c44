/* The primitives in plain numbers, after the table of rows: point along an axis of A
 * (dot2), axis against axis (dot1), distance, angle. Each gives Phi, the four 3-blocks
 * of its Jacobian at the mass centres, and gamma. */
#include "rt/solve/dense_rows.h"

#include <math.h>

#include "rt/mech/function.h"
#include "rt/mech/joint.h"
#include "rt/mech/jointkin.h"

#include "rt/rtsafe.h"

typedef double three[3];

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* One side of a joint in numbers. */
struct side {
    int slot;              /* < 0: immovable */
    three x, v, w, dv, dw; /* of the body */
    three s;               /* arm to the joint point */
    three e[3];            /* joint axes */
};

struct pair {
    struct side a, b;
    three d, dd;           /* P_B - P_A and its rate */
    three bend;            /* centripetal part of d'' */
};

static void side_of(const struct evaluation *ev, const struct plan_joint *j, int i, struct side *o)
{
    const struct kin *k = &ev->ws->kin[j->kin[i]];
    o->slot = j->kin[i] < ev->p->n ? j->kin[i] : -1;
    for (int r = 0; r < 3; r++) {
        o->x[r] = k->x[r], o->v[r] = k->v[r], o->w[r] = k->w[r];
        o->dv[r] = k->dv[r], o->dw[r] = k->dw[r];
        o->s[r] = 0;
        for (int c = 0; c < 3; c++) {
            o->s[r] += k->R.c[c][r] * j->point[i][c];
            o->e[c][r] = 0;
        }
    }
    for (int axis = 0; axis < 3; axis++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) o->e[axis][r] += k->R.c[c][r] * j->frame[i].c[axis][c];
}

static void arm_rates(const struct side *o, double *velocity, double *bend)
{
    three ws;
    cross(o->w, o->s, ws);
    cross(o->w, ws, bend);
    for (int i = 0; i < 3; i++) velocity[i] = o->v[i] + ws[i];
}

static void pair_of(const struct evaluation *ev, const struct plan_joint *j, struct pair *p)
{
    three va, vb, ba, bb;
    side_of(ev, j, 0, &p->a);
    side_of(ev, j, 1, &p->b);
    arm_rates(&p->a, va, ba);
    arm_rates(&p->b, vb, bb);
    for (int i = 0; i < 3; i++) {
        p->d[i] = p->b.x[i] + p->b.s[i] - p->a.x[i] - p->a.s[i];
        p->dd[i] = vb[i] - va[i];
        p->bend[i] = bb[i] - ba[i];
    }
}

/* A row in the making: Jacobian blocks for both bodies, value, gamma, Phi_t. */
struct row {
    three lin_a, ang_a, lin_b, ang_b;
    double phi, gamma, phi_t;
};

static void dot2(const struct pair *p, const double *n, struct row *r)
{
    three arm, wn, wwn;
    for (int i = 0; i < 3; i++) {
        arm[i] = p->a.s[i] + p->d[i];
        r->lin_b[i] = n[i];
        r->lin_a[i] = -n[i];
    }
    cross(p->b.s, n, r->ang_b);
    cross(n, arm, r->ang_a);
    cross(p->a.w, n, wn);
    cross(p->a.w, wn, wwn);
    r->phi = dot(n, p->d);
    r->gamma = dot(n, p->bend) + 2 * dot(wn, p->dd) + dot(wwn, p->d);
}

static void dot1(const struct pair *p, const double *u, const double *n, struct row *r)
{
    three c, wu, wn, c1, c2, rel, sum;
    cross(u, n, c);
    cross(p->a.w, u, wu);
    cross(p->b.w, n, wn);
    cross(wu, n, c1);
    cross(u, wn, c2);
    for (int i = 0; i < 3; i++) {
        r->lin_a[i] = r->lin_b[i] = 0;
        r->ang_a[i] = c[i];
        r->ang_b[i] = -c[i];
        rel[i] = p->a.w[i] - p->b.w[i];
        sum[i] = c1[i] + c2[i];
    }
    r->phi = dot(u, n);
    r->gamma = dot(rel, sum);
}

static void distance(const struct pair *p, struct jet L, struct row *r)
{
    double l = L.f, dd2 = dot(p->d, p->d);
    three e;
    for (int i = 0; i < 3; i++) {
        e[i] = p->d[i] / l;
        r->lin_b[i] = e[i];
        r->lin_a[i] = -e[i];
    }
    cross(p->b.s, e, r->ang_b);
    cross(e, p->a.s, r->ang_a);
    r->phi = (dd2 - l * l) / (2 * l);
    r->phi_t = -L.d1 * (dd2 / (l * l) + 1) / 2;
    r->gamma = (dot(p->dd, p->dd) + dot(p->d, p->bend)) / l;
    /* the parts with L' and L'': d/dt of Phi_t and of 1/L in front of d.d' */
    double ddd = dot(p->d, p->dd);
    r->gamma += -2 * ddd * L.d1 / (l * l) + dd2 * L.d1 * L.d1 / (l * l * l) -
                L.d2 * (dd2 / (l * l) + 1) / 2;
}

/* Rotation about z of A (or x of B for a universal's second angle). */
static void angle(const struct pair *p, int second, double reference, struct row *r)
{
    const double *u = second ? p->b.e[0] : p->a.e[2];
    const double *w = second ? p->b.w : p->a.w;
    three wu, rel, c;
    cross(w, u, wu);
    for (int i = 0; i < 3; i++) {
        r->lin_a[i] = r->lin_b[i] = 0;
        r->ang_a[i] = -u[i];
        r->ang_b[i] = u[i];
        rel[i] = p->b.w[i] - p->a.w[i];
    }
    double s, k;
    if (second) {
        cross(p->a.e[2], p->b.e[2], c);
        s = dot(u, c), k = dot(p->a.e[2], p->b.e[2]);
    } else {
        s = dot(p->a.e[1], p->b.e[0]), k = dot(p->a.e[0], p->b.e[0]);
    }
    double raw = atan2(s, k);
    r->phi = raw + 2 * M_PI * floor((reference - raw) / (2 * M_PI) + 0.5);
    r->gamma = dot(wu, rel);
}

static void zero_row(struct row *r) { *r = (struct row){{0}, {0}, {0}, {0}, 0, 0, 0}; }

/* Coordinate `which` of a joint as a row. */
static void coordinate(const struct evaluation *ev, int index, struct row *r)
{
    const struct model_coordinate *c = &model_coordinates(ev->m)[index];
    const struct plan_joint *j = &ev->p->joint[c->joint];
    struct pair p;
    double predicted = ev->ws->angle[index] + ev->ahead * ev->ws->rate[index] - c->offset;
    if (c->reversed) predicted = -predicted;
    pair_of(ev, j, &p);
    zero_row(r);
    switch (j->type->coordinates) {
    case COORDINATES_DISTANCE:
        distance(&p, (struct jet){sqrt(dot(p.d, p.d)), 0, 0}, r);
        r->phi = sqrt(dot(p.d, p.d));
        r->gamma -= pow(dot(p.d, p.dd), 2) / pow(r->phi, 3);
        break;
    case COORDINATES_X_Y_ANGLE:
        if (c->which < 2)
            dot2(&p, p.a.e[c->which], r);
        else
            angle(&p, 0, predicted, r);
        break;
    case COORDINATES_Z:
        dot2(&p, p.a.e[2], r);
        break;
    case COORDINATES_Z_ANGLE:
        if (c->which == 0)
            dot2(&p, p.a.e[2], r);
        else
            angle(&p, 0, predicted, r);
        break;
    default:
        angle(&p, j->type->coordinates == COORDINATES_CROSS && c->which == 1, predicted, r);
    }
    if (c->reversed) {
        r->phi = -r->phi;
        r->gamma = -r->gamma;
        for (int i = 0; i < 3; i++) {
            r->lin_a[i] = -r->lin_a[i], r->lin_b[i] = -r->lin_b[i];
            r->ang_a[i] = -r->ang_a[i], r->ang_b[i] = -r->ang_b[i];
        }
    }
    r->phi += c->offset;
}

/* ---- into the matrix ---- */

static void add_row(const struct evaluation *ev, struct dense *d, int row, const struct row *r,
                    const struct plan_joint *j, double k)
{
    double *g = d->G + (size_t)row * (size_t)d->n;
    for (int side = 0; side < 2; side++) {
        int slot = j->kin[side];
        if (slot >= ev->p->n) continue;
        const double *lin = side ? r->lin_b : r->lin_a, *ang = side ? r->ang_b : r->ang_a;
        for (int i = 0; i < 3; i++) {
            g[6 * slot + i] += k * lin[i];
            g[6 * slot + 3 + i] += k * ang[i];
        }
    }
}

/* G times the rates in kin; acceleration level takes dv, dw. */
static double times_motion(const struct evaluation *ev, const struct dense *d, int row, int second)
{
    const double *g = d->G + (size_t)row * (size_t)d->n;
    double s = 0;
    for (int k = 0; k < ev->p->n; k++) {
        const struct kin *b = &ev->ws->kin[k];
        for (int i = 0; i < 3; i++)
            s += g[6 * k + i] * (second ? b->dv[i] : b->v[i]) +
                 g[6 * k + 3 + i] * (second ? b->dw[i] : b->w[i]);
    }
    return s;
}

static double level_value(const struct evaluation *ev, const struct dense *d, int row, double phi,
                          double phi_t, double gamma, enum evaluate_level level)
{
    if (level == LEVEL_POSITION) return phi;
    if (level == LEVEL_VELOCITY) return times_motion(ev, d, row, 0) + phi_t;
    return times_motion(ev, d, row, 1) + gamma;
}

static void clear_row(struct dense *d, int row)
{
    for (int i = 0; i < d->n; i++) d->G[(size_t)row * (size_t)d->n + (size_t)i] = 0;
}

static void put(const struct evaluation *ev, struct dense *d, int row, const struct row *r,
                const struct plan_joint *j, enum evaluate_level level)
{
    clear_row(d, row);
    add_row(ev, d, row, r, j, 1);
    d->value[row] = level_value(ev, d, row, r->phi, r->phi_t, r->gamma, level);
}

static void drive(const struct evaluation *ev, struct dense *d, int row, int index,
                  enum evaluate_level level)
{
    const struct model_coordinate *c = &model_coordinates(ev->m)[index];
    struct jet f = function_eval(ev->m, model_motions(ev->m)[c->motion].function, ev->t,
                                 ev->ws->pool, ev->ws->param);
    struct row r;
    coordinate(ev, index, &r);
    r.phi -= f.f;
    r.phi_t = -f.d1;
    r.gamma -= f.d2;
    put(ev, d, row, &r, &ev->p->joint[c->joint], level);
}

static int plain_rows(const struct evaluation *ev, struct dense *d, int row,
                      const struct plan_joint *j, enum evaluate_level level)
{
    const struct joint_type *t = j->type;
    struct pair p;
    struct row r;
    pair_of(ev, j, &p);
    for (int k = 0; k < 3; k++) {
        if (!(t->hold >> k & 1)) continue;
        zero_row(&r);
        dot2(&p, p.a.e[k], &r);
        put(ev, d, row++, &r, j, level);
    }
    static const int U[3] = {2, 2, 0}, N[3] = {1, 0, 1};
    int n = t->rotation == ROTATION_ALIGN ? 2 : t->rotation == ROTATION_ALL ? 3 : 0;
    for (int k = 0; k < n; k++) {
        zero_row(&r);
        dot1(&p, p.a.e[U[k]], p.b.e[N[k]], &r);
        put(ev, d, row++, &r, j, level);
    }
    if (t->rotation == ROTATION_CROSS) {
        zero_row(&r);
        dot1(&p, p.a.e[2], p.b.e[0], &r);
        put(ev, d, row++, &r, j, level);
    }
    return row;
}

static int screw_row(const struct evaluation *ev, struct dense *d, int row, int joint,
                     enum evaluate_level level)
{
    const struct plan_joint *j = &ev->p->joint[joint];
    int at = model_joints(ev->m)[joint].coordinate_at;
    struct row z, th;
    coordinate(ev, at, &z);
    coordinate(ev, at + 1, &th);
    clear_row(d, row);
    add_row(ev, d, row, &z, j, 1);
    const struct model_coordinate *turn = &model_coordinates(ev->m)[at + 1];
    double lead = j->lead * model_coordinate_sign(turn);
    add_row(ev, d, row, &th, j, -lead);
    double shown = model_coordinates(ev->m)[at].offset - lead * turn->offset;
    d->value[row] = level_value(ev, d, row, z.phi - lead * th.phi - shown, 0,
                                z.gamma - lead * th.gamma, level);
    return row + 1;
}

static int sum_row(const struct evaluation *ev, struct dense *d, int row, const struct plan_sum *s,
                   enum evaluate_level level)
{
    struct jet f = function_eval(ev->m, model_joints(ev->m)[s->joint].function, ev->t, ev->ws->pool,
                                 ev->ws->param);
    double phi = -f.f, gamma = -f.d2;
    clear_row(d, row);
    for (int i = 0; i < s->n_terms; i++) {
        const struct model_term *t = &model_terms(ev->m)[s->term_at + i];
        struct row r;
        coordinate(ev, t->coordinate, &r);
        add_row(ev, d, row, &r, &ev->p->joint[model_coordinates(ev->m)[t->coordinate].joint],
                t->factor * s->scale);
        phi += t->factor * r.phi;
        gamma += t->factor * r.gamma;
    }
    d->value[row] = level_value(ev, d, row, phi * s->scale, -f.d1 * s->scale, gamma * s->scale,
                                level);
    return row + 1;
}

static struct jet length_of(const struct evaluation *ev, const struct plan_joint *j)
{
    if (j->function == PLAN_NONE) return (struct jet){j->length, 0, 0};
    return function_eval(ev->m, j->function, ev->t, ev->ws->pool, ev->ws->param);
}

void dense_rows_eval(const struct evaluation *ev, struct dense *d, enum evaluate_level level)
{
    int row = 0;
    for (int joint = 0; joint < ev->p->n_joints; joint++) {
        const struct plan_joint *j = evaluate_joint(ev, joint);
        const struct model_joint *mj = &model_joints(ev->m)[joint];
        if (j->type->special == JOINT_SUM) {
            row = sum_row(ev, d, row, &ev->p->sum[ev->p->joint_sum[joint]], level);
            continue;
        }
        if (ev->p->joint_slot[joint] == PLAN_NONE && ev->p->joint_cut[joint] == PLAN_NONE) continue;
        if (j->type->special == JOINT_DISTANCE) {
            struct pair p;
            struct row r;
            pair_of(ev, j, &p);
            zero_row(&r);
            distance(&p, length_of(ev, j), &r);
            put(ev, d, row++, &r, j, level);
        } else {
            row = plain_rows(ev, d, row, j, level);
        }
        if (j->type->special == JOINT_SCREW) row = screw_row(ev, d, row, joint, level);
        for (int i = 0; i < mj->n_coordinates; i++)
            if (model_coordinates(ev->m)[mj->coordinate_at + i].motion >= 0)
                drive(ev, d, row++, mj->coordinate_at + i, level);
    }
}
