/* control.c: see control.h. One function per kind of request, in one table. */
#include "rt/tick/control.h"

#include <math.h>
#include <string.h>

#include "rt/tick/apply.h"
#include "rt/tick/fault.h"
#include "rt/tick/latch.h"
#include "rt/tick/policy.h"
#include "rt/tick/monitor.h"

#include "rt/rtsafe.h"

enum { CONTROL_END_NS = 1000000000 }; /* longest ramp waited for at the end */
#define CONTROL_STEPS_MAX UINT64_C(1000000000000)

/* ---- states and leases ------------------------------------------------------------- */

/* `who`: for LEASE_END_NOT and PREEMPTED the one who has it from now on. */
static void control_tell_lease(struct tick *t, enum lease_end why, const char *who)
{
    struct event e = {.kind = EVENT_LEASE,
                      .a = why,
                      .b = t->lease.number,
                      .index = (int32_t)t->lease.mode,
                      .service = t->lease.service,
                      .session = t->lease.session};
    memcpy(e.who, who, sizeof e.who);
    tick_event(t, e);
}

/* End the lease; `taker`: who pre-empts, else NULL. */
static void control_drop_lease(struct tick *t, enum lease_end why, const char *taker)
{
    if (t->lease.number == 0) return;
    control_tell_lease(t, why, taker ? taker : t->lease_who);
    t->lease = (struct record_lease){.number = 0};
    t->frame_step = UINT64_MAX;
    apply_make_safe(t, 0);
}

void control_end_lease(struct tick *t, enum lease_end why) { control_drop_lease(t, why, NULL); }

static void control_reset_plant(struct tick *t)
{
    t->plant.type->reset(t->plant.self);
    t->report = (struct step_report){.status = STATUS_OK};
    t->trip = TRIP_NONE;
    t->moving = 0;
    t->dirty = 1;
    apply_reset(t);
    policy_reset(t);
}

int control_change(struct tick *t, enum state_event event)
{
    uint32_t before = t->state, next = state_after(before, event);

    if (next == STATE_UNLOADED) return 0;
    t->state = next;
    if (event == STATE_START) {
        policy_reset(t);
        t->waiting_since_ns = t->release_ns;
    } else {
        t->steps_left = 0;
    }
    if (event == STATE_RESET) control_reset_plant(t);
    if (event == STATE_DISARM) {
        t->moving = 0;
        t->trip = TRIP_NONE;
        apply_make_safe(t, 0);
    }
    if (event == STATE_MAKE_SAFE)
        t->moving = before == STATE_RUNNING || (before == STATE_SAFE && t->moving);
    if (event == STATE_FAIL) t->moving = 0;
    if (event == STATE_MAKE_SAFE || event == STATE_FAIL) {
        control_end_lease(t, LEASE_END_SAFE);
        apply_make_safe(t, 1);
    }
    if (before != next || event == STATE_RESET)
        tick_event(t, (struct event){
                          .kind = EVENT_STATE, .a = before, .b = next, .index = (int32_t)t->trip});
    return 1;
}

void control_trip(struct tick *t, enum trip trip, uint64_t misses)
{
    if (t->state != STATE_SAFE && t->state != STATE_FAULTED) t->trip = trip;
    if (trip != TRIP_ESTOP && trip != TRIP_STOP) {
        t->monitor->trips++;
        t->monitor->ever.trips++;
        tick_event(t, (struct event){.kind = EVENT_TRIP, .a = trip, .b = misses});
    }
    control_change(t, STATE_MAKE_SAFE);
}

/* The step or the time is reached at which the run is to end: it holds there. */
static void control_finish(struct tick *t)
{
    const struct tick_config *c = t->config;
    double last = ((double)c->until_ns - 0.5 * (double)c->period_ns) / 1e9;

    if (t->over || !((c->until_step && t->step >= c->until_step) ||
                     (c->until_ns && t->plant.type->time(t->plant.self) >= last)))
        return;
    t->over = 1;
    tick_event(t, (struct event){
                      .kind = EVENT_DONE, .a = t->step, .t = t->plant.type->time(t->plant.self)});
    if (!control_change(t, STATE_PAUSE)) t->moving = 0;
}

static void control_count(struct tick *t)
{
    if (t->steps_left == 0 || t->state != STATE_RUNNING) return;
    t->steps_left--;
    if (t->steps_left > 0) return;
    tick_event(t, (struct event){.kind = EVENT_STEPS_DONE,
                                 .a = t->steps_asked,
                                 .service = t->steps_service,
                                 .session = t->steps_session});
    control_change(t, STATE_PAUSE);
}

void control_stepped(struct tick *t)
{
    control_count(t);
    control_finish(t);
}

