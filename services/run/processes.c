#include "services/run/processes.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/run/vigil.h"

#define SECOND INT64_C(1000000000)
enum { BACKOFF_FIRST_MS = 100, BACKOFF_MOST_MS = 1000, HEALTHY_S = 10 };

int64_t processes_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static void note_started(struct processes_member *m, pid_t pid)
{
    m->pid = pid;
    m->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    m->started_ns = processes_now();
}

/* Stay where the services may be. */
static void leave_core(const struct supervisor *s)
{
    sched_setaffinity(0, sizeof s->cores.services, &s->cores.services);
}

/* ---- the step process -------------------------------------------------------------- */

enum status processes_start_step(struct supervisor *s)
{
    pid_t pid;

    s->stepper.supervisor_pid = getpid();
    fflush(NULL);
    pid = fork();
    if (pid < 0) {
        fprintf(stderr, "trapeze: the step process cannot be made: %s (ulimit -u)\n",
                strerror(errno));
        return STATUS_IO;
    }
    if (pid == 0) {
        if (s->socket >= 0) close(s->socket);
        if (s->dma_latency >= 0) close(s->dma_latency);
        leave_core(s); /* its main thread; the step thread goes there */
        _exit(stepper_run(&s->stepper));
    }
    note_started(&s->step, pid);
    leave_core(s); /* the supervisor too; given back at the end */
    atomic_store_explicit(&s->board->step_pid, pid, memory_order_release);
    return STATUS_OK;
}

/* ---- services ---------------------------------------------------------------------- */

/* Keep only what a service may see: its own block to write, the step's and the
 * supervisor's to read. */
static int keep_blocks(struct supervisor *s, uint32_t self, struct attach *a)
{
    struct stepper *b = &s->stepper;

    for (uint32_t i = 1; i < BLOCK_SERVICES; i++)
        if (i != self && b->service[i].fd >= 0) memblock_close(&b->service[i]);
    if (memblock_read_only(&b->step) != STATUS_OK ||
        memblock_read_only(&b->supervisor) != STATUS_OK)
        return 0;
    port_init(&a->port, &b->layout, b->step.view, b->supervisor.view);
    port_own(&a->port, self, atomic_load(&a->port.board->service[self].epoch),
             b->service[self].map);
    close(b->service[self].fd);
    return 1;
}

/* A service may grow by so much; the kernel ends it before the step when memory is
 * short. */
enum { SERVICE_SPACE_MB = 2048, SERVICE_DATA_MB = 768, SERVICE_OOM_SCORE = 500 };

static int give_up_rights(const struct attach_service *kind, struct attach *a)
{
    pid_t supervisor = (pid_t)atomic_load(&a->port.board->supervisor_pid);
    struct sandbox_filter filter;
    int code;

    if (sandbox_drop(SANDBOX_SERVICES) != STATUS_OK || sandbox_files(&a->files) != STATUS_OK)
        return 3;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != supervisor) _exit(0);
    code = kind->start ? kind->start(a) : 0;
    if (code) return code;
    if (sandbox_build(SANDBOX_SERVICE, &filter) != STATUS_OK ||
        sandbox_apply_all(&filter) != STATUS_OK)
        return 3;
    sandbox_free(&filter);
    return 0;
}

static int service_main(struct supervisor *s, uint32_t self)
{
    const struct processes_member *m = &s->member[self];
    struct attach a = {
        .rig = s->o->rig, .service = m->entry, .insecure = s->o->insecure, .out = s->o->out};
    char name[16];
    int code;

    if (s->socket >= 0) close(s->socket);
    if (s->dma_latency >= 0) close(s->dma_latency);
    snprintf(name, sizeof name, "trapeze-%.7s", m->kind->name);
    prctl(PR_SET_NAME, name);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    if (!keep_blocks(s, self, &a)) return 1;
    leave_core(s);
    sandbox_oom_score(SERVICE_OOM_SCORE);
    if (sandbox_limit((size_t)SERVICE_SPACE_MB << 20, (size_t)SERVICE_DATA_MB << 20) != STATUS_OK)
        return 3;
    code = m->kind->prepare ? m->kind->prepare(&a) : 0;
    if (!code) code = give_up_rights(m->kind, &a);
    if (code == 3)
        fprintf(stderr, "trapeze: service %s: dropping rights: %s\n", m->kind->name,
                strerror(errno));
    return code ? code : m->kind->run(&a);
}

