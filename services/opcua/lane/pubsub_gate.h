/* pubsub_gate.h: commands of the fast lane on their way to the step: whose, how often,
 * in which order, and who else may not command meanwhile.
 *
 * The command ring of the service has one writer at a time. While the gate is closed that
 * is the server's thread; while it is open it is the gate, under its lock (with priority
 * inheritance). Frames are cumulative, so the gate goes on from the server's frame when
 * it opens and hands its own back when it closes: a value sent under one lease never
 * looks new under the next. SERVICE context. */
#ifndef PUBSUB_GATE_H
#define PUBSUB_GATE_H

#include <pthread.h>

#include "rt/link/port.h"
#include "services/opcua/act/command_latency.h"
#include "services/opcua/lane/pubsub.h"

enum { GATE_TRACE = 64, GATE_OK = -1 };

/* A message as the step knows it. */
struct gate_trace {
    uint64_t lease;
    uint64_t written;        /* write counter of the first actuator */
    uint64_t counter;        /* of the message */
    int64_t received_ns;     /* monotonic */
};

struct gate {
    struct port *port;
    pthread_mutex_t lock;    /* of all that follows */
    uint64_t lease;          /* under which commands are taken; 0: closed */
    uint64_t lease_tick;     /* since when */
    uint64_t epoch, counter; /* given out; seen last */
    int held;                /* somebody asks for authority: nothing goes out */
    int waits;               /* a message waits for that, in waiting */
    struct gate_trace waiting_trace;
    double *waiting;
    struct command_frame *frame;
    struct gate_trace trace[GATE_TRACE];
    unsigned n_traces;       /* ever */
    struct gate_trace acting; /* in the record seen last */
    int64_t width_ns;
    uint64_t resets;         /* of the monitor's statistics, when last looked */
    struct command_latency_histogram loop; /* receipt to the end of the step that used it */
};

/* Returns 0 when there is no memory. */
int gate_init(struct gate *g, struct port *port, const struct rig *rig);
void gate_free(struct gate *g);

/* ---- the server's thread ------------------------------------------------------------ */

/* Before a request for authority is sent: from here on no frame is. */
void gate_hold(struct gate *g);

/* The request changed nothing: go on. */
void gate_resume(struct gate *g);

/* Open under a new lease, going on from the server's frame. Returns the epoch. */
uint64_t gate_open(struct gate *g, uint64_t lease, uint64_t tick, const struct command_frame *from);

/* Close, and hand the frame back. Harmless on a closed gate. */
void gate_close(struct gate *g, struct command_frame *to);

/* 1 if open; then the newest values are in *to, for showing. */
int gate_show(struct gate *g, struct command_frame *to);

/* A copy of the loop times. */
struct command_latency_histogram gate_loop(struct gate *g);

/* ---- the lane's thread -------------------------------------------------------------- */

/* Offer a message. `now` is the newest record, NULL while the step is gone. Returns GATE_OK
 * or an enum pubsub_reason. */
int gate_offer(struct gate *g, const struct record *now, const struct uadp_command *c);

/* The counter of the message that acts in a record; 0: none of the lane's. The first
 * record in which one acts gives its loop time. */
uint64_t gate_acting(struct gate *g, const struct record *r);

#endif
