/* heap.h: counts what the program takes from the heap, so that `trapeze sim` can say that
 * its steps took nothing.
 *
 * heap.c stands in for malloc, calloc, realloc and the aligned ones of the whole program,
 * shared libraries included, adds one to a counter of the calling thread and passes on to
 * the C library. It is part of the program, not of the archive: tests may bring their own.
 * Not counted under a sanitizer, which has an allocator of its own. */
#ifndef HEAP_H
#define HEAP_H

/* Pieces of memory the calling thread has taken so far. */
unsigned long heap_taken(void);

/* 1 if they are counted in this build. */
int heap_is_counted(void);

#endif
