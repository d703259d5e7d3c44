/* The other side of the fast lane, by open62541's own PubSub, which shares no code with
 * services/opcua/lane/uadp.c: a subscriber of sensors and a publisher of commands, each in a
 * process of its own. What they see and send lies in memory shared with the test. */
#ifndef PUBSUB_PEER_H
#define PUBSUB_PEER_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PUBSUB_PEER_CHANNELS = 16,
    PUBSUB_PEER_HEAD = 5,
    PUBSUB_PEER_MOST = 16384,
    PUBSUB_PEER_ACTUATORS = 8
};

/* One data set as decoded. */
struct pubsub_peer_set {
    uint64_t step;
    double time;
    int32_t state;
    uint32_t quality;
    uint64_t command;
    double channel[PUBSUB_PEER_CHANNELS];
    uint32_t status[PUBSUB_PEER_CHANNELS];
};

/* What a subscriber has seen. */
struct pubsub_peer_log {
    _Atomic int ready;
    _Atomic uint32_t n;
    struct pubsub_peer_set set[PUBSUB_PEER_MOST];
};

/* Whom to listen to. */
struct pubsub_peer_from {
    int port;                 /* UDP, on 127.0.0.1 */
    int n_channels;
    const uint8_t *key;       /* 32 bytes: signed, under token 1; NULL: not */
};

/* Memory that a child shares. */
void *pubsub_peer_share(size_t size);

/* Start a subscriber; it ends with this process, or when killed. */
pid_t pubsub_peer_subscribe(struct pubsub_peer_log *log, const struct pubsub_peer_from *from);

/* What a publisher sends: all fields, whenever `wanted` moves on. */
struct pubsub_peer_order {
    _Atomic int ready;
    _Atomic uint32_t wanted, done;
    uint64_t epoch, counter;
    double value[PUBSUB_PEER_ACTUATORS];
};

/* Start a publisher of commands with ids 2, 2, 2; raw: RawData instead of Variant. */
pid_t pubsub_peer_publish(struct pubsub_peer_order *order, int port, int n_actuators, int raw);

/* Let the publisher send what is in the order, and wait until it has. */
void pubsub_peer_send(struct pubsub_peer_order *order);

void pubsub_peer_end(pid_t pid);

#endif
