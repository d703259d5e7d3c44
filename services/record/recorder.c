#include "services/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "services/base/version.h"
#include "services/client/words.h"
#include "services/record/recorder_keys.h"
#include "services/record/recording.h"
#include "services/record/shelf.h"

#define SECOND INT64_C(1000000000)
static const int64_t FLUSH_NS = SECOND / 2, AGAIN_NS = 5 * SECOND;
enum { NAP_NS = 10000000, MOST_A_TURN = 20000, FILE_MOST = 4 << 20, NAME = 160 };

/* A file of the run, read while there are the rights to. */
struct text {
    const char *name;
    char *at;
    size_t n;
};

struct recorder {
    struct attach *attach;
    struct recorder_keys keys;
    int folder;                /* descriptor */
    struct text text[2];       /* rig, model */
    struct version version;
    int64_t utc_ns;            /* to add to monotonic time */
    struct recording *open;    /* NULL: no file, the disk refused */
    int fd;
    int64_t begun_ns, flushed_ns, again_ns;
    uint32_t segment;
    char name[NAME];
    int told;                  /* the failure was told */
    uint64_t record_at, account_at, event_at; /* cursors */
    uint64_t lost[3];          /* by the reader or the disk, not told in a file yet */
    struct record *record;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* ---- with rights ---------------------------------------------------------------- */

int recorder_check(const struct attach *a)
{
    struct recorder_keys keys;
    return recorder_keys_read(a, &keys) ? 0 : ATTACH_REFUSED;
}

static void read_text(struct text *t, const char *name, const char *path)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    t->name = name;
    if (!f) return;
    t->at = malloc(FILE_MOST);
    if (t->at) t->n = fread(t->at, 1, FILE_MOST, f);
    fclose(f);
}

int recorder_prepare(struct attach *a)
{
    struct recorder *r = calloc(1, sizeof *r);
    a->state = r;
    if (!r || !recorder_keys_read(a, &r->keys)) return ATTACH_REFUSED;
    r->attach = a;
    r->fd = -1;
    r->folder = shelf_open(r->keys.folder);
    if (r->folder < 0) {
        fprintf(stderr, "trapeze: recorder: the folder %s: %s\n", r->keys.folder, strerror(errno));
        return ATTACH_REFUSED;
    }
    a->files.write[a->files.n_write++] = r->folder;
    read_text(&r->text[0], "rig.yaml", a->rig->file);
    read_text(&r->text[1], "model.yaml", a->rig->model);
    r->version = version_read();
    r->utc_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
    r->record = malloc(a->port.layout.step.record.bytes);
    if (!r->record) return 1;
    if (a->out && a->port.epoch <= 1) {
        fprintf(a->out, "record  %s/  (MCAP, %g s a file, at most %g MB)\n", r->keys.folder,
                r->keys.segment_s, r->keys.keep_bytes / 1e6);
        fflush(a->out);
    }
    return 0;
}

/* ---- files ---------------------------------------------------------------------- */

static void tell(struct recorder *r, const char *what, int error)
{
    if (r->told) return;
    r->told = 1;
    fprintf(stderr,
            "trapeze: recorder: %s/%s: %s: %s; what comes now is lost and counted, tried "
            "again every %d s\n",
            r->keys.folder, r->name, what, strerror(error), (int)(AGAIN_NS / SECOND));
}

static void describe(struct recorder *r)
{
    const struct model *m = r->attach->port.model;
    char step[32], every[32];
    snprintf(step, sizeof step, "%.17g s", r->attach->rig->step);
    snprintf(every, sizeof every, "%ld", r->keys.every);
    const struct mcap_pair about[] = {{"program", r->version.text},
                                      {"build", r->version.build_id},
                                      {"rig", r->attach->rig->name},
                                      {"model", model_text(m, m->name)},
                                      {"step", step},
                                      {"every", every},
                                      {NULL, NULL}};
    (void)mcap_metadata(recording_file(r->open), "trapeze", about);
    for (int i = 0; i < 2; i++)
        if (r->text[i].at)
            recording_attach(r->open, r->text[i].name, "text/yaml", r->text[i].at, r->text[i].n);
}

