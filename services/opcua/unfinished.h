/* unfinished.h: a bound on what unfinished messages may occupy, over all connections.
 *
 * A message may come in chunks (Part 6, 6.7.2), and open62541 keeps them until the last
 * one is there, also for somebody who has not logged in: its own limits hold for one
 * message, and there may be as many as there are channels. So the bytes of unfinished
 * messages are counted here from the heads of the chunks, which are never encrypted, and
 * beyond UNFINISHED_MOST the connection that holds most of them is closed.
 * SERVICE context, one thread, never blocks. */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include <open62541/plugin/eventloop.h>

enum { UNFINISHED_MOST = 4 << 20, UNFINISHED_HEAD = 8 };

/* A connection that sent something. */
struct unfinished_line {
    UA_ConnectionManager *manager;
    uintptr_t id;
    size_t held;              /* bytes of its unfinished message */
    size_t left;              /* bytes to come of its chunk */
    UA_Byte head[UNFINISHED_HEAD];
    UA_Byte n_head;           /* bytes of a head that are there */
};

struct unfinished {
    struct unfinished_line *line;
    size_t n, room, last;     /* last: where the one found last stands */
    size_t held;              /* by all */
};

/* Bytes came. Returns 0 if they must not be handed on: the connection is closed. */
int unfinished_take(struct unfinished *u, UA_ConnectionManager *cm, uintptr_t id,
                    const UA_ByteString *bytes);

/* A connection ends. */
void unfinished_forget(struct unfinished *u, uintptr_t id);

void unfinished_clear(struct unfinished *u);

#endif
