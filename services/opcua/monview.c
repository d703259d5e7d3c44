/* monview.c: what the deadline monitor, the loop times and the kept records show. */
#include "rt/link/name.h"
#include "services/opcua/looptime.h"
#include "services/opcua/server.h"
#include "services/opcua/view.h"

#define READER(stem, expression)                                                    \
    UA_StatusCode monview_##stem(const struct pack_ask *a, UA_Variant *to) { return expression; }

READER(ticks, pack_count(to, a->monitor->ticks))
READER(steps, pack_count(to, a->monitor->steps))
READER(misses, pack_count(to, a->monitor->misses))
READER(skipped, pack_count(to, a->monitor->skipped))
READER(trips, pack_count(to, a->monitor->trips))
READER(timeouts, pack_count(to, a->monitor->timeouts))
READER(lost_slots, pack_count(to, a->monitor->lost_slots))
READER(budget_stops, pack_count(to, a->monitor->budget_stops))
READER(not_converged, pack_count(to, a->monitor->not_converged))
READER(refused_commands, pack_count(to, a->monitor->refused_commands))
READER(refused_requests, pack_count(to, a->monitor->refused_requests))
READER(major, pack_count(to, a->monitor->major))
READER(minor, pack_count(to, a->monitor->minor))
READER(involuntary, pack_count(to, a->monitor->involuntary))
READER(resets, pack_count(to, a->monitor->resets))
READER(iterations_max, pack_count(to, a->monitor->iterations_max))
READER(residual, pack_number(to, a->record->residual))
READER(deadline, pack_number(to, (double)a->monitor->deadline_ns * 1e-9))
READER(causes, pack_array(to, a->monitor->cause, CAUSE_COUNT, UA_TYPES_UINT64))
READER(histogram, pack_array(to, a->monitor->series[a->index].bin, MONITOR_BINS, UA_TYPES_UINT32))
READER(verdict_text, pack_text(to, a->server->attach->port.board->verdict_text))

UA_StatusCode monview_iterations(const struct pack_ask *a, UA_Variant *to)
{
    UA_UInt32 n = a->record->iterations;
    return pack_scalar(to, &n, UA_TYPES_UINT32);
}

UA_StatusCode monview_verdict(const struct pack_ask *a, UA_Variant *to)
{
    static const char *const WORD[] = {"guaranteed", "watched", "degraded"};
    uint32_t v = a->server->attach->port.board->verdict;

    return pack_text(to, v < 3 ? WORD[v] : "?");
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

READER(cause_names, pack_texts(to, a->model, CAUSE_COUNT, cause_name))
READER(series_names, pack_texts(to, a->model, SERIES_COUNT, series_name))

static UA_StatusCode seconds(const struct pack_ask *a, UA_Variant *to,
                             int64_t (*value)(const struct monitor_series *s))
{
    double v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = (double)value(&a->monitor->series[i]) * 1e-9;
    return pack_array(to, v, SERIES_COUNT, UA_TYPES_DOUBLE);
}

static UA_StatusCode counts(const struct pack_ask *a, UA_Variant *to,
                            uint64_t (*value)(const struct monitor_series *s))
{
    uint64_t v[SERIES_COUNT];

    for (int i = 0; i < SERIES_COUNT; i++) v[i] = value(&a->monitor->series[i]);
    return pack_array(to, v, SERIES_COUNT, UA_TYPES_UINT64);
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
static const struct looptime_histogram *loop(const struct pack_ask *a, enum looptime_clock clock)
{
    looptime_look(a->server);
    return &a->server->looptime.actuator[a->index].histogram[clock];
}

#define LOOP_READERS(stem, clock)                                                           \
    READER(stem##_bins, pack_array(to, loop(a, clock)->bin, LOOPTIME_BINS, UA_TYPES_UINT32)) \
    READER(stem##_count, pack_count(to, loop(a, clock)->n))                                 \
    READER(stem##_outside, pack_count(to, loop(a, clock)->outside))                         \
    READER(stem##_last, pack_number(to, (double)loop(a, clock)->last_ns * 1e-9))            \
    READER(stem##_max, pack_number(to, (double)loop(a, clock)->max_ns * 1e-9))

LOOP_READERS(loop, LOOPTIME_RECEIPT)
LOOP_READERS(client, LOOPTIME_CLIENT)
READER(loop_width, pack_number(to, (double)a->server->looptime.width_ns * 1e-9))

/* ---- records kept in memory -------------------------------------------------------- */

READER(newest, pack_count(to, ring_head(&a->server->attach->port.record)))

UA_StatusCode monview_kept(const struct pack_ask *a, UA_Variant *to)
{
    uint64_t head = ring_head(&a->server->attach->port.record);
    uint64_t depth = a->server->attach->port.layout.step.n_records;

    return pack_count(to, head < depth ? head : depth);
}

UA_StatusCode monview_depth(const struct pack_ask *a, UA_Variant *to)
{
    UA_UInt32 n = a->server->attach->port.layout.step.n_records;
    return pack_scalar(to, &n, UA_TYPES_UINT32);
}

UA_StatusCode monview_bytes(const struct pack_ask *a, UA_Variant *to)
{
    return pack_count(to, a->layout->bytes);
}