static void control_end(struct tick *t, enum trip why)
{
    if (t->ending) return;
    t->ending = 1;
    t->end_ticks = 0;
    t->end_by_ns = t->release_ns + CONTROL_END_NS;
    control_trip(t, why, 0);
    tick_event(t, (struct event){.kind = EVENT_END, .a = why});
}

void control_watch(struct tick *t)
{
    uint32_t stop = t->stop ? atomic_load_explicit(t->stop, memory_order_acquire) : 0;

    if (stop) control_end(t, (enum trip)stop);
    if (t->lease.number && t->release_ns >= t->lease.expires_ns)
        control_end_lease(t, LEASE_END_EXPIRED);
}

/* ---- requests ---------------------------------------------------------------------- */

struct control_ask {
    const struct request *request;
    uint32_t service;
    uint64_t number;     /* out: what the reply carries */
};

static enum reply_result control_by(struct tick *t, enum state_event event)
{
    return control_change(t, event) ? REPLY_DONE : REPLY_STATE;
}

static enum reply_result control_nothing(struct tick *t, struct control_ask *ask)
{
    (void)t;
    (void)ask;
    return REPLY_DONE;
}

static enum reply_result control_arm(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    if (!t->config->arm_allowed ||
        (t->board && !atomic_load_explicit(&t->board->arm_allowed, memory_order_acquire)))
        return REPLY_NOT_ALLOWED;
    return control_by(t, STATE_ARM);
}

static enum reply_result control_disarm(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    return control_by(t, STATE_DISARM);
}

static enum reply_result control_start(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    return control_by(t, STATE_START);
}

static enum reply_result control_pause(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    return control_by(t, STATE_PAUSE);
}

static enum reply_result control_step(struct tick *t, struct control_ask *ask)
{
    uint64_t n = ask->request->count;

    if (n == 0 || n > CONTROL_STEPS_MAX) return REPLY_RANGE;
    if (!control_change(t, STATE_START)) return REPLY_STATE;
    t->steps_left = t->steps_asked = n;
    t->steps_service = ask->service;
    t->steps_session = ask->request->session;
    return REPLY_STARTED;
}

static enum reply_result control_reset(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    return control_by(t, STATE_RESET);
}

static enum reply_result control_estop(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    control_trip(t, TRIP_ESTOP, 0);
    return REPLY_DONE;
}

static enum reply_result control_parameter(struct tick *t, struct control_ask *ask)
{
    const struct request *r = ask->request;
    const struct model_parameter *p;

    if (r->index < 0 || (uint32_t)r->index >= t->model->parameters.n) return REPLY_INDEX;
    p = &model_parameters(t->model)[r->index];
    if (!(p->flags & PARAMETER_LIVE)) return REPLY_RESTART;
    if (!isfinite(r->value) || r->value < p->lower || r->value > p->upper) return REPLY_RANGE;
    if (t->state == STATE_FAULTED) return REPLY_STATE;
    if (t->plant.type->parameter(t->plant.self, r->index, r->value) != STATUS_OK)
        return REPLY_SOLVER;
    t->dirty = 1;
    return REPLY_DONE;
}

static enum reply_result control_policy(struct tick *t, struct control_ask *ask)
{
    if (ask->request->index < 0 || ask->request->index >= POLICY_COUNT) return REPLY_INDEX;
    t->policy_now = (uint32_t)ask->request->index;
    return REPLY_DONE;
}

static enum reply_result control_statistics(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    monitor_reset(t);
    return REPLY_DONE;
}

static enum reply_result control_fault(struct tick *t, struct control_ask *ask)
{
    return fault_insert(t, ask->request, ask->service, &ask->number);
}

static enum reply_result control_clear(struct tick *t, struct control_ask *ask)
{
    return fault_clear(t, ask->request->index);
}

/* Where the TICK_STATE of a snapshot lies. */
static char *control_kept(const struct tick *t, uint32_t slot)
{
    return (char *)t->snapshot + slot * t->state_size;
}

/* The slot of the snapshot of this name; PLANT_SNAPSHOTS: there is none. */
static uint32_t control_named(const struct tick *t, const char *name)
{
    uint32_t i = 0;

    while (i < PLANT_SNAPSHOTS &&
           (t->snapshots[i].tick == 0 || memcmp(t->snapshots[i].name, name, REQUEST_TEXT) != 0))
        i++;
    return i;
}

static enum reply_result control_snapshot(struct tick *t, struct control_ask *ask)
{
    uint32_t i = control_named(t, ask->request->name);

