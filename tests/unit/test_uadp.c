/* UADP messages against bytes written out by hand from OPC UA Part 14, 7.2.4, and the
 * signature against RFC 4231. What does not end where it should is never taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "services/opcua/access/digest.h"
#include "services/opcua/lane/uadp.h"

/* ---- out ---------------------------------------------------------------------------- */

static const uint8_t WANTED[] = {
    0xf1, 0x01,                   /* version 1; publisher, group, payload headers; UInt16 */
    0x34, 0x12,                   /* PublisherId */
    0x09, 0x02, 0x00, 0x05, 0x00, /* WriterGroupId, SequenceNumber */
    0x01, 0x03, 0x00,             /* one message, of this DataSetWriterId */
    0xfd, 0x10,                   /* valid, DataValue, sequence, status, versions; time */
    0x05, 0x00,                   /* SequenceNumber */
    8,    7,    6,    5,    4,    3,    2,    1,    /* Timestamp */
    0x90, 0x40,                   /* upper half of UncertainLastUsableValue */
    0xdd, 0xcc, 0xbb, 0xaa, 0xdd, 0xcc, 0xbb, 0xaa, /* ConfigurationVersion */
    0x05, 0x00,                   /* fields */
    0x01, 9,    1,    0,    0,    0,    0,    0,    0,    0,    0x01, 11, 0,    0,    0,    0,
    0,    0,    0xf0, 0x3f, 0x01, 6,    0xfe, 0xff, 0xff, 0xff, 0x01, 19, 0,    0,    0x90, 0x40,
    0x03, 11,   0,    0,    0,    0,    0,    0,    0x00, 0xc0, 0,    0,  0x8c, 0x80,
};

static size_t write_sample(uint8_t *to, size_t size, const struct uadp_key *key)
{
    struct uadp_head h = {.id = {0x1234, 2, 3},
                          .version = 0xaabbccdd,
                          .sequence = 5,
                          .time = 0x0102030405060708,
                          .status = 0x40900000,
                          .key = key,
                          .nonce = 0x1122334455667788};
    struct uadp_writer w;

    uadp_begin(&w, to, size, &h);
    uadp_put_count(&w, 1);
    uadp_put_number(&w, 1, 0);
    uadp_put_int(&w, -2);
    uadp_put_status(&w, 0x40900000);
    uadp_put_number(&w, -2, 0x808c0000); /* BadSensorFailure */
    return uadp_end(&w);
}

static void a_message_is_byte_by_byte_as_the_standard_says(void **state)
{
    uint8_t got[512];

    (void)state;
    assert_int_equal(write_sample(got, sizeof got, NULL), sizeof WANTED);
    assert_memory_equal(got, WANTED, sizeof WANTED);
}

