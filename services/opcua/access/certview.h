/* certview.h: what stands in a certificate or a list of revoked ones, in plain words.
 *
 * Reads DER (X.509, RFC 5280) far enough for people: whose it is, its application URI,
 * its dates, the size of its key. It decides nothing: trust is the library's affair.
 * Any input is safe: every length is held against what is left. SERVICE context. */
#ifndef CERTVIEW_H
#define CERTVIEW_H

#include <stdint.h>

#include <open62541/types.h>

enum { CERTVIEW_TEXT = 128, CERTVIEW_KEY_LEAST = 2048 };

enum certview_kind { CERTVIEW_NONE, CERTVIEW_CERTIFICATE, CERTVIEW_CRL };

struct certview {
    enum certview_kind kind;
    char subject[CERTVIEW_TEXT];  /* common name; "" of a list */
    char issuer[CERTVIEW_TEXT];   /* common name */
    char uri[CERTVIEW_TEXT];      /* first URI of the alternative names; "": none */
    int64_t from_s, until_s;      /* UTC; of a list: made, next one due (0: not said) */
    int key_bits;                 /* RSA; 0: another kind */
};

/* Look at a certificate or list. Returns 0 with kind NONE if it is neither. */
int certview_read(const UA_ByteString *der, struct certview *v);

/* A day as text: 2026-11-18. */
void certview_day(int64_t s, char text[16]);

/* What is wrong with a certificate now, as a clause; NULL: nothing seen. `uri`: the
 * application URI it should have; NULL: any. */
const char *certview_problem(const struct certview *v, int64_t now_s, const char *uri);

#endif