/* The block of a dead service is nobody's: empty it and count the epoch up. */
static void renew_block(struct supervisor *s, uint32_t self)
{
    struct memblock *b = &s->stepper.service[self];
    struct block_head head;

    memcpy(&head, s->stepper.step.map, sizeof head);
    head.size = head.service.size;
    memset(b->map, 0, b->size);
    memcpy(b->map, &head, sizeof head);
    atomic_fetch_add_explicit(&s->board->service[self].epoch, 1, memory_order_release);
}

static void start_service(struct supervisor *s, uint32_t self)
{
    struct processes_member *m = &s->member[self];
    pid_t pid;

    renew_block(s, self);
    fflush(NULL);
    pid = fork();
    if (pid == 0) _exit(service_main(s, self));
    if (pid < 0) {
        fprintf(stderr, "trapeze: service %s cannot be made: %s (ulimit -u)\n", m->kind->name,
                strerror(errno));
        m->again_ns = processes_now() + SECOND;
        return;
    }
    note_started(m, pid);
    m->hung = 0;
    m->beat = 0;
    m->beat_ns = m->started_ns;
    atomic_store_explicit(&s->board->service[self].pid, pid, memory_order_release);
}

static void say_how(const char *who, int status)
{
    if (WIFSIGNALED(status))
        fprintf(stderr, "trapeze: %s was ended by signal %d (%s)%s\n", who, WTERMSIG(status),
                strsignal(WTERMSIG(status)),
                WTERMSIG(status) == SIGSYS ? ": a system call it may not make" : "");
    else if (WEXITSTATUS(status))
        fprintf(stderr, "trapeze: %s ended with exit code %d\n", who, WEXITSTATUS(status));
}

void processes_start_services(struct supervisor *s)
{
    int64_t now = processes_now();
    for (uint32_t i = 1; i < BLOCK_SERVICES; i++) {
        struct processes_member *m = &s->member[i];
        if (!m->kind || m->lost || m->pid != 0 || now < m->again_ns) continue;
        if (m->terminated) say_how(m->kind->name, SIGTERM);
        m->terminated = 0;
        start_service(s, i);
    }
}

/* ---- ends -------------------------------------------------------------------------- */

static void step_ended(struct supervisor *s, int status)
{
    s->result->step_exit = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    atomic_store_explicit(&s->board->step_exit, (uint32_t)status, memory_order_relaxed);
    atomic_store_explicit(&s->board->step_pid, 0, memory_order_release);
    if (WIFSIGNALED(status)) say_how("the step process", status);
}

/* It said that it can never run. One that had been up may have met a passing obstacle (its
 * port, taken by another meanwhile): it gets a few tries. */
static int is_lost(struct processes_member *m, int status)
{
    enum { TRIES = 5 };

    if (!WIFEXITED(status) || WEXITSTATUS(status) != ATTACH_REFUSED) {
        m->refusals = 0;
        return 0;
    }
    return ++m->refusals >= (m->was_up ? TRIES : 1);
}

static void give_up(struct supervisor *s, uint32_t self)
{
    struct processes_member *m = &s->member[self];

    m->lost = 1;
    s->lost++;
    atomic_store(&s->board->service[self].lost, 1);
    fprintf(stderr, "trapeze: %s cannot run and is not started again%s\n", m->kind->name,
            m->entry->required ? "; the rig demands it and goes safe" : "");
    vigil_tell(s, EVENT_LOST, (struct event){.service = self, .a = (uint64_t)m->entry->required});
}

