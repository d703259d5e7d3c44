/* sessions.h: how many sessions there are, whose, and for how long.
 *
 * The library keeps each session until its own timeout, up to ten minutes, and refuses
 * new ones when it has too many. Here
 * - a session that is not activated lives for SESSIONS_LOGIN_S, ends with its line, and is
 *   the first to go, oldest first, when there are more than SESSIONS_LOGINS of them, or more
 *   than SESSIONS_PER_LINE of one line (Part 4, 5.6.2); active are at most SESSIONS_MOST;
 * - a session without a line lives for SESSIONS_ALONE_S, or until its place is needed;
 * - a client's certificate has at most SESSIONS_PER_CLIENT sessions;
 * - the last place is kept for an operator, so that a stop can always be called.
 * SERVICE context; never blocks. */
#ifndef SESSIONS_H
#define SESSIONS_H

#include <stdint.h>

#include <open62541/server.h>

struct server;
enum {
    SESSIONS_MOST = 32,
    SESSIONS_LOGINS = 16,
    SESSIONS_LIBRARY = 64,       /* what the library is told: what one message may add above */
    SESSIONS_PER_LINE = 2,       /* not activated */
    SESSIONS_PER_CLIENT = 8,
    SESSIONS_LOGIN_S = 10,
    SESSIONS_ALONE_S = 60,
    SESSIONS_CLIENT = 41
};

struct sessions_one {
    UA_NodeId id;
    uintptr_t line;              /* connection; 0: none */
    int64_t since_ns;            /* made; activated: lost its line */
    int active;
    char client[SESSIONS_CLIENT]; /* name of the certificate (keystore.h); empty: none */
};

struct sessions {
    struct sessions_one one[SESSIONS_LIBRARY];
    int n;
};

/* Hear of every session of a server under construction. */
void sessions_install(struct server *s, UA_ServerConfig *c);
void sessions_free(struct server *s);

/* May it be activated on this line? Good, and it is noted as active; or
 * BadTooManySessions. */
UA_StatusCode sessions_activate(struct server *s, const UA_NodeId *id, uintptr_t line,
                                const UA_ByteString *certificate, int is_operator);

/* A session ends; a line ends; a line's message was served; time passes. */
void sessions_forget(struct server *s, const UA_NodeId *id);
void sessions_line_ended(struct server *s, uintptr_t line);
void sessions_served(struct server *s, uintptr_t line);
void sessions_beat(struct server *s);

#endif
