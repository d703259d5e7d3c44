/* certview.h: what stands in a certificate or a list of revoked ones, in plain words.
 *
 * Reads DER (X.509, RFC 5280): whose it is, its application URI, its dates, the size of
 * its key, what signed it and what it may be used for. It checks no signature and decides
 * nothing: that is trust's affair. Any input is safe. SERVICE context. */
#ifndef CERTVIEW_H
#define CERTVIEW_H

#include <stdint.h>

#include "services/opcua/access/der.h"

enum { CERTVIEW_TEXT = 128, CERTVIEW_KEY_LEAST = 2048 };

enum certview_kind { CERTVIEW_NONE, CERTVIEW_CERTIFICATE, CERTVIEW_CRL };

/* Bits of keyUsage (RFC 5280, 4.2.1.3), first byte. */
enum {
    CERTVIEW_SIGNATURE = 0x80,
    CERTVIEW_KEY_ENCIPHERMENT = 0x20,
    CERTVIEW_DATA_ENCIPHERMENT = 0x10,
    CERTVIEW_CERT_SIGN = 0x04,
    CERTVIEW_CRL_SIGN = 0x02
};

struct certview {
    enum certview_kind kind;
    char subject[CERTVIEW_TEXT];  /* common name; "" of a list */
    char issuer[CERTVIEW_TEXT];   /* common name */
    char uri[CERTVIEW_TEXT];      /* first URI of the alternative names; "": none */
    int64_t from_s, until_s;      /* UTC; of a list: made, next one due (0: not said) */
    int key_bits;                 /* RSA; 0: another kind */
    int strong_hash;              /* signed with SHA-256 or longer */
    int rsa_sha256;               /* signed with RSA (PKCS #1, 1.5) and SHA-256 */
    int usage;                    /* CERTVIEW_* bits; -1: it does not say */
    int authority;                /* basicConstraints say CA */
    /* bytes of what was read, which they live as long as; n = 0: not there */
    struct der whole;             /* this one: behind it there may be those of its issuers */
    struct der subject_name, issuer_name, serial;
    struct der key_id, issuer_key_id;  /* subjectKeyIdentifier, authorityKeyIdentifier */
    struct der revoked;           /* of a list: its entries */
    struct der signed_part, signature;
};

/* Look at a certificate or list, the first of several. Returns 0 with kind NONE if it is
 * neither. */
int certview_read(const UA_ByteString *der, struct certview *v);

/* 1 if the list says that this certificate of its issuer is revoked. */
int certview_revokes(const struct certview *list, const struct certview *certificate);

/* A day as text: 2026-11-18. */
void certview_day(int64_t s, char text[16]);

/* What is wrong with a certificate now, as a clause; NULL: nothing seen. `uri`: the
 * application URI it should have; NULL: any. An authority's needs none. */
const char *certview_problem(const struct certview *v, int64_t now_s, const char *uri);

#endif
