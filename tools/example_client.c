/* A bench's client, small enough to copy: takes the command authority, writes a sine to
 * one actuator, waits for the next step, prints sensors and how long a command takes to act.
 *
 * Waiting for a step is a subscription: publishing and sampling every 1 ms, queue 1. The
 * server samples right after a step, so each step comes once, and the client sleeps in
 * between: no read is repeated until something has changed.
 *
 *   gcc -o example_client example_client.c -lopen62541 -lm
 *   ./example_client opc.tcp://127.0.0.1:4840 ACTUATOR [AMPLITUDE [SECONDS]]
 *
 * Where open62541 was unpacked by Trapeze's set-up, add
 *   -Ibuild/deps/usr/include -Lbuild/deps/usr/lib/x86_64-linux-gnu
 *   -Wl,--disable-new-dtags,-rpath,build/deps/usr/lib/x86_64-linux-gnu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <open62541/client_config_default.h>
#include <open62541/client_highlevel.h>
#include <open62541/client_subscriptions.h>

static UA_Client *client;
static UA_UInt16 ns; /* of Trapeze's nodes */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(UA_StatusCode status, const char *what)
{
    if (status == UA_STATUSCODE_GOOD) return;
    fprintf(stderr, "%s: %s\n", what, UA_StatusCode_name(status));
    UA_Client_delete(client); /* closes the session: the authority is free at once */
    exit(1);
}

/* A node id from a format like "actuator:%s.command". */
static UA_NodeId node(const char *format, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, format, name);
    return UA_NODEID_STRING_ALLOC(ns, text);
}

/* The value of a node, good or uncertain (held after a missed deadline); only a bad one
 * ends the program. Clear it with UA_DataValue_clear. */
static UA_DataValue read_value(UA_NodeId id)
{
    UA_ReadValueId what;
    UA_ReadRequest request;
    UA_ReadResponse response;
    UA_DataValue v;

    UA_ReadValueId_init(&what);
    UA_ReadRequest_init(&request);
    what.nodeId = id;
    what.attributeId = UA_ATTRIBUTEID_VALUE;
    request.nodesToRead = &what;
    request.nodesToReadSize = 1;
    response = UA_Client_Service_read(client, request);
    check(response.responseHeader.serviceResult, "read");
    v = response.results[0];
    UA_DataValue_init(&response.results[0]);
    UA_ReadResponse_clear(&response);
    if (UA_StatusCode_isBad(v.status)) check(v.status, "read");
    return v;
}

static double read_number(UA_NodeId id)
{
    UA_DataValue v = read_value(id);
    double number = *(UA_Double *)v.value.data;

    UA_DataValue_clear(&v);
    return number;
}

static UA_StatusCode write_number(UA_NodeId id, double number)
{
    UA_Variant v;
    UA_Variant_setScalar(&v, &number, &UA_TYPES[UA_TYPES_DOUBLE]);
    return UA_Client_writeValueAttribute(client, id, &v);
}

