/* chunk_limit.h: what the connections hold is known whatever the pieces the bytes come in,
 * and who holds most goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "services/opcua/loop/chunk_limit.h"

enum { CHUNK = 1 << 16 };

static uintptr_t closed;

static UA_StatusCode close_line(UA_ConnectionManager *cm, uintptr_t id)
{
    (void)cm;
    closed = id;
    return UA_STATUSCODE_GOOD;
}

static UA_EventLoop loop;
static UA_ConnectionManager manager = {.eventSource.eventLoop = &loop,
                                       .closeConnection = close_line};

static void make_chunk(UA_Byte *to, char final, UA_UInt32 size)
{
    memset(to, 0xff, size);
    memcpy(to, "MSG", 3);
    to[3] = (UA_Byte) final;
    memcpy(to + 4, &size, sizeof size);
}

static int take(struct chunk_limit *u, uintptr_t id, UA_Byte *bytes, size_t n)
{
    UA_ByteString s = {n, bytes};
    return chunk_limit_take(u, &manager, id, &s);
}

/* CCF CF F A, cut anywhere: after each finished message nothing is held. */
static void chunks_are_followed_through_any_cut(void **state)
{
    static const char FINAL[] = "CCFCFFCA";
    enum { N = sizeof FINAL - 1, SIZE = 100 };
    UA_Byte stream[N * SIZE];
    (void)state;

    for (int i = 0; i < N; i++) make_chunk(stream + (size_t)i * SIZE, FINAL[i], SIZE);
    for (size_t piece = 1; piece < 333; piece++) {
        struct chunk_limit u = {0};
        for (size_t at = 0; at < sizeof stream; at += piece) {
            size_t n = piece < sizeof stream - at ? piece : sizeof stream - at, end = at + n, begin;
            assert_true(take(&u, 7, stream + at, n));
            begin = end / SIZE; /* of the chunk that is under way; back to its message */
            while (begin > 0 && FINAL[begin - 1] == 'C') begin--;
            assert_int_equal(u.held, end - begin * SIZE);
        }
        assert_int_equal(u.held, 0);
        assert_int_equal(u.n, 1);
        chunk_limit_clear(&u);
    }
}

static void who_holds_most_is_closed(void **state)
{
    UA_Byte *chunk = malloc(CHUNK);
    struct chunk_limit u = {0};
    size_t sent = 0;
    (void)state;

    make_chunk(chunk, 'C', CHUNK);
    closed = 0;
    assert_true(take(&u, 1, chunk, CHUNK));
    for (; !closed && sent < 100; sent++) {
        int kept = take(&u, 2, chunk, CHUNK);
        assert_int_equal(kept, closed == 0);
    }
    assert_int_equal(closed, 2);
    assert_int_equal(sent, CHUNK_LIMIT_MOST / CHUNK);
    assert_int_equal(u.held, CHUNK); /* the other's is left alone */
    chunk_limit_forget(&u, 2);
    assert_int_equal(u.n, 1);
    chunk_limit_forget(&u, 1);
    assert_int_equal(u.held, 0);
    chunk_limit_clear(&u);
    free(chunk);
}

/* Many that each hold a little: one more closes the largest, and itself stays. */
static void a_late_one_is_not_closed_for_the_others(void **state)
{
    UA_Byte *chunk = malloc(CHUNK);
    struct chunk_limit u = {0};
    uintptr_t n = CHUNK_LIMIT_MOST / CHUNK;
    (void)state;

    closed = 0;
    make_chunk(chunk, 'C', CHUNK);
    for (uintptr_t id = 1; id <= n; id++) assert_true(take(&u, id, chunk, CHUNK));
    assert_int_equal(closed, 0);
    make_chunk(chunk, 'F', 1000);
    assert_true(take(&u, n + 1, chunk, 500)); /* half of a message */
    assert_int_not_equal(closed, 0);
    assert_int_not_equal(closed, n + 1);
    assert_true(take(&u, n + 1, chunk + 500, 500));
    assert_true(u.held < CHUNK_LIMIT_MOST);
    chunk_limit_clear(&u);
    free(chunk);
}

/* Heads that make no sense end nowhere and crash nothing. */
static void nonsense_is_survived(void **state)
{
    struct chunk_limit u = {0};
    UA_Byte bytes[4096];
    (void)state;

    srand(1);
    for (int i = 0; i < 2000; i++) {
        size_t n = 1 + (size_t)rand() % sizeof bytes;
        uintptr_t id = 1 + (uintptr_t)rand() % 50;
        for (size_t k = 0; k < n; k++) bytes[k] = (UA_Byte)rand();
        if (rand() % 3 == 0) memset(bytes, 0, n);
        if (rand() % 10 == 0)
            chunk_limit_forget(&u, id);
        else
            take(&u, id, bytes, n);
        assert_true(u.held <= CHUNK_LIMIT_MOST);
        assert_true(u.n <= 50);
    }
    chunk_limit_clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_followed_through_any_cut),
        cmocka_unit_test(who_holds_most_is_closed),
        cmocka_unit_test(a_late_one_is_not_closed_for_the_others),
        cmocka_unit_test(nonsense_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
