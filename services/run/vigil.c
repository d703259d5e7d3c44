#include "services/run/vigil.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "services/run/processes.h"

#define SECOND INT64_C(1000000000)

void vigil_tell(struct supervisor *s, enum event_kind kind, struct event e)
{
    struct request r = {.kind = REQUEST_TELL,
                        .index = (int32_t)kind,
                        .count = e.a,
                        .session = e.b,
                        .about = e.service,
                        .at = e.index,
                        .value = e.value};

    if (s->step.pid) port_send(&s->port, &r);
}

/* ---- heartbeats -------------------------------------------------------------------- */

static uint64_t beat_of(const struct supervisor *s, uint32_t self)
{
    const char *block = s->stepper.service[self].map;
    return atomic_load_explicit(
        (const _Atomic uint64_t *)(const void *)(block + s->stepper.layout.service.beat_at),
        memory_order_relaxed);
}

int vigil_is_up(const struct supervisor *s, uint32_t self)
{
    return s->member[self].pid && beat_of(s, self) > 0;
}

/* It does not end when asked: it would not notice. The end is seen like any other. */
static void end_hung(struct supervisor *s, uint32_t self, double quiet_s)
{
    struct processes_member *m = &s->member[self];

    fprintf(stderr, "trapeze: %s hangs: no heartbeat for %.1f s: it is ended and started again\n",
            m->kind->name, quiet_s);
    atomic_fetch_add(&s->board->service[self].hangs, 1);
    vigil_tell(s, EVENT_HUNG, (struct event){.service = self, .value = quiet_s});
    m->hung = 1;
    kill(m->pid, SIGKILL);
}

static void look_at_service(struct supervisor *s, uint32_t self, int64_t now)
{
    struct processes_member *m = &s->member[self];
    uint64_t beat = beat_of(s, self);
    int64_t patience = (beat ? VIGIL_PATIENCE_S : VIGIL_STARTING_S) * SECOND;

    if (beat && !m->was_up) m->was_up = 1;
    if (beat != m->beat || m->beat_ns < m->started_ns) {
        m->beat = beat;
        m->beat_ns = now;
    } else if (!m->hung && now - m->beat_ns > patience) {
        end_hung(s, self, (double)(now - m->beat_ns) / 1e9);
    }
}

/* ---- the step thread --------------------------------------------------------------- */

/* What differs from what was set; bits of enum board_scheduling. */
static uint32_t differs(const struct supervisor *s, pid_t thread, int *priority, int *core)
{
    int policy = sched_getscheduler(thread), wanted = s->stepper.priority;
    struct sched_param p = {.sched_priority = 0};
    uint32_t bits = 0;
    cpu_set_t set;

    *priority = *core = -1;
    if (policy < 0 || sched_getparam(thread, &p) != 0 ||
        sched_getaffinity(thread, sizeof set, &set) != 0)
        return BOARD_UNSEEN;
    *priority = p.sched_priority;
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&set) == 1; i++)
        if (CPU_ISSET((size_t)i, &set)) *core = i;
    if ((policy & ~SCHED_RESET_ON_FORK) != (wanted ? SCHED_FIFO : SCHED_OTHER))
        bits |= BOARD_POLICY;
    if (p.sched_priority != wanted) bits |= BOARD_PRIORITY;
    if (*core != s->stepper.core) bits |= BOARD_CORE;
    return bits;
}

static void look_at_step(struct supervisor *s)
{
    pid_t thread = (pid_t)s->port.monitor->thread_id;
    uint32_t before = atomic_load(&s->board->scheduling), bits;
    int priority, core;

    if (!s->step.pid || thread <= 0) return;
    bits = differs(s, thread, &priority, &core);
    if (bits == before || (bits & BOARD_UNSEEN)) return; /* it is ending */
    atomic_store(&s->board->scheduling, bits);
    if (bits) atomic_fetch_add(&s->board->scheduling_changes, 1);
    vigil_tell(s, EVENT_SCHEDULING,
               (struct event){.a = bits, .index = core, .value = (double)priority});
    if (bits)
        fprintf(stderr,
                "trapeze: somebody changed how the step thread is scheduled:%s%s%s: now priority "
                "%d on core %d%s; deadlines are not kept so: start the rig again\n",
                bits & BOARD_POLICY ? " policy" : "", bits & BOARD_PRIORITY ? " priority" : "",
                bits & BOARD_CORE ? " core" : "", priority, core, core < 0 ? " (several)" : "");
    else
        fprintf(stderr, "trapeze: the step thread is scheduled as it was set again\n");
}

/* ---- all of it --------------------------------------------------------------------- */

void vigil_look(struct supervisor *s)
{
    int64_t now = processes_now();
    int slept = now - s->vigil_ns > SECOND; /* stopped ourselves: nobody's heart is judged */

    s->vigil_ns = now;
    for (uint32_t i = 1; i < BLOCK_SERVICES; i++) {
        if (slept) s->member[i].beat_ns = now;
        if (s->member[i].pid) look_at_service(s, i, now);
    }
    if (now - s->scheduling_ns < SECOND) return;
    s->scheduling_ns = now;
    look_at_step(s);
}
