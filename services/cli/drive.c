/* trapeze drive [URL]: drive a rig from a terminal, over OPC UA.
 *
 * Which keys move which actuators comes from the rig file by way of the server. A
 * terminal tells of keys pressed, not of keys let go: a key counts as held for a
 * moment after its last character. Commands go out 50 times a second under stream
 * authority, so a client that dies is noticed by the rig's own timeout. */
#include <math.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "services/cli/password.h"
#include "services/cli/verbs.h"
#include "services/opcua/client/signin.h"
#include "services/run/attach.h"

#define URL "opc.tcp://127.0.0.1:4840"
enum { LOOP_MS = 20, HELD_MS = 250, TEXT = 160, TRACK = 512, MAP_ROWS = 19, MAP_COLUMNS = 40 };

enum { OPTION_USER, OPTION_PASSWORD_FILE };

struct key {
    int code;            /* what ncurses calls it */
    size_t actuator;     /* index in all actuators */
    double rate, back;   /* command units per second */
    int64_t pressed_ms;  /* last time; 0: never */
};

struct drive {
    struct remote rig;
    char **name, **unit;            /* of the actuators */
    double *lower, *upper, *rest; /* rest: keys let go */
    double *command;
    size_t n, n_units;              /* actuators */
    struct key *key;
    size_t n_keys;
    char **channel, **channel_unit;
    size_t n_channels, n_channel_units;
    size_t *shown;                  /* channels to show, in order */
    size_t n_shown;
    double track[TRACK][2];         /* of the first body, from above */
    size_t n_track;
    char place[TEXT];               /* node of its position; "": there is none */
    char message[TEXT];
    int mine;                       /* we hold the authority */
    int stopped;                    /* EStop was pressed: do not take it again */
    int64_t asked_ms;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- what the rig tells at the start ----------------------------------------------- */

static int key_code(const char *name)
{
    static const struct {
        const char *name;
        int code;
    } ARROW[] = {{"left", KEY_LEFT}, {"right", KEY_RIGHT}, {"up", KEY_UP}, {"down", KEY_DOWN}};

    for (int i = 0; i < 4; i++)
        if (strcmp(ARROW[i].name, name) == 0) return ARROW[i].code;
    return name[0];
}

static int read_keys(struct drive *d)
{
    size_t n, n_actuators, n_rates, n_backs;
    char **name = remote_texts(&d->rig, "keys.names", &n);
    char **actuator = remote_texts(&d->rig, "keys.actuators", &n_actuators);
    double *rate = remote_numbers(&d->rig, "keys.rates", &n_rates);
    double *back = remote_numbers(&d->rig, "keys.backs", &n_backs);
    int ok = name && actuator && rate && back && n == n_actuators && n == n_rates && n == n_backs;

    d->key = ok ? calloc(n + 1, sizeof *d->key) : NULL;
    for (size_t i = 0; d->key && i < n; i++)
        for (size_t k = 0; k < d->n; k++)
            if (strcmp(d->name[k], actuator[i]) == 0)
                d->key[d->n_keys++] = (struct key){
                    .code = key_code(name[i]), .actuator = k, .rate = rate[i], .back = back[i]};
    remote_free_texts(name, n);
    remote_free_texts(actuator, n_actuators);
    free(rate);
    free(back);
    return d->key != NULL;
}

/* 1 if a channel is the sensor's only one, or one of several: tip.x of tip. */
static int is_of(const char *channel, const char *sensor)
{
    size_t n = strlen(sensor);
    return strncmp(channel, sensor, n) == 0 && (channel[n] == 0 || channel[n] == '.');
}

/* The channels of the sensors the rig file names; all where it names none. */
static int read_shown(struct drive *d)
{
    size_t n, most = d->n_channels;
    char **show = remote_texts(&d->rig, "keys.shows", &n);

    d->shown = calloc(most + 1, sizeof *d->shown);
    for (size_t s = 0; d->shown && s < (n ? n : 1); s++)
        for (size_t i = 0; i < d->n_channels && d->n_shown < most; i++)
            if (n == 0 || is_of(d->channel[i], show[s])) d->shown[d->n_shown++] = i;
    remote_free_texts(show, n);
    return d->shown != NULL;
}

static int read_rig(struct drive *d)
{
    char **body;
    size_t n;

    d->name = remote_texts(&d->rig, "actuators.names", &d->n);
    d->lower = remote_numbers(&d->rig, "actuators.lower", &n);
    d->upper = remote_numbers(&d->rig, "actuators.upper", &n);
    d->rest = remote_numbers(&d->rig, "actuators.start", &n);
    d->unit = remote_texts(&d->rig, "actuators.units", &d->n_units);
    d->channel = remote_texts(&d->rig, "sensors.names", &d->n_channels);
    d->channel_unit = remote_texts(&d->rig, "sensors.units", &d->n_channel_units);
    body = remote_texts(&d->rig, "model.body-names", &n);
    if (n) snprintf(d->place, sizeof d->place, "body:%.120s.position", body[0]);
    remote_free_texts(body, n);
    d->command = calloc(d->n + 1, sizeof *d->command);
    if (!d->name || !d->lower || !d->upper || !d->rest || !d->channel || !d->command) return 0;
    if (d->n_units != d->n || d->n_channel_units != d->n_channels || !read_shown(d)) return 0;
    memcpy(d->command, d->rest, d->n * sizeof *d->command);
    return read_keys(d);
}

/* ---- keys and commands ------------------------------------------------------------- */

static void call(struct drive *d, const char *method)
{
    char answer[TEXT / 2];

    remote_call(&d->rig, method, NULL, 0, answer, sizeof answer);
    snprintf(d->message, sizeof d->message, "%s: %s", method, answer);
}

/* Returns 0 to end. */
static int take_key(struct drive *d, int c)
{
    for (size_t i = 0; i < d->n_keys; i++)
        if (d->key[i].code == c) {
            d->key[i].pressed_ms = now_ms();
            return 1;
        }
    switch (c) {
    case ' ':
        call(d, "estop");
        d->mine = 0;
        d->stopped = 1;
        memcpy(d->command, d->rest, d->n * sizeof *d->command);
        break;
    case 'R':
    case 'r':
        call(d, "reset");
        call(d, "arm");
        call(d, "start");
        d->stopped = 0;
        break;
    case 'P':
    case 'p':
        call(d, "pause");
        break;
    case 'S':
    case 's':
        call(d, "start");
        break;
    case 'q':
    case 'Q':
        return 0;
    default:
        break;
    }
    return 1;
}

static double towards(double from, double to, double by)
{
    if (fabs(to - from) <= by) return to;
    return to > from ? from + by : from - by;
}

/* Move the commands as the keys say. */
static void steer(struct drive *d, double dt)
{
    int64_t now = now_ms();

    for (size_t a = 0; a < d->n; a++) {
        double rate = 0, back = 0;
        int held = 0;
        for (size_t i = 0; i < d->n_keys; i++) {
            const struct key *k = &d->key[i];
            if (k->actuator != a) continue;
            if (k->pressed_ms && now - k->pressed_ms < HELD_MS) {
                rate += k->rate;
                held = 1;
            }
            back = fmax(back, k->back);
        }
        d->command[a] = held ? d->command[a] + rate * dt
                             : towards(d->command[a], d->rest[a], back * dt);
        d->command[a] = fmin(fmax(d->command[a], d->lower[a]), d->upper[a]);
    }
}

static void send(struct drive *d)
{
    UA_StatusCode bad;

    if (d->stopped || d->n == 0) return;
    if (!d->mine && now_ms() - d->asked_ms > 500) {
        char answer[TEXT / 2];
        d->asked_ms = now_ms();
        d->mine = remote_acquire(&d->rig, "stream", answer, sizeof answer) == UA_STATUSCODE_GOOD;
        if (!d->mine) snprintf(d->message, sizeof d->message, "authority: %s", answer);
    }
    if (!d->mine) return;
    bad = remote_command(&d->rig, d->name, d->command, d->n);
    if (!bad) return;
    snprintf(d->message, sizeof d->message, "commands: %s", UA_StatusCode_name(bad));
    if (bad == UA_STATUSCODE_BADUSERACCESSDENIED) d->mine = 0;
}

/* ---- the screen -------------------------------------------------------------------- */

static void show_map(struct drive *d, int top, int left)
{
    double middle[2], size = 1;
    const double *at;

    if (d->n_track == 0) return;
    at = d->track[(d->n_track - 1) % TRACK];
    memcpy(middle, at, sizeof middle);
    for (size_t i = 0; i < d->n_track && i < TRACK; i++)
        for (int k = 0; k < 2; k++) size = fmax(size, fabs(d->track[i][k] - middle[k]));
    for (size_t i = 0; i < d->n_track && i < TRACK; i++) { /* a row is as high as two columns */
        int column = (int)lround((d->track[i][0] - middle[0]) / size * (MAP_ROWS - 2));
        int row = (int)lround((d->track[i][1] - middle[1]) / size * (MAP_ROWS / 2.0 - 1));
        mvaddch(top + MAP_ROWS / 2 - row, left + MAP_COLUMNS / 2 + column, '.');
    }
    mvaddch(top + MAP_ROWS / 2, left + MAP_COLUMNS / 2, 'O');
    mvprintw(top + MAP_ROWS, left, "from above, +-%.3g m, at %.2f %.2f", size, at[0], at[1]);
}

enum {
    SEEN_STATE,
    SEEN_TIME,
    SEEN_VALUES,
    SEEN_APPLIED,
    SEEN_MISSES,
    SEEN_TRIP,
    SEEN_WAKE,
    SEEN_AGES,
    SEEN_PLACE,
    SEEN
};
static const char *const LOOK[SEEN_PLACE] = {
    "rig.state-name", "rig.time", "sensors.values", "actuators.applied",
    "monitor.misses", "rig.trip", "monitor.last",   "actuators.ages"};

static double number(const UA_DataValue *v, size_t i)
{
    const UA_Variant *x = &v->value;
    if (!v->hasValue || x->type != &UA_TYPES[UA_TYPES_DOUBLE]) return NAN;
    if (UA_Variant_isScalar(x)) return *(const double *)x->data;
    return i < x->arrayLength ? ((const double *)x->data)[i] : NAN;
}

static int text_width(const UA_DataValue *v, const char **text)
{
    const UA_String *s = v->value.data;
    if (!v->hasValue || v->value.type != &UA_TYPES[UA_TYPES_STRING]) return 0;
    *text = (const char *)s->data;
    return (int)s->length;
}

static double count(const UA_DataValue *v)
{
    if (!v->hasValue || v->value.type != &UA_TYPES[UA_TYPES_UINT64]) return NAN;
    return (double)*(const UA_UInt64 *)v->value.data;
}

/* Age of the oldest command in use; NAN: none was ever sent. */
static double oldest(const struct drive *d, const UA_DataValue *v)
{
    double age = NAN;
    for (size_t i = 0; i < d->n; i++)
        if (number(v, i) >= 0) age = fmax(age, number(v, i));
    return age;
}

static void show(struct drive *d, const UA_DataValue *v)
{
    const char *state = "", *trip = "";
    int n_state = text_width(&v[SEEN_STATE], &state), n_trip = text_width(&v[SEEN_TRIP], &trip);
    int row = 3;

    erase();
    mvprintw(0, 0, "%-9.*s t %7.2f s   misses %.0f   wake %4.0f us   %s", n_state, state,
             number(&v[SEEN_TIME], 0), count(&v[SEEN_MISSES]), number(&v[SEEN_WAKE], 0) * 1e6,
             d->mine      ? "driving"
             : d->stopped ? "STOPPED"
                          : "watching");
    if (d->mine) printw(", commands %.0f ms old", oldest(d, &v[SEEN_AGES]) * 1e3);
    if (n_trip && strncmp(trip, "none", 4) != 0) printw("   %.*s", n_trip, trip);
    mvprintw(1, 0, "space: emergency stop   R: reset and start   P: pause   S: start   q: end");
    for (size_t i = 0; i < d->n && row < LINES - 2; i++)
        mvprintw(row++, 0, "%-20.20s %9.2f -> %9.2f %s", d->name[i], d->command[i],
                 number(&v[SEEN_APPLIED], i), d->unit[i]);
    row++;
    for (size_t i = 0; i < d->n_shown && row < LINES - 2; i++)
        mvprintw(row++, 0, "%-32.32s %10.3f %s", d->channel[d->shown[i]],
                 number(&v[SEEN_VALUES], d->shown[i]), d->channel_unit[d->shown[i]]);
    if (COLS > 52 + MAP_COLUMNS) show_map(d, 3, 52);
    mvprintw(LINES - 1, 0, "%s", d->message);
    refresh();
}

static int look(struct drive *d)
{
    const char *name[SEEN];
    UA_DataValue v[SEEN];
    UA_StatusCode bad;

    memcpy(name, LOOK, sizeof LOOK);
    name[SEEN_PLACE] = d->place;
    bad = remote_read(&d->rig, name, SEEN, v);
    if (!bad && isfinite(number(&v[SEEN_PLACE], 0))) {
        d->track[d->n_track % TRACK][0] = number(&v[SEEN_PLACE], 0);
        d->track[d->n_track++ % TRACK][1] = number(&v[SEEN_PLACE], 1);
    }
    if (!bad) show(d, v);
    for (int i = 0; i < SEEN; i++) UA_DataValue_clear(&v[i]);
    return !bad;
}

/* ---- the loop ---------------------------------------------------------------------- */

static void run_loop(struct drive *d, const struct verb_call *vc)
{
    int64_t last = now_ms();
    int c, on = 1;

    while (on && !*vc->stop) {
        int64_t now;
        while (on && (c = getch()) != ERR) on = take_key(d, c);
        now = now_ms();
        steer(d, (double)(now - last) * 1e-3);
        last = now;
        send(d);
        if (!look(d)) {
            snprintf(d->message, sizeof d->message, "the line is gone");
            on = 0;
        }
        napms(LOOP_MS);
    }
}

static void end(struct drive *d)
{
    char answer[TEXT];

    if (d->mine) remote_call(&d->rig, "release-authority", NULL, 0, answer, sizeof answer);
    remote_close(&d->rig);
    remote_free_texts(d->name, d->n);
    remote_free_texts(d->unit, d->n_units);
    remote_free_texts(d->channel, d->n_channels);
    remote_free_texts(d->channel_unit, d->n_channel_units);
    free(d->shown);
    free(d->lower);
    free(d->upper);
    free(d->rest);
    free(d->command);
    free(d->key);
}

/* Where the password comes from, asked for only where the rig wants one. */
struct secret {
    const char *file;
    char text[PASSWORD_MOST];
};

static const char *password(void *self)
{
    struct secret *s = self;
    int got = password_given(s->file, s->text);

    if (got == 0) got = password_ask(s->text);
    return got > 0 ? s->text : NULL;
}

static enum status sign_in(struct drive *d, const char *url, const struct verb_call *call)
{
    struct secret secret = {.file = call->value[OPTION_PASSWORD_FILE]};
    struct signin who = {.user = call->value[OPTION_USER], .password = password, .self = &secret};
    enum status s = signin_open(&d->rig, url, &who);

