#include "services/opcua/loop/chunk_limit.h"

#include <stdlib.h>
#include <string.h>

#include <open62541/plugin/log.h>

static struct chunk_limit_line *find(struct chunk_limit *u, uintptr_t id)
{
    if (u->last < u->n && u->line[u->last].id == id) return &u->line[u->last];
    for (size_t i = 0; i < u->n; i++) {
        if (u->line[i].id != id) continue;
        u->last = i;
        return &u->line[i];
    }
    return NULL;
}

static struct chunk_limit_line *append(struct chunk_limit *u, UA_ConnectionManager *cm,
                                       uintptr_t id)
{
    if (u->n == u->room) {
        size_t room = u->room ? 2 * u->room : 64;
        struct chunk_limit_line *more = realloc(u->line, room * sizeof *more);
        if (!more) return NULL;
        u->line = more;
        u->room = room;
    }
    u->line[u->n] = (struct chunk_limit_line){.manager = cm, .id = id};
    u->last = u->n++;
    return &u->line[u->last];
}

/* Follow the chunks. A head that makes no sense stays one: the server closes the line. */
static void follow(struct chunk_limit_line *l, const UA_ByteString *bytes)
{
    for (size_t at = 0; at < bytes->length;) {
        size_t rest = bytes->length - at, wanted = l->left, n;
        if (l->left == 0) wanted = CHUNK_LIMIT_HEAD - (size_t)l->n_head;
        n = wanted < rest ? wanted : rest;
        if (l->left == 0) {
            memcpy(l->head + l->n_head, bytes->data + at, n);
            l->n_head = (UA_Byte)(l->n_head + n);
            if (l->n_head == CHUNK_LIMIT_HEAD) {
                UA_UInt32 size;
                memcpy(&size, l->head + 4, sizeof size);
                l->n_head = 0;
                l->left = size > CHUNK_LIMIT_HEAD ? size - CHUNK_LIMIT_HEAD : 0;
            }
        } else {
            l->left -= n;
        }
        at += n;
        l->held += n;
        if (l->left == 0 && l->n_head == 0 && l->head[3] != 'C') l->held = 0;
    }
}

/* Of those where nobody has logged in, if they hold anything; else of all. */
static struct chunk_limit_line *largest(struct chunk_limit *u)
{
    struct chunk_limit_line *most = NULL, *stranger = NULL;

    for (size_t i = 0; i < u->n; i++) {
        struct chunk_limit_line *l = &u->line[i];
        if (!most || l->held > most->held) most = l;
        if (!l->trusted && l->held && (!stranger || l->held > stranger->held)) stranger = l;
    }
    return stranger ? stranger : most;
}

int chunk_limit_take(struct chunk_limit *u, UA_ConnectionManager *cm, uintptr_t id,
                     const UA_ByteString *bytes)
{
    struct chunk_limit_line *l = find(u, id), *most;

    if (!l) l = append(u, cm, id);
    if (!l) return 1;
    u->held -= l->held;
    follow(l, bytes);
    u->held += l->held;
    if (u->held <= CHUNK_LIMIT_MOST) return 1;
    most = largest(u);
    UA_LOG_WARNING(cm->eventSource.eventLoop->logger, UA_LOGCATEGORY_NETWORK,
                   "TCP %u\t| closed: unfinished messages hold %zu KiB, %zu KiB of them are its",
                   (unsigned)most->id, u->held >> 10, most->held >> 10);
    u->held -= most->held;
    most->held = 0;
    most->manager->closeConnection(most->manager, most->id);
    return most != l;
}

void chunk_limit_trust(struct chunk_limit *u, uintptr_t id)
{
    struct chunk_limit_line *l = find(u, id);

    if (l) l->trusted = 1;
}

void chunk_limit_forget(struct chunk_limit *u, uintptr_t id)
{
    struct chunk_limit_line *l = find(u, id);

    if (!l) return;
    u->held -= l->held;
    *l = u->line[--u->n];
}

void chunk_limit_clear(struct chunk_limit *u)
{
    free(u->line);
    *u = (struct chunk_limit){0};
}
