#include "tests/service/pubsub_peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <open62541/plugin/log_stdout.h>
#include <open62541/plugin/securitypolicy_default.h>
#include <open62541/server_config_default.h>
#include <open62541/server_pubsub.h>

#define UDP_PROFILE "http://opcfoundation.org/UA-Profile/Transport/pubsub-udp-uadp"
#define TRY(call)                                                                       \
    do {                                                                                \
        UA_StatusCode bad_ = (call);                                                    \
        if (bad_) fprintf(stderr, "%s: %s\n", #call, UA_StatusCode_name(bad_)), _exit(2); \
    } while (0)

void *pubsub_peer_share(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void pubsub_peer_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void nap_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};
    nanosleep(&t, NULL);
}

static UA_String words(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

static UA_NodeId node(const char *name)
{
    return (UA_NodeId){.namespaceIndex = 1,
                       .identifierType = UA_NODEIDTYPE_STRING,
                       .identifier.string = words(name)};
}

/* A server without a door of its own. */
static UA_Server *new_server(void)
{
    static UA_Logger quiet;
    UA_ServerConfig c;
    UA_Server *s;

    quiet = UA_Log_Stdout_withLevel(UA_LOGLEVEL_FATAL);
    memset(&c, 0, sizeof c);
    c.logging = &quiet;
    TRY(UA_ServerConfig_setDefault(&c));
    c.tcpEnabled = false;
    s = UA_Server_newWithConfig(&c);
    if (!s) _exit(2);
    return s;
}

static UA_NodeId connect_to(UA_Server *s, int port, int publisher)
{
    UA_PubSubConnectionConfig c;
    UA_NetworkAddressUrlDataType url = {UA_STRING_NULL, UA_STRING_NULL};
    UA_NodeId id;
    char text[64];

    snprintf(text, sizeof text, "opc.udp://127.0.0.1:%d/", port);
    url.url = UA_STRING(text);
    memset(&c, 0, sizeof c);
    c.name = words("lane");
    c.enabled = true;
    c.transportProfileUri = words(UDP_PROFILE);
    UA_Variant_setScalar(&c.address, &url, &UA_TYPES[UA_TYPES_NETWORKADDRESSURLDATATYPE]);
    c.publisherIdType = UA_PUBLISHERIDTYPE_UINT16;
    c.publisherId.uint16 = (UA_UInt16)publisher;
    TRY(UA_Server_addPubSubConnection(s, &c, &id));
    return id;
}

static UA_NodeId add_variable(UA_Server *s, const char *name, UA_UInt32 type)
{
    UA_VariableAttributes a = UA_VariableAttributes_default;
    UA_NodeId id;

    a.accessLevel = UA_ACCESSLEVELMASK_READ | UA_ACCESSLEVELMASK_WRITE;
    a.dataType = UA_TYPES[type].typeId;
    TRY(UA_Server_addVariableNode(
        s, node(name), UA_NODEID_NUMERIC(0, UA_NS0ID_OBJECTSFOLDER),
        UA_NODEID_NUMERIC(0, UA_NS0ID_HASCOMPONENT), (UA_QualifiedName){1, words(name)},
        UA_NODEID_NUMERIC(0, UA_NS0ID_BASEDATAVARIABLETYPE), a, NULL, &id));
    return id;
}

/* ---- the subscriber ----------------------------------------------------------------- */

static const UA_UInt32 HEAD_TYPE[PUBSUB_PEER_HEAD] = {
    UA_TYPES_UINT64, UA_TYPES_DOUBLE, UA_TYPES_INT32, UA_TYPES_STATUSCODE, UA_TYPES_UINT64};

/* Target variables are written field by field in the order of the data set. */
struct target {
    struct pubsub_peer_log *log;
    struct pubsub_peer_set *now;
    int field, last;
};

static void keep(const struct target *t, const UA_DataValue *v)
{
    struct pubsub_peer_set *set = t->now;
    const void *d = v->hasValue ? v->value.data : NULL;

    if (t->field >= PUBSUB_PEER_HEAD)
        set->status[t->field - PUBSUB_PEER_HEAD] = v->hasStatus ? v->status : 0;
    if (!d) return;
    switch (t->field) {
    case 0:
        set->step = *(const UA_UInt64 *)d;
        break;
    case 1:
        set->time = *(const UA_Double *)d;
        break;
    case 2:
        set->state = *(const UA_Int32 *)d;
        break;
    case 3:
        set->quality = *(const UA_StatusCode *)d;
        break;
    case 4:
        set->command = *(const UA_UInt64 *)d;
        break;
    default:
        set->channel[t->field - PUBSUB_PEER_HEAD] = *(const UA_Double *)d;
    }
}

static void on_field(UA_Server *s, const UA_NodeId *session, void *session_context,
                     const UA_NodeId *node, void *context, const UA_NumericRange *range,
                     const UA_DataValue *v)
{
    const struct target *t = context;
    struct pubsub_peer_log *log = t->log;

    (void)s, (void)session, (void)session_context, (void)node, (void)range;
    keep(t, v);
    if (t->field != t->last || log->n >= PUBSUB_PEER_MOST) return;
    log->set[log->n] = *t->now;
    log->n++;
}

static void describe_fields(UA_Server *s, UA_DataSetReaderConfig *c, struct pubsub_peer_log *log,
                            const struct pubsub_peer_from *from)
{
    static struct pubsub_peer_set now;
    size_t n = (size_t)(PUBSUB_PEER_HEAD + from->n_channels);
    UA_FieldMetaData *field = UA_Array_new(n, &UA_TYPES[UA_TYPES_FIELDMETADATA]);
    UA_FieldTargetVariable *target = calloc(n, sizeof *target);
    UA_ValueCallback callback = {.onWrite = on_field};

    for (size_t i = 0; i < n; i++) {
        UA_UInt32 type = i < PUBSUB_PEER_HEAD ? HEAD_TYPE[i] : UA_TYPES_DOUBLE;
        struct target *t = malloc(sizeof *t);
        char name[32];
        UA_NodeId id;
        snprintf(name, sizeof name, "f%zu", i);
        *t = (struct target){log, &now, (int)i, (int)n - 1};
        field[i].name = UA_STRING_ALLOC(name);
        field[i].dataType = UA_TYPES[type].typeId;
        field[i].builtInType = (UA_Byte)(UA_TYPES[type].typeKind + 1);
        field[i].valueRank = -1;
        id = add_variable(s, name, type);
        TRY(UA_Server_setNodeContext(s, id, t));
        TRY(UA_Server_setVariableNode_valueCallback(s, id, callback));
        target[i].targetVariable.attributeId = UA_ATTRIBUTEID_VALUE;
        target[i].targetVariable.targetNodeId = id;
    }
    c->dataSetMetaData.fields = field;
    c->dataSetMetaData.fieldsSize = n;
    c->subscribedDataSet.subscribedDataSetTarget.targetVariables = target;
    c->subscribedDataSet.subscribedDataSetTarget.targetVariablesSize = n;
}

static UA_NodeId add_reader_group(UA_Server *s, UA_NodeId connection, const uint8_t *key)
{
    static UA_PubSubSecurityPolicy policy;
    UA_ReaderGroupConfig c;
    UA_NodeId id;

    memset(&c, 0, sizeof c);
    c.name = words("readers");
    if (key) {
        TRY(UA_PubSubSecurityPolicy_Aes256Ctr(&policy, UA_Server_getConfig(s)->logging));
        c.securityMode = UA_MESSAGESECURITYMODE_SIGN;
        c.securityPolicy = &policy;
    }
    TRY(UA_Server_addReaderGroup(s, connection, &c, &id));
    if (key) {
        uint8_t other[32] = {0};
        UA_ByteString signing = {32, (UA_Byte *)(uintptr_t)key}, encrypting = {32, other};
        UA_ByteString nonce = {4, other};
        TRY(UA_Server_setReaderGroupEncryptionKeys(s, id, 1, signing, encrypting, nonce));
    }
    return id;
}

static void subscribe(struct pubsub_peer_log *log, const struct pubsub_peer_from *from)
{
    UA_Server *s = new_server();
    UA_NodeId connection = connect_to(s, from->port, 900);
    UA_NodeId group = add_reader_group(s, connection, from->key), reader;
    UA_DataSetReaderConfig c;
    UA_UInt16 publisher = 1;

    memset(&c, 0, sizeof c);
    c.name = words("reader");
    UA_Variant_setScalar(&c.publisherId, &publisher, &UA_TYPES[UA_TYPES_UINT16]);
    c.writerGroupId = 1;
    c.dataSetWriterId = 1;
    describe_fields(s, &c, log, from);
    TRY(UA_Server_addDataSetReader(s, group, &c, &reader));
    TRY(UA_Server_run_startup(s));
    TRY(UA_Server_setReaderGroupOperational(s, group));
    log->ready = 1;
    for (;;) UA_Server_run_iterate(s, true);
}

pid_t pubsub_peer_subscribe(struct pubsub_peer_log *log, const struct pubsub_peer_from *from)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        subscribe(log, from);
    }
    for (int i = 0; i < 5000 && !log->ready; i++) nap_us(1000);
    return pid;
}

