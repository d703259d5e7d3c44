#include "services/opcua/trust.h"

#include <stdio.h>
#include <stdlib.h>

#include <open62541/plugin/pki_default.h>

#include "services/opcua/loglines.h"

struct trust {
    const struct keystore *keystore;
    UA_CertificateVerification list;  /* the library's, of what was read last */
};

const char *trust_words(UA_StatusCode status)
{
    switch (status) {
    case UA_STATUSCODE_BADCERTIFICATEUNTRUSTED:
        return "it is not trusted: trapeze opcua cert trust LAST";
    case UA_STATUSCODE_BADCERTIFICATETIMEINVALID:
    case UA_STATUSCODE_BADCERTIFICATEISSUERTIMEINVALID:
        return "it has expired or is not valid yet: look at both clocks, or make a new one";
    case UA_STATUSCODE_BADCERTIFICATEREVOKED:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOKED:
        return "its issuer has revoked it";
    case UA_STATUSCODE_BADCERTIFICATEREVOCATIONUNKNOWN:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOCATIONUNKNOWN:
        return "the list of what its issuer revoked is missing or too old: put it into crl/";
    case UA_STATUSCODE_BADCERTIFICATEUSENOTALLOWED:
        return "it was not made for this use";
    case UA_STATUSCODE_BADCERTIFICATECHAININCOMPLETE:
        return "the certificate of its issuer is missing: put it into issuers/";
    case UA_STATUSCODE_BADCERTIFICATEURIINVALID:
        return "the client calls itself otherwise than its certificate does (application URI)";
    default:
        return "it cannot be checked";
    }
}

static UA_StatusCode read_list(struct trust *t)
{
    struct keystore_list trusted, issuers, crl;
    UA_StatusCode bad;

    keystore_read(t->keystore, "trusted", &trusted);
    keystore_read(t->keystore, "issuers", &issuers);
    keystore_read(t->keystore, "crl", &crl);
    if (t->list.clear) t->list.clear(&t->list);
    t->list = (UA_CertificateVerification){.logging = loglines_logger()};
    bad = UA_CertificateVerification_Trustlist(&t->list, trusted.item, trusted.n, issuers.item,
                                               issuers.n, crl.item, crl.n);
    keystore_free(&trusted);
    keystore_free(&issuers);
    keystore_free(&crl);
    return bad;
}

/* The list is read anew for every client: it is small, and connecting is rare. */
static UA_StatusCode verify(const UA_CertificateVerification *cv, const UA_ByteString *certificate)
{
    struct trust *t = cv->context;
    UA_StatusCode bad = read_list(t);
    char name[KEYSTORE_NAME];

    if (!bad) bad = t->list.verifyCertificate(&t->list, certificate);
    if (!bad) return bad;
    keystore_name(certificate, name);
    keystore_reject(t->keystore, certificate);
    fprintf(stderr, "trapeze: opcua: client certificate %.8s refused: %s (%s)\n", name,
            trust_words(bad), UA_StatusCode_name(bad));
    return bad;
}

static UA_StatusCode verify_uri(const UA_CertificateVerification *cv,
                                const UA_ByteString *certificate, const UA_String *uri)
{
    struct trust *t = cv->context;
    UA_StatusCode bad = t->list.verifyApplicationURI(&t->list, certificate, uri);
    char name[KEYSTORE_NAME];

    if (!bad) return bad;
    keystore_name(certificate, name);
    fprintf(stderr, "trapeze: opcua: certificate %.8s refused: %s (%s)\n", name,
            trust_words(UA_STATUSCODE_BADCERTIFICATEURIINVALID), UA_StatusCode_name(bad));
    return bad;
}

static void clear(UA_CertificateVerification *cv)
{
    struct trust *t = cv->context;

    if (!t) return;
    if (t->list.clear) t->list.clear(&t->list);
    free(t);
    cv->context = NULL;
}

UA_StatusCode trust_install(UA_CertificateVerification *cv, const struct keystore *k)
{
    struct trust *t = calloc(1, sizeof *t);
    UA_StatusCode bad;

    if (!t) return UA_STATUSCODE_BADOUTOFMEMORY;
    t->keystore = k;
    bad = read_list(t);
    if (cv->clear) cv->clear(cv);
    *cv = (UA_CertificateVerification){.context = t,
                                       .verifyCertificate = verify,
                                       .verifyApplicationURI = verify_uri,
                                       .getExpirationDate = t->list.getExpirationDate,
                                       .getSubjectName = t->list.getSubjectName,
                                       .clear = clear,
                                       .logging = loglines_logger()};
    return bad;
}
