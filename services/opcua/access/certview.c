#include "services/opcua/access/certview.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TAG_URI = 0x86, TAG_VERSION = 0xa0, TAG_EXTENSIONS = 0xa3, TAG_LIST_EXTENSIONS = 0xa0 };
enum { TAG_KEY_ID = 0x80 };
static const UA_Byte COMMON_NAME[] = {0x55, 0x04, 0x03};
/* id-ce: what extensions are called */
static const UA_Byte OTHER_NAMES[] = {0x55, 0x1d, 0x11}, KEY_USAGE[] = {0x55, 0x1d, 0x0f};
static const UA_Byte CONSTRAINTS[] = {0x55, 0x1d, 0x13}, KEY_ID[] = {0x55, 0x1d, 0x0e};
static const UA_Byte ISSUER_KEY_ID[] = {0x55, 0x1d, 0x23};

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

    while (der_want(&name, DER_SET, &set))
        if (der_want(&set, DER_SEQUENCE, &pair) && der_want(&pair, DER_OID, &oid) &&
            der_take(&pair, &value) && der_is(&oid, COMMON_NAME, sizeof COMMON_NAME))
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
    int tag = der_take(from, &d), century = 0, part[6];

    if ((tag != DER_UTC_TIME && tag != DER_TIME) || d.n != (tag == DER_TIME ? 15U : 13U)) return 0;
    if (tag == DER_TIME) {
        century = two(d.at);
        d.at += 2;
    }
    for (int i = 0; i < 6; i++)
        if ((part[i] = two(d.at + 2 * (size_t)i)) < 0) return 0;
    if (tag == DER_UTC_TIME) century = part[0] < 50 ? 20 : 19;
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

    if (!der_want(&key, DER_SEQUENCE, &algorithm) || !der_want(&key, DER_BITS, &bits) || bits.n < 1)
        return 0;
    bits = (struct der){bits.at + 1, bits.n - 1};
    if (!der_want(&bits, DER_SEQUENCE, &rsa) || !der_want(&rsa, DER_INTEGER, &modulus)) return 0;
    while (modulus.n > 0 && modulus.at[0] == 0)
        modulus = (struct der){modulus.at + 1, modulus.n - 1};
    n = (int)modulus.n * 8;
    for (int bit = 0x80; modulus.n > 0 && bit && !(modulus.at[0] & bit); bit >>= 1) n--;
    return n;
}

/* sha256, sha384 and sha512WithRSAEncryption are 1.2.840.113549.1.1.11 to 13, the same with
 * RSASSA-PSS is ...10 with the hash in its parameters; ecdsa-with-SHA256 to 512 are
 * 1.2.840.10045.4.3.2 to 4; the hashes themselves 2.16.840.1.101.3.4.2.1 to 3. */
static int hash_is_strong(struct der algorithm, int *rsa_sha256)
{
    static const UA_Byte RSA[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01};
    static const UA_Byte EC[] = {0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03};
    static const UA_Byte SHA2[] = {0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02};
    struct der oid;
    int last;

    *rsa_sha256 = 0;
    if (!der_want(&algorithm, DER_OID, &oid) || oid.n < 1) return 0;
    last = oid.at[oid.n - 1];
    oid.n--;
    if (der_is(&oid, EC, sizeof EC)) return last >= 2 && last <= 4;
    if (!der_is(&oid, RSA, sizeof RSA)) return 0;
    *rsa_sha256 = last == 11;
    if (last != 10) return last >= 11 && last <= 13;
    const UA_Byte *at = memmem(algorithm.at, algorithm.n, SHA2, sizeof SHA2);
    return at && at + sizeof SHA2 < algorithm.at + algorithm.n && at[sizeof SHA2] >= 1 &&
           at[sizeof SHA2] <= 3;
}

/* ---- extensions -------------------------------------------------------------------- */

static void read_uri(struct der value, struct certview *v)
{
    struct der names, name;
    int tag;

    if (!der_want(&value, DER_SEQUENCE, &names)) return;
    while ((tag = der_take(&names, &name)))
        if (tag == TAG_URI && !v->uri[0]) copy_text(&name, v->uri);
}

static void read_usage(struct der value, struct certview *v)
{
    struct der bits;

    v->usage = der_want(&value, DER_BITS, &bits) && bits.n >= 2 ? bits.at[1] : 0;
}

static void read_constraints(struct der value, struct certview *v)
{
    struct der list, is_authority;

    v->authority = der_want(&value, DER_SEQUENCE, &list) &&
                   der_want(&list, DER_BOOLEAN, &is_authority) && is_authority.n == 1 &&
                   is_authority.at[0] != 0;
}

static void read_key_id(struct der value, struct certview *v)
{
    if (!der_want(&value, DER_OCTETS, &v->key_id)) v->key_id = (struct der){NULL, 0};
}

static void read_issuer_key_id(struct der value, struct certview *v)
{
    struct der list;

    if (!der_want(&value, DER_SEQUENCE, &list) || !der_want(&list, TAG_KEY_ID, &v->issuer_key_id))
        v->issuer_key_id = (struct der){NULL, 0};
}

