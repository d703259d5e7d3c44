#include "services/opcua/access/users.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "services/opcua/access/digest.h"
#include "services/opcua/loop/library_log.h"

enum { FILE_MOST = 1 << 15, PASSWORD = 128, PASSWORD_LEAST = 8, WAIT_MOST_S = 60 };
enum { LIVE_LINE = 66 }; /* '#', a digest in hexadecimal, a new line */
#define SECOND INT64_C(1000000000)
/* yescrypt as Debian sets it, for a name nobody has */
#define NOBODY "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7"

static void file_path(const struct keystore *k, char path[KEYSTORE_PATH + 16])
{
    snprintf(path, KEYSTORE_PATH + 16, "%s/users", k->folder);
}

static enum rights_role find_role(const char *text)
{
    for (enum rights_role r = RIGHTS_OBSERVER; r < RIGHTS_ROLES; r++)
        if (strcmp(rights_role_text(r), text) == 0) return r;
    return RIGHTS_NOBODY;
}

static struct users_entry *find(struct users *u, const char *name, size_t n)
{
    for (int i = 0; i < u->n; i++)
        if (strlen(u->entry[i].name) == n && memcmp(u->entry[i].name, name, n) == 0)
            return &u->entry[i];
    return NULL;
}

/* ---- the file ---------------------------------------------------------------------- */

static int read_line(struct users *u, char *line)
{
    char *role = strchr(line, ':'), *hash;
    struct users_entry *e = &u->entry[u->n];

    if (!role || u->n == USERS_MOST) return 0;
    *role++ = 0;
    hash = strchr(role, ':');
    if (!hash) return 0;
    *hash++ = 0;
    *e = (struct users_entry){.role = find_role(role)};
    if (!line[0] || strlen(line) >= USERS_NAME || strlen(hash) >= USERS_HASH || !e->role) return 0;
    memcpy(e->name, line, strlen(line));
    memcpy(e->hash, hash, strlen(hash));
    u->n++;
    return 1;
}

enum status users_read(const struct keystore *k, struct users *u)
{
    char path[KEYSTORE_PATH + 16], text[FILE_MOST + 1], *rest, *line;
    UA_ByteString file;
    struct stat st;
    int number = 0;

    *u = (struct users){.n = 0};
    file_path(k, path);
    if (stat(path, &st) != 0) return STATUS_OK;
    if (st.st_mode & 077) {
        fprintf(stderr, "trapeze: opcua: others may read %s: chmod 600 it\n", path);
        return STATUS_REFUSED;
    }
    if (st.st_size == 0) return STATUS_OK;
    if (!keystore_load(k->at, "users", FILE_MOST, &file)) return STATUS_REFUSED;
    memcpy(text, file.data, file.length);
    text[file.length] = 0;
    UA_ByteString_clear(&file);
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        number++;
        if (read_line(u, line)) continue;
        fprintf(stderr, "trapeze: opcua: %s:%d: is no name:role:hash\n", path, number);
        return STATUS_REFUSED;
    }
    return STATUS_OK;
}

/* The lines of all users. Returns their length. */
static size_t write_lines(const struct users *u, char text[FILE_MOST])
{
    size_t n = 0;

    for (int i = 0; i < u->n; i++)
        n += (size_t)snprintf(text + n, FILE_MOST - n, "%s:%s:%s\n", u->entry[i].name,
                              rights_role_text(u->entry[i].role), u->entry[i].hash);
    return n;
}

enum status users_write(const struct keystore *k, const struct users *u)
{
    char path[KEYSTORE_PATH + 16], text[FILE_MOST];
    size_t n = write_lines(u, text);
    int live;

    file_path(k, path);
    if (!keystore_save(k->at, "users", text, n, 0600)) {
        fprintf(stderr, "trapeze: opcua: %s: %s\n", path, strerror(errno));
        return STATUS_REFUSED;
    }
    live = users_live(k, u);
    if (live < 0) {
        fprintf(stderr, "trapeze: opcua: %s.live: %s; it counts from the next start of a rig\n",
                path, strerror(errno));
        return STATUS_REFUSED;
    }
    close(live);
    return STATUS_OK;
}

