#include "services/opcua/lane/pubsub.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <open62541/statuscodes.h>

#include "services/opcua/lane/pubsub_gate.h"
#include "services/opcua/lane/pubsub_key.h"
#include "services/opcua/lane/pubsub_layout.h"
#include "services/opcua/loop/request_scope.h"

#define SECOND INT64_C(1000000000)
enum {
    BURST = 64,            /* records looked at in one wake-up */
    BATCH = 256,           /* messages taken between two looks at the step */
    AHEAD = 16,            /* steps slept over at once, at most */
    MARGIN_NS = 20000,     /* after the step usually has published */
    RETRY_NS = 50000,      /* until the next look when it has not */
    POLL_NS = 100000,      /* lockstep: between two looks */
    FREE_NS = 1000000,     /* as fast as it goes: between two bursts */
    GONE_NS = 100000000    /* between two messages that the step is gone */
};

struct pubsub {
    struct attach *attach;
    const struct fastlane *set;
    struct side_thread aside;
    struct gate gate;
    struct pubsub_counts counts;
    atomic_int stop;
    int out, in;                  /* sockets; in -1: no commands */
    struct sockaddr_in to;
    struct uadp_key key;
    uint32_t version;             /* of the layout */
    uint64_t n_messages;          /* ever */
    uint32_t random;              /* of the nonces */
    uint64_t cursor;              /* in the ring of records */
    struct record *record, *newest;
    uint8_t *message, *received;
    size_t message_size, received_size;
    double *value;                /* of a command message */
    int64_t period_ns, lead_ns;   /* release to publish, smoothed */
    int64_t wake_ns, seen_ns, said_gone_ns;
    int batch;                    /* messages that may still be taken */
};

/* ---- sensors ------------------------------------------------------------------------ */

static void put_fields(struct pubsub *p, struct uadp_writer *w, const struct record *r,
                       uint32_t quality, uint64_t command)
{
    const struct record_layout *l = &p->attach->port.layout.step.record;
    const double *channel = record_channels(l, r);
    const uint32_t *flags = record_channel_flags(l, r);

    uadp_put_count(w, r->step);
    uadp_put_number(w, r->t, 0);
    uadp_put_int(w, (int32_t)r->state);
    uadp_put_status(w, quality);
    uadp_put_count(w, command);
    for (uint32_t i = 0; i < l->n_channels; i++)
        uadp_put_number(w, channel[i],
                        flags[i] & RECORD_CHANNEL_FAULTED ? UA_STATUSCODE_BADSENSORFAILURE : 0);
}

static void send_record(struct pubsub *p, const struct record *r, uint32_t quality,
                        uint64_t command)
{
    uint64_t n = ++p->n_messages;
    struct uadp_head h = {.id = p->set->id,
                          .version = p->version,
                          .sequence = (uint16_t)n,
                          .time = request_scope_time(p->attach, r),
                          .status = quality,
                          .key = p->set->keys ? &p->key : NULL,
                          .nonce = p->random | n << 32};
    struct uadp_writer w;
    size_t size;

    uadp_begin(&w, p->message, p->message_size, &h);
    put_fields(p, &w, r, quality, command);
    size = uadp_end(&w);
    if (size && sendto(p->out, p->message, size, MSG_DONTWAIT | MSG_NOSIGNAL,
                       (const struct sockaddr *)&p->to, sizeof p->to) == (ssize_t)size)
        p->counts.sent++;
    else
        p->counts.unsent++;
}

/* Each n-th step; each n-th heartbeat where it stands still. */
static uint64_t number(const struct record *r) { return r->interval > 0 ? r->step : r->tick; }

static void look_at(struct pubsub *p)
{
    const struct record *r = p->record;
    uint32_t quality = r->quality & RECORD_FINAL ? UA_STATUSCODE_BADNOCOMMUNICATION
                                                 : request_scope_quality(r->quality);
    uint64_t command = gate_acting(&p->gate, r);

    if (number(r) % (uint64_t)p->set->every == 0) send_record(p, r, quality, command);
    p->lead_ns += (r->publish_ns - r->release_ns - p->lead_ns) / 8;
    if (p->lead_ns < 0 || p->lead_ns > p->period_ns) p->lead_ns = p->period_ns / 2;
}

/* The step does not publish any more: say so ten times a second. */
static void look_for_life(struct pubsub *p, int64_t now)
{
    uint32_t bad;

    if (now - p->seen_ns < REQUEST_SCOPE_STALE_MS * INT64_C(1000000) ||
        now - p->said_gone_ns < GONE_NS)
        return;
    if (port_record(&p->attach->port, p->newest) == 0) return;
    bad = request_scope_presence(p->attach, p->newest);
    if (bad) send_record(p, p->newest, bad, 0);
    p->said_gone_ns = now;
}

