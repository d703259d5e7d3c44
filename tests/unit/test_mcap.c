/* MCAP files of our own writer: their bytes by the format's rules here, read by a reader of
 * other people in tests/service/test_mcap.mjs, for which this program leaves one behind. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "services/record/mcap.h"
#include "services/record/mcap_format.h"

enum { MESSAGES = 5000 };

static int open_new(const char *name, char path[300])
{
    const char *dir = getenv("TEST_DIR");
    snprintf(path, 300, "%s/%s", dir ? dir : "/tmp", name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

/* Two channels, MESSAGES steps at 1 kHz, an attachment and metadata, two kinds of flush. */
static void write_all(struct mcap *m)
{
    const struct mcap_pair rig[] = {{"rig", "bench"}, {"step", "1 ms"}, {NULL, NULL}};
    const struct mcap_pair unit[] = {{"angle", "deg"}, {"speed", "rad/s"}, {NULL, NULL}};
    assert_int_equal(mcap_metadata(m, "rig", rig), 1);
    uint16_t s = mcap_schema(m, "trapeze/Sensors", "float64 angle\nfloat64 speed\n");
    uint16_t e = mcap_schema(m, "trapeze/Event", "float64 t\nstring text\n");
    uint16_t sensors = mcap_channel(m, s, "/sensors", unit);
    uint16_t events = mcap_channel(m, e, "/events", NULL);
    assert_int_equal(sensors, 1);
    assert_int_equal(events, 2);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        double value[2] = {0.001 * i, -2. * i};
        uint64_t time = UINT64_C(1790000000000000000) + UINT64_C(1000000) * i;
        assert_int_equal(mcap_message(m, sensors, i, time, value, sizeof value), 1);
        if (i % 1000 == 7) {
            struct {
                double t;
                uint32_t n;
                char text[8];
            } event = {value[0], 6, "start"};
            assert_int_equal(mcap_message(m, events, i, time, &event, 18), 1);
        }
        if (i % 500 == 0) assert_int_equal(mcap_flush(m), 1);
    }
    assert_int_equal(mcap_attachment(m, "model.yaml", "text/yaml", 17, "bodies:\n", 8), 1);
}

static void the_sum_is_that_of_the_standard(void **state)
{
    (void)state;
    assert_int_equal(mcap_crc(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(mcap_crc(mcap_crc(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static uint64_t u64(const char *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static void records_follow_each_other_from_magic_to_magic(void **state)
{
    (void)state;
    char path[300];
    int fd = open_new("whole.mcap", path), count[256] = {0};
    struct mcap *m = mcap_create(fd, "trapeze test", 20000);
    assert_non_null(m);
    write_all(m);
    assert_int_equal(mcap_messages(m), MESSAGES + 5);
    assert_int_equal(mcap_destroy(m), STATUS_OK);
    off_t size = lseek(fd, 0, SEEK_END);
    char *bytes = malloc((size_t)size);
    assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
    close(fd);
    assert_memory_equal(bytes, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    assert_memory_equal(bytes + size - MCAP_MAGIC_BYTES, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    size_t at = MCAP_MAGIC_BYTES, end = (size_t)size - MCAP_MAGIC_BYTES, footer = 0;
    while (at < end) {
        unsigned opcode = (unsigned char)bytes[at];
        count[opcode]++;
        if (opcode == MCAP_FOOTER) footer = at;
        assert_true(u64(bytes + at + 1) < (uint64_t)size);
        at += MCAP_RECORD_HEAD + u64(bytes + at + 1);
    }
    assert_int_equal(at, end);
    assert_true(count[MCAP_CHUNK] >= 10);
    assert_int_equal(count[MCAP_CHUNK_INDEX], count[MCAP_CHUNK]);
    assert_int_equal(count[MCAP_SCHEMA], 2);
    assert_int_equal(count[MCAP_CHANNEL], 2);
    assert_int_equal(count[MCAP_STATISTICS] + count[MCAP_FOOTER] + count[MCAP_DATA_END], 3);
    assert_int_equal(count[MCAP_ATTACHMENT] + count[MCAP_ATTACHMENT_INDEX], 2);
    assert_int_equal(count[MCAP_METADATA] + count[MCAP_METADATA_INDEX], 2);
    /* the sum over the summary and the footer's head */
    uint64_t summary = u64(bytes + footer + MCAP_RECORD_HEAD);
    size_t sum = footer + MCAP_RECORD_HEAD + 16;
    uint32_t crc;
    memcpy(&crc, bytes + sum, sizeof crc);
    assert_int_equal(crc, mcap_crc(0, bytes + summary, sum - summary));
    free(bytes);
}

static void a_full_disk_is_told_and_what_is_written_stays(void **state)
{
    (void)state;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct mcap *m = mcap_create(fd, "trapeze test", 4096);
    assert_non_null(m);
    assert_int_equal(mcap_error(m), ENOSPC);
    assert_int_equal(mcap_message(m, 1, 0, 1, "", 0), 0);
    assert_int_equal(mcap_lost(m), 1);
    assert_int_equal(mcap_destroy(m), STATUS_IO);
    close(fd);
}

static void what_is_not_flushed_when_the_disk_fills_is_counted_exactly(void **state)
{
    (void)state;
    char path[300];
    int fd = open_new("full.mcap", path), accepted = 0;
    struct mcap *m = mcap_create(fd, "trapeze test", 1 << 20);
    uint16_t c = mcap_channel(m, mcap_schema(m, "a/B", "float64 x\n"), "/x", NULL);
    for (int i = 0; i < 100; i++) accepted += mcap_message(m, c, 0, 1, &(double){1}, 8);
    assert_int_equal(mcap_flush(m), 1);
    uint64_t size = mcap_size(m);
    for (int i = 0; i < 50; i++) accepted += mcap_message(m, c, 0, 2, &(double){1}, 8);
    /* the descriptor turns into one that cannot be written */
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(dup2(full, fd) == fd);
    assert_int_equal(mcap_flush(m), 0);
    for (int i = 0; i < 7; i++) accepted += mcap_message(m, c, 0, 3, &(double){1}, 8);
    assert_int_equal(mcap_messages(m), 100);
    assert_int_equal(mcap_lost(m), 57);
    assert_int_equal(mcap_size(m), size);
    assert_int_equal(accepted, 150);
    assert_int_equal(mcap_destroy(m), STATUS_IO);
    close(fd);
    close(full);
}

int main(int n, char **argument)
{
    if (n == 2) { /* leave a file behind */
        int fd = open(argument[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        struct mcap *m = fd >= 0 ? mcap_create(fd, "trapeze test", 20000) : NULL;
        if (!m) return 1;
        write_all(m);
        return mcap_destroy(m) == STATUS_OK ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_that_of_the_standard),
        cmocka_unit_test(records_follow_each_other_from_magic_to_magic),
        cmocka_unit_test(a_full_disk_is_told_and_what_is_written_stays),
        cmocka_unit_test(what_is_not_flushed_when_the_disk_fills_is_counted_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
