/* storm.h: everybody at once against the OPC UA server of a rig, on the loopback.
 *
 * Sessions that subscribe, one that writes commands at 1 kHz, one that browses, and four
 * that mean no good: random bytes, connections that say nothing or half a word, and
 * messages in chunks of 64 KiB of which the last never comes, on as many channels as
 * there are to be had. The rig runs the model of tools/bench/sensors.yaml, without
 * security. Each is a process of its own; all are bounded in time. */
#ifndef STORM_H
#define STORM_H

#include <stdint.h>
#include <sys/types.h>

enum { STORM_SESSIONS = 8, STORM_ITEMS = 100, STORM_CHUNKS = 2000, STORM_KINDS = 6 };

/* What was done, shared with those who do it. */
struct storm_count {
    _Atomic uint64_t sessions;   /* that subscribed */
    _Atomic uint64_t values;     /* delivered to them */
    _Atomic uint64_t writes, refused_writes;
    _Atomic uint64_t nodes;      /* browsed */
    _Atomic uint64_t garbage;    /* connections that sent random bytes */
    _Atomic uint64_t half_open;  /* connections that said nothing or half a word */
    _Atomic uint64_t chunks;     /* unfinished ones sent */
    _Atomic uint64_t channels;   /* opened for them */
};

struct storm {
    int port;
    double until;                /* s, monotonic */
    struct storm_count *count;
    pid_t pid[STORM_KINDS];
};

/* Begin, for so many seconds, on any core but `spared` (-1: on any). The server may come
 * up later. Returns 0 if it cannot be begun. */
int storm_start(struct storm *s, int port, double seconds, int spared);

/* End it if it still rages. The counts stay until storm_free. */
void storm_stop(struct storm *s);
void storm_free(struct storm *s);

/* Resident memory of a process, bytes; 0: there is none. */
int64_t storm_resident(pid_t pid);

#endif
