/* Problem: what a joint feels when it is pushed. Composite inertia H_ii: all joints beyond it
 * locked, what lies before it held. Effective inertia 1/(H^-1)_ii: everything free to give way.
 * Symbols: H joint-space inertia, S screw (velocity of the world origin, angular velocity) of a
 * freedom, l parent freedom, I_c composite inertia of what a freedom carries, L D of H = L' D L.
 * Method: composite rigid bodies; factors along the tree (Featherstone, Rigid Body Dynamics
 * Algorithms, 2008, sections 6.2, 6.5): (H^-1)_ii = sum y_k²/D_k with L' y = e_i, y on the path
 * to the root alone. Gears are left out: they only add inertia.
 * Cost: n d² for n freedoms at depth d. Breaks when: a freedom has no inertia (kept positive). */
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

static const double STEP = 1e-3;     /* the end stops are made for, s */
static const double STOP_STEPS = 12; /* a hit on an end stop, pi sqrt(m/k), lasts so long */
static const double SOFT = 0.1;      /* of its range, how far its effort may push a joint beyond */

struct freedom {
    int parent; /* freedom before it, or -1 */
    int link;   /* that it moves */
    vec3 v, w;  /* S */
};

struct chain {
    struct urdf *u;
    struct freedom *f;
    int n;
    int *last;               /* of a link: freedom that moves it last, or -1 */
    struct urdf_mass *carry; /* of a link: it and all beyond, about the world origin */
    double *H;               /* n x n, lower triangle */
};

static void add_freedom(struct chain *c, int link, int turns, vec3 axis, vec3 at)
{
    struct freedom *f = &c->f[c->n];
    f->parent = c->last[link];
    f->link = link;
    f->w = turns ? axis : vec_zero();
    f->v = turns ? vec_cross(at, axis) : axis;
    c->last[link] = c->n++;
}

static void add_free(struct chain *c, int link, vec3 at)
{
    for (int k = 0; k < 6; k++)
        add_freedom(c, link, k > 2, vec_make(k % 3 == 0, k % 3 == 1, k % 3 == 2), at);
}

static void add_planar(struct chain *c, int link, const struct urdf_joint *j)
{
    vec3 x = vec_perp(j->axis_w);
    add_freedom(c, link, 0, x, j->at);
    add_freedom(c, link, 0, vec_cross(j->axis_w, x), j->at);
    add_freedom(c, link, 1, j->axis_w, j->at);
}

static void find_freedoms(struct chain *c)
{
    struct urdf *u = c->u;
    for (int i = 0; i < u->n_links; i++) {
        int at = u->order[i];
        const struct urdf_joint *j = u->link[at].joint >= 0 ? &u->joint[u->link[at].joint] : NULL;
        c->last[at] = j ? c->last[j->parent] : -1;
        if (!j && u->options->floating) add_free(c, at, u->link[at].pose.x);
        if (j && j->kind == URDF_FLOATING) add_free(c, at, j->at);
        if (j && j->kind == URDF_PLANAR) add_planar(c, at, j);
        if (j && urdf_is_single(j)) add_freedom(c, at, urdf_is_angle(j), j->axis_w, j->at);
    }
}

static void add_masses(struct urdf_mass *to, const struct urdf_mass *m)
{
    to->m += m->m;
    for (int i = 0; i < 3; i++) to->mx[i] += m->mx[i];
    for (int i = 0; i < 9; i++) to->inertia[i] += m->inertia[i];
}

static void sum_masses(struct chain *c)
{
    struct urdf *u = c->u;
    for (int i = u->n_links - 1; i >= 0; i--) {
        int at = u->order[i];
        const struct urdf_link *l = &u->link[at];
        struct urdf_frame centre = urdf_compose(l->pose,
                                                (struct urdf_frame){l->inertial.x, {1, 0, 0, 0}});
        if (l->body == at) urdf_mass_add(&c->carry[at], l->mass, centre, l->inertia);
        if (l->joint >= 0) add_masses(&c->carry[u->joint[l->joint].parent], &c->carry[at]);
    }
}

