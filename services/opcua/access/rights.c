#include "services/opcua/access/rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/opcua/lane/handover.h"
#include "services/opcua/server.h"

enum { READ = UA_ACCESSLEVELMASK_READ };
/* A Write may carry a time and a Good status: clients often send them. */
enum {
    WRITE = UA_ACCESSLEVELMASK_WRITE | UA_ACCESSLEVELMASK_STATUSWRITE |
            UA_ACCESSLEVELMASK_TIMESTAMPWRITE
};

const char *rights_role_text(enum rights_role role)
{
#define X(code, text) text,
    static const char *const TEXT[] = {RIGHTS_ROLE_LIST(X)};
#undef X
    return role < RIGHTS_ROLES ? TEXT[role] : "?";
}

enum rights_role rights_role_for(uint32_t request_kind)
{
#define X(code, text, role, authority) [code] = RIGHTS_##role,
    static const uint8_t ROLE[REQUEST_COUNT] = {REQUEST_LIST(X)};
#undef X
    return request_kind < REQUEST_COUNT ? ROLE[request_kind] : RIGHTS_SUPERVISOR;
}

/* ---- sessions ---------------------------------------------------------------------- */

static struct rights_session *session_create(struct server *s)
{
    struct rights_session *session = calloc(1, sizeof *session);

    if (!session) return NULL;
    session->number = (uint64_t)s->attach->port.epoch << 32 | ++s->rights.count;
    session->next = s->rights.first;
    s->rights.first = session;
    return session;
}

/* Give the authority of a session back. */
static void release(struct server *s, struct rights_session *session)
{
    struct request q = {
        .kind = REQUEST_RELEASE, .lease = session->lease, .session = session->number};

    snprintf(q.who, sizeof q.who, "%s", session->user);
    if (session->lease && session->lends) handover_stop(s);
    if (session->lease) port_send(&s->attach->port, &q);
    session->lease = 0;
}

/* The name a token gives. */
static void user_of(const UA_ExtensionObject *token, char name[RIGHTS_USER])
{
    const UA_UserNameIdentityToken *user = token->content.decoded.data;
    int named = token->encoding >= UA_EXTENSIONOBJECT_DECODED &&
                token->content.decoded.type == &UA_TYPES[UA_TYPES_USERNAMEIDENTITYTOKEN];

    snprintf(name, RIGHTS_USER, "%.*s", named ? (int)user->userName.length : 9,
             named ? (const char *)user->userName.data : "anonymous");
}

/* The role a token stands for; RIGHTS_NOBODY: refused. */
static enum rights_role role_of(struct server *s, const UA_ExtensionObject *token,
                                const UA_ByteString *certificate)
{
    const UA_UserNameIdentityToken *user;
    int anonymous = token->encoding == UA_EXTENSIONOBJECT_ENCODED_NOBODY ||
                    (token->encoding >= UA_EXTENSIONOBJECT_DECODED &&
                     token->content.decoded.type == &UA_TYPES[UA_TYPES_ANONYMOUSIDENTITYTOKEN]);

    if (anonymous) return s->settings->insecure ? RIGHTS_ENGINEER : RIGHTS_NOBODY;
    if (s->settings->insecure || token->encoding < UA_EXTENSIONOBJECT_DECODED ||
        token->content.decoded.type != &UA_TYPES[UA_TYPES_USERNAMEIDENTITYTOKEN])
        return RIGHTS_NOBODY;
    user = token->content.decoded.data;
    return users_check(&s->settings->users, &(struct users_claim){.name = &user->userName,
                                                                  .password = &user->password,
                                                                  .client = certificate,
                                                                  .now_ns = request_scope_clock()});
}

/* What is needed to take the session away again: its name, its client, its password. */
static UA_StatusCode remember(const struct server *s, struct rights_session *session,
                              const UA_NodeId *id, const UA_ByteString *certificate)
{
    const struct users_entry *e = users_find(&s->settings->users, session->user);
    UA_StatusCode bad;

    UA_NodeId_clear(&session->id);
    UA_ByteString_clear(&session->certificate);
    bad = UA_NodeId_copy(id, &session->id);
    if (!bad && certificate) bad = UA_ByteString_copy(certificate, &session->certificate);
    memset(session->hash, 0, sizeof session->hash);
    if (e) memcpy(session->hash, e->hash, sizeof session->hash);
    return bad;
}

