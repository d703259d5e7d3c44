/* The file: magic, header, then chunks each followed by its message indices, attachments and
 * metadata as they come, data end; then the summary: schemas, channels, statistics, chunk,
 * attachment and metadata indices, the offsets of these groups; footer, magic. Schemas and
 * channels also stand in the first chunk after they were made, so that a file without its
 * summary can be read. */
#include "services/record/mcap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "services/record/mcap_format.h"

enum { CHUNK_BYTES = 1 << 20, ZSTD_FAST = 1, N_GROUPS = 8 };

/* Bytes that grow. */
struct bytes {
    char *at;
    size_t n, room;
    int failed;
};

/* When and where in its chunk a message of a channel lies. */
struct index_entry {
    uint64_t time, offset;
};

struct channel {
    struct bytes record;      /* as in the summary */
    struct index_entry *entry; /* of the open chunk */
    size_t n, room;
    uint64_t messages;
};

struct mcap {
    int fd;
    uint64_t size;            /* bytes written */
    int error;                /* errno of the first failure */
    uint64_t messages, lost;
    size_t chunk_bytes;
    struct bytes chunk;       /* open, not compressed */
    uint64_t chunk_messages;
    uint64_t begin, end;      /* times in the open chunk */
    uint64_t first, last;     /* times in the file */
    struct bytes out;         /* records on their way to the file */
    ZSTD_CCtx *zstd;
    struct bytes schemas;     /* records for the summary */
    struct bytes chunks;      /* chunk indices, likewise */
    struct bytes attachments, metadata;
    uint32_t n_schemas, n_chunks, n_attachments, n_metadata;
    struct channel *channel;  /* id - 1 */
    uint32_t n_channels;
};

/* ---- bytes ---------------------------------------------------------------------- */

static void *room(struct bytes *b, size_t n)
{
    if (b->failed) return NULL;
    if (b->n + n > b->room) {
        size_t wanted = b->room ? b->room : 1024;
        while (wanted < b->n + n) wanted *= 2;
        char *wider = realloc(b->at, wanted);
        if (!wider) {
            b->failed = 1;
            return NULL;
        }
        b->at = wider;
        b->room = wanted;
    }
    b->n += n;
    return b->at + b->n - n;
}

static void put(struct bytes *b, const void *data, size_t n)
{
    void *to = room(b, n);
    if (to && n) memcpy(to, data, n);
}

static void put_8(struct bytes *b, uint8_t v) { put(b, &v, sizeof v); }
static void put_16(struct bytes *b, uint16_t v) { put(b, &v, sizeof v); }
static void put_32(struct bytes *b, uint32_t v) { put(b, &v, sizeof v); }
static void put_64(struct bytes *b, uint64_t v) { put(b, &v, sizeof v); }

static void put_text(struct bytes *b, const char *text)
{
    size_t n = strlen(text);
    put_32(b, (uint32_t)n);
    put(b, text, n);
}

static void put_map(struct bytes *b, const struct mcap_pair *pair)
{
    uint32_t n = 0;
    for (const struct mcap_pair *p = pair; p && p->key; p++)
        n += (uint32_t)(2 * sizeof(uint32_t) + strlen(p->key) + strlen(p->value));
    put_32(b, n);
    for (const struct mcap_pair *p = pair; p && p->key; p++) {
        put_text(b, p->key);
        put_text(b, p->value);
    }
}

/* Begin a record whose length is not known yet; returns where it begins. */
static size_t begin(struct bytes *b, enum mcap_opcode opcode)
{
    size_t at = b->n;
    put_8(b, (uint8_t)opcode);
    put_64(b, 0);
    return at;
}

static void end(struct bytes *b, size_t at)
{
    uint64_t n = b->n - at - MCAP_RECORD_HEAD;
    if (!b->failed) memcpy(b->at + at + 1, &n, sizeof n);
}

uint32_t mcap_crc(uint32_t crc, const void *data, size_t n)
{
    static const uint32_t NIBBLE[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *byte = data;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ NIBBLE[crc & 15];
        crc = crc >> 4 ^ NIBBLE[crc & 15];
    }
    return ~crc;
}

/* ---- the file ------------------------------------------------------------------- */

static int fail(struct mcap *m, int error)
{
    if (!m->error) m->error = error ? error : EIO;
    return 0;
}

