/* listsign.h: did this authority sign this list of revoked certificates?
 *
 * The library passes over a list that somebody else signed, so it is asked once more by way
 * of a security policy, whose signatures are those of certificates: RSA with SHA-256.
 * Lists signed otherwise cannot be checked here. SERVICE context. */
#ifndef LISTSIGN_H
#define LISTSIGN_H

#include "services/opcua/access/certview.h"
#include "services/opcua/access/keystore.h"

enum listsign { LISTSIGN_GOOD, LISTSIGN_FORGED, LISTSIGN_OTHER_METHOD };

/* Check. A pair of keys is needed to set a policy up: the keystore's own, or where that is
 * not loaded one made for the purpose. */
enum listsign listsign_check(const struct keystore *k, const struct certview *issuer,
                             const struct certview *list);

#endif