    explicit_bzero(&secret, sizeof secret);
    return s;
}

/* A URL, the name of a rig that runs here, or the only one that does; else the usual port. */
static const char *find_url(const struct verb_call *call, char text[BOARD_ENDPOINT])
{
    const char *given = call->n_arguments ? call->argument[0] : NULL;
    struct port port;
    char why[200] = "";

    if (given && strstr(given, "://")) return given;
    if (attach_open(given, &port, why) == STATUS_OK && port.board->endpoint[0]) {
        snprintf(text, BOARD_ENDPOINT, "%s", port.board->endpoint);
        return text;
    }
    if (!given && !strstr(why, "say which")) return URL;
    fprintf(stderr, "trapeze drive: %s\n", why[0] ? why : "the rig has no OPC UA server");
    return NULL;
}

static enum status run(const struct verb_call *call)
{
    char found[BOARD_ENDPOINT];
    const char *url = find_url(call, found);
    if (!url) return STATUS_REFUSED;
    struct drive *d = calloc(1, sizeof *d);
    enum status s = d ? sign_in(d, url, call) : STATUS_NO_MEMORY;

    if (s == STATUS_OK && !read_rig(d)) {
        fprintf(stderr, "trapeze drive: %s does not tell what can be driven\n", url);
        s = STATUS_REFUSED;
    }
    if (s == STATUS_OK && !initscr()) s = STATUS_IO;
    if (s == STATUS_OK) {
        cbreak();
        noecho();
        keypad(stdscr, TRUE);
        nodelay(stdscr, TRUE);
        curs_set(0);
        run_loop(d, call);
        endwin();
        if (d->message[0]) printf("%s\n", d->message);
    }
    if (d) end(d);
    free(d);
    return s;
}

static const struct verb_option OPTION[] = {
    [OPTION_USER] = {"--user", "NAME", "who you are to a rig with security"},
    [OPTION_PASSWORD_FILE] = {"--password-file", "FILE",
                              "its first line is the password; else $TRAPEZE_PASSWORD, else asked"},
    {NULL, NULL, NULL},
};

const struct verb DRIVE_VERB = {.name = "drive",
                                .arguments = "[URL|RIG]",
                                .help = "drive a rig from this terminal, over OPC UA",
                                .option = OPTION,
                                .least = 0,
                                .most = 1,
                                .run = run};
