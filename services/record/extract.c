#include "services/record/extract.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "services/base/version.h"
#include "services/record/mcap.h"
#include "services/record/mcap_format.h"
#include "services/record/mcap_read.h"

enum { TEXT = 512 /* as next_field reads */, CDR_HEAD = 4 };

/* What is known of a channel. */
struct topic {
    char *name, *schema_text;
    struct mcap_pair *pair; /* its metadata, closed by NULL */
    uint16_t id;            /* in the new file */
    uint64_t messages, first_ns, last_ns;
};

struct known {
    struct topic topic[MCAP_READ_CHANNELS];
    char *schema[MCAP_READ_CHANNELS], *schema_name[MCAP_READ_CHANNELS];
};

static char *copy(struct mcap_bytes b) { return strndup(b.at, b.n); }

static void free_pairs(struct mcap_pair *pair)
{
    for (struct mcap_pair *p = pair; p && p->key; p++) {
        free((void *)(uintptr_t)p->key);
        free((void *)(uintptr_t)p->value);
    }
    free(pair);
}

static struct mcap_pair *copy_pairs(struct mcap_bytes map)
{
    struct mcap_bytes key, value, rest = map;
    size_t n = 0;
    while (n < MCAP_READ_PAIRS && mcap_pair_next(&rest, &key, &value)) n++;
    struct mcap_pair *pair = calloc(n + 1, sizeof *pair);
    for (size_t i = 0; pair && i < n && mcap_pair_next(&map, &key, &value); i++)
        pair[i] = (struct mcap_pair){copy(key), copy(value)};
    return pair;
}

/* Remember a schema or channel; 1 where the item was one. */
static int learn(struct known *k, const struct mcap_item *i)
{
    if (i->id >= MCAP_READ_CHANNELS) return i->kind != MCAP_MESSAGE;
    if (i->kind == MCAP_SCHEMA && !k->schema[i->id]) {
        k->schema[i->id] = copy(i->data);
        k->schema_name[i->id] = copy(i->name);
    }
    if (i->kind == MCAP_CHANNEL && !k->topic[i->id].name && i->schema < MCAP_READ_CHANNELS) {
        struct topic *t = &k->topic[i->id];
        t->name = copy(i->name);
        t->pair = copy_pairs(i->data);
        t->schema_text = k->schema[i->schema];
    }
    return i->kind == MCAP_SCHEMA || i->kind == MCAP_CHANNEL;
}

static struct topic *topic_of(struct known *k, const struct mcap_item *i)
{
    return i->kind == MCAP_MESSAGE && i->id < MCAP_READ_CHANNELS && k->topic[i->id].name
               ? &k->topic[i->id]
               : NULL;
}

static void forget(struct known *k)
{
    for (int i = 0; k && i < MCAP_READ_CHANNELS; i++) {
        free(k->topic[i].name);
        free_pairs(k->topic[i].pair);
        free(k->schema[i]);
        free(k->schema_name[i]);
    }
    free(k);
}

/* Open both the file and what is known of it. */
static enum status begin(const char *path, const char *who, struct mcap_reader **r,
                         struct known **k)
{
    enum status s = mcap_open(path, r);
    *k = NULL;
    if (s == STATUS_OK) *k = calloc(1, sizeof **k);
    if (s == STATUS_OK && *k) return STATUS_OK;
    if (s == STATUS_OK) mcap_close(*r);
    if (s == STATUS_IO)
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
    else if (s == STATUS_REFUSED)
        fprintf(stderr, "%s: %s is no MCAP file\n", who, path);
    return s == STATUS_OK ? STATUS_NO_MEMORY : s;
}

/* ---- what is in it -------------------------------------------------------------- */

static void print_metadata(const struct mcap_item *i, FILE *to)
{
    struct mcap_bytes map = i->data, key, value;
    while (mcap_pair_next(&map, &key, &value))
        fprintf(to, "  %-10.*s %.*s\n", (int)key.n, key.at, (int)value.n, value.at);
}

static int field_count(const char *schema)
{
    int n = 0;
    for (; schema && *schema; schema++) n += *schema == '\n';
    return n;
}