static void begin_file(struct recorder *r, int64_t now)
{
    struct recording_options o = {
        .every = (uint32_t)r->keys.every, .utc_ns = r->utc_ns, .library = r->version.text};
    r->again_ns = now + AGAIN_NS;
    do {
        shelf_name(r->attach->rig->name, r->utc_ns + now, r->segment++, r->name, sizeof r->name);
        r->fd = openat(r->folder, r->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    } while (r->fd < 0 && errno == EEXIST && r->segment % 1000);
    if (r->fd < 0) {
        tell(r, "cannot be made", errno);
        return;
    }
    r->open = recording_create(r->fd, &r->attach->port, &o);
    if (!r->open) {
        tell(r, "no memory", ENOMEM);
        close(r->fd);
        return;
    }
    r->begun_ns = r->flushed_ns = now;
    describe(r);
}

/* Close the file; what its disk refused counts as lost. */
static void end_file(struct recorder *r)
{
    struct mcap *file = r->open ? recording_file(r->open) : NULL;
    if (!file) return;
    int error = mcap_error(file);
    r->lost[0] += mcap_lost(file);
    if (recording_destroy(r->open) != STATUS_OK && !error) error = EIO;
    close(r->fd);
    r->open = NULL;
    r->fd = -1;
    if (error) tell(r, "cannot be written", error);
}

static void tell_lost(struct recorder *r)
{
    static const char *const OF[] = {"records", "accounts", "events"};
    for (int i = 0; i < 3; i++)
        if (r->lost[i] && r->open) {
            recording_gap(r->open, OF[i], r->lost[i]);
            r->lost[i] = 0;
        }
}

static void turn_files(struct recorder *r)
{
    int64_t now = now_ns(CLOCK_MONOTONIC);
    if (r->open && mcap_error(recording_file(r->open))) end_file(r);
    if (r->open && now - r->begun_ns > (int64_t)(r->keys.segment_s * 1e9)) {
        end_file(r);
        r->again_ns = 0;
    }
    if (!r->open && now >= r->again_ns) begin_file(r, now);
    if (r->open && now - r->flushed_ns >= FLUSH_NS) {
        r->flushed_ns = now;
        if (mcap_flush(recording_file(r->open))) r->told = 0;
        shelf_tidy(r->folder, r->attach->rig->name, r->keys.keep_bytes, r->name);
    }
}

/* ---- what comes ----------------------------------------------------------------- */

static void take_records(struct recorder *r)
{
    const struct port *p = &r->attach->port;
    for (int i = 0; i < MOST_A_TURN; i++) {
        if (ring_next(&p->record, &r->record_at, r->record, &r->lost[0]) != RING_OK) return;
        if (r->open)
            recording_record(r->open, r->record);
        else
            r->lost[0]++;
    }
}

static void take_accounts(struct recorder *r)
{
    struct account a;
    for (int i = 0; i < MOST_A_TURN; i++) {
        if (ring_next(&r->attach->port.account, &r->account_at, &a, &r->lost[1]) != RING_OK) return;
        if (r->open)
            recording_account(r->open, &a);
        else
            r->lost[1]++;
    }
}

static void take_events(struct recorder *r)
{
    const struct words w = {r->attach->port.model, r->attach->port.board};
    char text[WORDS_TEXT];
    struct event e;
    while (ring_next(&r->attach->port.event, &r->event_at, &e, &r->lost[2]) == RING_OK) {
        words_event(&w, &e, text);
        if (r->open)
            recording_event(r->open, &e, text);
        else
            r->lost[2]++;
    }
}

static void take_all(struct recorder *r)
{
    take_records(r);
    take_accounts(r);
    take_events(r);
    tell_lost(r);
}

int recorder_run(struct attach *a)
{
    struct recorder *r = a->state;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    signal(SIGTERM, SIG_IGN); /* the end is asked for by attach_should_stop; files are closed */
    /* from now on; what was before this process began is another file's */
    if (a->port.epoch > 1) {
        r->record_at = ring_head(&a->port.record);
        r->account_at = ring_head(&a->port.account);
        r->event_at = ring_head(&a->port.event);
    }
    while (!attach_should_stop(a)) {
        turn_files(r);
        take_all(r);
        nanosleep(&nap, NULL);
    }
    take_all(r);
    end_file(r);
    for (int i = 0; i < 2; i++) free(r->text[i].at);
    free(r->record);
    close(r->folder);
    free(r);
    return 0;
}
