/* trapeze opcua cert: the certificates of the server and of its clients, in plain words. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "services/cli/ask.h"
#include "services/cli/opcua.h"
#include "services/opcua/access/certview.h"
#include "services/opcua/access/trust.h"

enum { MOST = 1 << 16, PATH = 2 * KEYSTORE_PATH, DIGITS_LEAST = 8, RECENT_S = 600 };

/* What stood behind the word. */
struct word_call {
    const char *what; /* NULL: nothing */
    struct opcua_sure sure;
};

/* ---- finding ----------------------------------------------------------------------- */

/* The newest of a part (LAST), or the one whose name begins so, or a file (has a /). */
static int find(const struct keystore *k, const char *part, const char *what, char path[PATH])
{
    char folder[PATH], at[PATH + 256];
    const struct dirent *e;
    struct timespec newest = {.tv_sec = 0};
    struct stat st;
    int found = 0, last = strcmp(what, "LAST") == 0;
    DIR *d;

    if (!last && strchr(what, '/')) return snprintf(path, PATH, "%s", what) < PATH;
    snprintf(folder, sizeof folder, "%s/%s", k->folder, part);
    d = opendir(folder);
    while (d && (e = readdir(d))) {
        snprintf(at, sizeof at, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || strstr(e->d_name, ".new") || lstat(at, &st) != 0 ||
            !S_ISREG(st.st_mode) || strlen(at) >= PATH)
            continue;
        if (!last && strncmp(e->d_name, what, strlen(what)) != 0) continue;
        if (last && (st.st_mtim.tv_sec < newest.tv_sec ||
                     (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec < newest.tv_nsec)))
            continue;
        newest = st.st_mtim;
        memcpy(path, at, strlen(at) + 1);
        found = last ? 1 : found + 1;
    }
    if (d) closedir(d);
    return found == 1;
}

/* Load what find found, of this kind. Says what is wrong. */
static int load(const char *path, enum certview_kind kind, UA_ByteString *der, struct certview *v)
{
    if (!keystore_load(AT_FDCWD, path, MOST, der)) {
        fprintf(stderr, "trapeze opcua: %s cannot be read\n", path);
        return 0;
    }
    if (certview_read(der, v) && v->kind == kind) return 1;
    fprintf(stderr,
            "trapeze opcua: %s is no %s in DER form: openssl %s -in FILE -outform der -out "
            "FILE.der\n",
            path, kind == CERTVIEW_CRL ? "list of revoked certificates" : "certificate",
            kind == CERTVIEW_CRL ? "crl" : "x509");
    UA_ByteString_clear(der);
    return 0;
}

/* Of several parts, closed by NULL, the first that has it. */
static int found(const struct keystore *k, const char *const *part, const char *what,
                 char path[PATH])
{
    for (int i = 0; part[i]; i++)
        if (find(k, part[i], what, path)) return 1;
    if (strcmp(what, "LAST") == 0)
        fprintf(stderr, "trapeze opcua: no certificate was refused so far, in %s\n", k->folder);
    else
        fprintf(stderr,
                "trapeze opcua: no %s certificate, or several, begin with '%.80s'; a file has a / "
                "in its name: trapeze opcua cert list\n",
                part[0], what);
    return 0;
}

static const char *const REFUSED_ONCE[] = {"rejected", "withdrawn", NULL};
static const char *const ANY[] = {"rejected", "trusted", "withdrawn", "issuers", NULL};

/* ---- showing ----------------------------------------------------------------------- */

static void describe(const UA_ByteString *der, const struct certview *v, const char *uri)
{
    const char *problem = certview_problem(v, time(NULL), uri);
    char name[KEYSTORE_NAME], from[16], until[16];

    keystore_name(der, name);
    certview_day(v->from_s, from);
    certview_day(v->until_s, until);
    printf("name              %s\n", name);
    if (v->kind == CERTVIEW_CERTIFICATE) {
        printf("of                %s\n", v->subject[0] ? v->subject : "nobody named");
        printf("application URI   %s\n", v->uri[0] ? v->uri : "none");
    }
    printf("issued by         %s\n", v->issuer[0] ? v->issuer : "nobody named");
    printf("valid             %s to %s\n", from, v->until_s ? until : "an unknown day");
    if (v->key_bits) printf("key               RSA, %d bits\n", v->key_bits);
    if (problem) printf("BUT               %s\n", problem);
}