    if (t->state == STATE_FAULTED) return REPLY_STATE;
    if (i == PLANT_SNAPSHOTS)
        for (i = 0; i < PLANT_SNAPSHOTS && t->snapshots[i].tick != 0;) i++;
    if (i == PLANT_SNAPSHOTS) return REPLY_FULL;
    t->plant.type->snapshot(t->plant.self, i);
    memcpy(control_kept(t, i), t->state_at, t->state_size);
    memcpy(t->snapshots[i].name, ask->request->name, REQUEST_TEXT);
    t->snapshots[i].tick = t->snapshot_tick = ask->number = t->tick + 1;
    return REPLY_DONE;
}

/* Back to a snapshot, also while running: the mechanism, the commands in force, delay
 * lines and noise. Write counters stay as seen now, and step numbers go on. */
static enum reply_result control_restore(struct tick *t, struct control_ask *ask)
{
    uint32_t slot = control_named(t, ask->request->name);
    size_t at = (size_t)((char *)t->channel - (char *)t->state_at);
    const struct tick_actuator *kept;

    if (slot == PLANT_SNAPSHOTS) return REPLY_EMPTY;
    ask->number = t->snapshots[slot].tick;
    if (t->state == STATE_SAFE || t->state == STATE_FAULTED) return REPLY_STATE;
    t->plant.type->restore(t->plant.self, slot);
    kept = (const struct tick_actuator *)(void *)control_kept(t, slot);
    for (uint32_t i = 0; i < t->layout.n_actuators; i++) {
        t->actuator[i].applied = kept[i].applied;
        t->actuator[i].asked = t->actuator[i].from = kept[i].asked;
        t->actuator[i].wanted = kept[i].wanted;
    }
    memcpy(t->channel, control_kept(t, slot) + at, t->state_size - at);
    t->dirty = t->restored = 1;
    return REPLY_DONE;
}

static enum reply_result control_acquire(struct tick *t, struct control_ask *ask)
{
    const struct request *r = ask->request;
    int same = t->lease.service == ask->service && t->lease.session == r->session;

    if (r->index != LEASE_STREAM && r->index != LEASE_MANUAL) return REPLY_RANGE;
    if (t->lease.number && !same) {
        if (!r->preempt) return REPLY_AUTHORITY;
        if (!(t->config->preempt & (1u << ask->service))) return REPLY_NOT_ALLOWED;
        control_drop_lease(t, LEASE_END_PREEMPTED, r->who);
    }
    t->lease = (struct record_lease){.number = ++t->lease_count,
                                     .session = r->session,
                                     .expires_ns = t->release_ns + t->config->lease_ns,
                                     .service = ask->service,
                                     .mode = (uint32_t)r->index};
    memcpy(t->lease_who, r->who, sizeof t->lease_who);
    latch_baseline(t, ask->service);
    ask->number = t->lease.number;
    control_tell_lease(t, LEASE_END_NOT, r->who);
    return REPLY_DONE;
}

static enum reply_result control_release(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    control_end_lease(t, LEASE_END_RELEASED);
    return REPLY_DONE;
}

static enum reply_result control_joint(struct tick *t, struct control_ask *ask, int released)
{
    int32_t i = ask->request->index;

    if (i < 0 || (uint32_t)i >= t->model->joints.n ||
        !(model_joints(t->model)[i].flags & JOINT_SWITCHABLE))
        return REPLY_INDEX;
    if (t->state == STATE_FAULTED) return REPLY_STATE;
    enum status s = t->plant.type->joint(t->plant.self, i, released);
    if (s != STATUS_OK) return s == STATUS_OPPOSED ? REPLY_OPPOSED : REPLY_SOLVER;
    t->dirty = 1;
    return REPLY_DONE;
}

static enum reply_result control_lock(struct tick *t, struct control_ask *ask)
{
    return control_joint(t, ask, 0);
}

static enum reply_result control_unlock(struct tick *t, struct control_ask *ask)
{
    return control_joint(t, ask, 1);
}

static enum reply_result control_stop(struct tick *t, struct control_ask *ask)
{
    (void)ask;
    control_end(t, TRIP_STOP);
    return REPLY_DONE;
}

/* What the supervisor has seen, for everybody. */
static enum reply_result control_tell(struct tick *t, struct control_ask *ask)
{
    const struct request *r = ask->request;

    if (r->index < EVENT_SCHEDULING || r->index > EVENT_LOST) return REPLY_INDEX;
    tick_event(t, (struct event){.kind = (uint32_t)r->index,
                                 .a = r->count,
                                 .b = r->session,
                                 .service = r->about,
                                 .index = r->at,
                                 .value = r->value});
    if (r->index == EVENT_LOST && r->count) control_trip(t, TRIP_SERVICE, 0);
    return REPLY_DONE;
}

