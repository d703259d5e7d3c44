/* Theory: accelerate.h. The solve is repeated twice with multipliers kept, which
 * takes the 1/alpha' of the condensed rows out of the result. */
#include "rt/solve/accelerate.h"

#include "rt/solve/eliminate.h"
#include "rt/solve/links.h"

#include "rt/rtsafe.h"

double accelerate_factor(const struct evaluation *ev)
{
    evaluate_functions(ev);
    evaluate_inertia(ev);
    links_free(ev, ev->ws->S);
    evaluate_coordinates(ev, ev->p->n_active);
    evaluate_forces(ev);
    evaluate_weights(ev);
    evaluate_rows(ev);
    evaluate_assemble(ev);
    return eliminate_factor(ev->p, ev->ws);
}

static void forget_accelerations(struct workspace *ws, int n)
{
    for (int k = 0; k < n; k++) ws->kin[k].dv = ws->kin[k].dw = vec_zero();
}

double accelerate_solve(const struct evaluation *ev0, struct six *a)
{
    struct evaluation e = evaluation_mass_only(ev0), *ev = &e;
    struct workspace *ws = ev->ws;
    evaluate_accepted(ev);
    forget_accelerations(ws, ev->p->n);
    double pivot = accelerate_factor(ev);
    for (int r = 0; r < ev->p->n_rows; r++) ws->lambda_k[r] = 0;
    for (int pass = 0; pass < 3; pass++) {
        if (pass > 0) {
            /* K is factored in place: keep it by refreshing only the loads */
            for (int k = 0; k < ev->p->n; k++) {
                ws->r_o[k] = six_add(ws->r_o[k], evaluate_mass_times(ws, ev->p, k, ws->d[k]));
            }
        }
        evaluate_row_values(ev, LEVEL_ACCELERATION);
        links_acceleration(ev, ws->S, 1);
        evaluate_loads(ev, 1);
        eliminate_solve(ev->p, ws, ws->S);
        evaluate_multipliers(ev, ws->kappa_k);
        for (int r = 0; r < ev->p->n_rows; r++)
            if (!ev->p->row[r].redundant) ws->lambda_k[r] += ws->kappa_k[r];
        evaluate_apply_solution(ev, LEVEL_ACCELERATION);
    }
    for (int k = 0; k < ev->p->n; k++) a[k] = (struct six){ws->kin[k].dv, ws->kin[k].dw};
    return pivot;
}

double accelerate_jump(const struct evaluation *ev0)
{
    struct evaluation e = evaluation_mass_only(ev0), *ev = &e;
    struct workspace *ws = ev->ws;
    evaluate_accepted(ev);
    double pivot = accelerate_factor(ev);
    for (int pass = 0; pass < 3; pass++) {
        evaluate_coordinates(ev, ev->p->n_active);
        evaluate_row_values(ev, LEVEL_VELOCITY);
        links_velocity(ev, ws->S, 0);
        evaluate_loads(ev, 0);
        eliminate_solve(ev->p, ws, ws->S);
        evaluate_apply_solution(ev, LEVEL_VELOCITY);
    }
    for (int k = 0; k < ev->p->n; k++) ws->v[k] = (struct six){ws->kin[k].v, ws->kin[k].w};
    return pivot;
}

/* w[slot] += or -= a wrench given about the point of `segment`. */
static void add_about(const struct evaluation *ev, struct six *w, const int *slot, int segment,
                      struct six load)
{
    for (int i = 0; i < 2; i++) {
        if (slot[i] == PLAN_NONE) continue;
        int seg = ev->p->body[slot[i]].segment;
        struct six l = evaluate_shift_wrench(load, ev->ws->o[segment] - ev->ws->o[seg]);
        w[slot[i]] = i ? six_add(w[slot[i]], l) : six_sub(w[slot[i]], l);
    }
}

static struct six twist(const struct evaluation *ev, int slot, int segment)
{
    if (slot == PLAN_NONE) return six_zero();
    int seg = ev->p->body[slot].segment;
    return evaluate_shift_twist(ev->ws->d[slot], ev->ws->o[segment] - ev->ws->o[seg]);
}

void accelerate_wrenches(const struct evaluation *ev)
{
    const struct plan *p = ev->p;
    struct workspace *ws = ev->ws;
    struct six *w = ws->wrench;
    for (int k = 0; k < p->n; k++)
        w[k] = six_add(ws->r_o[k], evaluate_mass_times(ws, p, k, ws->d[k]));
    for (int i = 0; i < p->n_forces; i++) {
        const struct plan_force *f = &p->force[i];
        struct six rel = six_sub(twist(ev, f->slot[1], f->segment),
                                 twist(ev, f->slot[0], f->segment));
        add_about(ev, w, f->slot, f->segment, mat6_mul(&ws->out[i].P, rel));
    }
    for (int i = 0; i < p->n_cuts; i++) {
        const struct plan_cut *c = &p->cut[i];
        struct six load = six_zero();
        for (int r = c->row_at; r < c->row_at + c->n_rows; r++)
            load = six_axpy(ws->lambda_k[r] + ws->kappa_k[r], ws->w[r], load);
        add_about(ev, w, c->slot, c->segment, load);
    }
    for (int i = 0; i < p->n_sums; i++) {
        const struct plan_sum *s = &p->sum[i];
        double f = ws->lambda_k[s->row_at] + ws->kappa_k[s->row_at];
        for (int j = 0; j < s->n_slots; j++)
            w[s->slot[j]] = six_axpy(f, ws->sum_w[PLAN_MAX_SUM * i + j], w[s->slot[j]]);
    }
    for (int k = 0; k < p->n; k++) {
        const struct plan_link *l = &p->link[k];
        if (l->shift)
            w[k] = evaluate_shift_wrench(w[k], ws->o[p->body[k].segment] - ws->o[l->segment]);
        if (l->parent != PLAN_NONE) w[l->parent] = six_add(w[l->parent], w[k]);
    }
    for (int k = 0; k < p->n; k++)
        w[k] = evaluate_shift_wrench(w[k], ws->o[p->link[k].segment] - ws->kin[k].x);
}
