#include "services/run/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/seccomp.h>

/* ---- system calls ------------------------------------------------------------------ */

static const int STEP_THREAD[] = {SCMP_SYS(clock_nanosleep), SCMP_SYS(getrusage), SCMP_SYS(exit)};
static const int STEP_MAIN[] = {SCMP_SYS(ppoll),
                                SCMP_SYS(poll),
                                SCMP_SYS(read),
                                SCMP_SYS(futex),
                                SCMP_SYS(munmap),
                                SCMP_SYS(madvise),
                                SCMP_SYS(exit),
                                SCMP_SYS(exit_group),
                                SCMP_SYS(rt_sigreturn),
                                SCMP_SYS(rt_sigprocmask),
                                SCMP_SYS(restart_syscall),
                                SCMP_SYS(clock_nanosleep)};
static const int SERVICE_NEVER[] = {SCMP_SYS(execve),
                                    SCMP_SYS(execveat),
                                    SCMP_SYS(ptrace),
                                    SCMP_SYS(process_vm_readv),
                                    SCMP_SYS(process_vm_writev),
                                    SCMP_SYS(kcmp),
                                    SCMP_SYS(mount),
                                    SCMP_SYS(umount2),
                                    SCMP_SYS(pivot_root),
                                    SCMP_SYS(chroot),
                                    SCMP_SYS(setns),
                                    SCMP_SYS(unshare),
                                    SCMP_SYS(bpf),
                                    SCMP_SYS(perf_event_open),
                                    SCMP_SYS(init_module),
                                    SCMP_SYS(finit_module),
                                    SCMP_SYS(delete_module),
                                    SCMP_SYS(kexec_load),
                                    SCMP_SYS(kexec_file_load),
                                    SCMP_SYS(reboot),
                                    SCMP_SYS(swapon),
                                    SCMP_SYS(swapoff),
                                    SCMP_SYS(settimeofday),
                                    SCMP_SYS(clock_settime),
                                    SCMP_SYS(clock_adjtime),
                                    SCMP_SYS(adjtimex),
                                    SCMP_SYS(keyctl),
                                    SCMP_SYS(add_key),
                                    SCMP_SYS(request_key),
                                    SCMP_SYS(userfaultfd),
                                    SCMP_SYS(io_uring_setup),
                                    SCMP_SYS(io_uring_enter),
                                    SCMP_SYS(io_uring_register),
                                    SCMP_SYS(acct),
                                    SCMP_SYS(quotactl),
                                    SCMP_SYS(personality),
                                    SCMP_SYS(pidfd_getfd),
                                    SCMP_SYS(fork),
                                    SCMP_SYS(vfork)};
#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

static int add_rules(scmp_filter_ctx ctx, uint32_t action, const int *call, int n)
{
    int error = 0;
    for (int i = 0; i < n && !error; i++) error = seccomp_rule_add(ctx, action, call[i], 0);
    return error;
}

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
    int service = kind == SANDBOX_SERVICE, error;
    scmp_filter_ctx ctx = seccomp_init(service ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS);
    enum status s = STATUS_IO;

    memset(f, 0, sizeof *f);
    if (!ctx) return STATUS_NO_MEMORY;
    if (service)
        error = add_rules(ctx, SCMP_ACT_ERRNO(EPERM), SERVICE_NEVER, COUNT(SERVICE_NEVER));
    else if (kind == SANDBOX_STEP_MAIN)
        error = add_rules(ctx, SCMP_ACT_ALLOW, STEP_MAIN, COUNT(STEP_MAIN));
    else
        error = add_rules(ctx, SCMP_ACT_ALLOW, STEP_THREAD, COUNT(STEP_THREAD));
    if (!error && kind == SANDBOX_STEP_CLOCK)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clock_gettime), 0);
    if (!error) s = exported(ctx, f);
    seccomp_release(ctx);
    return s;
}

enum status sandbox_apply(const struct sandbox_filter *f)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f->program) == 0 ? STATUS_OK : STATUS_RIGHTS;
}

void sandbox_free(struct sandbox_filter *f)
{
    free(f->program.filter);
    memset(f, 0, sizeof *f);
}

/* ---- user and capabilities --------------------------------------------------------- */

static int become_nobody(void)
{
    const struct passwd *p = getpwnam("trapeze");
    uid_t uid = p ? p->pw_uid : 65534;
    gid_t gid = p ? p->pw_gid : 65534;

    if (geteuid() != 0) return 0;
    return setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid);
}

static int drop_capabilities(void)
{
    cap_t none = cap_init();
    int error = !none || cap_set_proc(none) != 0;
    if (none) cap_free(none);
    return error;
}

enum status sandbox_drop(void)
{
    if (become_nobody() || drop_capabilities()) return STATUS_RIGHTS;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? STATUS_OK : STATUS_RIGHTS;
}