/* H row by row: F = I_c S_i, then S_j . F along the path to the root. */
static void fill_row(struct chain *c, int i)
{
    const struct freedom *f = &c->f[i];
    const struct urdf_mass *m = &c->carry[f->link];
    struct mat3 J = mat3_load(m->inertia);
    vec3 mx = vec_load(m->mx);
    vec3 force = vec_splat(m->m) * f->v + vec_cross(f->w, mx);
    vec3 torque = mat3_mul(&J, f->w) + vec_cross(mx, f->v);
    double *row = c->H + (size_t)i * (size_t)c->n;
    for (int j = i; j >= 0; j = c->f[j].parent)
        row[j] = vec_dot(c->f[j].v, force) + vec_dot(c->f[j].w, torque);
}

static double *entry(struct chain *c, int i, int j) { return c->H + (size_t)i * (size_t)c->n + j; }

/* H = L' D L in place: D on the diagonal, L below it. */
static void factor(struct chain *c)
{
    for (int k = c->n - 1; k >= 0; k--) {
        double *d = entry(c, k, k);
        if (!(*d > 1e-30)) *d = 1e-30;
        for (int i = c->f[k].parent; i >= 0; i = c->f[i].parent) {
            double a = *entry(c, k, i) / *d;
            for (int j = i; j >= 0; j = c->f[j].parent) *entry(c, i, j) -= a * *entry(c, k, j);
            *entry(c, k, i) = a;
        }
    }
}

static double effective(struct chain *c, int i, double *y)
{
    double sum = 0;
    for (int k = i; k >= 0; k = c->f[k].parent) y[k] = k == i;
    for (int k = i; k >= 0; k = c->f[k].parent) {
        for (int j = c->f[k].parent; j >= 0; j = c->f[j].parent) y[j] -= *entry(c, k, j) * y[k];
        sum += y[k] * y[k] / *entry(c, k, k);
    }
    return 1 / sum;
}

static void read_joints(struct chain *c, double *y, const double *diagonal)
{
    struct urdf *u = c->u;
    for (int i = 0; i < c->n; i++) {
        int at = u->link[c->f[i].link].joint;
        if (at < 0 || !urdf_is_single(&u->joint[at])) continue;
        u->joint[at].composite = fmax(1e-12, diagonal[i]);
        u->joint[at].effective = fmax(1e-12, effective(c, i, y));
    }
}

double urdf_inertia_stop(const struct urdf_joint *j)
{
    double w = M_PI / (STOP_STEPS * STEP);
    return j->effective * w * w;
}

static void note_soft_stops(struct urdf *u)
{
    int n = 0;
    const struct urdf_joint *first = NULL;
    for (int i = 0; i < u->n_joints; i++) {
        const struct urdf_joint *j = &u->joint[i];
        if (!urdf_has_stop(j)) continue;
        if (j->effort / urdf_inertia_stop(j) < SOFT * (j->upper - j->lower)) continue;
        if (n++ == 0) first = j;
    }
    if (n)
        urdf_note(u, first->limit_place,
                  "joint '%s'%s: so little inertia makes its end stops soft; its full effort goes "
                  "%.2g %s beyond them (motors' inertia is missing in URDF: add it to the link)",
                  first->name, n > 1 ? " and others" : "", first->effort / urdf_inertia_stop(first),
                  urdf_is_angle(first) ? "rad" : "m");
}

enum status urdf_inertia(struct urdf *u)
{
    struct chain c = {.u = u};
    size_t n = (size_t)u->n_links, most = 6 * n + 6;
    c.f = memory_take(u->memory, most, sizeof *c.f);
    c.last = memory_take(u->memory, n, sizeof *c.last);
    c.carry = memory_take(u->memory, n, sizeof *c.carry);
    if (!c.f || !c.last || !c.carry) return STATUS_NO_MEMORY;
    find_freedoms(&c);
    sum_masses(&c);
    c.H = memory_take(u->memory, (size_t)c.n * (size_t)c.n, sizeof *c.H);
    double *y = memory_take(u->memory, 2 * (size_t)c.n + 1, sizeof *y), *diagonal = y + c.n;
    if (!c.H || !y) return STATUS_NO_MEMORY;
    for (int i = 0; i < c.n; i++) {
        fill_row(&c, i);
        diagonal[i] = *entry(&c, i, i);
    }
    factor(&c);
    read_joints(&c, y, diagonal);
    note_soft_stops(u);
    return STATUS_OK;
}
