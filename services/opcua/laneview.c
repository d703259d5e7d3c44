/* laneview.c: what the fast lane has done. */
#include "services/opcua/pubsub_gate.h"
#include "services/opcua/server.h"
#include "services/opcua/view.h"

static UA_StatusCode counter(const struct pack_ask *a, UA_Variant *to, size_t at)
{
    const struct pubsub *lane = a->server->settings->lane;

    if (!lane) return UA_STATUSCODE_BADOUTOFSERVICE;
    return pack_count(to, *(const _Atomic uint64_t *)((const char *)pubsub_counts(lane) + at));
}

#define COUNTER(stem)                                                        \
    UA_StatusCode laneview_##stem(const struct pack_ask *a, UA_Variant *to)  \
    {                                                                        \
        return counter(a, to, offsetof(struct pubsub_counts, stem));         \
    }
COUNTER(sent)
COUNTER(unsent)
COUNTER(lost)
COUNTER(received)
COUNTER(accepted)
COUNTER(counter)

UA_StatusCode laneview_refused(const struct pack_ask *a, UA_Variant *to)
{
    const struct pubsub *lane = a->server->settings->lane;
    uint64_t n[PUBSUB_REASONS];

    if (!lane) return UA_STATUSCODE_BADOUTOFSERVICE;
    for (int i = 0; i < PUBSUB_REASONS; i++) n[i] = pubsub_counts(lane)->refused[i];
    return pack_array(to, n, PUBSUB_REASONS, UA_TYPES_UINT64);
}

static const char *reason(const struct model *m, uint32_t i)
{
    (void)m;
    return pubsub_reason_text((int)i);
}

UA_StatusCode laneview_reasons(const struct pack_ask *a, UA_Variant *to)
{
    return pack_texts(to, a->model, PUBSUB_REASONS, reason);
}

UA_StatusCode laneview_scheduling(const struct pack_ask *a, UA_Variant *to)
{
    const struct pubsub *lane = a->server->settings->lane;

    return lane ? pack_text(to, pubsub_scheduling(lane)) : UA_STATUSCODE_BADOUTOFSERVICE;
}

/* ---- loop times -------------------------------------------------------------------- */

static struct looptime_histogram loop(const struct pack_ask *a)
{
    struct gate *g = pubsub_gate(a->server->settings->lane);

    return g ? gate_loop(g) : (struct looptime_histogram){.n = 0};
}

UA_StatusCode laneview_loop_bins(const struct pack_ask *a, UA_Variant *to)
{
    struct looptime_histogram h = loop(a);
    return pack_array(to, h.bin, LOOPTIME_BINS, UA_TYPES_UINT32);
}

#define LOOP(stem, expression)                                                \
    UA_StatusCode laneview_loop_##stem(const struct pack_ask *a, UA_Variant *to) \
    {                                                                         \
        struct looptime_histogram h = loop(a);                                \
        return expression;                                                    \
    }
LOOP(count, pack_count(to, h.n))
LOOP(outside, pack_count(to, h.outside))
LOOP(last, pack_number(to, (double)h.last_ns * 1e-9))
LOOP(max, pack_number(to, (double)h.max_ns * 1e-9))