/* ---- the publisher ------------------------------------------------------------------ */

static void add_field(UA_Server *s, UA_NodeId set, const char *name, UA_UInt32 type)
{
    UA_DataSetFieldConfig f;
    UA_NodeId node = add_variable(s, name, type);

    memset(&f, 0, sizeof f);
    f.dataSetFieldType = UA_PUBSUB_DATASETFIELD_VARIABLE;
    f.field.variable.fieldNameAlias = words(name);
    f.field.variable.publishParameters.publishedVariable = node;
    f.field.variable.publishParameters.attributeId = UA_ATTRIBUTEID_VALUE;
    TRY(UA_Server_addDataSetField(s, set, &f, NULL).result);
}

static UA_NodeId add_set(UA_Server *s, int n_actuators)
{
    UA_PublishedDataSetConfig c;
    UA_NodeId id;

    memset(&c, 0, sizeof c);
    c.publishedDataSetType = UA_PUBSUB_DATASET_PUBLISHEDITEMS;
    c.name = words("commands");
    TRY(UA_Server_addPublishedDataSet(s, &c, &id).addResult);
    add_field(s, id, "epoch", UA_TYPES_UINT64);
    add_field(s, id, "counter", UA_TYPES_UINT64);
    for (int i = 0; i < n_actuators; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        add_field(s, id, name, UA_TYPES_DOUBLE);
    }
    return id;
}

