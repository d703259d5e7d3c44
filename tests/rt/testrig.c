#include "tests/rt/testrig.h"

#include "rt/tick/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model --------------------------------------------------------------------- */

static struct model_span span(size_t at, size_t n)
{
    return (struct model_span){.at = (uint32_t)at, .n = (uint32_t)n};
}

void testrig_model(struct testrig_model *b)
{
    memset(b, 0, sizeof *b);
    b->m.magic = MODEL_MAGIC;
    b->m.size = sizeof *b;
    b->m.n_channels = TESTRIG_CHANNELS;
    b->m.iterations = 3;
    b->m.actuators = span(offsetof(struct testrig_model, actuator), TESTRIG_ACTUATORS);
    b->m.parameters = span(offsetof(struct testrig_model, parameter), 2);
    b->m.joints = span(offsetof(struct testrig_model, joint), 2);
    b->m.bodies = span(offsetof(struct testrig_model, body), 1);
    b->m.text = span(offsetof(struct testrig_model, text), sizeof b->text);
    for (int i = 0; i < TESTRIG_ACTUATORS; i++)
        b->actuator[i] = (struct model_actuator){
            .scale = 2, .lower = -10, .upper = 10, .safe = 1, .start = 0.5};
    b->parameter[0] = (struct model_parameter){.value = 3};
    b->parameter[1] = (struct model_parameter){
        .flags = PARAMETER_LIVE, .value = 7, .lower = 0, .upper = 20};
    b->joint[1].flags = JOINT_SWITCHABLE;
}

/* ---- the plant --------------------------------------------------------------------- */

static enum status plant_step(void *self, double h, const double *command,
                              const struct step_limits *limits, struct step_report *report)
{
    struct testrig_plant *p = self;
    int done = 1;

    *report = (struct step_report){.status = STATUS_OK};
    if (p->fail) {
        *report = (struct step_report){
            .status = STATUS_NOT_FINITE, .element_kind = STEP_FORCE, .element = 4};
        return report->status;
    }
    for (int i = 0; i < p->blocks; i++) {
        p->clock->now_ns += p->cost_ns / p->blocks;
        limits->stamp(limits->context);
    }
    if (p->blocks == 0) p->clock->now_ns += p->cost_ns;
    p->clock->now_ns += p->iteration_ns;
    while (done < p->iterations && limits->may_iterate(limits->context, done)) {
        p->clock->now_ns += p->iteration_ns;
        done++;
    }
    report->iterations = done;
    if (done < p->iterations) report->status = STATUS_BUDGET;
    for (int i = 0; i < TESTRIG_CHANNELS; i++) p->x[i] += h * command[i];
    memcpy(p->command, command, sizeof p->command);
    p->last_h = h;
    p->t += h;
    p->steps++;
    return report->status;
}

static void plant_sensors(void *self, double *channel)
{
    memcpy(channel, ((struct testrig_plant *)self)->x, TESTRIG_CHANNELS * sizeof(double));
}

static void plant_poses(void *self, double *pose)
{
    struct testrig_plant *p = self;
    for (int i = 0; i < 7; i++) pose[i] = p->x[0] + i;
}

static void plant_settings(void *self, double *live, uint32_t *released)
{
    struct testrig_plant *p = self;
    live[0] = p->live;
    released[0] = 0;
    released[1] = p->released;
}

static double plant_time(void *self) { return ((struct testrig_plant *)self)->t; }

static void plant_reset(void *self)
{
    struct testrig_plant *p = self;
    memset(p->x, 0, sizeof p->x);
    p->t = 0;
    p->live = 7;
    p->released = 0;
}

static void plant_snapshot(void *self, uint32_t slot)
{
    struct testrig_plant *p = self;
    memcpy(p->kept[slot], p->x, sizeof p->x);
    p->kept_t[slot] = p->t;
    p->kept_live[slot] = p->live;
}

static void plant_restore(void *self, uint32_t slot)
{
    struct testrig_plant *p = self;
    memcpy(p->x, p->kept[slot], sizeof p->x);
    p->t = p->kept_t[slot];
    p->live = p->kept_live[slot];
}

static enum status plant_parameter(void *self, int index, double value)
{
    (void)index;
    ((struct testrig_plant *)self)->live = value;
    return STATUS_OK;
}

static enum status plant_joint(void *self, int index, int released)
{
    struct testrig_plant *p = self;
    (void)index;
    if (p->singular) return STATUS_SINGULAR;
    p->released = (uint32_t)released;
    return STATUS_OK;
}

static const struct plant_type PLANT = {
    .step = plant_step,
    .sensors = plant_sensors,
    .poses = plant_poses,
    .settings = plant_settings,
    .time = plant_time,
    .reset = plant_reset,
    .snapshot = plant_snapshot,
    .restore = plant_restore,
    .parameter = plant_parameter,
    .joint = plant_joint,
};

/* ---- the rig ----------------------------------------------------------------------- */

static void *take(size_t n)
{
    void *p = aligned_alloc(64, (n + 63) / 64 * 64);
    if (!p) abort();
    memset(p, 0, (n + 63) / 64 * 64);
    return p;
}

