#include "services/opcua/client/signin.h"

#include <stdio.h>
#include <string.h>

#include <open62541/client_config_default.h>
#include <open62541/plugin/pki_default.h>

#include "services/opcua/access/keystore.h"
#include "services/opcua/access/trust.h"

#define NONE "http://opcfoundation.org/UA/SecurityPolicy#None"
enum { CERTIFICATE_MOST = 1 << 16 };

/* From the weakest to the strongest. */
static const char *const POLICY[] = {"#Aes128_Sha256_RsaOaep", "#Basic256Sha256",
                                     "#Aes256_Sha256_RsaPss"};

static enum status refuse(const char *url, const char *why)
{
    fprintf(stderr, "trapeze: %s: %s\n", url, why);
    return STATUS_REFUSED;
}

/* ---- what the server offers -------------------------------------------------------- */

static int strength(const UA_EndpointDescription *e)
{
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(POLICY[i]);
        if (e->securityMode == UA_MESSAGESECURITYMODE_SIGNANDENCRYPT &&
            e->securityPolicyUri.length > n &&
            memcmp(e->securityPolicyUri.data + e->securityPolicyUri.length - n, POLICY[i], n) == 0)
            return i + 1;
    }
    return 0;
}

/* Without this the library looks for an endpoint it could log in to, even to ask which
 * there are. */
static void only_ask(struct remote *asker, const char *url)
{
    UA_ClientConfig *c = UA_Client_getConfig(asker->client);

    c->endpoint.endpointUrl = UA_STRING_ALLOC(url);
    c->endpoint.securityMode = UA_MESSAGESECURITYMODE_NONE;
    c->endpoint.securityPolicyUri = UA_STRING_ALLOC(NONE);
    c->userTokenPolicy.policyId = UA_STRING_ALLOC("none");
}

/* Copy the strongest endpoint; *secure = 0 where none has security. */
static UA_StatusCode look(const char *url, UA_EndpointDescription *best, int *secure)
{
    struct remote asker;
    UA_EndpointDescription *all = NULL;
    size_t n = 0, at = 0;
    UA_StatusCode bad = remote_create(&asker);

    *secure = 0;
    if (bad) return bad;
    only_ask(&asker, url);
    bad = UA_Client_getEndpoints(asker.client, url, &n, &all);
    for (size_t i = 0; i < n && !bad; i++)
        if (strength(&all[i]) > *secure) {
            *secure = strength(&all[i]);
            at = i;
        }
    if (!bad && *secure) bad = UA_EndpointDescription_copy(&all[at], best);
    UA_Array_delete(all, n, &UA_TYPES[UA_TYPES_ENDPOINTDESCRIPTION]);
    remote_close(&asker);
    return bad;
}

/* ---- the secure way ---------------------------------------------------------------- */

/* This machine's own server is believed without asking; others are looked up. */
static UA_StatusCode believe(struct keystore *k, const UA_ByteString *server,
                             UA_CertificateVerification *cv)
{
    UA_ByteString own;
    UA_StatusCode bad;
    int same = keystore_load(k->at, "own/certificate.der", CERTIFICATE_MOST, &own) &&
               UA_ByteString_equal(&own, server);

    if (same) {
        if (cv->clear) cv->clear(cv);
        bad = UA_CertificateVerification_Trustlist(cv, &own, 1, NULL, 0, NULL, 0);
    } else {
        bad = trust_install(cv, k, "server");
    }
    UA_ByteString_clear(&own);
    return bad ? bad : cv->verifyCertificate(cv, server);
}

