/* mcap.h: writes MCAP files (mcap.dev, version 0), which PlotJuggler, Lichtblick and others
 * open: schemas, channels, messages in compressed chunks, metadata, attachments, and at the
 * end the indices and statistics that make them quick to search.
 *
 * A chunk is written whole, so that a file cut off anywhere holds all chunks before the cut.
 * The first failure to write is kept (mcap_error); from then on everything is counted as
 * lost, nothing blocks longer than the disk does, and what was written stays readable.
 * SERVICE context; allocates; little-endian as the processors this runs on. */
#ifndef MCAP_H
#define MCAP_H

#include <stddef.h>
#include <stdint.h>

#include "rt/status.h"

struct mcap;

/* A word and its meaning, for metadata; a list ends with a NULL key. */
struct mcap_pair {
    const char *key, *value;
};

/* Begin a file on a descriptor open for writing at its start. `library` names the program.
 * Chunks are closed at `chunk` bytes (0: 1 MiB). The descriptor stays the caller's.
 * Returns NULL without memory. */
struct mcap *mcap_create(int fd, const char *library, size_t chunk);

/* Add a schema (ros2msg text) and a channel of cdr messages on it. Ids count from 1 and
 * stay for the file. Returns 0 without memory or after a failure. */
uint16_t mcap_schema(struct mcap *m, const char *name, const char *text);
uint16_t mcap_channel(struct mcap *m, uint16_t schema, const char *topic,
                      const struct mcap_pair *metadata);

/* Add a message: cdr bytes without their head of four bytes, which is put before them.
 * Times in ns since 1970. Returns 1, or 0 where it is lost. */
int mcap_message(struct mcap *m, uint16_t channel, uint32_t sequence, uint64_t time_ns,
                 const void *cdr, size_t n);

/* Add words about the file, or a file in the file; both outside of chunks. */
int mcap_metadata(struct mcap *m, const char *name, const struct mcap_pair *pairs);
int mcap_attachment(struct mcap *m, const char *name, const char *media_type, uint64_t time_ns,
                    const void *data, size_t n);

/* Write the open chunk out, so that it is not lost. */
int mcap_flush(struct mcap *m);

/* Bytes in the file so far, messages written and lost, errno of the first failure or 0. */
uint64_t mcap_size(const struct mcap *m);
uint64_t mcap_messages(const struct mcap *m);
uint64_t mcap_lost(const struct mcap *m);
int mcap_error(const struct mcap *m);

/* Write what is open, indices and end, and free. Returns STATUS_IO after a failure. */
enum status mcap_destroy(struct mcap *m) MUST_CHECK;

/* CRC-32 (IEEE 802.3) of bytes, going on from `crc` (0 at the start). */
uint32_t mcap_crc(uint32_t crc, const void *data, size_t n);

#endif
