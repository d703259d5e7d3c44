#include "services/run/memblock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL };

static void *map(int fd, size_t size, int protection)
{
    void *at = mmap(NULL, size, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

enum status memblock_create(struct memblock *b, const char *name, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    *b = (struct memblock){.fd = -1, .size = (size + page - 1) / page * page};
    b->fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (b->fd < 0 || ftruncate(b->fd, (off_t)b->size) != 0) goto out;
    b->map = map(b->fd, b->size, PROT_READ | PROT_WRITE);
    if (!b->map || fcntl(b->fd, F_ADD_SEALS, SEALS) != 0) goto out;
    memset(b->map, 0, b->size);
    b->view = b->map;
    return STATUS_OK;
out:
    memblock_close(b);
    return STATUS_IO;
}

enum status memblock_read_only(struct memblock *b)
{
    if (b->map) munmap(b->map, b->size);
    b->map = NULL;
    b->view = map(b->fd, b->size, PROT_READ);
    return b->view ? STATUS_OK : STATUS_IO;
}

enum status memblock_open(struct memblock *b, int fd)
{
    struct stat s;

    *b = (struct memblock){.fd = fd};
    if (fstat(fd, &s) != 0) return STATUS_IO;
    b->size = (size_t)s.st_size;
    b->view = map(fd, b->size, PROT_READ);
    return b->view ? STATUS_OK : STATUS_IO;
}

int memblock_share(const struct memblock *b)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", b->fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void memblock_close(struct memblock *b)
{
    const void *at = b->map ? b->map : b->view;
    if (at) munmap((void *)(size_t)at, b->size);
    if (b->fd >= 0) close(b->fd);
    *b = (struct memblock){.fd = -1};
}