static const struct {
    const UA_Byte *oid;
    size_t n;
    void (*read)(struct der value, struct certview *v);
} EXTENSION[] = {
    {OTHER_NAMES, sizeof OTHER_NAMES, read_uri},
    {KEY_USAGE, sizeof KEY_USAGE, read_usage},
    {CONSTRAINTS, sizeof CONSTRAINTS, read_constraints},
    {KEY_ID, sizeof KEY_ID, read_key_id},
    {ISSUER_KEY_ID, sizeof ISSUER_KEY_ID, read_issuer_key_id},
};

/* Those behind `tag` in what is left. */
static void read_extensions(struct der rest, int wanted, struct certview *v)
{
    struct der extensions, list, one, oid, value;
    int tag;

    while ((tag = der_take(&rest, &extensions)) && tag != wanted) continue;
    if (!tag || !der_want(&extensions, DER_SEQUENCE, &list)) return;
    while (der_want(&list, DER_SEQUENCE, &one)) {
        if (!der_want(&one, DER_OID, &oid)) continue;
        while ((tag = der_take(&one, &value)) && tag != DER_OCTETS) continue;
        for (size_t i = 0; tag && i < sizeof EXTENSION / sizeof EXTENSION[0]; i++)
            if (der_is(&oid, EXTENSION[i].oid, EXTENSION[i].n)) EXTENSION[i].read(value, v);
    }
}

/* ---- the whole --------------------------------------------------------------------- */

static int read_certificate(struct der tbs, struct certview *v)
{
    struct der part, dates;

    if (!der_want(&tbs, TAG_VERSION, &part) || !der_want(&tbs, DER_INTEGER, &v->serial) ||
        !der_want(&tbs, DER_SEQUENCE, &part))
        return 0;
    v->strong_hash = hash_is_strong(part, &v->rsa_sha256);
    if (!der_want(&tbs, DER_SEQUENCE, &v->issuer_name)) return 0;
    read_name(v->issuer_name, v->issuer);
    if (!der_want(&tbs, DER_SEQUENCE, &dates) || !read_time(&dates, &v->from_s) ||
        !read_time(&dates, &v->until_s) || !der_want(&tbs, DER_SEQUENCE, &v->subject_name))
        return 0;
    read_name(v->subject_name, v->subject);
    if (!der_want(&tbs, DER_SEQUENCE, &part)) return 0;
    v->key_bits = read_key_bits(part);
    read_extensions(tbs, TAG_EXTENSIONS, v);
    v->kind = CERTVIEW_CERTIFICATE;
    return 1;
}

static int read_crl(struct der tbs, struct certview *v)
{
    struct der part;

    if (tbs.n && tbs.at[0] == DER_INTEGER && !der_want(&tbs, DER_INTEGER, &part)) return 0;
    if (!der_want(&tbs, DER_SEQUENCE, &part)) return 0; /* the algorithm */
    v->strong_hash = hash_is_strong(part, &v->rsa_sha256);
    if (!der_want(&tbs, DER_SEQUENCE, &v->issuer_name)) return 0;
    read_name(v->issuer_name, v->issuer);
    if (!read_time(&tbs, &v->from_s)) return 0;
    if (!read_time(&tbs, &v->until_s)) v->until_s = 0;
    if (!der_want(&tbs, DER_SEQUENCE, &v->revoked)) v->revoked = (struct der){NULL, 0};
    read_extensions(tbs, TAG_LIST_EXTENSIONS, v);
    v->kind = CERTVIEW_CRL;
    return 1;
}

/* Behind what is signed: the algorithm once more, and the bits. */
static int read_signature(struct der rest, struct der *signature)
{
    struct der part;

    if (!der_want(&rest, DER_SEQUENCE, &part) || !der_want(&rest, DER_BITS, signature) ||
        signature->n < 1)
        return 0;
    signature->at++; /* how many bits of the last byte do not count: none */
    signature->n--;
    return 1;
}

int certview_read(const UA_ByteString *der, struct certview *v)
{
    struct der all = {der->data, der->length}, whole, tbs;

    *v = (struct certview){.kind = CERTVIEW_NONE, .usage = -1};
    if (!der_want(&all, DER_SEQUENCE, &whole)) return 0;
    v->whole = (struct der){der->data, der->length - all.n};
    v->signed_part.at = whole.at;
    if (!der_want(&whole, DER_SEQUENCE, &tbs)) return 0;
    v->signed_part.n = (size_t)(whole.at - v->signed_part.at);
    if (!read_signature(whole, &v->signature)) return 0;
    return tbs.n && tbs.at[0] == TAG_VERSION ? read_certificate(tbs, v) : read_crl(tbs, v);
}

int certview_revokes(const struct certview *list, const struct certview *certificate)
{
    struct der entries = list->revoked, entry, serial;

    while (der_want(&entries, DER_SEQUENCE, &entry))
        if (der_want(&entry, DER_INTEGER, &serial) && der_equal(&serial, &certificate->serial))
            return 1;
    return 0;
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
    if (v->authority) return NULL;
    if (!v->strong_hash) return "it is signed with SHA-1 or weaker";
    if (!(v->usage > 0 && v->usage & CERTVIEW_SIGNATURE &&
          v->usage & (CERTVIEW_KEY_ENCIPHERMENT | CERTVIEW_DATA_ENCIPHERMENT)))
        return "its key usage lacks digitalSignature or keyEncipherment";
    if (!v->uri[0]) return "it has no application URI";
    if (uri && strcmp(uri, v->uri) != 0) return "it has another application URI";
    return NULL;
}
