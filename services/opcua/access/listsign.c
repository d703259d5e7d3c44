#include "services/opcua/access/listsign.h"

#include <string.h>

#include <open62541/plugin/create_certificate.h>
#include <open62541/plugin/securitypolicy_default.h>

#include "services/opcua/loop/library_log.h"

/* A pair of keys of no importance. */
static UA_StatusCode make_pair(UA_ByteString *certificate, UA_ByteString *key)
{
    UA_String subject[] = {UA_STRING_STATIC("CN=nobody")};
    UA_String names[] = {UA_STRING_STATIC("URI:urn:trapeze:nobody")};

    return UA_CreateCertificate(library_log_logger(), subject, 1, names, 1,
                                UA_CERTIFICATEFORMAT_DER, NULL, key, certificate);
}

/* With the keystore's pair, loaded or in its files, or with any. */
static UA_StatusCode make_policy(const struct keystore *k, UA_SecurityPolicy *p)
{
    UA_ByteString key = UA_BYTESTRING_NULL, certificate = UA_BYTESTRING_NULL;
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    if (k->key.length && k->certificate.length)
        return UA_SecurityPolicy_Basic256Sha256(p, k->certificate, k->key, library_log_logger());
    if (!keystore_look_own(k, &certificate, &key)) bad = make_pair(&certificate, &key);
    if (!bad) bad = UA_SecurityPolicy_Basic256Sha256(p, certificate, key, library_log_logger());
    if (key.data) explicit_bzero(key.data, key.length);
    UA_ByteString_clear(&key);
    UA_ByteString_clear(&certificate);
    return bad;
}

static UA_ByteString borrow(const struct der *d)
{
    return (UA_ByteString){d->n, (UA_Byte *)(uintptr_t)d->at};
}

enum listsign listsign_check(const struct keystore *k, const struct certview *issuer,
                             const struct certview *list)
{
    UA_ByteString certificate = borrow(&issuer->whole), text = borrow(&list->signed_part);
    UA_ByteString signature = borrow(&list->signature);
    UA_SecurityPolicy p = {.logger = NULL};
    enum listsign verdict = LISTSIGN_FORGED;
    void *channel = NULL;

    if (!list->rsa_sha256) return LISTSIGN_OTHER_METHOD;
    if (make_policy(k, &p)) return LISTSIGN_OTHER_METHOD;
    if (!p.channelModule.newContext(&p, &certificate, &channel)) {
        if (!p.asymmetricModule.cryptoModule.signatureAlgorithm.verify(channel, &text, &signature))
            verdict = LISTSIGN_GOOD;
        p.channelModule.deleteContext(channel);
    }
    p.clear(&p);
    return verdict;
}