static enum status show_own(struct keystore *k)
{
    UA_ByteString der;
    struct certview v;
    enum status s = STATUS_REFUSED;

    if (!keystore_look_own(k, &der, NULL)) {
        fprintf(stderr,
                "trapeze opcua: there is no certificate in %s yet: trapeze opcua cert make, or the "
                "first start of a rig makes it\n",
                k->folder);
        return STATUS_REFUSED;
    }
    if (certview_read(&der, &v)) {
        printf("own certificate   %s/own/certificate.der\n", k->folder);
        describe(&der, &v, v.uri);
        printf("give the file to clients that want to know the server\n");
        s = STATUS_OK;
    }
    UA_ByteString_clear(&der);
    return s;
}

static enum status show(struct keystore *k, const struct word_call *w)
{
    char path[PATH];
    UA_ByteString der;
    struct certview v;

    if (!w->what) return show_own(k);
    if (!found(k, ANY, w->what, path) || !load(path, CERTVIEW_CERTIFICATE, &der, &v))
        return STATUS_REFUSED;
    describe(&der, &v, NULL);
    UA_ByteString_clear(&der);
    return STATUS_OK;
}

static enum status check(struct keystore *k, const struct word_call *w)
{
    char path[PATH], words[TRUST_WORDS], name[KEYSTORE_NAME];
    UA_ByteString der;
    UA_StatusCode bad;
    struct certview v;

    if (!found(k, ANY, w->what, path) || !load(path, CERTVIEW_CERTIFICATE, &der, &v))
        return STATUS_REFUSED;
    keystore_name(&der, name);
    bad = trust_check(k, &der, words);
    UA_ByteString_clear(&der);
    if (bad)
        printf("%.12s of %s would be refused: %s (%s)\n", name, v.subject, words,
               UA_StatusCode_name(bad));
    else
        printf("%.12s of %s would be let in\n", name, v.subject);
    return bad ? STATUS_REFUSED : STATUS_OK;
}

static enum status make(struct keystore *k, const struct word_call *w)
{
    int lock = keystore_lock(k);
    enum status s = keystore_renew(k);

    (void)w;
    keystore_unlock(lock);
    if (s != STATUS_OK) return STATUS_REFUSED;
    printf("made a new certificate; rigs take it at their next start, and clients that knew the "
           "old one must trust it again\n");
    return show_own(k);
}

static void list_part(const struct keystore *k, const char *part)
{
    struct keystore_list l;
    struct certview v;
    char name[KEYSTORE_NAME], until[16];

    keystore_read(k, part, &l);
    for (size_t i = 0; i < l.n; i++) {
        const char *problem;
        keystore_name(&l.item[i], name);
        certview_read(&l.item[i], &v);
        certview_day(v.until_s, until);
        problem = v.kind ? certview_problem(&v, time(NULL), NULL) : "it cannot be read";
        printf("%-9s  %.12s  %-24s  until %s  %s%s%s\n", part, name,
               v.kind == CERTVIEW_CRL ? v.issuer : v.subject, until, v.uri, problem ? "  BUT " : "",
               problem ? problem : "");
    }
    if (l.n_skipped)
        printf("%-9s  left out, not readable or no certificate in DER form: %s\n", part, l.skipped);
    keystore_free(&l);
}

static enum status list(struct keystore *k, const struct word_call *w)
{
    static const char *const PART[] = {"trusted", "issuers", "crl", "rejected", "withdrawn"};

    (void)w;
    for (int i = 0; i < 5; i++) list_part(k, PART[i]);
    return STATUS_OK;
}

/* ---- changing ---------------------------------------------------------------------- */