static void a_signed_message_has_its_header_and_ends_with_the_hmac(void **state)
{
    static const uint8_t SECURITY[] = {0x01, 7,    0,    0,    0,    8,    0x88,
                                       0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    struct uadp_key key = {.token = 7, .bytes = {1, 2, 3}};
    uint8_t got[512], mac[UADP_SIGNATURE];
    size_t n;

    (void)state;
    n = write_sample(got, sizeof got, &key);
    assert_int_equal(n, sizeof WANTED + sizeof SECURITY + UADP_SIGNATURE);
    assert_int_equal(got[1], 0x11); /* security header enabled */
    assert_memory_equal(got + 12, SECURITY, sizeof SECURITY);
    assert_memory_equal(got + 12 + sizeof SECURITY, WANTED + 12, sizeof WANTED - 12);
    digest_hmac(key.bytes, UADP_KEY, got, n - UADP_SIGNATURE, mac);
    assert_memory_equal(got + n - UADP_SIGNATURE, mac, sizeof mac);
}

static void what_does_not_fit_is_not_sent(void **state)
{
    struct uadp_key key = {.token = 7};
    uint8_t got[512];
    size_t whole = write_sample(got, sizeof got, &key);

    (void)state;
    for (size_t size = 0; size < whole; size++) {
        uint8_t *exact = malloc(size + 1);
        assert_int_equal(write_sample(exact, size, &key), 0);
        free(exact);
    }
    assert_int_equal(write_sample(got, whole, &key), whole);
}

/* RFC 4231, test cases 1, 2 and 3; and across the ends of the 64-byte blocks. */
static void the_signature_is_hmac_sha_256(void **state)
{
    static const uint8_t ONE[] = {0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53};
    static const uint8_t TWO[] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e};
    static const uint8_t THREE[] = {0x77, 0x3e, 0xa9, 0x1e, 0x36, 0x80, 0x0e, 0x46};
    uint8_t key[20], data[50], mac[32];

    (void)state;
    memset(key, 0x0b, sizeof key);
    digest_hmac(key, sizeof key, "Hi There", 8, mac);
    assert_memory_equal(mac, ONE, sizeof ONE);
    digest_hmac("Jefe", 4, "what do ya want for nothing?", 28, mac);
    assert_memory_equal(mac, TWO, sizeof TWO);
    memset(key, 0xaa, sizeof key);
    memset(data, 0xdd, sizeof data);
    digest_hmac(key, sizeof key, data, sizeof data, mac);
    assert_memory_equal(mac, THREE, sizeof THREE);
}

/* ---- in ----------------------------------------------------------------------------- */

static const struct fastlane_id ID = {2, 3, 4};

struct bytes {
    uint8_t at[256];
    size_t n;
};

static void add(struct bytes *b, int n, ...)
{
    va_list list;

    va_start(list, n);
    while (n--) b->at[b->n++] = (uint8_t)va_arg(list, int);
    va_end(list);
}

static void add64(struct bytes *b, uint64_t v)
{
    memcpy(b->at + b->n, &v, sizeof v);
    b->n += sizeof v;
}

static void add_double(struct bytes *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    add64(b, bits);
}

/* All that may stand before the fields, switched on or off by `more`. */
static struct bytes head(int encoding, int more)
{
    struct bytes b = {.n = 0};

    add(&b, 2, 0xf1, more ? 0x69 : 0x01); /* class id, time, picoseconds */
    add(&b, 2, 2, 0);
    if (more) b.n += 16;
    add(&b, 3, more ? 0x0f : 0x01, 3, 0);
    if (more) b.n += 4 + 2 + 2;
    add(&b, 3, 1, 4, 0);
    if (more) b.n += 8 + 2;
    add(&b, 1, encoding | (more ? 0xf9 : 0x01));
    if (more) add(&b, 1, 0x30);
    if (more) b.n += 2 + 8 + 2 + 2 + 4 + 4;
    return b;
}

static enum uadp_result read_into(const struct bytes *b, size_t n, double value[2],
                                  struct uadp_command *c)
{
    uint8_t *exact = malloc(n ? n : 1); /* a sanitizer sees what lies behind it */
    enum uadp_result r;

    *c = (struct uadp_command){.value = value, .n = 2};
    memcpy(exact, b->at, n);
    r = uadp_read(exact, n, &ID, c);
    free(exact);
    return r;
}

static struct bytes variants(int more)
{
    struct bytes b = head(0x00, more);

    add(&b, 3, 4, 0, 9);
    add64(&b, 0xfeedface00000001);
    add(&b, 1, 9);
    add64(&b, 77);
    add(&b, 1, 11);
    add_double(&b, 1.5);
    add(&b, 1, 11);
    add_double(&b, -2.5);
    return b;
}

static void check_good(const struct bytes *b)
{
    struct uadp_command c;
    double value[2];

    assert_int_equal(read_into(b, b->n, value, &c), UADP_OK);
    assert_true(c.epoch == 0xfeedface00000001 && c.counter == 77);
    assert_true(value[0] == 1.5 && value[1] == -2.5);
}

