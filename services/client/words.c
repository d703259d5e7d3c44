/* words.c: see words.h. One function per kind of event, in one table. */
#include "services/client/words.h"

#include <stdio.h>
#include <string.h>

#include "rt/link/account.h"
#include "rt/link/name.h"
#include "rt/link/record.h"
#include "rt/status.h"

typedef unsigned long long count;

/* ---- names ------------------------------------------------------------------------- */

const char *words_axis(uint32_t n, uint32_t k)
{
    static const char *const THREE[] = {"x", "y", "z"}, *const FOUR[] = {"w", "x", "y", "z"};

    if (n == 1 || k >= n) return "value";
    return n == 4 ? FOUR[k] : THREE[k % 3];
}

int words_channel(const struct model *m, uint32_t channel, char *to, size_t size)
{
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        uint32_t k = channel - s->channel_at;
        if (channel < s->channel_at || k >= s->n_channels) continue;
        if (s->n_channels == 1)
            snprintf(to, size, "%s", model_text(m, s->name));
        else
            snprintf(to, size, "%s.%s", model_text(m, s->name), words_axis(s->n_channels, k));
        return 1;
    }
    return 0;
}

const char *words_service(const struct board *b, uint32_t service)
{
    if (service == BLOCK_SUPERVISOR) return "supervisor";
    return service < BLOCK_SERVICES && b ? b->service[service].name : "?";
}

const char *words_who(const struct words *w, const struct event *e, char *to)
{
    size_t n = 0;

    while (n < sizeof e->who && e->who[n]) {
        to[n] = e->who[n] >= ' ' && e->who[n] < 127 ? e->who[n] : '?';
        n++;
    }
    to[n] = 0;
    if (n == 0) snprintf(to, WORDS_NAME, "%s", words_service(w->board, e->service));
    return to;
}

static const char *actuator(const struct words *w, int64_t i)
{
    const struct model *m = w->model;
    return i >= 0 && i < m->actuators.n ? model_text(m, model_actuators(m)[i].name) : "?";
}

static const char *about_fault(const struct words *w, const struct event *e, char *to)
{
    int64_t target = e->value >= 0 && e->value < 1e9 ? (int64_t)e->value : -1;

    if (e->a == FAULT_OVERRUN || target < 0) return NULL;
    if (e->b & 2)
        snprintf(to, WORDS_NAME, "%s", actuator(w, target));
    else if (!words_channel(w->model, (uint32_t)target, to, WORDS_NAME))
        return NULL;
    return to;
}

static const char *about_solver(const struct words *w, const struct event *e, char *to)
{
    struct name_element element;

    if (!name_element(w->model, (uint32_t)e->b, (uint32_t)e->index, &element)) return NULL;
    snprintf(to, WORDS_NAME, "%s %s", element.kind, element.name);
    return to;
}

const char *words_about(const struct words *w, const struct event *e, char *to)
{
    const struct model *m = w->model;

    switch (e->kind) {
    case EVENT_TIMEOUT:
        snprintf(to, WORDS_NAME, "%s", actuator(w, e->index));
        return to;
    case EVENT_SWITCH:
        if (e->index < 0 || (uint32_t)e->index >= m->switches.n) return NULL;
        snprintf(to, WORDS_NAME, "%s", model_text(m, model_switches(m)[e->index].name));
        return to;
    case EVENT_SERVICE:
    case EVENT_HUNG:
    case EVENT_LOST:
        snprintf(to, WORDS_NAME, "%s", words_service(w->board, e->service));
        return to;
    case EVENT_FAULT:
        return about_fault(w, e, to);
    case EVENT_SOLVER:
        return about_solver(w, e, to);
    default:
        return NULL;
    }
}

/* ---- sentences ------------------------------------------------------------------------ */

/* What a sentence is made of. */
struct sentence {
    const struct event *e;
    const struct model *model;
    const char *name, *who, *about; /* of the kind; of the user; or NULL */
};

static void say_plainly(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s", s->name);
}

static void say_about(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %.200s", s->name, s->about ? s->about : "?");
}

static void say_state(const struct sentence *s, char *to)
{
    const struct event *e = s->e;
    int safe = e->b == STATE_SAFE && e->index > TRIP_NONE;

    snprintf(to, WORDS_TEXT, "state %s -> %s%s%s", name_state((uint32_t)e->a),
             name_state((uint32_t)e->b), safe ? ": " : "",
             safe ? name_trip((uint32_t)e->index) : "");
}

static void say_miss(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s, %.0f us late, %llu slots skipped", s->name,
             name_cause((uint32_t)s->e->a), s->e->value * 1e6, (count)s->e->b);
}

static void say_trip(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s", s->name, name_trip((uint32_t)s->e->a));
}

static void say_solver(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s%s%.200s", s->name, status_text((enum status)s->e->a),
             s->about ? " at " : "", s->about ? s->about : "");
}

