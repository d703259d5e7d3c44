/* A controller on the fast lane, small enough to copy: it reads sensor frames and sends
 * commands as UADP over UDP on this machine, at the rate of the steps. It balances the
 * double pendulum on a cart and moves the cart to and fro.
 *
 *   trapeze run config/rigs/cart-double-pendulum.yaml --insecure      in a first terminal
 *   gcc -o example_fastlane example_fastlane.c -lopen62541
 *   ./example_fastlane opc.tcp://127.0.0.1:4840 [SECONDS [SENSOR-PORT COMMAND-PORT]]
 *
 * An OPC UA session lends its authority (AcquireAuthority "pubsub"), arms and starts the
 * rig, and shows life; all else are two sockets. `trapeze opcua pubsub RIG` prints ids and
 * fields. All numbers are little-endian, as on x86-64 and arm64.
 *
 * A sensor frame, unsigned:               A command frame (Variants):
 *    0 u8  0xF1  version 1, flags            0 u8  0xF1  version 1, flags
 *    1 u8  0x01  publisher is a UInt16       1 u8  0x01  publisher is a UInt16
 *    2 u16 PublisherId                       2 u16 PublisherId
 *    4 u8  0x09  group id, sequence          4 u8  0x01  group id
 *    5 u16 WriterGroupId                     5 u16 WriterGroupId
 *    7 u16 sequence                          7 u8  1     data set messages
 *    9 u8  1     data set messages           8 u16 DataSetWriterId
 *   10 u16 DataSetWriterId                  10 u8  0x01  valid, key frame of Variants
 *   12 u8  0xFD  valid, DataValues          11 u16 fields: 2 and the actuators
 *   13 u8  0x10  key frame, time            13 u8  9     UInt64
 *   14 u16 sequence                         14 u64 Epoch
 *   16 u64 time, 100 ns since 1601          22 u8  9     UInt64
 *   24 u16 status, upper half               23 u64 Counter, rising
 *   26 u32 version, 30 u32 version          31 u8  11    Double
 *   34 u16 fields: 5 and the channels       32 f64 first actuator
 *   36 fields: u8 mask (1: value, 2: and    40 u8  11, f64 second actuator, ...
 *      a u32 status behind it), u8 type,
 *      value: UInt64 (9), Double (11) of 8 bytes, Int32 (6), StatusCode (19) of 4 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include <open62541/client_config_default.h>
#include <open62541/client_highlevel.h>

enum { STEP, TIME, STATE, QUALITY, COMMAND, CHANNELS, FIELDS = 64, MOST = 1000000 };
enum { RUNNING = 3 }; /* of the states: unloaded, ready, armed, running, ... */

static UA_Client *client;
static UA_UInt16 ns;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    if (client) UA_Client_delete(client);
    exit(1);
}

/* Call a method of the rig; returns its Number. */
static uint64_t call(const char *method, size_t n, UA_Variant *in)
{
    UA_NodeId rig = UA_NODEID_STRING(ns, "rig"), id = UA_NODEID_STRING(ns, (char *)method);
    size_t n_out = 0;
    UA_Variant *out = NULL;
    UA_StatusCode bad = UA_Client_call(client, rig, id, n, in, &n_out, &out);
    uint64_t number = 0;

    if (bad) fail(method, UA_StatusCode_name(bad));
    if (n_out > 2) number = *(UA_UInt64 *)out[2].data;
    UA_Array_delete(out, n_out, &UA_TYPES[UA_TYPES_VARIANT]);
    return number;
}

/* Authority for the fast lane: the epoch that stands in every command. */
static uint64_t acquire(void)
{
    UA_String mode = UA_STRING("pubsub");
    UA_Boolean preempt = false;
    UA_Variant in[2];

    UA_Variant_setScalar(&in[0], &mode, &UA_TYPES[UA_TYPES_STRING]);
    UA_Variant_setScalar(&in[1], &preempt, &UA_TYPES[UA_TYPES_BOOLEAN]);
    return call("rig.acquire-authority", 2, in);
}

/* The fields of a sensor frame as numbers. Returns how many, 0 for anything else. */
static int read_frame(const uint8_t *b, size_t size, double *field)
{
    const uint8_t *at = b + 36, *end = b + size;
    uint16_t n;

    if (size < 36 || b[0] != 0xF1 || b[4] != 0x09 || b[12] != 0xFD) return 0;
    memcpy(&n, b + 34, 2);
    for (int i = 0; i < n && i < FIELDS; i++) {
        size_t bytes = end - at > 2 && (at[1] == 9 || at[1] == 11) ? 8 : 4;
        int status = at[0] & 2 ? 4 : 0;
        if (end - at < (ptrdiff_t)(2 + bytes) + status) return 0;
        if (at[1] == 11) {
            memcpy(&field[i], at + 2, 8);
        } else {
            uint64_t whole = 0;
            memcpy(&whole, at + 2, bytes);
            field[i] = (double)whole;
        }
        at += 2 + bytes + (size_t)status;
    }
    return n;
}

