#include "tests/fault/mutate.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <open62541/types.h>
#include <open62541/types_generated.h>

enum { MESSAGE = 1 << 16, HEAD = 24, SEEDS = 64, AT_ONCE = 8, PATIENCE_MS = 5000 };

struct line {
    int fd;
    UA_UInt32 channel, token, sequence, request, handle;
    UA_NodeId session;        /* authentication token */
    uint8_t in[1 << 17];
    size_t n_in;
};

/* An encoded request without its message head; `body` begins after the request header. */
struct seed {
    uint8_t *data;
    size_t n, body;
};

struct mutator {
    struct line line;
    struct seed seed[SEEDS];
    int n, port;
    uint64_t random;
    struct mutate_count *count;
};

/* ---- lines ------------------------------------------------------------------------- */

static uint32_t draw(struct mutator *m, uint32_t n)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (uint32_t)((m->random >> 33) % n) : 0;
}

static void put32(uint8_t *to, uint32_t v) { memcpy(to, &v, sizeof v); }

static int send_all(int fd, const uint8_t *data, size_t n)
{
    while (n) {
        ssize_t k = send(fd, data, n, MSG_NOSIGNAL);
        if (k <= 0) return 0;
        data += k;
        n -= (size_t)k;
    }
    return 1;
}

/* Take what is there, waiting at most so long; 0: the line is closed. */
static int take(struct line *l, int ms)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    ssize_t k;

    if (poll(&p, 1, ms) <= 0) return 1;
    if (l->n_in == sizeof l->in) l->n_in = 0;
    k = recv(l->fd, l->in + l->n_in, sizeof l->in - l->n_in, MSG_DONTWAIT);
    if (k <= 0) return 0;
    l->n_in += (size_t)k;
    return 1;
}

/* Wait for one whole message; its body in *at. */
static int receive(struct line *l, const uint8_t **at, size_t *n)
{
    l->n_in = 0;
    for (int i = 0; i < PATIENCE_MS / 50; i++) {
        uint32_t size;
        if (!take(l, 50)) return 0;
        if (l->n_in < 8) continue;
        memcpy(&size, l->in + 4, sizeof size);
        if (l->n_in < size) continue;
        *at = l->in;
        *n = size;
        return memcmp(l->in, "ERR", 3) != 0;
    }
    return 0;
}

/* Message head and sequence head of a symmetric message. */
static void write_head(struct line *l, uint8_t *m, size_t n)
{
    memcpy(m, "MSGF", 4);
    put32(m + 4, (uint32_t)n);
    put32(m + 8, l->channel);
    put32(m + 12, l->token);
    put32(m + 16, ++l->sequence);
    put32(m + 20, ++l->request);
}

/* Encode type id and request behind the head; returns its length, 0 for none. */
static size_t encode(const void *request, const UA_DataType *type, uint8_t *to, size_t room)
{
    UA_ByteString out = {room, to};
    UA_ByteString rest;
    size_t n;

    if (UA_encodeBinary(&type->binaryEncodingId, &UA_TYPES[UA_TYPES_NODEID], &out)) return 0;
    n = UA_calcSizeBinary(&type->binaryEncodingId, &UA_TYPES[UA_TYPES_NODEID]);
    rest = (UA_ByteString){room - n, to + n};
    if (UA_encodeBinary(request, type, &rest)) return 0;
    return n + UA_calcSizeBinary(request, type);
}

/* Decode an answer of this type, behind head and type id. */
static int decode(const uint8_t *at, size_t n, size_t head, void *answer, const UA_DataType *type)
{
    UA_ByteString in = {n - head, (UA_Byte *)(uintptr_t)(at + head)};
    UA_NodeId id;
    size_t k;

    if (n < head + 4 || UA_decodeBinary(&in, &id, &UA_TYPES[UA_TYPES_NODEID], NULL)) return 0;
    k = UA_calcSizeBinary(&id, &UA_TYPES[UA_TYPES_NODEID]);
    if (!UA_NodeId_equal(&id, &type->binaryEncodingId)) return 0;
    in = (UA_ByteString){n - head - k, (UA_Byte *)(uintptr_t)(at + head + k)};
    return UA_decodeBinary(&in, answer, type, NULL) == UA_STATUSCODE_GOOD;
}