enum control_role { CONTROL_OBSERVER, CONTROL_OPERATOR, CONTROL_ENGINEER, CONTROL_SUPERVISOR };
enum control_authority { CONTROL_FREE, CONTROL_LEASE };

typedef enum reply_result control_handler(struct tick *t, struct control_ask *ask);

static control_handler *const CONTROL_HANDLER[REQUEST_COUNT] = {
    [REQUEST_NOTHING] = control_nothing,
    [REQUEST_ARM] = control_arm,
    [REQUEST_DISARM] = control_disarm,
    [REQUEST_START] = control_start,
    [REQUEST_PAUSE] = control_pause,
    [REQUEST_STEP] = control_step,
    [REQUEST_RESET] = control_reset,
    [REQUEST_ESTOP] = control_estop,
    [REQUEST_PARAMETER] = control_parameter,
    [REQUEST_POLICY] = control_policy,
    [REQUEST_STATISTICS] = control_statistics,
    [REQUEST_FAULT] = control_fault,
    [REQUEST_CLEAR] = control_clear,
    [REQUEST_SNAPSHOT] = control_snapshot,
    [REQUEST_RESTORE] = control_restore,
    [REQUEST_ACQUIRE] = control_acquire,
    [REQUEST_COMMANDS] = control_nothing,
    [REQUEST_RELEASE] = control_release,
    [REQUEST_JOINT_LOCK] = control_lock,
    [REQUEST_JOINT_RELEASE] = control_unlock,
    [REQUEST_STOP] = control_stop,
    [REQUEST_TELL] = control_tell,
};

/* REPLY_DONE, or why this service may not ask for it. */
static enum reply_result control_may(const struct tick *t, const struct request *r,
                                     uint32_t service)
{
#define X(code, text, role, authority) [code] = CONTROL_##role,
    static const uint8_t ROLE[REQUEST_COUNT] = {REQUEST_LIST(X)};
#undef X
#define X(code, text, role, authority) [code] = CONTROL_##authority,
    static const uint8_t AUTHORITY[REQUEST_COUNT] = {REQUEST_LIST(X)};
#undef X

    if (ROLE[r->kind] == CONTROL_SUPERVISOR && service != BLOCK_SUPERVISOR)
        return REPLY_NOT_ALLOWED;
    if (AUTHORITY[r->kind] == CONTROL_FREE) return REPLY_DONE;
    if (t->lease.number == 0) return REPLY_NOBODY;
    return t->lease.service == service && t->lease.number == r->lease ? REPLY_DONE
                                                                      : REPLY_AUTHORITY;
}

static void control_answer(struct tick *t, const struct request *r, uint32_t service)
{
    struct control_ask ask = {.request = r, .service = service};
    enum reply_result result = REPLY_UNKNOWN;
    struct reply reply;

    if (r->kind < REQUEST_COUNT) result = control_may(t, r, service);
    if (result == REPLY_DONE) result = CONTROL_HANDLER[r->kind](t, &ask);
    if (result > REPLY_STARTED) t->monitor->refused_requests++;
    reply = (struct reply){.ticket = r->ticket,
                           .tick = t->tick + 1, /* not this one: it may be out already */
                           .step = t->step,
                           .number = ask.number,
                           .service = service,
                           .epoch = t->service[service].epoch,
                           .kind = r->kind,
                           .result = result,
                           .state = t->state};
    ring_publish(&t->reply_ring, &reply);
    if (r->kind < REQUEST_COUNT && r->kind != REQUEST_NOTHING &&
        (r->kind != REQUEST_TELL || result != REPLY_DONE)) {
        struct event e = {.kind = EVENT_REQUEST,
                          .a = r->kind,
                          .b = result,
                          .service = service,
                          .session = r->session,
                          .index = r->index,
                          .value = r->value};
        memcpy(e.who, r->who, sizeof e.who);
        tick_event(t, e);
    }
}

void control_take(struct tick *t)
{
    struct request request;
    int taken = 0, found = 1;
    int deaf = t->board && atomic_load_explicit(&t->board->deaf, memory_order_acquire);

    while (found && taken < REQUEST_PER_TICK) {
        found = 0;
        for (uint64_t k = 0; k < BLOCK_SERVICES && taken < REQUEST_PER_TICK; k++) {
            uint32_t i = (uint32_t)((t->tick + k) % BLOCK_SERVICES);
            struct tick_service *s = &t->service[i];
            if (i != BLOCK_SUPERVISOR && deaf) continue;
            if (!s->attached || ring_next(&s->request, &s->cursor, &request, NULL) != RING_OK)
                continue;
            control_answer(t, &request, i);
            taken++;
            found = 1;
        }
    }
}
