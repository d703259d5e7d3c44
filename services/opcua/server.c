#include "services/opcua/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <open62541/server_config_default.h>

#include "services/opcua/access/trust.h"
#include "services/opcua/act/arguments.h"
#include "services/opcua/lane/handover.h"
#include "services/opcua/loop/library_log.h"
#include "services/opcua/space/rigspace.h"
#include "services/opcua/space/standing.h"

static const UA_String NONE_URI = UA_STRING_STATIC(
    "http://opcfoundation.org/UA/SecurityPolicy#None");
enum { BEAT_MS = 50 };

struct server *server_of(UA_Server *ua) { return UA_Server_getConfig(ua)->context; }

/* ---- configuration ----------------------------------------------------------------- */

/* Everything a client can ask for has a bound, also before it has logged in. */
static void set_limits(UA_ServerConfig *c)
{
    c->tcpBufSize = 1 << 16;
    c->tcpMaxMsgSize = 1 << 21;
    c->tcpMaxChunks = 64;
    c->maxSecureChannels = 64;
    c->maxSecurityTokenLifetime = 3600000;
    c->maxSessionTimeout = 600000;
    c->maxNodesPerRead = 10000;
    c->maxNodesPerWrite = 10000;
    c->maxNodesPerMethodCall = 100;
    c->maxNodesPerBrowse = 1000;
    c->maxNodesPerRegisterNodes = 10000;
    c->maxNodesPerTranslateBrowsePathsToNodeIds = 1000;
    c->maxNodesPerNodeManagement = 1;
    c->maxMonitoredItemsPerCall = 10000;
    c->maxReferencesPerNode = 10000;
    c->maxSubscriptions = 128;
    c->maxSubscriptionsPerSession = 16;
    c->maxMonitoredItemsPerSubscription = 10000;
    c->maxPublishReqPerSession = 64;
    c->maxNotificationsPerPublish = 20000;
    c->enableRetransmissionQueue = true;
    c->maxRetransmissionQueueSize = 64;
    c->maxEventsPerNode = 1000;
    c->publishingIntervalLimits = (UA_DurationRange){1.0, 60000.0};
    c->samplingIntervalLimits = (UA_DurationRange){1.0, 3600000.0};
    c->keepAliveCountLimits = (UA_UInt32Range){1, 10000};
    c->lifeTimeCountLimits = (UA_UInt32Range){3, 60000};
}

static UA_StatusCode set_address(const struct server *s, UA_ServerConfig *c)
{
    char url[SETTINGS_ADDRESS + 32];

    UA_Array_delete(c->serverUrls, c->serverUrlsSize, &UA_TYPES[UA_TYPES_STRING]);
    c->serverUrls = UA_Array_new(1, &UA_TYPES[UA_TYPES_STRING]);
    c->serverUrlsSize = c->serverUrls ? 1 : 0;
    if (!c->serverUrls) return UA_STATUSCODE_BADOUTOFMEMORY;
    snprintf(url, sizeof url, "opc.tcp://%s:%d", s->settings->address, s->settings->port);
    c->serverUrls[0] = UA_STRING_ALLOC(url);
    return UA_STATUSCODE_GOOD;
}

/* Three policies, each signed and signed and encrypted; None only to find them. */
static UA_StatusCode set_secure(struct server *s, UA_ServerConfig *c)
{
    const struct keystore *k = &s->settings->keystore;
    UA_StatusCode bad = trust_install(&c->secureChannelPKI, k, "client");

    if (!bad) bad = trust_install(&c->sessionPKI, k, "client");
    if (!bad) bad = UA_ServerConfig_addSecurityPolicyBasic256Sha256(c, &k->certificate, &k->key);
    if (!bad)
        bad = UA_ServerConfig_addSecurityPolicyAes128Sha256RsaOaep(c, &k->certificate, &k->key);
    if (!bad)
        bad = UA_ServerConfig_addSecurityPolicyAes256Sha256RsaPss(c, &k->certificate, &k->key);
    c->securityPolicyNoneDiscoveryOnly = true;
    if (!bad) trust_watch_policies(c);
    for (size_t i = 1; i < c->securityPoliciesSize && !bad; i++) {
        UA_String uri = c->securityPolicies[i].policyUri;
        bad = UA_ServerConfig_addEndpoint(c, uri, UA_MESSAGESECURITYMODE_SIGN);
        if (!bad) bad = UA_ServerConfig_addEndpoint(c, uri, UA_MESSAGESECURITYMODE_SIGNANDENCRYPT);
    }
    return bad;
}

