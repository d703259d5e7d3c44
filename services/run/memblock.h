/* memblock.h: a shared memory block that one process writes and all others read.
 *
 * The supervisor creates it (memfd), maps it writable, seals it SHRINK | GROW |
 * FUTURE_WRITE | SEAL and forks without exec: the owner inherits the writable map;
 * everybody else drops that and maps read-only, which after the seal cannot be made
 * writable again. SERVICE context. */
#ifndef MEMBLOCK_H
#define MEMBLOCK_H

#include <stddef.h>

#include "rt/status.h"

struct memblock {
    int fd;
    size_t size;
    void *map;       /* writable; NULL after memblock_read_only */
    const void *view; /* what this process reads: the same as map, or a read-only map */
};

/* Create, map, touch and seal a block of zeros. */
MUST_CHECK enum status memblock_create(struct memblock *b, const char *name, size_t size);

/* In a forked process that does not own the block: exchange the writable map for a
 * read-only one. */
MUST_CHECK enum status memblock_read_only(struct memblock *b);

/* Map a block received as a file descriptor; the descriptor is taken over. */
MUST_CHECK enum status memblock_open(struct memblock *b, int fd);

/* A descriptor of the block that can only read, for others; -1 on failure. */
int memblock_share(const struct memblock *b);

void memblock_close(struct memblock *b);

#endif
