/* What certview reads in certificates: those the library makes, and any bytes at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <open62541/plugin/create_certificate.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/loop/library_log.h"

enum { DAY = 86400 };

static UA_ByteString make(UA_UInt16 days, UA_UInt16 bits)
{
    UA_String subject[] = {UA_STRING_STATIC("O=Test"), UA_STRING_STATIC("CN=somebody")};
    UA_String names[] = {UA_STRING_STATIC("DNS:localhost"), UA_STRING_STATIC("URI:urn:test:one")};
    UA_KeyValueMap *map = UA_KeyValueMap_new();
    UA_ByteString key = UA_BYTESTRING_NULL, certificate = UA_BYTESTRING_NULL;

    UA_KeyValueMap_setScalar(map, UA_QUALIFIEDNAME(0, (char[]){"expires-in-days"}), &days,
                             &UA_TYPES[UA_TYPES_UINT16]);
    UA_KeyValueMap_setScalar(map, UA_QUALIFIEDNAME(0, (char[]){"key-size-bits"}), &bits,
                             &UA_TYPES[UA_TYPES_UINT16]);
    assert_int_equal(UA_CreateCertificate(library_log_logger(), subject, 2, names, 2,
                                          UA_CERTIFICATEFORMAT_DER, map, &key, &certificate),
                     UA_STATUSCODE_GOOD);
    UA_KeyValueMap_delete(map);
    UA_ByteString_clear(&key);
    return certificate;
}

static void a_certificate_is_told_in_words(void **state)
{
    UA_ByteString der = make(30, 2048);
    int64_t now = time(NULL);
    struct certview v;
    char day[16];

    (void)state;
    assert_true(certview_read(&der, &v));
    assert_int_equal(v.kind, CERTVIEW_CERTIFICATE);
    assert_string_equal(v.subject, "somebody");
    assert_string_equal(v.issuer, "somebody");
    assert_string_equal(v.uri, "urn:test:one");
    assert_int_equal(v.key_bits, 2048);
    assert_true(v.until_s - v.from_s == 30 * DAY);
    assert_true(v.from_s <= now && now < v.from_s + DAY);
    assert_null(certview_problem(&v, now, "urn:test:one"));
    assert_string_equal(certview_problem(&v, now, "urn:test:two"),
                        "it has another application URI");
    assert_string_equal(certview_problem(&v, now + 31 * DAY, NULL), "it has expired");
    assert_string_equal(certview_problem(&v, v.from_s - DAY, NULL),
                        "it is not valid yet: look at the clock");
    certview_day(0, day);
    assert_string_equal(day, "1970-01-01");
    UA_ByteString_clear(&der);
}

static void a_short_key_is_seen(void **state)
{
    UA_ByteString der = make(30, 1024);
    struct certview v;

    (void)state;
    assert_true(certview_read(&der, &v));
    assert_int_equal(v.key_bits, 1024);
    assert_string_equal(certview_problem(&v, time(NULL), NULL), "its key is too short");
    UA_ByteString_clear(&der);
}

/* Each cut and each change lies in memory of its own, so that a sanitizer sees a byte read
 * too far. */
static void any_bytes_are_safe(void **state)
{
    UA_ByteString der = make(30, 2048);
    struct certview v;
    unsigned seed = 7;

    (void)state;
    for (size_t n = 0; n < der.length; n++) {
        UA_ByteString part = {n, malloc(n ? n : 1)};
        memcpy(part.data, der.data, n);
        assert_false(certview_read(&part, &v));
        free(part.data);
    }
    for (int k = 0; k < 200000; k++) {
        UA_ByteString copy = {der.length, malloc(der.length)};
        memcpy(copy.data, der.data, der.length);
        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525U + 1013904223U;
            copy.data[seed / 7 % der.length] = (UA_Byte)(seed >> 24);
        }
        if (certview_read(&copy, &v)) {
            assert_true(strlen(v.subject) < CERTVIEW_TEXT && strlen(v.uri) < CERTVIEW_TEXT);
            assert_true(v.key_bits >= 0 && v.key_bits <= 1 << 16);
        }
        free(copy.data);
    }
    UA_ByteString_clear(&der);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate_is_told_in_words),
        cmocka_unit_test(a_short_key_is_seen),
        cmocka_unit_test(any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