/* 1 if the digits begin the fingerprint; colons and capitals as openssl writes them do. */
static int begins(const char *name, const char *digits)
{
    int n = 0;

    for (; *digits; digits++) {
        if (*digits == ':') continue;
        if (n == KEYSTORE_NAME - 1) return 1; /* more digits than a name has */
        if (tolower((unsigned char)*digits) != name[n++]) return 0;
    }
    return n >= DIGITS_LEAST;
}

/* How many others were refused within these seconds. */
static int others(const struct keystore *k, const char *name, int within_s)
{
    char folder[PATH], at[PATH + 256];
    const struct dirent *e;
    struct stat st;
    int n = 0;

    snprintf(folder, sizeof folder, "%s/rejected", k->folder);
    DIR *d = opendir(folder);
    while (d && (e = readdir(d))) {
        snprintf(at, sizeof at, "%s/%s", folder, e->d_name);
        n += e->d_name[0] != '.' && strncmp(e->d_name, name, KEYSTORE_NAME - 1) != 0 &&
             lstat(at, &st) == 0 && st.st_mtim.tv_sec + within_s > time(NULL);
    }
    if (d) closedir(d);
    return n;
}

/* Whoever reaches the port can be the last one refused: somebody must say that this is the
 * right one, by its first digits, by a file, or by answering. */
static int is_sure(const struct keystore *k, const struct word_call *w, const UA_ByteString *der,
                   const struct certview *v)
{
    char name[KEYSTORE_NAME];
    int n, answer;

    keystore_name(der, name);
    if (w->sure.fingerprint && begins(name, w->sure.fingerprint)) return 1;
    if (w->sure.fingerprint) {
        fprintf(stderr,
                "trapeze opcua: the certificate of %s has the fingerprint %s, which does not begin "
                "with '%.80s' (at least %d digits)\n",
                v->subject, name, w->sure.fingerprint, DIGITS_LEAST);
        return 0;
    }
    if (w->sure.yes || strchr(w->what, '/') || begins(name, w->what)) return 1;
    describe(der, v, NULL);
    n = others(k, name, RECENT_S);
    if (n)
        printf(
            "%d other certificates were refused in the last %d minutes: trapeze opcua cert list\n",
            n, RECENT_S / 60);
    fflush(stdout);
    answer = ask_yes("is this the fingerprint (name) of the client you mean?");
    if (answer < 0)
        fprintf(
            stderr,
            "trapeze opcua: whoever reaches the port can be the last one refused: say that this "
            "is the right one by --fingerprint %.8s, or --yes\n",
            name);
    return answer == 1;
}

/* What keeps it, or what it signed, from being let in. */
static void say_what_is_missing(const struct keystore *k, const UA_ByteString *der,
                                const struct certview *v)
{
    char words[TRUST_WORDS];
    struct keystore_list l;
    struct certview one;
    int lists = 0;

    if (!v->authority) {
        if (trust_check(k, der, words)) printf("BUT it will be refused all the same: %s\n", words);
        return;
    }
    keystore_read(k, "crl", &l);
    for (size_t i = 0; i < l.n; i++)
        lists += certview_read(&l.item[i], &one) && der_equal(&one.issuer_name, &v->subject_name);
    keystore_free(&l);
    if (!lists)
        printf("it is an authority: what it signed is let in once its list of revoked certificates "
               "is here too: trapeze opcua cert crl FILE\n");
}

static enum status trust(struct keystore *k, const struct word_call *w)
{
    char path[PATH], name[KEYSTORE_NAME], old[64];
    UA_ByteString der;
    struct certview v;
    int ok, lock;

