#include "rt/mech/workspace.h"

#include <stdint.h>
#include <string.h>

#include "rt/rtsafe.h"

static size_t state_size(const struct model *m, const struct plan *p)
{
    size_t n = 0;
    (void)m;
#define X(type, name, count) n += workspace_room(sizeof(type) * (size_t)(count));
    WORKSPACE_STATE(X)
#undef X
    return n;
}

size_t workspace_memsize(const struct model *m, const struct plan *p, size_t own)
{
    size_t n = state_size(m, p);
#define X(type, name, count) n += workspace_room(sizeof(type) * (size_t)(count));
    WORKSPACE_SCRATCH(X)
#undef X
    return n + workspace_room(own);
}

enum status workspace_init(struct workspace *ws, const struct model *m, const struct plan *p,
                           size_t own, void *memory, size_t size)
{
    if (size < workspace_memsize(m, p, own) || (uintptr_t)memory % WORKSPACE_ALIGN)
        return STATUS_TOO_SMALL;
    memset(ws, 0, sizeof *ws);
    memset(memory, 0, workspace_memsize(m, p, own));
    char *at = memory;
    ws->state = memory;
#define X(type, name, count)                                     \
    ws->name = (type *)(void *)at;                               \
    at += workspace_room(sizeof(type) * (size_t)(count));
    WORKSPACE_STATE(X)
    ws->state_size = (size_t)(at - (char *)memory);
    WORKSPACE_SCRATCH(X)
#undef X
    ws->own = at;
    ws->size = (size_t)(at - (char *)memory) + workspace_room(own);
    ws->alarm_row = -1;
    return STATUS_OK;
}

void workspace_copy(struct workspace *to, const struct workspace *from)
{
    struct workspace_mark mark = workspace_marked(from);
    memcpy(to->state, from->state, from->state_size);
    workspace_set_mark(to, &mark);
}

void workspace_keep(struct workspace *ws)
{
    memcpy(ws->kept, ws->state, ws->state_size);
    ws->mark = workspace_marked(ws);
}

void workspace_back(struct workspace *ws)
{
    memcpy(ws->state, ws->kept, ws->state_size);
    workspace_set_mark(ws, &ws->mark);
}
