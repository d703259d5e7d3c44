#include "services/sim/strain.h"

#include <math.h>
#include <string.h>

#include "rt/mech/force_types.h"

static const double BUSHING_MOST = 3; /* rad */

/* The numbers of a field of the element. */
static const double *numbers_of(const struct workspace *ws, const struct model_force *e,
                                const char *key)
{
    const struct force_type *t = FORCE_TYPE[e->type];
    const double *at = ws->pool + e->pool_at;
    for (int i = 0; i < t->n_fields && strcmp(t->field[i].key, key) != 0; i++)
        at += field_pool_count(t->field[i].kind);
    return at;
}

/* Does a 6 x 6 of x y z and turns act on turns? */
static int acts_on_turns(const double *k)
{
    for (int i = 0; i < 36; i++)
        if ((i / 6 >= 3 || i % 6 >= 3) && k[i] != 0) return 1;
    return 0;
}

/* Angle between two frames, 0 ... pi. */
static double angle_between(const struct mat3 *a, const struct mat3 *b)
{
    double trace = 0;
    for (int j = 0; j < 3; j++) trace += vec_dot(a->c[j], b->c[j]);
    return acos(fmin(1, fmax(-1, 0.5 * (trace - 1))));
}

static struct mat3 frame_of(const struct kin *k, const double *axes)
{
    struct mat3 local = mat3_load(axes), f;
    for (int j = 0; j < 3; j++) f.c[j] = mat3_mul(&k->R, local.c[j]);
    return f;
}

static void note_bushing(struct strain *s, const struct model *m, const struct plan_force *f,
                         const struct workspace *ws)
{
    const struct model_force *e = &model_forces(m)[f->force];
    if (FORCE_TYPE[e->type] != &FORCE_BUSHING) return;
    if (!acts_on_turns(numbers_of(ws, e, "stiffness")) &&
        !acts_on_turns(numbers_of(ws, e, "damping")))
        return;
    struct mat3 a = frame_of(&ws->kin[f->kin[0]], numbers_of(ws, e, "axes"));
    struct mat3 b = frame_of(&ws->kin[f->kin[1]], numbers_of(ws, e, "axes-b"));
    double angle = angle_between(&a, &b);
    if (angle <= s->bushing) return;
    s->bushing = angle, s->bushing_at = f->force;
}

void strain_note(struct strain *s, const struct model *m, const struct plan *p,
                 const struct workspace *ws)
{
    for (int i = 0; i < p->n_forces; i++) note_bushing(s, m, &p->force[i], ws);
}

void strain_say(const struct strain *s, const struct model *m, FILE *to)
{
    const struct model_force *e = &model_forces(m)[s->bushing_at];
    if (!(s->bushing > BUSHING_MOST)) return;
    fprintf(
        to,
        "%s:%u:%u: warning: bushing %s was turned by %.3g rad; it holds to 3 rad, beyond pi its "
        "torque changes sign; a joint-spring follows every turn\n",
        model_text(m, e->origin.file), e->origin.line, e->origin.column, model_text(m, e->name),
        s->bushing);
}
