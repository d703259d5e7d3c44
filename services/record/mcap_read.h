/* mcap_read.h: reads MCAP files from the front, record by record, also ones that are cut off
 * or damaged: what cannot be read is passed over and counted, nothing in the file is trusted.
 * SERVICE context; blocks on the file system; keeps the file mapped. */
#ifndef MCAP_READ_H
#define MCAP_READ_H

#include <stddef.h>
#include <stdint.h>

#include "rt/status.h"

/* Bytes of the file or of an unpacked chunk; not closed by a NUL. */
struct mcap_bytes {
    const char *at;
    size_t n;
};

enum { MCAP_READ_CHANNELS = 1024, MCAP_READ_PAIRS = 100000 };

struct mcap_item {
    int kind;                  /* MCAP_SCHEMA, _CHANNEL, _MESSAGE, _ATTACHMENT, _METADATA */
    uint16_t id, schema;       /* channel or schema; the schema of a channel */
    uint32_t sequence;
    uint64_t time_ns;
    struct mcap_bytes name;    /* schema, topic, attachment, metadata */
    struct mcap_bytes encoding; /* schema, message encoding, media type */
    struct mcap_bytes data;    /* schema text, message, attachment; channel, metadata: the map */
};

struct mcap_reader;

/* Open a file. Returns STATUS_IO (errno), STATUS_REFUSED where it is no MCAP file, or
 * STATUS_NO_MEMORY. */
enum status mcap_open(const char *path, struct mcap_reader **r) MUST_CHECK;
void mcap_close(struct mcap_reader *r);

/* The next item. Returns 0 at the end. What it points to holds until the next call. */
int mcap_next(struct mcap_reader *r, struct mcap_item *item);

/* The next pair of a map and the rest of it. Returns 0 when there is none. */
int mcap_pair_next(struct mcap_bytes *map, struct mcap_bytes *key, struct mcap_bytes *value);

/* How it ended: 1 where the file has its end, 0 where it is cut off. */
int mcap_is_whole(const struct mcap_reader *r);

/* Bytes of the file up to the end of its last whole record of data; chunks passed over. */
size_t mcap_good(const struct mcap_reader *r);
int mcap_damaged(const struct mcap_reader *r);

#endif