/* ---- the file a server keeps open -------------------------------------------------- */

/* The digest as a last line. */
static void write_digest(const char *text, size_t n, char line[LIVE_LINE + 1])
{
    uint8_t d[32];

    digest_eval(text, n, d);
    line[0] = '#';
    for (int i = 0; i < 32; i++) snprintf(line + 1 + 2 * i, 3, "%02x", d[i]);
    memcpy(line + LIVE_LINE - 1, "\n", 2);
}

/* The lines of users.live without the digest. Returns 0 where it is not whole. */
static int read_live(int fd, char text[FILE_MOST + 1], size_t *n)
{
    char line[LIVE_LINE + 1];
    ssize_t got = pread(fd, text, FILE_MOST, 0);

    if (got < LIVE_LINE) return 0;
    *n = (size_t)got - LIVE_LINE;
    write_digest(text, *n, line);
    if (memcmp(text + *n, line, LIVE_LINE) != 0) return 0;
    text[*n] = 0;
    return 1;
}

/* Open it only as a file of one's own making: one that somebody else may write would let
 * them in. */
int users_live(const struct keystore *k, const struct users *u)
{
    char text[FILE_MOST], now[FILE_MOST + 1];
    size_t n = write_lines(u, text), had;
    struct stat st;
    int fd = openat(k->at, "users.live", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                    0600);

    if (fd < 0) return -1;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        ((st.st_mode & 077) && fchmod(fd, 0600) != 0)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    if (read_live(fd, now, &had) && had == n && memcmp(now, text, n) == 0) return fd;
    write_digest(text, n, text + n);
    n += LIVE_LINE;
    if (pwrite(fd, text, n, 0) == (ssize_t)n && ftruncate(fd, (off_t)n) == 0) return fd;
    close(fd);
    return -1;
}

/* Equal users in the same order. */
static int same(const struct users *a, const struct users *b)
{
    if (a->n != b->n) return 0;
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->entry[i].name, b->entry[i].name) != 0 ||
            strcmp(a->entry[i].hash, b->entry[i].hash) != 0 || a->entry[i].role != b->entry[i].role)
            return 0;
    return 1;
}

int users_refresh(int live, struct users *u)
{
    char text[FILE_MOST + 1], *rest, *line;
    struct users now = {.n = 0};
    size_t n;

    if (live < 0 || !read_live(live, text, &n)) return 0;
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (!read_line(&now, line)) return 0;
    explicit_bzero(text, sizeof text);
    if (same(&now, u)) return 0;
    memcpy(u->entry, now.entry, sizeof u->entry);
    u->n = now.n;
    return 1;
}

/* ---- changing ---------------------------------------------------------------------- */

static int name_is_good(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < USERS_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == n;
}

const struct users_entry *users_find(const struct users *u, const char *name)
{
    for (int i = 0; i < u->n; i++)
        if (strcmp(u->entry[i].name, name) == 0) return &u->entry[i];
    return NULL;
}

int users_password_is_good(const char *password)
{
    if (strlen(password) >= PASSWORD_LEAST && strlen(password) < PASSWORD) return 1;
    fprintf(stderr, "trapeze opcua: a password has %d to %d characters\n", PASSWORD_LEAST,
            PASSWORD - 1);
    return 0;
}

enum status users_set(struct users *u, const char *name, const char *role, const char *password)
{
    struct users_entry *e = find(u, name, strlen(name));
    enum rights_role r = role ? find_role(role) : e ? e->role : RIGHTS_NOBODY;
    struct crypt_data data = {.initialized = 0};
    char salt[CRYPT_GENSALT_OUTPUT_SIZE];
    const char *hash;

