/* rights.h: who may do what: sessions, roles, and the command authority they hold.
 *
 * The access-control plugin of the server, deny by default: nobody adds or deletes
 * nodes or references, writes history or takes over subscriptions; nodes are read by
 * observers, commanded by operators, the rest is for engineers. The role is set anew
 * at every activation. SERVICE context; never blocks. */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdint.h>

#include <open62541/server.h>

#include "services/opcua/access/queue_limit.h"

struct server;

enum { RIGHTS_HASH = 160 };

/* Ascending: each may what those before it may. */
#define RIGHTS_ROLE_LIST(X)      \
    X(RIGHTS_NOBODY, "nobody")   \
    X(RIGHTS_OBSERVER, "observer") \
    X(RIGHTS_OPERATOR, "operator") \
    X(RIGHTS_ENGINEER, "engineer")

enum rights_role {
#define X(code, text) code,
    RIGHTS_ROLE_LIST(X)
#undef X
        RIGHTS_ROLES,
    RIGHTS_SUPERVISOR = RIGHTS_ROLES /* no session is */
};

enum { RIGHTS_USER = 33 };

/* A session's context. */
struct rights_session {
    uint64_t number;          /* our name for it in requests, leases and events */
    enum rights_role role;
    char user[RIGHTS_USER];   /* who it is, for audit events */
    uint64_t lease;           /* number of the lease it was granted; 0: none */
    uint64_t lease_tick;      /* when */
    uint32_t mode;            /* enum lease_mode */
    int lends;                /* it lets the fast lane command (handover.h) */
    uintptr_t connection;     /* it was activated on last */
    UA_NodeId id;             /* the library's name for it */
    UA_ByteString certificate; /* of its client; secure only */
    char hash[RIGHTS_HASH];   /* of the password it came in by; secure only */
    struct queue_limit_share share; /* of memory, by its subscriptions */
    struct rights_session *next;
};

struct rights {
    struct rights_session *first;
    uint64_t count;           /* sessions ever */
};

/* Who may write a variable or call a method: what values and methods put at the head
 * of their node contexts. */
struct rights_node {
    struct server *server;
    uint8_t write;            /* enum rights_role that may write; 0: nobody */
    uint8_t call;             /* or call; 0: nobody */
};

/* Make the plugin the server's, in a configuration under construction. */
UA_StatusCode rights_install(struct server *s, UA_ServerConfig *config);

/* Give a session the role its user has now; a role that may not command gives its authority
 * back. */
void rights_set_role(struct server *s, struct rights_session *session, enum rights_role role);

/* The word for a role. */
const char *rights_role_text(enum rights_role role);

/* The least role that may ask the step for this (request.h). */
enum rights_role rights_role_for(uint32_t request_kind);

/* 1 while the session holds the command authority, as far as this turn knows. */
int rights_holds(struct server *s, struct rights_session *session);

/* The session called `number`, or NULL: it has ended. */
struct rights_session *rights_find(struct server *s, uint64_t number);

/* The session that holds the authority, or NULL. */
struct rights_session *rights_holder(struct server *s);

#endif
