/* Which links are bodies, and what they weigh.
 *
 * Links joined by fixed joints make a rigid group. A link with mass is a body; one without
 * belongs to the body it is fixed to. A group without any mass that hangs on a joint which
 * moves gets a small one, since every freedom needs inertia: a millionth of the robot where
 * it carries others (it then does not matter), else a thousandth. */
#include <stdlib.h>
#include <string.h>

#include "services/load/model/inertia.h"
#include "services/load/urdf/urdf_parts.h"

static const double ROUNDED = 1e-4; /* violations up to this are taken as rounded digits */
static const double WATER = 1000; /* kg/m3 */
static const double CARRIER = 1e-6, LEAF = 1e-3; /* of the robot's mass, for links without */

struct weigh {
    struct urdf *u;
    double density; /* kg/m3 of shapes without mass */
    int *head;      /* of a link: the first link of its rigid group */
    int *base;      /* of a head: the first link of its group with mass, or -1 */
    double *below;  /* of a head: mass of its group and all it carries */
};

/* ---- inertia --------------------------------------------------------------------- */

static void set_ball(struct urdf_link *l)
{
    double moment = urdf_mass_ball(l->mass);
    const double ball[9] = {moment, 0, 0, 0, moment, 0, 0, 0, moment};
    memcpy(l->inertia, ball, sizeof ball);
}

/* The nearest tensor some body has: no negative moment, then a third of what is missing in
 * the triangle inequality from each moment. */
static void mend_moments(double moment[3])
{
    int big = 0;
    for (int i = 0; i < 3; i++) moment[i] = fmax(0, moment[i]);
    for (int i = 1; i < 3; i++) big = moment[i] > moment[big] ? i : big;
    double rest = moment[(big + 1) % 3] + moment[(big + 2) % 3], third = (moment[big] - rest) / 3;
    if (third <= 0) return;
    for (int i = 0; i < 3; i++) moment[i] += i == big ? -third : third;
}

static void rebuild(const double moment[3], const double axes[9], double inertia[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                inertia[3 * i + j] += axes[3 * i + k] * moment[k] * axes[3 * j + k];
        }
}

/* Largest change of a principal moment, relative to the largest moment. */
static double change(const double a[3], const double b[3])
{
    double worst = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return worst / size;
}

static void mend_inertia(struct urdf *u, struct urdf_link *l)
{
    double old[3], new[3], axes[9];
    inertia_axes(l->inertia, old, axes);
    memcpy(new, old, sizeof new);
    mend_moments(new);
    if (new[0] + new[1] + new[2] <= 0) {
        set_ball(l);
        urdf_mended(u, URDF_MEND_ZERO_INERTIA, l->inertia_place,
                    "link '%s': it has a mass but no inertia; it gets that of a ball as dense as "
                    "water, %.3g kg.m2",
                    l->name, l->inertia[0]);
        return;
    }
    double by = change(old, new);
    if (by <= 1e-12) return;
    rebuild(new, axes, l->inertia);
    if (by > ROUNDED)
        urdf_mended(u, URDF_MEND_INERTIA, l->inertia_place,
                    "link '%s': no body has this inertia (moments %.4g, %.4g, %.4g; none may be "
                    "negative or exceed the sum of the others); the nearest is taken: %.4g, %.4g, "
                    "%.4g",
                    l->name, old[0], old[1], old[2], new[0], new[1], new[2]);
}

/* Mass, mass centre and inertia along the link's own axes. */
static void weigh_link(struct urdf *u, struct urdf_link *l, double density)
{
    if (l->has_inertial && l->mass == 0) l->has_inertial = 0;
    if (!l->has_inertial && density > 0 && l->shape.m > 0) {
        l->mass = density * l->shape.m;
        urdf_mass_centre(&l->shape, &l->inertial.x, l->inertia);
        for (int i = 0; i < 9; i++) l->inertia[i] *= density;
        l->inertial.q = (quat){1, 0, 0, 0};
        l->has_inertial = 1;
        return;
    }
    if (!l->has_inertial) return;
    double turned[9];
    urdf_mass_turn(l->inertial.q, l->inertia, turned);
    memcpy(l->inertia, turned, sizeof turned);
    mend_inertia(u, l);
}

/* ---- groups ---------------------------------------------------------------------- */

static void find_groups(struct weigh *w)
{
    struct urdf *u = w->u;
    for (int i = 0; i < u->n_links; i++) {
        int at = u->order[i];
        const struct urdf_link *l = &u->link[at];
        const struct urdf_joint *j = l->joint >= 0 ? &u->joint[l->joint] : NULL;
        int head = j && j->kind == URDF_FIXED ? w->head[j->parent] : at;
        w->head[at] = head;
        if (head == at) w->base[at] = -1;
        if (l->has_inertial && w->base[head] < 0) w->base[head] = at;
        w->below[head] += l->has_inertial ? l->mass : 0;
    }
    for (int i = u->n_links - 1; i > 0; i--) {
        int at = u->order[i];
        int joint = u->link[at].joint;
        if (w->head[at] == at && joint >= 0)
            w->below[w->head[u->joint[joint].parent]] += w->below[at];
    }
}

