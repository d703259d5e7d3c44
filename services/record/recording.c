#include "services/record/recording.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/client/words.h"

enum { FIELD = 256 };

/* A cdr message being put together; numbers are aligned from the first byte on. */
struct cdr {
    char *at;
    size_t n, room;
};

/* The fields of a message: the text of its schema and the metadata of its channel. */
struct fields {
    char *text;
    size_t n_text;
    struct mcap_pair *pair;   /* true name and unit per field, closed by NULL */
    char **owned;
    size_t n, room;
    int failed;
};

struct recording {
    struct mcap *file;
    struct record_layout layout;
    struct recording_options o;
    uint16_t sensors, commands, poses, accounts, events, quality, gaps;
    uint32_t sequence[8];     /* by channel */
    uint32_t passed;          /* records since the last one kept */
    int64_t last_ns;          /* release of the last record */
    uint32_t *flags;          /* of each channel when told last */
    int told;                 /* flags were told once */
    struct cdr cdr;
};

/* ---- names ---------------------------------------------------------------------- */

void recording_field(const char *name, char *field, size_t room)
{
    size_t n = 0;
    if (!isalpha((unsigned char)name[0]) && n + 1 < room) field[n++] = 'f';
    for (; *name && n + 1 < room; name++) {
        char c = isalnum((unsigned char)*name) ? (char)tolower((unsigned char)*name) : '_';
        if (c == '_' && n && field[n - 1] == '_') continue; /* ROS allows no two */
        field[n++] = c;
    }
    while (n > 1 && field[n - 1] == '_') n--;
    field[n] = 0;
}

static int is_taken(const struct fields *f, const char *field)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->pair[i].key, field) == 0) return 1;
    return 0;
}

static int grow(struct fields *f)
{
    if (f->n + 1 < f->room) return 1;
    size_t room = f->room ? 2 * f->room : 64;
    struct mcap_pair *pair = realloc(f->pair, room * sizeof *pair);
    if (pair) f->pair = pair;
    char **owned = pair ? realloc(f->owned, 2 * room * sizeof *owned) : NULL;
    if (!owned) return 0;
    f->owned = owned;
    f->room = room;
    return 1;
}

/* Another field of this type: its name and unit are kept in the metadata. */
static void add_field(struct fields *f, const char *type, const char *name, const char *unit)
{
    char field[FIELD], *key = NULL, *value = NULL, *text = NULL;
    recording_field(name, field, sizeof field - 12);
    size_t stem = strlen(field);
    for (int i = 2; is_taken(f, field); i++) snprintf(field + stem, 12, "_%d", i);
    if (f->failed || !grow(f) || asprintf(&key, "%s", field) < 0 ||
        asprintf(&value, "%s%s%s%s", name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "") < 0 ||
        asprintf(&text, "%s%s %s\n", f->text ? f->text : "", type, field) < 0) {
        f->failed = 1;
        return;
    }
    free(f->text);
    f->text = text;
    f->owned[2 * f->n] = key;
    f->owned[2 * f->n + 1] = value;
    f->pair[f->n++] = (struct mcap_pair){key, value};
    f->pair[f->n] = (struct mcap_pair){NULL, NULL};
}

static uint16_t make_channel(struct recording *r, struct fields *f, const char *schema,
                             const char *topic)
{
    uint16_t id = 0;
    if (!f->failed && f->text)
        id = mcap_channel(r->file, mcap_schema(r->file, schema, f->text), topic, f->pair);
    for (size_t i = 0; i < 2 * f->n; i++) free(f->owned[i]);
    free(f->owned);
    free(f->pair);
    free(f->text);
    return id;
}

static uint16_t sensors_channel(struct recording *r, const struct model *m)
{
    struct fields f = {0};
    char name[WORDS_NAME];
    add_field(&f, "float64", "t", "s");
    add_field(&f, "uint64", "step", "");
    add_field(&f, "uint32", "quality", "bits of record_quality: 0 is good");
    add_field(&f, "uint32", "state", "");
    for (uint32_t i = 0, channel = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        for (uint32_t k = 0; k < s->n_channels; k++)
            if (words_channel(m, channel++, name, sizeof name))
                add_field(&f, "float64", name, model_text(m, s->unit));
    }
    return make_channel(r, &f, "trapeze/Sensors", "/sensors");
}

