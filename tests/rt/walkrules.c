#include "tests/rt/walkrules.h"

#include <string.h>

#define H ((int64_t)TESTRIG_H_NS)
enum { N = WALK_ACTUATORS };

static void rules_safe(struct walkrules *m, int idle_too, int64_t now)
{
    for (int i = 0; i < N; i++)
        if (m->a[i].kind == 1 || (idle_too && m->a[i].kind == 0)) {
            m->a[i].kind = 3;
            m->a[i].from = m->a[i].out;
            m->a[i].since = now;
        }
}

static void rules_lease_ends(struct walkrules *m, int64_t now)
{
    if (m->lease.number) rules_safe(m, 0, now);
    m->lease.number = 0;
}

static void rules_to_safe(struct walkrules *m, uint32_t trip, int64_t now)
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

static int rules_go(struct walkrules *m, const char *from, uint32_t to)
{
    static const char LETTER[] = "uEARHSF";
    if (!strchr(from, LETTER[m->state])) return 0;
    m->state = to;
    m->steps_left = 0;
    return 1;
}

static void rules_start(struct walkrules *m)
{
    m->span = 1;
    m->in_a_row = 0;
    m->n_miss = 0;
}

static void rules_reset(struct walkrules *m)
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

static uint32_t rules_acquire(struct walkrules *m, int who, const struct request *q, int64_t now)
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

static uint32_t rules_request(struct walkrules *m, int who, const struct request *q, int64_t now)
{
    int holds = m->lease.number && m->lease.service == who && q->lease == m->lease.number;
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
        if (!holds) return m->lease.number ? REPLY_AUTHORITY : REPLY_NOBODY;
        rules_lease_ends(m, now);
        return REPLY_DONE;
    case REQUEST_COUNT:
        return REPLY_UNKNOWN;
    default:
        break;
    }
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

static void rules_frame(struct walkrules *m, int64_t now)
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

static void rules_apply(struct walkrules *m, int64_t now)
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

void walkrules_judge(struct walkrules *m, int stepped, int64_t end, int64_t now)
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

uint32_t walkrules_tick(struct walkrules *m, const struct draw *d, int64_t *end)
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

void walkrules_init(struct walkrules *m)
{
    memset(m, 0, sizeof *m);
    m->state = STATE_READY;
    rules_reset(m);
}
