/* block.c: places inside the shared blocks. */
#include "rt/link/block.h"

#include "rt/link/account.h"
#include "rt/link/board.h"
#include "rt/link/command.h"
#include "rt/link/event.h"
#include "rt/link/request.h"
#include "rt/link/ring.h"

#include "rt/rtsafe.h"

static uint64_t block_place(uint64_t *at, uint64_t bytes)
{
    uint64_t here = *at;
    *at = (here + bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    return here;
}

static uint32_t block_records(uint64_t bytes)
{
    uint32_t n = BLOCK_RECORDS_MAX;
    while (n > BLOCK_RECORDS_MIN && ring_memsize(n, bytes) > BLOCK_RECORD_BYTES_MAX) n /= 2;
    return n;
}

static void block_step(const struct model *m, struct block_step_layout *l)
{
    uint64_t at = 0;

    record_layout(m, &l->record);
    l->n_records = block_records(l->record.bytes);
    l->reserved = 0;
    block_place(&at, sizeof(struct block_head));
    l->model_at = block_place(&at, m->size);
    l->record_at = block_place(&at, ring_memsize(l->n_records, l->record.bytes));
    l->account_at = block_place(&at, ring_memsize(BLOCK_ACCOUNTS, sizeof(struct account)));
    l->event_at = block_place(&at, ring_memsize(BLOCK_EVENTS, sizeof(struct event)));
    l->reply_at = block_place(&at, ring_memsize(BLOCK_REPLIES, sizeof(struct reply)));
    l->monitor_at = block_place(&at, sizeof(struct monitor));
    l->size = at;
}

static void block_service(const struct model *m, int with_board, struct block_service_layout *l)
{
    uint64_t at = 0;

    l->command_bytes = sizeof(struct command_frame) + m->actuators.n * sizeof(struct command_value);
    block_place(&at, sizeof(struct block_head));
    l->board_at = with_board ? block_place(&at, sizeof(struct board)) : 0;
    l->say_at = block_place(&at, sizeof(struct block_say));
    l->beat_at = block_place(&at, sizeof(uint64_t));
    l->command_at = block_place(&at, ring_memsize(BLOCK_COMMANDS, l->command_bytes));
    l->request_at = block_place(&at, ring_memsize(BLOCK_REQUESTS, sizeof(struct request)));
    l->size = at;
}

enum status block_layout(const struct model *m, struct block_head *head)
{
    struct block_head h = {.magic = BLOCK_MAGIC};

    block_step(m, &h.step);
    block_service(m, 0, &h.service);
    block_service(m, 1, &h.supervisor);
    if (ring_memsize(h.step.n_records, h.step.record.bytes) > BLOCK_RECORD_BYTES_MAX)
        return STATUS_REFUSED;
    *head = h;
    return STATUS_OK;
}

int block_check(const struct block_head *head, uint64_t size)
{
    return size >= sizeof *head && head->magic == BLOCK_MAGIC && head->size == size;
}
