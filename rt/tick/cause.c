/* cause.c: see cause.h.
 *
 * Precedence: injected, page fault, stopped, pre-empted, hole, stolen, late wake-up, long
 * compute, unexplained. Stopped is a hole or a late wake-up in a tick in which the thread
 * gave up the core more often than it asked to sleep; stolen is for witness.c to say. Holes and late wake-ups are named only where they would have missed the
 * deadline in an ordinary tick, alone or together; a long compute needs evidence (several blocks above their
 * warm maxima, more iterations, a step redone), else the miss is unexplained. */
#include "rt/tick/cause.h"

#include "rt/rtsafe.h"

enum { CAUSE_FLOOR_NS = 5000, CAUSE_HOLE_FACTOR = 3 };

void cause_begin(struct tick *t)
{
    struct tick_cause *c = &t->cause;
    c->last_ns = t->mark_ns = t->wake_ns;
    c->n_blocks = 0;
    c->injected = 0;
    c->budget_stop = 0;
    c->ask_ns = 0;
    for (int i = 0; i < CAUSE_FIRST_STEP_BLOCK; i++) c->gap[i] = 0;
}

static void cause_gap(struct tick *t, uint32_t block, int64_t now)
{
    t->cause.gap[block] = now - t->cause.last_ns;
    t->cause.last_ns = now;
}

void cause_stamp(void *tick)
{
    struct tick *t = tick;
    uint32_t block = CAUSE_FIRST_STEP_BLOCK + t->cause.n_blocks;

    if (block >= CAUSE_BLOCKS) return;
    t->cause.n_blocks++;
    cause_gap(t, block, t->time.now(t->time.self));
}

int64_t cause_phase(struct tick *t, enum phase phase)
{
    int64_t now = t->time.now(t->time.self);

    if (phase != PHASE_STEP)
        cause_gap(t, phase, now);
    else if (t->cause.n_blocks + CAUSE_FIRST_STEP_BLOCK < CAUSE_BLOCKS)
        cause_gap(t, CAUSE_FIRST_STEP_BLOCK + t->cause.n_blocks++, now);
    t->cause.last_ns = now;
    t->account.phase_ns[phase] = now - t->mark_ns;
    t->mark_ns = now;
    return now;
}

int cause_may_iterate(void *tick, int done)
{
    struct tick *t = tick;
    int64_t now;

    (void)done;
    if (t->config->pace != PACE_REALTIME) return 1;
    now = t->time.now(t->time.self);
    if (now + t->cause.after_warm < t->release_ns + t->config->deadline_ns) {
        t->cause.ask_ns = now;
        return 1;
    }
    t->cause.budget_stop = 1;
    return 0;
}

/* ---- learning ---------------------------------------------------------------------- */

/* While learning keep the second largest; afterwards believe what stays below twice
 * the largest then seen, so that noise cannot raise the bar step by step. */
static void cause_learn_one(const struct tick_cause *c, int64_t ns, int64_t *warm, int64_t *warmer)
{
    int64_t base = *warmer > CAUSE_FLOOR_NS ? *warmer : CAUSE_FLOOR_NS;

    if (c->learned < CAUSE_LEARN) {
        if (ns > *warmer) {
            *warm = *warmer;
            *warmer = ns;
        } else if (ns > *warm) {
            *warm = ns;
        }
        if (c->learned == CAUSE_LEARN - 1) *warmer = *warm; /* the base from here on */
        return;
    }
    if (ns > *warm && ns <= 2 * base) *warm = ns;
}

static void cause_learn(struct tick *t)
{
    struct tick_cause *c = &t->cause;
    uint32_t end = CAUSE_FIRST_STEP_BLOCK + c->n_blocks;

    for (uint32_t i = 0; i < end; i++) cause_learn_one(c, c->gap[i], &c->warm[i], &c->warmer[i]);
    if (c->ask_ns) cause_learn_one(c, t->end_ns - c->ask_ns, &c->after_warm, &c->after_warmer);
    cause_learn_one(c, t->end_ns - t->wake_ns, &c->busy_warm, &c->busy_warmer);
    if ((uint32_t)t->report.iterations > c->iterations_warm)
        c->iterations_warm = (uint32_t)t->report.iterations;
    if (c->learned < CAUSE_LEARN) c->learned++;
    t->account.flags |= ACCOUNT_WARM;
}

