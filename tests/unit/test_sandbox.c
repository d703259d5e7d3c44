/* What a service may call, call by call, in the real filter of the real kernel: each in a
 * process of its own. NO_SANITIZER (their own calls are not on the list) */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "services/run/sandbox.h"

enum { KILLED = -1, DONE = 0, SELF = -4711 }; /* SELF as an argument: the process itself */

struct call {
    const char *name;
    long number, a, b, c, d;
    int answer;            /* an errno, KILLED, or DONE for any answer but EPERM */
};

static const struct sched_param ZERO_PRIORITY;
static const struct rlimit ONE_SECOND = {1, 1};

/* What an intruder tried in a service, and its kin. */
static const struct call HOSTILE[] = {
    {"kill another", SYS_kill, 1, 0, 0, 0, EPERM},
    {"kill itself", SYS_kill, SELF, 0, 0, 0, EPERM},
    {"kill all", SYS_kill, -1, SIGKILL, 0, 0, EPERM},
    {"tgkill another", SYS_tgkill, 1, 1, 0, 0, EPERM},
    {"tkill", SYS_tkill, 1, 0, 0, 0, EPERM},
    {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, 1, 0, 0, 0, EPERM},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, 1, 1, 0, 0, EPERM},
    {"pidfd_open", SYS_pidfd_open, 1, 0, 0, 0, EPERM},
    {"pidfd_send_signal", SYS_pidfd_send_signal, 0, 0, 0, 0, EPERM},
    {"fcntl F_SETOWN", SYS_fcntl, 0, F_SETOWN, 1, 0, EPERM},
    {"sched_setscheduler", SYS_sched_setscheduler, 0, SCHED_OTHER, (long)&ZERO_PRIORITY, 0, EPERM},
    {"sched_setparam", SYS_sched_setparam, 0, (long)&ZERO_PRIORITY, 0, 0, EPERM},
    {"sched_setattr", SYS_sched_setattr, 0, 0, 0, 0, EPERM},
    {"sched_setaffinity", SYS_sched_setaffinity, 0, 0, 0, 0, EPERM},
    {"setpriority", SYS_setpriority, PRIO_PROCESS, 0, 5, 0, EPERM},
    {"ioprio_set", SYS_ioprio_set, 1, 0, 0, 0, EPERM},
    {"prlimit on another", SYS_prlimit64, 1, RLIMIT_CPU, (long)&ONE_SECOND, 0, EPERM},
    {"prlimit on itself", SYS_prlimit64, 0, RLIMIT_CPU, (long)&ONE_SECOND, 0, EPERM},
    {"setrlimit", SYS_setrlimit, RLIMIT_CPU, (long)&ONE_SECOND, 0, 0, EPERM},
#ifdef SYS_fork
    {"fork", SYS_fork, 0, 0, 0, 0, EPERM},
    {"vfork", SYS_vfork, 0, 0, 0, 0, EPERM},
