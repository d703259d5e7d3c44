#include "services/run/latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt/time/rtclock.h"
#include "rt/time/rtthread.h"

static void add(struct latency *l, int64_t us, uint64_t count)
{
    if (us < 0) us = 0;
    if (us < MONITOR_BINS)
        l->bin[us] += count;
    else
        l->overflow += count;
    l->n += count;
    if (count && us > l->max_us) l->max_us = us;
}

static void merge(struct latency *to, const struct latency *from)
{
    for (int i = 0; i < MONITOR_BINS; i++) to->bin[i] += from->bin[i];
    to->n += from->n;
    to->overflow += from->overflow;
    if (from->max_us > to->max_us) to->max_us = from->max_us;
}

int64_t latency_share(const struct latency *l, double share)
{
    uint64_t wanted = (uint64_t)((double)l->n * share), sum = 0;
    for (int i = 0; i < MONITOR_BINS; i++) {
        sum += l->bin[i];
        if (sum > wanted) return i;
    }
    return l->max_us;
}

/* ---- a bare loop ------------------------------------------------------------------- */

struct bare {
    struct latency l;      /* shared with the child */
    int64_t period_ns, n;
};

static void bare_loop(void *context)
{
    struct bare *b = context;
    struct timebase time = rtclock_init();
    int64_t release = (time.now(time.self) / 1000000 + 2) * 1000000 + 517000;

    for (int64_t k = 0; k < b->n; k++) {
        int64_t late;
        time.sleep_until(time.self, release);
        late = time.now(time.self) - release;
        add(&b->l, late / 1000, 1);
        do release += b->period_ns;
        while (release < time.now(time.self));
    }
}

static int bare_child(const struct latency_set *set, struct bare *b)
{
    struct rtthread t = {
        .core = set->core, .priority = set->priority, .run = bare_loop, .context = b};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (rtthread_lock_memory(&t) != STATUS_OK || rtthread_prepare(&t) != STATUS_OK ||
        rtthread_start(&t) != STATUS_OK)
        return 3;
    rtthread_join(&t);
    return 0;
}

/* Wait for the loop's end, telling how it goes; Ctrl-C ends it. */
static enum status wait_child(const struct latency_set *set, pid_t pid, const struct bare *b)
{
    const struct timespec nap = {.tv_nsec = 100000000};
    const volatile int64_t *max_us = &b->l.max_us;
    int status;
    pid_t ended;

    while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
        nanosleep(&nap, NULL);
        if (set->stop && *set->stop) kill(pid, SIGKILL);
        if (set->progress) set->progress(set->progress_context, *max_us);
    }
    if (ended < 0) return STATUS_IO;
    if (set->stop && *set->stop) return STATUS_STOPPED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) return STATUS_RIGHTS;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? STATUS_OK : STATUS_IO;
}

enum status latency_bare(const struct latency_set *set, double seconds, struct latency *l)
{
    struct bare *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    enum status s;
    pid_t pid;

    if (b == MAP_FAILED) return STATUS_NO_MEMORY;
    b->period_ns = (int64_t)(set->period * 1e9);
    b->n = (int64_t)(seconds / set->period);
    fflush(NULL);
    pid = fork();
    if (pid == 0) _exit(bare_child(set, b));
    s = pid > 0 ? wait_child(set, pid, b) : STATUS_IO;
    if (s == STATUS_OK) merge(l, &b->l);
    munmap(b, sizeof *b);
    return s;
}

/* ---- the rig's step process -------------------------------------------------------- */

struct rig_slice {
    struct latency l, result;
    const struct latency_set *set;
};

static void keep_series(const struct monitor_series *s, struct latency *l)
{
    memset(l->bin, 0, sizeof l->bin);
    l->n = 0;
    l->overflow = s->overflow;
    for (int i = 0; i < MONITOR_BINS; i++) l->n += l->bin[i] = s->bin[i];
    l->n += l->overflow;
    l->max_us = s->max_ns / 1000;
}

/* The monitor's histograms as they stand; they only grow during a slice. */
static void keep_wakes(struct port *port, void *context)
{
    struct rig_slice *slice = context;

    keep_series(&port->monitor->series[SERIES_WAKE], &slice->l);
    keep_series(&port->monitor->series[SERIES_END], &slice->result);
    if (slice->set->progress) slice->set->progress(slice->set->progress_context, slice->l.max_us);
}

