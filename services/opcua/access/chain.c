#include "services/opcua/access/chain.h"

#include <stdio.h>
#include <string.h>

#include "services/opcua/access/listsign.h"

/* The two codes of a finding: of the certificate itself, of one above it. */
struct code {
    UA_StatusCode own, issuer;
};
static const struct code USE = {UA_STATUSCODE_BADCERTIFICATEUSENOTALLOWED,
                                UA_STATUSCODE_BADCERTIFICATEISSUERUSENOTALLOWED};
static const struct code WEAK = {UA_STATUSCODE_BADCERTIFICATEPOLICYCHECKFAILED,
                                 UA_STATUSCODE_BADCERTIFICATEPOLICYCHECKFAILED};
static const struct code UNKNOWN = {UA_STATUSCODE_BADCERTIFICATEREVOCATIONUNKNOWN,
                                    UA_STATUSCODE_BADCERTIFICATEISSUERREVOCATIONUNKNOWN};
static const struct code REVOKED = {UA_STATUSCODE_BADCERTIFICATEREVOKED,
                                    UA_STATUSCODE_BADCERTIFICATEISSUERREVOKED};
static const struct code TIME = {UA_STATUSCODE_BADCERTIFICATETIMEINVALID,
                                 UA_STATUSCODE_BADCERTIFICATEISSUERTIMEINVALID};

static UA_StatusCode of(struct code c, int depth) { return depth ? c.issuer : c.own; }

/* "it" or who stands above it, to begin a clause with. */
static void name_one(const struct certview *v, int depth, char text[CERTVIEW_TEXT + 16])
{
    if (depth)
        snprintf(text, CERTVIEW_TEXT + 16, "its issuer %s", v->subject[0] ? v->subject : "?");
    else
        memcpy(text, "it", sizeof "it");
}

/* ---- one certificate --------------------------------------------------------------- */

static int is_on(const struct keystore_list *l, const struct certview *v)
{
    for (size_t i = 0; i < l->n; i++)
        if (der_is(&v->whole, l->item[i].data, l->item[i].length)) return 1;
    return 0;
}

/* Its own issuer by name, and one of those on the lists. */
static int is_root(const struct chain_lists *lists, const struct certview *v)
{
    return der_equal(&v->subject_name, &v->issuer_name) &&
           (is_on(lists->trusted, v) || is_on(lists->issuers, v));
}

static UA_StatusCode check_strength(const struct certview *v, int depth, int root,
                                    char why[CHAIN_WHY])
{
    char who[CERTVIEW_TEXT + 16];

    name_one(v, depth, who);
    if (!v->strong_hash && !(root && depth)) {
        snprintf(why, CHAIN_WHY,
                 "%s is signed with SHA-1 or weaker, SHA-256 is needed: make a new one", who);
        return of(WEAK, depth);
    }
    if (v->key_bits && v->key_bits < CERTVIEW_KEY_LEAST) {
        snprintf(why, CHAIN_WHY, "%s%s key has %d bits, %d are needed: make a new one",
                 depth ? who : "its", depth ? "'s" : "", v->key_bits, CERTVIEW_KEY_LEAST);
        return of(WEAK, depth);
    }
    return UA_STATUSCODE_GOOD;
}

static UA_StatusCode check_use(const struct certview *v, int depth, char why[CHAIN_WHY])
{
    int usage = v->usage < 0 ? 0 : v->usage;
    char who[CERTVIEW_TEXT + 16];

    name_one(v, depth, who);
    if (depth && v->authority && usage & CERTVIEW_CERT_SIGN) return UA_STATUSCODE_GOOD;
    if (!depth && usage & CERTVIEW_SIGNATURE &&
        usage & (CERTVIEW_KEY_ENCIPHERMENT | CERTVIEW_DATA_ENCIPHERMENT))
        return UA_STATUSCODE_GOOD;
    snprintf(why, CHAIN_WHY, "%.100s was not made for this use: %s: make a new one", who,
             depth ? "an authority needs CA:TRUE and keyUsage keyCertSign"
                   : "it needs keyUsage digitalSignature and keyEncipherment or dataEncipherment");
    return of(USE, depth);
}

static UA_StatusCode check_time(const struct certview *v, int depth, int64_t now_s,
                                char why[CHAIN_WHY])
{
    char who[CERTVIEW_TEXT + 16], day[16];

    if (v->from_s <= now_s && now_s <= v->until_s) return UA_STATUSCODE_GOOD;
    name_one(v, depth, who);
    certview_day(now_s > v->until_s ? v->until_s : v->from_s, day);
    snprintf(why, CHAIN_WHY,
             now_s > v->until_s ? "%s has expired, on %s: make a new one"
                                : "%s is not valid before %s: look at both clocks",
             who, day);
    return of(TIME, depth);
}

/* ---- who stands above -------------------------------------------------------------- */

/* 1 if `issuer` may have signed `v`: by name, and by key where both say which. */
static int may_issue(const struct certview *issuer, const struct certview *v)
{
    return issuer->kind == CERTVIEW_CERTIFICATE &&
           der_equal(&issuer->subject_name, &v->issuer_name) &&
           !der_is(&issuer->whole, v->whole.at, v->whole.n) &&
           (!issuer->key_id.n || !v->issuer_key_id.n ||
            der_equal(&issuer->key_id, &v->issuer_key_id));
}