static UA_StatusCode activate_quietly(UA_Server *ua, UA_AccessControl *ac,
                                      const UA_EndpointDescription *endpoint,
                                      const UA_ByteString *certificate, const UA_NodeId *id,
                                      const UA_ExtensionObject *token, void **context)
{
    struct server *s = server_of(ua);
    struct rights_session *session = *context;
    UA_StatusCode bad = withdraw_judge(s, certificate);
    enum rights_role role = bad ? RIGHTS_NOBODY : role_of(s, token, certificate);
    char user[RIGHTS_USER];

    user_of(token, user);
    (void)ac, (void)endpoint;
    if (bad) return bad;
    if (session) session->role = RIGHTS_NOBODY;
    if (role == RIGHTS_NOBODY)
        return s->settings->insecure ? UA_STATUSCODE_BADIDENTITYTOKENREJECTED
                                     : UA_STATUSCODE_BADUSERACCESSDENIED;
    bad = sessions_activate(s, id, request_scope_connection(), certificate, role > RIGHTS_OBSERVER);
    if (bad) return bad;
    chunk_limit_trust(&s->chunk_limit, request_scope_connection());
    if (!session) *context = session = session_create(s);
    if (!session) return UA_STATUSCODE_BADOUTOFMEMORY;
    if (strcmp(session->user, user) != 0) release(s, session);
    memcpy(session->user, user, sizeof user);
    session->role = role;
    session->connection = request_scope_connection();
    return remember(s, session, id, certificate);
}

static UA_StatusCode activate(UA_Server *ua, UA_AccessControl *ac,
                              const UA_EndpointDescription *endpoint,
                              const UA_ByteString *certificate, const UA_NodeId *id,
                              const UA_ExtensionObject *token, void **context)
{
    UA_StatusCode bad = activate_quietly(ua, ac, endpoint, certificate, id, token, context);
    char user[RIGHTS_USER];

    user_of(token, user);
    audit_login(server_of(ua), id, user, bad);
    return bad;
}

void rights_set_role(struct server *s, struct rights_session *session, enum rights_role role)
{
    session->role = role;
    if (role < RIGHTS_OPERATOR) release(s, session);
}

/* A session that ends gives its authority back, whoever asks for the next. */
static void close_session(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id, void *context)
{
    struct server *s = server_of(ua);
    struct rights_session *session = context, **at = &s->rights.first;

    (void)ac;
    sessions_forget(s, id);
    if (!session) return;
    release(s, session);
    while (*at && *at != session) at = &(*at)->next;
    if (*at) *at = session->next;
    UA_NodeId_clear(&session->id);
    UA_ByteString_clear(&session->certificate);
    free(session);
}

int rights_holds(struct server *s, struct rights_session *session)
{
    const struct request_scope *t = request_scope_now(s);
    const struct record_lease *l = &t->record->lease;

    if (session->lease == 0) return 0;
    if (t->number && t->record->tick >= session->lease_tick &&
        (l->number != session->lease || l->service != s->attach->port.self))
        session->lease = 0;
    return session->lease != 0;
}

struct rights_session *rights_find(struct server *s, uint64_t number)
{
    struct rights_session *i = s->rights.first;

    while (i && i->number != number) i = i->next;
    return i;
}

struct rights_session *rights_holder(struct server *s)
{
    for (struct rights_session *i = s->rights.first; i; i = i->next)
        if (i->lease && rights_holds(s, i)) return i;
    return NULL;
}

/* ---- nodes ------------------------------------------------------------------------- */

static enum rights_role role(const void *session_context)
{
    return session_context ? ((const struct rights_session *)session_context)->role : RIGHTS_NOBODY;
}

static UA_UInt32 rights_mask(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                             void *session, const UA_NodeId *node, void *context)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)node, (void)context;
    return 0; /* no attribute but the value is ever written */
}

/* Names, certificates and addresses of the others: not for everybody (Part 5, 6.3.4). The
 * library's own nodes, in namespace 1, are those of the sessions. */
static int is_about_sessions(const UA_NodeId *node)
{
    UA_UInt32 i = node->identifier.numeric;

    if (node->namespaceIndex == 1) return 1;
    return node->namespaceIndex == 0 && node->identifierType == UA_NODEIDTYPE_NUMERIC &&
           (i ==
                UA_NS0ID_SERVER_SERVERDIAGNOSTICS_SESSIONSDIAGNOSTICSSUMMARY_SESSIONDIAGNOSTICSARRAY ||
            i ==
                UA_NS0ID_SERVER_SERVERDIAGNOSTICS_SESSIONSDIAGNOSTICSSUMMARY_SESSIONSECURITYDIAGNOSTICSARRAY);
}

/* Namespace 0 is for reading; our own nodes say who may write. */
static UA_Byte access_level(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id, void *session,
                            const UA_NodeId *node, void *context)
{
    const struct rights_node *n = context;

    (void)ac, (void)id;
    if (role(session) < RIGHTS_OBSERVER) return 0;
    if (is_about_sessions(node)) return role(session) >= RIGHTS_ENGINEER ? READ : 0;
    if (node->namespaceIndex != server_of(ua)->ns || !n || !n->write) return READ;
    return role(session) >= (enum rights_role)n->write ? READ | WRITE : READ;
}

