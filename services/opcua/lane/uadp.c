#include "services/opcua/lane/uadp.h"

#include <endian.h>
#include <string.h>

#include "services/opcua/access/digest.h"

/* Flags of Part 14, 7.2.4.4 (network message) and 7.2.4.5 (data set message). */
enum {
    VERSION = 1,
    FLAG_PUBLISHER = 0x10,
    FLAG_GROUP = 0x20,
    FLAG_PAYLOAD = 0x40,
    FLAG_EXTENDED = 0x80,
    EXT1_PUBLISHER_TYPE = 0x07,
    EXT1_CLASS = 0x08,
    EXT1_SECURITY = 0x10,
    EXT1_TIME = 0x20,
    EXT1_PICO = 0x40,
    EXT1_EXTENDED = 0x80,
    PUBLISHER_UINT16 = 1,
    GROUP_ID = 0x01,
    GROUP_VERSION = 0x02,
    GROUP_NUMBER = 0x04,
    GROUP_SEQUENCE = 0x08,
    SECURITY_SIGNED = 0x01,
    NONCE = 8,
    SET_VALID = 0x01,
    SET_ENCODING = 0x06,
    ENCODING_VARIANT = 0x00,
    ENCODING_RAW = 0x02,
    ENCODING_DATA_VALUE = 0x04,
    SET_SEQUENCE = 0x08,
    SET_STATUS = 0x10,
    SET_MAJOR = 0x20,
    SET_MINOR = 0x40,
    SET_FLAGS2 = 0x80,
    SET2_TYPE = 0x0f,
    SET2_TIME = 0x10,
    SET2_PICO = 0x20,
    VALUE_VALUE = 0x01,
    VALUE_STATUS = 0x02
};
/* Built-in types, Part 6. */
enum { TYPE_INT32 = 6, TYPE_UINT64 = 9, TYPE_DOUBLE = 11, TYPE_STATUS = 19 };

/* ---- out ---------------------------------------------------------------------------- */

static void put(struct uadp_writer *w, const void *bytes, size_t n)
{
    if (w->at && (size_t)(w->end - w->at) < n) w->at = NULL;
    if (!w->at) return;
    memcpy(w->at, bytes, n);
    w->at += n;
}

static void put8(struct uadp_writer *w, unsigned v)
{
    uint8_t b = (uint8_t)v;
    put(w, &b, sizeof b);
}

static void put16(struct uadp_writer *w, unsigned v)
{
    uint16_t b = htole16((uint16_t)v);
    put(w, &b, sizeof b);
}

static void put32(struct uadp_writer *w, uint32_t v)
{
    v = htole32(v);
    put(w, &v, sizeof v);
}

static void put64(struct uadp_writer *w, uint64_t v)
{
    v = htole64(v);
    put(w, &v, sizeof v);
}

/* Version, ids, sequence, key: 7.2.4.4.2 */
static void put_network_header(struct uadp_writer *w, const struct uadp_head *h)
{
    put8(w, VERSION | FLAG_PUBLISHER | FLAG_GROUP | FLAG_PAYLOAD | FLAG_EXTENDED);
    put8(w, PUBLISHER_UINT16 | (h->key ? EXT1_SECURITY : 0));
    put16(w, (unsigned)h->id.publisher);
    put8(w, GROUP_ID | GROUP_SEQUENCE);
    put16(w, (unsigned)h->id.group);
    put16(w, h->sequence);
    put8(w, 1); /* data set messages */
    put16(w, (unsigned)h->id.writer);
    if (!h->key) return;
    put8(w, SECURITY_SIGNED);
    put32(w, h->key->token);
    put8(w, NONCE);
    put64(w, h->nonce);
}

