/* trust.h: which client certificates are accepted: those of the keystore's trust list,
 * read again when it changes. A refused one is kept there and said in plain words.
 * SERVICE context; blocks on the file system when a client is refused. */
#ifndef TRUST_H
#define TRUST_H

#include <open62541/server.h>

#include "services/opcua/keystore.h"

/* Make `cv` check against the keystore, which outlives it. */
UA_StatusCode trust_install(UA_CertificateVerification *cv, const struct keystore *k);

/* What a status of a refused certificate means, and what to do. */
const char *trust_words(UA_StatusCode status);

#endif