void testrig_create(struct testrig *r)
{
    struct testrig_model model;

    memset(r, 0, sizeof *r);
    testrig_model(&model);
    if (block_layout(&model.m, &r->layout) != STATUS_OK) abort();
    r->step_block = take(r->layout.step.size);
    memcpy((char *)r->step_block + r->layout.step.model_at, &model, sizeof model);
    r->block[0] = take(r->layout.supervisor.size);
    r->board = (struct board *)((char *)r->block[0] + r->layout.supervisor.board_at);
    r->board->arm_allowed = 1;
    for (int i = 1; i <= TESTRIG_SERVICES; i++) {
        r->block[i] = take(r->layout.service.size);
        r->board->service[i].epoch = 1;
    }
    for (int i = 0; i <= TESTRIG_SERVICES; i++) r->frame[i] = take(r->layout.service.command_bytes);
    r->record = take(r->layout.step.record.bytes);
    r->tick_memory = take(tick_memsize(&r->layout));
    r->config = (struct tick_config){.start_ns = 517000,
                                     .period_ns = TESTRIG_H_NS,
                                     .deadline_ns = TESTRIG_H_NS,
                                     .poll_ns = TESTRIG_H_NS / 20,
                                     .lockstep_timeout_ns = 20 * TESTRIG_H_NS,
                                     .lease_ns = 50 * TESTRIG_H_NS,
                                     .pace = PACE_REALTIME,
                                     .policy = POLICY_SKIP,
                                     .arm_allowed = 1,
                                     .rule = r->rule};
    for (int i = 0; i < TESTRIG_ACTUATORS; i++)
        r->rule[i] = (struct tick_rule){
            .timeout_ns = 5 * TESTRIG_H_NS, .ramp_ns = 4 * TESTRIG_H_NS, .action = (uint32_t)i};
    r->plant.iterations = 1;
}

void testrig_begin(struct testrig *r)
{
    struct tick_blocks blocks = {.step = r->step_block, .supervisor = r->block[0]};
    struct plant plant = {.type = &PLANT, .self = &r->plant};

    plant.limits = (struct step_limits){
        .iterations = 3, .may_iterate = cause_may_iterate, .stamp = cause_stamp};
    for (int i = 1; i <= TESTRIG_SERVICES; i++) blocks.service[i] = r->block[i];
    r->plant.clock = &r->clock;
    if (tick_init(&r->tick, &r->config, &r->layout, &blocks, plant, vclock_init(&r->clock, 0),
                  r->tick_memory, tick_memsize(&r->layout)) != STATUS_OK)
        abort();
    for (int i = 0; i <= TESTRIG_SERVICES; i++) {
        port_init(&r->port[i], &r->layout, r->step_block, r->block[0]);
        port_own(&r->port[i], (uint32_t)i, (uint32_t)(i > 0), r->block[i]);
    }
}

void testrig_destroy(struct testrig *r)
{
    for (int i = 0; i <= TESTRIG_SERVICES; i++) {
        free(r->block[i]);
        free(r->frame[i]);
    }
    free(r->step_block);
    free(r->tick_memory);
    free(r->record);
}

void testrig_ticks(struct testrig *r, int n)
{
    for (int i = 0; i < n; i++) cycle_tick(&r->tick);
    port_record(&r->port[0], r->record);
}

struct reply testrig_ask(struct testrig *r, int service, struct request request)
{
    struct reply reply;
    uint64_t ticket = port_send(&r->port[service], &request);

    testrig_ticks(r, 1);
    if (!port_reply(&r->port[service], ticket, &reply)) abort();
    return reply;
}

enum reply_result testrig_do(struct testrig *r, int service, enum request_kind kind)
{
    return testrig_ask(r, service, (struct request){.kind = kind}).result;
}

void testrig_start(struct testrig *r)
{
    if (testrig_do(r, 0, REQUEST_ARM) != REPLY_DONE ||
        testrig_do(r, 0, REQUEST_START) != REPLY_DONE)
        abort();
}

uint64_t testrig_acquire(struct testrig *r, int service, uint64_t session, enum lease_mode mode)
{
    struct reply reply = testrig_ask(
        r, service,
        (struct request){.kind = REQUEST_ACQUIRE, .index = (int32_t)mode, .session = session});

    if (reply.result != REPLY_DONE) return 0;
    r->frame[service]->lease = reply.number;
    return reply.number;
}

void testrig_write(struct testrig *r, int service, int actuator, double value)
{
    struct command_frame *f = r->frame[service];
    f->value[actuator].counter++;
    f->value[actuator].value = value;
    port_command(&r->port[service], f);
}

void testrig_refresh(struct testrig *r, int service)
{
    r->frame[service]->refresh++;
    port_command(&r->port[service], r->frame[service]);
}

int testrig_event(struct testrig *r, uint64_t *cursor, enum event_kind kind, struct event *event)
{
    while (ring_next(&r->port[0].event, cursor, event, NULL) == RING_OK)
        if (event->kind == (uint32_t)kind) return 1;
    return 0;
}

struct account testrig_account(struct testrig *r)
{
    struct account a;
    if (ring_latest(&r->port[0].account, &a) == 0) abort();
    return a;
}
