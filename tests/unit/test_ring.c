/* The ring's single-threaded promises; the hammer is tests/rt/test_ring_hammer.c. */
#include "rt/link/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH = 8, WORDS = 5 };

struct box {
    struct ring ring;
    _Alignas(64) char memory[8 * (8 + DEPTH * 8)];
};

static void box_init(struct box *b)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(ring_memsize(DEPTH, WORDS * 8), sizeof b->memory);
    ring_init(&b->ring, b->memory, DEPTH, WORDS * 8);
}

static void publish(struct box *b, uint64_t n)
{
    uint64_t frame[WORDS] = {n, n + 1, n + 2, n + 3, n + 4};
    assert_int_equal(ring_publish(&b->ring, frame), n);
}

static void an_empty_ring_has_nothing(void **state)
{
    struct box b;
    uint64_t frame[WORDS], cursor = 0, lost = 0;

    (void)state;
    box_init(&b);
    assert_int_equal(ring_latest(&b.ring, frame), 0);
    assert_int_equal(ring_read(&b.ring, 1, frame), RING_NONE);
    assert_int_equal(ring_read(&b.ring, 0, frame), RING_NONE);
    assert_int_equal(ring_next(&b.ring, &cursor, frame, &lost), RING_NONE);
    assert_int_equal(lost, 0);
}

static void the_last_depth_frames_can_be_read_the_older_are_gone(void **state)
{
    struct box b;
    uint64_t frame[WORDS];

    (void)state;
    box_init(&b);
    for (uint64_t n = 1; n <= 20; n++) {
        publish(&b, n);
        assert_int_equal(ring_latest(&b.ring, frame), n);
        assert_int_equal(frame[4], n + 4);
        for (uint64_t k = 1; k <= n; k++)
            assert_int_equal(ring_read(&b.ring, k, frame), k + DEPTH > n ? RING_OK : RING_GONE);
        assert_int_equal(ring_read(&b.ring, n + 1, frame), RING_NONE);
    }
}

static void a_slow_reader_learns_how_many_it_lost(void **state)
{
    struct box b;
    uint64_t frame[WORDS], cursor = 0, lost = 0;

    (void)state;
    box_init(&b);
    for (uint64_t n = 1; n <= 20; n++) publish(&b, n);
    for (uint64_t n = 13; n <= 20; n++) {
        assert_int_equal(ring_next(&b.ring, &cursor, frame, &lost), RING_OK);
        assert_int_equal(frame[0], n);
        assert_int_equal(lost, 12);
    }
    assert_int_equal(ring_next(&b.ring, &cursor, frame, &lost), RING_NONE);
}

/* A frame being overwritten: the newest is torn, the one before is given. */
static void a_torn_newest_frame_gives_the_one_before(void **state)
{
    struct box b;
    uint64_t frame[WORDS];

    (void)state;
    box_init(&b);
    publish(&b, 1);
    publish(&b, 2);
    atomic_store(b.ring.word + 8 + 2 * 8, 0); /* slot of frame 2: marked */
    assert_int_equal(ring_latest(&b.ring, frame), 1);
    assert_int_equal(frame[0], 1);
    atomic_store(b.ring.word + 8 + 1 * 8, 0);
    assert_int_equal(ring_latest(&b.ring, frame), 0);
}

/* Whatever a foreign writer puts anywhere, a reader looks at few slots inside. */
static void garbage_in_the_shared_words_is_harmless(void **state)
{
    struct box b;
    uint64_t seed = 1;

    (void)state;
    box_init(&b);
    for (int round = 0; round < 20000; round++) {
        uint64_t frame[WORDS], cursor = seed, lost = 0;
        for (size_t i = 0; i < sizeof b.memory / 8; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (seed >> 61 == 0) atomic_store(b.ring.word + i, seed);
        }
        if (round % 3 == 0) atomic_store(b.ring.word, UINT64_MAX);
        ring_latest(&b.ring, frame);
        for (int k = 0; k < 10; k++) ring_next(&b.ring, &cursor, frame, &lost);
        assert_true(cursor <= ring_head(&b.ring));
    }
}

/* A writer that begins anew behind the cursor: the reader goes there and follows. */
static void a_head_that_moves_back_is_followed(void **state)
{
    struct box b;
    uint64_t frame[WORDS], cursor = 1000, lost = 0;

    (void)state;
    box_init(&b);
    publish(&b, 1);
    publish(&b, 2);
    assert_int_equal(ring_next(&b.ring, &cursor, frame, &lost), RING_NONE);
    assert_int_equal(cursor, 2);
    assert_int_equal(lost, 0);
    publish(&b, 3);
    assert_int_equal(ring_next(&b.ring, &cursor, frame, &lost), RING_OK);
    assert_int_equal(frame[0], 3);
}

static void a_cleared_ring_begins_at_one(void **state)
{
    struct box b;
    uint64_t frame[WORDS];

    (void)state;
    box_init(&b);
    for (uint64_t n = 1; n <= 11; n++) publish(&b, n);
    ring_clear(&b.ring);
    assert_int_equal(ring_latest(&b.ring, frame), 0);
    for (uint64_t n = 0; n < 20; n++) assert_int_not_equal(ring_read(&b.ring, n, frame), RING_OK);
    publish(&b, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_ring_has_nothing),
        cmocka_unit_test(the_last_depth_frames_can_be_read_the_older_are_gone),
        cmocka_unit_test(a_slow_reader_learns_how_many_it_lost),
        cmocka_unit_test(a_torn_newest_frame_gives_the_one_before),
        cmocka_unit_test(garbage_in_the_shared_words_is_harmless),
        cmocka_unit_test(a_head_that_moves_back_is_followed),
        cmocka_unit_test(a_cleared_ring_begins_at_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