static uint16_t commands_channel(struct recording *r, const struct model *m)
{
    struct fields f = {0};
    add_field(&f, "float64", "t", "s");
    for (uint32_t i = 0; i < m->actuators.n; i++)
        add_field(&f, "float64", model_text(m, model_actuators(m)[i].name),
                  model_text(m, model_actuators(m)[i].unit));
    return make_channel(r, &f, "trapeze/Commands", "/commands");
}

static uint16_t poses_channel(struct recording *r, const struct model *m)
{
    static const char *const PART[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    struct fields f = {0};
    char name[WORDS_NAME];
    add_field(&f, "float64", "t", "s");
    for (uint32_t i = 0; i < m->bodies.n; i++)
        for (int k = 0; k < 7; k++) {
            snprintf(name, sizeof name, "%s.%s", model_text(m, model_bodies(m)[i].name), PART[k]);
            add_field(&f, "float64", name, k < 3 ? "m" : "");
        }
    return make_channel(r, &f, "trapeze/Poses", "/poses");
}

static uint16_t quality_channel(struct recording *r, const struct model *m)
{
    struct fields f = {0};
    char name[WORDS_NAME];
    add_field(&f, "float64", "t", "s");
    for (uint32_t i = 0; words_channel(m, i, name, sizeof name); i++)
        add_field(&f, "uint32", name, "1: an inserted fault that shows");
    return make_channel(r, &f, "trapeze/Quality", "/quality");
}

/* X(type, name, unit, value of an account) */
#define ACCOUNT_FIELDS(X)                                       \
    X(uint64_t, "uint64", "tick", "", a->tick)                  \
    X(uint64_t, "uint64", "step", "", a->step)                  \
    X(double, "float64", "wake", "s", (double)a->wake_ns * 1e-9) \
    X(double, "float64", "end", "s", (double)a->end_ns * 1e-9)   \
    X(double, "float64", "slack", "s", (double)a->slack_ns * 1e-9) \
    X(double, "float64", "interval", "s", a->interval)          \
    X(double, "float64", "residual", "N", a->residual)          \
    X(uint32_t, "uint32", "iterations", "", a->iterations)      \
    X(uint32_t, "uint32", "redone", "", a->redone)              \
    X(uint32_t, "uint32", "flags", "bits of account_flag", a->flags) \
    X(uint32_t, "uint32", "cause", "of a miss", a->cause)       \
    X(uint32_t, "uint32", "skipped", "slots", a->skipped)       \
    X(uint32_t, "uint32", "state", "", a->state)                \
    X(uint32_t, "uint32", "status", "of the step", a->status)

static uint16_t accounts_channel(struct recording *r)
{
    struct fields f = {0};
#define X(type, word, name, unit, value) add_field(&f, word, name, unit);
    ACCOUNT_FIELDS(X)
#undef X
    return make_channel(r, &f, "trapeze/Account", "/accounts");
}

static uint16_t events_channel(struct recording *r)
{
    struct fields f = {0};
    add_field(&f, "float64", "t", "s");
    add_field(&f, "uint64", "step", "");
    add_field(&f, "uint32", "severity", "1 ... 1000");
    add_field(&f, "uint32", "kind", "");
    add_field(&f, "string", "text", "");
    return make_channel(r, &f, "trapeze/Event", "/events");
}

static uint16_t gaps_channel(struct recording *r)
{
    struct fields f = {0};
    add_field(&f, "uint64", "lost", "frames");
    add_field(&f, "string", "of", "");
    return make_channel(r, &f, "trapeze/Gap", "/gaps");
}

/* ---- messages ------------------------------------------------------------------- */

static void put(struct cdr *c, const void *value, size_t n)
{
    size_t at = (c->n + n - 1) / n * n;
    if (at + n > c->room) return; /* never: the room was reckoned for the model */
    memset(c->at + c->n, 0, at - c->n);
    memcpy(c->at + at, value, n);
    c->n = at + n;
}

static void put_text(struct cdr *c, const char *text)
{
    uint32_t n = (uint32_t)strnlen(text, 1000) + 1;
    put(c, &n, sizeof n);
    if (c->n + n > c->room) return;
    memcpy(c->at + c->n, text, n - 1);
    c->at[c->n + n - 1] = 0;
    c->n += n;
}

static void send(struct recording *r, uint16_t channel, int64_t monotonic_ns)
{
    if (channel)
        (void)mcap_message(r->file, channel, r->sequence[channel & 7]++,
                           (uint64_t)(monotonic_ns + r->o.utc_ns), r->cdr.at, r->cdr.n);
    r->cdr.n = 0;
}

static void tell_quality(struct recording *r, const struct record *record)
{
    const uint32_t *flags = record_channel_flags(&r->layout, record);
    size_t bytes = r->layout.n_channels * sizeof *flags;
    if (r->layout.n_channels == 0 || (r->told && memcmp(flags, r->flags, bytes) == 0)) return;
    r->told = 1;
    memcpy(r->flags, flags, bytes);
    put(&r->cdr, &record->t, sizeof record->t);
    for (uint32_t i = 0; i < r->layout.n_channels; i++) put(&r->cdr, &flags[i], sizeof flags[i]);
    send(r, r->quality, record->release_ns);
}

void recording_record(struct recording *r, const struct record *record)
{
    const struct record_layout *l = &r->layout;
    const double *channel = record_channels(l, record), *pose = record_poses(l, record);
    const struct record_actuator *actuator = record_actuators(l, record);
    r->last_ns = record->release_ns;
    tell_quality(r, record);
    if (++r->passed < r->o.every) return;
    r->passed = 0;
    put(&r->cdr, &record->t, sizeof record->t);
    put(&r->cdr, &record->step, sizeof record->step);
    put(&r->cdr, &record->quality, sizeof record->quality);
    put(&r->cdr, &record->state, sizeof record->state);
    for (uint32_t i = 0; i < l->n_channels; i++) put(&r->cdr, &channel[i], sizeof *channel);
    send(r, r->sensors, record->release_ns);
    if (l->n_actuators) {
        put(&r->cdr, &record->t, sizeof record->t);
        for (uint32_t i = 0; i < l->n_actuators; i++)
            put(&r->cdr, &actuator[i].value, sizeof actuator[i].value);
        send(r, r->commands, record->release_ns);
    }
    put(&r->cdr, &record->t, sizeof record->t);
    for (uint32_t i = 0; i < 7 * l->n_bodies; i++) put(&r->cdr, &pose[i], sizeof *pose);
    send(r, r->poses, record->release_ns);
}

void recording_account(struct recording *r, const struct account *a)
{
#define X(type, word, name, unit, value) put(&r->cdr, &(type){value}, sizeof(type));
    ACCOUNT_FIELDS(X)
#undef X
    send(r, r->accounts, a->release_ns);
}

void recording_event(struct recording *r, const struct event *e, const char *words)
{
    put(&r->cdr, &e->t, sizeof e->t);
    put(&r->cdr, &e->step, sizeof e->step);
    put(&r->cdr, &e->severity, sizeof e->severity);
    put(&r->cdr, &e->kind, sizeof e->kind);
    put_text(&r->cdr, words);
    send(r, r->events, e->time_ns);
}

void recording_gap(struct recording *r, const char *what, uint64_t n)
{
    put(&r->cdr, &n, sizeof n);
    put_text(&r->cdr, what);
    send(r, r->gaps, r->last_ns);
}

void recording_attach(struct recording *r, const char *name, const char *media_type,
                      const void *data, size_t n)
{
    (void)mcap_attachment(r->file, name, media_type, (uint64_t)(r->last_ns + r->o.utc_ns), data, n);
}

/* ---- life ----------------------------------------------------------------------- */

struct recording *recording_create(int fd, const struct port *port,
                                   const struct recording_options *o)
{
    const struct record_layout *l = &port->layout.step.record;
    struct recording *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->o = *o;
    if (r->o.every < 1) r->o.every = 1;
    r->layout = *l;
    r->passed = r->o.every - 1;
    r->cdr.room = 2048 + 8 * ((size_t)l->n_channels + l->n_actuators + 7 * (size_t)l->n_bodies);
    r->cdr.at = malloc(r->cdr.room);
    r->flags = calloc(l->n_channels + 1, sizeof *r->flags);
    r->file = mcap_create(fd, o->library, 0);
    if (!r->cdr.at || !r->flags || !r->file) {
        if (recording_destroy(r) != STATUS_OK) errno = EIO;
        return NULL;
    }
    r->sensors = sensors_channel(r, port->model);
    if (l->n_actuators) r->commands = commands_channel(r, port->model);
    r->poses = poses_channel(r, port->model);
    r->accounts = accounts_channel(r);
    r->events = events_channel(r);
    if (l->n_channels) r->quality = quality_channel(r, port->model);
    r->gaps = gaps_channel(r);
    return r;
}

struct mcap *recording_file(struct recording *r) { return r->file; }

enum status recording_destroy(struct recording *r)
{
    if (!r) return STATUS_OK;
    enum status s = mcap_destroy(r->file);
    free(r->cdr.at);
    free(r->flags);
    free(r);
    return s;
}