static UA_StatusCode never(UA_Server *s, UA_NodeId id, UA_ServerCallback callback, void *data,
                           UA_Double interval, UA_DateTime *base, UA_TimerPolicy policy,
                           UA_UInt64 *callback_id)
{
    (void)s, (void)id, (void)callback, (void)data, (void)interval, (void)base, (void)policy;
    *callback_id = 1;
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode no_change(UA_Server *s, UA_NodeId id, UA_UInt64 callback_id,
                               UA_Double interval, UA_DateTime *base, UA_TimerPolicy policy)
{
    (void)s, (void)id, (void)callback_id, (void)interval, (void)base, (void)policy;
    return UA_STATUSCODE_GOOD;
}

static void no_remove(UA_Server *s, UA_NodeId id, UA_UInt64 callback_id)
{
    (void)s, (void)id, (void)callback_id;
}

static UA_NodeId add_writer_group(UA_Server *s, UA_NodeId connection)
{
    UA_UadpWriterGroupMessageDataType message = {
        .networkMessageContentMask = UA_UADPNETWORKMESSAGECONTENTMASK_PUBLISHERID |
                                     UA_UADPNETWORKMESSAGECONTENTMASK_GROUPHEADER |
                                     UA_UADPNETWORKMESSAGECONTENTMASK_WRITERGROUPID |
                                     UA_UADPNETWORKMESSAGECONTENTMASK_SEQUENCENUMBER |
                                     UA_UADPNETWORKMESSAGECONTENTMASK_TIMESTAMP |
                                     UA_UADPNETWORKMESSAGECONTENTMASK_PAYLOADHEADER};
    UA_WriterGroupConfig c;
    UA_NodeId id;

    memset(&c, 0, sizeof c);
    c.name = words("writers");
    c.enabled = true;
    c.publishingInterval = 1000;
    c.writerGroupId = 2;
    c.encodingMimeType = UA_PUBSUB_ENCODING_UADP;
    c.maxEncapsulatedDataSetMessageCount = 1;
    c.pubsubManagerCallback = (UA_PubSub_CallbackLifecycle){never, no_change, no_remove};
    c.messageSettings.encoding = UA_EXTENSIONOBJECT_DECODED;
    c.messageSettings.content.decoded.type = &UA_TYPES[UA_TYPES_UADPWRITERGROUPMESSAGEDATATYPE];
    c.messageSettings.content.decoded.data = &message;
    TRY(UA_Server_addWriterGroup(s, connection, &c, &id));
    return id;
}

static void add_writer(UA_Server *s, UA_NodeId group, UA_NodeId set, int raw)
{
    UA_UadpDataSetWriterMessageDataType message = {
        .dataSetMessageContentMask = UA_UADPDATASETMESSAGECONTENTMASK_SEQUENCENUMBER |
                                     UA_UADPDATASETMESSAGECONTENTMASK_TIMESTAMP};
    UA_DataSetWriterConfig c;
    UA_NodeId id;

    memset(&c, 0, sizeof c);
    c.name = words("writer");
    c.dataSetWriterId = 2;
    c.keyFrameCount = 0;
    if (raw) c.dataSetFieldContentMask = UA_DATASETFIELDCONTENTMASK_RAWDATA;
    c.messageSettings.encoding = UA_EXTENSIONOBJECT_DECODED;
    c.messageSettings.content.decoded.type = &UA_TYPES[UA_TYPES_UADPDATASETWRITERMESSAGEDATATYPE];
    c.messageSettings.content.decoded.data = &message;
    TRY(UA_Server_addDataSetWriter(s, group, set, &c, &id));
}

static void set_value(UA_Server *s, const char *name, void *value, UA_UInt32 type)
{
    UA_Variant v;

    UA_Variant_setScalar(&v, value, &UA_TYPES[type]);
    TRY(UA_Server_writeValue(s, node(name), v));
}

static void set_values(UA_Server *s, struct pubsub_peer_order *order, int n_actuators)
{
    set_value(s, "epoch", &order->epoch, UA_TYPES_UINT64);
    set_value(s, "counter", &order->counter, UA_TYPES_UINT64);
    for (int i = 0; i < n_actuators; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        set_value(s, name, &order->value[i], UA_TYPES_DOUBLE);
    }
}

static void publish(struct pubsub_peer_order *order, int port, int n_actuators, int raw)
{
    UA_Server *s = new_server();
    UA_NodeId connection = connect_to(s, port, 2), set = add_set(s, n_actuators);
    UA_NodeId group = add_writer_group(s, connection);

    set_values(s, order, n_actuators);
    add_writer(s, group, set, raw);
    TRY(UA_Server_run_startup(s));
    TRY(UA_Server_setWriterGroupOperational(s, group));
    for (int i = 0; i < 10; i++) UA_Server_run_iterate(s, false);
    order->ready = 1;
    for (;;) {
        while (order->done == order->wanted) nap_us(50);
        set_values(s, order, n_actuators);
        TRY(UA_Server_WriterGroup_publish(s, group));
        order->done++;
    }
}

pid_t pubsub_peer_publish(struct pubsub_peer_order *order, int port, int n_actuators, int raw)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        publish(order, port, n_actuators, raw);
    }
    for (int i = 0; i < 5000 && !order->ready; i++) nap_us(1000);
    return pid;
}

void pubsub_peer_send(struct pubsub_peer_order *order)
{
    order->wanted++;
    for (int i = 0; i < 20000 && order->done != order->wanted; i++) nap_us(50);
}
