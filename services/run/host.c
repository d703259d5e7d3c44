#include "services/run/host.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/run/sandbox.h"

enum { PROGRAM = 128 };

/* The number a line of the kernel's begins with. */
static long whole(const char *text) { return strtol(text, NULL, 10); }

/* ---- one fact each ----------------------------------------------------------------- */

struct host_fact *host_add(struct host *m, const char *key, enum host_state state, const char *why)
{
    struct host_fact *f = &m->fact[m->n < HOST_FACTS - 1 ? m->n++ : m->n];
    *f = (struct host_fact){.key = key, .state = state, .why = why};
    return f;
}

__attribute__((format(printf, 2, 3))) static void found(struct host_fact *f, const char *format,
                                                        ...)
{
    va_list a;
    va_start(a, format);
    vsnprintf(f->found, sizeof f->found, format, a);
    va_end(a);
}

__attribute__((format(printf, 2, 3))) static void remedy(struct host_fact *f, const char *format,
                                                         ...)
{
    va_list a;
    va_start(a, format);
    vsnprintf(f->remedy, sizeof f->remedy, format, a);
    va_end(a);
}

static void probe_kernel(struct host *m)
{
    char text[64] = "";
    struct utsname u = {0};
    struct host_fact *f;

    uname(&u);
    cores_line("/sys/kernel/realtime", text, sizeof text);
    m->rt_kernel = text[0] == '1' || strstr(u.version, "PREEMPT_RT") != NULL;
    f = host_add(m, "kernel", m->rt_kernel ? HOST_GOOD : HOST_MEND,
                 "only a PREEMPT_RT kernel bounds the time until the step thread runs");
    found(f, "%s, %s", u.release, m->rt_kernel ? "PREEMPT_RT" : "not a PREEMPT_RT kernel");
    if (!m->rt_kernel) remedy(f, "apt-get install linux-image-rt-amd64, then reboot into it");
}

/* Isolated cores among those of the services. */
static int isolated_services(const struct cores *c, const char *isolated)
{
    int n = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        n += CPU_ISSET((size_t)i, &c->services) && cores_in_list(isolated, i);
    return n;
}

static void probe_cores(struct host *m, const struct cores *c)
{
    char isolated[256] = "";
    struct host_fact *f = host_add(m, "cores", HOST_GOOD,
                                   "what shares a core with the step takes time from it");

    cores_text(&c->services, m->others);
    cores_line("/sys/devices/system/cpu/isolated", isolated, sizeof isolated);
    found(f, "step on %d, services on %s", c->step, m->others);
    if (c->shared) {
        f->state = HOST_MEND;
        found(f, "step and services share core %d: there is no other", c->step);
        remedy(f, "a machine with two cores at least");
    } else if (isolated_services(c, isolated) > 0) {
        f->state = HOST_NOTE;
        f->why = "nothing is moved from one isolated core to another: services would crowd on one";
        remedy(f, "isolate the step's core only, or keep service-cores to others than %.60s",
               isolated);
    }
}

/* Two steps on one core delay each other, each with every right. */
static void probe_others(struct host *m, const struct cores *c)
{
    struct host_fact *f = host_add(m, "other-rigs", c->clash[0] ? HOST_MEND : HOST_GOOD,
                                   "two steps on one core delay each other");

    if (!c->clash[0]) {
        found(f, "no other rig's step on core %d", c->step);
        return;
    }
    found(f, "core %d is also that of the step of the rig '%s'", c->step, c->clash);
    remedy(f, "core: in one of the rig files, or end the other rig");
}

static void probe_isolation(struct host *m)
{
    char isolated[256] = "", nohz[256] = "";
    struct host_fact *f;
    int tickless;

    cores_line("/sys/devices/system/cpu/isolated", isolated, sizeof isolated);
    cores_line("/sys/devices/system/cpu/nohz_full", nohz, sizeof nohz);
    m->isolated = cores_in_list(isolated, m->core);
    tickless = cores_in_list(nohz, m->core);
    f = host_add(m, "isolated", m->isolated ? HOST_GOOD : HOST_MEND,
                 "other programs and kernel work stay away from an isolated core");
    found(f, m->isolated ? "core %d is isolated" : "core %d is not isolated", m->core);
    if (!m->isolated)
        remedy(f, "kernel command line: isolcpus=managed_irq,domain,%d nohz_full=%d irqaffinity=%s",
               m->core, m->core, m->others);
    f = host_add(m, "nohz_full", tickless ? HOST_GOOD : HOST_NOTE,
                 "the kernel's own tick does not interrupt a tickless core");
    found(f, "core %d %s nohz_full", m->core, tickless ? "is" : "is not");
    if (!tickless) remedy(f, "kernel command line: nohz_full=%d rcu_nocbs=%d", m->core, m->core);
}

