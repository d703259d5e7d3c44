#include "services/run/stepper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/tick/cycle.h"
#include "rt/time/rtclock.h"
#include "services/run/residence.h"

enum { PHASE_NS = 517000, MS = 1000000, LEAD_MS = 3, WAIT_MS = 20, OOM_NEVER = -1000 };

/* ---- the thread -------------------------------------------------------------------- */

/* T0 some milliseconds ahead and off their boundary, where the kernel's own tick is. */
static int64_t first_release(void)
{
    struct timebase real = rtclock_init();
    return (real.now(real.self) / MS + LEAD_MS) * MS + PHASE_NS;
}

static void thread_run(void *context)
{
    struct stepper *s = context;
    int free_pace = s->config.pace == PACE_FREE;

    s->tick.monitor->thread_id = (int64_t)syscall(SYS_gettid);
    if (s->thread_filter.program.len && sandbox_apply(&s->thread_filter) != STATUS_OK) {
        atomic_store(&s->failed, 1);
        return;
    }
    if (s->disturb) s->disturb(s);
    if (s->admit_ns > 0) {
        s->admit.time = rtclock_init();
        admit_measure(&s->admit, &s->tick.monitor->admission);
    } else {
        s->tick.monitor->admission.done = 1;
    }
    s->config.start_ns = first_release();
    s->tick.heartbeat_ns = s->config.start_ns - s->config.period_ns;
    if (free_pace) {
        s->tick.time = vclock_init(&s->vclock, s->config.start_ns);
        s->vclock.nap_ns = MS;
        s->vclock.working = &s->tick.stepping;
    }
    cycle_run(&s->tick);
}

/* ---- set-up ------------------------------------------------------------------------ */

static int complain(const struct stepper *s, const char *what, int error)
{
    (void)s;
    fprintf(stderr, "trapeze: step process: %s: %s\n", what, strerror(error));
    return error == EPERM || error == EACCES ? 3 : 1;
}

static int map_blocks(struct stepper *s, struct tick_blocks *blocks)
{
    if (memblock_read_only(&s->supervisor) != STATUS_OK) return 0;
    blocks->step = s->step.map;
    blocks->supervisor = s->supervisor.view;
    for (int i = 1; i < BLOCK_SERVICES; i++) {
        if (s->service[i].fd < 0) continue;
        if (memblock_read_only(&s->service[i]) != STATUS_OK) return 0;
        blocks->service[i] = s->service[i].view;
    }
    return 1;
}

static int init_tick(struct stepper *s)
{
    struct tick_blocks blocks = {0};
    size_t size = tick_memsize(&s->layout);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED || !map_blocks(s, &blocks))
        return complain(s, "mapping memory", errno);
    if (tick_init(&s->tick, &s->config, &s->layout, &blocks, s->plant, rtclock_init(), memory,
                  size) != STATUS_OK)
        return complain(s, "placing the tick", ENOMEM);
    s->tick.stop = &s->stop;
    s->tick.witness.witness = s->config.pace == PACE_REALTIME ? &s->witness : NULL;
    s->admit.plant = s->plant;
    s->admit.period_ns = s->config.period_ns;
    s->admit.limit_ns = s->admit_ns;
    s->admit.contacts = s->contacts;
    s->admit.command = s->tick.command_si;
    s->admit.channel = s->tick.raw;
    for (uint32_t i = 0; i < s->layout.step.record.n_actuators; i++)
        s->tick.command_si[i] = model_actuators(s->tick.model)[i].start *
                                model_actuators(s->tick.model)[i].scale;
    return 0;
}

static int set_up(struct stepper *s)
{
    int code = init_tick(s), error;

    if (code) return code;
    if (rtthread_lock_memory(&s->thread) != STATUS_OK && !s->degraded)
        return complain(s, s->thread.failed, s->thread.error);
    error = residence_lock(s->lapack);
    if (error && !s->degraded) return complain(s, "mlock", error);
    sandbox_oom_score(OOM_NEVER);
    if (sandbox_build(s->vdso ? SANDBOX_STEP_THREAD : SANDBOX_STEP_CLOCK, &s->thread_filter) !=
            STATUS_OK ||
        sandbox_build(SANDBOX_STEP_MAIN, &s->main_filter) != STATUS_OK)
        return complain(s, "building the system-call filters", errno);
    s->thread.core = s->core;
    s->thread.priority = s->priority;
    s->thread.run = thread_run;
    s->thread.context = s;
    /* a bound on locked memory is met only here; without rights it goes on without a lock */
    if (rtthread_prepare(&s->thread) != STATUS_OK &&
        (!s->degraded || munlockall() != 0 || rtthread_prepare(&s->thread) != STATUS_OK))
        return complain(s, s->thread.failed, s->thread.error);
    if (sandbox_drop(SANDBOX_STEP) != STATUS_OK) return complain(s, "dropping rights", errno);
    if (rtthread_start(&s->thread) != STATUS_OK)
        return complain(s, s->thread.failed, s->thread.error);
    return 0;
}