void uadp_begin(struct uadp_writer *w, uint8_t *buffer, size_t size, const struct uadp_head *h)
{
    *w = (struct uadp_writer){.key = h->key};
    w->begin = w->at = buffer;
    w->end = buffer + size;
    put_network_header(w, h);
    put8(w, SET_VALID | ENCODING_DATA_VALUE | SET_SEQUENCE | SET_STATUS | SET_MAJOR | SET_MINOR |
                SET_FLAGS2);
    put8(w, SET2_TIME); /* key frame */
    put16(w, h->sequence);
    put64(w, (uint64_t)h->time);
    put16(w, h->status >> 16);
    put32(w, h->version);
    put32(w, h->version);
    w->count_at = w->at ? (size_t)(w->at - w->begin) : 0;
    put16(w, 0);
}

void uadp_put_count(struct uadp_writer *w, uint64_t value)
{
    put8(w, VALUE_VALUE);
    put8(w, TYPE_UINT64);
    put64(w, value);
    w->n++;
}

void uadp_put_int(struct uadp_writer *w, int32_t value)
{
    put8(w, VALUE_VALUE);
    put8(w, TYPE_INT32);
    put32(w, (uint32_t)value);
    w->n++;
}

void uadp_put_status(struct uadp_writer *w, uint32_t value)
{
    put8(w, VALUE_VALUE);
    put8(w, TYPE_STATUS);
    put32(w, value);
    w->n++;
}

void uadp_put_number(struct uadp_writer *w, double value, uint32_t status)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put8(w, status ? VALUE_VALUE | VALUE_STATUS : VALUE_VALUE);
    put8(w, TYPE_DOUBLE);
    put64(w, bits);
    if (status) put32(w, status);
    w->n++;
}

size_t uadp_end(struct uadp_writer *w)
{
    uint16_t n = htole16(w->n);
    uint8_t signature[UADP_SIGNATURE];

    if (!w->at) return 0;
    memcpy(w->begin + w->count_at, &n, sizeof n);
    if (w->key) {
        digest_hmac(w->key->bytes, UADP_KEY, w->begin, (size_t)(w->at - w->begin), signature);
        put(w, signature, sizeof signature);
    }
    return w->at ? (size_t)(w->at - w->begin) : 0;
}

/* ---- in ----------------------------------------------------------------------------- */

/* What is left of a message; `cut` once it was shorter than it says. */
struct rest {
    const uint8_t *at, *end;
    int cut;
};

static const uint8_t *take(struct rest *r, size_t n)
{
    const uint8_t *at = r->at;

    if ((size_t)(r->end - r->at) < n) {
        static const uint8_t ZERO[16];
        r->cut = 1;
        return ZERO;
    }
    r->at += n;
    return at;
}

static unsigned take8(struct rest *r) { return *take(r, 1); }

static unsigned take16(struct rest *r)
{
    uint16_t v;
    memcpy(&v, take(r, sizeof v), sizeof v);
    return le16toh(v);
}

static uint32_t take32(struct rest *r)
{
    uint32_t v;
    memcpy(&v, take(r, sizeof v), sizeof v);
    return le32toh(v);
}

static uint64_t take64(struct rest *r)
{
    uint64_t v;
    memcpy(&v, take(r, sizeof v), sizeof v);
    return le64toh(v);
}

/* A number of 1, 2, 4 or 8 bytes; a text is nobody's id. */
static uint64_t take_publisher(struct rest *r, unsigned type)
{
    switch (type) {
    case 0:
        return take8(r);
    case 1:
        return take16(r);
    case 2:
        return take32(r);
    case 3:
        return take64(r);
    default:
        r->cut = 1;
        return 0;
    }
}

/* Up to the data set message. */
static enum uadp_result read_network_header(struct rest *r, const struct fastlane_id *id)
{
    unsigned flags = take8(r), ext = flags & FLAG_EXTENDED ? take8(r) : 0, group;
    uint64_t publisher = 0, group_id = 0, writer = 0;

