#include "services/opcua/access/certview.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What is left to read. */
struct der {
    const UA_Byte *at;
    size_t n;
};

enum {
    TAG_INTEGER = 0x02,
    TAG_BITS = 0x03,
    TAG_OCTETS = 0x04,
    TAG_OID = 0x06,
    TAG_UTC_TIME = 0x17,
    TAG_TIME = 0x18,
    TAG_SEQUENCE = 0x30,
    TAG_SET = 0x31,
    TAG_URI = 0x86,
    TAG_VERSION = 0xa0,
    TAG_EXTENSIONS = 0xa3
};
static const UA_Byte COMMON_NAME[] = {0x55, 0x04, 0x03}, OTHER_NAMES[] = {0x55, 0x1d, 0x11};

/* ---- DER --------------------------------------------------------------------------- */

/* Take the next element. Returns its tag, or 0 at the end or where it does not fit. */
static int take(struct der *from, struct der *content)
{
    size_t length, head = 2;
    int tag;

    if (from->n < 2) return 0;
    tag = from->at[0];
    length = from->at[1];
    if (length >= 0x80) {
        size_t bytes = length & 0x7f;
        if (bytes == 0 || bytes > 3 || from->n < 2 + bytes) return 0;
        length = 0;
        for (size_t i = 0; i < bytes; i++) length = length << 8 | from->at[2 + i];
        head += bytes;
    }
    if (length > from->n - head) return 0;
    *content = (struct der){from->at + head, length};
    from->at += head + length;
    from->n -= head + length;
    return tag;
}

/* Take an element that must have this tag. */
static int want(struct der *from, int tag, struct der *content)
{
    struct der kept = *from;

    if (take(from, content) == tag) return 1;
    *from = kept;
    return 0;
}

static int is(const struct der *d, const UA_Byte *oid, size_t n)
{
    return d->n == n && memcmp(d->at, oid, n) == 0;
}

/* Text of foreign making: what does not print becomes a question mark. */
static void copy_text(const struct der *d, char text[CERTVIEW_TEXT])
{
    size_t n = d->n < CERTVIEW_TEXT - 1 ? d->n : CERTVIEW_TEXT - 1;

    for (size_t i = 0; i < n; i++)
        text[i] = d->at[i] >= 0x20 && d->at[i] < 0x7f ? (char)d->at[i] : '?';
    text[n] = 0;
}

/* ---- parts ------------------------------------------------------------------------- */

/* The common name of a Name. */
static void read_name(struct der name, char text[CERTVIEW_TEXT])
{
    struct der set, pair, oid, value;

    while (want(&name, TAG_SET, &set))
        if (want(&set, TAG_SEQUENCE, &pair) && want(&pair, TAG_OID, &oid) && take(&pair, &value) &&
            is(&oid, COMMON_NAME, sizeof COMMON_NAME))
            copy_text(&value, text);
}

static int two(const UA_Byte *c)
{
    return c[0] >= '0' && c[0] <= '9' && c[1] >= '0' && c[1] <= '9' ? (c[0] - '0') * 10 + c[1] - '0'
                                                                    : -1;
}

/* YYMMDDhhmmssZ or YYYYMMDDhhmmssZ. */
static int read_time(struct der *from, int64_t *s)
{
    struct der d;
    int tag = take(from, &d), century = 0, part[6];

    if ((tag != TAG_UTC_TIME && tag != TAG_TIME) || d.n != (tag == TAG_TIME ? 15U : 13U)) return 0;
    if (tag == TAG_TIME) {
        century = two(d.at);
        d.at += 2;
    }
    for (int i = 0; i < 6; i++)
        if ((part[i] = two(d.at + 2 * (size_t)i)) < 0) return 0;
    if (tag == TAG_UTC_TIME) century = part[0] < 50 ? 20 : 19;
    struct tm tm = {.tm_year = century * 100 + part[0] - 1900,
                    .tm_mon = part[1] - 1,
                    .tm_mday = part[2],
                    .tm_hour = part[3],
                    .tm_min = part[4],
                    .tm_sec = part[5]};
    *s = timegm(&tm);
    return 1;
}

