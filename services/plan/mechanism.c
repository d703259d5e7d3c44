/* The order of work at load: graph, tree, order, layout, place, rank, assemble,
 * velocities, equilibrium, accelerations, rule. */
#include "services/plan/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt/solve/violations.h"
#include "rt/solve/method.h"
#include "services/base/memory.h"
#include "services/plan/draft.h"
#include "services/plan/hang.h"
#include "services/plan/judge.h"
#include "services/plan/layout.h"
#include "services/plan/self_stress.h"
#include "services/plan/rank.h"
#include "services/plan/settle.h"
#include "services/plan/start.h"

struct plan_options mechanism_options(void) { return (struct plan_options){.h = 1e-3, .rho = -1}; }

static void *aligned(struct memory *mem, size_t size)
{
    char *p = memory_take(mem, size + 64, 1);
    return p ? p + (64 - (size_t)p % 64) % 64 : 0;
}

enum status mechanism_workspace(struct mechanism *me, struct workspace *ws)
{
    size_t size = method_memsize(me->model, me->plan);
    void *p = aligned(me->hidden, size);
    if (!p) return STATUS_NO_MEMORY;
    enum status s = method_init(me->model, me->plan, ws, p, size);
    if (s == STATUS_OK) {
        start_place(me->model, me->plan, ws);
        if (me->start.state) workspace_copy(ws, &me->start);
    }
    return s;
}

void mechanism_reset(const struct mechanism *me, struct workspace *ws)
{
    workspace_copy(ws, &me->start);
}

void mechanism_destroy(struct mechanism *me)
{
    if (!me->hidden) return;
    memory_release(me->hidden);
    free(me->hidden);
    memset(me, 0, sizeof *me);
}

static struct plan *draw(const struct model *m, struct memory *memory, struct diag_list *diags,
                         struct draft *d)
{
    *d = (struct draft){.m = m, .memory = memory, .diags = diags};
    draft_graph(d);
    if (memory->failed) return 0;
    draft_blocks(d);
    if (memory->failed) return 0;
    draft_tree(d);
    if (memory->failed) return 0;
    draft_order(d);
    if (memory->failed || d->failed) return 0;
    return layout_plan(d);
}

/* To static equilibrium; where there is none, back to the file's pose. */
static enum status settle(struct mechanism *me, struct diag_list *diags)
{
    struct workspace spare, pose;
    enum status s = mechanism_workspace(me, &spare);
    if (s == STATUS_OK) s = mechanism_workspace(me, &pose);
    if (s != STATUS_OK) return s;
    workspace_copy(&pose, &me->ws);
    double left = settle_find(me->model, me->plan, &me->ws, &spare);
    judge_settled(me->model, left, diags);
    if (!(left <= SETTLE_LEFT)) workspace_copy(&me->ws, &pose);
    return STATUS_OK;
}

static int is_stopped(const struct plan_options *o) { return o->stop && *o->stop; }

/* Everything from the file's pose to the start state. */
static enum status make_start(struct mechanism *me, const struct draft *d,
                              const struct plan_options *o, struct diag_list *diags)
{
    const struct model *m = me->model;
    struct workspace *ws = &me->ws;
    if (is_stopped(o)) return STATUS_STOPPED;
    if (!judge_points(m, d, diags)) return STATUS_REFUSED;
    if (!judge_motions(m, me->plan, diags)) return STATUS_REFUSED;
    if (!judge_pose(m, me->plan, ws, diags)) return STATUS_REFUSED;
    judge_inertia(m, me->plan, ws, diags);
    enum status s = rank_rows(m, me->plan, d, ws, o->stop, diags);
    if (s != STATUS_OK) return s;
    if (!judge_friction(m, me->plan, diags)) return STATUS_REFUSED;
    if (!self_stress_find(m, me->plan, d, o->wrenches)) return STATUS_NO_MEMORY;
    s = mechanism_workspace(me, ws); /* the plan has grown: reactions, self-stress */
    if (s != STATUS_OK) return s;
    if (!hang_motions(m, me->plan, d, ws, diags)) return STATUS_NO_MEMORY;
    double left = start_assemble(m, me->plan, ws, &me->moved);
    if (!judge_assembly(m, me->plan, ws, left, diags)) return STATUS_REFUSED;
    if (!judge_rule(m, me->plan, ws, o, diags)) return STATUS_REFUSED;
    if (is_stopped(o)) return STATUS_STOPPED;
    if (m->settle) s = settle(me, diags);
    if (s != STATUS_OK) return s;
    if (!start_velocities(m, me->plan, ws, diags)) return STATUS_REFUSED;
    double pivot = start_accelerations(m, me->plan, ws, !m->settle);
    if (!(pivot > 0)) return judge_singular(m, me->plan, ws, diags);
    return judge_geometric(m, me->plan, ws, o->h) ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status mechanism_create(struct mechanism *out, const struct model *m,
                             const struct plan_options *o, struct diag_list *diags)
{
    struct draft d;
    memset(out, 0, sizeof *out);
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) return STATUS_NO_MEMORY;
    out->model = m;
    out->hidden = memory;
    out->plan = draw(m, memory, diags, &d);
    enum status s = out->plan ? STATUS_OK : STATUS_NO_MEMORY;
    if (s == STATUS_OK) {
        out->plan->method = o->method ? o->method : METHOD[0];
        out->plan->rho = o->rho >= 0 ? o->rho : m->rho;
        out->plan->wrenches |= o->wrenches;
        s = mechanism_workspace(out, &out->ws);
    }
    int errors = diags->n_errors + diags->lost;
    if (s == STATUS_OK) s = make_start(out, &d, o, diags);
    if (s == STATUS_REFUSED && diags->n_errors + diags->lost == errors) s = STATUS_NO_MEMORY;
    struct workspace start;
    if (s == STATUS_OK) s = mechanism_workspace(out, &start);
    if (s == STATUS_OK) {
        workspace_copy(&start, &out->ws);
        out->start = start;
        out->memory_bytes = method_memsize(m, out->plan);
        return STATUS_OK;
    }
    if (memory->failed) s = STATUS_NO_MEMORY;
    mechanism_destroy(out);
    return s;
}
