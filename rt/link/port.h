/* port.h: a process's view of all blocks: what it reads from the others, and its
 * own two rings that it writes. Set up by services/run before the service starts;
 * this and the headers it includes are all of rt that a network service sees.
 *
 * Defaults: service context, never blocks, no allocation. */
#ifndef PORT_H
#define PORT_H

#include "rt/link/account.h"
#include "rt/link/block.h"
#include "rt/link/board.h"
#include "rt/link/command.h"
#include "rt/link/event.h"
#include "rt/link/record.h"
#include "rt/link/request.h"
#include "rt/link/ring.h"
#include "rt/mech/model.h"

struct port {
    uint32_t self;                /* own block number */
    uint32_t epoch;               /* own epoch */
    struct block_head layout;     /* own copy */
    const struct model *model;
    const struct board *board;
    const struct monitor *monitor;
    struct ring record, account, event, reply; /* read only */
    struct ring command, request; /* own, written; unset for a latecomer */
    struct block_say *say;        /* own, written; NULL for a latecomer */
    _Atomic uint64_t *beat;       /* own heartbeat, written; NULL for a latecomer */
    uint64_t ticket;              /* of the last request sent */
    uint64_t reply_cursor;        /* next reply to look at */
};

/* Take the reading side from the maps of the step's and supervisor's blocks.
 * Needs: block_check of both. Context: setup. */
void port_init(struct port *p, const struct block_head *layout, const void *step,
               const void *supervisor);

/* Take the writing side from the map of the own block. Context: setup. */
void port_own(struct port *p, uint32_t self, uint32_t epoch, void *block);

/* Copy the newest record into `record` (layout.step.record.bytes). Returns 0 if
 * there is none yet or it was torn twice: keep the last one. */
uint64_t port_record(const struct port *p, struct record *record);

/* 1 while the step process lives. */
int port_step_alive(const struct port *p);

/* Send a request; fills in and returns its ticket. */
uint64_t port_send(struct port *p, struct request *request);

/* Look for the reply to a ticket among those that came since; 1 if found. Replies
 * to other tickets of this service are passed over: keep a cursor of your own and
 * ring_next on p->reply to serve several askers. */
int port_reply(struct port *p, uint64_t ticket, struct reply *reply);

/* Tell the supervisor that this service can be reached, and where. */
void port_say(struct port *p, const char *text);

/* Publish a command frame (layout.service.command_bytes). */
void port_command(struct port *p, const struct command_frame *frame);

#endif
