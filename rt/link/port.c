/* port.c: see port.h. */
#include "rt/link/port.h"

#include "rt/rtsafe.h"

void port_init(struct port *p, const struct block_head *layout, const void *step,
               const void *supervisor)
{
    const struct block_step_layout *l = &layout->step;
    const char *at = step;

    *p = (struct port){.layout = *layout};
    p->model = (const struct model *)(at + l->model_at);
    p->monitor = (const struct monitor *)(at + l->monitor_at);
    p->board = (const struct board *)((const char *)supervisor + layout->supervisor.board_at);
    ring_init(&p->record, at + l->record_at, l->n_records, l->record.bytes);
    ring_init(&p->account, at + l->account_at, BLOCK_ACCOUNTS, sizeof(struct account));
    ring_init(&p->event, at + l->event_at, BLOCK_EVENTS, sizeof(struct event));
    ring_init(&p->reply, at + l->reply_at, BLOCK_REPLIES, sizeof(struct reply));
    p->reply_cursor = ring_head(&p->reply);
}

void port_own(struct port *p, uint32_t self, uint32_t epoch, void *block)
{
    const struct block_service_layout *l = self == BLOCK_SUPERVISOR ? &p->layout.supervisor
                                                                    : &p->layout.service;
    char *at = block;

    p->self = self;
    p->epoch = epoch;
    p->say = (struct block_say *)(void *)(at + l->say_at);
    p->beat = (_Atomic uint64_t *)(void *)(at + l->beat_at);
    ring_init(&p->command, at + l->command_at, BLOCK_COMMANDS, l->command_bytes);
    ring_init(&p->request, at + l->request_at, BLOCK_REQUESTS, sizeof(struct request));
}

uint64_t port_record(const struct port *p, struct record *record)
{
    return ring_latest(&p->record, record);
}

int port_step_alive(const struct port *p)
{
    return atomic_load_explicit(&p->board->step_pid, memory_order_acquire) != 0;
}

uint64_t port_send(struct port *p, struct request *request)
{
    request->ticket = ++p->ticket;
    ring_publish(&p->request, request);
    return request->ticket;
}

int port_reply(struct port *p, uint64_t ticket, struct reply *reply)
{
    while (ring_next(&p->reply, &p->reply_cursor, reply, NULL) == RING_OK)
        if (reply->service == p->self && reply->epoch == p->epoch && reply->ticket == ticket)
            return 1;
    return 0;
}

void port_say(struct port *p, const char *text)
{
    size_t n = 0;

    for (; n + 1 < sizeof p->say->text && text[n]; n++) p->say->text[n] = text[n];
    p->say->text[n] = 0;
    atomic_store_explicit(&p->say->ready, 1, memory_order_release);
}

void port_command(struct port *p, const struct command_frame *frame)
{
    ring_publish(&p->command, frame);
}