enum status extract_info(const char *path, const char *who, FILE *to)
{
    struct mcap_reader *r;
    struct known *k;
    struct mcap_item i;
    uint64_t first = UINT64_MAX, last = 0, lost = 0;
    enum status s = begin(path, who, &r, &k);
    if (s != STATUS_OK) return s;
    fprintf(to, "%s\n", path);
    while (mcap_next(r, &i)) {
        if (learn(k, &i)) continue;
        if (i.kind == MCAP_METADATA) print_metadata(&i, to);
        if (i.kind == MCAP_ATTACHMENT)
            fprintf(to, "  holds      %.*s, %zu bytes\n", (int)i.name.n, i.name.at, i.data.n);
        struct topic *t = topic_of(k, &i);
        if (!t) continue;
        if (!t->messages++) t->first_ns = i.time_ns;
        t->last_ns = i.time_ns;
        if (i.time_ns < first) first = i.time_ns;
        if (i.time_ns > last) last = i.time_ns;
        uint64_t n;
        if (strcmp(t->name, "/gaps") == 0 && i.data.n >= CDR_HEAD + sizeof n) {
            memcpy(&n, i.data.at + CDR_HEAD, sizeof n);
            lost += n;
        }
    }
    fprintf(to, "  %-12s %10s %10s %12s\n", "topic", "messages", "fields", "per second");
    for (int c = 0; c < MCAP_READ_CHANNELS; c++) {
        const struct topic *t = &k->topic[c];
        double span = (double)(t->last_ns - t->first_ns) * 1e-9;
        if (!t->name) continue;
        fprintf(to, "  %-12s %10" PRIu64 " %10d ", t->name, t->messages,
                field_count(t->schema_text));
        if (t->messages > 1 && span > 0)
            fprintf(to, "%12.1f\n", (double)(t->messages - 1) / span);
        else
            fprintf(to, "%12s\n", "-");
    }
    fprintf(to, "  %.3f s, %" PRIu64 " frames lost%s",
            first <= last ? (double)(last - first) * 1e-9 : 0, lost, mcap_is_whole(r) ? "\n" : "");
    if (!mcap_is_whole(r))
        fprintf(to,
                "; the file is cut off after %zu bytes: %s FILE --recover NEW makes a whole one\n",
                mcap_good(r), who);
    if (mcap_damaged(r)) fprintf(to, "  %d damaged pieces are passed over\n", mcap_damaged(r));
    mcap_close(r);
    forget(k);
    return STATUS_OK;
}

/* ---- tables --------------------------------------------------------------------- */

/* The true name and the unit of a field: "front-left/tyre.z [N]". */
static void field_words(const struct topic *t, const char *field, char name[TEXT], char unit[TEXT])
{
    snprintf(name, TEXT, "%s", field);
    unit[0] = 0;
    for (const struct mcap_pair *p = t->pair; p && p->key; p++) {
        if (strcmp(p->key, field) != 0) continue;
        const char *bracket = strstr(p->value, " [");
        size_t n = bracket ? (size_t)(bracket - p->value) : strlen(p->value);
        snprintf(name, TEXT, "%.*s", (int)n, p->value);
        if (bracket) snprintf(unit, TEXT, "%.*s", (int)strlen(bracket) - 3, bracket + 2);
        return;
    }
}

/* The next line of a schema: its type and field. */
static int next_field(const char **schema, char type[32], char field[TEXT])
{
    int n = 0;
    if (sscanf(*schema, "%31s %511s%n", type, field, &n) != 2) return 0;
    *schema += n;
    while (**schema == '\n' || **schema == '\r') ++*schema;
    return 1;
}

static void write_head(const struct topic *t, FILE *to, FILE *units)
{
    char type[32], field[TEXT], name[TEXT], unit[TEXT];
    fprintf(to, "time");
    if (units) fprintf(units, "s");
    for (const char *s = t->schema_text; s && next_field(&s, type, field);) {
        field_words(t, field, name, unit);
        fprintf(to, ",%s", name);
        if (units) fprintf(units, ",%s", unit);
    }
    fprintf(to, "\n");
    if (units) fprintf(units, "\n");
}

/* A number of a cdr message; it is aligned by its size from the message's begin. */
static int take_number(struct mcap_bytes message, size_t *at, size_t size, void *to)
{
    *at = (*at + size - 1) / size * size;
    if (*at + size > message.n) return 0;
    memcpy(to, message.at + *at, size);
    *at += size;
    return 1;
}

static int write_string(struct mcap_bytes m, size_t *at, FILE *to)
{
    uint32_t n;
    if (!take_number(m, at, sizeof n, &n) || n > m.n - *at) return 0;
    fputc('"', to);
    for (uint32_t i = 0; i + 1 < n; i++) {
        char c = m.at[*at + i];
        if (c == '"') fputc('"', to);
        fputc(c, to);
    }
    fputc('"', to);
    *at += n;
    return 1;
}

static int write_field(struct mcap_bytes m, size_t *at, const char *type, FILE *to)
{
    double d;
    uint64_t u;
    uint32_t w;
    fputc(',', to);
    if (strcmp(type, "float64") == 0 && take_number(m, at, sizeof d, &d))
        return fprintf(to, "%.17g", d) > 0;
    if (strcmp(type, "uint64") == 0 && take_number(m, at, sizeof u, &u))
        return fprintf(to, "%" PRIu64, u) > 0;
    if (strcmp(type, "uint32") == 0 && take_number(m, at, sizeof w, &w))
        return fprintf(to, "%" PRIu32, w) > 0;
    return strcmp(type, "string") == 0 && write_string(m, at, to);
}

