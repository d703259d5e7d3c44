#include "services/record/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "services/run/sandbox.h"

int shelf_open(const char *path)
{
    int made = mkdir(path, 0755) == 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !made || geteuid() != 0) return fd;
    struct sandbox_user u = sandbox_user(SANDBOX_SERVICES);
    if (fchown(fd, u.uid, u.gid) == 0) return fd;
    close(fd);
    return -1;
}

void shelf_name(const char *rig, int64_t utc_ns, uint32_t segment, char *name, size_t size)
{
    time_t s = utc_ns / 1000000000;
    char date[32];
    struct tm t;
    gmtime_r(&s, &t);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &t);
    snprintf(name, size, "%.100s-%s-%03u.mcap", rig, date, segment);
}

/* 1 if a file is of this rig: RIG-........-......-*.mcap. */
static int is_ours(const char *file, const char *rig)
{
    size_t n = strlen(rig), length = strlen(file);
    return length > n + 22 && strncmp(file, rig, n) == 0 && file[n] == '-' &&
           strspn(file + n + 1, "0123456789") == 8 && strspn(file + n + 10, "0123456789") == 6 &&
           strcmp(file + length - 5, ".mcap") == 0;
}

/* The oldest of this rig's files in `oldest`; returns the bytes of all. */
static double weigh(int folder, const char *rig, const char *open, char oldest[256], int *n)
{
    double bytes = 0;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    *n = 0;
    if (!d) {
        if (fd >= 0) close(fd);
        return 0;
    }
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        struct stat s;
        if (!is_ours(e->d_name, rig) || fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode))
            continue;
        bytes += (double)s.st_size;
        if (strcmp(e->d_name, open) == 0) continue;
        if ((*n)++ == 0 || strcmp(e->d_name, oldest) < 0) snprintf(oldest, 256, "%s", e->d_name);
    }
    closedir(d);
    return bytes;
}

void shelf_tidy(int folder, const char *rig, double keep, const char *open)
{
    char oldest[256];
    int n;
    for (int i = 0; i < 10000; i++) {
        if (weigh(folder, rig, open, oldest, &n) <= keep || n == 0) return;
        if (unlinkat(folder, oldest, 0) != 0) return;
    }
}
