#include "services/opcua/access/der.h"

#include <string.h>

int der_take(struct der *from, struct der *content)
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

int der_want(struct der *from, int tag, struct der *content)
{
    struct der kept = *from;

    if (der_take(from, content) == tag) return 1;
    *from = kept;
    return 0;
}

int der_equal(const struct der *a, const struct der *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

int der_is(const struct der *d, const UA_Byte *bytes, size_t n)
{
    return d->n == n && memcmp(d->at, bytes, n) == 0;
}
