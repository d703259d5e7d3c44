/* queue_limit.h: a bound on the memory that subscriptions occupy.
 *
 * The library bounds items and the entries of a queue, not their bytes. Here
 * - a queue has one entry where a value is larger than QUEUE_LIMIT_LARGE, else at most
 *   QUEUE_LIMIT_BYTES of them;
 * - what the items of a session hold in any case (each its last value and a queue of one) is
 *   at most QUEUE_LIMIT_SESSION bytes, and at most QUEUE_LIMIT_EVENTS of them are for
 *   events: more are refused (BadTooManyMonitoredItems), a session that goes on is closed;
 * - when the server's heap has grown by QUEUE_LIMIT_TOTAL since it began to serve, the
 *   session that asked for most is closed.
 * SERVICE context; never blocks. */
#ifndef QUEUE_LIMIT_H
#define QUEUE_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include <open62541/server.h>

struct server;
struct values_item;
enum {
    QUEUE_LIMIT_ENTRIES = 1000,
    QUEUE_LIMIT_LARGE = 1 << 10,
    QUEUE_LIMIT_BYTES = 256 << 10,
    QUEUE_LIMIT_SESSION = 16 << 20,
    QUEUE_LIMIT_EVENTS = 64,
    QUEUE_LIMIT_TOTAL = 96 << 20,
    QUEUE_LIMIT_ITEMS = 40000
};

struct queue_limit {
    size_t base;             /* bytes of the heap when it began to serve; 0: not yet */
    uint64_t over;           /* number of a session that holds too much; 0: none */
};

/* Of one session, in its context. */
struct queue_limit_share {
    size_t held;             /* bytes its items hold in any case */
    size_t wanted;           /* with all queues full */
    uint32_t events;         /* items for events */
};

void queue_limit_install(UA_ServerConfig *c);

/* A value was read, for an item or for anything else: the queue of an item that is made
 * next is of its size. */
void queue_limit_note(struct server *s, struct values_item *item, const UA_Variant *value);

/* A message was served: its limits end, a session that holds too much is closed. */
void queue_limit_served(struct server *s);

/* Time passes: look at the heap. */
void queue_limit_beat(struct server *s);

#endif