static void probe_interrupts(struct host *m)
{
    struct dirent *e;
    int on_core = 0, n = 0;
    char example[32] = "";
    struct host_fact *f;
    DIR *d = opendir("/proc/irq");

    while (d && (e = readdir(d))) {
        char path[300], list[256];
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        snprintf(path, sizeof path, "/proc/irq/%.20s/effective_affinity_list", e->d_name);
        if (!cores_line(path, list, sizeof list) || !list[0]) continue;
        n++;
        if (!cores_in_list(list, m->core)) continue;
        on_core++;
        snprintf(example, sizeof example, "%.20s", e->d_name);
    }
    if (d) closedir(d);
    f = host_add(m, "interrupts",
                 n == 0    ? HOST_UNKNOWN
                 : on_core ? HOST_NOTE
                           : HOST_GOOD,
                 "device interrupts on the step's core delay it");
    found(f, "%d of %d interrupts may fall on core %d", on_core, n, m->core);
    if (on_core)
        remedy(f, "echo %s > /proc/irq/%s/smp_affinity_list, for each; or irqaffinity=%s",
               m->others, example, m->others);
}

static void probe_power(struct host *m)
{
    char path[128], text[64];
    struct host_fact *f;
    int ok;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", m->core);
    ok = cores_line(path, text, sizeof text);
    f = host_add(m, "governor",
                 !ok                                ? HOST_UNKNOWN
                 : strcmp(text, "performance") == 0 ? HOST_GOOD
                                                    : HOST_NOTE,
                 "a core that changes its clock makes the same step take different times");
    found(f, "%s", ok ? text : "no frequency control seen (a virtual machine, or fixed)");
    if (ok && strcmp(text, "performance") != 0) remedy(f, "echo performance > %s", path);
    ok = access("/dev/cpu_dma_latency", W_OK) == 0;
    f = host_add(
        m, "idle-states", ok ? HOST_GOOD : HOST_NOTE,
        "deep idle states take long to leave; the program holds /dev/cpu_dma_latency at 0");
    found(f, ok ? "can be held shallow" : "/dev/cpu_dma_latency cannot be written");
    if (!ok) remedy(f, "run as root, or chmod g+w /dev/cpu_dma_latency for a group of yours");
}

/* Is `name` one of a list like cpu,cpuacct? */
static int has_controller(const char *list, const char *name)
{
    size_t n = strlen(name);

    while (*list) {
        size_t length = strcspn(list, ",");
        if (length == n && strncmp(list, name, n) == 0) return 1;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* The budget file of the cgroup (version 1) this process is in; 0 if there is none. */
static int cgroup_budget(char *path, size_t size)
{
    char line[512], *at, *rest;
    FILE *f = fopen("/proc/self/cgroup", "re");
    int hit = 0;

    while (f && !hit && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        at = strchr(line, ':');
        rest = at ? strchr(at + 1, ':') : NULL;
        if (!rest) continue;
        *rest = 0;
        if (!has_controller(at + 1, "cpu")) continue;
        snprintf(path, size, "/sys/fs/cgroup/cpu%s/cpu.rt_runtime_us",
                 strcmp(rest + 1, "/") == 0 ? "" : rest + 1);
        hit = access(path, R_OK) == 0;
    }
    if (f) fclose(f);
    return hit;
}

static void probe_cgroup(struct host *m)
{
    char path[600], text[64];
    struct host_fact *f = host_add(m, "rt-cgroup", HOST_GOOD,
                                   "a cgroup without real-time budget refuses SCHED_FIFO");

    if (!cgroup_budget(path, sizeof path) || !cores_line(path, text, sizeof text)) {
        found(f, "no cgroup budget for real time here");
        return;
    }
    found(f, "budget %s us of each period", text);
    if (whole(text) != 0) return;
    m->no_budget = 1;
    f->state = HOST_MEND;
    remedy(f, "echo 900000 > %.100s, or as root: echo $$ > /sys/fs/cgroup/cpu/tasks", path);
}

static void probe_throttling(struct host *m)
{
    char text[64];
    struct host_fact *f;
    int on = cores_line("/proc/sys/kernel/sched_rt_runtime_us", text, sizeof text) &&
             whole(text) >= 0;

    f = host_add(
        m, "rt-throttling", on ? HOST_NOTE : HOST_GOOD,
        "a real-time thread that uses all its core is stopped for the rest of each second");
    found(f, on ? "real-time threads get %s us of each second" : "off", text);
    if (on)
        remedy(f,
               "keep the step below 80 %% of its period, or sysctl kernel.sched_rt_runtime_us=-1");
    probe_cgroup(m);
}

/* Try in a child, so that nothing of it stays. Returns errno, 0 if granted. */
static int try_in_child(int (*attempt)(int), int argument)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) _exit(attempt(argument) == 0 ? 0 : errno & 127);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return EAGAIN;
    return WEXITSTATUS(status);
}

