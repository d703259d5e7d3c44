/* looptime.h: how long commands take to act, per actuator, as histograms.
 *
 * LOOPTIME_RECEIPT: from the receipt of a command in this server until the step that used
 * it had its values out, both on this machine's monotonic clock. LOOPTIME_CLIENT: from the
 * SourceTimestamp a client sent with it until then; the client's clock is its own, so
 * these times are worth no more than the comparison of the two clocks. A command that a
 * newer one overtook before a step looked is in neither. The bins are a twentieth of a
 * period wide. ResetStatistics empties them. SERVICE context; never blocks. */
#ifndef LOOPTIME_H
#define LOOPTIME_H

#include <open62541/types.h>

#include "rt/link/port.h"

struct rig;
struct server;
enum { LOOPTIME_BINS = 200, LOOPTIME_PER_PERIOD = 20, LOOPTIME_NOTES = 64 };
enum looptime_clock { LOOPTIME_RECEIPT, LOOPTIME_CLIENT, LOOPTIME_CLOCKS };

struct looptime_histogram {
    uint64_t n;                  /* samples */
    uint64_t outside;            /* below 0 or above the last bin */
    int64_t last_ns, max_ns;
    uint32_t bin[LOOPTIME_BINS]; /* bin i: i .. i + 1 widths */
};

/* A command under way. */
struct looptime_note {
    uint64_t counter;     /* its write counter */
    int64_t received_ns;  /* monotonic */
    int64_t client_ns;    /* UTC; 0: the client sent none */
};

struct looptime_actuator {
    struct looptime_note note[LOOPTIME_NOTES]; /* by counter */
    uint64_t used;        /* write counter last seen in a record */
    struct looptime_histogram histogram[LOOPTIME_CLOCKS];
};

struct looptime {
    struct looptime_actuator *actuator;
    struct ring record;   /* the step's, as far as the actuators in it */
    struct record *copy;
    uint64_t cursor;
    uint64_t resets;      /* of the monitor, when last looked */
    int64_t width_ns;     /* of a bin */
    int waiting;          /* a command is under way */
};

UA_StatusCode looptime_init(struct server *s);
void looptime_free(struct server *s);

/* A command for actuator i was received now; client_ns as in the note. */
void looptime_note(struct server *s, uint32_t i, uint64_t counter, int64_t client_ns);

/* Find the steps that used what is under way, in the records that came since. */
void looptime_look(struct server *s);

/* For others that keep such a histogram: the width of its bins, ns, and a sample. */
int64_t looptime_width(const struct rig *rig);
void looptime_add(struct looptime_histogram *h, int64_t width_ns, int64_t took_ns);

#endif
