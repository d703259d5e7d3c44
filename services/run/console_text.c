#include "services/run/console_text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rt/link/name.h"

enum { CONSOLE_TEXT_TEXT = 512 };

const char *console_text_time(int64_t ns, char text[16])
{
    if (ns < 9950)
        snprintf(text, 16, "%.1f us", (double)ns / 1e3);
    else if (ns < 9950000)
        snprintf(text, 16, "%.0f us", (double)ns / 1e3);
    else
        snprintf(text, 16, "%.1f ms", (double)ns / 1e6);
    return text;
}

void console_text_admission(const struct supervisor *s)
{
    const struct admission *a = &s->result->admission;
    const struct rig *rig = s->o->rig;
    char median[16], bound[16], step[16];

    if (!s->o->out) return;
    fprintf(
        s->o->out,
        "admit   step %s on core %d, services on %s: median %s, bound %s of %.0f us, margin %.0f %%",
        console_text_time((int64_t)(rig->step * 1e9), step), s->stepper.core, s->machine.others,
        console_text_time(a->runs.median_ns, median), console_text_time(a->bound_ns, bound),
        rig->deadline * 1e6, 100 * (1 - (double)a->bound_ns / (rig->deadline * 1e9)));
    fprintf(s->o->out, ": %s\n",
            s->result->accepted ? "accepted"
            : a->contacts       ? "refused (all iterations, a contact that opens or a switch)"
                                : "refused (all iterations)");
}

void console_text_verdict(const struct supervisor *s, char *text, size_t size)
{
    const struct host *m = &s->machine;
    const char *gap = "";
    size_t n = 0;

    text[0] = 0;
#define SAY(condition, ...)                                                   \
    if ((condition) && n < size) {                                            \
        n += (size_t)snprintf(text + n, size - n, "%s", gap);                 \
        if (n < size) n += (size_t)snprintf(text + n, size - n, __VA_ARGS__); \
        gap = ", ";                                                           \
    }
    SAY(!m->rt_kernel, "not a PREEMPT_RT kernel")
    SAY(!m->isolated, "core %d not isolated", m->core)
    SAY(!m->can_fifo, "no right to SCHED_FIFO")
    SAY(!m->can_lock, "memory cannot be locked")
    SAY(!m->vdso, "the clock needs system calls")
#undef SAY
    if (n == 0) snprintf(text, size, "PREEMPT_RT kernel, core %d isolated, memory locked", m->core);
}

void console_text_machine(const struct supervisor *s)
{
    char text[512];
    const char *promise = "deadlines are guaranteed, hardware permitting";

    if (s->o->rig->pace == RIG_FREE)
        promise = "pace free keeps no deadlines and needs none of it";
    else if (s->degraded)
        promise = "runs degraded, because asked to";
    else if (s->board->verdict == BOARD_WATCHED)
        promise = "deadlines are watched but not guaranteed";
    if (!s->o->out) return;
    console_text_verdict(s, text, sizeof text);
    fprintf(s->o->out, "doctor  %s: %s (trapeze doctor)\n", text, promise);
}

void console_text_rights(const struct supervisor *s)
{
    const struct host *m = &s->machine;

    for (int i = 0; i < m->n; i++) {
        const struct host_fact *f = &m->fact[i];
        if (strcmp(f->key, "priority") != 0 && strcmp(f->key, "memory-lock") != 0) continue;
        if (f->state == HOST_MEND)
            fprintf(stderr, "trapeze: %s\n         grant it: %s\n", f->found, f->remedy);
    }
    fprintf(stderr, "trapeze: or run without real time: --allow-degraded\n");
}

void console_text_running(const struct supervisor *s)
{
    const struct record *r = s->record;
    const struct monitor *m = s->port.monitor;
    char step[16], wake[16];

    if (!s->o->out || !isatty(fileno(s->o->out))) return;
    fprintf(s->o->out, "\r%-8s t %.1f s   step %s   wake %s   misses %llu   \033[K",
            name_state(r->state), r->t,
            console_text_time(m->series[SERIES_PHASE + PHASE_STEP].last_ns, step),
            console_text_time(m->series[SERIES_WAKE].last_ns, wake), (unsigned long long)m->misses);
    fflush(s->o->out);
}

/* What the run came to, and why it ended, in to[size]. */
static void sum_up(const struct supervisor *s, char *to, size_t size)
{
    const struct monitor *m = s->port.monitor;
    int safe = s->state_at_end == STATE_SAFE && s->trip_at_end != TRIP_NONE;
    char worst[16];
    size_t n = (size_t)snprintf(
        to, size, "%s at t %.3f s after %llu steps, %llu misses", name_state(s->state_at_end),
        s->record->t, (unsigned long long)s->record->step, (unsigned long long)m->ever.misses);

    for (uint32_t i = 1; i < CAUSE_COUNT && n < size; i++)
        if (m->ever.cause[i])
            n += (size_t)snprintf(to + n, size - n, ", %llu %s",
                                  (unsigned long long)m->ever.cause[i], name_cause(i));
    if (n < size)
        snprintf(to + n, size - n, ", worst end %s: %s%s%s",
                 console_text_time(m->series[SERIES_END].max_ns, worst),
                 safe ? name_trip(s->trip_at_end) : "", safe ? "; " : "",
                 s->why ? s->why : "not begun");
}

void console_text_end(struct supervisor *s)
{
    FILE *to = s->o->out ? s->o->out : s->o->log;
    char text[CONSOLE_TEXT_TEXT];

    if (!to) return;
    sum_up(s, text, sizeof text);
    if (s->o->log_json)
        journal_say(
            &s->journal, &s->port, s->record,
            &(struct journal_line){.kind = "ended",
                                   .message = text,
                                   .severity = JOURNAL_QUIET,
                                   .name = "reason",
                                   .value = s->trip_at_end ? name_trip(s->trip_at_end) : s->why});
    else
        fprintf(to, "%sended   %s\n", isatty(fileno(to)) ? "\r\033[K" : "", text);
}