static void service_ended(struct supervisor *s, uint32_t self, int status)
{
    struct processes_member *m = &s->member[self];
    int64_t now = processes_now();

    atomic_store_explicit(&s->board->service[self].pid, 0, memory_order_release);
    if (atomic_load(&s->board->stopping)) return;
    /* who ends a rig by SIGTERM may send it to all of it: said only if it has to come back */
    m->terminated = !m->hung && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    if (!m->hung && !m->terminated &&
        (WIFSIGNALED(status) || WEXITSTATUS(status) != ATTACH_REFUSED))
        say_how(m->kind->name, status);
    if (is_lost(m, status)) {
        give_up(s, self);
        return;
    }
    if (now - m->started_ns > HEALTHY_S * SECOND || m->backoff_ns == 0)
        m->backoff_ns = BACKOFF_FIRST_MS * (SECOND / 1000);
    else
        m->backoff_ns *= 2;
    if (m->backoff_ns > BACKOFF_MOST_MS * (SECOND / 1000))
        m->backoff_ns = BACKOFF_MOST_MS * (SECOND / 1000);
    m->again_ns = now + m->backoff_ns;
    s->result->restarts++;
}

/* Collect a member if it has ended. */
static int collect(struct processes_member *m, int *status)
{
    if (m->pid == 0 || waitpid(m->pid, status, WNOHANG) != m->pid) return 0;
    close(m->pidfd);
    m->pid = 0;
    m->pidfd = -1;
    return 1;
}

void processes_watch(struct supervisor *s, int ms)
{
    struct pollfd p[2 + BLOCK_SERVICES];
    nfds_t n = 0;
    int status;

    p[n++] = (struct pollfd){.fd = s->socket, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = s->step.pid ? s->step.pidfd : -1, .events = POLLIN};
    for (int i = 1; i < BLOCK_SERVICES; i++)
        p[n++] = (struct pollfd){.fd = s->member[i].pid ? s->member[i].pidfd : -1,
                                 .events = POLLIN};
    poll(p, n, ms);
    if (p[0].revents & POLLIN) attach_serve(s->socket, s->share_step, s->share_supervisor);
    if (collect(&s->step, &status)) step_ended(s, status);
    for (uint32_t i = 1; i < BLOCK_SERVICES; i++)
        if (collect(&s->member[i], &status)) service_ended(s, i, status);
}

static int anybody_lives(const struct supervisor *s)
{
    for (int i = 1; i < BLOCK_SERVICES; i++)
        if (s->member[i].pid) return 1;
    return 0;
}

static void wait_services(struct supervisor *s, int64_t until)
{
    while (anybody_lives(s) && processes_now() < until) processes_watch(s, 20);
}

static void signal_services(const struct supervisor *s, int signal)
{
    for (int i = 1; i < BLOCK_SERVICES; i++)
        if (s->member[i].pid) kill(s->member[i].pid, signal);
}

void processes_stop(struct supervisor *s)
{
    struct request stop = {.kind = REQUEST_STOP};
    int64_t begin = processes_now();

    if (s->step.pid) port_send(&s->port, &stop);
    while (s->step.pid && processes_now() < begin + 3 * SECOND) processes_watch(s, 20);
    if (s->step.pid) kill(s->step.pid, SIGTERM);
    while (s->step.pid && processes_now() < begin + 5 * SECOND) processes_watch(s, 20);
    if (s->step.pid) kill(s->step.pid, SIGKILL);
    atomic_store_explicit(&s->board->stopping, 1, memory_order_release);
    begin = processes_now();
    wait_services(s, begin + 2 * SECOND);
    signal_services(s, SIGTERM);
    wait_services(s, begin + 3 * SECOND);
    signal_services(s, SIGKILL);
    while (s->step.pid || anybody_lives(s)) processes_watch(s, 20);
}
