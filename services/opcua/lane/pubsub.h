/* pubsub.h: the fast lane: sensors out and commands in as UADP over UDP, one message for
 * one step, from a thread of its own beside the server's.
 *
 * The thread wakes on the step's published grid, right after the step has published, and
 * shares no lock with the server but that of the gate, held for the copy of a frame. It
 * reads the step's records by its own cursor: a wake-up that came late sends what it
 * missed, oldest first, so step numbers rise evenly. The first fields of a message are
 * those of PUBSUB_FIELD_LIST, then all channels in the order of sensors.names.
 *
 * Commands: a publisher has no session, so an operator's session lends it authority:
 * AcquireAuthority("pubsub") is answered with an epoch, a number nobody can guess.
 * Messages with that epoch and a counter that rises strictly act under the session's
 * lease, which ends as any stream lease does; then the epoch is void. While it holds, the
 * session itself does not write. Everything else is refused, counted by reason and never
 * applied, not even in part; a message refused for its values has used its counter up. */
#ifndef PUBSUB_H
#define PUBSUB_H

#include <stdatomic.h>

#include <open62541/types.h>

#include "services/opcua/lane/uadp.h"
#include "services/run/side_thread.h"
#include "services/run/attach.h"

/* X(code, name, type, unit, help) */
#define PUBSUB_FIELD_LIST(X)                                                             \
    X(PUBSUB_STEP, "StepNumber", "UInt64", "", "steps integrated")                       \
    X(PUBSUB_TIME, "Time", "Double", "s", "simulation time")                             \
    X(PUBSUB_STATE, "State", "Int32", "",                                                \
      "unloaded 0, ready 1, armed 2, running 3, holding 4, safe 5, faulted 6")           \
    X(PUBSUB_QUALITY, "Quality", "StatusCode", "", "of all channels")                    \
    X(PUBSUB_COMMAND, "CommandCounter", "UInt64", "",                                    \
      "of the command message that acts in this step; 0: none does")

enum pubsub_field {
#define X(code, name, type, unit, help) code,
    PUBSUB_FIELD_LIST(X)
#undef X
        PUBSUB_FIELDS
};

/* Why a command message was refused. X(code, text) */
#define PUBSUB_REASON_LIST(X)                                                            \
    X(PUBSUB_FORM, "form")           /* no unsecured UADP message of one good key frame */ \
    X(PUBSUB_IDS, "ids")             /* of another publisher, group or writer */         \
    X(PUBSUB_LAYOUT, "layout")       /* other fields or another length */                \
    X(PUBSUB_AUTHORITY, "authority") /* no session lends any, or its lease has ended */  \
    X(PUBSUB_EPOCH, "epoch")         /* not the one given out last */                    \
    X(PUBSUB_COUNTER, "counter")     /* not above the last one: replayed or overtaken */ \
    X(PUBSUB_NOT_NOW, "state")       /* the rig takes no commands, or is gone */         \
    X(PUBSUB_RANGE, "range")         /* a value is not finite or out of range */

enum pubsub_reason {
#define X(code, text) code,
    PUBSUB_REASON_LIST(X)
#undef X
        PUBSUB_REASONS
};

/* What the lane has done; read by anybody. */
struct pubsub_counts {
    _Atomic uint64_t sent, unsent;      /* messages; those the system did not take */
    _Atomic uint64_t lost;              /* records overwritten before they were seen */
    _Atomic uint64_t received, accepted;
    _Atomic uint64_t refused[PUBSUB_REASONS];
    _Atomic uint64_t counter;           /* of the last message accepted */
};

struct pubsub;
struct gate;

/* With rights: read the key, open the sockets, take the priority. *lane is NULL where the
 * rig file has no `pubsub`. Returns 0 after a sentence on stderr. Memory: pubsub_destroy. */
int pubsub_prepare(struct attach *a, struct pubsub **lane);

/* Without rights: start the thread. Returns 0 after a sentence on stderr. */
int pubsub_start(struct pubsub *lane);

/* End the thread and free everything. NULL is no lane. */
void pubsub_destroy(struct pubsub *lane);

/* Where commands go through; NULL where the lane takes none, or there is no lane. */
struct gate *pubsub_gate(struct pubsub *lane);

const struct pubsub_counts *pubsub_counts(const struct pubsub *lane);

/* How the thread is scheduled, in words. */
const char *pubsub_scheduling(const struct pubsub *lane);

/* The word for a reason. */
const char *pubsub_reason_text(int reason);

#endif
