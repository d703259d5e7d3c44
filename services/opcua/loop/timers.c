#include "services/opcua/loop/timers.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "services/opcua/server.h"

enum { NEAR_MS = 3, SLACK_NS = 1000, NS_PER_TICK = 100 };

/* The loop hands back no context of ours: this thread's one server. */
static _Thread_local struct server *installed;

/* The loop's own clock is not steered as the step's is: they would drift apart. */
static UA_DateTime now(UA_EventLoop *el)
{
    (void)el;
    return request_scope_clock() / NS_PER_TICK;
}

/* ---- in phase ---------------------------------------------------------------------- */

/* A time at which a step had published, with an eighth of a step to spare; 0: there is
 * no grid to be in phase with. */
static UA_DateTime grid(struct server *s)
{
    const struct rig *rig = s->attach->rig;
    const struct monitor_series *end = &s->attach->port.monitor->series[SERIES_END];
    const struct request_scope *t = request_scope_now(s);
    int64_t took = end->n ? (int64_t)(end->sum_ns / end->n) : 0;

    if (rig->pace != RIG_REALTIME || t->presence) return 0;
    return (t->record->release_ns + took + (int64_t)(rig->step * 1e9 / 8)) / NS_PER_TICK;
}

static UA_StatusCode add(UA_EventLoop *el, UA_Callback callback, void *application, void *data,
                         UA_Double interval_ms, UA_DateTime *base, UA_TimerPolicy policy,
                         UA_UInt64 *id)
{
    UA_DateTime at = base ? 0 : grid(installed);

    calls_note_timer(installed, callback, application, data, interval_ms);
    if (at) base = &at, policy = UA_TIMER_HANDLE_CYCLEMISS_WITH_BASETIME;
    return installed->timers.add(el, callback, application, data, interval_ms, base, policy, id);
}

static UA_StatusCode modify(UA_EventLoop *el, UA_UInt64 id, UA_Double interval_ms,
                            UA_DateTime *base, UA_TimerPolicy policy)
{
    UA_DateTime at = base ? 0 : grid(installed);

    if (at) base = &at, policy = UA_TIMER_HANDLE_CYCLEMISS_WITH_BASETIME;
    return installed->timers.modify(el, id, interval_ms, base, policy);
}

/* ---- on time ----------------------------------------------------------------------- */

/* Connections are numbered by their sockets; should they not be, the loop waits alone. */
void timers_watch(struct server *s, uintptr_t connection)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct stat st;
    int fd = (int)connection;

    if (s->timers.epoll < 0) return;
    if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode)) {
        epoll_ctl(s->timers.epoll, EPOLL_CTL_ADD, fd, &event); /* closing it takes it out */
    } else {
        close(s->timers.epoll);
        s->timers.epoll = -1;
    }
}

UA_UInt32 timers_wait(struct server *s, UA_EventLoop *el, UA_UInt32 timeout)
{
    int64_t ns = (el->nextCyclicTime(el) - now(el)) * NS_PER_TICK,
            most = timeout * INT64_C(1000000);
    struct timespec t = {.tv_sec = 0};
    struct epoll_event event;

    if (ns > calls_nap(s)) ns = calls_nap(s);
    t.tv_nsec = ns;
    if (s->timers.epoll < 0) return ns < most && ns > 0 ? (UA_UInt32)(ns / 1000000) : timeout;
    if (ns >= most) return timeout;
    if (ns >= NEAR_MS * 1000000) return (UA_UInt32)(ns / 1000000) - 1;
    if (ns > 0 && epoll_pwait2(s->timers.epoll, &event, 1, &t, NULL) < 0) return timeout;
    return 0;
}

/* ---- life -------------------------------------------------------------------------- */

void timers_install(struct server *s, UA_EventLoop *loop)
{
    installed = s;
    s->timers.epoll = epoll_create1(EPOLL_CLOEXEC);
    s->timers.add = loop->addCyclicCallback;
    s->timers.modify = loop->modifyCyclicCallback;
    loop->addCyclicCallback = add;
    loop->modifyCyclicCallback = modify;
    loop->dateTime_nowMonotonic = now;
    prctl(PR_SET_TIMERSLACK, SLACK_NS);
}

void timers_remove(struct server *s)
{
    if (installed && s->timers.epoll >= 0) close(s->timers.epoll);
    installed = NULL;
}
