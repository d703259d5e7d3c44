/* A random walk of 10^6 ticks against a small second writing of the rules.
 *
 * Each tick draws: a request, a write, a refresh, a restart of a service, a late
 * wake-up, a long step, a failing step. `struct rules` below predicts from the text
 * of the design alone what the record must say; every tick is compared. Seeded: a
 * failure prints the seed and the tick. TRAPEZE_WALK_TICKS makes it longer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rt/testrig.h"

#define H ((int64_t)TESTRIG_H_NS)
enum { N = TESTRIG_ACTUATORS, S = TESTRIG_SERVICES };

/* ---- what is drawn ----------------------------------------------------------------- */

struct draw {
    int restart;          /* service, 0: none */
    int asker;            /* service + 1, 0: no request */
    struct request request;
    int writer;           /* service, 0: nobody */
    int right_lease;      /* the frame carries the service's idea of its lease */
    int refresh;
    int write[N];
    double value[N];
    int64_t late, cost;
    int fail;
};

static uint64_t draw_word(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int draw_below(uint64_t *seed, int n) { return (int)(draw_word(seed) % (uint64_t)n); }

static double draw_value(uint64_t *seed)
{
    switch (draw_below(seed, 12)) {
    case 0:
        return (double)NAN;
    case 1:
        return 10.5;
    case 2:
        return -1e9;
    case 3:
        return (double)INFINITY;
    default:
        return (double)draw_below(seed, 2001) / 100 - 10;
    }
}

static void draw_request(uint64_t *seed, struct draw *d, const uint64_t *lease)
{
    static const uint32_t LIKELY[] = {
        REQUEST_ARM,     REQUEST_START,     REQUEST_START,   REQUEST_ACQUIRE, REQUEST_ACQUIRE,
        REQUEST_STEP,    REQUEST_RESET,     REQUEST_ARM,     REQUEST_PAUSE,   REQUEST_DISARM,
        REQUEST_ESTOP,   REQUEST_POLICY,    REQUEST_RELEASE, REQUEST_RESET,   REQUEST_START,
        REQUEST_NOTHING, REQUEST_PARAMETER, REQUEST_COUNT};

    d->asker = 1 + draw_below(seed, S + 1);
    d->request = (struct request){
        .kind = LIKELY[draw_below(seed, sizeof LIKELY / sizeof LIKELY[0])],
        .lease = draw_below(seed, 8) ? lease[d->asker - 1] : draw_word(seed) % 4,
        .session = (uint64_t)draw_below(seed, 3),
        .count = (uint64_t)draw_below(seed, 6),
        .index = draw_below(seed, 5),
        .preempt = (uint32_t)draw_below(seed, 3) / 2,
        .value = draw_value(seed)};
}

static struct draw draw_tick(uint64_t *seed, const uint64_t *lease)
{
    struct draw d = {0};

    if (draw_below(seed, 500) == 0) d.restart = 1 + draw_below(seed, S);
    if (draw_below(seed, 6) == 0) draw_request(seed, &d, lease);
    if (draw_below(seed, 3) == 0) {
        d.writer = 1 + draw_below(seed, S);
        d.right_lease = draw_below(seed, 10) > 0;
        d.refresh = draw_below(seed, 4) == 0;
        for (int i = 0; i < N; i++) {
            d.write[i] = draw_below(seed, 2);
            d.value[i] = draw_value(seed);
        }
    }
    d.late = draw_below(seed, 12) ? draw_below(seed, 100000) : draw_below(seed, (int)(4 * H));
    d.cost = draw_below(seed, 10) ? draw_below(seed, 500000) : draw_below(seed, (int)(6 * H));
    d.fail = draw_below(seed, 3000) == 0;
    return d;
}

/* ---- the rules, written a second time ---------------------------------------------- */

struct rules {
    uint32_t state, policy, trip;
    int moving;
    uint64_t slot, tick, step, misses, skipped, lost, steps_left;
    uint64_t span, in_a_row;
    uint64_t miss_at[4096], n_miss;
    double t;
    struct {
        uint64_t number;
        int service;
        uint64_t session;
        int manual;
        int64_t dies;
    } lease;
    uint64_t leases;
    struct {
        int kind; /* 0 idle, 1 live, 2 timed out, 3 safe */
        double want, out, from;
        int64_t seen, since;
    } a[N];
    double live;
    /* what each service has in its newest frame, and what of it is news */
    struct {
        uint64_t lease;
        int any, news, refreshed;
        int fresh[N];
        double value[N];
    } frame[S + 1];
};

static void rules_safe(struct rules *m, int idle_too, int64_t now)
{
    for (int i = 0; i < N; i++)
        if (m->a[i].kind == 1 || (idle_too && m->a[i].kind == 0)) {
            m->a[i].kind = 3;
            m->a[i].from = m->a[i].out;
            m->a[i].since = now;
        }
}

static void rules_lease_ends(struct rules *m, int64_t now)
{
    if (m->lease.number) rules_safe(m, 0, now);
    m->lease.number = 0;
}

static void rules_to_safe(struct rules *m, uint32_t trip, int64_t now)
{
    if (m->state == STATE_FAULTED) return;
    if (m->state != STATE_SAFE) {
        m->trip = trip;
        m->moving = m->state == STATE_RUNNING;
    }
    m->state = STATE_SAFE;
    m->steps_left = 0;
    rules_lease_ends(m, now);
    rules_safe(m, 1, now);
}

static int rules_go(struct rules *m, const char *from, uint32_t to)
{
    static const char LETTER[] = "uEARHSF";
    if (!strchr(from, LETTER[m->state])) return 0;
    m->state = to;
    m->steps_left = 0;
    return 1;
}

static void rules_start(struct rules *m)
{
    m->span = 1;
    m->in_a_row = 0;
    m->n_miss = 0;
}

static void rules_reset(struct rules *m)
{
    rules_start(m);
    m->t = 0;
    m->live = 7;
    m->trip = TRIP_NONE;
    m->moving = 0;
    for (int i = 0; i < N; i++) {
        m->a[i].kind = 0;
        m->a[i].want = m->a[i].out = 0.5;
    }
}

static uint32_t rules_acquire(struct rules *m, int who, const struct request *q, int64_t now)
{
    if (q->index != LEASE_STREAM && q->index != LEASE_MANUAL) return REPLY_RANGE;
    if (m->lease.number && !(m->lease.service == who && m->lease.session == q->session)) {
        if (!q->preempt) return REPLY_AUTHORITY;
        if (who != 3) /* the rig lets service 3 pre-empt */
            return REPLY_NOT_ALLOWED;
        rules_lease_ends(m, now);
    }
    m->lease.number = ++m->leases;
    m->lease.service = who;
    m->lease.session = q->session;
    m->lease.manual = q->index == LEASE_MANUAL;
    m->lease.dies = now + 50 * H;
    m->frame[who].news = m->frame[who].refreshed = 0;
    memset(m->frame[who].fresh, 0, sizeof m->frame[who].fresh);
    return REPLY_DONE;
}

static uint32_t rules_request(struct rules *m, int who, const struct request *q, int64_t now)
{
    int holds = m->lease.number && m->lease.service == who && q->lease == m->lease.number;
    int open = !m->lease.number || holds || who == 0;
    uint32_t before = m->state;

    switch (q->kind) {
    case REQUEST_NOTHING:
        return REPLY_DONE;
    case REQUEST_ESTOP:
        rules_to_safe(m, TRIP_ESTOP, now);
        return REPLY_DONE;
    case REQUEST_ACQUIRE:
        return rules_acquire(m, who, q, now);
    case REQUEST_RELEASE:
        if (!holds) return REPLY_AUTHORITY;
        rules_lease_ends(m, now);
        return REPLY_DONE;
    case REQUEST_COUNT:
        return REPLY_UNKNOWN;
    default:
        break;
    }
    if (!open) return REPLY_AUTHORITY;
    switch (q->kind) {
    case REQUEST_ARM:
        return rules_go(m, "E", STATE_ARMED) ? REPLY_DONE : REPLY_STATE;
    case REQUEST_PAUSE:
        return rules_go(m, "R", STATE_HOLDING) ? REPLY_DONE : REPLY_STATE;
    case REQUEST_DISARM:
        if (!rules_go(m, "AHS", STATE_READY)) return REPLY_STATE;
        m->moving = 0;
        m->trip = TRIP_NONE;
        rules_safe(m, 0, now);
        return REPLY_DONE;
    case REQUEST_START:
        if (!rules_go(m, "AH", STATE_RUNNING)) return REPLY_STATE;
        rules_start(m);
        return REPLY_DONE;
    case REQUEST_STEP:
        if (q->count == 0) return REPLY_RANGE;
        if (!rules_go(m, "AH", STATE_RUNNING)) return REPLY_STATE;
        rules_start(m);
        m->steps_left = q->count;
        return REPLY_STARTED;
    case REQUEST_RESET:
        if (!rules_go(m, "EAHSF", STATE_READY)) return REPLY_STATE;
        rules_reset(m);
        return REPLY_DONE;
    case REQUEST_POLICY:
        if (q->index >= POLICY_COUNT) return REPLY_INDEX;
        m->policy = (uint32_t)q->index;
        return REPLY_DONE;
    case REQUEST_PARAMETER:
        if (q->index > 1) return REPLY_INDEX;
        if (q->index == 0) return REPLY_RESTART;
        if (!(q->value >= 0 && q->value <= 20)) return REPLY_RANGE;
        if (before == STATE_FAULTED) return REPLY_STATE;
        m->live = q->value;
        return REPLY_DONE;
    default:
        return REPLY_UNKNOWN;
    }
}

static void rules_frame(struct rules *m, int64_t now)
{
    int s = m->lease.service, takes = strchr("ARH", "uEARHSF"[m->state]) != NULL;

    if (!m->lease.number || !m->frame[s].news) return;
    m->frame[s].news = 0;
    if (m->frame[s].lease != m->lease.number) return;
    if (m->lease.manual && m->frame[s].refreshed) m->lease.dies = now + 50 * H;
    m->frame[s].refreshed = 0;
    for (int i = 0; i < N; i++) {
        double v = m->frame[s].value[i];
        if (!m->frame[s].fresh[i]) continue;
        m->frame[s].fresh[i] = 0;
        if (!takes || !(v >= -10 && v <= 10)) continue;
        m->a[i].kind = 1;
        m->a[i].want = v;
        m->a[i].seen = now;
        m->lease.dies = now + 50 * H;
    }
}

static void rules_apply(struct rules *m, int64_t now)
{
    for (int i = 0; i < N; i++) {
        double share;
        if (m->a[i].kind == 1 && !m->lease.manual && now - m->a[i].seen >= 5 * H) {
            m->a[i].kind = 2;
            m->a[i].from = m->a[i].out;
            m->a[i].since = now;
        }
        share = (double)(now + H - m->a[i].since) / (double)(4 * H);
        m->a[i].out = m->a[i].kind == 0   ? 0.5
                      : m->a[i].kind == 1 ? m->a[i].want
                      : i == 0            ? 0
                      : i == 1            ? m->a[i].from
                      : share >= 1        ? 1
                                          : m->a[i].from + (1 - m->a[i].from) * share;
    }
}

static void rules_judge(struct rules *m, int stepped, int64_t end, int64_t now)
{
    uint64_t gone = (uint64_t)(end / H);
    int missed = end >= H, was_running = m->state == STATE_RUNNING;

    m->misses += (uint64_t)missed;
    m->skipped += gone;
    m->span = stepped && gone && m->policy != POLICY_FINISH_LATE ? 2 : 1;
    if (stepped) m->lost += gone + 1 - m->span;
    if (was_running && stepped && !missed) m->in_a_row = 0;
    if (was_running && stepped && missed) {
        m->in_a_row++;
        m->miss_at[m->n_miss++ % 4096] = m->slot;
        if (m->policy == POLICY_STOP)
            rules_to_safe(m, TRIP_POLICY, now);
        else if (m->in_a_row >= 4)
            rules_to_safe(m, TRIP_CONSECUTIVE, now);
        else if (m->n_miss >= 6 && m->slot - m->miss_at[(m->n_miss - 6) % 4096] < 30)
            rules_to_safe(m, TRIP_WINDOW, now);
    }
    m->slot += 1 + gone;
}

/* One tick by the rules. Returns the reply to expect. */
static uint32_t rules_tick(struct rules *m, const struct draw *d, int64_t *end)
{
    int64_t now = 517000 + (int64_t)m->slot * H;
    uint32_t reply = REPLY_COUNT;
    int stepping, stepped = 0;

    if (d->restart && m->lease.number && m->lease.service == d->restart) rules_lease_ends(m, now);
    if (m->lease.number && now >= m->lease.dies) rules_lease_ends(m, now);
    if (d->asker) reply = rules_request(m, d->asker - 1, &d->request, now);
    rules_frame(m, now);
    stepping = m->state == STATE_RUNNING || (m->state == STATE_SAFE && m->moving);
    rules_apply(m, now);
    m->tick++;
    if (stepping && d->fail) {
        m->state = STATE_FAULTED;
        m->moving = 0;
        m->steps_left = 0;
        rules_lease_ends(m, now);
        rules_safe(m, 1, now);
    } else if (stepping) {
        stepped = 1;
        m->step++;
        m->t += 1e-3 * (double)m->span;
        if (m->steps_left && --m->steps_left == 0 && m->state == STATE_RUNNING)
            m->state = STATE_HOLDING;
    }
    *end = d->late + (stepped ? d->cost : 0);
    return reply;
}

/* ---- the comparison ---------------------------------------------------------------- */

static void play(struct testrig *r, const struct draw *d, struct rules *m)
{
    if (d->restart) {
        int s = d->restart;
        ring_clear(&r->port[s].command);
        ring_clear(&r->port[s].request);
        r->port[s].epoch = ++r->board->service[s].epoch;
        memset(&m->frame[s], 0, sizeof m->frame[s]);
        memset(r->frame[s], 0, r->layout.service.command_bytes);
    }
    if (d->writer) {
        int s = d->writer;
        struct command_frame *f = r->frame[s];
        uint64_t lease = f->lease;
        if (!d->right_lease) f->lease = 999999999;
        f->refresh += (uint64_t)d->refresh;
        for (int i = 0; i < N; i++)
            if (d->write[i]) {
                f->value[i].counter++;
                f->value[i].value = d->value[i];
                m->frame[s].fresh[i] = 1;
                m->frame[s].value[i] = d->value[i];
            }
        m->frame[s].lease = f->lease;
        m->frame[s].news = 1;
        m->frame[s].refreshed |= d->refresh;
        port_command(&r->port[s], f);
        f->lease = lease;
    }
    r->clock.wake_late_ns = d->late;
    r->plant.cost_ns = d->cost;
    r->plant.fail = d->fail;
}

#define SAME(a, b)                                                                     \
    do {                                                                               \
        if ((a) != (b)) {                                                              \
            print_error("seed %llu tick %llu: " #a " %g, by the rules %g\n",           \
                        (unsigned long long)seed0, (unsigned long long)m->tick, (double)(a), \
                        (double)(b));                                                        \
            fail();                                                                    \
        }                                                                              \
    } while (0)

static void compare(struct testrig *r, const struct rules *m, uint32_t state, uint32_t trip,
                    uint64_t seed0)
{
    const struct record *q = r->record;
    const struct record_actuator *a = record_actuators(&r->layout.step.record, q);
    static const uint32_t FLAG[] = {0, ACTUATOR_LIVE, ACTUATOR_TIMEOUT, ACTUATOR_SAFE};

    SAME(q->tick, m->tick);
    SAME(q->step, m->step);
    SAME(q->state, state);
    SAME(q->trip, trip);
    SAME(q->policy, m->policy);
    SAME(r->tick.steps_left, m->steps_left);
    SAME(r->tick.state, m->state);
    SAME(r->tick.slot, m->slot);
    SAME(r->tick.monitor->misses, m->misses);
    SAME(r->tick.monitor->skipped, m->skipped);
    SAME(r->tick.monitor->lost_slots, m->lost);
    SAME(r->tick.policy.span, m->span);
    SAME(r->tick.lease.number, m->lease.number);
    if (fabs(r->plant.t - m->t) > 1e-9 * (1 + m->t)) SAME(r->plant.t, m->t);
    for (int i = 0; i < N; i++) {
        SAME(a[i].value, m->a[i].out);
        (void)FLAG;
        if (r->tick.state == state) /* else the safe action began after publishing */
            SAME(a[i].flags & 7, FLAG[m->a[i].kind]);
    }
    SAME(r->plant.live, m->live);
}

static void walk(uint64_t seed0, uint64_t ticks, uint64_t seen[STATE_COUNT][TRIP_COUNT])
{
    static struct rules rules;
    struct rules *m = &rules;
    struct testrig r;
    uint64_t seed = seed0;

    memset(m, 0, sizeof *m);
    m->state = STATE_READY;
    rules_reset(m);
    testrig_create(&r);
    r.config.preempt = 1u << 3;
    r.config.trip_consecutive = 4;
    r.config.trip_misses = 6;
    r.config.trip_window = 30;
    testrig_begin(&r);
    for (uint64_t k = 0; k < ticks; k++) {
        uint64_t lease[S + 1], ticket = 0;
        struct draw d;
        struct reply reply;
        uint32_t want, state, trip;
        int64_t end;
        for (int s = 0; s <= S; s++) lease[s] = r.frame[s]->lease;
        d = draw_tick(&seed, lease);
        play(&r, &d, m);
        if (d.asker) ticket = port_send(&r.port[d.asker - 1], &d.request);
        testrig_ticks(&r, 1);
        want = rules_tick(m, &d, &end);
        state = m->state;
        trip = m->trip;
        rules_judge(m, r.record->interval > 0, end, r.record->release_ns);
        if (d.asker) {
            if (!port_reply(&r.port[d.asker - 1], ticket, &reply))
                fail_msg("seed %llu tick %llu: no reply", (unsigned long long)seed0,
                         (unsigned long long)m->tick);
            SAME(reply.result, want);
            if (d.request.kind == REQUEST_ACQUIRE && reply.result == REPLY_DONE)
                r.frame[d.asker - 1]->lease = reply.number;
        }
        compare(&r, m, state, trip, seed0);
        seen[m->state][m->trip]++;
    }
    testrig_destroy(&r);
}

static void a_million_ticks_follow_the_rules(void **state)
{
    const char *text = getenv("TRAPEZE_WALK_TICKS");
    uint64_t ticks = text ? strtoull(text, NULL, 10) : 1000000;
    uint64_t seen[STATE_COUNT][TRIP_COUNT] = {{0}};

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) walk(seed, ticks / 10, seen);
    /* the walk got everywhere, or it shows nothing */
    assert_true(seen[STATE_READY][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_ARMED][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_RUNNING][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_HOLDING][TRIP_NONE] > ticks / 1000);
    assert_true(seen[STATE_SAFE][TRIP_ESTOP] > ticks / 1000);
    assert_true(seen[STATE_SAFE][TRIP_POLICY] > ticks / 10000);
    assert_true(seen[STATE_SAFE][TRIP_CONSECUTIVE] > 0);
    assert_true(seen[STATE_SAFE][TRIP_WINDOW] > 0);
    assert_true(seen[STATE_FAULTED][TRIP_NONE] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_ticks_follow_the_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