/* When to look next: after the release of the next step that is due. */
static int64_t next_wake(const struct pubsub *p, int64_t now)
{
    uint64_t every = (uint64_t)p->set->every, left = every - number(p->record) % every;

    if (p->attach->rig->pace == RIG_LOCKSTEP) return now + POLL_NS;
    if (p->attach->rig->pace == RIG_FREE) return now + FREE_NS;
    if (left > AHEAD) left = AHEAD;
    return p->record->release_ns + (int64_t)left * p->period_ns + p->lead_ns + MARGIN_NS;
}

static void look(struct pubsub *p)
{
    const struct port *port = &p->attach->port;
    uint64_t lost = 0;
    int n = 0;
    int64_t now;

    while (n < BURST && ring_next(&port->record, &p->cursor, p->record, &lost) == RING_OK) {
        look_at(p);
        n++;
    }
    p->counts.lost += lost;
    p->batch = BATCH;
    now = request_scope_clock();
    if (n > 0) {
        p->seen_ns = now;
        p->wake_ns = next_wake(p, now);
    }
    if (n == BURST || p->wake_ns > now) return;
    look_for_life(p, now);
    p->wake_ns = now + (now - p->seen_ns > 4 * p->period_ns ? p->period_ns : RETRY_NS);
}

/* ---- commands ----------------------------------------------------------------------- */

static int judge(struct pubsub *p, ssize_t size, const struct record *now)
{
    static const int REASON[] = {
        [UADP_FORM] = PUBSUB_FORM, [UADP_STRANGER] = PUBSUB_IDS, [UADP_LAYOUT] = PUBSUB_LAYOUT};
    struct uadp_command c = {.value = p->value, .n = p->attach->port.model->actuators.n};
    enum uadp_result bad;
    int reason;

    if ((size_t)size > p->received_size) return PUBSUB_LAYOUT;
    bad = uadp_read(p->received, (size_t)size, &p->set->command_id, &c);
    if (bad) return REASON[bad];
    reason = gate_offer(&p->gate, now, &c);
    if (reason == GATE_OK) p->counts.counter = c.counter;
    return reason;
}

/* What has arrived, as far as this period's share goes. */
static void receive(struct pubsub *p)
{
    const struct record *now = NULL;
    ssize_t size;

    while (p->batch > 0 &&
           (size = recv(p->in, p->received, p->received_size, MSG_DONTWAIT | MSG_TRUNC)) >= 0) {
        int reason;
        p->batch--;
        p->counts.received++;
        if (!now && port_record(&p->attach->port, p->newest) &&
            !request_scope_presence(p->attach, p->newest))
            now = p->newest;
        reason = judge(p, size, now);
        if (reason == GATE_OK)
            p->counts.accepted++;
        else
            p->counts.refused[reason]++;
    }
}

/* ---- the thread --------------------------------------------------------------------- */

/* Until the next look, or a message. */
static void wait_for_work(struct pubsub *p)
{
    struct pollfd in = {.fd = p->in, .events = POLLIN};
    int64_t left = p->wake_ns - request_scope_clock();
    struct timespec t;

    if (left <= 0) return;
    if (p->in < 0 || p->batch <= 0) {
        t = (struct timespec){.tv_sec = p->wake_ns / SECOND, .tv_nsec = p->wake_ns % SECOND};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        return;
    }
    t = (struct timespec){.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
    ppoll(&in, 1, &t, NULL);
}

static void lane_run(void *context)
{
    struct pubsub *p = context;

    p->cursor = ring_head(&p->attach->port.record);
    p->seen_ns = p->wake_ns = request_scope_clock();
    while (!atomic_load_explicit(&p->stop, memory_order_relaxed)) {
        wait_for_work(p);
        if (p->in >= 0) receive(p);
        if (request_scope_clock() >= p->wake_ns) look(p);
    }
}

/* ---- life --------------------------------------------------------------------------- */

static int complain(const char *what, const char *address, int port)
{
    fprintf(stderr, "trapeze: opcua: pubsub: %s %s:%d: %s\n", what, address, port, strerror(errno));
    return 0;
}

static struct sockaddr_in socket_address(const char *address, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, address, &a.sin_addr);
    return a;
}

