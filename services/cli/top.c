/* trapeze top [RIG]: look at a running rig from a second terminal. Reads memory only;
 * the rig does not notice. */
#include <math.h>
#include <ncurses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "rt/link/name.h"
#include "services/cli/verbs.h"
#include "services/run/attach.h"
#include "services/run/console_text.h"

enum { OPTION_ONCE, OPTION_JSON };
enum { BAR = 30, HISTOGRAM = 24, REFRESH_MS = 200, PAGE = 10 };

static const struct verb_option OPTION[] = {
    [OPTION_ONCE] = {"--once", NULL, "print one look as text and end"},
    [OPTION_JSON] = {"--json", NULL, "print one look as JSON and end"},
    {NULL, NULL, NULL},
};

/* Where lines go: the screen, or stdout. */
struct view {
    struct port port;
    struct record *record;
    int screen;
    int row;
    int first;               /* signals above the first one shown */
};

__attribute__((format(printf, 2, 3))) static void line(struct view *v, const char *format, ...)
{
    char text[512];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    if (!v->screen)
        printf("%s\n", text);
    else if (v->row < LINES - 1)
        mvaddnstr(v->row++, 0, text, COLS);
}

/* Only where somebody has laid hands on it. */
static void show_scheduling(struct view *v)
{
    const struct board *b = v->port.board;
    uint32_t now = b->scheduling;

    if (b->scheduling_changes == 0) return;
    line(v, "SCHEDULING of the step was changed %u times, now:%s%s%s%s", b->scheduling_changes,
         now & BOARD_POLICY ? " policy" : "", now & BOARD_PRIORITY ? " priority" : "",
         now & BOARD_CORE ? " core" : "", now ? "" : " as it was set");
}

static void publish_head(struct view *v)
{
    const struct record *r = v->record;
    const struct board *b = v->port.board;
    static const char *const VERDICT[] = {"guaranteed", "watched", "degraded"};

    line(v, "%-9s t %.3f s   step %llu   heartbeat %llu   pace %s   on miss %s",
         port_step_alive(&v->port) ? name_state(r->state) : "GONE", r->t,
         (unsigned long long)r->step, (unsigned long long)r->tick, name_pace(r->pace),
         name_policy(r->policy));
    line(v, "core %u, services on %s, priority %u, deadlines %s: %s", b->core, b->service_cores,
         b->priority, VERDICT[b->verdict < 3 ? b->verdict : 2], b->verdict_text);
    if (r->trip) line(v, "tripped: %s", name_trip(r->trip));
    show_scheduling(v);
    if (r->lease.number)
        line(v, "authority %llu: %s, session %llu, %s", (unsigned long long)r->lease.number,
             b->service[r->lease.service % BLOCK_SERVICES].name,
             (unsigned long long)r->lease.session,
             r->lease.mode == LEASE_STREAM ? "stream" : "manual");
    for (int i = 1; i < BLOCK_SERVICES; i++)
        if (b->service[i].name[0])
            line(v, "service %s: %s, started %u times%s", b->service[i].name,
                 b->service[i].pid    ? "up"
                 : b->service[i].lost ? "given up"
                                      : "down",
                 b->service[i].epoch, b->service[i].hangs ? ", hung before" : "");
}

static const char *series_name(uint32_t i)
{
    return i == SERIES_WAKE ? "wake" : i == SERIES_END ? "end" : name_phase(i - SERIES_PHASE);
}

/* Columns of a time on a logarithmic scale from 1 us to the deadline. */
static int columns(int64_t ns, int64_t deadline_ns)
{
    double share = ns > 1000 && deadline_ns > 1000
                       ? log((double)ns / 1e3) / log((double)deadline_ns / 1e3)
                       : 0;
    return (int)(BAR * (share < 1 ? share : 1));
}

/* Mean as #, on to the last minute's maximum as -, ! where that is past the deadline. */
static void draw_bar(const struct monitor_series *s, int64_t minute, int64_t deadline_ns, char *bar)
{
    int mean = columns(s->n ? (int64_t)(s->sum_ns / s->n) : 0, deadline_ns);
    int most = columns(minute, deadline_ns);

    memset(bar, '#', (size_t)mean);
    if (most > mean) memset(bar + mean, '-', (size_t)(most - mean));
    bar[most > mean ? most : mean] = 0;
    if (minute >= deadline_ns) bar[BAR - 1] = '!';
}

