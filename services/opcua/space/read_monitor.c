/* read_monitor.c: what the deadline monitor, the loop times and the kept records show. */
#include "rt/link/name.h"
#include "services/opcua/act/command_latency.h"
#include "services/opcua/server.h"
#include "services/opcua/space/view.h"

#define READER(stem, expression)                                                    \
    UA_StatusCode read_monitor_##stem(const struct variant_ask *a, UA_Variant *to) \
    {                                                                              \
        return expression;                                                         \
    }

READER(ticks, variant_count(to, a->monitor->ticks))
READER(steps, variant_count(to, a->monitor->steps))
READER(misses, variant_count(to, a->monitor->misses))
READER(skipped, variant_count(to, a->monitor->skipped))
READER(trips, variant_count(to, a->monitor->trips))
READER(timeouts, variant_count(to, a->monitor->timeouts))
READER(lost_slots, variant_count(to, a->monitor->lost_slots))
READER(budget_stops, variant_count(to, a->monitor->budget_stops))
READER(not_converged, variant_count(to, a->monitor->not_converged))
READER(refused_commands, variant_count(to, a->monitor->refused_commands))
READER(refused_requests, variant_count(to, a->monitor->refused_requests))
READER(major, variant_count(to, a->monitor->major))
READER(minor, variant_count(to, a->monitor->minor))
READER(involuntary, variant_count(to, a->monitor->involuntary))
READER(resets, variant_count(to, a->monitor->resets))
READER(iterations_max, variant_count(to, a->monitor->iterations_max))
READER(residual, variant_number(to, a->record->residual))
READER(deadline, variant_number(to, (double)a->monitor->deadline_ns * 1e-9))
READER(causes, variant_array(to, a->monitor->cause, CAUSE_COUNT, UA_TYPES_UINT64))
READER(histogram,
       variant_array(to, a->monitor->series[a->index].bin, MONITOR_BINS, UA_TYPES_UINT32))
READER(verdict_text, variant_text(to, a->server->attach->port.board->verdict_text))

UA_StatusCode read_monitor_iterations(const struct variant_ask *a, UA_Variant *to)
{
    UA_UInt32 n = a->record->iterations;
    return variant_scalar(to, &n, UA_TYPES_UINT32);
}

UA_StatusCode read_monitor_verdict(const struct variant_ask *a, UA_Variant *to)
{
    static const char *const WORD[] = {"guaranteed", "watched", "degraded"};
    uint32_t v = a->server->attach->port.board->verdict;

    return variant_text(to, v < 3 ? WORD[v] : "?");
}

/* ---- series: wake-up, end, each phase ---------------------------------------------- */

static const char *cause_name(const struct model *m, uint32_t i)
{
    (void)m;
    return name_cause(i);
}

static const char *series_name(const struct model *m, uint32_t i)
{
    (void)m;
    if (i == SERIES_WAKE) return "wake";
    return i == SERIES_END ? "end" : name_phase(i - SERIES_PHASE);
}

READER(cause_names, variant_texts(to, a->model, CAUSE_COUNT, cause_name))
READER(series_names, variant_texts(to, a->model, SERIES_COUNT, series_name))

static UA_StatusCode seconds(const struct variant_ask *a, UA_Variant *to,
                             int64_t (*value)(const struct monitor_series *s))
{
    double v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = (double)value(&a->monitor->series[i]) * 1e-9;
    return variant_array(to, v, SERIES_COUNT, UA_TYPES_DOUBLE);
}

static UA_StatusCode counts(const struct variant_ask *a, UA_Variant *to,
                            uint64_t (*value)(const struct monitor_series *s))
{
    uint64_t v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = value(&a->monitor->series[i]);
    return variant_array(to, v, SERIES_COUNT, UA_TYPES_UINT64);
}

static int64_t last(const struct monitor_series *s) { return s->last_ns; }
static int64_t max(const struct monitor_series *s) { return s->max_ns; }
static uint64_t max_tick(const struct monitor_series *s) { return s->max_tick; }
static uint64_t overflow(const struct monitor_series *s) { return s->overflow; }

READER(series_last, seconds(a, to, last))
READER(series_max, seconds(a, to, max))
READER(series_minute, seconds(a, to, monitor_minute_max))
READER(series_max_tick, counts(a, to, max_tick))
READER(overflow, counts(a, to, overflow))

/* ---- loop times of an actuator ----------------------------------------------------- */

/* With all that has come out by now. */
static const struct command_latency_histogram *loop(const struct variant_ask *a,
                                                    enum command_latency_clock clock)
{
    command_latency_look(a->server);
    return &a->server->command_latency.actuator[a->index].histogram[clock];
}

#define LOOP_READERS(stem, clock)                                                           \
    READER(stem##_bins,                                                                   \
           variant_array(to, loop(a, clock)->bin, COMMAND_LATENCY_BINS, UA_TYPES_UINT32)) \
    READER(stem##_count, variant_count(to, loop(a, clock)->n))                                 \
    READER(stem##_outside, variant_count(to, loop(a, clock)->outside))                         \
    READER(stem##_last, variant_number(to, (double)loop(a, clock)->last_ns * 1e-9))            \
    READER(stem##_max, variant_number(to, (double)loop(a, clock)->max_ns * 1e-9))

LOOP_READERS(loop, COMMAND_LATENCY_RECEIPT)
LOOP_READERS(client, COMMAND_LATENCY_CLIENT)
READER(loop_width, variant_number(to, (double)a->server->command_latency.width_ns * 1e-9))

/* ---- records kept in memory -------------------------------------------------------- */

READER(newest, variant_count(to, ring_head(&a->server->attach->port.record)))

UA_StatusCode read_monitor_kept(const struct variant_ask *a, UA_Variant *to)
{
    uint64_t head = ring_head(&a->server->attach->port.record);
    uint64_t depth = a->server->attach->port.layout.step.n_records;

    return variant_count(to, head < depth ? head : depth);
}

UA_StatusCode read_monitor_depth(const struct variant_ask *a, UA_Variant *to)
{
    UA_UInt32 n = a->server->attach->port.layout.step.n_records;
    return variant_scalar(to, &n, UA_TYPES_UINT32);
}

UA_StatusCode read_monitor_bytes(const struct variant_ask *a, UA_Variant *to)
{
    return variant_count(to, a->layout->bytes);
}
