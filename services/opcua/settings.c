#include "services/opcua/settings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void complain(const struct attach *a, const struct node *at, const char *text)
{
    fprintf(stderr, "%s:%d:%d: opcua: %s: %s\n", a->rig->file, at->place.line, at->place.column,
            at->key ? at->key->text : "?", text);
}

static int read_port(const struct node *n, struct settings *s)
{
    char *end;
    long port = n->text ? strtol(n->text, &end, 10) : 0;

    if (!n->text || !n->text[0] || *end || port < 1024 || port > 65535) return 0;
    s->port = (int)port;
    s->fixed = 1;
    return 1;
}

static int read_address(const struct node *n, struct settings *s)
{
    struct in_addr four;

    if (!n->text || strlen(n->text) >= sizeof s->address || inet_pton(AF_INET, n->text, &four) != 1)
        return 0;
    memcpy(s->address, n->text, strlen(n->text) + 1);
    return 1;
}

/* Read with the rig file. */
static int read_elsewhere(const struct node *n, struct settings *s)
{
    (void)n, (void)s;
    return 1;
}

static const struct {
    const char *key;
    int (*read)(const struct node *n, struct settings *s);
    const char *right;
} KEY[] = {
    {"port", read_port, "a port is a number from 1024 to 65535"},
    {"address", read_address, "an address is like 127.0.0.1, or 0.0.0.0 for all"},
    {"pubsub", read_elsewhere, ""},
    {"required", read_elsewhere, ""},
};
enum { KEYS = sizeof KEY / sizeof KEY[0] };

static int is_loopback(const char *address) { return strncmp(address, "127.", 4) == 0; }

enum status settings_read(const struct attach *a, struct settings *s)
{
    const struct node *keys = a->service ? a->service->keys : NULL;
    int bad = 0;

    *s = (struct settings){
        .address = "127.0.0.1", .port = SETTINGS_PORT, .insecure = a->insecure, .live = -1};
    for (const struct node *n = keys ? keys->first : NULL; n; n = n->next) {
        int i = 0;
        while (i < KEYS && strcmp(KEY[i].key, n->key->text) != 0) i++;
        if (i == KEYS)
            complain(a, n, "unknown key; known are port, address, pubsub, required");
        else if (!KEY[i].read(n, s))
            complain(a, n, KEY[i].right);
        else
            continue;
        bad = 1;
    }
    if (s->insecure && !is_loopback(s->address)) {
        fprintf(stderr, "trapeze: opcua: --insecure opens the loopback only, not %s\n", s->address);
        bad = 1;
    }
    return bad ? STATUS_REFUSED : STATUS_OK;
}

static int port_is_free(const char *address, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, ok;

    inet_pton(AF_INET, address, &a.sin_addr);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    ok = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 1) == 0;
    if (fd >= 0) close(fd);
    return ok;
}

int settings_find_port(struct settings *s)
{
    int wanted = s->port, most = s->fixed ? 1 : SETTINGS_PORTS;

    for (s->port = wanted; s->port < wanted + most; s->port++)
        if (port_is_free(s->address, s->port)) return 1;
    fprintf(stderr, "trapeze: opcua: port %d%s of %s is taken or not allowed: %s\n", wanted,
            s->fixed ? "" : " and the next ones", s->address, strerror(errno));
    return 0;
}