static int read_key_bits(struct der key)
{
    struct der algorithm, bits, rsa, modulus;
    int n;

    if (!want(&key, TAG_SEQUENCE, &algorithm) || !want(&key, TAG_BITS, &bits) || bits.n < 1)
        return 0;
    bits = (struct der){bits.at + 1, bits.n - 1};
    if (!want(&bits, TAG_SEQUENCE, &rsa) || !want(&rsa, TAG_INTEGER, &modulus)) return 0;
    while (modulus.n > 0 && modulus.at[0] == 0)
        modulus = (struct der){modulus.at + 1, modulus.n - 1};
    n = (int)modulus.n * 8;
    for (int bit = 0x80; modulus.n > 0 && bit && !(modulus.at[0] & bit); bit >>= 1) n--;
    return n;
}

static void read_uri(struct der rest, char text[CERTVIEW_TEXT])
{
    struct der extensions, list, one, oid, value, names, name;
    int tag;

    while ((tag = take(&rest, &extensions)) && tag != TAG_EXTENSIONS) continue;
    if (!tag || !want(&extensions, TAG_SEQUENCE, &list)) return;
    while (want(&list, TAG_SEQUENCE, &one)) {
        if (!want(&one, TAG_OID, &oid) || !is(&oid, OTHER_NAMES, sizeof OTHER_NAMES)) continue;
        while ((tag = take(&one, &value)) && tag != TAG_OCTETS) continue;
        if (!tag || !want(&value, TAG_SEQUENCE, &names)) return;
        while ((tag = take(&names, &name)))
            if (tag == TAG_URI && !text[0]) copy_text(&name, text);
    }
}

/* ---- the whole --------------------------------------------------------------------- */

static int read_certificate(struct der tbs, struct certview *v)
{
    struct der part, dates;

    if (!want(&tbs, TAG_VERSION, &part) || !want(&tbs, TAG_INTEGER, &part) ||
        !want(&tbs, TAG_SEQUENCE, &part) || !want(&tbs, TAG_SEQUENCE, &part))
        return 0;
    read_name(part, v->issuer);
    if (!want(&tbs, TAG_SEQUENCE, &dates) || !read_time(&dates, &v->from_s) ||
        !read_time(&dates, &v->until_s) || !want(&tbs, TAG_SEQUENCE, &part))
        return 0;
    read_name(part, v->subject);
    if (!want(&tbs, TAG_SEQUENCE, &part)) return 0;
    v->key_bits = read_key_bits(part);
    read_uri(tbs, v->uri);
    v->kind = CERTVIEW_CERTIFICATE;
    return 1;
}

static int read_crl(struct der tbs, struct certview *v)
{
    struct der part;

    if (tbs.n && tbs.at[0] == TAG_INTEGER && !want(&tbs, TAG_INTEGER, &part)) return 0;
    if (!want(&tbs, TAG_SEQUENCE, &part)) return 0; /* the algorithm */
    if (!want(&tbs, TAG_SEQUENCE, &part)) return 0;
    read_name(part, v->issuer);
    if (!read_time(&tbs, &v->from_s)) return 0;
    if (!read_time(&tbs, &v->until_s)) v->until_s = 0;
    v->kind = CERTVIEW_CRL;
    return 1;
}

int certview_read(const UA_ByteString *der, struct certview *v)
{
    struct der all = {der->data, der->length}, whole, tbs;

    *v = (struct certview){.kind = CERTVIEW_NONE};
    if (!want(&all, TAG_SEQUENCE, &whole) || !want(&whole, TAG_SEQUENCE, &tbs)) return 0;
    if (tbs.n && tbs.at[0] == TAG_VERSION) return read_certificate(tbs, v);
    return read_crl(tbs, v);
}

void certview_day(int64_t s, char text[16])
{
    time_t t = (time_t)s;
    struct tm tm;

    if (!gmtime_r(&t, &tm) || strftime(text, 16, "%Y-%m-%d", &tm) == 0) memcpy(text, "?", 2);
}

const char *certview_problem(const struct certview *v, int64_t now_s, const char *uri)
{
    if (v->kind == CERTVIEW_CRL)
        return v->until_s && now_s > v->until_s ? "it is too old: get a new list" : NULL;
    if (now_s > v->until_s) return "it has expired";
    if (now_s < v->from_s) return "it is not valid yet: look at the clock";
    if (v->key_bits && v->key_bits < CERTVIEW_KEY_LEAST) return "its key is too short";
    if (!v->uri[0]) return "it has no application URI";
    if (uri && strcmp(uri, v->uri) != 0) return "it has another application URI";
    return NULL;
}
