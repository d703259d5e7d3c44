/* multibody.c: see multibody.h. */
#include "rt/tick/multibody.h"

#include <string.h>

#include "rt/mech/function.h"
#include "rt/solve/accelerate.h"
#include "rt/solve/observe.h"
#include "rt/solve/step.h"
#include "rt/solve/switching.h"
#include "rt/solve/topology.h"
#include "rt/tick/cause.h"

#include "rt/rtsafe.h"

static enum status multibody_step(void *self, double h, const double *command,
                                  const struct step_limits *limits, struct step_report *report)
{
    struct multibody *b = self;

    memcpy(b->ws->command, command, b->model->actuators.n * sizeof *command);
    return switching_advance(b->model, b->plan, b->ws, h, limits, report);
}

static void multibody_sensors(void *self, double *channel)
{
    struct multibody *b = self;
    struct observation o;

    observe_state(b->model, b->plan, b->ws, b->plan->asked, &o);
    observe_sensors(&o, channel);
}

static void multibody_poses(void *self, double *pose)
{
    const struct multibody *b = self;
    const struct model_body *body = model_bodies(b->model);

    for (uint32_t i = 0; i < b->model->bodies.n; i++, pose += 7) {
        int k = b->plan->kin_of_body[i];
        memcpy(pose, body[i].x, sizeof body[i].x);
        memcpy(pose + 3, body[i].q, sizeof body[i].q);
        if (k < b->plan->n) {
            vec_store(pose, b->ws->x[k]);
            for (int j = 0; j < 4; j++) pose[3 + j] = b->ws->q[k][j];
        }
    }
}

static void multibody_settings(void *self, double *live, uint32_t *released)
{
    const struct multibody *b = self;
    const struct model_parameter *p = model_parameters(b->model);

    for (uint32_t i = 0; i < b->model->parameters.n; i++)
        if (p[i].flags & PARAMETER_LIVE) *live++ = b->ws->param[i];
    for (uint32_t i = 0; i < b->model->joints.n; i++) {
        int cut = b->plan->joint_cut[i];
        int at = cut >= 0 ? b->plan->cut[cut].switch_at : PLAN_NONE;
        released[i] = at >= 0 && b->ws->on[at] == 0;
    }
}

static double multibody_time(void *self) { return ((struct multibody *)self)->ws->t; }

static void multibody_reset(void *self)
{
    struct multibody *b = self;
    workspace_copy(b->ws, b->start);
}

static void multibody_snapshot(void *self, uint32_t slot)
{
    struct multibody *b = self;
    const struct workspace *ws = b->ws;
    memcpy((char *)b->kept + slot * ws->state_size, ws->state, ws->state_size);
    b->mark[slot] = workspace_marked(ws);
}

static void multibody_restore(void *self, uint32_t slot)
{
    struct multibody *b = self;
    struct workspace *ws = b->ws;
    memcpy(ws->state, (char *)b->kept + slot * ws->state_size, ws->state_size);
    workspace_set_mark(ws, &b->mark[slot]);
}

/* New accelerations and multipliers at the present position and velocity: what was
 * changed acts from this moment on, with order 2. Goes back to `spare` if that is
 * singular. */
static enum status multibody_refresh(struct multibody *b, struct evaluation *ev)
{
    const struct plan *p = b->plan;
    struct workspace *ws = b->ws;

    if (!(accelerate_solve(ev, ws->a) > 0)) {
        workspace_copy(ws, b->spare);
        return STATUS_SINGULAR;
    }
    memcpy(ws->ab, ws->a, sizeof *ws->a * (size_t)p->n);
    memset(ws->lead, 0, sizeof(struct six) * (size_t)p->n);
    memcpy(ws->lambda, ws->lambda_k, sizeof(double) * (size_t)p->n_rows);
    memset(ws->kappa, 0, sizeof(double) * (size_t)p->n_rows);
    return STATUS_OK;
}

/* A live parameter and every number that derives from it. */
static enum status multibody_parameter(void *self, int index, double value)
{
    struct multibody *b = self;
    const struct model_derive *d = model_derives(b->model);
    const struct function_code *code = model_code(b->model);
    struct evaluation ev = evaluation_at_state(b->model, b->plan, b->ws);

    workspace_copy(b->spare, b->ws);
    b->ws->param[index] = value;
    for (uint32_t i = 0; i < b->model->derives.n; i++)
        b->ws->pool[d[i].pool_at] =
            function_run(code + d[i].code_at, (int)d[i].n_code, 0, b->ws->param).f;
    return multibody_refresh(b, &ev);
}

/* Lock a joint where it is or release it, at a step boundary. */
static enum status multibody_joint(void *self, int index, int released)
{
    struct multibody *b = self;
    struct model_change change = {.joint = index, .on = !released};
    int at = b->plan->joint_switch[index];

    if (at == PLAN_NONE) return STATUS_REFUSED;
    if (b->ws->on[at] == !released) return STATUS_OK;
    workspace_copy(b->spare, b->ws);
    enum status s = topology_apply(b->model, b->plan, b->ws, &change, 1, NULL);
    if (s != STATUS_OK) workspace_copy(b->ws, b->spare);
    return s;
}

static const struct plant_type MULTIBODY = {
    .step = multibody_step,
    .sensors = multibody_sensors,
    .poses = multibody_poses,
    .settings = multibody_settings,
    .time = multibody_time,
    .reset = multibody_reset,
    .snapshot = multibody_snapshot,
    .restore = multibody_restore,
    .parameter = multibody_parameter,
    .joint = multibody_joint,
};

struct plant multibody_init(struct multibody *b, int iterations)
{
    struct plant plant = {.type = &MULTIBODY, .self = b, .limits = step_limits(b->model)};

    if (iterations > 0 && iterations < plant.limits.iterations)
        plant.limits.iterations = iterations;
    plant.limits.may_iterate = cause_may_iterate;
    plant.limits.stamp = cause_stamp;
    return plant;
}
