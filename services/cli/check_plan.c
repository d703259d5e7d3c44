/* The plan part of `trapeze check`: freedoms, redundant rows, loops, order, cost. */
#include <stdio.h>

#include "rt/mech/joint.h"
#include "services/cli/check.h"

static void print_redundant(const struct mechanism *me)
{
    const struct plan *p = me->plan;
    int last = -1;
    for (int i = 0; i < p->n_rows; i++) {
        const struct plan_row *r = &p->row[i];
        if (!r->redundant) continue;
        const struct model_joint *j = &model_joints(me->model)[r->joint];
        if (r->joint == last)
            printf(", %s", joint_row_name(&JOINT_TYPE[j->type], r->row));
        else
            printf("%s  redundant: %s %s", last < 0 ? "" : "\n", model_text(me->model, j->name),
                   joint_row_name(&JOINT_TYPE[j->type], r->row));
        last = r->joint;
    }
    if (last >= 0) printf("\n");
}

static void print_loops(const struct plan *p)
{
    for (int i = 0; i < p->n_loops; i++) {
        const struct plan_loop *l = &p->loop[i];
        printf(
            "  loop %d: %d joints, %d cut rows, rank %d, %d redundant, %d freedom%s, misfit %.2g m, "
            "closure %.2g m\n",
            i + 1, l->n_joints, l->n_rows, l->rank, l->redundant, l->freedoms,
            l->freedoms == 1 ? "" : "s", l->misfit, l->closure);
    }
}

static void print_cuts(const struct mechanism *me)
{
    const struct plan *p = me->plan;
    if (p->n_cuts == 0) return;
    printf("  cut joints:");
    for (int i = 0; i < p->n_cuts; i++)
        printf("%s %s", i ? "," : "",
               model_text(me->model, model_joints(me->model)[p->cut[i].joint].name));
    printf("\n");
}

void check_plan_print(const struct mechanism *me, const struct check_cost *cost)
{
    const struct plan *p = me->plan;
    printf("\nmechanism at a step of %g ms\n", 1e3 * cost->step_s);
    printf("  %d degree%s of freedom, %d constraints, %d redundant\n", p->dof,
           p->dof == 1 ? "" : "s", p->constraints, p->redundant);
    print_redundant(me);
    print_cuts(me);
    print_loops(p);
    printf("  rho %g%s, assembly moved the pose by %.2g m\n", p->rho,
           p->geometric ? ", geometric stiffness" : "", me->moved);
    printf("  %.0f flops to factorise and solve, %zu bytes of memory", p->flops, me->memory_bytes);
    if (cost->step_us > 0)
        printf(", about %.3g us a step here (two iterations), %.2g %% of its time", cost->step_us,
               1e-4 * cost->step_us / cost->step_s);
    printf("\n");
    check_tree_print(me);
}

static json_t *redundant_json(const struct mechanism *me)
{
    json_t *list = json_array();
    for (int i = 0; i < me->plan->n_rows; i++) {
        const struct plan_row *r = &me->plan->row[i];
        if (!r->redundant) continue;
        const struct model_joint *j = &model_joints(me->model)[r->joint];
        json_array_append_new(list, json_pack("{s:s, s:s}", "joint", model_text(me->model, j->name),
                                              "row", joint_row_name(&JOINT_TYPE[j->type], r->row)));
    }
    return list;
}

static json_t *loops_json(const struct plan *p)
{
    json_t *list = json_array();
    for (int i = 0; i < p->n_loops; i++) {
        const struct plan_loop *l = &p->loop[i];
        json_array_append_new(list, json_pack("{s:i, s:i, s:i, s:i, s:i, s:f, s:f}", "joints",
                                              l->n_joints, "rows", l->n_rows, "rank", l->rank,
                                              "redundant", l->redundant, "freedoms", l->freedoms,
                                              "misfit", l->misfit, "closure", l->closure));
    }
    return list;
}

void check_plan_json(const struct mechanism *me, const struct check_cost *cost, json_t *to)
{
    const struct plan *p = me->plan;
    json_object_set_new(to, "step", json_real(cost->step_s));
    json_object_set_new(to, "dof", json_integer(p->dof));
    json_object_set_new(to, "redundant", json_integer(p->redundant));
    json_object_set_new(to, "redundant_list", redundant_json(me));
    json_object_set_new(to, "loops", loops_json(p));
    json_object_set_new(to, "rho", json_real(p->rho));
    json_object_set_new(to, "moved", json_real(me->moved));
    json_object_set_new(to, "flops", json_real(p->flops));
    json_object_set_new(to, "step_us", json_real(cost->step_us));
    json_object_set_new(to, "component_list", check_tree_json(me));
    json_object_set_new(to, "memory_bytes", json_integer((json_int_t)me->memory_bytes));
}
