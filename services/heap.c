#include "services/heap.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#define HEAP_FEATURE(x) __has_feature(x)
#else
#define HEAP_FEATURE(x) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !HEAP_FEATURE(address_sanitizer) && !HEAP_FEATURE(thread_sanitizer) &&                   \
    !HEAP_FEATURE(memory_sanitizer)
#define HEAP_COUNTED 1
#else
#define HEAP_COUNTED 0
#endif

#if HEAP_COUNTED
static _Thread_local unsigned long taken;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    taken++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    taken++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    taken++;
    return __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    taken++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    taken++;
    if (alignment % sizeof(void *) || alignment & (alignment - 1) || !alignment) return EINVAL;
    void *p = __libc_memalign(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

unsigned long heap_taken(void) { return taken; }
#else
unsigned long heap_taken(void) { return 0; }
#endif

int heap_is_counted(void) { return HEAP_COUNTED; }
