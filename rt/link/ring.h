/* ring.h: a ring of numbered frames. One writer, any number of readers in any
 * process, no back-channel: a reader can neither delay nor disturb the writer.
 *
 * Memory, in 64-bit words, all accessed as C11 atomics:
 *   head | pad to 64 bytes | slot 0 | slot 1 | ... ; a slot is seq | words | pad
 * Frames are numbered from 1; frame n lies in slot n & (depth - 1).
 *
 *   writer of frame n                      reader
 *   slot.seq = 0           relaxed         n = head            acquire
 *   fence                  release         slot.seq == n ?     acquire
 *   words                  relaxed         copy words          relaxed
 *   slot.seq = n           release         fence               acquire
 *   head = n               release         slot.seq == n ?     relaxed
 *
 * The mark (seq = 0) tells a reader that looks a second time that its words may be
 * mixed; without the mark or without the second look copies are torn silently.
 * struct ring lies in the process's own memory: a reader masks the index by its own
 * depth and copies its own number of words, whatever the shared memory says.
 * Defaults: RT context, wait-free, no allocation; the caller owns all memory. */
#ifndef RING_H
#define RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_LOOKS = 8 }; /* slots one ring_next looks at */

struct ring {
    _Atomic uint64_t *word;   /* shared memory, 64-byte aligned; head is word 0 */
    uint64_t mask;    /* depth - 1; depth is a power of two */
    size_t n_words;   /* words of a frame */
    size_t stride;    /* words from slot to slot */
};

enum ring_result {
    RING_OK,
    RING_NONE,   /* not published yet */
    RING_GONE    /* overwritten, or torn by the writer while copying */
};

/* Bytes of shared memory for `depth` frames of `bytes` each (a multiple of 8). */
size_t ring_memsize(uint64_t depth, size_t bytes);

/* Describe a ring that lies at `mem`. Touches nothing. A reader hands its
 * read-only map and calls only the functions that read. */
void ring_init(struct ring *r, const void *mem, uint64_t depth, size_t bytes);

/* Publish a frame; returns its number. Context: the one writer. Memory: copies. */
uint64_t ring_publish(struct ring *r, const void *frame);

/* Make the ring empty; the next frame is number 1. Context: the one writer, when
 * readers may see anything (before the fork, or at a new epoch). */
void ring_clear(struct ring *r);

/* Number of the newest frame, 0 for none. What a foreign writer put there: any
 * value at all. */
uint64_t ring_head(const struct ring *r);

/* Copy frame n. On RING_NONE and RING_GONE *frame is garbage. */
enum ring_result ring_read(const struct ring *r, uint64_t n, void *frame);

/* Copy the newest whole frame: head, and if that is torn head - 1. Returns its
 * number, or 0 with *frame garbage: keep the last good one. */
uint64_t ring_latest(const struct ring *r, void *frame);

/* Copy the frame after *cursor and move the cursor. Frames lost because the reader
 * was slow are skipped and added to *lost (may be NULL). Returns RING_OK or
 * RING_NONE. A foreign writer that moves its head back or far ahead makes the
 * cursor follow it; one call looks at no more than RING_LOOKS slots. */
enum ring_result ring_next(const struct ring *r, uint64_t *cursor, void *frame, uint64_t *lost);

#endif
