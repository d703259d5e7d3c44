/* What opcua.c holds our server against: bare PORT N serves N variables named like our
 * sensors, each of which returns a counter, with open62541's own configuration and the
 * intervals a subscription at 1 ms needs, until a signal ends it. */
#include <stdio.h>
#include <stdlib.h>

#include <open62541/server.h>
#include <open62541/server_config_default.h>

static UA_Double counter;

static UA_StatusCode read_counter(UA_Server *ua, const UA_NodeId *session, void *session_context,
                                  const UA_NodeId *node, void *node_context, UA_Boolean source_time,
                                  const UA_NumericRange *range, UA_DataValue *value)
{
    (void)ua, (void)session, (void)session_context, (void)node, (void)node_context;
    (void)source_time, (void)range;
    counter++;
    value->hasValue = true;
    return UA_Variant_setScalarCopy(&value->value, &counter, &UA_TYPES[UA_TYPES_DOUBLE]);
}

static UA_StatusCode add_variable(UA_Server *ua, UA_UInt16 ns, int i)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_DataSource source = {read_counter, NULL};
    UA_StatusCode bad;
    UA_NodeId id;
    char name[32];

    snprintf(name, sizeof name, "sensor:clock-%d.value", i);
    id = UA_NODEID_STRING_ALLOC(ns, name);
    a.dataType = UA_TYPES[UA_TYPES_DOUBLE].typeId;
    a.valueRank = UA_VALUERANK_SCALAR;
    a.minimumSamplingInterval = 1;
    bad = UA_Server_addDataSourceVariableNode(
        ua, id, UA_NODEID_NUMERIC(0, UA_NS0ID_OBJECTSFOLDER),
        UA_NODEID_NUMERIC(0, UA_NS0ID_ORGANIZES), UA_QUALIFIEDNAME(ns, name),
        UA_NODEID_NUMERIC(0, UA_NS0ID_BASEDATAVARIABLETYPE), a, source, NULL, NULL);
    UA_NodeId_clear(&id);
    return bad;
}

static void silent(void *context, UA_LogLevel level, UA_LogCategory category, const char *format,
                   va_list list)
{
    (void)context, (void)level, (void)category, (void)format, (void)list;
}

static UA_Logger quiet = {.log = silent};

int main(int argc, char **argv)
{
    UA_ServerConfig c = {.logging = &quiet};
    UA_StatusCode bad;
    UA_Server *ua;
    UA_UInt16 ns;

    if (argc != 3) return 2;
    bad = UA_ServerConfig_setMinimal(&c, (UA_UInt16)atoi(argv[1]), NULL);
    c.publishingIntervalLimits.min = 1;
    c.samplingIntervalLimits.min = 1;
    ua = bad ? NULL : UA_Server_newWithConfig(&c);
    if (!ua) return 1;
    ns = UA_Server_addNamespace(ua, "urn:trapeze:opcua:v1");
    for (int i = 1; i <= atoi(argv[2]) && !bad; i++) bad = add_variable(ua, ns, i);
    if (!bad) bad = UA_Server_run_startup(ua);
    if (bad) {
        fprintf(stderr, "bare: %s\n", UA_StatusCode_name(bad));
        return 1;
    }
    for (;;) UA_Server_run_iterate(ua, true);
}
