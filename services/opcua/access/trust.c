#include "services/opcua/access/trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <open62541/plugin/pki_default.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/loop/library_log.h"

enum { POLICIES = 8 };

struct trust {
    const struct keystore *keystore;
    const char *whose;                /* "client": what is looked at, for the log */
    UA_CertificateVerification list;  /* the library's, of what was read last */
    int n_trusted;                    /* in it */
};

/* What a status means where the certificate itself does not tell more. */
static const char *status_words(UA_StatusCode status)
{
    switch (status) {
    case UA_STATUSCODE_BADCERTIFICATEUNTRUSTED:
        return "it is not trusted: trapeze opcua cert trust LAST";
    case UA_STATUSCODE_BADCERTIFICATETIMEINVALID:
    case UA_STATUSCODE_BADCERTIFICATEISSUERTIMEINVALID:
        return "it or its issuer has expired or is not valid yet: look at both clocks, or make a "
               "new one";
    case UA_STATUSCODE_BADCERTIFICATEREVOKED:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOKED:
        return "its issuer has revoked it: make a new one";
    case UA_STATUSCODE_BADCERTIFICATEREVOCATIONUNKNOWN:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOCATIONUNKNOWN:
        return "the list of what its issuer revoked is missing or too old: trapeze opcua cert crl "
               "FILE";
    case UA_STATUSCODE_BADCERTIFICATEUSENOTALLOWED:
        return "it was not made for this use: it needs digitalSignature, keyEncipherment, "
               "clientAuth";
    case UA_STATUSCODE_BADCERTIFICATECHAININCOMPLETE:
        return "the certificate of its issuer is missing: trapeze opcua cert issuer FILE";
    default:
        return "it cannot be checked";
    }
}

void trust_words(UA_StatusCode status, const UA_ByteString *certificate, int trusted,
                 char text[TRUST_WORDS])
{
    struct certview v;
    char from[16], until[16];
    int64_t now = time(NULL);

    if (!certview_read(certificate, &v) || v.kind != CERTVIEW_CERTIFICATE) {
        snprintf(text, TRUST_WORDS, "it is no certificate in DER form");
        return;
    }
    certview_day(v.from_s, from);
    certview_day(v.until_s, until);
    if (status == UA_STATUSCODE_BADCERTIFICATETIMEINVALID && now > v.until_s)
        snprintf(text, TRUST_WORDS, "it has expired, on %s: make a new one", until);
    else if (status == UA_STATUSCODE_BADCERTIFICATETIMEINVALID && now < v.from_s)
        snprintf(text, TRUST_WORDS, "it is not valid before %s: look at both clocks", from);
    else if (v.key_bits && v.key_bits < CERTVIEW_KEY_LEAST)
        snprintf(text, TRUST_WORDS, "its key has %d bits, %d are needed: make a new one",
                 v.key_bits, CERTVIEW_KEY_LEAST);
    else
        snprintf(text, TRUST_WORDS, "%s%s",
                 status == UA_STATUSCODE_BADCERTIFICATEUNTRUSTED && !trusted
                     ? "nobody is trusted yet; "
                     : "",
                 status_words(status));
}

static UA_StatusCode read_list(struct trust *t)
{
    struct keystore_list trusted, issuers, crl;
    UA_StatusCode bad;

    keystore_read(t->keystore, "trusted", &trusted);
    keystore_read(t->keystore, "issuers", &issuers);
    keystore_read(t->keystore, "crl", &crl);
    if (t->list.clear) t->list.clear(&t->list);
    t->list = (UA_CertificateVerification){.logging = library_log_logger()};
    bad = UA_CertificateVerification_Trustlist(&t->list, trusted.item, trusted.n, issuers.item,
                                               issuers.n, crl.item, crl.n);
    t->n_trusted = (int)trusted.n;
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
    char name[KEYSTORE_NAME], words[TRUST_WORDS];

    if (!bad) bad = t->list.verifyCertificate(&t->list, certificate);
    if (!bad) return bad;
    keystore_name(certificate, name);
    trust_words(bad, certificate, t->n_trusted, words);
    if (library_log_say("%s certificate %.8s refused: %s (%s)", t->whose, name, words,
                        UA_StatusCode_name(bad)))
        keystore_reject(t->keystore, certificate);
    return bad;
}

static UA_StatusCode verify_uri(const UA_CertificateVerification *cv,
                                const UA_ByteString *certificate, const UA_String *uri)
{
    struct trust *t = cv->context;
    UA_StatusCode bad = t->list.verifyApplicationURI(&t->list, certificate, uri);
    struct certview v;
    char name[KEYSTORE_NAME];

    if (!bad) return bad;
    keystore_name(certificate, name);
    certview_read(certificate, &v);
    library_log_say("%s certificate %.8s refused: it was made for the application '%s', not for "
                    "'%.*s' (%s)",
                    t->whose, name, v.uri, (int)uri->length, (const char *)uri->data,
                    UA_StatusCode_name(bad));
    return bad;
}

/* ---- what a policy refuses by itself ----------------------------------------------- */

typedef UA_StatusCode new_context(const UA_SecurityPolicy *policy, const UA_ByteString *certificate,
                                  void **context);

/* The policies' own functions, by their places in the configuration. */
static _Thread_local struct {
    UA_String uri;
    new_context *make;
} policies[POLICIES];

static UA_StatusCode make_context(const UA_SecurityPolicy *policy, const UA_ByteString *certificate,
                                  void **context)
{
    UA_StatusCode bad = UA_STATUSCODE_BADINTERNALERROR;
    char name[KEYSTORE_NAME], words[TRUST_WORDS];

    for (int i = 0; i < POLICIES; i++)
        if (policies[i].make && UA_String_equal(&policies[i].uri, &policy->policyUri)) {
            bad = policies[i].make(policy, certificate, context);
            break;
        }
    if (!bad) return bad;
    keystore_name(certificate, name);
    trust_words(bad, certificate, 1, words);
    library_log_say("client certificate %.8s refused: %s (%s)", name, words,
                    UA_StatusCode_name(bad));
    return bad;
}

void trust_watch_policies(UA_ServerConfig *config)
{
    for (size_t i = 0; i < POLICIES && i < config->securityPoliciesSize; i++) {
        UA_SecurityPolicy *p = &config->securityPolicies[i];
        policies[i].uri = p->policyUri;
        policies[i].make = p->channelModule.newContext;
        p->channelModule.newContext = make_context;
    }
}

/* ---- the plugin -------------------------------------------------------------------- */

static void clear(UA_CertificateVerification *cv)
{
    struct trust *t = cv->context;

    if (!t) return;
    if (t->list.clear) t->list.clear(&t->list);
    free(t);
    cv->context = NULL;
}

UA_StatusCode trust_install(UA_CertificateVerification *cv, const struct keystore *k,
                            const char *whose)
{
    struct trust *t = calloc(1, sizeof *t);
    UA_StatusCode bad;

    if (!t) return UA_STATUSCODE_BADOUTOFMEMORY;
    t->keystore = k;
    t->whose = whose;
    bad = read_list(t);
    if (cv->clear) cv->clear(cv);
    *cv = (UA_CertificateVerification){.context = t,
                                       .verifyCertificate = verify,
                                       .verifyApplicationURI = verify_uri,
                                       .getExpirationDate = t->list.getExpirationDate,
                                       .getSubjectName = t->list.getSubjectName,
                                       .clear = clear,
                                       .logging = library_log_logger()};
    return bad;
}
