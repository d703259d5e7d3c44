/* trapeze top [RIG]: look at a running rig from a second terminal. Reads memory only;
 * the rig does not notice. */
#include <ncurses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/link/name.h"
#include "services/cli/verbs.h"
#include "services/run/attach.h"
#include "services/run/notice.h"

enum { OPTION_ONCE };
enum { BAR = 40, HISTOGRAM = 24, REFRESH_MS = 200, SIGNALS = 64 };

static const struct verb_option OPTION[] = {
    [OPTION_ONCE] = {"--once", NULL, "print one look as text and end"},
    {NULL, NULL, NULL},
};

/* Where lines go: the screen, or stdout. */
struct view {
    struct port port;
    struct record *record;
    int screen;
    int row;
};

__attribute__((format(printf, 2, 3))) static void line(struct view *v, const char *format, ...)
{
    char text[512];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    if (v->screen)
        mvaddnstr(v->row++, 0, text, COLS);
    else
        printf("%s\n", text);
}

static void show_head(struct view *v)
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
    if (r->lease.number)
        line(v, "authority %llu: %s, session %llu, %s", (unsigned long long)r->lease.number,
             b->service[r->lease.service % BLOCK_SERVICES].name,
             (unsigned long long)r->lease.session,
             r->lease.mode == LEASE_STREAM ? "stream" : "manual");
    for (int i = 1; i < BLOCK_SERVICES; i++)
        if (b->service[i].name[0])
            line(v, "service %s: %s, started %u times", b->service[i].name,
                 b->service[i].pid ? "up" : "down", b->service[i].epoch);
}

static const char *series_name(uint32_t i)
{
    return i == SERIES_WAKE ? "wake" : i == SERIES_END ? "end" : name_phase(i - SERIES_PHASE);
}

static void show_times(struct view *v)
{
    const struct monitor *m = v->port.monitor;

    line(v, " ");
    line(v, "%-9s %10s %10s %10s %10s  of deadline", "time", "last", "mean", "minute", "ever");
    for (uint32_t i = 0; i < SERIES_COUNT; i++) {
        const struct monitor_series *s = &m->series[i];
        char last[16], mean[16], minute[16], ever[16], bar[BAR + 1] = {0};
        int64_t n = s->last_ns * BAR / (m->deadline_ns > 0 ? m->deadline_ns : 1);
        memset(bar, '#', (size_t)(n < 0 ? 0 : n > BAR ? BAR : n));
        line(v, "%-9s %10s %10s %10s %10s  %s", series_name(i), notice_time(s->last_ns, last),
             notice_time(s->n ? (int64_t)(s->sum_ns / s->n) : 0, mean),
             notice_time(monitor_minute_max(s), minute), notice_time(s->max_ns, ever), bar);
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

static void show_signals(struct view *v)
{
    char text[32];
    const struct record_layout *l = &v->port.layout.step.record;
    const struct model *m = v->port.model;
    const struct record_actuator *a = record_actuators(l, v->record);
    int shown = 0;

    line(v, " ");
    for (uint32_t i = 0; i < m->actuators.n && shown < SIGNALS; i++, shown++)
        line(v, "<- %-28s %14.6g %-6s %s%s%s", model_text(m, model_actuators(m)[i].name),
             a[i].value, model_text(m, model_actuators(m)[i].unit), age(a[i].age_ns, text),
             a[i].flags & ACTUATOR_TIMEOUT ? "  timeout" : "",
             a[i].flags & ACTUATOR_SAFE ? "  safe" : "");
    for (uint32_t i = 0; i < m->sensors.n && shown < SIGNALS; i++, shown++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        char row[200];
        int n = snprintf(row, sizeof row, "-> %-28s", model_text(m, s->name));
        for (uint32_t k = 0; k < s->n_channels && n > 0 && n < 180; k++)
            n += snprintf(row + n, sizeof row - (size_t)n, " %14.6g",
                          record_channels(l, v->record)[s->channel_at + k]);
        line(v, "%s %s", row, model_text(m, s->unit));
    }
}

static void show(struct view *v)
{
    v->row = 0;
    port_record(&v->port, v->record);
    show_head(v);
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
    curs_set(0);
    timeout(REFRESH_MS);
    while (!*stop) {
        int key;
        erase();
        show(v);
        mvaddnstr(LINES - 1, 0, "q ends", COLS);
        refresh();
        key = getch();
        if (key == 'q' || key == 'Q') break;
    }
    endwin();
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
    if (call->value[OPTION_ONCE])
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