static int ask(struct line *l, void *request, const UA_DataType *type, void *answer,
               const UA_DataType *answer_type)
{
    uint8_t m[4096];
    const uint8_t *at;
    size_t n = encode(request, type, m + HEAD, sizeof m - HEAD);

    if (!n) return 0;
    write_head(l, m, HEAD + n);
    return send_all(l->fd, m, HEAD + n) && receive(l, &at, &n) &&
           decode(at, n, HEAD, answer, answer_type);
}

static int say_hello(struct line *l)
{
    static const char URL[] = "opc.tcp://127.0.0.1";
    uint8_t m[32 + sizeof URL];
    const uint8_t *at;
    size_t n = 32 + sizeof URL - 1;

    memcpy(m, "HELF", 4);
    put32(m + 4, (uint32_t)n);
    put32(m + 8, 0);
    put32(m + 12, MESSAGE);
    put32(m + 16, MESSAGE);
    put32(m + 20, 1 << 21);
    put32(m + 24, 64);
    put32(m + 28, sizeof URL - 1);
    memcpy(m + 32, URL, sizeof URL - 1);
    return send_all(l->fd, m, n) && receive(l, &at, &n);
}

static int open_channel(struct line *l)
{
    static const char NONE[] = "http://opcfoundation.org/UA/SecurityPolicy#None";
    enum { LONG = 12 + 4 + sizeof NONE - 1 + 4 + 4 + 8 };
    const UA_DataType *type = &UA_TYPES[UA_TYPES_OPENSECURECHANNELREQUEST];
    UA_OpenSecureChannelRequest q;
    UA_OpenSecureChannelResponse a;
    uint8_t m[1024];
    const uint8_t *at;
    size_t n;

    UA_OpenSecureChannelRequest_init(&q);
    q.securityMode = UA_MESSAGESECURITYMODE_NONE;
    q.requestedLifetime = 600000;
    q.requestHeader.timestamp = UA_DateTime_now();
    n = encode(&q, type, m + LONG, sizeof m - LONG);
    memcpy(m, "OPNF", 4);
    put32(m + 4, (uint32_t)(LONG + n));
    put32(m + 8, 0);
    put32(m + 12, sizeof NONE - 1);
    memcpy(m + 16, NONE, sizeof NONE - 1);
    put32(m + LONG - 16, UINT32_MAX);
    put32(m + LONG - 12, UINT32_MAX);
    put32(m + LONG - 8, ++l->sequence);
    put32(m + LONG - 4, ++l->request);
    if (!send_all(l->fd, m, LONG + n) || !receive(l, &at, &n)) return 0;
    if (!decode(at, n, LONG, &a, &UA_TYPES[UA_TYPES_OPENSECURECHANNELRESPONSE])) return 0;
    l->channel = a.securityToken.channelId;
    l->token = a.securityToken.tokenId;
    UA_OpenSecureChannelResponse_clear(&a);
    return 1;
}

static int open_session(struct line *l)
{
    UA_CreateSessionRequest c;
    UA_CreateSessionResponse ca;
    UA_ActivateSessionRequest s;
    UA_ActivateSessionResponse sa;
    UA_String uri = UA_STRING_STATIC("urn:trapeze:mutate"),
              url = UA_STRING_STATIC("opc.tcp://127.0.0.1");
    int good;

    UA_CreateSessionRequest_init(&c);
    c.requestHeader.timestamp = UA_DateTime_now();
    c.requestedSessionTimeout = 20000;
    c.clientDescription.applicationUri = uri;
    c.endpointUrl = url;
    if (!ask(l, &c, &UA_TYPES[UA_TYPES_CREATESESSIONREQUEST], &ca,
             &UA_TYPES[UA_TYPES_CREATESESSIONRESPONSE]))
        return 0;
    UA_NodeId_clear(&l->session);
    UA_NodeId_copy(&ca.authenticationToken, &l->session);
    good = ca.responseHeader.serviceResult == UA_STATUSCODE_GOOD;
    UA_CreateSessionResponse_clear(&ca);
    UA_ActivateSessionRequest_init(&s);
    s.requestHeader.timestamp = UA_DateTime_now();
    s.requestHeader.authenticationToken = l->session;
    good = good && ask(l, &s, &UA_TYPES[UA_TYPES_ACTIVATESESSIONREQUEST], &sa,
                       &UA_TYPES[UA_TYPES_ACTIVATESESSIONRESPONSE]);
    if (!good) return 0;
    good = sa.responseHeader.serviceResult == UA_STATUSCODE_GOOD;
    UA_ActivateSessionResponse_clear(&sa);
    return good;
}