static size_t write_frame(uint8_t *b, uint64_t epoch, uint64_t counter, double value)
{
    static const uint8_t HEAD[13] = {0xF1, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 3, 0};

    memcpy(b, HEAD, sizeof HEAD); /* all three ids 2; three fields */
    b[13] = 9, memcpy(b + 14, &epoch, 8);
    b[22] = 9, memcpy(b + 23, &counter, 8);
    b[31] = 11, memcpy(b + 32, &value, 8);
    return 40;
}

/* State feedback: cart, hip, knee and their speeds, in the order of the sensors. */
static double control(const double *s, double wanted)
{
    static const double K[6] = {5.63, 78.48, 253.48, 10.99, 51.09, 47.96};
    double force = -K[0] * (s[0] - wanted);

    for (int i = 1; i < 6; i++) force -= K[i] * s[i];
    return force > 50 ? 50 : force < -50 ? -50 : force;
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
    double duration = argc > 2 ? atof(argv[2]) : 10, begin, life = 0, worst = 0, field[FIELDS];
    int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0), started = 0;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(4841)};
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(4842)};
    struct timeval patience = {.tv_sec = 2};
    static double sent[MOST], took[MOST];
    uint64_t epoch, counter = 0, seen = 0, frames = 0;
    UA_String uri = UA_STRING("urn:trapeze:opcua:v1");
    uint8_t buffer[2048];

    if (argc < 2) fail("usage", "example_fastlane URL [SECONDS [SENSOR-PORT COMMAND-PORT]]");
    if (argc > 4) here.sin_port = htons((uint16_t)atoi(argv[3]));
    if (argc > 4) there.sin_port = htons((uint16_t)atoi(argv[4]));
    here.sin_addr.s_addr = there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(in, (struct sockaddr *)&here, sizeof here) != 0) fail("bind", "the port is taken");
    setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);

    client = UA_Client_new();
    UA_ClientConfig_setDefault(UA_Client_getConfig(client));
    UA_Client_getConfig(client)->logging->context = (void *)UA_LOGLEVEL_ERROR;
    if (UA_Client_connect(client, argv[1])) fail(argv[1], "no connection");
    if (UA_Client_NamespaceGetIndex(client, &uri, &ns)) fail(argv[1], "this is no rig");
    call("rig.arm", 0, NULL);
    epoch = acquire();

    for (begin = seconds(); seconds() - begin < duration && counter + 1 < MOST;) {
        ssize_t size = recv(in, buffer, sizeof buffer, 0);
        if (size < 0) fail("sensors", "no frame for 2 s: does the rig have a fast lane?");
        if (read_frame(buffer, (size_t)size, field) < CHANNELS + 6) continue;
        for (; seen < (uint64_t)field[COMMAND] && seen < counter; seen++)
            took[seen] = seconds() - sent[seen + 1];
        double wanted = (int)(field[TIME] / 3) % 2 ? 0.1 : -0.1; /* m, to and fro */
        sent[++counter] = seconds();
        size = (ssize_t)write_frame(buffer, epoch, counter, control(field + CHANNELS, wanted));
        sendto(out, buffer, (size_t)size, 0, (struct sockaddr *)&there, sizeof there);
        if (!started) call("rig.start", 0, NULL), started = 1;
        if (field[STATE] == RUNNING) frames++;
        for (int i = 1; i < 3; i++)
            if (field[CHANNELS + i] * field[CHANNELS + i] > worst * worst)
                worst = field[CHANNELS + i];
        if (seconds() - life < 1) continue; /* keep the session open */
        life = seconds();
        UA_Client_run_iterate(client, 0);
    }
    qsort(took, seen, sizeof *took, by_size);
    printf("%llu frames answered, cart at %.3f m, largest angle %.4f rad\n",
           (unsigned long long)frames, field[CHANNELS], worst);
    if (seen)
        printf("from sending to seeing it act: p50 %.3f ms, p99 %.3f ms, worst %.3f ms\n",
               took[seen / 2] * 1e3, took[seen * 99 / 100] * 1e3, took[seen - 1] * 1e3);
    UA_Client_disconnect(client); /* the authority ends with the session */
    UA_Client_delete(client);
    return worst * worst > 1;
}
