/* journal.h: the log of a run: what happened to the rig, one line each, as text or as one
 * JSON object.
 *
 *   trip    t 1.999 s  tripped: consecutive deadline misses
 *   {"time": "2026-01-31T12:00:00.123Z", "t": 1.999, "step": 1999, "kind": "trip", ...}
 *
 * The supervisor reads the step's ring of events and its monitor; the step thread does
 * nothing for it. Misses are summed up by cause, once a second. The sentences are those
 * of services/client/words.h, which OPC UA events use too. SERVICE context, one thread;
 * blocks on the file it writes to. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <stdio.h>

#include "rt/link/account.h"
#include "rt/link/port.h"

enum { JOURNAL_QUIET = 500 }; /* severity from which --quiet lets through */

struct journal {
    FILE *out;                    /* NULL: says nothing */
    int json, quiet;
    uint64_t cursor;              /* in the ring of events */
    uint64_t cause[CAUSE_COUNT];  /* misses told so far */
    uint64_t skipped, resets;
    int64_t summed_ns;            /* when */
    int starting;                 /* the supervisor arms and starts: `ready` tells it */
    int over;                     /* EVENT_DONE was seen */
};

/* A line of the supervisor's own. */
struct journal_line {
    const char *kind, *message;
    uint32_t severity;
    const char *name, *value;     /* one field more, or NULL */
};

/* Begin at the events there are now. */
void journal_open(struct journal *j, const struct port *port, FILE *out, int json, int quiet);

/* Tell what is new; `r` is the newest record. */
void journal_look(struct journal *j, const struct port *port, const struct record *r);

/* Tell what is left, also of misses. */
void journal_finish(struct journal *j, const struct port *port, const struct record *r);

/* Tell a line that did not come from the step: `r` is the newest record. */
void journal_say(struct journal *j, const struct port *port, const struct record *r,
                 const struct journal_line *line);

#endif
