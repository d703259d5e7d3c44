/* memory.h: all memory that loading takes, given back in one call.
 *
 * A bump allocator: readers and compilers take pieces and never free one; the
 * whole is released at the end. When it runs out (machine, limit or a test's
 * hook) `failed` stays set, so that callers may check once at the end of a
 * passage. SERVICE context; not for several threads at once. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

enum { MEMORY_ALIGN = 32 };

struct memory_chunk;

struct memory {
    struct memory_chunk *chunk;     /* newest first */
    size_t used;                    /* bytes handed out */
    size_t limit;                   /* most bytes to hand out; 0: MEMORY_LIMIT */
    int failed;                     /* a piece could not be had */
    int (*refuse)(void *context);   /* asked before each piece, NULL: never;
                                       non-zero makes this piece fail (tests) */
    void *context;
};

/* Most bytes one load may take unless `limit` says otherwise. */
#define MEMORY_LIMIT ((size_t)1 << 30)

/* Take n x size zeroed bytes, aligned to MEMORY_ALIGN where size >= MEMORY_ALIGN, else to 8.
 * Returns NULL when there is no memory, and sets `failed`. */
void *memory_take(struct memory *m, size_t n, size_t size);

/* Copy n bytes of text and close them with a NUL. Returns NULL like memory_take. */
char *memory_text(struct memory *m, const char *text, size_t n);

/* Grow an array of n entries of `size` bytes to hold one more; *capacity is
 * doubled when full (the old piece stays until the end). Returns the array, or
 * NULL with the old one intact. */
void *memory_grow(struct memory *m, void *array, size_t n, size_t *capacity, size_t size);

/* Give everything back; the arena may be used again. */
void memory_release(struct memory *m);

#endif
