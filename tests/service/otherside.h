/* The other side of the fast lane, by open62541's own PubSub, which shares no code with
 * services/opcua/uadp.c: a subscriber of sensors and a publisher of commands, each in a
 * process of its own. What they see and send lies in memory shared with the test. */
#ifndef OTHERSIDE_H
#define OTHERSIDE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    OTHERSIDE_CHANNELS = 16,
    OTHERSIDE_HEAD = 5,
    OTHERSIDE_MOST = 16384,
    OTHERSIDE_ACTUATORS = 8
};

/* One data set as decoded. */
struct otherside_set {
    uint64_t step;
    double time;
    int32_t state;
    uint32_t quality;
    uint64_t command;
    double channel[OTHERSIDE_CHANNELS];
    uint32_t status[OTHERSIDE_CHANNELS];
};

/* What a subscriber has seen. */
struct otherside_log {
    _Atomic int ready;
    _Atomic uint32_t n;
    struct otherside_set set[OTHERSIDE_MOST];
};

/* Whom to listen to. */
struct otherside_from {
    int port;                 /* UDP, on 127.0.0.1 */
    int n_channels;
    const uint8_t *key;       /* 32 bytes: signed, under token 1; NULL: not */
};

/* Memory that a child shares. */
void *otherside_share(size_t size);

/* Start a subscriber; it ends with this process, or when killed. */
pid_t otherside_subscribe(struct otherside_log *log, const struct otherside_from *from);

/* What a publisher sends: all fields, whenever `wanted` moves on. */
struct otherside_order {
    _Atomic int ready;
    _Atomic uint32_t wanted, done;
    uint64_t epoch, counter;
    double value[OTHERSIDE_ACTUATORS];
};

/* Start a publisher of commands with ids 2, 2, 2; raw: RawData instead of Variant. */
pid_t otherside_publish(struct otherside_order *order, int port, int n_actuators, int raw);

/* Let the publisher send what is in the order, and wait until it has. */
void otherside_send(struct otherside_order *order);

void otherside_end(pid_t pid);

#endif