static int attempt_fifo(int priority)
{
    struct sched_param p = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO, &p);
}

static int attempt_lock(int bytes)
{
    void *p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? -1 : mlock(p, (size_t)bytes);
}

/* The program that runs, wherever it was started from. */
static void own_path(char path[PROGRAM])
{
    ssize_t n = readlink("/proc/self/exe", path, PROGRAM - 1);
    path[n > 0 ? n : 0] = 0;
}

static void probe_rights(struct host *m, int priority)
{
    enum { ENOUGH = 64 << 20 };
    int error = try_in_child(attempt_fifo, priority);
    char program[PROGRAM];
    struct host_fact *f;

    own_path(program);

    m->can_fifo = error == 0;
    f = host_add(m, "priority", error ? HOST_MEND : HOST_GOOD,
                 "without SCHED_FIFO every program is as important as the step");
    found(f, error ? "SCHED_FIFO %d is refused: %s" : "SCHED_FIFO %d is granted%s", priority,
          error ? strerror(error) : "");
    if (error && m->no_budget)
        remedy(f, "the cgroup's budget is 0: see rt-cgroup");
    else if (error)
        remedy(f,
               "setcap cap_sys_nice,cap_ipc_lock=ep %s, or rtprio %d in "
               "/etc/security/limits.conf, or run as root",
               program, priority);
    error = try_in_child(attempt_lock, ENOUGH);
    m->can_lock = error == 0;
    f = host_add(m, "memory-lock", error ? HOST_MEND : HOST_GOOD,
                 "memory that is not locked may have to be fetched in the middle of a step");
    found(f, error ? "locking 64 MiB is refused: %s" : "memory can be locked%s",
          error ? strerror(error) : "");
    if (error)
        remedy(f,
               "setcap cap_sys_nice,cap_ipc_lock=ep %s, or memlock unlimited in "
               "/etc/security/limits.conf",
               program);
}

/* What keeps a service that was taken over from the step. */
static void probe_wall(struct host *m)
{
    struct sandbox_user step = sandbox_user(SANDBOX_STEP), rest = sandbox_user(SANDBOX_SERVICES);
    int apart = step.uid != rest.uid, landlock = sandbox_has_landlock();
    struct host_fact *f = host_add(m, "wall", apart && landlock ? HOST_GOOD : HOST_NOTE,
                                   "a service that was taken over must not reach the step, nor "
                                   "files that are not its own");

    if (!apart)
        found(f, "step and services run as one user: only the filter of calls is between them");
    else
        found(f, "step as %s, services as %s%s", step.name, rest.name,
              landlock ? ", files by Landlock" : "; no Landlock: files by the user's rights alone");
    if (!apart)
        remedy(f, "start it as root, best as the systemd unit: both then have users of their own");
    else if (!landlock)
        remedy(f, "kernel command line: lsm=landlock,... (CONFIG_SECURITY_LANDLOCK)");
}

static void probe_clock(struct host *m)
{
    char text[64] = "";
    struct host_fact *f;

    cores_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
               sizeof text);
    m->vdso = strcmp(text, "tsc") == 0 || strcmp(text, "kvm-clock") == 0 ||
              strncmp(text, "hyperv", 6) == 0 || strstr(text, "arch_sys_counter") != NULL;
    f = host_add(m, "clock", m->vdso ? HOST_GOOD : HOST_MEND,
                 "reading the clock must not enter the kernel: it is read many times per step");
    found(f, "%s%s", text[0] ? text : "unknown", m->vdso ? ", read without a system call" : "");
    if (!m->vdso)
        remedy(f, "kernel command line: clocksource=tsc tsc=reliable, where the processor has it");
}

static void probe_sibling(struct host *m)
{
    char path[128], text[64];
    struct host_fact *f;
    int ok, shared;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             m->core);
    ok = cores_line(path, text, sizeof text);
    shared = ok && (strchr(text, ',') || strchr(text, '-'));
    f = host_add(m, "smt-sibling",
                 !ok      ? HOST_UNKNOWN
                 : shared ? HOST_NOTE
                          : HOST_GOOD,
                 "what runs on the other half of the same core slows the step down");
    found(f, shared ? "core %d shares its units with %s" : "core %d has no sibling%s", m->core,
          shared ? text : "");
    if (shared) remedy(f, "echo off > /sys/devices/system/cpu/smt/control");
}