    if (r->cut || (flags & 0x0f) != VERSION || ext & (EXT1_SECURITY | EXT1_EXTENDED))
        return UADP_FORM;
    if (flags & FLAG_PUBLISHER) publisher = take_publisher(r, ext & EXT1_PUBLISHER_TYPE);
    if (ext & EXT1_CLASS) take(r, 16);
    if (flags & FLAG_GROUP) {
        group = take8(r);
        if (group & GROUP_ID) group_id = take16(r);
        if (group & GROUP_VERSION) take32(r);
        if (group & GROUP_NUMBER) take16(r);
        if (group & GROUP_SEQUENCE) take16(r);
    }
    if (flags & FLAG_PAYLOAD) {
        if (take8(r) != 1) return UADP_FORM;
        writer = take16(r);
    }
    if (ext & EXT1_TIME) take64(r);
    if (ext & EXT1_PICO) take16(r);
    if (r->cut) return UADP_FORM;
    return publisher == (uint64_t)id->publisher && group_id == (uint64_t)id->group &&
                   writer == (uint64_t)id->writer
               ? UADP_OK
               : UADP_STRANGER;
}

/* Up to the fields; *encoding says how they are written. */
static enum uadp_result read_set_header(struct rest *r, unsigned *encoding)
{
    unsigned flags = take8(r), more = flags & SET_FLAGS2 ? take8(r) : 0, status = 0;

    *encoding = flags & SET_ENCODING;
    if (!(flags & SET_VALID) || *encoding == SET_ENCODING || more & SET2_TYPE) return UADP_FORM;
    if (flags & SET_SEQUENCE) take16(r);
    if (more & SET2_TIME) take64(r);
    if (more & SET2_PICO) take16(r);
    if (flags & SET_STATUS) status = take16(r);
    if (flags & SET_MAJOR) take32(r);
    if (flags & SET_MINOR) take32(r);
    return r->cut || status ? UADP_FORM : UADP_OK;
}

/* Eight bytes of a type, as the encoding has them. Returns 0 if it is something else. */
static int read_field(struct rest *r, unsigned encoding, unsigned type, uint64_t *bits)
{
    /* after the value: status (bit 1), source time and picoseconds (2, 4), server's (3, 5) */
    static const struct {
        uint8_t bit, size;
    } AFTER[] = {{0x04, 8}, {0x10, 2}, {0x08, 8}, {0x20, 2}};
    unsigned mask = encoding == ENCODING_DATA_VALUE ? take8(r) : VALUE_VALUE;

    if (!(mask & VALUE_VALUE) || mask & 0xc0) return 0;
    if (encoding != ENCODING_RAW && take8(r) != type) return 0;
    *bits = take64(r);
    if (mask & VALUE_STATUS && take32(r) != 0) return 0;
    for (int i = 0; i < 4; i++)
        if (mask & AFTER[i].bit) take(r, AFTER[i].size);
    return !r->cut;
}

enum uadp_result uadp_read(const uint8_t *data, size_t size, const struct fastlane_id *id,
                           struct uadp_command *out)
{
    struct rest r = {.at = data, .end = data + size};
    enum uadp_result bad = read_network_header(&r, id);
    unsigned encoding = 0;
    uint64_t bits;

    if (!bad) bad = read_set_header(&r, &encoding);
    if (bad) return bad;
    if (encoding != ENCODING_RAW && take16(&r) != out->n + 2) return UADP_LAYOUT;
    if (!read_field(&r, encoding, TYPE_UINT64, &out->epoch) ||
        !read_field(&r, encoding, TYPE_UINT64, &out->counter))
        return UADP_LAYOUT;
    for (uint32_t i = 0; i < out->n; i++) {
        if (!read_field(&r, encoding, TYPE_DOUBLE, &bits)) return UADP_LAYOUT;
        memcpy(&out->value[i], &bits, sizeof bits);
    }
    return r.cut || r.at != r.end ? UADP_LAYOUT : UADP_OK;
}
