#include "services/load/rig/fastlane.h"

#include <arpa/inet.h>
#include <string.h>

#include "rt/mech/model.h"

enum key_pubsub {
    KEY_ADDRESS,
    KEY_PORT,
    KEY_INTERFACE,
    KEY_EVERY,
    KEY_PUBLISHER,
    KEY_GROUP,
    KEY_WRITER,
    KEY_KEYS,
    KEY_COMMANDS
};
static const struct schema_key PUBSUB[] = {
    [KEY_ADDRESS] = {"address", SCHEMA_TEXT, 0, "127.0.0.1", 0,
                     "where sensors are sent: a host or a multicast group; off the loopback only "
                     "with `keys`"},
    [KEY_PORT] = {"port", SCHEMA_NUMBER, "", "4840", 0, "UDP port there, 1024 ... 65535"},
    [KEY_INTERFACE] = {"interface", SCHEMA_TEXT, 0, "as the system routes", 0,
                       "own address to send from; 127.0.0.1 keeps a multicast group on this "
                       "machine"},
    [KEY_EVERY] = {"every", SCHEMA_NUMBER, "", "1", 0, "a message for each n-th step, 1 ... 10000"},
    [KEY_PUBLISHER] = {"publisher", SCHEMA_NUMBER, "", "1", 0, "PublisherId, UInt16"},
    [KEY_GROUP] = {"group", SCHEMA_NUMBER, "", "1", 0, "WriterGroupId"},
    [KEY_WRITER] = {"writer", SCHEMA_NUMBER, "", "1", 0, "DataSetWriterId"},
    [KEY_KEYS] = {"keys", SCHEMA_TEXT, 0, "", 0,
                  "file of the signing key, mode 0600, from the folder of this file: messages "
                  "are signed, not encrypted"},
    [KEY_COMMANDS] = {"commands", SCHEMA_MAP, 0, "", 0,
                      "take commands too, on the loopback only; default: none"},
};

enum key_command {
    COMMAND_PORT,
    COMMAND_ADDRESS,
    COMMAND_PUBLISHER,
    COMMAND_GROUP,
    COMMAND_WRITER
};
static const struct schema_key COMMAND[] = {
    [COMMAND_PORT] = {"port", SCHEMA_NUMBER, "", 0, 0, "UDP port, 1024 ... 65535"},
    [COMMAND_ADDRESS] = {"address", SCHEMA_TEXT, 0, "127.0.0.1", 0,
                         "own address, of the loopback; no other is taken"},
    [COMMAND_PUBLISHER] = {"publisher", SCHEMA_NUMBER, "", "2", 0,
                           "PublisherId of the sender, UInt16"},
    [COMMAND_GROUP] = {"group", SCHEMA_NUMBER, "", "2", 0, "its WriterGroupId"},
    [COMMAND_WRITER] = {"writer", SCHEMA_NUMBER, "", "2", 0, "its DataSetWriterId"},
};

#define KEYS(table) (table), (int)(sizeof(table) / sizeof(table)[0]), 0, 0
const struct schema FASTLANE_KEYS = {"pubsub", KEYS(PUBSUB)};
const struct schema FASTLANE_COMMAND_KEYS = {"commands of pubsub", KEYS(COMMAND)};

int fastlane_is_loopback(const char *address) { return strncmp(address, "127.", 4) == 0; }

static int is_group(const char *address)
{
    struct in_addr a;
    return inet_pton(AF_INET, address, &a) == 1 && IN_MULTICAST(ntohl(a.s_addr));
}

int fastlane_is_local(const struct fastlane *f)
{
    if (is_group(f->address)) return f->interface && fastlane_is_loopback(f->interface);
    return fastlane_is_loopback(f->address);
}

static void read_integer(const struct value_reader *r, const struct node *node, const char *what,
                         long lower, long upper, int *out)
{
    long v;
    if (node && value_integer(r, node, what, lower, upper, &v)) *out = (int)v;
}

static void read_address(const struct value_reader *r, const struct node *node, const char *what,
                         const char **out)
{
    struct in_addr a;
    const char *text;

    if (!node || !value_text(r, node, what, &text)) return;
    if (inet_pton(AF_INET, text, &a) == 1)
        *out = text;
    else
        message_add(r->diags, node->place, MESSAGE_UNKNOWN_WORD,
                    "pubsub: %s is a number like 127.0.0.1, not '%.40s'", what, text);
}

