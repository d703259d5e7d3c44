/* chunk_limit.h: a bound on what unfinished messages may occupy, over all connections.
 *
 * A message may come in chunks (Part 6, 6.7.2), and open62541 keeps them until the last
 * one is there, also for somebody who has not logged in: its own limits hold for one
 * message, and there may be as many as there are channels. So the bytes of unfinished
 * messages are counted here from the heads of the chunks, which are never encrypted, and
 * beyond CHUNK_LIMIT_MOST the connection that holds most of them is closed.
 * SERVICE context, one thread, never blocks. */
#ifndef CHUNK_LIMIT_H
#define CHUNK_LIMIT_H

#include <open62541/plugin/eventloop.h>

enum { CHUNK_LIMIT_MOST = 4 << 20, CHUNK_LIMIT_HEAD = 8 };

/* A connection that sent something. */
struct chunk_limit_line {
    UA_ConnectionManager *manager;
    uintptr_t id;
    size_t held;              /* bytes of its unfinished message */
    size_t left;              /* bytes to come of its chunk */
    UA_Byte head[CHUNK_LIMIT_HEAD];
    UA_Byte n_head;           /* bytes of a head that are there */
    int trusted;              /* a session was activated on it */
};

struct chunk_limit {
    struct chunk_limit_line *line;
    size_t n, room, last;     /* last: where the one found last stands */
    size_t held;              /* by all */
};

/* Bytes came. Returns 0 if they must not be handed on: the connection is closed. */
int chunk_limit_take(struct chunk_limit *u, UA_ConnectionManager *cm, uintptr_t id,
                     const UA_ByteString *bytes);

/* Somebody has logged in on this line: it goes after those where nobody has. */
void chunk_limit_trust(struct chunk_limit *u, uintptr_t id);

/* A connection ends. */
void chunk_limit_forget(struct chunk_limit *u, uintptr_t id);

void chunk_limit_clear(struct chunk_limit *u);

#endif
