#include "services/run/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the step ---------------------------------------------------------------------- */

static const int STEP_THREAD[] = {SCMP_SYS(clock_nanosleep), SCMP_SYS(getrusage), SCMP_SYS(exit)};
static const int STEP_MAIN[] = {
    SCMP_SYS(ppoll),          SCMP_SYS(poll),           SCMP_SYS(read),
    SCMP_SYS(pread64),        SCMP_SYS(futex),          SCMP_SYS(munmap),
    SCMP_SYS(madvise),        SCMP_SYS(exit),           SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigreturn),   SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall),
    SCMP_SYS(clock_nanosleep)};

/* ---- services ---------------------------------------------------------------------- */

/* Without a look at arguments. */
static const int SERVICE[] = {
    /* files, as far as user and Landlock allow; descriptors */
    SCMP_SYS(openat), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev),
    SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat),
    SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
    SCMP_SYS(unlinkat), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(mkdirat), SCMP_SYS(fsync),
    SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(fchmod), SCMP_SYS(utimensat),
    SCMP_SYS(flock), SCMP_SYS(dup), SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(getcwd),
    /* the network: sockets that socket() below let through; connections are only taken */
    SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(shutdown),
    SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(sendmmsg),
    SCMP_SYS(recvmmsg), SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(getsockopt),
    SCMP_SYS(setsockopt),
    /* waiting */
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
    SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_settime), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall),
    /* memory */
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    /* what it is and what time it is */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrandom), SCMP_SYS(uname), SCMP_SYS(sysinfo),
    SCMP_SYS(getrusage), SCMP_SYS(times), SCMP_SYS(sched_getaffinity),
    /* the first and last acts of a thread made before the filter */
    SCMP_SYS(rseq), SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address),
    /* signals to itself, and the end */
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(exit), SCMP_SYS(exit_group)};

/* No library tries these: an intruder does. The service ends. */
static const int GRAVE[] = {SCMP_SYS(execve),
                            SCMP_SYS(execveat),
                            SCMP_SYS(ptrace),
                            SCMP_SYS(process_vm_readv),
                            SCMP_SYS(process_vm_writev),
                            SCMP_SYS(pidfd_getfd),
                            SCMP_SYS(process_madvise),
                            SCMP_SYS(kcmp),
                            SCMP_SYS(mount),
                            SCMP_SYS(umount2),
                            SCMP_SYS(pivot_root),
                            SCMP_SYS(chroot),
                            SCMP_SYS(setns),
                            SCMP_SYS(unshare),
                            SCMP_SYS(bpf),
                            SCMP_SYS(perf_event_open),
                            SCMP_SYS(userfaultfd),
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
                            SCMP_SYS(keyctl),
                            SCMP_SYS(add_key),
                            SCMP_SYS(request_key),
                            SCMP_SYS(acct),
                            SCMP_SYS(quotactl)};

static const int FCNTL[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_SETLK, F_SETLKW};
static const unsigned long IOCTL[] = {FIONBIO, FIONREAD, TCGETS};
static const int PRCTL[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_TIMERSLACK, PR_GET_NO_NEW_PRIVS,
                            PR_GET_DUMPABLE};
static const int FAMILY[] = {AF_INET, AF_INET6};
#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

static int add_plain(scmp_filter_ctx ctx, uint32_t action, const int *call, int n)
{
    int error = 0;
    for (int i = 0; i < n && !error; i++) error = seccomp_rule_add(ctx, action, call[i], 0);
    return error;
}

/* Memory is never executable that was not so before the filter: neither mapped so nor
 * made so. Libraries are therefore loaded before. */
static int add_memory(scmp_filter_ctx ctx)
{
    struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    int error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, data);
    return error ? error : seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, data);
}

/* abort() and raise() only; no signal to anybody else, by whatever call. */
static int add_signals(scmp_filter_ctx ctx)
{
    return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                            SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
}

static int add_words(scmp_filter_ctx ctx)
{
    int error = 0;

    for (int i = 0; i < COUNT(FCNTL) && !error; i++)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                                 SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)FCNTL[i]));
    for (int i = 0; i < COUNT(IOCTL) && !error; i++)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_EQ, IOCTL[i]));
    for (int i = 0; i < COUNT(PRCTL) && !error; i++)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                                 SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)PRCTL[i]));
    for (int i = 0; i < COUNT(FAMILY) && !error; i++)
        for (int type = SOCK_STREAM; type <= SOCK_DGRAM && !error; type++)
            error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
                                     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)FAMILY[i]),
                                     SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, (scmp_datum_t)type));
    /* its own limits may be read */
    if (!error)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
                                 SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0));
    return error;
}

/* clone3 hides its flags in memory: the C library takes clone where it does not exist. */
static int add_service(scmp_filter_ctx ctx)
{
    int error = add_plain(ctx, SCMP_ACT_ALLOW, SERVICE, COUNT(SERVICE));

    if (!error) error = add_plain(ctx, SCMP_ACT_KILL_PROCESS, GRAVE, COUNT(GRAVE));
    if (!error) error = add_memory(ctx);
    if (!error) error = add_signals(ctx);
    if (!error) error = add_words(ctx);
    if (!error) error = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    return error;
}

uint32_t sandbox_calls_default(enum sandbox_kind kind)
{
    return kind == SANDBOX_SERVICE ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS;
}

int sandbox_calls_add(scmp_filter_ctx ctx, enum sandbox_kind kind)
{
    int error;

    if (kind == SANDBOX_SERVICE) return add_service(ctx);
    if (kind == SANDBOX_STEP_MAIN)
        return add_plain(ctx, SCMP_ACT_ALLOW, STEP_MAIN, COUNT(STEP_MAIN));
    error = add_plain(ctx, SCMP_ACT_ALLOW, STEP_THREAD, COUNT(STEP_THREAD));
    if (!error && kind == SANDBOX_STEP_CLOCK)
        error = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clock_gettime), 0);
    return error;
}
