#include "services/opcua/access/sessions.h"

#include <string.h>

#include "services/opcua/loop/library_log.h"
#include "services/opcua/server.h"

static const int64_t SECOND_NS = 1000000000;

static struct sessions_one *find(struct sessions *l, const UA_NodeId *id)
{
    for (int i = 0; i < l->n; i++)
        if (UA_NodeId_equal(&l->one[i].id, id)) return &l->one[i];
    return NULL;
}

static void drop(struct sessions *l, struct sessions_one *one)
{
    UA_NodeId_clear(&one->id);
    *one = l->one[--l->n];
}

/* End a session that is in the list; it leaves the list, known to the library or not. */
static void end(struct server *s, struct sessions_one *one)
{
    UA_NodeId id = one->id;

    one->id = UA_NODEID_NULL;
    drop(&s->sessions, one);
    UA_Server_closeSession(s->ua, &id);
    UA_NodeId_clear(&id);
}

/* ---- coming and going ---------------------------------------------------------------- */

static void add(struct server *s, const UA_NodeId *id)
{
    struct sessions *l = &s->sessions;
    struct sessions_one *one = &l->one[l->n];

    if (l->n == SESSIONS_LIBRARY || find(l, id)) return;
    *one = (struct sessions_one){.line = request_scope_connection(),
                                 .since_ns = request_scope_clock()};
    if (UA_NodeId_copy(id, &one->id) == UA_STATUSCODE_GOOD) l->n++;
}

/* The library makes a node for each session, of the session's own id; no other node of its
 * namespace has an id of this kind. */
static UA_StatusCode on_node(UA_Server *ua, const UA_NodeId *session, void *session_context,
                             const UA_NodeId *node, void **node_context)
{
    (void)session, (void)session_context, (void)node_context;
    if (node->namespaceIndex == 1 && node->identifierType == UA_NODEIDTYPE_GUID)
        add(server_of(ua), node);
    return UA_STATUSCODE_GOOD;
}

static void on_node_end(UA_Server *ua, const UA_NodeId *session, void *session_context,
                        const UA_NodeId *node, void *node_context)
{
    (void)session, (void)session_context, (void)node_context;
    if (node->namespaceIndex == 1 && node->identifierType == UA_NODEIDTYPE_GUID)
        sessions_forget(server_of(ua), node);
}

void sessions_install(struct server *s, UA_ServerConfig *c)
{
    (void)s;
    c->maxSessions = SESSIONS_LIBRARY;
    c->nodeLifecycle.constructor = on_node;
    c->nodeLifecycle.destructor = on_node_end;
}

void sessions_free(struct server *s)
{
    while (s->sessions.n) drop(&s->sessions, s->sessions.one);
}

void sessions_forget(struct server *s, const UA_NodeId *id)
{
    struct sessions_one *one = find(&s->sessions, id);

    if (one) drop(&s->sessions, one);
}

/* How many are active beside this one; *same: of this client. */
static int count_active(const struct sessions *l, const UA_NodeId *id, const char *client,
                        int *same)
{
    int active = 0;

    *same = 0;
    for (int i = 0; i < l->n; i++) {
        if (!l->one[i].active || UA_NodeId_equal(&l->one[i].id, id)) continue;
        active++;
        *same += client[0] && strcmp(l->one[i].client, client) == 0;
    }
    return active;
}

/* End the one that has been without a line for longest; 0: all have one. */
static int end_lost(struct server *s)
{
    struct sessions_one *first = NULL;

    for (int i = 0; i < s->sessions.n; i++) {
        struct sessions_one *one = &s->sessions.one[i];
        if (one->active && !one->line && (!first || one->since_ns < first->since_ns)) first = one;
    }
    if (first) end(s, first);
    return first != NULL;
}

UA_StatusCode sessions_activate(struct server *s, const UA_NodeId *id, uintptr_t line,
                                const UA_ByteString *certificate, int is_operator)
{
    int most = is_operator ? SESSIONS_MOST : SESSIONS_MOST - 1, active, same;
    struct sessions_one *one;
    char client[SESSIONS_CLIENT] = "";

    if (certificate && certificate->length) keystore_name(certificate, client);
    do {
        active = count_active(&s->sessions, id, client, &same);
    } while ((active >= most || same >= SESSIONS_PER_CLIENT) && end_lost(s));
    if (active >= most || same >= SESSIONS_PER_CLIENT) {
        library_log_say("a session was refused: %d are open%s", active,
                        same >= SESSIONS_PER_CLIENT ? ", too many of them of this client"
                        : is_operator               ? ""
                                                    : ", the last place is kept for an operator");
        return UA_STATUSCODE_BADTOOMANYSESSIONS;
    }
    if (!find(&s->sessions, id)) add(s, id);
    one = find(&s->sessions, id);
    if (!one) return UA_STATUSCODE_BADTOOMANYSESSIONS;
    one->active = 1;
    one->line = line;
    memcpy(one->client, client, sizeof client);
    return UA_STATUSCODE_GOOD;
}

/* ---- limits ------------------------------------------------------------------------ */

/* The oldest that is not activated, of this line (0: of any); *n: how many there are. */
static struct sessions_one *oldest(struct sessions *l, uintptr_t line, int *n)
{
    struct sessions_one *first = NULL;

    *n = 0;
    for (int i = 0; i < l->n; i++) {
        struct sessions_one *one = &l->one[i];
        if (one->active || (line && one->line != line)) continue;
        ++*n;
        if (!first || one->since_ns < first->since_ns) first = one;
    }
    return first;
}

void sessions_served(struct server *s, uintptr_t line)
{
    struct sessions_one *one;
    int n;

    if (s->sessions.n < SESSIONS_PER_LINE) return;
    while ((one = oldest(&s->sessions, line, &n)) && n > SESSIONS_PER_LINE) end(s, one);
    while ((one = oldest(&s->sessions, 0, &n)) && n > SESSIONS_LOGINS) end(s, one);
}

void sessions_line_ended(struct server *s, uintptr_t line)
{
    struct sessions *l = &s->sessions;

    for (int i = l->n - 1; i >= 0; i--) {
        struct sessions_one *one = &l->one[i];
        if (one->line != line) continue;
        one->line = 0;
        one->since_ns = request_scope_clock();
        if (!one->active) end(s, one);
    }
}

void sessions_beat(struct server *s)
{
    struct sessions *l = &s->sessions;
    int64_t now = request_scope_clock();

    for (int i = l->n - 1; i >= 0; i--) {
        struct sessions_one *one = &l->one[i];
        int64_t age = now - one->since_ns;
        if (one->active ? !one->line && age > SESSIONS_ALONE_S * SECOND_NS
                        : age > SESSIONS_LOGIN_S * SECOND_NS)
            end(s, one);
    }
}
