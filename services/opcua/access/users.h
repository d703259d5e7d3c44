/* users.h: who may log in with a password, as which role.
 *
 * A file of lines name:role:hash, mode 0600; hashes by crypt with yescrypt. A wrong
 * password makes the next tries of that name by that client wait, 1 s, 2 s, 4 s ... 60 s,
 * without hashing and without sleeping.
 *
 * The file is replaced whole when it changes, and a server, which opened it while it had
 * the rights to, would go on seeing the old one. So the same lines are also written into
 * users.live, always the same file, with their digest as the last line: the server keeps
 * that one open, and what it finds half written it reads again. SERVICE context. */
#ifndef USERS_H
#define USERS_H

#include <open62541/types.h>

#include "services/opcua/access/keystore.h"
#include "services/opcua/access/rights.h"

enum { USERS_MOST = 64, USERS_NAME = 33, USERS_HASH = RIGHTS_HASH, USERS_TRIES = 64 };

struct users_entry {
    char name[USERS_NAME];
    enum rights_role role;
    char hash[USERS_HASH];
};

/* Wrong passwords of a client for a name, known or not. */
struct users_try {
    uint8_t who[32];           /* digest of name and client */
    int wrong;                 /* in a row; 0: free */
    int64_t not_before_ns;     /* monotonic */
};

struct users {
    struct users_entry entry[USERS_MOST];
    int n;
    struct users_try tries[USERS_TRIES]; /* the one that may come first gives way */
};

/* Read the file; a missing one is empty. Returns STATUS_REFUSED after a sentence on
 * stderr for one that others may read, or that is not understood. */
MUST_CHECK enum status users_read(const struct keystore *k, struct users *u);
MUST_CHECK enum status users_write(const struct keystore *k, const struct users *u);

/* Open users.live for users_refresh, made anew from `u` where it says something else.
 * Returns a descriptor; -1 where that cannot be: changes then count from the next start. */
int users_live(const struct keystore *k, const struct users *u);

/* Take over what users.live says now; the tries stay. Returns 1 if something changed. */
int users_refresh(int live, struct users *u);

/* The user of this name, or NULL. */
const struct users_entry *users_find(const struct users *u, const char *name);

/* 1 if this may be the password of a new user; else 0 after a sentence on stderr. */
int users_password_is_good(const char *password);

/* Add a user or change one; a NULL role keeps the one it has. Returns STATUS_REFUSED after a
 * sentence on stderr. */
MUST_CHECK enum status users_set(struct users *u, const char *name, const char *role,
                                 const char *password);
int users_remove(struct users *u, const char *name);

/* Give a user another role. Returns 0 after a sentence on stderr. */
int users_set_role(struct users *u, const char *name, const char *role);

/* Who wants to come in. */
struct users_claim {
    const UA_String *name;
    const UA_ByteString *password;
    const UA_ByteString *client;  /* its certificate */
    int64_t now_ns;               /* monotonic */
};

/* The role of a name with this password; RIGHTS_NOBODY: refused, and said in the log. Takes
 * the time of one hash for unknown names too. */
enum rights_role users_check(struct users *u, const struct users_claim *c);

#endif
