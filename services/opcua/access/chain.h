/* chain.h: what the library leaves open about a certificate and those above it.
 *
 * The library verifies signatures, dates and trust; it takes a certificate whose issuer
 * has no list of what it revoked, or an old one. Here, by OPC 10000-4, 6.1.3: from the
 * certificate up to the root every issuer must be known (trusted, among the issuers, or
 * sent along), must be an authority, and must have a list in date, of its own signing, that
 * does not name what it issued; every signature but the root's own must be SHA-256 or longer, every RSA key
 * of 2048 bits or more, and the certificate itself must be made for signing and
 * enciphering. A self-signed certificate on a list is its own root and needs no list of
 * revoked ones. SERVICE context. */
#ifndef CHAIN_H
#define CHAIN_H

#include "services/opcua/access/keystore.h"

enum { CHAIN_WHY = 256, CHAIN_MOST = 8 };

struct chain_lists {
    const struct keystore *keystore;
    const struct keystore_list *trusted, *issuers, *crl;
};

/* Check one; behind it, in the same bytes, may stand those of its issuers. Returns Good, or
 * the status and in `why` a clause with the remedy. */
UA_StatusCode chain_check(const struct chain_lists *lists, const UA_ByteString *certificate,
                          int64_t now_s, char why[CHAIN_WHY]);

#endif