    if (!found(k, REFUSED_ONCE, w->what, path) || !load(path, CERTVIEW_CERTIFICATE, &der, &v))
        return STATUS_REFUSED;
    keystore_name(&der, name);
    ok = is_sure(k, w, &der, &v);
    lock = ok ? keystore_lock(k) : -1;
    ok = ok && keystore_add(k, "trusted", &der);
    for (int i = 0; ok && REFUSED_ONCE[i]; i++) {
        snprintf(old, sizeof old, "%s/%s.der", REFUSED_ONCE[i], name);
        unlinkat(k->at, old, 0);
    }
    keystore_unlock(lock);
    if (ok) printf("trusted %s of %s (%s); no restart is needed\n", name, v.subject, v.uri);
    if (ok) say_what_is_missing(k, &der, &v);
    UA_ByteString_clear(&der);
    return ok ? STATUS_OK : STATUS_REFUSED;
}

static enum status reject(struct keystore *k, const struct word_call *w)
{
    static const char *const TRUSTED[] = {"trusted", NULL};
    char path[PATH];
    UA_ByteString der;
    struct certview v;
    int ok, lock;

    if (strchr(w->what, '/') || strcmp(w->what, "LAST") == 0) return STATUS_USAGE;
    if (!found(k, TRUSTED, w->what, path) || !load(path, CERTVIEW_CERTIFICATE, &der, &v))
        return STATUS_REFUSED;
    lock = keystore_lock(k);
    ok = keystore_withdraw(k, strrchr(path, '/') + 1, &der);
    keystore_unlock(lock);
    UA_ByteString_clear(&der);
    if (!ok) return STATUS_REFUSED;
    printf("%s is no longer trusted, its sessions end; to take it back: trapeze opcua cert trust "
           "%.12s\n",
           v.subject, w->what);
    return STATUS_OK;
}

/* A file of an authority: its certificate, or what it revoked. */
static enum status take(struct keystore *k, const char *part, enum certview_kind kind,
                        const char *path)
{
    UA_ByteString der;
    struct certview v;
    const char *problem;
    int ok, lock;

    if (!load(path, kind, &der, &v)) return STATUS_REFUSED;
    lock = keystore_lock(k);
    ok = keystore_add(k, part, &der);
    keystore_unlock(lock);
    UA_ByteString_clear(&der);
    if (!ok) return STATUS_REFUSED;
    printf("taken into %s/%s; no restart is needed\n", k->folder, part);
    problem = kind == CERTVIEW_CRL ? certview_problem(&v, time(NULL), NULL) : NULL;
    if (problem) printf("BUT %s\n", problem);
    return STATUS_OK;
}

static enum status issuer(struct keystore *k, const struct word_call *w)
{
    return take(k, "issuers", CERTVIEW_CERTIFICATE, w->what);
}

static enum status crl(struct keystore *k, const struct word_call *w)
{
    return take(k, "crl", CERTVIEW_CRL, w->what);
}

/* ---- the word ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    int least, most; /* words after it */
    enum keystore_use use;
    enum status (*run)(struct keystore *k, const struct word_call *w);
} WORD[] = {
    {"make", 0, 0, KEYSTORE_CHANGE, make},     {"show", 0, 1, KEYSTORE_LOOK, show},
    {"list", 0, 0, KEYSTORE_LOOK, list},       {"check", 1, 1, KEYSTORE_LOOK, check},
    {"trust", 1, 1, KEYSTORE_CHANGE, trust},   {"reject", 1, 1, KEYSTORE_CHANGE, reject},
    {"issuer", 1, 1, KEYSTORE_CHANGE, issuer}, {"crl", 1, 1, KEYSTORE_CHANGE, crl},
};

enum status opcua_cert(const struct verb_call *call, const char *state, struct opcua_sure sure)
{
    int more = call->n_arguments - 2;
    struct word_call w = {more > 0 ? call->argument[2] : NULL, sure};
    enum status s = STATUS_USAGE;
    struct keystore k;

    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++) {
        if (strcmp(WORD[i].name, call->argument[1]) != 0) continue;
        if (more < WORD[i].least || more > WORD[i].most) return STATUS_USAGE;
        if (keystore_open(&k, state, WORD[i].use) != STATUS_OK) return STATUS_REFUSED;
        s = WORD[i].run(&k, &w);
        keystore_close(&k);
    }
    return s;
}
