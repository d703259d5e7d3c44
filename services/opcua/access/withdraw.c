#include "services/opcua/access/withdraw.h"

#include <string.h>
#include <sys/stat.h>

#include "services/opcua/loop/library_log.h"
#include "services/opcua/server.h"
#include "services/opcua/access/trust.h"

/* Why a session has to end, as a clause for the log; NULL: it may stay. */
typedef const char *reason(const struct server *s, const struct rights_session *session,
                           char words[TRUST_WORDS]);

static const char *user_is_gone(const struct server *s, const struct rights_session *session,
                                char words[TRUST_WORDS])
{
    const struct users_entry *e = users_find(&s->settings->users, session->user);

    (void)words;
    if (!e) return "the user is gone";
    return strcmp(e->hash, session->hash) != 0 ? "the password was changed" : NULL;
}

static const char *client_is_refused(const struct server *s, const struct rights_session *session,
                                     char words[TRUST_WORDS])
{
    return trust_check(&s->settings->keystore, &session->certificate, words) ? words : NULL;
}

/* Closing takes a session from the list, so each time the list is begun anew. */
static int close_one(struct server *s, reason *why)
{
    char words[TRUST_WORDS], user[RIGHTS_USER];

    for (struct rights_session *i = s->rights.first; i; i = i->next) {
        const char *text = i->role == RIGHTS_NOBODY ? NULL : why(s, i, words);
        UA_NodeId id;
        if (!text || UA_NodeId_copy(&i->id, &id)) continue;
        memcpy(user, i->user, sizeof user);
        rights_set_role(s, i, RIGHTS_NOBODY);
        library_log_say("session of %s closed: %s", user, text);
        UA_Server_closeSession(s->ua, &id);
        UA_NodeId_clear(&id);
        return 1;
    }
    return 0;
}

/* ---- users ------------------------------------------------------------------------- */

static void look_at_users(struct server *s)
{
    if (users_refresh(s->settings->live, &s->settings->users)) s->withdraw.users_changed = 1;
    if (!s->withdraw.users_changed) return;
    s->withdraw.users_changed = 0;
    while (close_one(s, user_is_gone)) continue;
    for (struct rights_session *i = s->rights.first; i; i = i->next) {
        const struct users_entry *e = users_find(&s->settings->users, i->user);
        if (!e || i->role == RIGHTS_NOBODY || i->role == e->role) continue;
        library_log_say("%s is %s now, was %s", i->user, rights_role_text(e->role),
                        rights_role_text(i->role));
        rights_set_role(s, i, e->role);
    }
}

/* ---- certificates ------------------------------------------------------------------ */

static int lists_changed(struct server *s)
{
    static const char *const PART[WITHDRAW_PARTS] = {"trusted", "issuers", "crl"};
    struct withdraw *w = &s->withdraw;
    int changed = 0, known = w->known;

    for (int i = 0; i < WITHDRAW_PARTS; i++) {
        struct stat st = {.st_mode = 0};
        fstatat(s->settings->keystore.at, PART[i], &st, 0);
        changed |= st.st_mtim.tv_sec != w->changed[i].tv_sec ||
                   st.st_mtim.tv_nsec != w->changed[i].tv_nsec;
        w->changed[i] = st.st_mtim;
    }
    w->known = 1;
    return changed && known;
}

void withdraw_look(struct server *s)
{
    int64_t now = request_scope_clock();

    if (s->settings->insecure || now < s->withdraw.next_ns) return;
    s->withdraw.next_ns = now + WITHDRAW_MS * INT64_C(1000000);
    look_at_users(s);
    if (lists_changed(s))
        while (close_one(s, client_is_refused)) continue;
}

UA_StatusCode withdraw_judge(struct server *s, const UA_ByteString *certificate)
{
    char words[TRUST_WORDS];

    if (s->settings->insecure) return UA_STATUSCODE_GOOD;
    /* sessions are closed later: one of them may be the one that is let in */
    if (users_refresh(s->settings->live, &s->settings->users)) s->withdraw.users_changed = 1;
    return certificate ? trust_check(&s->settings->keystore, certificate, words)
                       : UA_STATUSCODE_BADCERTIFICATEINVALID;
}
