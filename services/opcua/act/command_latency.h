/* command_latency.h: how long commands take to act, per actuator, as histograms.
 *
 * COMMAND_LATENCY_RECEIPT: from the receipt of a command in this server until the step that used
 * it had its values out, both on this machine's monotonic clock. COMMAND_LATENCY_CLIENT: from the
 * SourceTimestamp a client sent with it until then; the client's clock is its own, so
 * these times are worth no more than the comparison of the two clocks. A command that a
 * newer one overtook before a step looked is in neither. The bins are a twentieth of a
 * period wide. ResetStatistics empties them. SERVICE context; never blocks. */
#ifndef COMMAND_LATENCY_H
#define COMMAND_LATENCY_H

#include <open62541/types.h>

#include "rt/link/port.h"

struct rig;
struct server;
enum { COMMAND_LATENCY_BINS = 200, COMMAND_LATENCY_PER_PERIOD = 20, COMMAND_LATENCY_NOTES = 64 };
enum command_latency_clock {
    COMMAND_LATENCY_RECEIPT,
    COMMAND_LATENCY_CLIENT,
    COMMAND_LATENCY_CLOCKS
};

struct command_latency_histogram {
    uint64_t n;                  /* samples */
    uint64_t outside;            /* below 0 or above the last bin */
    int64_t last_ns, max_ns;
    uint32_t bin[COMMAND_LATENCY_BINS]; /* bin i: i .. i + 1 widths */
};

/* A command under way. */
struct command_latency_note {
    uint64_t counter;     /* its write counter */
    int64_t received_ns;  /* monotonic */
    int64_t client_ns;    /* UTC; 0: the client sent none */
};

struct command_latency_actuator {
    struct command_latency_note note[COMMAND_LATENCY_NOTES]; /* by counter */
    uint64_t used;        /* write counter last seen in a record */
    struct command_latency_histogram histogram[COMMAND_LATENCY_CLOCKS];
};

struct command_latency {
    struct command_latency_actuator *actuator;
    struct ring record;   /* the step's, as far as the actuators in it */
    struct record *copy;
    uint64_t cursor;
    uint64_t resets;      /* of the monitor, when last looked */
    int64_t width_ns;     /* of a bin */
    int waiting;          /* a command is under way */
};

UA_StatusCode command_latency_init(struct server *s);
void command_latency_free(struct server *s);

/* A command for actuator i was received now; client_ns as in the note. */
void command_latency_note(struct server *s, uint32_t i, uint64_t counter, int64_t client_ns);

/* Find the steps that used what is under way, in the records that came since. */
void command_latency_look(struct server *s);

/* For others that keep such a histogram: the width of its bins, ns, and a sample. */
int64_t command_latency_width(const struct rig *rig);
void command_latency_add(struct command_latency_histogram *h, int64_t width_ns, int64_t took_ns);

#endif