#endif
    {"clone a process", SYS_clone, SIGCHLD, 0, 0, 0, EPERM},
    {"clone a user namespace", SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, EPERM},
    {"clone3", SYS_clone3, 0, 0, 0, 0, ENOSYS},
    {"mmap executable", SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
     MAP_PRIVATE | MAP_ANONYMOUS, EPERM},
    {"mprotect executable", SYS_mprotect, 0, 4096, PROT_READ | PROT_EXEC, 0, EPERM},
    {"pkey_mprotect", SYS_pkey_mprotect, 0, 4096, PROT_READ, -1, EPERM},
    {"memfd_create", SYS_memfd_create, (long)"x", 0, 0, 0, EPERM},
    {"socket AF_UNIX", SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0, EPERM},
    {"socket AF_NETLINK", SYS_socket, AF_NETLINK, SOCK_RAW, 0, 0, EPERM},
    {"socket AF_VSOCK", SYS_socket, AF_VSOCK, SOCK_STREAM, 0, 0, EPERM},
    {"socket AF_PACKET", SYS_socket, AF_PACKET, SOCK_RAW, 0, 0, EPERM},
    {"raw socket", SYS_socket, AF_INET, SOCK_RAW, 1, 0, EPERM},
    {"socketpair", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, 0, EPERM},
    {"connect", SYS_connect, 0, 0, 0, 0, EPERM},
    {"prctl PR_SET_PDEATHSIG", SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, EPERM},
    {"prctl PR_SET_DUMPABLE", SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, EPERM},
    {"ioctl TIOCSTI", SYS_ioctl, 0, 0x5412, 0, 0, EPERM},
    {"open_by_handle_at", SYS_open_by_handle_at, 0, 0, 0, 0, EPERM},
    {"link", SYS_linkat, AT_FDCWD, 0, AT_FDCWD, 0, EPERM},
    {"symlink", SYS_symlinkat, 0, AT_FDCWD, 0, 0, EPERM},
    {"mknod", SYS_mknodat, AT_FDCWD, 0, 0, 0, EPERM},
    {"chown", SYS_fchownat, AT_FDCWD, 0, 0, 0, EPERM},
    {"setuid", SYS_setuid, 0, 0, 0, 0, EPERM},
    {"io_uring_setup", SYS_io_uring_setup, 1, 0, 0, 0, EPERM},
    {"seccomp", SYS_seccomp, 1, 0, 0, 0, EPERM},
    {"shmget", SYS_shmget, 0, 4096, 0600, 0, EPERM},
    {"mq_open", SYS_mq_open, 0, 0, 0, 0, EPERM},
    {"mlockall", SYS_mlockall, MCL_CURRENT, 0, 0, 0, EPERM},
    {"syslog", SYS_syslog, 3, 0, 0, 0, EPERM},
    {"unheard of", 9999, 0, 0, 0, 0, EPERM},
    {"execve", SYS_execve, (long)"/bin/true", 0, 0, 0, KILLED},
    {"execveat", SYS_execveat, AT_FDCWD, (long)"/bin/true", 0, 0, KILLED},
    {"ptrace", SYS_ptrace, 16, 1, 0, 0, KILLED},
    {"process_vm_readv", SYS_process_vm_readv, 1, 0, 0, 0, KILLED},
    {"process_vm_writev", SYS_process_vm_writev, 1, 0, 0, 0, KILLED},
    {"unshare", SYS_unshare, CLONE_NEWUSER, 0, 0, 0, KILLED},
    {"setns", SYS_setns, 0, 0, 0, 0, KILLED},
    {"bpf", SYS_bpf, 0, 0, 0, 0, KILLED},
    {"mount", SYS_mount, 0, 0, 0, 0, KILLED},
    {"pidfd_getfd", SYS_pidfd_getfd, 0, 0, 0, 0, KILLED},
};

/* What a server needs, with arguments the kernel may refuse: only not by the filter. */
static const struct call NEEDED[] = {
    {"getpid", SYS_getpid, 0, 0, 0, 0, DONE},
    {"openat", SYS_openat, AT_FDCWD, (long)"/etc/hosts", O_RDONLY, 0, DONE},
    {"mmap", SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, DONE},
    {"socket", SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, DONE},
    {"datagrams", SYS_socket, AF_INET6, SOCK_DGRAM, 0, 0, DONE},
    {"accept", SYS_accept4, -1, 0, 0, 0, DONE},
    {"epoll_pwait2", SYS_epoll_pwait2, -1, 0, 0, 0, DONE},
    {"getrandom", SYS_getrandom, 0, 0, 0, 0, DONE},
    {"futex", SYS_futex, 0, 0, 0, 0, DONE},
    {"its own limits", SYS_prlimit64, 0, RLIMIT_NOFILE, 0, 0, DONE},
    {"tgkill itself", SYS_tgkill, SELF, SELF, 0, 0, DONE},
    {"fcntl F_GETFL", SYS_fcntl, 0, F_GETFL, 0, 0, DONE},
};

static long self_or(long v) { return v == SELF ? (long)getpid() : v; }

/* In a child: the answer is its exit code. */
static int answer_in_child(const struct call *c)
{
    struct sandbox_filter f;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        long r;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            sandbox_build(SANDBOX_SERVICE, &f) != STATUS_OK || sandbox_apply_all(&f) != STATUS_OK)
            _exit(255);
        r = syscall(c->number, self_or(c->a), self_or(c->b), c->c, c->d, -1, 0);
        _exit(r == -1 ? errno : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? KILLED : 1000;
    assert_int_not_equal(WEXITSTATUS(status), 255);
    return WEXITSTATUS(status);
}

