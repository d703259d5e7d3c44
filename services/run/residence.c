#include "services/run/residence.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* By the beginning of a file's name. */
static int is_one_of(const char *file, const char *const *name)
{
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

    for (; *name; name++)
        if (strncmp(base, *name, strlen(*name)) == 0) return 1;
    return 0;
}

int residence_needs(const char *file, const char *rights, const char *program, int lapack)
{
    static const char *const C[] = {"libc.so", "libc-",      "libm.so",  "libm-", "libmvec",
                                    "ld-",     "libpthread", "libgcc_s", NULL};
    static const char *const LAPACK[] = {"liblapack",   "libopenblas", "libblas",
                                         "libgfortran", "libquadmath", NULL};

    if (rights[0] != 'r' || strcmp(file, "[vvar]") == 0 || strcmp(file, "[vsyscall]") == 0)
        return 0;
    if (rights[1] == 'w' || rights[3] == 's' || file[0] != '/') return 1;
    if (strncmp(file, "/memfd:", 7) == 0) return 1;
    return strcmp(file, program) == 0 || is_one_of(file, C) || (lapack && is_one_of(file, LAPACK));
}

int residence_lock(int lapack)
{
    char program[512] = "", line[1024];
    FILE *f = fopen("/proc/self/maps", "re");
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    int error = f && n > 0 ? 0 : errno;

    if (n > 0) program[n] = 0;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long from, to;
        char rights[8], file[768] = "";
        if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %767[^\n]", &from, &to, rights, file) < 3)
            continue;
        if (!residence_needs(file, rights, program, lapack)) continue;
        if (mlock((const void *)(uintptr_t)from, to - from) != 0) error = errno;
    }
    if (f) fclose(f);
    return error;
}
