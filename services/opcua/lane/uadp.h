/* uadp.h: UADP network messages (OPC UA Part 14), the two kinds the fast lane needs:
 * sensors out, commands in. One network message holds one key frame of one data set.
 *
 * Written here and not left to open62541's WriterGroup and ReaderGroup, because these
 * work under the server's one lock and allocate for every message: a client that reads
 * 1000 nodes makes a call of UA_Server_WriterGroup_publish take 5 ms (99th percentile)
 * instead of 0.08, whatever the thread's priority. Readers take no look at sequence
 * numbers, and write their target variables one by one, so that one message could act in
 * two steps. tests/service/test_pubsub.c holds both directions
 * against open62541's own. Any thread, no allocation, no system call; never blocks. */
#ifndef UADP_H
#define UADP_H

#include <stddef.h>
#include <stdint.h>

#include "services/load/rig/rig.h"

enum {
    UADP_SIGNATURE = 32,    /* HMAC-SHA-256 */
    UADP_KEY = 32,
    UADP_OVERHEAD = 192,    /* bytes beside the fields, at most */
    UADP_FIELD = 15,        /* of a field, at most */
    UADP_MOST = 65507       /* of a UDP datagram */
};

/* A signing key. */
struct uadp_key {
    uint32_t token;         /* SecurityTokenId */
    uint8_t bytes[UADP_KEY];
};

/* ---- out ---------------------------------------------------------------------------- */

/* What stands before the fields. */
struct uadp_head {
    struct fastlane_id id;
    uint32_t version;       /* of the layout: ConfigurationVersion, major and minor */
    uint16_t sequence;      /* of the network message and the data set message */
    int64_t time;           /* DateTime, 100 ns since 1601 */
    uint32_t status;        /* StatusCode of the data set; its upper half is sent */
    const struct uadp_key *key; /* NULL: not signed */
    uint64_t nonce;         /* signed messages: never the same twice with one key */
};

/* A message under construction in the caller's buffer. Once it does not fit, nothing
 * more is written and uadp_end returns 0. */
struct uadp_writer {
    uint8_t *begin, *at, *end;
    size_t count_at;        /* where the number of fields stands */
    uint16_t n;             /* fields so far */
    const struct uadp_key *key;
};

void uadp_begin(struct uadp_writer *w, uint8_t *buffer, size_t size, const struct uadp_head *h);

/* Fields, DataValue encoding; a status other than 0 (Good) goes with the value. */
void uadp_put_count(struct uadp_writer *w, uint64_t value);
void uadp_put_int(struct uadp_writer *w, int32_t value);
void uadp_put_status(struct uadp_writer *w, uint32_t value);
void uadp_put_number(struct uadp_writer *w, double value, uint32_t status);

/* Finish and sign. Returns the length, 0 if it did not fit. */
size_t uadp_end(struct uadp_writer *w);

/* ---- in ----------------------------------------------------------------------------- */

enum uadp_result {
    UADP_OK,
    UADP_FORM,      /* not an unsecured UADP message of one good key frame, or cut off */
    UADP_STRANGER,  /* other ids */
    UADP_LAYOUT     /* other fields: number, types or length */
};

/* A command message: fields Epoch, Counter (UInt64), then one Double per actuator; in
 * Variant, RawData or DataValue encoding (there with a Good status or none). */
struct uadp_command {
    uint64_t epoch, counter;
    double *value;          /* n of them, the caller's; garbage unless UADP_OK */
    uint32_t n;
};

/* Read a message of `size` bytes from a publisher with these ids. */
enum uadp_result uadp_read(const uint8_t *data, size_t size, const struct fastlane_id *id,
                           struct uadp_command *out);

#endif
