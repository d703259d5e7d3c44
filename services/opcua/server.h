/* server.h: the OPC UA server of a rig, its state and its life.
 *
 * A service process of services/run: it knows the step only through the memory
 * blocks (attach.port) and never delays it. One thread runs the event loop; every
 * callback of open62541 runs in it. Parts: settings (rig file), turn (one request, one
 * step), pulse (timers), space (nodes), values (reading), writes (commands), methods,
 * rights (who may). SERVICE context. */
#ifndef SERVER_H
#define SERVER_H

#include <open62541/server.h>

#include "services/opcua/act/audit.h"
#include "services/opcua/act/calls.h"
#include "services/opcua/act/events.h"
#include "services/opcua/act/command_latency.h"
#include "services/opcua/loop/timers.h"
#include "services/opcua/access/queue_limit.h"
#include "services/opcua/access/rights.h"
#include "services/opcua/access/sessions.h"
#include "services/opcua/settings.h"
#include "services/opcua/loop/request_scope.h"
#include "services/opcua/loop/chunk_limit.h"
#include "services/opcua/access/withdraw.h"
#include "services/opcua/act/writes.h"
#include "services/run/attach.h"

#define SERVER_NAMESPACE "urn:trapeze:opcua:v1"
enum { SERVER_RIG_NAME = 64 };

struct values_item;

struct server {
    struct attach *attach;
    struct settings *settings;
    UA_Server *ua;
    int serving;                  /* the address space is complete */
    UA_UInt16 ns;                 /* index of SERVER_NAMESPACE */
    struct request_scope_hook hook;
    struct timers timers;
    struct chunk_limit chunk_limit;
    struct writes writes;
    struct command_latency command_latency;
    struct rights rights;
    struct sessions sessions;
    struct queue_limit queue_limit;
    struct events events;
    struct audit audit;
    struct calls calls;
    struct withdraw withdraw;
    struct values_item *item;     /* contexts of the variables, one after the other */
    size_t n_items, most_items;
};

/* The server behind open62541's handle. */
struct server *server_of(UA_Server *ua);

/* Build the server and its address space, not yet listening. Returns NULL after a
 * sentence on stderr. Memory: server_destroy;
 * the settings are the caller's and outlive it. */
struct server *server_create(struct attach *a, struct settings *settings);
void server_destroy(struct server *s);

/* Serve until the supervisor wants it to end. Returns an exit code. */
int server_run(struct server *s);

/* Serve one round of at most 50 ms. For tests that own the loop. */
void server_turn(struct server *s);

#endif