static void show_times(struct view *v)
{
    const struct monitor *m = v->port.monitor;
    char deadline[16];

    line(v, " ");
    line(v, "%-8s %8s %8s %8s %9s %8s %9s  1 us%*s", "time", "last", "mean", "minute", "at step",
         "ever", "at step", BAR - 4, console_text_time(m->deadline_ns, deadline));
    for (uint32_t i = 0; i < SERIES_COUNT; i++) {
        const struct monitor_series *s = &m->series[i];
        char last[16], mean[16], most[16], ever[16], bar[BAR + 1] = {0};
        int64_t minute = monitor_minute_max(s);
        draw_bar(s, minute, m->deadline_ns, bar);
        line(v, "%-8s %8s %8s %8s %9llu %8s %9llu  %s", series_name(i),
             console_text_time(s->last_ns, last),
             console_text_time(s->n ? (int64_t)(s->sum_ns / s->n) : 0, mean),
             console_text_time(minute, most), (unsigned long long)monitor_minute_step(s),
             console_text_time(s->max_ns, ever), (unsigned long long)s->max_step, bar);
    }
}

static void show_misses(struct view *v)
{
    const struct monitor *m = v->port.monitor;

    line(v, " ");
    line(v, "%llu misses, %llu slots skipped, %llu lost, %llu trips, %llu timeouts, %llu cut short",
         (unsigned long long)m->misses, (unsigned long long)m->skipped,
         (unsigned long long)m->lost_slots, (unsigned long long)m->trips,
         (unsigned long long)m->timeouts, (unsigned long long)m->budget_stops);
    for (uint32_t i = 1; i < CAUSE_COUNT; i++)
        if (m->cause[i]) line(v, "  %-14s %llu", name_cause(i), (unsigned long long)m->cause[i]);
    line(v, "%llu page faults, %llu switches asked for, %llu suffered, %llu iterations at most",
         (unsigned long long)m->minor + m->major, (unsigned long long)m->voluntary,
         (unsigned long long)m->involuntary, (unsigned long long)m->iterations_max);
}

/* Release to publish, in powers of two of microseconds. */
static void show_histogram(struct view *v)
{
    const struct monitor_series *s = &v->port.monitor->series[SERIES_END];
    uint64_t bin[14] = {0}, most = 1;

    for (int i = 0; i < MONITOR_BINS; i++) {
        int k = 0;
        while ((1 << k) <= i && k < 12) k++;
        bin[k] += s->bin[i];
    }
    bin[13] = s->overflow;
    for (int k = 0; k < 14; k++)
        if (bin[k] > most) most = bin[k];
    line(v, " ");
    line(v, "release to publish");
    for (int k = 0; k < 14; k++) {
        char bar[HISTOGRAM + 1] = {0};
        if (bin[k] == 0) continue;
        memset(bar, '#', (size_t)(bin[k] * HISTOGRAM / most));
        line(v, "%s%5d us %12llu %s", k == 13 ? ">=" : " <", k == 13 ? MONITOR_BINS : 1 << k,
             (unsigned long long)bin[k], bar[0] ? bar : ".");
    }
}

static const char *age(int64_t ns, char text[32])
{
    if (ns < 0) return "never written";
    snprintf(text, 32, "age %lld ms", (long long)(ns / 1000000));
    return text;
}

static void show_actuator(struct view *v, uint32_t i)
{
    const struct model *m = v->port.model;
    const struct model_actuator *k = &model_actuators(m)[i];
    const struct record_actuator *a = &record_actuators(&v->port.layout.step.record, v->record)[i];
    char text[32];

    line(v, "<- %-28s %14.6g %-6s %s%s%s", model_text(m, k->name), a->value, model_text(m, k->unit),
         age(a->age_ns, text), a->flags & ACTUATOR_TIMEOUT ? "  timeout" : "",
         a->flags & ACTUATOR_SAFE ? "  safe" : "");
}

