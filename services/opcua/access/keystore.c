#include "services/opcua/access/keystore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <time.h>
#include <unistd.h>

#include <open62541/plugin/create_certificate.h>
#include <open62541/plugin/log_stdout.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/access/digest.h"
#include "services/opcua/loop/library_log.h"

enum { CERTIFICATE_MOST = 1 << 16, DAYS = 3650, KEY_BITS = 2048, LEFTOVER_S = 60 };

/* ---- files ------------------------------------------------------------------------- */

int keystore_load(int at, const char *path, size_t most, UA_ByteString *to)
{
    struct stat st;
    int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), ok = 0;

    *to = UA_BYTESTRING_NULL;
    if (fd < 0) return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (size_t)st.st_size <= most &&
        UA_ByteString_allocBuffer(to, (size_t)st.st_size) == UA_STATUSCODE_GOOD)
        ok = read(fd, to->data, to->length) == (ssize_t)to->length;
    close(fd);
    if (!ok) UA_ByteString_clear(to);
    return ok;
}

int keystore_save(int at, const char *path, const void *data, size_t n, unsigned mode)
{
    char part[KEYSTORE_PATH + 32];
    int fd, ok;

    snprintf(part, sizeof part, "%s.%d.new", path, (int)getpid());
    unlinkat(at, part, 0);
    fd = openat(at, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return 0;
    ok = write(fd, data, n) == (ssize_t)n && fchmod(fd, mode) == 0 && fsync(fd) == 0;
    ok = close(fd) == 0 && ok && renameat(at, part, at, path) == 0;
    if (!ok) unlinkat(at, part, 0);
    return ok;
}

void keystore_name(const UA_ByteString *certificate, char name[KEYSTORE_NAME])
{
    uint8_t d[32];

    digest_eval(certificate->data, certificate->length, d);
    for (int i = 0; i < KEYSTORE_NAME / 2; i++) snprintf(name + 2 * i, 3, "%02x", d[i]);
}

/* ---- the folder -------------------------------------------------------------------- */

int keystore_folder(const char *given, char path[KEYSTORE_PATH])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n;

    if (!given || !given[0]) given = getenv("TRAPEZE_STATE");
    if (given && given[0])
        n = snprintf(path, KEYSTORE_PATH, "%s", given);
    else if (geteuid() == 0)
        n = snprintf(path, KEYSTORE_PATH, "/var/lib/trapeze");
    else if (state && state[0])
        n = snprintf(path, KEYSTORE_PATH, "%s/trapeze", state);
    else
        n = snprintf(path, KEYSTORE_PATH, "%s/.local/state/trapeze", home ? home : ".");
    return n > 0 && n < KEYSTORE_PATH - 64;
}

