#include "services/opcua/client/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <open62541/client_config_default.h>
#include <open62541/client_highlevel.h>

#define NAMESPACE "urn:trapeze:opcua:v1"
enum { NAME = 256 };

static void silent(void *context, UA_LogLevel level, UA_LogCategory category, const char *format,
                   va_list list)
{
    (void)context, (void)level, (void)category, (void)format, (void)list;
}

static UA_NodeId node(const struct remote *r, const char *name)
{
    return UA_NODEID_STRING_ALLOC(r->ns, name);
}

static UA_String borrow(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

/* ---- life -------------------------------------------------------------------------- */

void remote_be_silent(UA_ClientConfig *c)
{
    c->logging->log = silent;
    c->timeout = REMOTE_PATIENCE_MS;
}

UA_StatusCode remote_create(struct remote *r)
{
    *r = (struct remote){.client = UA_Client_new()};
    if (!r->client) return UA_STATUSCODE_BADOUTOFMEMORY;
    UA_ClientConfig_setDefault(UA_Client_getConfig(r->client));
    remote_be_silent(UA_Client_getConfig(r->client));
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode remote_connect(struct remote *r, const char *url)
{
    UA_String uri = UA_STRING_STATIC(NAMESPACE);
    UA_StatusCode bad = UA_Client_connect(r->client, url);

    return bad ? bad : UA_Client_NamespaceGetIndex(r->client, &uri, &r->ns);
}

enum status remote_open(struct remote *r, const char *url)
{
    UA_StatusCode bad = remote_create(r);

    if (!bad) bad = remote_connect(r, url);
    if (!bad) return STATUS_OK;
    fprintf(stderr, "trapeze: %s: %s\n", url,
            bad == UA_STATUSCODE_BADNOTFOUND ? "an OPC UA server, but no rig of ours"
                                             : UA_StatusCode_name(bad));
    remote_close(r);
    return STATUS_REFUSED;
}

void remote_close(struct remote *r)
{
    if (!r->client) return;
    UA_Client_disconnect(r->client);
    UA_Client_delete(r->client);
    r->client = NULL;
}

/* ---- reading ----------------------------------------------------------------------- */

UA_StatusCode remote_read(struct remote *r, const char *const *name, size_t n, UA_DataValue *value)
{
    UA_ReadRequest q;
    UA_ReadResponse a;
    UA_StatusCode bad;

    UA_ReadRequest_init(&q);
    q.timestampsToReturn = UA_TIMESTAMPSTORETURN_SOURCE;
    q.nodesToRead = UA_Array_new(n, &UA_TYPES[UA_TYPES_READVALUEID]);
    if (!q.nodesToRead) return UA_STATUSCODE_BADOUTOFMEMORY;
    q.nodesToReadSize = n;
    for (size_t i = 0; i < n; i++) {
        UA_DataValue_init(&value[i]);
        q.nodesToRead[i].nodeId = node(r, name[i]);
        q.nodesToRead[i].attributeId = UA_ATTRIBUTEID_VALUE;
    }
    a = UA_Client_Service_read(r->client, q);
    bad = a.responseHeader.serviceResult;
    if (!bad && a.resultsSize != n) bad = UA_STATUSCODE_BADUNEXPECTEDERROR;
    for (size_t i = 0; i < n && !bad; i++) {
        value[i] = a.results[i];
        UA_DataValue_init(&a.results[i]);
    }
    UA_ReadResponse_clear(&a);
    UA_ReadRequest_clear(&q);
    return bad;
}

/* One array; *n is its length. Returns 0 where it is none of this type. */
static int read_array(struct remote *r, const char *name, const UA_DataType *type, UA_DataValue *v,
                      size_t *n)
{
    *n = 0;
    if (remote_read(r, &name, 1, v) || !v->hasValue || !UA_Variant_hasArrayType(&v->value, type))
        return 0;
    *n = v->value.arrayLength;
    return 1;
}

char **remote_texts(struct remote *r, const char *name, size_t *n)
{
    UA_DataValue v;
    char **text = NULL;

    if (read_array(r, name, &UA_TYPES[UA_TYPES_STRING], &v, n)) text = calloc(*n + 1, sizeof *text);
    for (size_t i = 0; text && i < *n; i++) {
        const UA_String *s = &((const UA_String *)v.value.data)[i];
        text[i] = strndup((const char *)s->data, s->length);
    }
    if (!text) *n = 0;
    UA_DataValue_clear(&v);
    return text;
}

void remote_free_texts(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) free(text[i]);
    free(text);
}

double *remote_numbers(struct remote *r, const char *name, size_t *n)
{
    UA_DataValue v;
    double *number = NULL;

    if (read_array(r, name, &UA_TYPES[UA_TYPES_DOUBLE], &v, n))
        number = calloc(*n + 1, sizeof *number);
    if (number && *n) memcpy(number, v.value.data, *n * sizeof *number);
    if (!number) *n = 0;
    UA_DataValue_clear(&v);
    return number;
}

/* ---- acting ------------------------------------------------------------------------ */

UA_StatusCode remote_call(struct remote *r, const char *method, const UA_Variant *in, size_t n_in,
                          char *answer, size_t size)
{
    UA_CallMethodRequest item;
    UA_CallRequest q;
    UA_CallResponse a;
    UA_StatusCode bad;
    char name[NAME];

    snprintf(name, sizeof name, "rig.%s", method);
    UA_CallMethodRequest_init(&item);
    UA_CallRequest_init(&q);
    item.objectId = node(r, "rig");
    item.methodId = node(r, name);
    item.inputArguments = (UA_Variant *)(uintptr_t)in;
    item.inputArgumentsSize = n_in;
    q.methodsToCall = &item;
    q.methodsToCallSize = 1;
    a = UA_Client_Service_call(r->client, q);
    bad = a.responseHeader.serviceResult;
    if (!bad) bad = a.resultsSize == 1 ? a.results[0].statusCode : UA_STATUSCODE_BADUNEXPECTEDERROR;
    if (answer && a.resultsSize == 1 && a.results[0].outputArgumentsSize > 0 &&
        UA_Variant_hasScalarType(&a.results[0].outputArguments[0], &UA_TYPES[UA_TYPES_STRING])) {
        const UA_String *s = a.results[0].outputArguments[0].data;
        snprintf(answer, size, "%.*s", (int)s->length, (const char *)s->data);
    } else if (answer) {
        snprintf(answer, size, "%s", UA_StatusCode_name(bad));
    }
    UA_CallResponse_clear(&a);
    UA_NodeId_clear(&item.objectId);
    UA_NodeId_clear(&item.methodId);
    return bad;
}

UA_StatusCode remote_acquire(struct remote *r, const char *mode, char *answer, size_t size)
{
    UA_String text = borrow(mode);
    UA_Boolean preempt = false;
    UA_Variant in[2];

    UA_Variant_setScalar(&in[0], &text, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalar(&in[1], &preempt, &UA_TYPES[UA_TYPES_BOOLEAN]);
    return remote_call(r, "acquire-authority", in, 2, answer, size);
}

UA_StatusCode remote_command(struct remote *r, char *const *actuator, const double *value, size_t n)
{
    UA_String *name = calloc(n + 1, sizeof *name);
    UA_Variant in[2];
    UA_StatusCode bad;

    if (!name) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) name[i] = borrow(actuator[i]);
    UA_Variant_setArray(&in[0], name, n, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setArray(&in[1], (void *)(uintptr_t)value, n, &UA_TYPES[UA_TYPES_DOUBLE]);
    bad = remote_call(r, "write-commands", in, 2, NULL, 0);
    free(name);
    return bad;
}
