/* trapeze opcua cert: the certificates of the server and of its clients, in plain words. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "services/cli/opcua.h"
#include "services/opcua/access/certview.h"
#include "services/opcua/access/keystore.h"

enum { MOST = 1 << 16, PATH = 2 * KEYSTORE_PATH };

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
        if (e->d_name[0] == '.' || lstat(at, &st) != 0 || strlen(at) >= PATH) continue;
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

static int found(const struct keystore *k, const char *part, const char *what, char path[PATH])
{
    if (find(k, part, what, path)) return 1;
    fprintf(stderr,
            "trapeze opcua: no %s certificate, or several, begin with '%.80s'; a file has a / "
            "in its name\n",
            part, what);
    return 0;
}

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
    struct certview v;
    int made;

    if (keystore_own(k, &made) != STATUS_OK) return STATUS_REFUSED;
    if (!certview_read(&k->certificate, &v)) return STATUS_REFUSED;
    printf("%s certificate   %s/own/certificate.der\n", made ? "made the" : "own", k->folder);
    describe(&k->certificate, &v, KEYSTORE_URI);
    printf("give the file to clients that want to know the server\n");
    return STATUS_OK;
}

static enum status show(struct keystore *k, const char *what)
{
    char path[PATH];
    UA_ByteString der;
    struct certview v;

    if (!what) return show_own(k);
    if (!find(k, "rejected", what, path) && !found(k, "trusted", what, path)) return STATUS_REFUSED;
    if (!load(path, CERTVIEW_CERTIFICATE, &der, &v)) return STATUS_REFUSED;
    describe(&der, &v, NULL);
    UA_ByteString_clear(&der);
    return STATUS_OK;
}

static enum status make(struct keystore *k, const char *what)
{
    (void)what;
    if (keystore_renew(k) != STATUS_OK) return STATUS_REFUSED;
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
        if (strcmp(part, "issuers") == 0 && v.kind && !v.uri[0]) problem = NULL;
        printf("%-8s  %.12s  %-24s  until %s  %s%s%s\n", part, name,
               v.kind == CERTVIEW_CRL ? v.issuer : v.subject, until, v.uri, problem ? "  BUT " : "",
               problem ? problem : "");
    }
    keystore_free(&l);
}

static enum status list(struct keystore *k, const char *what)
{
    static const char *const PART[] = {"trusted", "issuers", "crl", "rejected"};

    (void)what;
    for (int i = 0; i < 4; i++) list_part(k, PART[i]);
    return STATUS_OK;
}

/* ---- changing ---------------------------------------------------------------------- */

static enum status trust(struct keystore *k, const char *what)
{
    char path[PATH], name[KEYSTORE_NAME], rejected[64];
    const char *problem;
    UA_ByteString der;
    struct certview v;
    int ok;

    if (!found(k, "rejected", what, path) || !load(path, CERTVIEW_CERTIFICATE, &der, &v))
        return STATUS_REFUSED;
    keystore_name(&der, name);
    ok = keystore_add(k, "trusted", &der);
    UA_ByteString_clear(&der);
    if (!ok) return STATUS_REFUSED;
    snprintf(rejected, sizeof rejected, "rejected/%s.der", name);
    unlinkat(k->at, rejected, 0);
    printf("trusted %s of %s (%s); no restart is needed\n", name, v.subject, v.uri);
    problem = certview_problem(&v, time(NULL), NULL);
    if (problem) printf("BUT it will be refused all the same: %s\n", problem);
    return STATUS_OK;
}

static enum status reject(struct keystore *k, const char *what)
{
    char path[PATH];

    if (strchr(what, '/') || strcmp(what, "LAST") == 0 || !find(k, "trusted", what, path) ||
        unlink(path) != 0) {
        fprintf(stderr, "trapeze opcua: no trusted certificate, or several, begin with '%.80s'\n",
                what);
        return STATUS_REFUSED;
    }
    printf("no longer trusted: %s; connections that are open stay\n", path);
    return STATUS_OK;
}

/* A file of an authority: its certificate, or what it revoked. */
static enum status take(struct keystore *k, const char *part, enum certview_kind kind,
                        const char *path)
{
    UA_ByteString der;
    struct certview v;
    const char *problem;
    int ok;

    if (!load(path, kind, &der, &v)) return STATUS_REFUSED;
    ok = keystore_add(k, part, &der);
    UA_ByteString_clear(&der);
    if (!ok) return STATUS_REFUSED;
    printf("taken into %s/%s; no restart is needed\n", k->folder, part);
    problem = kind == CERTVIEW_CRL ? certview_problem(&v, time(NULL), NULL) : NULL;
    if (problem) printf("BUT %s\n", problem);
    return STATUS_OK;
}

static enum status issuer(struct keystore *k, const char *what)
{
    return take(k, "issuers", CERTVIEW_CERTIFICATE, what);
}

static enum status crl(struct keystore *k, const char *what)
{
    return take(k, "crl", CERTVIEW_CRL, what);
}

/* ---- the word ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    int least, most; /* words after it */
    enum status (*run)(struct keystore *k, const char *what);
} WORD[] = {
    {"make", 0, 0, make},   {"show", 0, 1, show},     {"list", 0, 0, list},
    {"trust", 1, 1, trust}, {"reject", 1, 1, reject}, {"issuer", 1, 1, issuer},
    {"crl", 1, 1, crl},
};

enum status opcua_cert(const struct verb_call *call)
{
    int more = call->n_arguments - 2;
    enum status s = STATUS_USAGE;
    struct keystore k;

    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++) {
        if (strcmp(WORD[i].name, call->argument[1]) != 0) continue;
        if (more < WORD[i].least || more > WORD[i].most) return STATUS_USAGE;
        if (keystore_open(&k, 0) != STATUS_OK) return STATUS_REFUSED;
        s = WORD[i].run(&k, more ? call->argument[2] : NULL);
        keystore_close(&k);
    }
    return s;
}