static void all_three_encodings_are_read_with_any_header(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct bytes b = variants(more);
        check_good(&b);
        b = head(0x02, more); /* RawData */
        add64(&b, 0xfeedface00000001);
        add64(&b, 77);
        add_double(&b, 1.5);
        add_double(&b, -2.5);
        check_good(&b);
        b = head(0x04, more); /* DataValue, with everything that may follow the value */
        add(&b, 4, 4, 0, 0x01, 9);
        add64(&b, 0xfeedface00000001);
        add(&b, 2, 0x3f, 9);
        add64(&b, 77);
        b.n += 4 + 8 + 2 + 8 + 2;
        add(&b, 2, 0x05, 11);
        add_double(&b, 1.5);
        b.n += 8;
        add(&b, 2, 0x03, 11);
        add_double(&b, -2.5);
        b.n += 4;
        check_good(&b);
    }
}

static void a_message_cut_anywhere_or_too_long_is_refused(void **state)
{
    struct bytes b = variants(1);
    struct uadp_command c;
    double value[2];

    (void)state;
    for (size_t n = 0; n < b.n; n++) assert_int_not_equal(read_into(&b, n, value, &c), UADP_OK);
    assert_int_equal(read_into(&b, b.n + 1, value, &c), UADP_LAYOUT);
}

/* Byte `at` of the plain message changed to `to`. */
static void each_wrong_byte_has_its_reason(void **state)
{
    static const struct {
        int at, to;
        enum uadp_result result;
    } CASE[] = {
        {0, 0xf2, UADP_FORM},      /* another version */
        {1, 0x11, UADP_FORM},      /* security header */
        {1, 0x81, UADP_FORM},      /* chunks, discovery */
        {1, 0x04, UADP_FORM},      /* a text as publisher */
        {2, 3, UADP_STRANGER},     /* publisher */
        {5, 4, UADP_STRANGER},     /* group */
        {7, 2, UADP_FORM},         /* two data sets */
        {8, 5, UADP_STRANGER},     /* writer */
        {10, 0x00, UADP_FORM},     /* not valid */
        {10, 0x07, UADP_FORM},     /* no such encoding */
        {10, 0x11, UADP_FORM},     /* a status follows: not good */
        {11, 3, UADP_LAYOUT},      /* fields */
        {13, 8, UADP_LAYOUT},      /* Int64 */
        {13, 0x89, UADP_LAYOUT},   /* array */
        {31, 10, UADP_LAYOUT},     /* Float */
    };
    struct uadp_command c;
    double value[2];

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct bytes b = variants(0);
        b.at[CASE[i].at] = (uint8_t)CASE[i].to;
        if (read_into(&b, b.n, value, &c) != CASE[i].result)
            fail_msg("byte %d = %d: %d", CASE[i].at, CASE[i].to, read_into(&b, b.n, value, &c));
    }
}

static void a_delta_frame_and_a_bad_status_are_refused(void **state)
{
    struct bytes b = variants(1);
    struct uadp_command c;
    double value[2];
    size_t set = 2 + 2 + 16 + 3 + 8 + 3 + 10; /* where the data set message begins */

    (void)state;
    b.at[set + 1] = 0x31; /* delta frame */
    assert_int_equal(read_into(&b, b.n, value, &c), UADP_FORM);
    b.at[set + 1] = 0x30;
    b.at[set + 2 + 2 + 8 + 2 + 1] = 0x80; /* Bad */
    assert_int_equal(read_into(&b, b.n, value, &c), UADP_FORM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_byte_by_byte_as_the_standard_says),
        cmocka_unit_test(a_signed_message_has_its_header_and_ends_with_the_hmac),
        cmocka_unit_test(what_does_not_fit_is_not_sent),
        cmocka_unit_test(the_signature_is_hmac_sha_256),
        cmocka_unit_test(all_three_encodings_are_read_with_any_header),
        cmocka_unit_test(a_message_cut_anywhere_or_too_long_is_refused),
        cmocka_unit_test(each_wrong_byte_has_its_reason),
        cmocka_unit_test(a_delta_frame_and_a_bad_status_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
