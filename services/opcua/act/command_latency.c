#include "services/opcua/act/command_latency.h"

#include <stdlib.h>
#include <string.h>

#include "services/opcua/server.h"

int64_t command_latency_width(const struct rig *rig)
{
    int64_t width_ns = (int64_t)(rig->step * 1e9) / COMMAND_LATENCY_PER_PERIOD;

    return width_ns < 1 ? 1 : width_ns;
}

UA_StatusCode command_latency_init(struct server *s)
{
    const struct port *p = &s->attach->port;
    const struct record_layout *l = &p->layout.step.record;
    struct command_latency *t = &s->command_latency;

    t->actuator = calloc(l->n_actuators + 1, sizeof *t->actuator);
    t->copy = calloc(1, l->bytes);
    if (!t->actuator || !t->copy) return UA_STATUSCODE_BADOUTOFMEMORY;
    t->record = p->record;
    t->record.n_words = (l->actuator_at + l->n_actuators * sizeof(struct record_actuator)) / 8;
    t->width_ns = command_latency_width(s->attach->rig);
    return UA_STATUSCODE_GOOD;
}

void command_latency_free(struct server *s)
{
    free(s->command_latency.actuator);
    free(s->command_latency.copy);
    s->command_latency = (struct command_latency){.actuator = NULL};
}

void command_latency_note(struct server *s, uint32_t i, uint64_t counter, int64_t client_ns)
{
    struct command_latency *t = &s->command_latency;

    if (!t->waiting) t->cursor = ring_head(&t->record);
    t->waiting = 1;
    t->actuator[i].note[counter % COMMAND_LATENCY_NOTES] = (struct command_latency_note){
        .counter = counter, .received_ns = request_scope_clock(), .client_ns = client_ns};
}

void command_latency_add(struct command_latency_histogram *h, int64_t width_ns, int64_t took_ns)
{
    int64_t bin = took_ns / width_ns;

    h->n++;
    h->last_ns = took_ns;
    if (h->n == 1 || took_ns > h->max_ns) h->max_ns = took_ns;
    if (took_ns < 0 || bin >= COMMAND_LATENCY_BINS)
        h->outside++;
    else
        h->bin[bin]++;
}

/* The step took the command with this counter in the tick of this record. */
static void used(struct server *s, struct command_latency_actuator *a, uint64_t counter)
{
    const struct command_latency_note *n = &a->note[counter % COMMAND_LATENCY_NOTES];
    const struct command_latency *t = &s->command_latency;
    int64_t utc = atomic_load_explicit(&s->attach->port.board->utc_offset_now_ns,
                                       memory_order_relaxed);

    if (n->counter != counter) return;
    command_latency_add(&a->histogram[COMMAND_LATENCY_RECEIPT], t->width_ns,
                        t->copy->publish_ns - n->received_ns);
    if (n->client_ns)
        command_latency_add(&a->histogram[COMMAND_LATENCY_CLIENT], t->width_ns,
                            t->copy->publish_ns + utc - n->client_ns);
}

static void forget(struct command_latency *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memset(t->actuator[i].histogram, 0, sizeof t->actuator[i].histogram);
}

void command_latency_look(struct server *s)
{
    struct command_latency *t = &s->command_latency;
    const struct record_layout *l = &s->attach->port.layout.step.record;
    const struct record_actuator *r = record_actuators(l, t->copy);

    if (t->resets != s->attach->port.monitor->resets) {
        t->resets = s->attach->port.monitor->resets;
        forget(t, l->n_actuators);
    }
    if (!t->waiting) return;
    while (ring_next(&t->record, &t->cursor, t->copy, NULL) == RING_OK) {
        t->waiting = 0;
        for (uint32_t i = 0; i < l->n_actuators; i++) {
            struct command_latency_actuator *a = &t->actuator[i];
            if (r[i].counter != a->used && r[i].age_ns == 0) used(s, a, r[i].counter);
            a->used = r[i].counter;
            if (s->writes.frame->value[i].counter != a->used) t->waiting = 1;
        }
    }
}