static UA_StatusCode set_security(struct server *s, UA_ServerConfig *c)
{
    UA_StatusCode bad = rights_install(s, c);
    const UA_ByteString *certificate = s->settings->insecure ? NULL
                                                             : &s->settings->keystore.certificate;
    UA_ByteString own = certificate ? *certificate : UA_BYTESTRING_NULL;

    if (!bad) bad = UA_ServerConfig_addSecurityPolicyNone(c, certificate ? &own : NULL);
    if (bad) return bad;
    if (!s->settings->insecure) return set_secure(s, c);
    return UA_ServerConfig_addEndpoint(c, NONE_URI, UA_MESSAGESECURITYMODE_NONE);
}

static UA_StatusCode configure(struct server *s, UA_ServerConfig *c)
{
    UA_StatusCode bad;

    c->logging = library_log_logger();
    bad = UA_ServerConfig_setBasics_withPort(c, (UA_UInt16)s->settings->port);
    c->context = s;
    c->allowEmptyVariables = UA_RULEHANDLING_ACCEPT;
    c->historizingEnabled = false;
    set_limits(c);
    calls_install(s, c);
    sessions_install(s, c);
    queue_limit_install(c);
    if (!bad) bad = standing_describe(s, c);
    if (!bad) bad = set_address(s, c);
    if (!bad) bad = set_security(s, c);
    if (!bad) bad = request_scope_install(s, c->eventLoop);
    return bad;
}

/* ---- life -------------------------------------------------------------------------- */

/* Keeps the loop from sleeping longer than a beat; tells late answers and what happened,
 * and finds the steps that used what was commanded last. */
static void beat(UA_Server *ua, void *data)
{
    (void)data;
    handover_watch(server_of(ua));
    sessions_beat(server_of(ua));
    queue_limit_beat(server_of(ua));
    events_tell(server_of(ua));
    audit_tell(server_of(ua));
    command_latency_look(server_of(ua));
    withdraw_look(server_of(ua));
}

static UA_StatusCode build(struct server *s)
{
    UA_ServerConfig c;
    UA_StatusCode bad;

    memset(&c, 0, sizeof c);
    bad = writes_init(s);
    if (!bad) bad = command_latency_init(s);
    if (!bad) bad = configure(s, &c);
    if (bad) {
        UA_ServerConfig_clean(&c);
        return bad;
    }
    s->ua = UA_Server_newWithConfig(&c);
    if (!s->ua) return UA_STATUSCODE_BADOUTOFMEMORY;
    bad = UA_Server_addRepeatedCallback(s->ua, beat, NULL, BEAT_MS, NULL);
    if (!bad) bad = arguments_guard(s->ua);
    if (!bad) bad = rigspace_fill(s);
    if (!bad) bad = events_init(s);
    if (!bad) bad = standing_fill(s);
    audit_init(s);
    s->serving = !bad;
    return bad;
}

struct server *server_create(struct attach *a, struct settings *settings)
{
    struct server *s = calloc(1, sizeof *s);
    UA_StatusCode bad;

    if (!s) return NULL;
    s->attach = a;
    s->settings = settings;
    bad = build(s);
    if (!bad) return s;
    fprintf(stderr, "trapeze: opcua: the server cannot be built: %s\n", UA_StatusCode_name(bad));
    server_destroy(s);
    return NULL;
}

void server_destroy(struct server *s)
{
    if (!s) return;
    if (s->ua) UA_Server_delete(s->ua);
    audit_free(s);
    calls_free(s);
    sessions_free(s);
    request_scope_remove(s);
    writes_free(s);
    command_latency_free(s);
    free(s->item);
    free(s);
}

void server_turn(struct server *s) { UA_Server_run_iterate(s->ua, true); }

int server_run(struct server *s)
{
    UA_StatusCode bad = UA_Server_run_startup(s->ua);
    char url[120];

    if (bad) {
        fprintf(stderr, "trapeze: opcua: the server cannot start: %s\n", UA_StatusCode_name(bad));
        return 1;
    }
    snprintf(url, sizeof url, "opc.tcp://%s:%d", s->settings->address, s->settings->port);
    port_say(&s->attach->port, url);
    while (!attach_should_stop(s->attach)) server_turn(s);
    UA_Server_run_shutdown(s->ua);
    return 0;
}
