/* der.h: reading DER (X.690) element by element, as far as certificates need it.
 *
 * Any input is safe: every length is held against what is left; lengths above 16 MiB and
 * tags of several bytes do not fit. SERVICE context; allocates nothing, keeps pointers
 * into what was given. */
#ifndef DER_H
#define DER_H

#include <stddef.h>

#include <open62541/types.h>

/* What is left to read, or the content of an element. */
struct der {
    const UA_Byte *at;
    size_t n;
};

enum {
    DER_BOOLEAN = 0x01,
    DER_INTEGER = 0x02,
    DER_BITS = 0x03,
    DER_OCTETS = 0x04,
    DER_OID = 0x06,
    DER_UTC_TIME = 0x17,
    DER_TIME = 0x18,
    DER_SEQUENCE = 0x30,
    DER_SET = 0x31
};

/* Take the next element. Returns its tag, or 0 at the end or where it does not fit. */
int der_take(struct der *from, struct der *content);

/* Take an element that must have this tag; else nothing is taken and 0 returned. */
int der_want(struct der *from, int tag, struct der *content);

/* 1 if two contents are the same bytes. */
int der_equal(const struct der *a, const struct der *b);

/* 1 if the content is these n bytes. */
int der_is(const struct der *d, const UA_Byte *bytes, size_t n);

#endif
