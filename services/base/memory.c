#include "services/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 256 << 10 };

struct memory_chunk {
    struct memory_chunk *next;
    size_t size, used;
    size_t pad;
};

_Static_assert(sizeof(struct memory_chunk) % MEMORY_ALIGN == 0, "chunks begin aligned");

static int memory_open_chunk(struct memory *m, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct memory_chunk *c = aligned_alloc(MEMORY_ALIGN, (sizeof *c + size + MEMORY_ALIGN - 1) /
                                                             MEMORY_ALIGN * MEMORY_ALIGN);
    if (!c) return 0;
    *c = (struct memory_chunk){.next = m->chunk, .size = size};
    m->chunk = c;
    return 1;
}

static void *memory_refused(struct memory *m)
{
    m->failed = 1;
    return NULL;
}

void *memory_take(struct memory *m, size_t n, size_t size)
{
    size_t limit = m->limit ? m->limit : MEMORY_LIMIT;
    size_t align = size >= MEMORY_ALIGN ? MEMORY_ALIGN : 8;
    if (m->refuse && m->refuse(m->context)) return memory_refused(m);
    if (size && n > (limit - m->used) / size) return memory_refused(m);
    size_t bytes = n * size;
    struct memory_chunk *c = m->chunk;
    size_t at = c ? (c->used + align - 1) / align * align : 0;
    if (!c || at + bytes > c->size) {
        if (!memory_open_chunk(m, bytes)) return memory_refused(m);
        c = m->chunk;
        at = 0;
    }
    c->used = at + bytes;
    m->used += bytes;
    return memset((char *)(c + 1) + at, 0, bytes);
}

char *memory_text(struct memory *m, const char *text, size_t n)
{
    char *copy = memory_take(m, n + 1, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void *memory_grow(struct memory *m, void *array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity) return array;
    size_t next = *capacity ? 2 * *capacity : 16;
    void *wider = memory_take(m, next, size);
    if (!wider) return NULL;
    if (n) memcpy(wider, array, n * size);
    *capacity = next;
    return wider;
}

void memory_release(struct memory *m)
{
    while (m->chunk) {
        struct memory_chunk *next = m->chunk->next;
        free(m->chunk);
        m->chunk = next;
    }
    m->used = 0;
    m->failed = 0;
}