static void show_sensor(struct view *v, uint32_t i)
{
    const struct model *m = v->port.model;
    const struct model_sensor *s = &model_sensors(m)[i];
    const double *channel = record_channels(&v->port.layout.step.record, v->record);
    char row[200];
    int n = snprintf(row, sizeof row, "-> %-28s", model_text(m, s->name));

    for (uint32_t k = 0; k < s->n_channels && n > 0 && n < 180; k++)
        n += snprintf(row + n, sizeof row - (size_t)n, " %14.6g", channel[s->channel_at + k]);
    line(v, "%s %s", row, model_text(m, s->unit));
}

static void show_signals(struct view *v)
{
    const struct model *m = v->port.model;
    uint32_t n = m->actuators.n + m->sensors.n;

    if (v->first >= (int)n) v->first = n ? (int)n - 1 : 0;
    line(v, " ");
    for (uint32_t i = (uint32_t)v->first; i < n; i++)
        if (i < m->actuators.n)
            show_actuator(v, i);
        else
            show_sensor(v, i - m->actuators.n);
}

static void show(struct view *v)
{
    v->row = 0;
    port_record(&v->port, v->record);
    publish_head(v);
    show_times(v);
    show_misses(v);
    show_histogram(v);
    show_signals(v);
}

static void watch(struct view *v, const volatile sig_atomic_t *stop)
{
    v->screen = 1;
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout(REFRESH_MS);
    while (!*stop) {
        int key;
        erase();
        show(v);
        mvaddnstr(LINES - 1, 0, "q ends   arrows and pages move the signals", COLS);
        refresh();
        key = getch();
        if (key == 'q' || key == 'Q') break;
        v->first += key == KEY_DOWN ? 1 : key == KEY_UP ? -1 : 0;
        v->first += key == KEY_NPAGE ? PAGE : key == KEY_PPAGE ? -PAGE : 0;
        if (v->first < 0) v->first = 0;
    }
    endwin();
}

/* One look, for programs: SI and the channels' own units, nothing rounded. */
static void show_json(struct view *v)
{
    const struct model *m = v->port.model;
    const struct board *b = v->port.board;
    json_t *sensors = json_object();

    port_record(&v->port, v->record);
    const double *channel = record_channels(&v->port.layout.step.record, v->record);
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        json_t *values = json_array();
        for (uint32_t k = 0; k < s->n_channels; k++)
            json_array_append_new(values, json_real(channel[s->channel_at + k]));
        json_object_set_new(
            sensors, model_text(m, s->name),
            json_pack("{s:o, s:s}", "values", values, "unit", model_text(m, s->unit)));
    }
    json_t *root = json_pack("{s:s, s:f, s:I, s:I, s:i, s:i, s:s, s:o}", "state",
                             port_step_alive(&v->port) ? name_state(v->record->state) : "gone", "t",
                             v->record->t, "step", (json_int_t)v->record->step, "heartbeat",
                             (json_int_t)v->record->tick, "core", (int)b->core, "pid",
                             (int)b->supervisor_pid, "endpoint", b->endpoint, "sensors", sensors);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    printf("\n");
    json_decref(root);
}

static enum status top_run(const struct verb_call *call)
{
    char why[200] = "";
    struct view v = {.screen = 0};
    enum status s = attach_open(call->n_arguments ? call->argument[0] : NULL, &v.port, why);

    if (s != STATUS_OK) {
        fprintf(stderr, "trapeze top: %s\n", why[0] ? why : status_text(s));
        return s;
    }
    v.record = calloc(1, v.port.layout.step.record.bytes);
    if (!v.record) return STATUS_NO_MEMORY;
    if (call->value[OPTION_JSON])
        show_json(&v);
    else if (call->value[OPTION_ONCE])
        show(&v);
    else
        watch(&v, call->stop);
    free(v.record);
    return STATUS_OK;
}

const struct verb TOP_VERB = {.name = "top",
                              .arguments = "[RIG]",
                              .help = "watch a running rig: times, misses, signals",
                              .option = OPTION,
                              .least = 0,
                              .most = 1,
                              .run = top_run};
