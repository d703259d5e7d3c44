#include "services/run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "services/run/sandbox_calls.h"

enum { NOBODY = 65534, STEP_USER = 65533 };

/* ---- system calls ------------------------------------------------------------------ */

/* The kernel's form of the rules, by way of a file in memory. */
static enum status exported(scmp_filter_ctx ctx, struct sandbox_filter *f)
{
    enum status s = STATUS_IO;
    struct stat st;
    int fd = memfd_create("filter", MFD_CLOEXEC);

    if (fd < 0) return STATUS_IO;
    if (seccomp_export_bpf(ctx, fd) == 0 && fstat(fd, &st) == 0) {
        f->program.filter = malloc((size_t)st.st_size);
        f->program.len = (unsigned short)((size_t)st.st_size / sizeof(struct sock_filter));
        if (f->program.filter && pread(fd, f->program.filter, (size_t)st.st_size, 0) == st.st_size)
            s = STATUS_OK;
    }
    close(fd);
    return s;
}

enum status sandbox_build(enum sandbox_kind kind, struct sandbox_filter *f)
{
    scmp_filter_ctx ctx = seccomp_init(sandbox_calls_default(kind));
    enum status s = STATUS_IO;

    memset(f, 0, sizeof *f);
    if (!ctx) return STATUS_NO_MEMORY;
    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree, not a list */
    if (sandbox_calls_add(ctx, kind) == 0) s = exported(ctx, f);
    seccomp_release(ctx);
    return s;
}

enum status sandbox_apply(const struct sandbox_filter *f)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f->program) == 0 ? STATUS_OK : STATUS_RIGHTS;
}

enum status sandbox_apply_all(const struct sandbox_filter *f)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &f->program) ==
                   0
               ? STATUS_OK
               : STATUS_RIGHTS;
}

void sandbox_free(struct sandbox_filter *f)
{
    free(f->program.filter);
    memset(f, 0, sizeof *f);
}

/* ---- user and capabilities --------------------------------------------------------- */

struct sandbox_user sandbox_user(enum sandbox_role role)
{
    const char *name = role == SANDBOX_STEP ? "trapeze-step" : "trapeze";
    const struct passwd *p = geteuid() == 0 ? getpwnam(name) : NULL;

    if (geteuid() != 0) return (struct sandbox_user){geteuid(), getegid(), "who started it"};
    if (p && p->pw_uid != 0) return (struct sandbox_user){p->pw_uid, p->pw_gid, name};
    if (role == SANDBOX_STEP) return (struct sandbox_user){STEP_USER, STEP_USER, "65533"};
    return (struct sandbox_user){NOBODY, NOBODY, "65534"};
}

static int become(enum sandbox_role role)
{
    struct sandbox_user u = sandbox_user(role);

    if (geteuid() != 0) return 0;
    return setgroups(0, NULL) || setresgid(u.gid, u.gid, u.gid) || setresuid(u.uid, u.uid, u.uid);
}

static int drop_capabilities(void)
{
    cap_t none = cap_init();
    int error = !none || cap_set_proc(none) != 0;
    if (none) cap_free(none);
    return error;
}

enum status sandbox_drop(enum sandbox_role role)
{
    if (become(role) || drop_capabilities()) return STATUS_RIGHTS;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? STATUS_OK : STATUS_RIGHTS;
}

/* ---- limits ------------------------------------------------------------------------ */

static int write_score(int score)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%d", score), ok;
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    ok = fd >= 0 && write(fd, text, (size_t)n) == n;
    if (fd >= 0) close(fd);
    return ok;
}

int sandbox_oom_score(int wanted)
{
    char text[16] = "0";
    int fd;

    /* without the right a process may go back to what it was given, no lower */
    for (int score = wanted; score <= 0 && !write_score(score); score += 100) continue;
    if (wanted > 0) write_score(wanted);
    fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0) text[0] = '0';
    if (fd >= 0) close(fd);
    return (int)strtol(text, NULL, 10);
}

/* Address space and private memory there are now, bytes. */
static int memory_now(size_t *space, size_t *data)
{
    unsigned long all, resident, shared, text, library, private;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    FILE *f = fopen("/proc/self/statm", "re");
    int n = f ? fscanf(f, "%lu %lu %lu %lu %lu %lu", &all, &resident, &shared, &text, &library,
                       &private)
              : 0;

    if (f) fclose(f);
    if (n != 6) return 0;
    *space = all * page;
    *data = private * page;
    return 1;
}

enum status sandbox_limit(size_t address_space, size_t data)
{
    struct rlimit space, bytes, none = {0, 0};
    size_t space_now, data_now;

    if (!memory_now(&space_now, &data_now)) return STATUS_IO;
    space.rlim_cur = space.rlim_max = space_now + address_space;
    bytes.rlim_cur = bytes.rlim_max = data_now + data;
    return setrlimit(RLIMIT_AS, &space) == 0 && setrlimit(RLIMIT_DATA, &bytes) == 0 &&
                   setrlimit(RLIMIT_CORE, &none) == 0
               ? STATUS_OK
               : STATUS_RIGHTS;
}