static void say_lease(const struct sentence *s, char *to)
{
    const struct event *e = s->e;
    const char *mode = e->index == LEASE_MANUAL ? "manual" : "stream";

    if (e->a == LEASE_END_NOT)
        snprintf(to, WORDS_TEXT, "%s %llu granted to %s (%s)", s->name, (count)e->b, s->who, mode);
    else if (e->a == LEASE_END_RELEASED)
        snprintf(to, WORDS_TEXT, "%s %llu released by %s", s->name, (count)e->b, s->who);
    else if (e->a == LEASE_END_PREEMPTED)
        snprintf(to, WORDS_TEXT, "%s %llu lost: taken by %s", s->name, (count)e->b, s->who);
    else
        snprintf(to, WORDS_TEXT, "%s %llu of %s lost: %s", s->name, (count)e->b, s->who,
                 name_lease_end((uint32_t)e->a));
}

static void say_steps(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %llu", s->name, (count)s->e->a);
}

static void say_request(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s", name_request((uint32_t)s->e->a),
             name_reply((uint32_t)s->e->b));
}

static void say_fault(const struct sentence *s, char *to)
{
    const struct event *e = s->e;

    snprintf(to, WORDS_TEXT, "%s %s%s%.120s %s, slot %d, by %s", s->name,
             name_fault((uint32_t)e->a), s->about ? " on " : "", s->about ? s->about : "",
             e->b & 1 ? "begins" : "ends", (int)e->index, s->who);
}

static void say_switch(const struct sentence *s, char *to)
{
    const struct model *m = s->model;
    if (s->e->a == 2 && s->e->b < m->joints.n) {
        snprintf(to, WORDS_TEXT, "%s: %.80s refused, a motion or other joints drive %.80s", s->name,
                 s->about ? s->about : "?", model_text(m, model_joints(m)[s->e->b].name));
        return;
    }
    snprintf(to, WORDS_TEXT, "%s: %.180s, %.5g J lost%s", s->name, s->about ? s->about : "?",
             s->e->value, s->e->a ? ", at the step's end" : "");
}

static void say_end(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s", s->name, name_trip((uint32_t)s->e->a));
}

static void say_scheduling(const struct sentence *s, char *to)
{
    const struct event *e = s->e;

    if (e->a)
        snprintf(to, WORDS_TEXT, "%s:%s%s%s, now priority %.0f on core %d", s->name,
                 e->a & BOARD_POLICY ? " policy" : "", e->a & BOARD_PRIORITY ? " priority" : "",
                 e->a & BOARD_CORE ? " core" : "", e->value, e->index);
    else
        snprintf(to, WORDS_TEXT, "%s: as it was set again", s->name);
}

static void say_hung(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s, no heartbeat for %.1f s", s->name, s->about, s->e->value);
}

static void say_lost(const struct sentence *s, char *to)
{
    snprintf(to, WORDS_TEXT, "%s: %s cannot run%s", s->name, s->about,
             s->e->a ? ", and the rig demands it" : "");
}

static const struct {
    const char *kind;
    void (*say)(const struct sentence *s, char *to);
} ROW[EVENT_COUNT] = {
    [EVENT_STATE] = {"state", say_state},
    [EVENT_MISS] = {"miss", say_miss},
    [EVENT_TRIP] = {"trip", say_trip},
    [EVENT_TIMEOUT] = {"timeout", say_about},
    [EVENT_SOLVER] = {"solver", say_solver},
    [EVENT_LEASE] = {"authority", say_lease},
    [EVENT_REQUEST] = {"request", say_request},
    [EVENT_STEPS_DONE] = {"steps-done", say_steps},
    [EVENT_LOCKSTEP] = {"lockstep", say_plainly},
    [EVENT_SERVICE] = {"service", say_about},
    [EVENT_FAULT] = {"fault", say_fault},
    [EVENT_SWITCH] = {"switch", say_switch},
    [EVENT_DONE] = {"done", say_plainly},
    [EVENT_END] = {"end", say_end},
    [EVENT_SCHEDULING] = {"scheduling", say_scheduling},
    [EVENT_HUNG] = {"service-hung", say_hung},
    [EVENT_LOST] = {"service-lost", say_lost},
};

const char *words_kind(uint32_t kind)
{
    return kind < EVENT_COUNT && ROW[kind].kind ? ROW[kind].kind : "event";
}

void words_event(const struct words *w, const struct event *e, char *to)
{
    char who[WORDS_NAME], about[WORDS_NAME];
    struct sentence s = {.e = e,
                         .model = w->model,
                         .name = name_event(e->kind),
                         .who = words_who(w, e, who),
                         .about = words_about(w, e, about)};

    if (e->kind < EVENT_COUNT && ROW[e->kind].say)
        ROW[e->kind].say(&s, to);
    else
        say_plainly(&s, to);
}