    if (!name_is_good(name) || r == RIGHTS_NOBODY) {
        fprintf(stderr, "trapeze opcua: a user has a name of up to 32 letters, digits, _ . - and "
                        "is observer, operator or engineer\n");
        return STATUS_REFUSED;
    }
    if (!users_password_is_good(password)) return STATUS_REFUSED;
    if (!e && u->n == USERS_MOST) {
        fprintf(stderr,
                "trapeze opcua: there are %d users already, more are not kept: remove some\n",
                USERS_MOST);
        return STATUS_REFUSED;
    }
    if (!crypt_gensalt_rn("$y$", 0, NULL, 0, salt, sizeof salt)) return STATUS_IO;
    hash = crypt_r(password, salt, &data);
    if (!hash || hash[0] == '*' || strlen(hash) >= USERS_HASH) return STATUS_IO;
    if (!e) e = &u->entry[u->n++];
    *e = (struct users_entry){.role = r};
    memcpy(e->name, name, strlen(name));
    memcpy(e->hash, hash, strlen(hash));
    explicit_bzero(&data, sizeof data);
    return STATUS_OK;
}

int users_set_role(struct users *u, const char *name, const char *role)
{
    struct users_entry *e = find(u, name, strlen(name));

    if (e && find_role(role) != RIGHTS_NOBODY) {
        e->role = find_role(role);
        return 1;
    }
    fprintf(stderr, "trapeze opcua: a user is observer, operator or engineer\n");
    return 0;
}

int users_remove(struct users *u, const char *name)
{
    struct users_entry *e = find(u, name, strlen(name));

    if (!e) return 0;
    *e = u->entry[--u->n];
    return 1;
}

/* ---- checking ---------------------------------------------------------------------- */

/* Equal, in a time that does not tell where they differ. */
static int equal(const char *a, const char *b)
{
    size_t n = strlen(a);
    unsigned different = 0;

    if (n != strlen(b)) return 0;
    for (size_t i = 0; i < n; i++) different |= (unsigned)(a[i] ^ b[i]);
    return !different;
}

static int password_fits(const char *hash, const UA_ByteString *password)
{
    struct crypt_data data = {.initialized = 0};
    char text[PASSWORD];
    const char *got;
    int ok;

    if (password->length >= sizeof text) return 0;
    memcpy(text, password->data, password->length);
    text[password->length] = 0;
    got = crypt_r(text, hash, &data);
    ok = got && got[0] != '*' && strlen(text) == password->length && equal(got, hash);
    explicit_bzero(text, sizeof text);
    explicit_bzero(&data, sizeof data);
    return ok;
}

/* The tries of this claim: those there are, or the place for them. */
static struct users_try *find_try(struct users *u, const struct users_claim *c)
{
    struct users_try *first = &u->tries[0];
    uint8_t part[2][32], who[32];

    digest_eval(c->name->data, c->name->length, part[0]);
    digest_eval(c->client->data, c->client->length, part[1]);
    digest_eval(part, sizeof part, who);
    for (int i = 0; i < USERS_TRIES; i++)
        if (u->tries[i].wrong && memcmp(u->tries[i].who, who, sizeof who) == 0) return &u->tries[i];
    for (int i = 0; i < USERS_TRIES; i++) {
        if (!u->tries[i].wrong) first = &u->tries[i];
        if (!first->wrong) break;
        if (u->tries[i].not_before_ns < first->not_before_ns) first = &u->tries[i];
    }
    *first = (struct users_try){.wrong = 0};
    memcpy(first->who, who, sizeof who);
    return first;
}

enum rights_role users_check(struct users *u, const struct users_claim *c)
{
    struct users_entry *e = find(u, (const char *)c->name->data, c->name->length);
    struct users_try *t = find_try(u, c);
    const char *shown = e ? e->name : "nobody we know"; /* not what was typed: it may be a secret */
    int64_t wait = 1;

    if (c->now_ns < t->not_before_ns) {
        library_log_say("login of %s refused: too soon after a wrong password", shown);
        return RIGHTS_NOBODY;
    }
    if (password_fits(e ? e->hash : NOBODY, c->password) && e) {
        t->wrong = 0;
        return e->role;
    }
    for (int i = 0; i < t->wrong && wait < WAIT_MOST_S; i++) wait *= 2;
    if (wait > WAIT_MOST_S) wait = WAIT_MOST_S;
    t->wrong++;
    t->not_before_ns = c->now_ns + wait * SECOND;
    library_log_say("login of %s refused: wrong password; the next try counts after %lld s", shown,
                    (long long)wait);
    return RIGHTS_NOBODY;
}
