/* A rig with a fast lane, in a process of its own, and both its other sides: open62541's
 * PubSub (pubsub_peer.h), a client of its server, and a look at its memory. All functions
 * fail the running test when something is not there. */
#ifndef LANERIG_H
#define LANERIG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <open62541/client.h>

#include "services/run/attach.h"
#include "tests/service/pubsub_peer.h"

enum {
    LANERIG_PORT = 4901,     /* of the server */
    LANERIG_SENSORS = 4921,  /* where the subscriber listens */
    LANERIG_COMMANDS = 4922,
    LANERIG_RELAY = 4923,
    LANERIG_MOTORS = 3,
    LANERIG_CHANNELS = 7     /* place.x .y .z, clock (stands at t), at-0, at-1, at-2 */
};

struct lanerig {
    pid_t rig, subscriber, publisher, raw_publisher;
    UA_Client *client;
    struct port port;
    struct record *record;
    struct pubsub_peer_log *log;
    struct pubsub_peer_order *order, *raw_order; /* as Variants, as RawData */
    int raw;                     /* socket to send from */
    uint64_t epoch, counter;
};

/* Start all of it; `pubsub` are the keys of the rig file, `key` that of the subscriber, who
 * listens on `port`. For cmocka's set-up and tear-down. */
int lanerig_begin(void **state, const char *pubsub, const uint8_t *key, int port);
int lanerig_end(void **state);

/* A new session, after the service was started anew. */
void lanerig_reconnect(struct lanerig *w);

void lanerig_nap(long ms);

/* A file in the test's folder. */
FILE *lanerig_create(const char *name, char path[256]);

/* A node's id, value, value as a number; how many messages were refused for a reason. */
UA_NodeId lanerig_node(const char *name);
UA_Variant lanerig_value(struct lanerig *w, const char *name);
uint64_t lanerig_count(struct lanerig *w, const char *name);
uint64_t lanerig_refused(struct lanerig *w, int reason);

/* Call a method, with a mode (and no pre-emption) or without arguments; its Number. */
UA_StatusCode lanerig_call(struct lanerig *w, const char *method, const char *mode,
                           uint64_t *number);

/* AcquireAuthority("pubsub"): a new epoch, counters begin anew. */
void lanerig_borrow(struct lanerig *w);

/* 1 when the first motor's applied value becomes this one, within 2 s. */
int lanerig_is_applied(struct lanerig *w, double value);

/* Wait for so many more data sets at the subscriber; how many there are then. */
uint32_t lanerig_wait(struct pubsub_peer_log *log, uint32_t more);

#endif