static void give_mass(struct weigh *w, int head, double total)
{
    struct urdf_link *l = &w->u->link[head];
    int carries = w->below[head] > 0;
    l->mass = total > 0 ? (carries ? CARRIER : LEAF) * total : 1;
    l->has_inertial = 1;
    l->inertial = (struct urdf_frame){vec_zero(), {1, 0, 0, 0}};
    set_ball(l);
    w->base[head] = head;
    urdf_mended(w->u, URDF_MEND_NO_MASS, l->place,
                "link '%s': it moves but has no <inertial>; it gets %.3g kg%s%s", l->name, l->mass,
                total > 0 ? carries ? ", a millionth of the robot" : ", a thousandth of the robot"
                          : "",
                carries || !(l->shape.m > 0) ? "" : " (--density gives a mass to its shapes)");
}

static int is_fixed_in_space(const struct weigh *w, int head)
{
    return head == w->u->root && !w->u->options->floating;
}

static void find_body(struct weigh *w, int at)
{
    struct urdf *u = w->u;
    struct urdf_link *l = &u->link[at];
    int head = w->head[at], parent = l->joint >= 0 ? u->joint[l->joint].parent : -1;
    if (l->has_inertial)
        l->body = at;
    else if (at != head)
        l->body = u->link[parent].body;
    else
        l->body = is_fixed_in_space(w, head) ? -1 : w->base[head];
}

/* What is fixed to a root without mass is ground. */
static void merge_into_ground(struct weigh *w)
{
    struct urdf *u = w->u;
    for (int i = 0; i < u->n_links; i++)
        if (w->head[i] == u->root) u->link[i].body = -1;
}

/* All masses of a group in the body of its base. */
static void merge_group(struct weigh *w, int head)
{
    struct urdf *u = w->u;
    int base = w->base[head];
    struct urdf_link *b = &u->link[base];
    struct urdf_mass sum = {0};
    struct urdf_frame to_base = {vec_zero(),
                                 {b->pose.q[0], -b->pose.q[1], -b->pose.q[2], -b->pose.q[3]}};
    to_base = urdf_compose(to_base, (struct urdf_frame){-b->pose.x, {1, 0, 0, 0}});
    int n = 0;
    for (int i = 0; i < u->n_links; i++) {
        struct urdf_link *l = &u->link[i];
        if (w->head[i] != head) continue;
        l->body = base;
        if (!l->has_inertial) continue;
        struct urdf_frame at = urdf_compose(to_base, l->pose);
        struct urdf_frame centre = urdf_compose(at,
                                                (struct urdf_frame){l->inertial.x, {1, 0, 0, 0}});
        urdf_mass_add(&sum, l->mass, centre, l->inertia);
        n++;
    }
    if (n < 2) return;
    b->mass = sum.m;
    urdf_mass_centre(&sum, &b->inertial.x, b->inertia);
}

static void assign_bodies(struct weigh *w)
{
    struct urdf *u = w->u;
    double total = w->below[u->root];
    for (int i = 0; i < u->n_links; i++) {
        int at = u->order[i];
        if (w->head[at] == at && w->base[at] < 0 && !is_fixed_in_space(w, at))
            give_mass(w, at, total);
        find_body(w, at);
    }
    for (int i = 0; u->options->merge && i < u->n_links; i++) {
        if (w->head[i] != i || w->base[i] < 0) continue;
        if (is_fixed_in_space(w, i) && w->base[i] != i)
            merge_into_ground(w);
        else
            merge_group(w, i);
    }
}

static void note_root(const struct weigh *w)
{
    struct urdf *u = w->u;
    const struct urdf_link *root = &u->link[u->root];
    if (u->options->floating)
        urdf_note(u, root->place,
                  "link '%s' moves freely; it falls unless something holds it (add a joint or "
                  "contacts to the model)",
                  root->name);
    else if (root->has_inertial)
        urdf_note(u, root->place,
                  "link '%s' is fixed in space, its mass has no effect (--floating lets it move)",
                  root->name);
}

/* A robot that was drawn only is weighed by its shapes. */
static double choose_density(struct urdf *u)
{
    double density = u->options->density;
    for (int i = 0; i < u->n_links; i++)
        if (u->link[i].mass > 0) return density;
    if (density > 0) return density;
    urdf_mended(u, URDF_MEND_NO_MASS, (struct place){u->file, 0, 0},
                "no link has a mass; boxes, cylinders and spheres are weighed at %g kg/m3 "
                "(--density gives another)",
                WATER);
    return WATER;
}

void urdf_weigh(struct urdf *u)
{
    struct weigh w = {.u = u};
    size_t n = (size_t)u->n_links;
    w.head = memory_take(u->memory, n, sizeof *w.head);
    w.base = memory_take(u->memory, n, sizeof *w.base);
    w.below = memory_take(u->memory, n, sizeof *w.below);
    if (!w.head || !w.base || !w.below) return;
    w.density = choose_density(u);
    for (int i = 0; i < u->n_links; i++) weigh_link(u, &u->link[i], w.density);
    find_groups(&w);
    note_root(&w);
    assign_bodies(&w);
    int bodies = 0;
    for (int i = 0; i < u->n_links; i++) bodies += u->link[i].body == i;
    if (bodies == 0)
        urdf_error(u, u->link[u->root].place,
                   "no link has a mass or moves; there is nothing to simulate");
}
