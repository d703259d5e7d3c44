/* timers.h: the server's timers: in phase with the step, and on time.
 *
 * Sampling and publishing run by timers of open62541's event loop. Timers of any phase
 * at the step's rate see a step twice and miss the next whenever the loop is a little
 * late, so they are set to shortly after the step has published. And the loop sleeps in
 * whole milliseconds rounded up, so the last of them are waited here, in nanoseconds, on
 * the same sockets. SERVICE context. */
#ifndef TIMERS_H
#define TIMERS_H

#include <open62541/plugin/eventloop.h>

struct server;

struct timers {
    int epoll;                /* of all sockets of the loop; -1: the loop waits alone */
    UA_StatusCode (*add)(UA_EventLoop *el, UA_Callback callback, void *application, void *data,
                         UA_Double interval_ms, UA_DateTime *base, UA_TimerPolicy policy,
                         UA_UInt64 *id);
    UA_StatusCode (*modify)(UA_EventLoop *el, UA_UInt64 id, UA_Double interval_ms,
                            UA_DateTime *base, UA_TimerPolicy policy);
};

/* Take over the timers of a loop before it starts; one server per thread. */
void timers_install(struct server *s, UA_EventLoop *loop);
void timers_remove(struct server *s);

/* A connection or listening socket was opened: be woken by it. */
void timers_watch(struct server *s, uintptr_t connection);

/* Wait for a socket or the next timer where that is near. Returns how long (ms) the loop
 * itself may wait then. Blocks: for at most `timeout` ms. */
UA_UInt32 timers_wait(struct server *s, UA_EventLoop *el, UA_UInt32 timeout);

#endif
