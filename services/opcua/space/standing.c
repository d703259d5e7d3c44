#include "services/opcua/space/standing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "services/base/version.h"
#include "services/opcua/access/certview.h"
#include "services/opcua/server.h"
#include "services/opcua/space/space.h"

enum { LEVEL_GOOD = 255, URI = 256 };

static UA_NodeId ns0(UA_UInt32 id) { return UA_NODEID_NUMERIC(0, id); }

static UA_String borrow(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

/* ---- who it is ---------------------------------------------------------------------- */

/* Of this machine and rig; a certificate says it itself, and the two must be the same. */
static void find_uri(const struct server *s, char uri[URI])
{
    char host[64] = "localhost";
    struct certview v;

    gethostname(host, sizeof host - 1);
    snprintf(uri, URI, "urn:%s:trapeze:%.*s", host, SERVER_RIG_NAME, s->attach->rig->name);
    if (!s->settings->insecure && certview_read(&s->settings->keystore.certificate, &v) && v.uri[0])
        snprintf(uri, URI, "%s", v.uri);
}

UA_StatusCode standing_describe(struct server *s, UA_ServerConfig *c)
{
    UA_ApplicationDescription *d = &c->applicationDescription;
    const struct version v = version_read();
    char name[SERVER_RIG_NAME + 16], uri[URI];

    find_uri(s, uri);
    snprintf(name, sizeof name, "Trapeze %.*s", SERVER_RIG_NAME, s->attach->rig->name);
    UA_ApplicationDescription_clear(d);
    d->applicationUri = UA_STRING_ALLOC(uri);
    d->productUri = UA_STRING_ALLOC("urn:trapeze");
    d->applicationName = UA_LOCALIZEDTEXT_ALLOC("en", name);
    d->applicationType = UA_APPLICATIONTYPE_SERVER;
    UA_BuildInfo_clear(&c->buildInfo);
    c->buildInfo.productUri = UA_STRING_ALLOC("urn:trapeze");
    c->buildInfo.productName = UA_STRING_ALLOC("Trapeze");
    c->buildInfo.manufacturerName = UA_STRING_ALLOC("Trapeze");
    c->buildInfo.softwareVersion = UA_STRING_ALLOC(v.release);
    c->buildInfo.buildNumber = UA_STRING_ALLOC(v.sources);
    c->buildInfo.buildDate = UA_DATETIME_UNIX_EPOCH + v.date_s * UA_DATETIME_SEC;
    return UA_STATUSCODE_GOOD;
}

/* ---- what it can ---------------------------------------------------------------------- */

/* The library leaves some of the standard's properties out: they are added. */
static UA_StatusCode write_number(struct server *s, UA_UInt32 id, const char *name,
                                  UA_UInt32 number)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_StatusCode bad;

    UA_Variant_setScalar(&a.value, &number, &UA_TYPES[UA_TYPES_UINT32]);
    bad = UA_Server_writeValue(s->ua, ns0(id), a.value);
    if (bad != UA_STATUSCODE_BADNODEIDUNKNOWN) return bad;
    a.displayName.text = borrow(name);
    a.dataType = UA_TYPES[UA_TYPES_UINT32].typeId;
    a.valueRank = UA_VALUERANK_SCALAR;
    return UA_Server_addVariableNode(s->ua, ns0(id), ns0(UA_NS0ID_SERVER_SERVERCAPABILITIES),
                                     ns0(UA_NS0ID_HASPROPERTY), (UA_QualifiedName){0, borrow(name)},
                                     ns0(UA_NS0ID_PROPERTYTYPE), a, NULL, NULL);
}

