/* settings.h: the keys of `services: opcua:` in a rig file. SERVICE context. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "rt/status.h"
#include "services/opcua/lane/pubsub.h"
#include "services/opcua/access/users.h"
#include "services/run/attach.h"

enum { SETTINGS_ADDRESS = 64, SETTINGS_PORT = 4840, SETTINGS_PORTS = 10 };

struct settings {
    char address[SETTINGS_ADDRESS]; /* host to listen on; default 127.0.0.1 */
    int port;                       /* default 4840 */
    int fixed;                      /* the port stands in the rig file: no other will do */
    int insecure;                   /* policy None and anonymous engineers, loopback only */
    struct keystore keystore;       /* the server's own certificate and key; secure only */
    struct users users;             /* secure only */
    int live;                       /* what they are from now on (users.h); -1: not known */
    struct pubsub *lane;            /* the fast lane; NULL: the rig has none */
};

/* Read the keys. Returns STATUS_OK, or STATUS_REFUSED after messages with their places
 * on stderr: unknown keys, wrong values, --insecure off loopback. */
MUST_CHECK enum status settings_read(const struct attach *a, struct settings *s);

/* Find a free port: the one given, or one of the next SETTINGS_PORTS where the rig file
 * fixes none. Returns 0 after a sentence on stderr. */
int settings_find_port(struct settings *s);

#endif
