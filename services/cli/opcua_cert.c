/* trapeze opcua cert: the certificates of the server and of its clients. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "services/cli/opcua.h"
#include "services/opcua/keystore.h"

enum { MOST = 1 << 16, PATH = 2 * KEYSTORE_PATH };

static enum status show(struct keystore *k)
{
    char name[KEYSTORE_NAME];
    int made;

    if (keystore_own(k, &made) != STATUS_OK) return STATUS_REFUSED;
    keystore_name(&k->certificate, name);
    printf("%s certificate   %s/own/certificate.der\n", made ? "made the" : "own", k->folder);
    printf("name              %s\n", name);
    printf("application URI   %s\n", KEYSTORE_URI);
    printf("give the file to clients that want to know the server\n");
    return STATUS_OK;
}

static void list(const struct keystore *k, const char *part)
{
    struct keystore_list l;
    char name[KEYSTORE_NAME];

    keystore_read(k, part, &l);
    for (size_t i = 0; i < l.n; i++) {
        keystore_name(&l.item[i], name);
        printf("%-10s %s\n", part, name);
    }
    keystore_free(&l);
}

/* The newest refused certificate, or the one whose name begins so, or a file. */
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

static enum status trust(const struct keystore *k, const char *what)
{
    char path[PATH], to[PATH], name[KEYSTORE_NAME];
    UA_ByteString certificate;

    if (!find(k, "rejected", what, path) || !keystore_load(AT_FDCWD, path, MOST, &certificate)) {
        fprintf(stderr,
                "trapeze opcua: no refused certificate or file '%.80s' (a file has a / in "
                "its name)\n",
                what);
        return STATUS_REFUSED;
    }
    if (certificate.data[0] != 0x30) {
        fprintf(stderr,
                "trapeze opcua: %s is no certificate in DER form: openssl x509 -in FILE "
                "-outform der -out FILE.der\n",
                path);
        UA_ByteString_clear(&certificate);
        return STATUS_REFUSED;
    }
    keystore_name(&certificate, name);
    snprintf(to, sizeof to, "%s/trusted/%s.der", k->folder, name);
    if (!keystore_save(AT_FDCWD, to, certificate.data, certificate.length, 0644)) {
        fprintf(stderr, "trapeze opcua: %s: %s\n", to, strerror(errno));
        UA_ByteString_clear(&certificate);
        return STATUS_REFUSED;
    }
    UA_ByteString_clear(&certificate);
    snprintf(to, sizeof to, "%s/rejected/%s.der", k->folder, name);
    unlink(to);
    printf("trusted %s; no restart is needed\n", name);
    return STATUS_OK;
}

static enum status reject(const struct keystore *k, const char *what)
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

enum status opcua_cert(const struct verb_call *call)
{
    const char *word = call->argument[1], *what = call->argument[2];
    enum status s = STATUS_USAGE;
    struct keystore k;

    if (keystore_open(&k, 0) != STATUS_OK) return STATUS_REFUSED;
    if (strcmp(word, "show") == 0 && call->n_arguments == 2) {
        s = show(&k);
    } else if (strcmp(word, "list") == 0 && call->n_arguments == 2) {
        list(&k, "trusted");
        list(&k, "rejected");
        s = STATUS_OK;
    } else if (strcmp(word, "trust") == 0 && call->n_arguments == 3) {
        s = trust(&k, what);
    } else if (strcmp(word, "reject") == 0 && call->n_arguments == 3) {
        s = reject(&k, what);
    }
    keystore_close(&k);
    return s;
}