static UA_StatusCode fill_limits(struct server *s)
{
    const UA_ServerConfig *c = UA_Server_getConfig(s->ua);
    const struct {
        UA_UInt32 id;
        const char *name;
        UA_UInt32 number;
    } LIMIT[] = {
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXSESSIONS, "MaxSessions", SESSIONS_MOST},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXSUBSCRIPTIONS, "MaxSubscriptions",
         c->maxSubscriptions},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXMONITOREDITEMS, "MaxMonitoredItems",
         c->maxMonitoredItems},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXSUBSCRIPTIONSPERSESSION,
         "MaxSubscriptionsPerSession", c->maxSubscriptionsPerSession},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXMONITOREDITEMSPERSUBSCRIPTION,
         "MaxMonitoredItemsPerSubscription", c->maxMonitoredItemsPerSubscription},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXARRAYLENGTH, "MaxArrayLength", c->tcpMaxMsgSize},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXSTRINGLENGTH, "MaxStringLength", c->tcpMaxMsgSize},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_MAXBYTESTRINGLENGTH, "MaxByteStringLength",
         c->tcpMaxMsgSize},
    };
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    for (size_t i = 0; i < sizeof LIMIT / sizeof LIMIT[0] && !bad; i++)
        bad = write_number(s, LIMIT[i].id, LIMIT[i].name, LIMIT[i].number);
    return bad;
}

/* What holds in full; nodes cannot be managed, users have no certificates. */
static UA_StatusCode read_profiles(UA_Server *ua, const UA_NodeId *session, void *session_context,
                                   const UA_NodeId *node, void *node_context,
                                   UA_Boolean source_time, const UA_NumericRange *range,
                                   UA_DataValue *value)
{
    static const char *const PROFILE[] = {
        "http://opcfoundation.org/UA-Profile/Server/EmbeddedUA2017",
        "http://opcfoundation.org/UA-Profile/Server/EnhancedDataChangeSubscription2017",
        "http://opcfoundation.org/UA-Profile/Server/StandardEventSubscription",
        "http://opcfoundation.org/UA-Profile/Server/Methods",
        "http://opcfoundation.org/UA-Profile/Server/DataAccess",
    };
    enum { N = sizeof PROFILE / sizeof PROFILE[0] };
    UA_String text[N];
    UA_Variant all;

    (void)ua, (void)session, (void)session_context, (void)node, (void)node_context;
    (void)source_time;
    for (int i = 0; i < N; i++) text[i] = borrow(PROFILE[i]);
    UA_Variant_setArray(&all, text, N, &UA_TYPES[UA_TYPES_STRING]);
    value->hasValue = true;
    return range ? UA_Variant_copyRange(&all, &value->value, *range)
                 : UA_Variant_copy(&all, &value->value);
}

static UA_StatusCode read_auditing(UA_Server *ua, const UA_NodeId *session, void *session_context,
                                   const UA_NodeId *node, void *node_context,
                                   UA_Boolean source_time, const UA_NumericRange *range,
                                   UA_DataValue *value)
{
    UA_Boolean on = true;

    (void)ua, (void)session, (void)session_context, (void)node, (void)node_context;
    (void)source_time;
    if (range) return UA_STATUSCODE_BADINDEXRANGEINVALID;
    value->hasValue = true;
    return UA_Variant_setScalarCopy(&value->value, &on, &UA_TYPES[UA_TYPES_BOOLEAN]);
}

/* 0 without a step that ticks: a client with a second server turns there (Part 4, 6.6.2). */
static UA_StatusCode read_level(UA_Server *ua, const UA_NodeId *session, void *session_context,
                                const UA_NodeId *node, void *node_context, UA_Boolean source_time,
                                const UA_NumericRange *range, UA_DataValue *value)
{
    struct server *s = server_of(ua);
    UA_Byte level = s->serving && request_scope_now(s)->presence == UA_STATUSCODE_GOOD ? LEVEL_GOOD
                                                                                       : 0;

    (void)session, (void)session_context, (void)node, (void)node_context;
    if (range) return UA_STATUSCODE_BADINDEXRANGEINVALID;
    if (source_time) {
        value->hasSourceTimestamp = true;
        value->sourceTimestamp = UA_DateTime_now();
    }
    value->hasValue = true;
    return UA_Variant_setScalarCopy(&value->value, &level, &UA_TYPES[UA_TYPES_BYTE]);
}

/* ---- our namespace ------------------------------------------------------------------ */

