/* ring_variants.h: rings that are broken on purpose; see test_ring_hammer.c. */
#ifndef RING_VARIANTS_H
#define RING_VARIANTS_H

#include "rt/link/ring.h"

uint64_t unmarked_publish(struct ring *r, const void *frame);
enum ring_result unmarked_read(const struct ring *r, uint64_t n, void *frame);
uint64_t unchecked_publish(struct ring *r, const void *frame);
enum ring_result unchecked_read(const struct ring *r, uint64_t n, void *frame);

#endif