/* ---- naming ------------------------------------------------------------------------ */

static int64_t cause_threshold(const struct tick *t, uint32_t block)
{
    const struct tick_cause *c = &t->cause;
    int64_t warm = c->warm[block] > CAUSE_FLOOR_NS ? c->warm[block] : CAUSE_FLOOR_NS;

    if (c->learned < CAUSE_LEARN && t->config->deadline_ns / 4 > CAUSE_HOLE_FACTOR * warm)
        return t->config->deadline_ns / 4;
    return CAUSE_HOLE_FACTOR * warm;
}

static uint32_t cause_phase_of(uint32_t block)
{
    return block < CAUSE_FIRST_STEP_BLOCK ? block : PHASE_STEP;
}

/* Find the worst gap, and count the blocks above their warm maxima. Returns by how
 * much the holes exceed their warm maxima, 0 for none: all together, but where most
 * blocks are long the work itself is slower, and only the worst gap counts. */
static int64_t cause_holes(struct tick *t)
{
    struct tick_cause *c = &t->cause;
    struct account *a = &t->account;
    uint32_t end = CAUSE_FIRST_STEP_BLOCK + c->n_blocks;
    int64_t worst = 0, holes = 0, deepest = 0;

    for (uint32_t i = 0; i < end; i++) {
        int64_t excess = c->gap[i] - c->warm[i];
        if (excess <= 0) continue;
        a->blocks_long++;
        if (c->gap[i] > cause_threshold(t, i)) {
            holes += excess;
            deepest = excess > deepest ? excess : deepest;
        }
        if (excess <= worst) continue;
        worst = excess;
        a->gap_block = (int32_t)i;
        a->gap_ns = c->gap[i];
        a->gap_warm_ns = c->warm[i];
        a->cause_phase = cause_phase_of(i);
    }
    return 2 * a->blocks_long > c->n_blocks ? deepest : holes;
}

/* What by itself would have missed the deadline in an ordinary tick: the holes, the
 * late wake-up, both together; else the work itself was long. */
static enum cause cause_of_time(struct tick *t)
{
    const struct tick_cause *c = &t->cause;
    struct account *a = &t->account;
    int64_t late = -a->slack_ns, holes = cause_holes(t);

    if (holes > late || holes + c->busy_warm >= t->config->deadline_ns) return CAUSE_HOLE;
    if (a->wake_ns + c->busy_warm >= t->config->deadline_ns) return CAUSE_LATE_WAKE;
    if (holes > 0 && holes + a->wake_ns > late)
        return holes >= a->wake_ns ? CAUSE_HOLE : CAUSE_LATE_WAKE;
    if (a->blocks_long >= 2 || a->iterations > c->iterations_warm || a->redone)
        return CAUSE_LONG_COMPUTE;
    return CAUSE_UNEXPLAINED;
}

void cause_judge(struct tick *t)
{
    struct account *a = &t->account;
    struct tick_cause *c = &t->cause;
    enum cause by_time;
    int stopped;

    a->gap_ns = a->gap_warm_ns = 0;
    a->gap_block = -1;
    a->blocks_long = 0;
    a->cause = CAUSE_NONE;
    a->cause_phase = PHASE_STEP;
    if (!t->missed) {
        if (t->stepping && !c->injected && !c->budget_stop && !a->minor && !a->major &&
            !a->involuntary)
            cause_learn(t);
        return;
    }
    by_time = cause_of_time(t);
    stopped = a->unasked && (by_time == CAUSE_HOLE || by_time == CAUSE_LATE_WAKE);
    a->cause = c->injected           ? CAUSE_INJECTED
               : a->minor + a->major ? CAUSE_PAGE_FAULT
               : stopped             ? CAUSE_STOPPED
               : a->involuntary      ? CAUSE_PREEMPTED
                                     : by_time;
}