static void what_an_intruder_tries_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        int got = answer_in_child(&HOSTILE[i]);
        if (got != HOSTILE[i].answer)
            fail_msg("%s: wanted %d, got %d", HOSTILE[i].name, HOSTILE[i].answer, got);
    }
}

static void what_a_server_needs_is_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof NEEDED / sizeof NEEDED[0]; i++) {
        int got = answer_in_child(&NEEDED[i]);
        if (got == EPERM || got == KILLED || got == 1000)
            fail_msg("%s: refused (%d)", NEEDED[i].name, got);
    }
}

/* A thread made before is under the filter too. */
static void *wait_and_kill(void *go)
{
    while (!atomic_load((atomic_int *)go)) sched_yield();
    _exit(syscall(SYS_kill, getppid(), 0) == -1 && errno == EPERM ? 42 : 1);
}

static void threads_made_before_are_held_too(void **state)
{
    struct sandbox_filter f;
    pthread_t thread;
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        atomic_int go = 0;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            sandbox_build(SANDBOX_SERVICE, &f) != STATUS_OK ||
            pthread_create(&thread, NULL, wait_and_kill, &go) != 0 ||
            sandbox_apply_all(&f) != STATUS_OK)
            _exit(1);
        atomic_store(&go, 1);
        pthread_join(thread, NULL);
        _exit(2);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

/* Landlock: the folders named, what the C library reads, nothing else. */
static int look_around(const char *mine)
{
    char path[600];
    struct sandbox_files files = {.n_write = 1};
    int bad = 0, fd;

    files.write[0] = open(mine, O_PATH | O_DIRECTORY);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || sandbox_files(&files) != STATUS_OK)
        return 100;
    snprintf(path, sizeof path, "%s/new", mine);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    bad += fd < 0;
    bad += open("/etc/hosts", O_RDONLY) < 0 ? 2 : 0;
    bad += open("/tmp/trapeze-test-landlock", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES ? 4
                                                                                                : 0;
    bad += open("/proc/self/status", O_RDONLY) >= 0 || errno != EACCES ? 8 : 0;
    bad += open("/etc/trapeze-test-landlock", O_WRONLY | O_CREAT, 0600) >= 0 || errno == EEXIST ? 16
                                                                                                : 0;
    return bad;
}

static void only_the_files_named_are_there(void **state)
{
    char mine[512];
    int status;
    pid_t pid;

    (void)state;
    if (!sandbox_has_landlock()) skip();
    snprintf(mine, sizeof mine, "%s", getenv("TEST_DIR") ? getenv("TEST_DIR") : ".");
    pid = fork();
    if (pid == 0) _exit(look_around(mine));
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A service that takes memory without end comes to its limit, not to the machine's. */
static void memory_has_a_bound(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        enum { MB = 1 << 20 };
        int taken = 0;
        if (sandbox_limit((size_t)512 * MB, (size_t)64 * MB) != STATUS_OK) _exit(200);
        while (taken < 100 && mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                   -1, 0) != MAP_FAILED)
            taken++;
        _exit(taken);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_in_range(WEXITSTATUS(status), 60, 64);
}

static void the_step_and_the_services_are_two_users(void **state)
{
    struct sandbox_user step = sandbox_user(SANDBOX_STEP),
                        services = sandbox_user(SANDBOX_SERVICES);

    (void)state;
    if (geteuid() != 0) {
        assert_int_equal(step.uid, geteuid());
        assert_int_equal(services.uid, geteuid());
        return;
    }
    assert_int_not_equal(step.uid, services.uid);
    assert_int_not_equal(step.gid, services.gid);
    assert_true(step.uid != 0 && services.uid != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_intruder_tries_is_refused),
        cmocka_unit_test(what_a_server_needs_is_not),
        cmocka_unit_test(threads_made_before_are_held_too),
        cmocka_unit_test(only_the_files_named_are_there),
        cmocka_unit_test(memory_has_a_bound),
        cmocka_unit_test(the_step_and_the_services_are_two_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