static void read_commands(const struct value_reader *r, const struct node *node,
                          struct fastlane *to)
{
    const struct node *f[SCHEMA_MAX_KEYS];

    if (!node) return;
    to->command_place = node->place;
    schema_walk(&FASTLANE_COMMAND_KEYS, node, "commands of pubsub", r->diags, f);
    read_integer(r, f[COMMAND_PORT], "port", 1024, 65535, &to->command_port);
    read_integer(r, f[COMMAND_PUBLISHER], "publisher", 1, 65535, &to->command_id.publisher);
    read_integer(r, f[COMMAND_GROUP], "group", 1, 65535, &to->command_id.group);
    read_integer(r, f[COMMAND_WRITER], "writer", 1, 65535, &to->command_id.writer);
    read_address(r, f[COMMAND_ADDRESS], "address", &to->command_address);
    if (!fastlane_is_loopback(to->command_address))
        message_add(r->diags, f[COMMAND_ADDRESS]->place, MESSAGE_OUT_OF_RANGE,
                    "pubsub: commands are taken on the loopback only, not on %s; use 127.0.0.1, "
                    "or write commands by an OPC UA session",
                    to->command_address);
}

void fastlane_read(const struct value_reader *r, const struct node *node, struct fastlane *to)
{
    const struct node *f[SCHEMA_MAX_KEYS];

    *to = (struct fastlane){.on = 1,
                            .address = "127.0.0.1",
                            .port = FASTLANE_PORT,
                            .every = 1,
                            .id = {1, 1, 1},
                            .command_address = "127.0.0.1",
                            .command_id = {2, 2, 2},
                            .place = node->key ? node->key->place : node->place};
    if (reader_is_empty(node)) return;
    schema_walk(&FASTLANE_KEYS, node, "pubsub", r->diags, f);
    read_integer(r, f[KEY_PORT], "port", 1024, 65535, &to->port);
    read_integer(r, f[KEY_EVERY], "every", 1, FASTLANE_EVERY, &to->every);
    read_integer(r, f[KEY_PUBLISHER], "publisher", 1, 65535, &to->id.publisher);
    read_integer(r, f[KEY_GROUP], "group", 1, 65535, &to->id.group);
    read_integer(r, f[KEY_WRITER], "writer", 1, 65535, &to->id.writer);
    read_address(r, f[KEY_ADDRESS], "address", &to->address);
    read_address(r, f[KEY_INTERFACE], "interface", &to->interface);
    if (f[KEY_KEYS] && value_text(r, f[KEY_KEYS], "keys", &to->keys))
        to->keys_place = f[KEY_KEYS]->place;
    read_commands(r, f[KEY_COMMANDS], to);
    if (!fastlane_is_local(to) && !to->keys)
        message_add(r->diags, f[KEY_ADDRESS]->place, MESSAGE_MISSING_KEY,
                    "pubsub: sensors leave this machine for %s, so they must be signed: 'keys' is "
                    "missing",
                    to->address);
    if (to->command_port == to->port && strcmp(to->command_address, to->address) == 0)
        message_add(r->diags, f[KEY_COMMANDS]->place, MESSAGE_EXCLUSIVE,
                    "pubsub: sensors and commands share %s:%d; give one of them another port",
                    to->address, to->port);
}

void fastlane_bind(const struct fastlane *f, const struct model *m, struct diag_list *diags)
{
    if (f->on && m->n_channels > FASTLANE_CHANNELS)
        diag_add(diags, DIAG_ERROR, f->place.file, f->place.line, f->place.column,
                 "pubsub: the model has %d channels, one message holds %d", m->n_channels,
                 FASTLANE_CHANNELS);
    if (f->command_port && (m->actuators.n == 0 || m->actuators.n > FASTLANE_CHANNELS))
        diag_add(diags, DIAG_ERROR, f->command_place.file, f->command_place.line,
                 f->command_place.column,
                 "pubsub: commands: the model has %u actuators; 1 ... %d are possible",
                 m->actuators.n, FASTLANE_CHANNELS);
}
