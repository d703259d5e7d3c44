#include "services/opcua/lane/pubsub_gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "services/opcua/loop/request_scope.h"
#include "services/opcua/act/writes.h"

int gate_init(struct gate *g, struct port *port, const struct rig *rig)
{
    pthread_mutexattr_t attr;

    *g = (struct gate){.port = port, .width_ns = command_latency_width(rig)};
    g->frame = calloc(1, port->layout.service.command_bytes);
    g->waiting = calloc(port->model->actuators.n + 1, sizeof *g->waiting);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&g->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return g->frame && g->waiting;
}

void gate_free(struct gate *g)
{
    pthread_mutex_destroy(&g->lock);
    free(g->frame);
    free(g->waiting);
}

/* All values of one message in one frame. Needs: the lock. */
static void send_values(struct gate *g, const double *value, struct gate_trace t, uint64_t step)
{
    struct command_frame *f = g->frame;

    for (uint32_t i = 0; i < g->port->model->actuators.n; i++) {
        f->value[i].value = value[i];
        f->value[i].counter++;
    }
    f->lease = t.lease = g->lease;
    f->step = step;
    f->sent_ns = request_scope_clock();
    t.written = f->value[0].counter;
    port_command(g->port, f);
    g->trace[g->n_traces++ % GATE_TRACE] = t;
}

/* ---- the server's thread ------------------------------------------------------------ */

void gate_hold(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->held = 1;
    pthread_mutex_unlock(&g->lock);
}

void gate_resume(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->held = 0;
    if (g->lease && g->waits) send_values(g, g->waiting, g->waiting_trace, g->frame->step);
    g->waits = 0;
    pthread_mutex_unlock(&g->lock);
}

/* Nobody can guess it; never 0. */
static uint64_t new_epoch(void)
{
    uint64_t e = 0;

    while (e == 0)
        if (getrandom(&e, sizeof e, 0) != sizeof e) e = 0;
    return e;
}

uint64_t gate_open(struct gate *g, uint64_t lease, uint64_t tick, const struct command_frame *from)
{
    uint64_t epoch = new_epoch();

    pthread_mutex_lock(&g->lock);
    memcpy(g->frame, from, g->port->layout.service.command_bytes);
    g->lease = lease;
    g->lease_tick = tick;
    g->epoch = epoch;
    g->counter = 0;
    g->held = g->waits = 0;
    pthread_mutex_unlock(&g->lock);
    return epoch;
}

void gate_close(struct gate *g, struct command_frame *to)
{
    pthread_mutex_lock(&g->lock);
    if (g->lease) memcpy(to, g->frame, g->port->layout.service.command_bytes);
    g->lease = 0;
    g->held = g->waits = 0;
    pthread_mutex_unlock(&g->lock);
}

int gate_show(struct gate *g, struct command_frame *to)
{
    int open;

    pthread_mutex_lock(&g->lock);
    open = g->lease != 0;
    if (open) memcpy(to, g->frame, g->port->layout.service.command_bytes);
    pthread_mutex_unlock(&g->lock);
    return open;
}

/* ---- the lane's thread -------------------------------------------------------------- */

/* The lease has ended as far as this record knows. */
static int is_over(const struct gate *g, const struct record *now)
{
    return now && now->tick >= g->lease_tick &&
           (now->lease.number != g->lease || now->lease.service != g->port->self);
}

static int values_are_right(const struct gate *g, const struct uadp_command *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!writes_is_in_range(g->port->model, i, c->value[i])) return 0;
    return 1;
}

/* Needs: the lock. */
static int judge(struct gate *g, const struct record *now, const struct uadp_command *c)
{
    if (g->lease == 0 || is_over(g, now)) return PUBSUB_AUTHORITY;
    if (c->epoch != g->epoch) return PUBSUB_EPOCH;
    if (c->counter <= g->counter) return PUBSUB_COUNTER;
    g->counter = c->counter;
    if (!now || !writes_is_taken(now->state)) return PUBSUB_NOT_NOW;
    return values_are_right(g, c) ? GATE_OK : PUBSUB_RANGE;
}

int gate_offer(struct gate *g, const struct record *now, const struct uadp_command *c)
{
    struct gate_trace t = {.counter = c->counter, .received_ns = request_scope_clock()};
    int bad;

    pthread_mutex_lock(&g->lock);
    bad = judge(g, now, c);
    if (bad == GATE_OK && g->held) {
        memcpy(g->waiting, c->value, c->n * sizeof *c->value);
        g->waiting_trace = t;
        g->waits = 1;
    } else if (bad == GATE_OK) {
        send_values(g, c->value, t, now->step);
    }
    pthread_mutex_unlock(&g->lock);
    return bad;
}

/* Needs: the lock. */
static void note_loop(struct gate *g, const struct gate_trace *t, const struct record *r)
{
    if (g->resets != g->port->monitor->resets) {
        g->resets = g->port->monitor->resets;
        g->loop = (struct command_latency_histogram){.n = 0};
    }
    if (t->lease != g->acting.lease || t->written != g->acting.written)
        command_latency_add(&g->loop, g->width_ns, r->publish_ns - t->received_ns);
    g->acting = *t;
}

uint64_t gate_acting(struct gate *g, const struct record *r)
{
    const struct record_layout *l = &g->port->layout.step.record;
    uint64_t written, counter = 0;

    if (l->n_actuators == 0 || r->lease.number == 0 || r->lease.service != g->port->self) return 0;
    written = record_actuators(l, r)[0].counter;
    pthread_mutex_lock(&g->lock);
    for (int i = 0; i < GATE_TRACE; i++) {
        const struct gate_trace *t = &g->trace[i];
        if (t->lease != r->lease.number || t->written != written) continue;
        note_loop(g, t, r);
        counter = t->counter;
    }
    pthread_mutex_unlock(&g->lock);
    return counter;
}

struct command_latency_histogram gate_loop(struct gate *g)
{
    struct command_latency_histogram copy;

    pthread_mutex_lock(&g->lock);
    copy = g->loop;
    pthread_mutex_unlock(&g->lock);
    return copy;
}
