/* block.h: the memory blocks that processes share, and who writes what.
 *
 *   block         written by        holds
 *   step          the step thread   head, model (const), rings of records, accounts,
 *                                   events and replies, the monitor
 *   supervisor    the supervisor    head, board, one command and one request ring
 *   service 1..   that service      head, one command and one request ring
 *
 * Every process writes only its own block; all others map it read-only (memfd,
 * sealed SHRINK|GROW|FUTURE_WRITE|SEAL before the first fork). A reader never
 * trusts a block for sizes or places: the layouts below are computed before the
 * fork and kept in each process's own memory. A latecomer (top) takes the layout
 * from the head of the step's and the supervisor's block, which are trusted.
 * Block number 0 is the supervisor, 1 .. BLOCK_SERVICES-1 the services; the same
 * number names a service in leases, replies and events. Context: any. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/link/record.h"
#include "rt/status.h"

#define BLOCK_MAGIC UINT64_C(0x3230424c5a5054) /* "TPZLB02" */
enum { BLOCK_SERVICES = 8, BLOCK_SUPERVISOR = 0, BLOCK_ALIGN = 64 };

enum block_depth {
    BLOCK_COMMANDS = 8,       /* command frames per service */
    BLOCK_REQUESTS = 64,      /* requests per service */
    BLOCK_ACCOUNTS = 8192,
    BLOCK_EVENTS = 1024,
    BLOCK_REPLIES = 512,
    BLOCK_RECORDS_MIN = 64,
    BLOCK_RECORDS_MAX = 4096
};
enum { BLOCK_RECORD_BYTES_MAX = 16 << 20 }; /* of the whole ring of records */

/* Places in the step's block, bytes from its start. */
struct block_step_layout {
    uint64_t model_at, record_at, account_at, event_at, reply_at, monitor_at;
    uint64_t size;
    uint32_t n_records;          /* depth of the ring of records, a power of two */
    uint32_t reserved;
    struct record_layout record;
};

/* What a service says of itself; only for people. */
struct block_say {
    _Atomic uint32_t ready;      /* 1: it can be reached */
    uint32_t reserved;
    char text[120];              /* where; closed by a NUL if the service is honest */
};

/* Places in a service's block; in the supervisor's the board stands before them. */
struct block_service_layout {
    uint64_t board_at;           /* supervisor only */
    uint64_t say_at;             /* struct block_say */
    uint64_t beat_at;            /* uint64_t, counted up by the owner while it lives */
    uint64_t command_at, request_at;
    uint64_t size;
    uint64_t command_bytes;      /* one command frame */
};

/* First bytes of every block, written once before it is sealed. */
struct block_head {
    uint64_t magic;
    uint64_t size;
    struct block_step_layout step;       /* the same in every head */
    struct block_service_layout service; /* of a service's block */
    struct block_service_layout supervisor;
};

/* Compute the layout of all blocks for a model. Returns STATUS_REFUSED when 64
 * records of it would need more than 16 MiB. Context: setup. */
MUST_CHECK enum status block_layout(const struct model *m, struct block_head *head);

/* 1 if the head of a block of `size` bytes is one this program understands. */
int block_check(const struct block_head *head, uint64_t size);

#endif