static void acquire_authority(void)
{
    UA_String mode = UA_STRING("stream");
    UA_Boolean preempt = false;
    UA_Variant in[2];

    UA_Variant_setScalar(&in[0], &mode, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalar(&in[1], &preempt, &UA_TYPES[UA_TYPES_BOOLEAN]);
    check(UA_Client_call(client, node("rig", ""), node("rig.acquire-authority", ""), 2, in, NULL,
                         NULL),
          "AcquireAuthority");
}

/* ---- waiting for a step ---------------------------------------------------------------- */

static struct {
    uint64_t step, notices;
    double applied;
} newest;

static void on_value(UA_Client *c, UA_UInt32 subscription, void *context, UA_UInt32 item,
                     void *what, UA_DataValue *v)
{
    (void)c, (void)subscription, (void)context, (void)item;
    if (!v->hasValue || !v->value.data) return;
    if (what == &newest.step)
        newest.step = *(UA_UInt64 *)v->value.data, newest.notices++;
    else
        newest.applied = *(UA_Double *)v->value.data;
}

static void subscribe(UA_UInt32 subscription, UA_NodeId id, void *what)
{
    UA_MonitoredItemCreateRequest item = UA_MonitoredItemCreateRequest_default(id);
    UA_MonitoredItemCreateResult r;

    item.requestedParameters.samplingInterval = 1;
    item.requestedParameters.queueSize = 1;
    r = UA_Client_MonitoredItems_createDataChange(
        client, subscription, UA_TIMESTAMPSTORETURN_NEITHER, item, what, on_value, NULL);
    check(r.statusCode, "monitored item");
}

static void subscribe_to_steps(UA_NodeId applied)
{
    UA_CreateSubscriptionRequest request = UA_CreateSubscriptionRequest_default();
    UA_CreateSubscriptionResponse s;

    request.requestedPublishingInterval = 1;
    s = UA_Client_Subscriptions_create(client, request, NULL, NULL, NULL);
    check(s.responseHeader.serviceResult, "subscription");
    subscribe(s.subscriptionId, applied, &newest.applied);
    subscribe(s.subscriptionId, node("rig.step", ""), &newest.step);
}

/* Sleep until the next step is out, at most 100 ms. */
static void wait_for_step(void)
{
    uint64_t before = newest.step;
    double begin = seconds();

    while (newest.step == before && seconds() - begin < 0.1) UA_Client_run_iterate(client, 10);
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void print_sensors(double t)
{
    UA_DataValue v = read_value(node("sensors.values", ""));
    const UA_Double *value = v.value.data;

    printf("t %7.3f s  ", t);
    for (size_t i = 0; i < v.value.arrayLength && i < 6; i++) printf(" %10.4f", value[i]);
    printf("%s\n", v.status ? "  uncertain" : "");
    UA_DataValue_clear(&v);
}

int main(int argc, char **argv)
{
    double amplitude = argc > 3 ? atof(argv[3]) : 1, duration = argc > 4 ? atof(argv[4]) : 5;
    static double took[100000];
    double begin;
    UA_String uri = UA_STRING("urn:trapeze:opcua:v1");
    UA_NodeId command, applied, simulated;
    int n = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: %s URL ACTUATOR [AMPLITUDE [SECONDS]]\n", argv[0]);
        return 2;
    }
    client = UA_Client_new();
    UA_ClientConfig_setDefault(UA_Client_getConfig(client));
    UA_Client_getConfig(client)->logging->context = (void *)UA_LOGLEVEL_ERROR;
    check(UA_Client_connect(client, argv[1]), "connect");
    check(UA_Client_NamespaceGetIndex(client, &uri, &ns), "namespace");
    command = node("actuator:%s.command", argv[2]);
    applied = node("actuator:%s.applied", argv[2]);
    simulated = node("rig.time", "");
    acquire_authority();
    subscribe_to_steps(applied);

    begin = seconds();
    for (double t = 0; t < duration && n < 100000; t = seconds() - begin) {
        double value = amplitude * sin(2 * 3.14159265358979 * 0.5 * t), sent = seconds();
        struct timespec nap = {.tv_nsec = 9000000};
        check(write_number(command, value), "write");
        do wait_for_step();
        while (newest.applied != value && seconds() - sent < 1);
        took[n] = seconds() - sent;
        if (n++ % 50 == 0) print_sensors(read_number(simulated));
        nanosleep(&nap, NULL);
    }
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("%d commands; from writing to seeing it act: p50 %.2f ms, p99 %.2f ms, worst %.2f ms\n",
           n, took[n / 2] * 1e3, took[n * 99 / 100] * 1e3, took[n - 1] * 1e3);
    printf("%llu steps told in %.1f s\n", (unsigned long long)newest.notices, seconds() - begin);
    printf("loop time, from receipt in the server to the step that used it: last %.2f ms, longest "
           "%.2f ms\n",
           read_number(node("actuator:%s.loop-last", argv[2])) * 1e3,
           read_number(node("actuator:%s.loop-max", argv[2])) * 1e3);
    UA_Client_disconnect(client);
    UA_Client_delete(client);
    return 0;
}
