#include "services/record/mcap_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "services/record/mcap.h"
#include "services/record/mcap_format.h"

enum { CHUNK_MOST = 256 << 20 };

struct mcap_reader {
    struct mcap_bytes file, rest; /* all; not read yet */
    struct mcap_bytes chunk;      /* rest of the unpacked chunk */
    char *unpacked;
    size_t room;
    size_t good;
    int whole, damaged, over;
};

/* ---- bytes ---------------------------------------------------------------------- */

static int take(struct mcap_bytes *from, void *to, size_t n)
{
    if (from->n < n) return 0;
    memcpy(to, from->at, n);
    from->at += n;
    from->n -= n;
    return 1;
}

static int take_bytes(struct mcap_bytes *from, uint64_t n, struct mcap_bytes *to)
{
    if (from->n < n) return 0;
    *to = (struct mcap_bytes){from->at, (size_t)n};
    from->at += n;
    from->n -= (size_t)n;
    return 1;
}

static int take_text(struct mcap_bytes *from, struct mcap_bytes *to)
{
    uint32_t n;
    return take(from, &n, sizeof n) && take_bytes(from, n, to);
}

static int take_record(struct mcap_bytes *from, unsigned char *opcode, struct mcap_bytes *body)
{
    struct mcap_bytes at = *from;
    uint64_t n;
    if (!take(&at, opcode, 1) || !take(&at, &n, sizeof n) || !take_bytes(&at, n, body)) return 0;
    *from = at;
    return 1;
}

int mcap_pair_next(struct mcap_bytes *map, struct mcap_bytes *key, struct mcap_bytes *value)
{
    return take_text(map, key) && take_text(map, value);
}

/* ---- records -------------------------------------------------------------------- */

static int read_schema(struct mcap_bytes b, struct mcap_item *i)
{
    return take(&b, &i->id, sizeof i->id) && take_text(&b, &i->name) &&
           take_text(&b, &i->encoding) && take_text(&b, &i->data);
}

static int read_channel(struct mcap_bytes b, struct mcap_item *i)
{
    return take(&b, &i->id, sizeof i->id) && take(&b, &i->schema, sizeof i->schema) &&
           take_text(&b, &i->name) && take_text(&b, &i->encoding) && take_text(&b, &i->data);
}

static int read_message(struct mcap_bytes b, struct mcap_item *i)
{
    uint64_t published;
    if (!take(&b, &i->id, sizeof i->id) || !take(&b, &i->sequence, sizeof i->sequence) ||
        !take(&b, &i->time_ns, sizeof i->time_ns) || !take(&b, &published, sizeof published))
        return 0;
    i->data = b;
    return 1;
}

static int read_attachment(struct mcap_bytes b, struct mcap_item *i)
{
    uint64_t created, n;
    return take(&b, &i->time_ns, sizeof i->time_ns) && take(&b, &created, sizeof created) &&
           take_text(&b, &i->name) && take_text(&b, &i->encoding) && take(&b, &n, sizeof n) &&
           take_bytes(&b, n, &i->data);
}

static int read_metadata(struct mcap_bytes b, struct mcap_item *i)
{
    return take_text(&b, &i->name) && take_text(&b, &i->data);
}

static int read_item(unsigned char opcode, struct mcap_bytes body, struct mcap_item *i)
{
    *i = (struct mcap_item){.kind = opcode};
    switch (opcode) {
    case MCAP_SCHEMA:
        return read_schema(body, i);
    case MCAP_CHANNEL:
        return read_channel(body, i);
    case MCAP_MESSAGE:
        return read_message(body, i);
    case MCAP_ATTACHMENT:
        return read_attachment(body, i);
    case MCAP_METADATA:
        return read_metadata(body, i);
    default:
        return 0;
    }
}