/* Hand what is in `out` to the file. */
static int write_out(struct mcap *m)
{
    size_t done = 0;
    if (m->error) return 0;
    if (m->out.failed) return fail(m, ENOMEM);
    while (done < m->out.n) {
        ssize_t n = write(m->fd, m->out.at + done, m->out.n - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int why = n < 0 ? errno : ENOSPC;
            /* what of it stands there is cut off again, that the file stays a whole one */
            if (ftruncate(m->fd, (off_t)m->size) == 0) (void)!lseek(m->fd, 0, SEEK_END);
            return fail(m, why);
        }
        done += (size_t)n;
    }
    m->size += m->out.n;
    m->out.n = 0;
    return 1;
}

struct mcap *mcap_create(int fd, const char *library, size_t chunk)
{
    struct mcap *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->fd = fd;
    m->chunk_bytes = chunk ? chunk : CHUNK_BYTES;
    m->first = UINT64_MAX;
    m->zstd = ZSTD_createCCtx();
    if (!m->zstd) {
        free(m);
        return NULL;
    }
    (void)ZSTD_CCtx_setParameter(m->zstd, ZSTD_c_compressionLevel, ZSTD_FAST);
    put(&m->out, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    size_t at = begin(&m->out, MCAP_HEADER);
    put_text(&m->out, "ros2");
    put_text(&m->out, library);
    end(&m->out, at);
    (void)write_out(m);
    return m;
}

uint16_t mcap_schema(struct mcap *m, const char *name, const char *text)
{
    struct bytes *b = &m->schemas;
    if (m->error || m->n_schemas == UINT16_MAX) return 0;
    size_t at = begin(b, MCAP_SCHEMA);
    put_16(b, (uint16_t)++m->n_schemas);
    put_text(b, name);
    put_text(b, "ros2msg");
    put_text(b, text);
    end(b, at);
    if (b->failed) return (uint16_t)fail(m, ENOMEM);
    put(&m->chunk, b->at + at, b->n - at);
    return (uint16_t)m->n_schemas;
}

uint16_t mcap_channel(struct mcap *m, uint16_t schema, const char *topic,
                      const struct mcap_pair *metadata)
{
    if (m->error || m->n_channels == UINT16_MAX) return 0;
    struct channel *wider = realloc(m->channel, (m->n_channels + 1) * sizeof *wider);
    if (!wider) return (uint16_t)fail(m, ENOMEM);
    m->channel = wider;
    struct channel *c = &wider[m->n_channels];
    *c = (struct channel){0};
    uint16_t id = (uint16_t)++m->n_channels;
    size_t at = begin(&c->record, MCAP_CHANNEL);
    put_16(&c->record, id);
    put_16(&c->record, schema);
    put_text(&c->record, topic);
    put_text(&c->record, "cdr");
    put_map(&c->record, metadata);
    end(&c->record, at);
    if (c->record.failed) return (uint16_t)fail(m, ENOMEM);
    put(&m->chunk, c->record.at, c->record.n);
    return id;
}

/* ---- chunks --------------------------------------------------------------------- */

static size_t put_chunk(struct mcap *m)
{
    struct bytes *out = &m->out;
    size_t most = ZSTD_compressBound(m->chunk.n), at = begin(out, MCAP_CHUNK);
    put_64(out, m->chunk_messages ? m->begin : 0);
    put_64(out, m->chunk_messages ? m->end : 0);
    put_64(out, m->chunk.n);
    put_32(out, mcap_crc(0, m->chunk.at, m->chunk.n));
    put_text(out, "zstd");
    put_64(out, 0);
    size_t head = out->n;
    char *to = room(out, most);
    size_t n = to ? ZSTD_compress2(m->zstd, to, most, m->chunk.at, m->chunk.n) : 0;
    if (!to || ZSTD_isError(n)) {
        out->failed = 1;
        return 0;
    }
    out->n = head + n;
    memcpy(out->at + head - sizeof(uint64_t), &(uint64_t){n}, sizeof(uint64_t));
    end(out, at);
    return n;
}

/* The indices of a chunk's messages; offsets in `where`, as the chunk's index wants them. */
static void put_message_indices(struct mcap *m, struct bytes *where)
{
    for (uint32_t i = 0; i < m->n_channels; i++) {
        struct channel *c = &m->channel[i];
        if (!c->n) continue;
        put_16(where, (uint16_t)(i + 1));
        put_64(where, m->size + m->out.n);
        size_t at = begin(&m->out, MCAP_MESSAGE_INDEX);
        put_16(&m->out, (uint16_t)(i + 1));
        put_32(&m->out, (uint32_t)(c->n * sizeof *c->entry));
        put(&m->out, c->entry, c->n * sizeof *c->entry);
        end(&m->out, at);
    }
}

static void note_chunk(struct mcap *m, uint64_t length, uint64_t compressed,
                       const struct bytes *where, uint64_t indices)
{
    struct bytes *b = &m->chunks;
    size_t at = begin(b, MCAP_CHUNK_INDEX);
    put_64(b, m->chunk_messages ? m->begin : 0);
    put_64(b, m->chunk_messages ? m->end : 0);
    put_64(b, m->size);
    put_64(b, length);
    put_32(b, (uint32_t)where->n);
    put(b, where->at, where->n);
    put_64(b, indices);
    put_text(b, "zstd");
    put_64(b, compressed);
    put_64(b, m->chunk.n);
    end(b, at);
}

int mcap_flush(struct mcap *m)
{
    struct bytes where = {0};
    if (m->chunk.failed) return fail(m, ENOMEM);
    if (!m->chunk.n || m->error) return !m->error;
    size_t compressed = put_chunk(m), length = m->out.n;
    put_message_indices(m, &where);
    size_t kept = m->chunks.n;
    note_chunk(m, length, compressed, &where, m->out.n - length);
    int good = !where.failed && !m->chunks.failed && write_out(m);
    if (good) {
        m->n_chunks++;
        m->messages += m->chunk_messages;
        for (uint32_t i = 0; i < m->n_channels; i++) m->channel[i].messages += m->channel[i].n;
        if (m->chunk_messages && m->begin < m->first) m->first = m->begin;
        if (m->chunk_messages && m->end > m->last) m->last = m->end;
    } else {
        m->chunks.n = kept;
        m->lost += m->chunk_messages;
        (void)fail(m, ENOMEM);
    }
    for (uint32_t i = 0; i < m->n_channels; i++) m->channel[i].n = 0;
    m->chunk.n = 0;
    m->chunk_messages = 0;
    free(where.at);
    return good;
}

static int note_message(struct channel *c, uint64_t time, uint64_t offset)
{
    if (c->n == c->room) {
        size_t wanted = c->room ? 2 * c->room : 1024;
        struct index_entry *wider = realloc(c->entry, wanted * sizeof *wider);
        if (!wider) return 0;
        c->entry = wider;
        c->room = wanted;
    }
    c->entry[c->n++] = (struct index_entry){time, offset};
    return 1;
}

int mcap_message(struct mcap *m, uint16_t channel, uint32_t sequence, uint64_t time_ns,
                 const void *cdr, size_t n)
{
    static const unsigned char CDR_LITTLE[4] = {0, 1, 0, 0};
    if (m->error || channel == 0 || channel > m->n_channels ||
        !note_message(&m->channel[channel - 1], time_ns, m->chunk.n)) {
        m->lost++;
        return 0;
    }
    size_t at = begin(&m->chunk, MCAP_MESSAGE);
    put_16(&m->chunk, channel);
    put_32(&m->chunk, sequence);
    put_64(&m->chunk, time_ns);
    put_64(&m->chunk, time_ns);
    put(&m->chunk, CDR_LITTLE, sizeof CDR_LITTLE);
    put(&m->chunk, cdr, n);
    end(&m->chunk, at);
    if (!m->chunk_messages || time_ns < m->begin) m->begin = time_ns;
    if (!m->chunk_messages || time_ns > m->end) m->end = time_ns;
    m->chunk_messages++;
    if (m->chunk.n < m->chunk_bytes) return 1;
    return mcap_flush(m);
}

/* ---- beside the messages -------------------------------------------------------- */

int mcap_metadata(struct mcap *m, const char *name, const struct mcap_pair *pairs)
{
    if (!mcap_flush(m)) return 0;
    uint64_t from = m->size;
    size_t at = begin(&m->out, MCAP_METADATA);
    put_text(&m->out, name);
    put_map(&m->out, pairs);
    end(&m->out, at);
    uint64_t length = m->out.n;
    if (!write_out(m)) return 0;
    at = begin(&m->metadata, MCAP_METADATA_INDEX);
    put_64(&m->metadata, from);
    put_64(&m->metadata, length);
    put_text(&m->metadata, name);
    end(&m->metadata, at);
    m->n_metadata++;
    return 1;
}

int mcap_attachment(struct mcap *m, const char *name, const char *media_type, uint64_t time_ns,
                    const void *data, size_t n)
{
    if (!mcap_flush(m)) return 0;
    uint64_t from = m->size;
    struct bytes *out = &m->out;
    size_t at = begin(out, MCAP_ATTACHMENT);
    put_64(out, time_ns);
    put_64(out, time_ns);
    put_text(out, name);
    put_text(out, media_type);
    put_64(out, n);
    put(out, data, n);
    if (!out->failed)
        put_32(out, mcap_crc(0, out->at + at + MCAP_RECORD_HEAD, out->n - at - MCAP_RECORD_HEAD));
    end(out, at);
    uint64_t length = out->n;
    if (!write_out(m)) return 0;
    struct bytes *b = &m->attachments;
    at = begin(b, MCAP_ATTACHMENT_INDEX);
    put_64(b, from);
    put_64(b, length);
    put_64(b, time_ns);
    put_64(b, time_ns);
    put_64(b, n);
    put_text(b, name);
    put_text(b, media_type);
    end(b, at);
    m->n_attachments++;
    return 1;
}

/* ---- the end -------------------------------------------------------------------- */

/* A run of records of one kind in the summary. */
struct group {
    enum mcap_opcode opcode;
    size_t at, n;
};

static void put_group(struct bytes *out, struct group *g, int *n, enum mcap_opcode opcode,
                      const struct bytes *records)
{
    if (!records->n) return;
    g[(*n)++] = (struct group){opcode, out->n, records->n};
    put(out, records->at, records->n);
}

static void put_statistics(struct mcap *m)
{
    size_t at = begin(&m->out, MCAP_STATISTICS);
    uint32_t each = sizeof(uint16_t) + sizeof(uint64_t);
    put_64(&m->out, m->messages);
    put_16(&m->out, (uint16_t)m->n_schemas);
    put_32(&m->out, m->n_channels);
    put_32(&m->out, m->n_attachments);
    put_32(&m->out, m->n_metadata);
    put_32(&m->out, m->n_chunks);
    put_64(&m->out, m->messages ? m->first : 0);
    put_64(&m->out, m->last);
    put_32(&m->out, m->n_channels * each);
    for (uint32_t i = 0; i < m->n_channels; i++) {
        put_16(&m->out, (uint16_t)(i + 1));
        put_64(&m->out, m->channel[i].messages);
    }
    end(&m->out, at);
}

static void put_summary(struct mcap *m)
{
    struct bytes *out = &m->out;
    struct group group[N_GROUPS];
    int n = 0;
    size_t at = begin(out, MCAP_DATA_END);
    put_32(out, 0);
    end(out, at);
    size_t summary = out->n;
    put_group(out, group, &n, MCAP_SCHEMA, &m->schemas);
    size_t channels = out->n;
    for (uint32_t i = 0; i < m->n_channels; i++)
        put(out, m->channel[i].record.at, m->channel[i].record.n);
    if (out->n > channels) group[n++] = (struct group){MCAP_CHANNEL, channels, out->n - channels};
    size_t statistics = out->n;
    put_statistics(m);
    group[n++] = (struct group){MCAP_STATISTICS, statistics, out->n - statistics};
    put_group(out, group, &n, MCAP_CHUNK_INDEX, &m->chunks);
    put_group(out, group, &n, MCAP_ATTACHMENT_INDEX, &m->attachments);
    put_group(out, group, &n, MCAP_METADATA_INDEX, &m->metadata);
    size_t offsets = out->n;
    for (int i = 0; i < n; i++) {
        at = begin(out, MCAP_SUMMARY_OFFSET);
        put_8(out, (uint8_t)group[i].opcode);
        put_64(out, m->size + group[i].at);
        put_64(out, group[i].n);
        end(out, at);
    }
    at = begin(out, MCAP_FOOTER);
    put_64(out, m->size + summary);
    put_64(out, m->size + offsets);
    put_32(out, 0);
    end(out, at);
    /* the sum goes over the footer's head too, whose length is known only now */
    if (!out->failed) {
        size_t sum = out->n - sizeof(uint32_t);
        uint32_t crc = mcap_crc(0, out->at + summary, sum - summary);
        memcpy(out->at + sum, &crc, sizeof crc);
    }
    put(out, MCAP_MAGIC, MCAP_MAGIC_BYTES);
}

uint64_t mcap_size(const struct mcap *m) { return m->size; }
uint64_t mcap_messages(const struct mcap *m) { return m->messages; }
uint64_t mcap_lost(const struct mcap *m) { return m->lost; }
int mcap_error(const struct mcap *m) { return m->error; }

enum status mcap_destroy(struct mcap *m)
{
    if (!m) return STATUS_OK;
    if (mcap_flush(m)) {
        put_summary(m);
        (void)write_out(m);
    }
    enum status s = m->error ? STATUS_IO : STATUS_OK;
    for (uint32_t i = 0; i < m->n_channels; i++) {
        free(m->channel[i].record.at);
        free(m->channel[i].entry);
    }
    free(m->channel);
    free(m->chunk.at);
    free(m->out.at);
    free(m->schemas.at);
    free(m->chunks.at);
    free(m->attachments.at);
    free(m->metadata.at);
    ZSTD_freeCCtx(m->zstd);
    free(m);
    return s;
}