static UA_StatusCode set_property(struct server *s, UA_NodeId node, const char *name,
                                  const void *value, size_t n, int type)
{
    UA_QualifiedName q = {0, borrow(name)};
    UA_Variant v;

    if (n)
        UA_Variant_setArray(&v, (void *)(uintptr_t)value, n, &UA_TYPES[type]);
    else
        UA_Variant_setScalar(&v, (void *)(uintptr_t)value, &UA_TYPES[type]);
    return UA_Server_writeObjectProperty(s->ua, node, q, v);
}

/* All our ids are texts that stay from run to run. */
static UA_StatusCode add_metadata(struct server *s)
{
    UA_ObjectAttributes a = UA_ObjectAttributes_default;
    UA_NodeId node = space_id(s, "namespace");
    UA_String uri = UA_STRING_STATIC(SERVER_NAMESPACE), release = borrow(VERSION_RELEASE),
              pattern = UA_STRING_STATIC("*");
    UA_DateTime date = UA_DATETIME_UNIX_EPOCH + version_read().date_s * UA_DATETIME_SEC;
    UA_Boolean subset = false;
    UA_IdType texts = UA_IDTYPE_STRING;
    UA_StatusCode bad;

    a.displayName.text = uri;
    a.description.text = borrow("the namespace of rigs");
    bad = UA_Server_addObjectNode(s->ua, node, ns0(UA_NS0ID_SERVER_NAMESPACES),
                                  ns0(UA_NS0ID_HASCOMPONENT), (UA_QualifiedName){s->ns, uri},
                                  ns0(UA_NS0ID_NAMESPACEMETADATATYPE), a, NULL, NULL);
    if (!bad) bad = set_property(s, node, "NamespaceUri", &uri, 0, UA_TYPES_STRING);
    if (!bad) bad = set_property(s, node, "NamespaceVersion", &release, 0, UA_TYPES_STRING);
    if (!bad) bad = set_property(s, node, "NamespacePublicationDate", &date, 0, UA_TYPES_DATETIME);
    if (!bad) bad = set_property(s, node, "IsNamespaceSubset", &subset, 0, UA_TYPES_BOOLEAN);
    if (!bad) bad = set_property(s, node, "StaticNodeIdTypes", &texts, 1, UA_TYPES_IDTYPE);
    if (!bad)
        bad = set_property(s, node, "StaticStringNodeIdPattern", &pattern, 0, UA_TYPES_STRING);
    UA_NodeId_clear(&node);
    return bad;
}

/* The Server tells what the rig tells; the rig's type says what that may be. */
static UA_StatusCode add_notifiers(struct server *s)
{
    static const char *const EVENT[] = {"type:rig-event", "type:rig-audit"};
    UA_NodeId rig = space_id(s, "rig"), type = space_id(s, "type:rig");
    UA_ExpandedNodeId to = {.nodeId = rig};
    UA_StatusCode bad = UA_Server_addReference(s->ua, ns0(UA_NS0ID_SERVER),
                                               ns0(UA_NS0ID_HASNOTIFIER), to, true);

    for (int i = 0; i < 2 && !bad; i++) {
        UA_ExpandedNodeId event = {.nodeId = space_id(s, "%s", EVENT[i])};
        bad = UA_Server_addReference(s->ua, type, ns0(UA_NS0ID_GENERATESEVENT), event, true);
        UA_NodeId_clear(&event.nodeId);
    }
    UA_NodeId_clear(&rig);
    UA_NodeId_clear(&type);
    return bad;
}

UA_StatusCode standing_fill(struct server *s)
{
    static const struct {
        UA_UInt32 id;
        UA_DataSource source;
    } SOURCE[] = {
        {UA_NS0ID_SERVER_SERVICELEVEL, {read_level, NULL}},
        {UA_NS0ID_SERVER_AUDITING, {read_auditing, NULL}},
        {UA_NS0ID_SERVER_SERVERCAPABILITIES_SERVERPROFILEARRAY, {read_profiles, NULL}},
    };
    UA_StatusCode bad = fill_limits(s);

    for (size_t i = 0; i < sizeof SOURCE / sizeof SOURCE[0] && !bad; i++)
        bad = UA_Server_setVariableNode_dataSource(s->ua, ns0(SOURCE[i].id), SOURCE[i].source);
    if (!bad) bad = add_metadata(s);
    return bad ? bad : add_notifiers(s);
}
