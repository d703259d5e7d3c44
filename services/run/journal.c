#include "services/run/journal.h"

#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt/link/name.h"
#include "services/client/words.h"

#define SECOND INT64_C(1000000000)
typedef unsigned long long count;

/* What goes into one line. */
struct entry {
    const char *kind, *message;
    uint32_t severity;
    int64_t utc_ns;
    uint64_t step;
    double t;
    json_t *fields; /* handed over; NULL outside JSON */
};

void journal_open(struct journal *j, const struct port *port, FILE *out, int json, int quiet)
{
    *j = (struct journal){.out = out, .json = json, .quiet = quiet};
    j->cursor = ring_head(&port->event);
}

/* ---- a line ---------------------------------------------------------------------------- */

static void write_text(const struct journal *j, const struct entry *e)
{
    fprintf(j->out, "%s%-7s t %.3f s  %s\n", isatty(fileno(j->out)) ? "\r\033[K" : "", e->kind,
            e->t, e->message);
}

static void write_json(const struct journal *j, const struct entry *e)
{
    time_t s = (time_t)(e->utc_ns / SECOND);
    char day[32], time[48];
    struct tm utc;
    json_t *o;

    gmtime_r(&s, &utc);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(time, sizeof time, "%s.%03dZ", day, (int)(e->utc_ns % SECOND / 1000000));
    o = json_pack("{s:s, s:f, s:I, s:s, s:i, s:s, s:o}", "time", time, "t", e->t, "step",
                  (json_int_t)e->step, "kind", e->kind, "severity", (int)e->severity, "message",
                  e->message, "fields", e->fields ? e->fields : json_object());
    if (o) json_dumpf(o, j->out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    fputc('\n', j->out);
    json_decref(o);
}

static void write_entry(const struct journal *j, const struct entry *e)
{
    if (!j->out || (j->quiet && e->severity < JOURNAL_QUIET))
        json_decref(e->fields);
    else if (j->json)
        write_json(j, e);
    else
        write_text(j, e);
    if (j->out) fflush(j->out);
}

/* ---- events ---------------------------------------------------------------------------- */

/* The numbers and names of an event, for machines. */
static json_t *fields_of(const struct words *w, const struct event *e)
{
    char who[WORDS_NAME], about[WORDS_NAME];
    json_t *o = json_pack("{s:s, s:s}", "who", words_who(w, e, who), "service",
                          words_service(w->board, e->service));

    if (words_about(w, e, about)) json_object_set_new(o, "about", json_string(about));
#define TEXT(key, text) json_object_set_new(o, key, json_string(text))
#define COUNT(key, n) json_object_set_new(o, key, json_integer((json_int_t)(n)))
    switch (e->kind) {
    case EVENT_STATE:
        TEXT("from", name_state((uint32_t)e->a));
        TEXT("to", name_state((uint32_t)e->b));
        TEXT("trip", name_trip((uint32_t)e->index));
        break;
    case EVENT_TRIP:
        TEXT("trip", name_trip((uint32_t)e->a));
        COUNT("misses", e->b);
        break;
    case EVENT_TIMEOUT:
        json_object_set_new(o, "value", json_real(e->value));
        break;
    case EVENT_LEASE:
        TEXT("change", name_lease_end((uint32_t)e->a));
        TEXT("mode", e->index == LEASE_MANUAL ? "manual" : "stream");
        COUNT("lease", e->b);
        break;
    case EVENT_REQUEST:
        TEXT("request", name_request((uint32_t)e->a));
        TEXT("result", name_reply((uint32_t)e->b));
        break;
    case EVENT_FAULT:
        TEXT("fault", name_fault((uint32_t)e->a));
        COUNT("slot", e->index);
        json_object_set_new(o, "begins", json_boolean(e->b & 1));
        break;
    case EVENT_SWITCH:
        json_object_set_new(o, "loss", json_real(e->value));
        json_object_set_new(o, "refused", json_boolean(e->a == 2));
        break;
    case EVENT_STEPS_DONE:
        COUNT("steps", e->a);
        break;
    default:
        break;
    }
#undef TEXT
#undef COUNT
    return o;
}

static int64_t utc(const struct port *port, int64_t monotonic_ns)
{
    struct timespec now;

    if (monotonic_ns == 0) {
        clock_gettime(CLOCK_REALTIME, &now);
        return now.tv_sec * SECOND + now.tv_nsec;
    }
    return monotonic_ns +
           atomic_load_explicit(&port->board->utc_offset_now_ns, memory_order_relaxed);
}

/* Misses are summed up; the end of the run, and what the supervisor asks for then, has a
 * line of its own. */
static int is_told_elsewhere(struct journal *j, const struct event *e)
{
    int starting = j->starting;

    switch (e->kind) {
    case EVENT_MISS:
    case EVENT_END:
        return 1;
    case EVENT_STATE:
        if (e->b != STATE_ARMED) j->starting = 0;
        return e->index == TRIP_STOP ||
               (starting && (e->b == STATE_ARMED || e->b == STATE_RUNNING));
    case EVENT_REQUEST:
        return e->service == BLOCK_SUPERVISOR && e->b <= REPLY_STARTED;
    default:
        return 0;
    }
}

static void tell(struct journal *j, const struct port *port, const struct event *e)
{
    const struct words w = {.model = port->model, .board = port->board};
    char message[WORDS_TEXT], who[WORDS_NAME], text[WORDS_TEXT + WORDS_NAME + 8];

    if (e->kind == EVENT_DONE) j->over = 1;
    if (is_told_elsewhere(j, e)) return;
    words_event(&w, e, message);
    snprintf(text, sizeof text, "%s%s%s", message, e->kind == EVENT_REQUEST ? ", by " : "",
             e->kind == EVENT_REQUEST ? words_who(&w, e, who) : "");
    write_entry(j, &(struct entry){.kind = words_kind(e->kind),
                                   .message = text,
                                   .severity = e->severity,
                                   .utc_ns = utc(port, e->time_ns),
                                   .step = e->step,
                                   .t = e->t,
                                   .fields = j->json && j->out ? fields_of(&w, e) : NULL});
}

/* ---- misses ----------------------------------------------------------------------------- */

static void sum_misses(struct journal *j, const struct port *port, double t, uint64_t step)
{
    const struct monitor *m = port->monitor;
    uint64_t skipped = m->skipped - j->skipped, sum = 0;
    json_t *fields = j->json && j->out ? json_object() : NULL;
    char text[WORDS_TEXT];
    size_t n = 0;

    for (uint32_t i = 1; i < CAUSE_COUNT; i++) {
        uint64_t more = m->cause[i] - j->cause[i];
        j->cause[i] = m->cause[i];
        if (more == 0) continue;
        sum += more;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu %s", n ? ", " : "", (count)more,
                              name_cause(i));
        if (n >= sizeof text) n = sizeof text - 1;
        if (fields) json_object_set_new(fields, name_cause(i), json_integer((json_int_t)more));
    }
    j->skipped = m->skipped;
    if (sum > 0) {
        char message[WORDS_TEXT + 80];
        snprintf(message, sizeof message, "deadline missed %llu time%s: %s; %llu slots skipped",
                 (count)sum, sum == 1 ? "" : "s", text, (count)skipped);
        write_entry(j, &(struct entry){.kind = "miss",
                                       .message = message,
                                       .severity = name_event_severity(EVENT_MISS),
                                       .utc_ns = utc(port, 0),
                                       .step = step,
                                       .t = t,
                                       .fields = fields});
    } else {
        json_decref(fields);
    }
}

