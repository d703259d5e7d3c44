/* read_lane.c: what the fast lane has done. */
#include "services/opcua/lane/pubsub_gate.h"
#include "services/opcua/server.h"
#include "services/opcua/space/view.h"

static UA_StatusCode counter(const struct variant_ask *a, UA_Variant *to, size_t at)
{
    const struct pubsub *lane = a->server->settings->lane;

    if (!lane) return UA_STATUSCODE_BADOUTOFSERVICE;
    return variant_count(to, *(const _Atomic uint64_t *)((const char *)pubsub_counts(lane) + at));
}

#define COUNTER(stem)                                                        \
    UA_StatusCode read_lane_##stem(const struct variant_ask *a, UA_Variant *to)  \
    {                                                                        \
        return counter(a, to, offsetof(struct pubsub_counts, stem));         \
    }
COUNTER(sent)
COUNTER(unsent)
COUNTER(lost)
COUNTER(received)
COUNTER(accepted)
COUNTER(counter)

UA_StatusCode read_lane_refused(const struct variant_ask *a, UA_Variant *to)
{
    const struct pubsub *lane = a->server->settings->lane;
    uint64_t n[PUBSUB_REASONS];

    if (!lane) return UA_STATUSCODE_BADOUTOFSERVICE;
    for (int i = 0; i < PUBSUB_REASONS; i++) n[i] = pubsub_counts(lane)->refused[i];
    return variant_array(to, n, PUBSUB_REASONS, UA_TYPES_UINT64);
}

static const char *reason(const struct model *m, uint32_t i)
{
    (void)m;
    return pubsub_reason_text((int)i);
}

UA_StatusCode read_lane_reasons(const struct variant_ask *a, UA_Variant *to)
{
    return variant_texts(to, a->model, PUBSUB_REASONS, reason);
}

UA_StatusCode read_lane_scheduling(const struct variant_ask *a, UA_Variant *to)
{
    const struct pubsub *lane = a->server->settings->lane;

    return lane ? variant_text(to, pubsub_scheduling(lane)) : UA_STATUSCODE_BADOUTOFSERVICE;
}

/* ---- loop times -------------------------------------------------------------------- */

static struct command_latency_histogram loop(const struct variant_ask *a)
{
    struct gate *g = pubsub_gate(a->server->settings->lane);

    return g ? gate_loop(g) : (struct command_latency_histogram){.n = 0};
}

UA_StatusCode read_lane_loop_bins(const struct variant_ask *a, UA_Variant *to)
{
    struct command_latency_histogram h = loop(a);
    return variant_array(to, h.bin, COMMAND_LATENCY_BINS, UA_TYPES_UINT32);
}

#define LOOP(stem, expression)                                                \
    UA_StatusCode read_lane_loop_##stem(const struct variant_ask *a, UA_Variant *to) \
    {                                                                         \
        struct command_latency_histogram h = loop(a);                                \
        return expression;                                                    \
    }
LOOP(count, variant_count(to, h.n))
LOOP(outside, variant_count(to, h.outside))
LOOP(last, variant_number(to, (double)h.last_ns * 1e-9))
LOOP(max, variant_number(to, (double)h.max_ns * 1e-9))