static UA_StatusCode configure(struct remote *r, const struct keystore *k,
                               const UA_EndpointDescription *e, const struct signin *who)
{
    UA_ClientConfig *c = UA_Client_getConfig(r->client);
    UA_StatusCode bad = UA_ClientConfig_setDefaultEncryption(c, k->certificate, k->key, NULL, 0,
                                                             NULL, 0);
    const char *password = who->password ? who->password(who->self) : NULL;

    if (!password) return UA_STATUSCODE_BADIDENTITYTOKENINVALID;
    if (bad) return bad;
    remote_be_silent(c);
    UA_String_clear(&c->clientDescription.applicationUri);
    c->clientDescription.applicationUri = UA_STRING_ALLOC(KEYSTORE_CLIENT_URI);
    c->securityMode = UA_MESSAGESECURITYMODE_SIGNANDENCRYPT;
    UA_String_clear(&c->securityPolicyUri);
    bad = UA_String_copy(&e->securityPolicyUri, &c->securityPolicyUri);
    if (!bad) bad = UA_ClientConfig_setAuthenticationUsername(c, who->user, password);
    return bad;
}

/* What to do about a failed connection. */
static enum status explain(const char *url, UA_StatusCode bad, const struct keystore *k)
{
    char name[KEYSTORE_NAME];

    keystore_name(&k->certificate, name);
    switch (bad) {
    case UA_STATUSCODE_BADIDENTITYTOKENINVALID:
        return refuse(url, "no password: give it at the prompt, in TRAPEZE_PASSWORD or by "
                           "--password-file FILE");
    case UA_STATUSCODE_BADUSERACCESSDENIED:
    case UA_STATUSCODE_BADIDENTITYTOKENREJECTED:
        return refuse(url, "wrong name or password; after a wrong one the next try has to wait");
    case UA_STATUSCODE_BADSECURITYCHECKSFAILED:
    case UA_STATUSCODE_BADCERTIFICATEUNTRUSTED:
    case UA_STATUSCODE_BADCONNECTIONCLOSED:
        fprintf(stderr,
                "trapeze: %s: the server does not trust this client yet (certificate %.8s); on "
                "its machine, with its rights:\n"
                "    trapeze opcua cert trust LAST\n",
                url, name);
        return STATUS_REFUSED;
    default:
        return refuse(url, UA_StatusCode_name(bad));
    }
}

static enum status open_secure(struct remote *r, const char *url, const UA_EndpointDescription *e,
                               const struct signin *who)
{
    enum status s = STATUS_REFUSED;
    struct keystore k;
    UA_StatusCode bad;
    int made;

    if (!who->user)
        return refuse(url, "this rig wants to know who you are: --user NAME (trapeze opcua user "
                           "add NAME --role operator)");
    if (keystore_open(&k, NULL, KEYSTORE_CHANGE) != STATUS_OK) return STATUS_REFUSED;
    if (keystore_client(&k, &made) == STATUS_OK) {
        UA_CertificateVerification *cv;
        bad = remote_create(r);
        if (!bad) bad = configure(r, &k, e, who);
        cv = r->client ? &UA_Client_getConfig(r->client)->certificateVerification : NULL;
        if (!bad && believe(&k, &e->serverCertificate, cv)) {
            refuse(url, "its certificate is not known here; if it is the right one: trapeze opcua "
                        "cert trust LAST");
        } else {
            if (!bad) bad = remote_connect(r, url);
            s = bad ? explain(url, bad, &k) : STATUS_OK;
        }
    }
    if (s != STATUS_OK) remote_close(r);
    keystore_close(&k);
    return s;
}

/* ---- either way -------------------------------------------------------------------- */

enum status signin_open(struct remote *r, const char *url, const struct signin *who)
{
    UA_EndpointDescription best;
    UA_StatusCode bad;
    enum status s;
    int secure;

    *r = (struct remote){.client = NULL};
    UA_EndpointDescription_init(&best);
    bad = look(url, &best, &secure);
    if (bad) {
        fprintf(stderr, "trapeze: %s: no rig answers there (%s); is it running?\n", url,
                UA_StatusCode_name(bad));
        return STATUS_REFUSED;
    }
    if (secure)
        s = open_secure(r, url, &best, who);
    else if (who->user)
        s = refuse(url, "it offers no security, so no password goes there; leave --user away");
    else
        s = remote_open(r, url);
    UA_EndpointDescription_clear(&best);
    return s;
}