/* The counters begin anew when the statistics are reset. */
static void follow_resets(struct journal *j, const struct port *port)
{
    if (j->resets == port->monitor->resets) return;
    j->resets = port->monitor->resets;
    memset(j->cause, 0, sizeof j->cause);
    j->skipped = 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

static void look(struct journal *j, const struct port *port, const struct record *r, int finish)
{
    struct timespec now;
    struct event e = {.t = 0};
    uint64_t lost = 0, n = 0;
    int64_t ns;

    while (n++ < BLOCK_EVENTS && ring_next(&port->event, &j->cursor, &e, &lost) == RING_OK)
        tell(j, port, &e);
    if (lost) {
        char message[64];
        snprintf(message, sizeof message, "%llu events more were not told", (count)lost);
        journal_say(j, port, r,
                    &(struct journal_line){.kind = "lost", .message = message, .severity = 500});
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    ns = now.tv_sec * SECOND + now.tv_nsec;
    if (!finish && ns - j->summed_ns < SECOND) return;
    j->summed_ns = ns;
    follow_resets(j, port);
    if (port->monitor->clearing == 0) sum_misses(j, port, r->t, r->step);
}

void journal_look(struct journal *j, const struct port *port, const struct record *r)
{
    look(j, port, r, 0);
}

void journal_finish(struct journal *j, const struct port *port, const struct record *r)
{
    look(j, port, r, 1);
}

void journal_say(struct journal *j, const struct port *port, const struct record *r,
                 const struct journal_line *line)
{
    json_t *fields = NULL;

    if (j->json && j->out) {
        fields = json_object();
        if (line->name) json_object_set_new(fields, line->name, json_string(line->value));
    }
    write_entry(j, &(struct entry){.kind = line->kind,
                                   .message = line->message,
                                   .severity = line->severity,
                                   .utc_ns = utc(port, 0),
                                   .step = r->step,
                                   .t = r->t,
                                   .fields = fields});
}