/* Of namespace 0 only what concerns the caller's own subscriptions. */
static UA_Boolean executable(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                             void *session, const UA_NodeId *method, void *context)
{
    const struct rights_node *n = context;

    (void)ac, (void)id;
    if (method->namespaceIndex == server_of(ua)->ns)
        return n && n->call && role(session) >= (enum rights_role)n->call;
    return role(session) >= RIGHTS_OBSERVER && method->namespaceIndex == 0 &&
           method->identifierType == UA_NODEIDTYPE_NUMERIC &&
           (method->identifier.numeric == UA_NS0ID_SERVER_GETMONITOREDITEMS ||
            method->identifier.numeric == UA_NS0ID_SERVER_RESENDDATA);
}

static UA_Boolean executable_on(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                                void *session, const UA_NodeId *method, void *context,
                                const UA_NodeId *object, void *object_context)
{
    const struct rights_session *who = session;
    UA_Boolean may = executable(ua, ac, id, session, method, context);
    char what[RIGHTS_USER * 2];

    (void)object, (void)object_context;
    calls_note_session(server_of(ua), session);
    if (may || !who || method->identifierType != UA_NODEIDTYPE_STRING) return may;
    snprintf(what, sizeof what, "%.*s", (int)method->identifier.string.length,
             (const char *)method->identifier.string.data);
    events_refused(server_of(ua), who, what, "the role may not");
    return may;
}

static UA_Boolean browsable(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id, void *session,
                            const UA_NodeId *node, void *context)
{
    (void)ua, (void)ac, (void)id, (void)node, (void)context;
    return role(session) >= RIGHTS_OBSERVER;
}

/* ---- never ------------------------------------------------------------------------- */

static UA_Boolean no_node(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id, void *session,
                          const UA_AddNodesItem *item)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)item;
    return false;
}

static UA_Boolean no_reference(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                               void *session, const UA_AddReferencesItem *item)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)item;
    return false;
}

static UA_Boolean no_delete(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id, void *session,
                            const UA_DeleteNodesItem *item)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)item;
    return false;
}

static UA_Boolean no_delete_reference(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                                      void *session, const UA_DeleteReferencesItem *item)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)item;
    return false;
}

static UA_Boolean no_transfer(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *old_id,
                              void *old_session, const UA_NodeId *id, void *session)
{
    (void)ua, (void)ac, (void)old_id, (void)old_session, (void)id, (void)session;
    return false;
}

#ifdef UA_ENABLE_HISTORIZING
static UA_Boolean no_history(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                             void *session, const UA_NodeId *node, UA_PerformUpdateType type,
                             const UA_DataValue *value)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)node, (void)type, (void)value;
    return false;
}

static UA_Boolean no_history_delete(UA_Server *ua, UA_AccessControl *ac, const UA_NodeId *id,
                                    void *session, const UA_NodeId *node, UA_DateTime from,
                                    UA_DateTime to, bool modified)
{
    (void)ua, (void)ac, (void)id, (void)session, (void)node, (void)from, (void)to, (void)modified;
    return false;
}
#endif

/* ---- the plugin -------------------------------------------------------------------- */

static void clear(UA_AccessControl *ac)
{
    UA_Array_delete(ac->userTokenPolicies, ac->userTokenPoliciesSize,
                    &UA_TYPES[UA_TYPES_USERTOKENPOLICY]);
    ac->userTokenPolicies = NULL;
    ac->userTokenPoliciesSize = 0;
}

UA_StatusCode rights_install(struct server *s, UA_ServerConfig *config)
{
    UA_AccessControl *ac = &config->accessControl;

    if (ac->clear) ac->clear(ac);
    *ac = (UA_AccessControl){
        .context = s,
        .clear = clear,
        .activateSession = activate,
        .closeSession = close_session,
        .getUserRightsMask = rights_mask,
        .getUserAccessLevel = access_level,
        .getUserExecutable = executable,
        .getUserExecutableOnObject = executable_on,
        .allowAddNode = no_node,
        .allowAddReference = no_reference,
        .allowDeleteNode = no_delete,
        .allowDeleteReference = no_delete_reference,
        .allowBrowseNode = browsable,
        .allowTransferSubscription = no_transfer,
    };
#ifdef UA_ENABLE_HISTORIZING
    ac->allowHistoryUpdateUpdateData = no_history;
    ac->allowHistoryUpdateDeleteRawModified = no_history_delete;
#endif
    ac->userTokenPolicies = UA_Array_new(1, &UA_TYPES[UA_TYPES_USERTOKENPOLICY]);
    if (!ac->userTokenPolicies) return UA_STATUSCODE_BADOUTOFMEMORY;
    ac->userTokenPoliciesSize = 1;
    ac->userTokenPolicies[0].tokenType = s->settings->insecure ? UA_USERTOKENTYPE_ANONYMOUS
                                                               : UA_USERTOKENTYPE_USERNAME;
    ac->userTokenPolicies[0].policyId = UA_STRING_ALLOC(s->settings->insecure ? "anonymous"
                                                                              : "username");
    return UA_STATUSCODE_GOOD;
}
