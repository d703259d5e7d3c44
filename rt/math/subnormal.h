/* subnormal.h: numbers below 2.2e-308 count as zero in the thread that says so.
 *
 * What decays for ever, a speed behind a damper, ends among the subnormal numbers, where this
 * processor needs a hundred times as long for a product: a step would take longer the calmer
 * the mechanism is. Flushed to zero they cost nothing and mean nothing. All threads that step
 * or prepare a step are set alike, since the last digits of a run depend on it.
 * Any context. */
#ifndef SUBNORMAL_H
#define SUBNORMAL_H

#include <immintrin.h>

enum { SUBNORMAL_FLUSHED = 0x8040 }; /* MXCSR: flush to zero, denormals are zero */

static inline void subnormal_flush(void) { _mm_setcsr(_mm_getcsr() | SUBNORMAL_FLUSHED); }

/* 1 if this thread does. */
static inline int subnormal_flushed(void)
{
    return (_mm_getcsr() & SUBNORMAL_FLUSHED) == SUBNORMAL_FLUSHED;
}

#endif