static void write_row(const struct topic *t, const struct mcap_item *i, uint64_t first, FILE *to)
{
    char type[32], field[TEXT];
    struct mcap_bytes m = {i->data.at + CDR_HEAD, i->data.n - CDR_HEAD};
    size_t at = 0;
    fprintf(to, "%.9f", (double)(i->time_ns - first) * 1e-9);
    for (const char *s = t->schema_text; s && next_field(&s, type, field);)
        if (!write_field(m, &at, type, to)) break;
    fputc('\n', to);
}

static enum status write_table(struct mcap_reader *r, struct known *k, const char *topic, FILE *to,
                               FILE *units)
{
    struct mcap_item i;
    uint64_t first = 0, rows = 0;
    int begun = 0;
    while (mcap_next(r, &i)) {
        if (learn(k, &i)) continue;
        const struct topic *t = topic_of(k, &i);
        if (t && !begun++) first = i.time_ns;
        if (!t || strcmp(t->name, topic) != 0 || i.data.n < CDR_HEAD || i.time_ns < first) continue;
        if (!rows++) write_head(t, to, units);
        write_row(t, &i, first, to);
        if (ferror(to)) return STATUS_IO;
    }
    return rows ? STATUS_OK : STATUS_REFUSED;
}

enum status extract_csv(const char *path, const char *topic, const char *out, const char *who)
{
    struct mcap_reader *r;
    struct known *k;
    char beside[4096];
    int is_pipe = strcmp(out, "-") == 0;
    enum status s = begin(path, who, &r, &k);
    if (s != STATUS_OK) return s;
    snprintf(beside, sizeof beside, "%s.units", out);
    FILE *to = is_pipe ? stdout : fopen(out, "w"), *units = is_pipe ? NULL : fopen(beside, "w");
    if (!to || (!units && !is_pipe)) {
        fprintf(stderr, "%s: %s: %s\n", who, out, strerror(errno));
        s = STATUS_IO;
    } else {
        s = write_table(r, k, topic, to, units);
        if (s == STATUS_REFUSED) {
            fprintf(stderr, "%s: %s holds no messages of %s; it holds", who, path, topic);
            for (int c = 0; c < MCAP_READ_CHANNELS; c++)
                if (k->topic[c].name) fprintf(stderr, " %s", k->topic[c].name);
            fprintf(stderr, "\n");
        }
    }
    if (units && fclose(units) != 0) s = STATUS_IO;
    if (to && to != stdout && fclose(to) != 0) s = STATUS_IO;
    mcap_close(r);
    forget(k);
    return s;
}

/* ---- whole again ---------------------------------------------------------------- */

static uint16_t same_channel(struct mcap *to, struct known *k, struct topic *t)
{
    for (int i = 0; !t->id && i < MCAP_READ_CHANNELS; i++)
        if (k->schema[i] && k->schema[i] == t->schema_text)
            t->id = mcap_channel(to, mcap_schema(to, k->schema_name[i], k->schema[i]), t->name,
                                 t->pair);
    return t->id;
}

static void copy_item(struct mcap *to, struct known *k, const struct mcap_item *i)
{
    char *name = copy(i->name), *media = copy(i->encoding);
    if (i->kind == MCAP_METADATA) {
        struct mcap_pair *pair = copy_pairs(i->data);
        (void)mcap_metadata(to, name, pair);
        free_pairs(pair);
    } else if (i->kind == MCAP_ATTACHMENT) {
        (void)mcap_attachment(to, name, media, i->time_ns, i->data.at, i->data.n);
    } else {
        struct topic *t = topic_of(k, i);
        if (t && i->data.n >= CDR_HEAD && same_channel(to, k, t))
            (void)mcap_message(to, t->id, i->sequence, i->time_ns, i->data.at + CDR_HEAD,
                               i->data.n - CDR_HEAD);
    }
    free(name);
    free(media);
}

enum status extract_recover(const char *path, const char *out, const char *who)
{
    struct mcap_reader *r;
    struct known *k;
    struct mcap_item i;
    struct version version = version_read();
    enum status s = begin(path, who, &r, &k);
    if (s != STATUS_OK) return s;
    int fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct mcap *to = fd >= 0 ? mcap_create(fd, version.text, 0) : NULL;
    if (!to) {
        fprintf(stderr, "%s: %s: %s\n", who, out, strerror(fd < 0 ? errno : ENOMEM));
        s = STATUS_IO;
    } else {
        while (mcap_next(r, &i))
            if (!learn(k, &i)) copy_item(to, k, &i);
        (void)mcap_flush(to);
        uint64_t n = mcap_messages(to);
        s = mcap_destroy(to);
        if (s == STATUS_OK) printf("%s: %" PRIu64 " messages\n", out, n);
        if (s != STATUS_OK) fprintf(stderr, "%s: %s could not be written\n", who, out);
    }
    if (fd >= 0) close(fd);
    mcap_close(r);
    forget(k);
    return s;
}
