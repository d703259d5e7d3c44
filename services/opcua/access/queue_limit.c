#include "services/opcua/access/queue_limit.h"

#include <malloc.h>

#include "services/opcua/loop/library_log.h"
#include "services/opcua/server.h"
#include "services/opcua/space/values.h"

/* What the library keeps beside a value: the notification and its entry. */
enum { ENTRY = 256, TEXT = 48, EVENT = 2048, SLACK = 1 << 20 };

static size_t entries(size_t bytes)
{
    size_t n = QUEUE_LIMIT_BYTES / (bytes + ENTRY);

    if (bytes > QUEUE_LIMIT_LARGE) return 1;
    return n < QUEUE_LIMIT_ENTRIES ? n : QUEUE_LIMIT_ENTRIES;
}

static void set_queue(struct server *s, size_t n)
{
    UA_Server_getConfig(s->ua)->queueSizeLimits.max = (UA_UInt32)n;
}

/* Texts are taken as of ordinary length: they are names of the rig's own. */
static size_t size_of(const UA_Variant *v)
{
    size_t n = v->arrayLength ? v->arrayLength : 1;

    if (!v->type) return 0;
    return n * (v->type->memSize + (v->type == &UA_TYPES[UA_TYPES_STRING] ? (size_t)TEXT : 0));
}

void queue_limit_note(struct server *s, struct values_item *item, const UA_Variant *value)
{
    if (!item->bytes) item->bytes = (uint32_t)size_of(value);
    if (s->ua) set_queue(s, entries(item->bytes));
}

/* ---- what a session holds ------------------------------------------------------------ */

/* Of a variable of namespace 0, which may be as large as a dictionary. */
static size_t foreign_size(UA_Server *ua, const UA_NodeId *node)
{
    UA_Variant v;
    size_t n;

    UA_Variant_init(&v);
    if (UA_Server_readValue(ua, *node, &v) != UA_STATUSCODE_GOOD) return 0;
    n = UA_calcSizeBinary(&v, &UA_TYPES[UA_TYPES_VARIANT]);
    UA_Variant_clear(&v);
    return n;
}

static void account(struct queue_limit_share *share, size_t bytes, size_t n, int event, int removed)
{
    size_t held = 2 * (bytes + ENTRY), wanted = n * (bytes + ENTRY);

    if (!removed) {
        share->held += held;
        share->wanted += wanted;
        share->events += (uint32_t)event;
        return;
    }
    share->held -= held < share->held ? held : share->held;
    share->wanted -= wanted < share->wanted ? wanted : share->wanted;
    share->events -= share->events ? (uint32_t)event : 0;
}

static void on_item(UA_Server *ua, const UA_NodeId *session, void *session_context,
                    const UA_NodeId *node, void *node_context, UA_UInt32 attribute,
                    UA_Boolean removed)
{
    struct server *s = server_of(ua);
    struct rights_session *who = session_context;
    const struct values_item *item = node_context;
    int event = attribute == UA_ATTRIBUTEID_EVENTNOTIFIER;
    size_t bytes = 0, n = QUEUE_LIMIT_ENTRIES;

    (void)session;
    if (!who) return;
    if (event)
        bytes = EVENT;
    else if (attribute == UA_ATTRIBUTEID_VALUE)
        bytes = node->namespaceIndex == s->ns && item ? item->bytes : foreign_size(ua, node);
    if (!event) n = entries(bytes);
    account(&who->share, bytes, n, event, removed);
    set_queue(s, QUEUE_LIMIT_ENTRIES);
    if (removed ||
        (who->share.held <= QUEUE_LIMIT_SESSION && who->share.events <= QUEUE_LIMIT_EVENTS))
        return;
    s->queue_limit.over = who->number;
    UA_Server_getConfig(ua)->maxMonitoredItems = 1; /* the rest of this message is refused */
}

void queue_limit_install(UA_ServerConfig *c)
{
    c->maxMonitoredItems = QUEUE_LIMIT_ITEMS;
    c->queueSizeLimits = (UA_UInt32Range){1, QUEUE_LIMIT_ENTRIES};
    c->monitoredItemRegisterCallback = on_item;
}

static void close_greedy(struct server *s, struct rights_session *who, const char *why)
{
    UA_NodeId id;

    if (library_log_say("the session of %s was closed: its subscriptions %s", who->user, why))
        events_refused(s, who, "subscriptions", why);
    if (UA_NodeId_copy(&who->id, &id) != UA_STATUSCODE_GOOD) return;
    UA_Server_closeSession(s->ua, &id);
    UA_NodeId_clear(&id);
}

void queue_limit_served(struct server *s)
{
    struct rights_session *who;

    set_queue(s, QUEUE_LIMIT_ENTRIES);
    if (!s->queue_limit.over) return;
    UA_Server_getConfig(s->ua)->maxMonitoredItems = QUEUE_LIMIT_ITEMS;
    who = rights_find(s, s->queue_limit.over);
    s->queue_limit.over = 0;
    if (who && (who->share.held > QUEUE_LIMIT_SESSION + SLACK ||
                who->share.events > QUEUE_LIMIT_EVENTS + 8))
        close_greedy(s, who, "hold too much");
}

void queue_limit_beat(struct server *s)
{
    struct mallinfo2 heap = mallinfo2();
    size_t now = heap.uordblks + heap.hblkhd;
    struct rights_session *most = NULL;

    if (!s->queue_limit.base) s->queue_limit.base = now;
    if (now < s->queue_limit.base + QUEUE_LIMIT_TOTAL) return;
    for (struct rights_session *i = s->rights.first; i; i = i->next)
        if (i->share.wanted && (!most || i->share.wanted > most->share.wanted)) most = i;
    if (most) close_greedy(s, most, "take more memory than there is for all");
}