static int connect_to(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* A session may be refused for a moment, while the server lets go of old ones. */
static int open_line(struct mutator *m)
{
    struct line *l = &m->line;

    for (int i = 0; i < PATIENCE_MS / 50; i++) {
        if (l->fd >= 0) close(l->fd);
        l->sequence = l->request = 0;
        l->fd = connect_to(m->port);
        if (l->fd >= 0 && say_hello(l) && open_channel(l) && open_session(l)) {
            m->count->lines++;
            return 1;
        }
        m->count->failed++;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return 0;
}

/* ---- right requests ------------------------------------------------------------------ */

/* Keep a request; `header` is the first thing in it. */
static void keep(struct mutator *m, const void *request, int type)
{
    static uint8_t to[MESSAGE];
    const UA_DataType *t = &UA_TYPES[type];
    struct seed *s = &m->seed[m->n];

    if (m->n == SEEDS) return;
    s->n = encode(request, t, to, sizeof to);
    if (!s->n) return;
    s->body = UA_calcSizeBinary(&t->binaryEncodingId, &UA_TYPES[UA_TYPES_NODEID]) +
              UA_calcSizeBinary(request, &UA_TYPES[UA_TYPES_REQUESTHEADER]);
    s->data = malloc(s->n);
    if (!s->data) return;
    memcpy(s->data, to, s->n);
    m->n++;
}

static UA_NodeId own(const char *name) { return UA_NODEID_STRING(2, (char *)(uintptr_t)name); }

/* A call, with two arguments of these types (0: none). */
static void keep_call(struct mutator *m, const UA_RequestHeader *h, const char *method, int first,
                      int second)
{
    static uint8_t zero[64];
    static UA_String text[2] = {UA_STRING_STATIC("manual"), UA_STRING_STATIC("motor-1")};
    UA_Variant in[5];
    UA_CallMethodRequest c;
    UA_CallRequest q;

    UA_CallRequest_init(&q);
    UA_CallMethodRequest_init(&c);
    for (int i = 0; i < 5; i++) UA_Variant_setScalar(&in[i], zero, &UA_TYPES[UA_TYPES_UINT64]);
    for (int i = 0; i < 2; i++) {
        int t = i ? second : first;
        if (t == UA_TYPES_STRING)
            UA_Variant_setScalar(&in[i], &text[i], &UA_TYPES[t]);
        else
            UA_Variant_setScalar(&in[i], zero, &UA_TYPES[t]);
    }
    c.objectId = own("rig");
    c.methodId = own(method);
    c.inputArguments = in;
    c.inputArgumentsSize = (first >= 0) + (size_t)(second >= 0);
    if (strcmp(method, "rig.insert-fault") == 0) {
        UA_Variant_setScalar(&in[2], zero, &UA_TYPES[UA_TYPES_DOUBLE]);
        c.inputArgumentsSize = 5;
    }
    q.requestHeader = *h;
    q.methodsToCall = &c;
    q.methodsToCallSize = 1;
    keep(m, &q, UA_TYPES_CALLREQUEST);
}

static void keep_calls(struct mutator *m, const UA_RequestHeader *h)
{
    static const struct {
        const char *method;
        int first, second;
    } CALL[] = {
        {"rig.arm", -1, -1},
        {"rig.start", -1, -1},
        {"rig.pause", -1, -1},
        {"rig.single-step", UA_TYPES_UINT64, -1},
        {"rig.acquire-authority", UA_TYPES_STRING, UA_TYPES_BOOLEAN},
        {"rig.release-authority", -1, -1},
        {"rig.set-parameter", UA_TYPES_STRING, UA_TYPES_DOUBLE},
        {"rig.set-overrun-policy", UA_TYPES_STRING, -1},
        {"rig.insert-fault", UA_TYPES_STRING, UA_TYPES_STRING},
        {"rig.clear-faults", UA_TYPES_INT32, -1},
        {"rig.lock-joint", UA_TYPES_STRING, -1},
        {"rig.snapshot", -1, -1},
        {"rig.reset", -1, -1},
    };
    UA_String names[2] = {UA_STRING_STATIC("motor-1"), UA_STRING_STATIC("motor-2")};
    UA_Double values[2] = {1, 2};
    UA_Variant in[2];
    UA_CallMethodRequest c;
    UA_CallRequest q;

    for (size_t i = 0; i < sizeof CALL / sizeof CALL[0]; i++)
        keep_call(m, h, CALL[i].method, CALL[i].first, CALL[i].second);
    UA_CallRequest_init(&q);
    UA_CallMethodRequest_init(&c);
    UA_Variant_setArray(&in[0], names, 2, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setArray(&in[1], values, 2, &UA_TYPES[UA_TYPES_DOUBLE]);
    c.objectId = own("rig");
    c.methodId = own("rig.write-commands");
    c.inputArguments = in;
    c.inputArgumentsSize = 2;
    q.requestHeader = *h;
    q.methodsToCall = &c;
    q.methodsToCallSize = 1;
    keep(m, &q, UA_TYPES_CALLREQUEST);
}

static void keep_reads_and_writes(struct mutator *m, const UA_RequestHeader *h)
{
    UA_String range = UA_STRING_STATIC("1:2");
    UA_Double number = 1, eight[8] = {0};
    UA_ReadValueId r[4];
    UA_ReadRequest q;
    UA_WriteValue w[2];
    UA_WriteRequest p;

    UA_ReadRequest_init(&q);
    q.requestHeader = *h;
    q.timestampsToReturn = UA_TIMESTAMPSTORETURN_BOTH;
    for (int i = 0; i < 4; i++) UA_ReadValueId_init(&r[i]);
    r[0].nodeId = own("sensors.values"), r[1].nodeId = own("rig.state-name");
    r[2].nodeId = own("actuators.commands"), r[3].nodeId = UA_NODEID_NUMERIC(0, 2256);
    for (int i = 0; i < 4; i++) r[i].attributeId = UA_ATTRIBUTEID_VALUE;
    r[0].indexRange = range;
    q.nodesToRead = r;
    q.nodesToReadSize = 4;
    keep(m, &q, UA_TYPES_READREQUEST);
    UA_WriteRequest_init(&p);
    p.requestHeader = *h;
    for (int i = 0; i < 2; i++) {
        UA_WriteValue_init(&w[i]);
        w[i].attributeId = UA_ATTRIBUTEID_VALUE;
        w[i].value.hasValue = true;
    }
    w[0].nodeId = own("actuator:motor-1.command"), w[1].nodeId = own("actuators.commands");
    UA_Variant_setScalar(&w[0].value.value, &number, &UA_TYPES[UA_TYPES_DOUBLE]);
    UA_Variant_setArray(&w[1].value.value, eight, 8, &UA_TYPES[UA_TYPES_DOUBLE]);
    w[0].value.hasSourceTimestamp = true;
    p.nodesToWrite = w;
    p.nodesToWriteSize = 2;
    keep(m, &p, UA_TYPES_WRITEREQUEST);
}

static void keep_browses(struct mutator *m, const UA_RequestHeader *h)
{
    UA_BrowseDescription b;
    UA_BrowseRequest q;
    UA_BrowsePath path;
    UA_RelativePathElement e;
    UA_TranslateBrowsePathsToNodeIdsRequest t;
    UA_RegisterNodesRequest reg;
    UA_NodeId node = own("rig.state");

    UA_BrowseDescription_init(&b);
    UA_BrowseRequest_init(&q);
    b.nodeId = own("rig");
    b.resultMask = 63;
    b.includeSubtypes = true;
    q.requestHeader = *h;
    q.requestedMaxReferencesPerNode = 3;
    q.nodesToBrowse = &b;
    q.nodesToBrowseSize = 1;
    keep(m, &q, UA_TYPES_BROWSEREQUEST);
    UA_BrowsePath_init(&path);
    UA_RelativePathElement_init(&e);
    UA_TranslateBrowsePathsToNodeIdsRequest_init(&t);
    e.targetName = UA_QUALIFIEDNAME(2, (char[]){"State"});
    path.startingNode = own("rig");
    path.relativePath.elements = &e;
    path.relativePath.elementsSize = 1;
    t.requestHeader = *h;
    t.browsePaths = &path;
    t.browsePathsSize = 1;
    keep(m, &t, UA_TYPES_TRANSLATEBROWSEPATHSTONODEIDSREQUEST);
    UA_RegisterNodesRequest_init(&reg);
    reg.requestHeader = *h;
    reg.nodesToRegister = &node;
    reg.nodesToRegisterSize = 1;
    keep(m, &reg, UA_TYPES_REGISTERNODESREQUEST);
}

/* Subscribe to a value, and to events through a filter with a where clause. */
static void keep_items(struct mutator *m, const UA_RequestHeader *h)
{
    UA_QualifiedName name = UA_QUALIFIEDNAME(0, (char[]){"Severity"});
    UA_UInt16 severity = 200;
    UA_SimpleAttributeOperand field;
    UA_LiteralOperand literal;
    UA_ExtensionObject operand[2];
    UA_ContentFilterElement element;
    UA_EventFilter filter;
    UA_DataChangeFilter change = {.deadbandType = UA_DEADBANDTYPE_ABSOLUTE, .deadbandValue = 1};
    UA_MonitoredItemCreateRequest i[2];
    UA_CreateMonitoredItemsRequest q;

    UA_SimpleAttributeOperand_init(&field);
    UA_LiteralOperand_init(&literal);
    UA_ContentFilterElement_init(&element);
    UA_EventFilter_init(&filter);
    UA_CreateMonitoredItemsRequest_init(&q);
    field.typeDefinitionId = UA_NODEID_NUMERIC(0, 2041);
    field.browsePath = &name;
    field.browsePathSize = 1;
    field.attributeId = UA_ATTRIBUTEID_VALUE;
    UA_Variant_setScalar(&literal.value, &severity, &UA_TYPES[UA_TYPES_UINT16]);
    UA_ExtensionObject_setValueNoDelete(&operand[0], &field,
                                        &UA_TYPES[UA_TYPES_SIMPLEATTRIBUTEOPERAND]);
    UA_ExtensionObject_setValueNoDelete(&operand[1], &literal, &UA_TYPES[UA_TYPES_LITERALOPERAND]);
    element.filterOperator = UA_FILTEROPERATOR_GREATERTHANOREQUAL;
    element.filterOperands = operand;
    element.filterOperandsSize = 2;
    filter.selectClauses = &field;
    filter.selectClausesSize = 1;
    filter.whereClause.elements = &element;
    filter.whereClause.elementsSize = 1;
    for (int k = 0; k < 2; k++) {
        UA_MonitoredItemCreateRequest_init(&i[k]);
        i[k].monitoringMode = UA_MONITORINGMODE_REPORTING;
        i[k].requestedParameters.samplingInterval = 10;
        i[k].requestedParameters.queueSize = 4;
        i[k].itemToMonitor.attributeId = k ? UA_ATTRIBUTEID_EVENTNOTIFIER : UA_ATTRIBUTEID_VALUE;
    }
    i[0].itemToMonitor.nodeId = own("rig.time"), i[1].itemToMonitor.nodeId = own("rig");
    UA_ExtensionObject_setValueNoDelete(&i[0].requestedParameters.filter, &change,
                                        &UA_TYPES[UA_TYPES_DATACHANGEFILTER]);
    UA_ExtensionObject_setValueNoDelete(&i[1].requestedParameters.filter, &filter,
                                        &UA_TYPES[UA_TYPES_EVENTFILTER]);
    q.requestHeader = *h;
    q.subscriptionId = 1;
    q.timestampsToReturn = UA_TIMESTAMPSTORETURN_BOTH;
    q.itemsToCreate = i;
    q.itemsToCreateSize = 2;
    keep(m, &q, UA_TYPES_CREATEMONITOREDITEMSREQUEST);
}

static void keep_subscriptions(struct mutator *m, const UA_RequestHeader *h)
{
    UA_CreateSubscriptionRequest c;
    UA_ModifySubscriptionRequest s;
    UA_PublishRequest p;
    UA_RepublishRequest r;
    UA_DeleteSubscriptionsRequest d;
    UA_UInt32 one = 1;

    UA_CreateSubscriptionRequest_init(&c);
    c.requestHeader = *h;
    c.requestedPublishingInterval = 50;
    c.requestedLifetimeCount = 1000;
    c.requestedMaxKeepAliveCount = 10;
    c.publishingEnabled = true;
    keep(m, &c, UA_TYPES_CREATESUBSCRIPTIONREQUEST);
    UA_ModifySubscriptionRequest_init(&s);
    s.requestHeader = *h;
    s.subscriptionId = 1;
    s.requestedPublishingInterval = 20;
    keep(m, &s, UA_TYPES_MODIFYSUBSCRIPTIONREQUEST);
    UA_PublishRequest_init(&p);
    p.requestHeader = *h;
    keep(m, &p, UA_TYPES_PUBLISHREQUEST);
    UA_RepublishRequest_init(&r);
    r.requestHeader = *h;
    r.subscriptionId = 1;
    r.retransmitSequenceNumber = 1;
    keep(m, &r, UA_TYPES_REPUBLISHREQUEST);
    UA_DeleteSubscriptionsRequest_init(&d);
    d.requestHeader = *h;
    d.subscriptionIds = &one;
    d.subscriptionIdsSize = 1;
    keep(m, &d, UA_TYPES_DELETESUBSCRIPTIONSREQUEST);
}

/* All of them, with the token of this line's session; before a line is opened, none. */
static void make_seeds(struct mutator *m)
{
    UA_RequestHeader h;

    for (int i = 0; i < m->n; i++) free(m->seed[i].data);
    m->n = 0;
    UA_RequestHeader_init(&h);
    h.authenticationToken = m->line.session;
    h.timestamp = UA_DateTime_now();
    h.timeoutHint = 5000;
    keep_calls(m, &h);
    keep_reads_and_writes(m, &h);
    keep_browses(m, &h);
    keep_items(m, &h);
    keep_subscriptions(m, &h);
}

/* ---- breaking them ------------------------------------------------------------------- */

/* One change of the body of n bytes, which has room for `room`; returns its new length. */
static size_t change(struct mutator *m, uint8_t *b, size_t n, size_t room)
{
    static const uint32_t END[] = {0,          1,          0x7f,       0x80,
                                   0xff,       0xffff,     0x7fffffff, 0x80000000,
                                   0xffffffff, 0xfffffffe, 0x00010000, 1000000};
    size_t at = draw(m, (uint32_t)n), k = 1 + draw(m, 12);
    const struct seed *other = &m->seed[draw(m, (uint32_t)m->n)];

    if (n < 16) return n;
    if (k > n - at) k = n - at;
    switch (draw(m, 9)) {
    case 0:
        b[at] ^= (uint8_t)(1 << draw(m, 8));
        return n;
    case 1:
        b[at] = (uint8_t)draw(m, 256);
        return n;
    case 2:
        b[at] = (uint8_t)draw(m, 32);
        return n; /* another type */
    case 3: /* a length or number at its end */
        if (at + 4 <= n) put32(b + at, END[draw(m, sizeof END / sizeof END[0])]);
        return n;
    case 4:
        memset(b + at, draw(m, 2) ? 0 : 0xff, k);
        return n;
    case 5: /* cut */
        memmove(b + at, b + at + k, n - at - k);
        return n - k;
    case 6: /* double */
        if (n + k > room) return n;
        memmove(b + at + k, b + at, n - at);
        return n + k;
    case 7: /* a piece of another request */
        if (other->body + k >= other->n) return n;
        memcpy(b + at, other->data + other->body + draw(m, (uint32_t)(other->n - other->body - k)),
               k);
        return n;
    default:
        return draw(m, 4) ? n : at; /* the end is missing */
    }
}

static int send_one(struct mutator *m)
{
    static uint8_t out[MESSAGE];
    const struct seed *s = &m->seed[draw(m, (uint32_t)m->n)];
    size_t room = sizeof out - HEAD - s->body, n = s->n - s->body;
    uint32_t changes = draw(m, 8) == 0 ? 0 : 1 + draw(m, 3);

    memcpy(out + HEAD, s->data, s->n);
    while (changes--) n = change(m, out + HEAD + s->body, n, room);
    n += HEAD + s->body;
    write_head(&m->line, out, n);
    m->count->sent++;
    return send_all(m->line.fd, out, n);
}

int mutate_run(int port, uint32_t seed, uint64_t n, struct mutate_count *count)
{
    static struct mutator m;
    int good = 1;

    m = (struct mutator){.port = port, .random = seed, .count = count, .line = {.fd = -1}};
    while (count->sent < n && (good = open_line(&m))) {
        int alive = 1;
        make_seeds(&m);
        for (int i = 0; i < 2000 && alive && count->sent < n; i++) {
            alive = send_one(&m);
            if (alive && (i % AT_ONCE == AT_ONCE - 1)) {
                m.line.n_in = 0;
                alive = take(&m.line, 1);
                count->answered += m.line.n_in;
            }
        }
    }
    if (m.line.fd >= 0) close(m.line.fd);
    UA_NodeId_clear(&m.line.session);
    for (int i = 0; i < m.n; i++) free(m.seed[i].data);
    return good;
}