/* ---- the witness -------------------------------------------------------------------- */

/* Opened before the filter is on; the filter lets them be read. */
static void open_witness(struct stepper *s)
{
    char path[64];
    int64_t thread = 0;

    s->schedstat = s->stat = -1;
    for (int i = 0; i < 1000 && thread == 0; i++) { /* the thread says its number first */
        thread = *(volatile int64_t *)&s->tick.monitor->thread_id;
        if (thread == 0) usleep(1000);
    }
    snprintf(path, sizeof path, "/proc/self/task/%lld/schedstat", (long long)thread);
    s->schedstat = open(path, O_RDONLY | O_CLOEXEC);
    s->stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
}

/* Time the hypervisor took from the core so far, ns: the eighth number of its line. */
static int64_t read_stolen(const struct stepper *s)
{
    enum { STOLEN = 8, TICK_NS = 10000000 }; /* USER_HZ is 100 */
    char text[16384], name[16], *at;
    ssize_t n = pread(s->stat, text, sizeof text - 1, 0);
    int64_t ticks = 0;

    if (n <= 0) return s->stolen_ns;
    text[n] = 0;
    snprintf(name, sizeof name, "cpu%d ", s->core);
    at = strstr(text, name);
    if (!at) return s->stolen_ns;
    at += strlen(name);
    for (int i = 0; i < STOLEN; i++) ticks = strtoll(at, &at, 10);
    return ticks * TICK_NS;
}

static void look_around(struct stepper *s)
{
    enum { STAT_EVERY = 5 };
    struct timebase real = rtclock_init();
    int64_t now = real.now(real.self);
    long long ran, waited;
    char text[128];
    ssize_t n;

    if (s->schedstat < 0) return;
    n = pread(s->schedstat, text, sizeof text - 1, 0);
    if (n <= 0) return;
    text[n] = 0;
    if (sscanf(text, "%lld %lld", &ran, &waited) != 2) return;
    if (s->stat >= 0 && s->looks++ % STAT_EVERY == 0) s->stolen_ns = read_stolen(s);
    witness_tell(&s->witness, now, waited, s->stolen_ns);
}

/* ---- the main thread --------------------------------------------------------------- */

/* Wait until the thread has ended; a signal or the supervisor's end asks it to. */
static void wait_for_end(struct stepper *s, int signals, int supervisor)
{
    struct pollfd p[] = {{.fd = signals, .events = POLLIN}, {.fd = supervisor, .events = POLLIN}};
    struct signalfd_siginfo info;

    while (!atomic_load_explicit(&s->thread.finished, memory_order_acquire)) {
        look_around(s);
        if (poll(p, 2, WAIT_MS) <= 0) continue;
        if (p[0].revents && read(signals, &info, sizeof info) > 0 && !s->stop)
            atomic_store(&s->stop, TRIP_STOP);
        if (p[1].revents) {
            p[1].fd = -1;
            atomic_store(&s->stop, TRIP_SUPERVISOR);
        }
    }
}

static int exit_code(const struct stepper *s)
{
    if (s->failed) return 3;
    if (s->tick.state == STATE_FAULTED) return 5;
    switch (s->tick.trip) {
    case TRIP_CONSECUTIVE:
    case TRIP_WINDOW:
    case TRIP_POLICY:
        return 4;
    default:
        return 0;
    }
}

int stepper_run(struct stepper *s)
{
    int signals, supervisor, code;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGINT, SIG_IGN); /* the terminal's; the supervisor says when */
    prctl(PR_SET_NAME, "trapeze-step");
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    supervisor = (int)syscall(SYS_pidfd_open, s->supervisor_pid, 0);
    if (signals < 0 || supervisor < 0 || getppid() != s->supervisor_pid)
        return complain(s, "watching the supervisor", errno);
    code = set_up(s);
    if (code) return code;
    open_witness(s);
    if (sandbox_apply(&s->main_filter) != STATUS_OK) atomic_store(&s->stop, TRIP_STOP);
    wait_for_end(s, signals, supervisor);
    rtthread_join(&s->thread);
    return exit_code(s);
}
