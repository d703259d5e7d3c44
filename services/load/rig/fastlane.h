/* fastlane.h: the keys of `pubsub` in a rig file's `services: opcua:`: what the fast lane
 * sends and takes, and where. Text in, checked struct out, messages with their places.
 * SERVICE context; texts live in the reader's memory. */
#ifndef FASTLANE_H
#define FASTLANE_H

#include "services/load/text/schema.h"
#include "services/load/text/value.h"

enum {
    FASTLANE_PORT = 4840,      /* of opc.udp */
    FASTLANE_CHANNELS = 6000,  /* most that fit one datagram */
    FASTLANE_EVERY = 10000
};

/* Whose message it is: the three ids of UADP. */
struct fastlane_id {
    int publisher, group, writer;  /* 1 ... 65535 */
};

struct fastlane {
    int on;                  /* the key is there */
    const char *address;     /* sensors go there: one host or a multicast group, IPv4 */
    const char *interface;   /* own address to send from; NULL: as the system routes */
    int port;
    int every;               /* steps per message */
    struct fastlane_id id;
    const char *keys;        /* file of the signing key; NULL: not signed */
    int command_port;        /* 0: no commands */
    const char *command_address;   /* on the loopback */
    struct fastlane_id command_id;
    struct place place, keys_place, command_place;
};

struct model;

extern const struct schema FASTLANE_KEYS, FASTLANE_COMMAND_KEYS;

/* Read the map `pubsub`. Messages go to the reader's list. */
void fastlane_read(const struct value_reader *r, const struct node *node, struct fastlane *to);

/* Hold it against the model: no actuators to command, too many channels for a message. */
void fastlane_bind(const struct fastlane *f, const struct model *m, struct diag_list *diags);

/* 1 if an IPv4 address is of the loopback (127.0.0.0/8). */
int fastlane_is_loopback(const char *address);

/* 1 if sensors never leave this machine. */
int fastlane_is_local(const struct fastlane *f);

#endif
