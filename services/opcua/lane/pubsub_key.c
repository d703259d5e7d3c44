#include "services/opcua/lane/pubsub_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 256 };

static int complain(const struct fastlane *set, const char *what)
{
    fprintf(stderr, "%s:%d:%d: error: pubsub: keys: %s: %s\n", set->keys_place.file,
            set->keys_place.line, set->keys_place.column, set->keys, what);
    return 0;
}

static int is_private(const struct fastlane *set, int fd)
{
    char what[160];
    struct stat st;

    if (fstat(fd, &st) != 0) return complain(set, strerror(errno));
    if (!S_ISREG(st.st_mode)) return complain(set, "it is no file");
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return complain(set, "it belongs to another user: chown it");
    if ((st.st_mode & 07777) == 0600) return 1;
    snprintf(what, sizeof what, "its mode is %04o, others could read or change the key: chmod 600",
             (unsigned)(st.st_mode & 07777));
    return complain(set, what);
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "TOKEN HEX", a newline, nothing else. */
static int parse(const char *text, struct uadp_key *key)
{
    char *end;
    unsigned long token = strtoul(text, &end, 10);
    long at = end - text + 1;

    if (text[0] < '1' || text[0] > '9' || token > UINT32_MAX || *end != ' ') return 0;
    key->token = (uint32_t)token;
    for (int i = 0; i < UADP_KEY; i++, at += 2) {
        int high = hex(text[at]), low = high < 0 ? -1 : hex(text[at + 1]);
        if (low < 0) return 0;
        key->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return text[at] == 0 || (text[at] == '\n' && text[at + 1] == 0);
}

int pubsub_key_read(const struct fastlane *set, struct uadp_key *key)
{
    char text[TEXT] = "";
    int fd, ok;

    if (!set->keys) return 1;
    fd = open(set->keys, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        snprintf(text, sizeof text,
                 "%s; make one: (umask 077; echo 1 $(openssl rand -hex 32) > FILE)",
                 strerror(errno));
        return complain(set, text);
    }
    ok = is_private(set, fd);
    if (ok) {
        ok = read(fd, text, sizeof text - 1) > 0 && parse(text, key);
        if (!ok)
            complain(set, "a key is one line: a number from 1, a blank, 64 hexadecimal digits");
        explicit_bzero(text, sizeof text);
    }
    close(fd);
    return ok;
}