/* Unpack a chunk; 0 where it is damaged. */
static int open_chunk(struct mcap_reader *r, struct mcap_bytes b)
{
    uint64_t begin, end, size, packed_size;
    uint32_t crc;
    struct mcap_bytes method, packed;
    if (!take(&b, &begin, sizeof begin) || !take(&b, &end, sizeof end) ||
        !take(&b, &size, sizeof size) || !take(&b, &crc, sizeof crc) || !take_text(&b, &method) ||
        !take(&b, &packed_size, sizeof packed_size) || !take_bytes(&b, packed_size, &packed) ||
        size > CHUNK_MOST)
        return 0;
    if (method.n == 0) {
        r->chunk = packed;
        return crc == 0 || mcap_crc(0, packed.at, packed.n) == crc;
    }
    if (method.n != 4 || memcmp(method.at, "zstd", 4) != 0) return 0;
    if (size > r->room) {
        char *wider = realloc(r->unpacked, size);
        if (!wider) return 0;
        r->unpacked = wider;
        r->room = size;
    }
    size_t n = ZSTD_decompress(r->unpacked, r->room, packed.at, packed.n);
    if (ZSTD_isError(n) || n != size) return 0;
    if (crc != 0 && mcap_crc(0, r->unpacked, n) != crc) return 0;
    r->chunk = (struct mcap_bytes){r->unpacked, n};
    return 1;
}

int mcap_next(struct mcap_reader *r, struct mcap_item *item)
{
    unsigned char opcode;
    struct mcap_bytes body;
    for (;;) {
        while (r->chunk.n) {
            if (!take_record(&r->chunk, &opcode, &body)) {
                r->chunk.n = 0;
                r->damaged++;
                break;
            }
            if (read_item(opcode, body, item)) return 1;
        }
        if (r->over || !take_record(&r->rest, &opcode, &body)) return 0;
        if (opcode == MCAP_DATA_END) {
            r->over = 1; /* the summary says all once more */
            r->whole = r->file.n >= 2 * MCAP_MAGIC_BYTES &&
                       memcmp(r->file.at + r->file.n - MCAP_MAGIC_BYTES, MCAP_MAGIC,
                              MCAP_MAGIC_BYTES) == 0;
            return 0;
        }
        r->good = r->file.n - r->rest.n;
        if (opcode == MCAP_CHUNK) {
            if (!open_chunk(r, body)) r->damaged++, r->chunk.n = 0;
        } else if (read_item(opcode, body, item))
            return 1;
    }
}

/* ---- life ----------------------------------------------------------------------- */

enum status mcap_open(const char *path, struct mcap_reader **out)
{
    struct mcap_reader *r = calloc(1, sizeof *r);
    struct stat s;
    int fd = r ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    *out = NULL;
    if (fd < 0 || fstat(fd, &s) != 0) {
        if (fd >= 0) close(fd);
        enum status why = r ? STATUS_IO : STATUS_NO_MEMORY;
        free(r);
        return why;
    }
    char *at = MAP_FAILED;
    if (S_ISREG(s.st_mode) && s.st_size >= MCAP_MAGIC_BYTES)
        at = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED || memcmp(at, MCAP_MAGIC, MCAP_MAGIC_BYTES) != 0) {
        if (at != MAP_FAILED) munmap(at, (size_t)s.st_size);
        free(r);
        return STATUS_REFUSED;
    }
    r->file = (struct mcap_bytes){at, (size_t)s.st_size};
    r->rest = (struct mcap_bytes){at + MCAP_MAGIC_BYTES, r->file.n - MCAP_MAGIC_BYTES};
    r->good = MCAP_MAGIC_BYTES;
    *out = r;
    return STATUS_OK;
}

void mcap_close(struct mcap_reader *r)
{
    if (!r) return;
    munmap((void *)(uintptr_t)r->file.at, r->file.n);
    free(r->unpacked);
    free(r);
}

int mcap_is_whole(const struct mcap_reader *r) { return r->whole; }
size_t mcap_good(const struct mcap_reader *r) { return r->good; }
int mcap_damaged(const struct mcap_reader *r) { return r->damaged; }
