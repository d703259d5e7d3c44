/* withdraw.h: what was taken away acts at once, on open sessions too.
 *
 * Every WITHDRAW_MS the server looks whether users or lists of certificates changed. The
 * sessions of a user who is gone, or has another password, are closed, and those of a
 * client whose certificate is no longer accepted; another role counts for the next
 * request. SERVICE context; blocks on the file system when something changed. */
#ifndef WITHDRAW_H
#define WITHDRAW_H

#include <stdint.h>
#include <time.h>

#include <open62541/server.h>

struct server;

enum { WITHDRAW_MS = 200, WITHDRAW_PARTS = 3 };

struct withdraw {
    int64_t next_ns;                        /* monotonic */
    struct timespec changed[WITHDRAW_PARTS]; /* of the folders of certificates */
    int known;                              /* they were looked at */
    int users_changed;                      /* and no session was looked at since */
};

/* Look, where it is time to. */
void withdraw_look(struct server *s);

/* Before somebody is let in: take over what the users are now, and say whether the client's
 * certificate is still accepted. Returns its status. */
UA_StatusCode withdraw_judge(struct server *s, const UA_ByteString *certificate);

#endif
