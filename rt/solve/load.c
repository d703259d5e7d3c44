#include "rt/solve/load.h"

#include <math.h>

#include "rt/mech/joint.h"

#include "rt/rtsafe.h"

double load_expected(const struct evaluation *ev, int at)
{
    const struct load *l = &ev->ws->load[at];
    if (!(ev->b1 > 0) || !(ev->ws->h_last > 0)) return l->now;
    double ahead = l->now + l->trend * ev->h / ev->ws->h_last;
    return fmax(0, fmin(2 * l->now, ahead));
}

/* 1 if a motion drives the coordinate `which` of a tree joint. */
static int is_driven(const struct evaluation *ev, int slot, int which)
{
    const struct plan_link *l = &ev->p->link[slot];
    for (int i = 0; i < l->n_driven; i++)
        if (model_coordinates(ev->m)[l->driven_coordinate[i]].which == which) return 1;
    return 0;
}

/* Force on the second body by what holds the joint, motions of a cut joint left out. */
static vec3 held_force(const struct evaluation *ev, int joint, const double *lambda,
                       const double *kappa)
{
    const struct plan *p = ev->p;
    const struct workspace *ws = ev->ws;
    if (p->joint_cut[joint] == PLAN_NONE)
        return evaluate_joint_wrench(ev, joint, ws->wrench, lambda, kappa).l;
    const struct plan_cut *c = &p->cut[p->joint_cut[joint]];
    vec3 F = vec_zero();
    for (int r = c->row_at; r < c->row_at + c->n_rows - c->n_motions; r++)
        F -= ws->w[r].l * vec_splat(lambda[r] + kappa[r]);
    return F;
}

/* Directions of the joint frame along which its force is load: those its type holds; of a
 * screw the axis too, unless a motion pushes along it. */
static unsigned held_directions(const struct evaluation *ev, int joint)
{
    const struct plan_joint *j = &ev->p->joint[joint];
    int slot = ev->p->joint_slot[joint];
    if (j->type->special == JOINT_DISTANCE) return 7;
    if (j->type->special != JOINT_SCREW) return j->type->hold;
    return slot != PLAN_NONE && is_driven(ev, slot, 0) ? j->type->hold : 7;
}

static double joint_load(const struct evaluation *ev, int joint, const double *lambda,
                         const double *kappa)
{
    const struct plan_joint *j = evaluate_joint(ev, joint);
    vec3 F = mat3_tmul(&ev->ws->kin[j->kin[0]].R, held_force(ev, joint, lambda, kappa));
    unsigned held = held_directions(ev, joint);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = vec_dot(F, j->frame[0].c[i]);
        if (held >> i & 1) sum += part * part;
    }
    return sqrt(sum);
}

void load_note(const struct evaluation *ev, const double *lambda, const double *kappa)
{
    const struct plan *p = ev->p;
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        if (f->load_at == PLAN_NONE) continue;
        struct load *l = &ev->ws->load[f->load_at];
        double now = joint_load(ev, model_forces(ev->m)[f->force].joint, lambda, kappa);
        double change = now - l->now;
        l->trend = change * l->change > 0 ? change : 0;
        l->change = change;
        l->now = now;
    }
}

void load_begin(const struct evaluation *ev, const double *lambda, const double *kappa)
{
    load_note(ev, lambda, kappa);
    for (int i = 0; i < ev->p->n_loads; i++) {
        struct load *l = &ev->ws->load[i];
        l->change = l->trend = 0;
    }
}