static int is_swapping(void)
{
    char text[256];
    int n = 0;
    FILE *f = fopen("/proc/swaps", "re");
    while (f && fgets(text, sizeof text, f)) n++;
    if (f) fclose(f);
    return n > 1;
}

static void probe_sysctl(struct host *m, const char *key, const char *path, int good,
                         const char *why)
{
    char text[64];
    struct host_fact *f;
    int ok = cores_line(path, text, sizeof text);

    if (!ok) return;
    f = host_add(m, key, whole(text) == good ? HOST_GOOD : HOST_NOTE, why);
    found(f, "%s", text);
    if (whole(text) != good) remedy(f, "echo %d > %s", good, path);
}

static void probe_memory(struct host *m)
{
    char text[128] = "";
    struct host_fact *f;
    int swap = is_swapping(), always;

    f = host_add(m, "swap", swap ? HOST_NOTE : HOST_GOOD,
                 "the step's memory is locked, but a machine that swaps stalls everybody");
    found(f, swap ? "on" : "off");
    if (swap) remedy(f, "swapoff -a");
    cores_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    always = strstr(text, "[always]") != NULL;
    f = host_add(m, "huge-pages", always ? HOST_NOTE : HOST_GOOD,
                 "collapsing pages stops a process; the step process switches it off for itself");
    found(f, "%s", text[0] ? text : "not built in");
    if (always) remedy(f, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    probe_sysctl(m, "compaction", "/proc/sys/vm/compact_unevictable_allowed", 0,
                 "compaction moves locked pages, and the step faults on them");
    probe_sysctl(m, "numa-balancing", "/proc/sys/kernel/numa_balancing", 0,
                 "the kernel unmaps pages to see who uses them");
}

/* Jiffies a hypervisor took from this machine since it booted. */
static void probe_steal(struct host *m)
{
    enum { STOLEN = 7, COLUMNS }; /* user nice system idle iowait irq softirq steal */
    unsigned long long v[COLUMNS] = {0}, sum = 0;
    char text[512], *at = text + strlen("cpu");
    struct host_fact *f;
    double share;

    if (!cores_line("/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0) return;
    for (int i = 0; i < COLUMNS; i++) sum += v[i] = strtoull(at, &at, 10);
    share = sum ? 100.0 * (double)v[STOLEN] / (double)sum : 0;
    f = host_add(m, "steal", v[STOLEN] ? HOST_MEND : HOST_GOOD,
                 "a hypervisor that takes the core away cannot be seen coming");
    found(f, "%.3f %% of the time since boot", share);
    if (v[STOLEN])
        remedy(f, "run on a machine of its own, or pin the virtual processors on the host");
}

int host_library(const char *name, char *path, size_t size)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512];
    int hit = 0;

    while (f && !hit && fgets(line, sizeof line, f)) {
        const char *at = strchr(line, '/');
        if (!at || !strstr(at, name)) continue;
        snprintf(path, size, "%.*s", (int)strcspn(at, "\n"), at);
        hit = 1;
    }
    if (f) fclose(f);
    return hit;
}

static void probe_blas(struct host *m)
{
    char path[256] = "";
    int used = host_library("openblas", path, sizeof path);
    int threads = used && (strstr(path, "pthread") || strstr(path, "openblasp"));
    struct host_fact *f = host_add(m, "blas", threads ? HOST_MEND : HOST_GOOD,
                                   "the pthread build hands work to threads without priority");
    found(f, "%s", used ? path : "none loaded");
    if (threads) remedy(f, "apt-get install libopenblas-serial-dev, and build again");
}

void host_probe(struct host *m, const struct cores *cores, int priority)
{
    memset(m, 0, sizeof *m);
    m->core = cores->step;
    probe_kernel(m);
    probe_cores(m, cores);
    probe_others(m, cores);
    probe_isolation(m);
    probe_interrupts(m);
    probe_power(m);
    probe_throttling(m);
    probe_rights(m, priority);
    probe_wall(m);
    probe_clock(m);
    probe_sibling(m);
    probe_memory(m);
    probe_steal(m);
    probe_blas(m);
}

int host_count(const struct host *m, enum host_state state)
{
    int n = 0;
    for (int i = 0; i < m->n; i++) n += m->fact[i].state == state;
    return n;
}

const char *host_state_text(enum host_state s)
{
    static const char *const TEXT[] = {"good", "note", "mend", "unknown"};
    return TEXT[s];
}
