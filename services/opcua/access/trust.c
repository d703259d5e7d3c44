#include "services/opcua/access/trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <open62541/plugin/pki_default.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/act/audit.h"
#include "services/opcua/access/chain.h"
#include "services/opcua/access/digest.h"
#include "services/opcua/loop/library_log.h"

enum { POLICIES = 8 };

/* The lists as the library takes them. */
struct lists {
    struct keystore_list trusted, issuers, crl;
};

struct trust {
    const struct keystore *keystore;
    const char *whose;                /* "client": what is looked at, for the log */
    UA_CertificateVerification list;  /* the library's, of what was read last */
    uint8_t skipped[32];              /* digest of what was said to be left out */
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

/* ---- the lists --------------------------------------------------------------------- */

/* Leave out what the library cannot read, though it looks like a certificate. */
static void sift(struct keystore_list *l, int revoked)
{
    for (size_t i = l->n; i-- > 0;) {
        UA_CertificateVerification one = {.logging = library_log_logger()};
        if (UA_CertificateVerification_Trustlist(&one, &l->item[i], revoked ? 0 : 1, NULL, 0,
                                                 &l->item[i], revoked ? 1 : 0))
            keystore_skip(l, i);
        if (one.clear) one.clear(&one);
    }
}

static UA_StatusCode hand_over(UA_CertificateVerification *cv, const struct lists *l)
{
    *cv = (UA_CertificateVerification){.logging = library_log_logger()};
    return UA_CertificateVerification_Trustlist(cv, l->trusted.item, l->trusted.n, l->issuers.item,
                                                l->issuers.n, l->crl.item, l->crl.n);
}

/* Read the lists and give them to the library; what it cannot read is left out. */
static UA_StatusCode lists_read(const struct keystore *k, struct lists *l,
                                UA_CertificateVerification *cv)
{
    UA_StatusCode bad;

    keystore_read(k, "trusted", &l->trusted);
    keystore_read(k, "issuers", &l->issuers);
    keystore_read(k, "crl", &l->crl);
    bad = hand_over(cv, l);
    if (!bad) return bad;
    if (cv->clear) cv->clear(cv);
    sift(&l->trusted, 0);
    sift(&l->issuers, 0);
    sift(&l->crl, 1);
    return hand_over(cv, l);
}

static void lists_free(struct lists *l)
{
    keystore_free(&l->trusted);
    keystore_free(&l->issuers);
    keystore_free(&l->crl);
}

/* Name what was left out, once for each set of files. */
static void say_skipped(struct trust *t, const struct lists *l)
{
    const struct {
        const char *part;
        const struct keystore_list *list;
    } part[] = {{"trusted", &l->trusted}, {"issuers", &l->issuers}, {"crl", &l->crl}};
    char all[3 * KEYSTORE_SKIPPED];
    uint8_t now[32];
    size_t n = (size_t)snprintf(all, sizeof all, "%s/%s/%s", l->trusted.skipped, l->issuers.skipped,
                                l->crl.skipped);

    digest_eval(all, n < sizeof all ? n : sizeof all - 1, now);
    if (memcmp(now, t->skipped, sizeof now) == 0) return;
    memcpy(t->skipped, now, sizeof now);
    for (int i = 0; i < 3; i++)
        if (part[i].list->n_skipped)
            library_log_say("left out, not readable or no %s: %s/%s/: %s",
                            i == 2 ? "list of revoked certificates" : "certificate in DER form",
                            t->keystore->folder, part[i].part, part[i].list->skipped);
}

/* ---- the verdict ------------------------------------------------------------------- */

/* The library's, then that on the chain; of a refusal the words. */
static UA_StatusCode judge(const struct keystore *k, const UA_CertificateVerification *cv,
                           const struct lists *l, const UA_ByteString *certificate,
                           char words[TRUST_WORDS])
{
    const struct chain_lists lists = {k, &l->trusted, &l->issuers, &l->crl};
    char why[CHAIN_WHY];
    UA_StatusCode bad = cv->verifyCertificate(cv, certificate);
    UA_StatusCode chain = chain_check(&lists, certificate, time(NULL), why);

    if (!bad && !chain) return UA_STATUSCODE_GOOD;
    if (!bad || bad == chain)
        snprintf(words, TRUST_WORDS, "%s", why);
    else
        trust_words(bad, certificate, (int)l->trusted.n, words);
    return bad ? bad : chain;
}

UA_StatusCode trust_check(const struct keystore *k, const UA_ByteString *certificate,
                          char words[TRUST_WORDS])
{
    UA_CertificateVerification cv;
    struct lists l;
    UA_StatusCode bad = lists_read(k, &l, &cv);

    if (bad)
        snprintf(words, TRUST_WORDS, "the lists cannot be read");
    else
        bad = judge(k, &cv, &l, certificate, words);
    if (cv.clear) cv.clear(&cv);
    lists_free(&l);
    return bad;
}

/* The list is read anew for every client: it is small, and connecting is rare. */
static UA_StatusCode verify(const UA_CertificateVerification *cv, const UA_ByteString *certificate)
{
    struct trust *t = cv->context;
    char name[KEYSTORE_NAME], words[TRUST_WORDS] = "the lists cannot be read";
    struct lists l;
    UA_StatusCode bad;

    if (t->list.clear) t->list.clear(&t->list);
    bad = lists_read(t->keystore, &l, &t->list);
    say_skipped(t, &l);
    if (!bad) bad = judge(t->keystore, &t->list, &l, certificate, words);
    lists_free(&l);
    if (!bad) return bad;
    keystore_name(certificate, name);
    audit_certificate(certificate, bad, words);
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

static int key_is_short(const UA_ByteString *certificate)
{
    struct certview v;
    return certview_read(certificate, &v) && v.key_bits && v.key_bits < CERTVIEW_KEY_LEAST;
}

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
    if (key_is_short(certificate)) bad = UA_STATUSCODE_BADCERTIFICATEPOLICYCHECKFAILED;
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
    struct lists l;
    UA_StatusCode bad;

    if (!t) return UA_STATUSCODE_BADOUTOFMEMORY;
    t->keystore = k;
    t->whose = whose;
    bad = lists_read(k, &l, &t->list);
    say_skipped(t, &l);
    lists_free(&l);
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