static int find_on(const struct keystore_list *l, const struct certview *v, struct certview *issuer)
{
    for (size_t i = 0; i < l->n; i++)
        if (certview_read(&l->item[i], issuer) && may_issue(issuer, v)) return 1;
    return 0;
}

/* Among those sent along with the certificate. */
static int find_sent(const UA_ByteString *sent, const struct certview *v, struct certview *issuer)
{
    UA_ByteString rest = *sent;

    for (int i = 0; i < CHAIN_MOST && certview_read(&rest, issuer); i++) {
        if (may_issue(issuer, v)) return 1;
        rest.data += issuer->whole.n;
        rest.length -= issuer->whole.n;
    }
    return 0;
}

/* ---- what it revoked --------------------------------------------------------------- */

/* Of several lists of an issuer the one made last counts of those it signed; where it signed
 * none of them, any. Returns 0 where there is none. */
static int find_list(const struct chain_lists *lists, const struct certview *issuer,
                     struct certview *list, enum listsign *signature)
{
    struct certview one;
    int found = 0;

    for (size_t i = 0; i < lists->crl->n; i++) {
        enum listsign sign;
        if (!certview_read(&lists->crl->item[i], &one) || one.kind != CERTVIEW_CRL ||
            !der_equal(&one.issuer_name, &issuer->subject_name) ||
            (one.issuer_key_id.n && issuer->key_id.n &&
             !der_equal(&one.issuer_key_id, &issuer->key_id)))
            continue;
        sign = listsign_check(lists->keystore, issuer, &one);
        if (found && (*signature == LISTSIGN_GOOD) >= (sign == LISTSIGN_GOOD) &&
            ((*signature == LISTSIGN_GOOD) != (sign == LISTSIGN_GOOD) ||
             one.from_s <= list->from_s))
            continue;
        *list = one;
        *signature = sign;
        found = 1;
    }
    return found;
}

/* What is wrong with the list itself, as a clause behind whose it is; NULL: nothing. */
static const char *list_problem(const struct certview *list, enum listsign signature, int64_t now_s)
{
    if (!list->strong_hash) return "is signed with SHA-1 or weaker";
    if (signature == LISTSIGN_OTHER_METHOD)
        return "cannot be checked: it is not signed by RSA with SHA-256";
    if (signature == LISTSIGN_FORGED) return "was signed by somebody else";
    if (now_s < list->from_s) return "is not valid yet: look at the clock";
    if (!list->until_s) return "does not say until when it is valid";
    return now_s > list->until_s ? "is too old" : NULL;
}

static UA_StatusCode check_revoked(const struct chain_lists *lists, const struct certview *v,
                                   const struct certview *issuer, int depth, int64_t now_s,
                                   char why[CHAIN_WHY])
{
    enum listsign signature = LISTSIGN_FORGED;
    struct certview list;
    const char *problem;
    char day[16];

    if (!find_list(lists, issuer, &list, &signature)) {
        snprintf(
            why, CHAIN_WHY,
            "the list of what its issuer %.64s revoked is missing: trapeze opcua cert crl FILE",
            issuer->subject);
        return of(UNKNOWN, depth);
    }
    if (certview_revokes(&list, v)) {
        snprintf(why, CHAIN_WHY, "its issuer %s has revoked it: make a new one", issuer->subject);
        return of(REVOKED, depth);
    }
    problem = list_problem(&list, signature, now_s);
    if (!problem) return UA_STATUSCODE_GOOD;
    certview_day(list.until_s, day);
    snprintf(why, CHAIN_WHY,
             "the list of what its issuer %.64s revoked %s%s%s: trapeze opcua cert crl FILE",
             issuer->subject, problem, list.until_s ? ", it was valid until " : "",
             list.until_s ? day : "");
    return of(UNKNOWN, depth);
}

/* ---- the whole --------------------------------------------------------------------- */

UA_StatusCode chain_check(const struct chain_lists *lists, const UA_ByteString *certificate,
                          int64_t now_s, char why[CHAIN_WHY])
{
    struct certview v, issuer;
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    why[0] = 0;
    if (!certview_read(certificate, &v) || v.kind != CERTVIEW_CERTIFICATE) {
        snprintf(why, CHAIN_WHY, "it is no certificate in DER form");
        return UA_STATUSCODE_BADCERTIFICATEINVALID;
    }
    for (int depth = 0; depth < CHAIN_MOST && !bad; depth++) {
        int root = is_root(lists, &v);
        bad = check_strength(&v, depth, root, why);
        if (!bad) bad = check_time(&v, depth, now_s, why);
        if (!bad) bad = check_use(&v, depth, why);
        if (bad || root) return bad;
        if (!find_on(lists->trusted, &v, &issuer) && !find_on(lists->issuers, &v, &issuer) &&
            !find_sent(certificate, &v, &issuer)) {
            snprintf(why, CHAIN_WHY,
                     "the certificate of its issuer %s is missing: trapeze opcua cert issuer FILE",
                     v.issuer[0] ? v.issuer : "?");
            return UA_STATUSCODE_BADCERTIFICATECHAININCOMPLETE;
        }
        bad = check_revoked(lists, &v, &issuer, depth, now_s, why);
        v = issuer;
    }
    if (!bad) snprintf(why, CHAIN_WHY, "more than %d certificates stand above it", CHAIN_MOST);
    return bad ? bad : UA_STATUSCODE_BADCERTIFICATECHAININCOMPLETE;
}
