/* trust.h: which certificates are accepted: those of the keystore's trust list, read
 * again for every connection, with an unbroken chain (chain.h). A refused one is kept
 * there and said in plain words. A file of the lists that cannot be read is left out and
 * named; it never keeps the others from counting.
 * SERVICE context; blocks on the file system when a client is refused. */
#ifndef TRUST_H
#define TRUST_H

#include <open62541/server.h>

#include "services/opcua/access/keystore.h"

enum { TRUST_WORDS = 256 };

/* Make `cv` check against the keystore, which outlives it. `whose`: "client" or "server",
 * for the log. */
UA_StatusCode trust_install(UA_CertificateVerification *cv, const struct keystore *k,
                            const char *whose);

/* Would this one be accepted now? Returns Good, or the status and in `words` why and what
 * to do. */
UA_StatusCode trust_check(const struct keystore *k, const UA_ByteString *certificate,
                          char words[TRUST_WORDS]);

/* Say in plain words when a policy refuses a certificate by itself (key too short), which
 * it does before anybody asks trust. After the policies of `config` are set. */
void trust_watch_policies(UA_ServerConfig *config);

/* Why a certificate was refused and what to do; `trusted`: how many are trusted at all. */
void trust_words(UA_StatusCode status, const UA_ByteString *certificate, int trusted,
                 char text[TRUST_WORDS]);

#endif
