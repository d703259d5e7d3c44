/* signin.h: a terminal client's way into a rig, with or without security.
 *
 * Asks the server what it offers. Where there is a secure endpoint, it takes the best
 * with SignAndEncrypt, shows the client certificate of this user's state folder
 * (keystore.h, client/) and logs in by name and password. A server is believed if its
 * certificate is this machine's own or among the trusted; else it is kept among the
 * refused. No password goes over a line without security. SERVICE context; blocks. */
#ifndef SIGNIN_H
#define SIGNIN_H

#include "services/opcua/client/remote.h"

struct signin {
    const char *user;  /* NULL: nobody */
    /* The password, asked for only where it is needed; NULL: none was given. */
    const char *(*password)(void *self);
    void *self;
};

/* Connect. Returns STATUS_OK, or STATUS_REFUSED after sentences on stderr that say what to
 * do. Memory: remote_close. */
MUST_CHECK enum status signin_open(struct remote *r, const char *url, const struct signin *who);

#endif