static int open_out(struct pubsub *p)
{
    const struct fastlane *f = p->set;

    p->to = socket_address(f->address, f->port);
    p->out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (p->out < 0) return complain("sensors to", f->address, f->port);
    if (f->interface) {
        struct sockaddr_in from = socket_address(f->interface, 0);
        if (bind(p->out, (struct sockaddr *)&from, sizeof from) != 0 ||
            setsockopt(p->out, IPPROTO_IP, IP_MULTICAST_IF, &from.sin_addr, sizeof from.sin_addr) !=
                0)
            return complain("sensors from", f->interface, f->port);
    }
    return 1;
}

static int open_in(struct pubsub *p)
{
    const struct fastlane *f = p->set;
    struct sockaddr_in at;

    if (f->command_port == 0) return 1;
    at = socket_address(f->command_address, f->command_port);
    p->in = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (p->in < 0 || bind(p->in, (struct sockaddr *)&at, sizeof at) != 0)
        return complain("commands on", f->command_address, f->command_port);
    return 1;
}

static int take_memory(struct pubsub *p)
{
    const struct model *m = p->attach->port.model;
    size_t record = p->attach->port.layout.step.record.bytes;

    p->message_size = UADP_OVERHEAD + UADP_FIELD * (size_t)pubsub_fields(m, PUBSUB_SENSORS);
    p->received_size = UADP_OVERHEAD + 34 * (size_t)pubsub_fields(m, PUBSUB_COMMANDS);
    p->record = calloc(1, record);
    p->newest = calloc(1, record);
    p->message = calloc(1, p->message_size);
    p->received = calloc(1, p->received_size);
    p->value = calloc(m->actuators.n + 1, sizeof *p->value);
    if (p->record && p->newest && p->message && p->received && p->value) return 1;
    fprintf(stderr, "trapeze: opcua: pubsub: out of memory\n");
    return 0;
}

/* What it does, once per run of the rig. */
static void say(const struct pubsub *p)
{
    const struct fastlane *f = p->set;
    FILE *out = p->attach->out;

    if (!out || p->attach->port.epoch > 1) return;
    fprintf(out, "opc.udp://%s:%d  (sensors%s, every %d step%s; %s)\n", f->address, f->port,
            f->keys ? ", signed" : "", f->every, f->every > 1 ? "s" : "", p->aside.says);
    if (f->command_port)
        fprintf(out, "opc.udp://%s:%d  (commands, with a session's authority)\n",
                f->command_address, f->command_port);
    fflush(out);
}

int pubsub_prepare(struct attach *a, struct pubsub **lane)
{
    struct pubsub *p;
    int ok;

    *lane = NULL;
    if (!a->rig->fastlane.on) return 1;
    *lane = p = calloc(1, sizeof *p);
    if (!p) return 0;
    p->attach = a;
    p->set = &a->rig->fastlane;
    p->out = p->in = -1;
    p->version = pubsub_version(a->port.model, PUBSUB_SENSORS);
    p->period_ns = (int64_t)(a->rig->step * 1e9 + 0.5);
    p->batch = BATCH;
    ok = gate_init(&p->gate, &a->port, a->rig) && take_memory(p) &&
         pubsub_key_read(p->set, &p->key) && open_out(p) && open_in(p) &&
         getrandom(&p->random, sizeof p->random, 0) == sizeof p->random &&
         side_thread_prepare(&p->aside, a->port.board);
    if (ok) say(p);
    return ok;
}

int pubsub_start(struct pubsub *lane)
{
    return !lane || side_thread_start(&lane->aside, lane_run, lane);
}

void pubsub_destroy(struct pubsub *p)
{
    if (!p) return;
    atomic_store(&p->stop, 1);
    side_thread_join(&p->aside);
    explicit_bzero(&p->key, sizeof p->key);
    if (p->out >= 0) close(p->out);
    if (p->in >= 0) close(p->in);
    gate_free(&p->gate);
    free(p->record);
    free(p->newest);
    free(p->message);
    free(p->received);
    free(p->value);
    free(p);
}

struct gate *pubsub_gate(struct pubsub *lane) { return lane && lane->in >= 0 ? &lane->gate : NULL; }

const struct pubsub_counts *pubsub_counts(const struct pubsub *lane) { return &lane->counts; }

const char *pubsub_scheduling(const struct pubsub *lane) { return lane->aside.says; }

const char *pubsub_reason_text(int reason)
{
#define X(code, text) text,
    static const char *const TEXT[] = {PUBSUB_REASON_LIST(X)};
#undef X
    return TEXT[reason];
}