enum status latency_rig(const struct latency_set *set, struct rig_setup *rig, double seconds,
                        struct latency *l, struct latency *results)
{
    struct rig_slice *slice = calloc(1, sizeof *slice);
    struct supervisor_result result;
    enum status s;

    if (!slice) return STATUS_NO_MEMORY;
    slice->set = set;
    rig->rig.core = set->core;
    rig->rig.priority = set->priority;
    rig->rig.autostart = 1;
    rig->rig.pace = RIG_REALTIME;
    rig->options.admit = 0;
    rig->options.no_services = 1;
    rig->options.duration = seconds;
    rig->options.stop = set->stop;
    rig->options.watch = keep_wakes;
    rig->options.watch_context = slice;
    s = supervisor_run(&rig->options, &result);
    if (s == STATUS_TRIPPED) s = STATUS_OK; /* late wakes are what is measured */
    if (s == STATUS_OK) merge(l, &slice->l);
    if (s == STATUS_OK && results) merge(results, &slice->result);
    free(slice);
    return s;
}

/* ---- cyclictest -------------------------------------------------------------------- */

/* Its histogram: lines "000012 000345"; the maximum beyond it "# Max Latencies: 00123". */
static void read_histogram(FILE *f, struct latency *l)
{
    static const char OVERFLOWS[] = "# Histogram Overflows:", MOST[] = "# Max Latencies:";
    char line[256];

    while (fgets(line, sizeof line, f)) {
        char *end;
        long us = strtol(line, &end, 10);
        if (end > line) {
            add(l, us, strtoull(end, NULL, 10));
        } else if (strncmp(line, OVERFLOWS, strlen(OVERFLOWS)) == 0) {
            unsigned long long count = strtoull(line + strlen(OVERFLOWS), NULL, 10);
            l->overflow += count;
            l->n += count;
        } else if (strncmp(line, MOST, strlen(MOST)) == 0) {
            us = strtol(line + strlen(MOST), NULL, 10);
            if (us > l->max_us) l->max_us = us;
        }
    }
}

enum status latency_cyclictest(const struct latency_set *set, double seconds, struct latency *l)
{
    char command[256];
    int code;
    FILE *f;

    snprintf(command, sizeof command, "cyclictest -m -q -t1 -p%d -a%d -i%.0f -l%.0f -h%d 2>&1",
             set->priority, set->core, set->period * 1e6, seconds / set->period, MONITOR_BINS);
    f = popen(command, "re");
    if (!f) return STATUS_IO;
    read_histogram(f, l);
    code = pclose(f);
    if (code == 0) return STATUS_OK;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 127)
        fprintf(stderr, "trapeze: cyclictest is not here: apt-get install rt-tests\n");
    return STATUS_IO;
}

/* ---- load -------------------------------------------------------------------------- */

pid_t latency_load_start(const char *what)
{
    static const char *const CPU[] = {"stress-ng", "-q", "--cpu", "0", NULL};
    static const char *const IO[] = {"stress-ng", "-q",          "--sock", "1", "--iomix",
                                     "1",         "--temp-path", "/tmp",   NULL};
    static const char *const ALL[] = {"stress-ng", "-q",       "--cpu",      "0",       "--sock",
                                      "1",         "--switch", "1",          "--timer", "1",
                                      "--vm",      "1",        "--vm-bytes", "64M",     NULL};
    const char *const *argument;
    pid_t pid;

    if (strcmp(what, "none") == 0) return 0;
    argument = strcmp(what, "cpu") == 0   ? CPU
               : strcmp(what, "io") == 0  ? IO
               : strcmp(what, "all") == 0 ? ALL
                                          : NULL;
    if (!argument) {
        fprintf(stderr, "trapeze: the load is none, cpu, io or all, not '%s'\n", what);
        return -1;
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
        FILE *own = fdopen(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), "w");
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(silent, STDOUT_FILENO); /* it warns of its own troubles with the load */
        dup2(silent, STDERR_FILENO);
        execvp("stress-ng", (char *const *)(size_t)argument);
        if (own) fprintf(own, "trapeze: stress-ng is not here: apt-get install stress-ng\n");
        if (own) fflush(own);
        _exit(127);
    }
    return pid;
}

void latency_load_stop(pid_t pid)
{
    int status;
    if (pid <= 0) return;
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
}