/* Make a folder and those above it. */
static int make_folder(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = 0;
        mkdir(path, 0755);
        *p = '/';
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* The services' user may put refused certificates there, and nowhere else. */
static void give_away(const char *path)
{
    const struct passwd *p = getpwnam("trapeze");

    if (geteuid() == 0 && chown(path, p ? p->pw_uid : 65534, p ? p->pw_gid : 65534) != 0)
        fprintf(stderr, "trapeze: opcua: %s: %s\n", path, strerror(errno));
}

static DIR *open_part(const struct keystore *k, const char *part)
{
    int fd = openat(k->at, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    if (fd >= 0 && !d) close(fd);
    return d;
}

/* A file being written, or what a power cut left of it. */
static int is_leftover(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".new") == 0;
}

/* The folders below, as they must be. */
static int make_parts(const struct keystore *k, enum keystore_use use)
{
    static const struct {
        const char *name;
        mode_t mode;
    } PART[] = {{"own", 0700}, {"client", 0700},    {"trusted", 0755}, {"issuers", 0755},
                {"crl", 0755}, {"withdrawn", 0755}, {"rejected", 0755}};
    char path[KEYSTORE_PATH + 32] = "";
    struct stat st;

    for (size_t i = 0; i < sizeof PART / sizeof PART[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", k->folder, PART[i].name);
        if (make_folder(path) && stat(path, &st) == 0 &&
            ((st.st_mode & 0777) == PART[i].mode || chmod(path, PART[i].mode) == 0))
            continue;
        fprintf(stderr, "trapeze: opcua: %s cannot be made: %s\n", path, strerror(errno));
        return 0;
    }
    if (use == KEYSTORE_SERVE) give_away(path); /* rejected */
    return 1;
}

/* Remove what a power cut left of files being written. */
static void sweep(const struct keystore *k)
{
    static const char *const PART[] = {".",       "own", "client",    "trusted",
                                       "issuers", "crl", "withdrawn", "rejected"};
    const struct dirent *e;
    struct stat st;

    for (size_t i = 0; i < sizeof PART / sizeof PART[0]; i++) {
        DIR *d = open_part(k, PART[i]);
        while (d && (e = readdir(d)))
            if (is_leftover(e->d_name) &&
                fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                st.st_mtim.tv_sec + LEFTOVER_S < time(NULL))
                unlinkat(dirfd(d), e->d_name, 0);
        if (d) closedir(d);
    }
}

enum status keystore_open(struct keystore *k, const char *given, enum keystore_use use)
{
    *k = (struct keystore){.at = -1};
    if (!keystore_folder(given, k->folder)) {
        fprintf(stderr, "trapeze: opcua: the path of the state folder is too long\n");
        return STATUS_REFUSED;
    }
    memcpy(k->folder + strlen(k->folder), "/opcua", sizeof "/opcua");
    if (use != KEYSTORE_LOOK && !make_parts(k, use)) return STATUS_REFUSED;
    k->at = open(k->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (k->at < 0 && use == KEYSTORE_LOOK) return STATUS_OK;
    if (k->at < 0) return STATUS_REFUSED;
    if (use != KEYSTORE_LOOK) sweep(k);
    return STATUS_OK;
}

int keystore_lock(const struct keystore *k)
{
    int fd = openat(k->at, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), bad;

    if (fd < 0) return -1;
    do bad = flock(fd, LOCK_EX);
    while (bad && errno == EINTR);
    return fd;
}

void keystore_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

/* The folder, or where it is missing the nearest one above it. */
static void nearest(char path[KEYSTORE_PATH])
{
    char *slash;

    while (access(path, F_OK) != 0 && (slash = strrchr(path, '/')) && slash > path) *slash = 0;
}

int keystore_is_usable(const struct keystore *k)
{
    char path[KEYSTORE_PATH];

    memcpy(path, k->folder, sizeof path);
    nearest(path);
    if (faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0) return 1;
    fprintf(stderr,
            "trapeze: opcua: keys and users go to %s, but %s cannot be written: %s; "
            "TRAPEZE_STATE names another folder\n",
            k->folder, path, strerror(errno));
    return 0;
}

void keystore_close(struct keystore *k)
{
    if (k->key.data) explicit_bzero(k->key.data, k->key.length);
    UA_ByteString_clear(&k->key);
    UA_ByteString_clear(&k->certificate);
    if (k->at >= 0) close(k->at);
    k->at = -1;
}

static void forget_own(struct keystore *k)
{
    UA_ByteString_clear(&k->key);
    UA_ByteString_clear(&k->certificate);
}

/* ---- own certificates -------------------------------------------------------------- */

struct identity {
    const char *certificate, *key, *uri, *name;
};
static const struct identity SERVER = {"own/certificate.der", "own/key.der", NULL,
                                       "CN=Trapeze rig"};
static const struct identity CLIENT = {"client/certificate.der", "client/key.der",
                                       "URI:" KEYSTORE_CLIENT_URI, "CN=Trapeze drive"};

static UA_String borrow(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

/* An application URI nobody else has: of this machine, and of this certificate. */
static void new_uri(const char *host, char uri[KEYSTORE_URI_SIZE])
{
    uint32_t at_random = 0;

    if (getrandom(&at_random, sizeof at_random, 0) < 0) at_random = (uint32_t)time(NULL);
    snprintf(uri, KEYSTORE_URI_SIZE, "URI:urn:%s:trapeze:%08x", host[0] ? host : "localhost",
             at_random);
}

/* Valid for this machine by its name and on the loopback. */
static UA_StatusCode make_pair(struct keystore *k, const struct identity *who)
{
    char host[64] = "", dns[sizeof host + 8], uri[KEYSTORE_URI_SIZE];
    UA_String subject[] = {UA_STRING_STATIC("O=Trapeze"), borrow(who->name)};
    UA_String names[] = {UA_STRING_NULL, UA_STRING_STATIC("DNS:localhost"),
                         UA_STRING_STATIC("IP:127.0.0.1"), UA_STRING_NULL};
    UA_KeyValueMap *map = UA_KeyValueMap_new();
    UA_UInt16 days = DAYS, bits = KEY_BITS;
    UA_StatusCode bad = map ? UA_STATUSCODE_GOOD : UA_STATUSCODE_BADOUTOFMEMORY;

    gethostname(host, sizeof host - 1);
    snprintf(dns, sizeof dns, "DNS:%s", host);
    names[3] = borrow(dns);
    new_uri(host, uri);
    names[0] = borrow(who->uri ? who->uri : uri);
    if (!bad)
        bad = UA_KeyValueMap_setScalar(map, UA_QUALIFIEDNAME(0, (char[]){"expires-in-days"}), &days,
                                       &UA_TYPES[UA_TYPES_UINT16]);
    if (!bad)
        bad = UA_KeyValueMap_setScalar(map, UA_QUALIFIEDNAME(0, (char[]){"key-size-bits"}), &bits,
                                       &UA_TYPES[UA_TYPES_UINT16]);
    if (!bad)
        bad = UA_CreateCertificate(library_log_logger(), subject, 2, names, host[0] ? 4 : 3,
                                   UA_CERTIFICATEFORMAT_DER, map, &k->key, &k->certificate);
    UA_KeyValueMap_delete(map);
    return bad;
}

static enum status make(struct keystore *k, const struct identity *who)
{
    UA_StatusCode bad;

    forget_own(k);
    bad = make_pair(k, who);
    if (!bad && keystore_save(k->at, who->key, k->key.data, k->key.length, 0600) &&
        keystore_save(k->at, who->certificate, k->certificate.data, k->certificate.length, 0644))
        return STATUS_OK;
    fprintf(stderr, "trapeze: opcua: no certificate can be made in %s: %s\n", k->folder,
            bad ? UA_StatusCode_name(bad) : strerror(errno));
    forget_own(k);
    return STATUS_REFUSED;
}

static enum status load(struct keystore *k, const struct identity *who, int *made)
{
    *made = 0;
    if (keystore_load(k->at, who->certificate, CERTIFICATE_MOST, &k->certificate) &&
        keystore_load(k->at, who->key, CERTIFICATE_MOST, &k->key))
        return STATUS_OK;
    *made = 1;
    return make(k, who);
}

int keystore_look_own(const struct keystore *k, UA_ByteString *certificate, UA_ByteString *key)
{
    if (key) *key = UA_BYTESTRING_NULL;
    if (!keystore_load(k->at, SERVER.certificate, CERTIFICATE_MOST, certificate)) return 0;
    if (!key || keystore_load(k->at, SERVER.key, CERTIFICATE_MOST, key)) return 1;
    UA_ByteString_clear(certificate);
    return 0;
}

enum status keystore_own(struct keystore *k, int *made) { return load(k, &SERVER, made); }

enum status keystore_client(struct keystore *k, int *made) { return load(k, &CLIENT, made); }

enum status keystore_renew(struct keystore *k) { return make(k, &SERVER); }

/* ---- lists ------------------------------------------------------------------------- */

static void name_skipped(struct keystore_list *l, const char *file)
{
    size_t n = strlen(l->skipped);

    l->n_skipped++;
    snprintf(l->skipped + n, sizeof l->skipped - n, "%s%.60s", n ? ", " : "", file);
}

/* 1 if these bytes are what the part holds. */
static int belongs(const char *part, const UA_ByteString *item)
{
    struct certview v;

    return certview_read(item, &v) &&
           v.kind == (strcmp(part, "crl") == 0 ? CERTVIEW_CRL : CERTVIEW_CERTIFICATE);
}

void keystore_read(const struct keystore *k, const char *part, struct keystore_list *l)
{
    const struct dirent *e;
    DIR *d = open_part(k, part);

    *l = (struct keystore_list){.n = 0};
    while (d && l->n < KEYSTORE_LIST && (e = readdir(d))) {
        UA_ByteString *item = &l->item[l->n];
        if (e->d_name[0] == '.' || is_leftover(e->d_name)) continue;
        if (keystore_load(dirfd(d), e->d_name, CERTIFICATE_MOST, item) && belongs(part, item)) {
            snprintf(l->file[l->n++], KEYSTORE_FILE, "%.63s", e->d_name);
            continue;
        }
        UA_ByteString_clear(item);
        name_skipped(l, e->d_name);
    }
    if (d) closedir(d);
}

void keystore_free(struct keystore_list *l)
{
    for (size_t i = 0; i < l->n; i++) UA_ByteString_clear(&l->item[i]);
    l->n = 0;
}

void keystore_skip(struct keystore_list *l, size_t i)
{
    name_skipped(l, l->file[i]);
    UA_ByteString_clear(&l->item[i]);
    l->n--;
    memmove(&l->item[i], &l->item[i + 1], (l->n - i) * sizeof l->item[0]);
    memmove(&l->file[i], &l->file[i + 1], (l->n - i) * sizeof l->file[0]);
}

/* Remove the oldest file of a part while there are more than `most`. */
static void thin_out(const struct keystore *k, const char *part, int most)
{
    char oldest[256] = "";
    const struct dirent *e;
    struct timespec age = {.tv_sec = 0};
    struct stat st;
    int n = 0;
    DIR *d = open_part(k, part);

    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.' || is_leftover(e->d_name) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n++ == 0 || st.st_mtim.tv_sec < age.tv_sec ||
            (st.st_mtim.tv_sec == age.tv_sec && st.st_mtim.tv_nsec < age.tv_nsec)) {
            age = st.st_mtim;
            memcpy(oldest, e->d_name, strlen(e->d_name) + 1);
        }
    }
    if (d && n > most) {
        fprintf(stderr,
                "trapeze: opcua: %d refused certificates are kept; the oldest, %.8s, gave way\n",
                most, oldest);
        unlinkat(dirfd(d), oldest, 0);
    }
    if (d) closedir(d);
}

/* How many files a part has. */
static int count(const struct keystore *k, const char *part)
{
    const struct dirent *e;
    int n = 0;
    DIR *d = open_part(k, part);

    while (d && (e = readdir(d))) n += e->d_name[0] != '.' && !is_leftover(e->d_name);
    if (d) closedir(d);
    return n;
}

int keystore_add(const struct keystore *k, const char *part, const UA_ByteString *item)
{
    char path[64], name[KEYSTORE_NAME];

    if (count(k, part) >= KEYSTORE_LIST) {
        fprintf(stderr,
                "trapeze opcua: %s/%s has %d files already, more are not read: remove some\n",
                k->folder, part, KEYSTORE_LIST);
        return 0;
    }
    keystore_name(item, name);
    snprintf(path, sizeof path, "%s/%s.der", part, name);
    if (keystore_save(k->at, path, item->data, item->length, 0644)) return 1;
    fprintf(stderr, "trapeze opcua: %s/%s: %s\n", k->folder, path, strerror(errno));
    return 0;
}

int keystore_withdraw(const struct keystore *k, const char *file, const UA_ByteString *certificate)
{
    char path[KEYSTORE_PATH];

    keystore_add(k, "withdrawn",
                 certificate); /* and where that fails it is taken away all the same */
    snprintf(path, sizeof path, "trusted/%.255s", file);
    if (unlinkat(k->at, path, 0) == 0) return 1;
    fprintf(stderr, "trapeze opcua: %s/%s: %s\n", k->folder, path, strerror(errno));
    return 0;
}

void keystore_reject(const struct keystore *k, const UA_ByteString *certificate)
{
    char path[64], name[KEYSTORE_NAME];

    if (certificate->length > CERTIFICATE_MOST) return;
    keystore_name(certificate, name);
    snprintf(path, sizeof path, "rejected/%s.der", name);
    if (utimensat(k->at, path, NULL, AT_SYMLINK_NOFOLLOW) == 0) return; /* again: now the last */
    keystore_save(k->at, path, certificate->data, certificate->length, 0644);
    thin_out(k, "rejected", KEYSTORE_REJECTED);
}
