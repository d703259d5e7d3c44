#include "services/run/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "services/run/processes.h"
#include "services/run/console_text.h"
#include "services/run/sd_notify.h"
#include "services/run/ready.h"
#include "services/run/precheck.h"
#include "services/run/vigil.h"

#define SECOND INT64_C(1000000000)
enum { GRACE_S = 5 };

/* ---- what the step process gets ---------------------------------------------------- */

static int64_t to_ns(double s) { return (int64_t)(s * 1e9 + 0.5); }

static void fill_rules(struct supervisor *s)
{
    for (uint32_t i = 0; i < s->o->model->actuators.n; i++)
        s->rule[i] = (struct tick_rule){.timeout_ns = to_ns(s->o->command[i].timeout),
                                        .ramp_ns = to_ns(s->o->command[i].ramp),
                                        .action = (uint32_t)s->o->command[i].action};
}

static uint32_t preempt_mask(const struct supervisor *s)
{
    const struct rig *rig = s->o->rig;
    uint32_t mask = 0;
    for (int k = 0; k < rig->n_preempts; k++)
        for (int i = 1; i < BLOCK_SERVICES; i++)
            if (s->member[i].kind && strcmp(s->member[i].kind->name, rig->preempt[k]) == 0)
                mask |= 1u << i;
    return mask;
}

static void fill_config(struct supervisor *s)
{
    const struct rig *rig = s->o->rig;

    s->stepper.config = (struct tick_config){.period_ns = to_ns(rig->step),
                                             .deadline_ns = to_ns(rig->deadline),
                                             .spin_ns = to_ns(rig->spin),
                                             .poll_ns = to_ns(rig->lockstep_poll),
                                             .lockstep_timeout_ns = to_ns(rig->lockstep_timeout),
                                             .lease_ns = to_ns(rig->lease),
                                             .pace = (uint32_t)rig->pace,
                                             .policy = (uint32_t)rig->policy,
                                             .trip_consecutive = (uint32_t)rig->trip_consecutive,
                                             .trip_misses = (uint32_t)rig->trip_misses,
                                             .trip_window = (uint32_t)rig->trip_window,
                                             .preempt = preempt_mask(s),
                                             .arm_allowed = 1,
                                             .n_inject = s->o->n_inject,
                                             .rule = s->rule,
                                             .inject = s->o->inject};
    s->stepper.config.until_step = s->o->steps;
    s->stepper.config.until_ns = to_ns(s->o->until);
    s->stepper.plant = s->o->plant;
    s->stepper.contacts = s->o->contacts;
    s->stepper.lapack = s->o->lapack;
    s->stepper.core = s->cores.step;
    s->stepper.degraded = s->degraded;
    s->stepper.priority = s->machine.can_fifo && rig->pace != RIG_FREE ? rig->priority : 0;
    s->stepper.vdso = s->machine.vdso;
    s->stepper.admit_ns = rig->pace == RIG_FREE ? 0 : to_ns(s->o->admit);
    s->stepper.disturb = s->o->disturb;
}

/* ---- set-up ------------------------------------------------------------------------ */

/* Services of the rig file get the block numbers 1, 2, ... in their order. */
static enum status list_members(struct supervisor *s)
{
    const struct rig *rig = s->o->rig;

    for (int i = 0; i < rig->n_services && !s->o->no_services; i++) {
        const struct attach_service *k = s->o->service;
        while (k && k->name && strcmp(k->name, rig->service[i].name) != 0) k++;
        if (!k || !k->name) {
            fprintf(stderr, "%s:%d:%d: error: the service '%s' is not in this program\n",
                    rig->service[i].place.file, rig->service[i].place.line,
                    rig->service[i].place.column, rig->service[i].name);
            return STATUS_REFUSED;
        }
        if (i + 1 >= BLOCK_SERVICES) {
            fprintf(stderr, "trapeze: more than %d services\n", BLOCK_SERVICES - 1);
            return STATUS_REFUSED;
        }
        s->member[i + 1] = (struct processes_member){
            .kind = k, .entry = &rig->service[i], .pidfd = -1};
        s->n_members++;
    }
    return STATUS_OK;
}

static enum status make_blocks(struct supervisor *s)
{
    struct block_head *l = &s->stepper.layout, head;
    enum status st = block_layout(s->o->model, l);

    if (st != STATUS_OK) {
        fprintf(stderr, "trapeze: 64 records of this model need more than 16 MiB\n");
        return st;
    }
    l->size = l->step.size;
    st = memblock_create(&s->stepper.step, "trapeze-step", l->step.size);
    if (st == STATUS_OK)
        st = memblock_create(&s->stepper.supervisor, "trapeze-supervisor", l->supervisor.size);
    for (int i = 1; i < BLOCK_SERVICES && st == STATUS_OK; i++)
        if (s->member[i].kind)
            st = memblock_create(&s->stepper.service[i], "trapeze-service", l->service.size);
    if (st != STATUS_OK) return st;
    memcpy(s->stepper.step.map, l, sizeof *l);
    memcpy((char *)s->stepper.step.map + l->step.model_at, s->o->model, s->o->model->size);
    head = *l;
    head.size = l->supervisor.size;
    memcpy(s->stepper.supervisor.map, &head, sizeof head);
    s->board = (struct board *)(void *)((char *)s->stepper.supervisor.map + l->supervisor.board_at);
    port_init(&s->port, l, s->stepper.step.map, s->stepper.supervisor.map);
    port_own(&s->port, BLOCK_SUPERVISOR, 0, s->stepper.supervisor.map);
    s->share_step = memblock_share(&s->stepper.step);
    s->share_supervisor = memblock_share(&s->stepper.supervisor);
    s->record = calloc(1, l->step.record.bytes);
    return s->record ? STATUS_OK : STATUS_NO_MEMORY;
}

static int64_t utc_offset(void)
{
    struct timespec utc, mono;
    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &utc);
    return (utc.tv_sec - mono.tv_sec) * SECOND + utc.tv_nsec - mono.tv_nsec;
}

static void fill_board(struct supervisor *s)
{
    struct board *b = s->board;

    b->utc_offset_ns = utc_offset();
    atomic_store(&b->utc_offset_now_ns, b->utc_offset_ns);
    b->verdict = s->degraded                                   ? BOARD_DEGRADED
                 : s->machine.rt_kernel && s->machine.isolated ? BOARD_GUARANTEED
                                                               : BOARD_WATCHED;
    b->core = (uint32_t)s->stepper.core;
    b->deaf = 1;
    snprintf(b->service_cores, sizeof b->service_cores, "%.*s", BOARD_NAME - 1, s->machine.others);
    b->priority = (uint32_t)s->stepper.priority;
    console_text_verdict(s, b->verdict_text, sizeof b->verdict_text);
    atomic_store(&b->supervisor_pid, getpid());
    snprintf(b->service[0].name, BOARD_NAME, "supervisor");
    for (int i = 1; i < BLOCK_SERVICES; i++)
        if (s->member[i].kind)
            snprintf(b->service[i].name, BOARD_NAME, "%s", s->member[i].kind->name);
}

/* Without the rights only when asked to; pace free needs none. */
static enum status check_rights(struct supervisor *s)
{
    struct diag_list diags = {0};
    enum status st = cores_choose(s->o->rig, &s->cores, &diags);

    diag_print(&diags, stderr);
    diag_clear(&diags);
    if (st != STATUS_OK) return st;
    if (s->cores.clash[0] && s->o->rig->pace != RIG_FREE)
        fprintf(stderr,
                "trapeze: core %d is also that of the step of the rig '%s': they delay each other; "
                "name another one (core:) in one of the rig files\n",
                s->cores.step, s->cores.clash);
    host_probe(&s->machine, &s->cores, s->o->rig->priority);
    if (s->o->rig->pace == RIG_FREE) {
        s->degraded = 1;
        return STATUS_OK;
    }
    s->degraded = !s->machine.can_fifo || !s->machine.can_lock;
    if (!s->degraded || s->o->allow_degraded) return STATUS_OK;
    console_text_rights(s);
    return STATUS_RIGHTS;
}

static enum status open_socket(struct supervisor *s)
{
    char why[200];
    int taken;

    if (!attach_path(s->o->rig->name, s->path, why)) {
        fprintf(stderr, "trapeze: %s\n", why);
        s->path[0] = 0;
        return STATUS_REFUSED;
    }
    s->socket = attach_listen(s->path, &taken);
    if (s->socket >= 0) return STATUS_OK;
    if (taken)
        fprintf(stderr, "trapeze: the rig '%s' runs already (%s)\n", s->o->rig->name, s->path);
    else
        fprintf(stderr, "trapeze: %s: %s\n", s->path, strerror(errno));
    s->path[0] = 0;
    return STATUS_REFUSED;
}

/* Held open at 0 for as long as the supervisor lives: no deep idle states. */
static int hold_idle_states(void)
{
    int32_t zero = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, &zero, sizeof zero) != sizeof zero) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static enum status set_up(struct supervisor *s)
{
    enum status st = check_rights(s);

    if (st == STATUS_OK) st = list_members(s);
    if (st == STATUS_OK && !s->o->no_services)
        st = precheck_services(s->o->rig, s->o->service, s->o->insecure);
    if (st == STATUS_OK) st = make_blocks(s);
    if (st != STATUS_OK) return st;
    s->rule = calloc(s->o->model->actuators.n + 1, sizeof *s->rule);
    if (!s->rule) return STATUS_NO_MEMORY;
    fill_rules(s);
    fill_config(s);
    fill_board(s);
    s->dma_latency = s->degraded ? -1 : hold_idle_states();
    return s->o->admit_only ? STATUS_OK : open_socket(s);
}

/* ---- admission --------------------------------------------------------------------- */

static int is_told_to_stop(const struct supervisor *s) { return s->o->stop && *s->o->stop; }

static enum status admit(struct supervisor *s)
{
    const struct admission *a = &s->port.monitor->admission;
    const volatile uint64_t *done = &a->done;
    int64_t until = processes_now() + to_ns(s->o->admit) + GRACE_S * SECOND;

    while (!*done && s->step.pid && processes_now() < until && !is_told_to_stop(s))
        processes_watch(s, 10);
    if (!*done || !s->step.pid) return s->result->step_exit == 3 ? STATUS_RIGHTS : STATUS_IO;
    s->result->admission = *a;
    s->result->accepted = s->stepper.admit_ns == 0 ||
                          (a->bound_ns <= to_ns(s->o->rig->deadline) * SUPERVISOR_ADMITS / 100 &&
                           status_severity((enum status)a->status) != SEVERITY_BAD);
    if (s->stepper.admit_ns > 0) console_text_admission(s);
    console_text_machine(s);
    if (status_severity((enum status)a->status) == SEVERITY_BAD)
        fprintf(stderr, "trapeze: the solver failed in the admission test: %s\n",
                status_text((enum status)a->status));
    atomic_store_explicit(&s->board->arm_allowed,
                          (uint32_t)(s->result->accepted || s->o->allow_degraded),
                          memory_order_release);
    return STATUS_OK;
}

/* ---- running ----------------------------------------------------------------------- */

/* Ask as the supervisor and wait for the answer. */
static enum reply_result ask(struct supervisor *s, enum request_kind kind)
{
    struct request r = {.kind = kind};
    uint64_t ticket = port_send(&s->port, &r);
    int64_t until = processes_now() + SECOND;
    struct reply reply;

    while (s->step.pid && processes_now() < until) {
        if (port_reply(&s->port, ticket, &reply)) return (enum reply_result)reply.result;
        processes_watch(s, 2);
    }
    return REPLY_COUNT;
}

static enum status start(struct supervisor *s)
{
    if (ask(s, REQUEST_ARM) == REPLY_DONE && ask(s, REQUEST_START) == REPLY_DONE) return STATUS_OK;
    if (!s->result->accepted) {
        fprintf(stderr,
                "trapeze: not armed: the step does not fit its deadline on this core\n"
                "         a longer step or fewer iterations in %s; or --allow-degraded\n",
                s->o->rig->file);
        return STATUS_REFUSED;
    }
    fprintf(stderr, "trapeze: the step process did not start\n");
    return STATUS_IO;
}

/* Why the run is over, or NULL. */
static const char *is_over(const struct supervisor *s, int64_t begin)
{
    double duration = s->o->duration;
    int ends = s->o->until > 0 || s->o->steps > 0;

    if (is_told_to_stop(s)) return "told to end";
    if (!s->step.pid) return "the step process is gone";
    if (duration > 0 && (double)(processes_now() - begin) / 1e9 >= duration)
        return "--duration is over";
    if (s->journal.over)
        return s->o->steps && s->record->step >= s->o->steps ? "--steps are made"
                                                             : "--until is reached";
    if (ends && s->record->state == STATE_FAULTED) return "the solver failed";
    return NULL;
}

/* A service that the rig demands and that is not up yet; 0: all are. */
static uint32_t missing(const struct supervisor *s)
{
    for (uint32_t i = 1; i < BLOCK_SERVICES; i++)
        if (s->member[i].kind && s->member[i].entry->required && !vigil_is_up(s, i)) return i;
    return 0;
}

/* Nothing moves before the services are there that the rig demands. */
static enum status await_services(struct supervisor *s)
{
    int64_t until = processes_now() + VIGIL_STARTING_S * SECOND;
    uint32_t i;

    processes_start_services(s);
    while ((i = missing(s)) && !s->member[i].lost && s->step.pid && !is_told_to_stop(s) &&
           processes_now() < until) {
        processes_watch(s, 5);
        processes_start_services(s);
    }
    if (!i || is_told_to_stop(s) || !s->step.pid) return STATUS_OK;
    fprintf(stderr, "trapeze: not armed: the service %s %s, and the rig demands it (required)\n",
            s->member[i].kind->name, s->member[i].lost ? "cannot run" : "does not come up");
    return STATUS_REFUSED;
}

/* Until the rig is started the services are not listened to: none can hinder it. */
static enum status autostart(struct supervisor *s)
{
    enum status st = STATUS_OK;

    if (s->o->rig->autostart) st = start(s);
    atomic_store_explicit(&s->board->deaf, 0, memory_order_release);
    return st;
}
static void run_until_end(struct supervisor *s)
{
    int64_t begin = processes_now(), renewed = begin, said = 0;
    uint64_t heartbeat = 0;

    sd_notify_send("READY=1");

    while (!(s->why = is_over(s, begin))) {
        processes_watch(s, 50);
        vigil_look(s);
        processes_start_services(s);
        port_record(&s->port, s->record);
        journal_look(&s->journal, &s->port, s->record);
        ready_look(s);
        if (s->o->watch) s->o->watch(&s->port, s->o->watch_context);
        if (processes_now() - said >= SECOND / 4) {
            said = processes_now();
            console_text_running(s);
        }
        if (processes_now() - renewed < SECOND) continue;
        renewed = processes_now();
        atomic_store(&s->board->utc_offset_now_ns, utc_offset());
        if (s->record->tick != heartbeat) sd_notify_send("WATCHDOG=1");
        heartbeat = s->record->tick;
    }
}

/* The step process is gone: services stay up and mark every value Bad, until told. */
static void run_without_step(struct supervisor *s)
{
    if (s->step.pid || is_told_to_stop(s) || s->n_members == 0) return;
    fprintf(stderr, "trapeze: the services stay up and mark all values bad; Ctrl-C ends\n");
    while (!is_told_to_stop(s)) {
        processes_watch(s, 100);
        vigil_look(s);
        processes_start_services(s);
    }
}

static enum status verdict(const struct supervisor *s, int died)
{
    if (died) return s->result->step_exit == 3 ? STATUS_RIGHTS : STATUS_IO;
    if (s->lost) return STATUS_REFUSED; /* said when it was given up */
    if (is_told_to_stop(s)) return STATUS_OK;
    if (s->result->step_exit == 4) return STATUS_TRIPPED;
    if (s->result->step_exit == 5) return STATUS_NOT_FINITE;
    return s->result->step_exit == 0 ? STATUS_OK : STATUS_IO;
}

static void keep_result(struct supervisor *s)
{
    const struct monitor *m = s->port.monitor;

    port_record(&s->port, s->record);
    s->result->record = *s->record;
    s->result->misses = m->ever.misses;
    s->result->skipped = m->ever.skipped;
    s->result->ticks = m->ever.ticks;
    s->result->steps = m->ever.steps;
}

static enum status run(struct supervisor *s)
{
    enum status st = processes_start_step(s);
    int died = 0;

    journal_open(&s->journal, &s->port, s->o->log, s->o->log_json, s->o->quiet);
    s->journal.starting = s->o->rig->autostart;
    ready_begin(s);
    if (st == STATUS_OK) st = admit(s);
    if (st == STATUS_OK && !s->o->admit_only) st = await_services(s);
    if (st == STATUS_OK && !s->o->admit_only) {
        st = autostart(s);
        if (st == STATUS_OK) run_until_end(s);
        died = st == STATUS_OK && !s->step.pid;
        if (died && s->o->duration == 0) run_without_step(s);
        ready_remove(s);
    }
    port_record(&s->port, s->record);
    s->state_at_end = s->record->state;
    s->trip_at_end = s->record->trip;
    sd_notify_send("STOPPING=1");
    processes_stop(s);
    keep_result(s);
    journal_finish(&s->journal, &s->port, s->record);
    if (st == STATUS_OK && !s->o->admit_only) console_text_end(s);
    return st == STATUS_OK ? verdict(s, died) : st;
}

static void tear_down(struct supervisor *s)
{
    if (s->path[0]) unlink(s->path);
    if (s->socket >= 0) close(s->socket);
    if (s->dma_latency >= 0) close(s->dma_latency);
    if (s->share_step >= 0) close(s->share_step);
    if (s->share_supervisor >= 0) close(s->share_supervisor);
    memblock_close(&s->stepper.step);
    memblock_close(&s->stepper.supervisor);
    for (int i = 1; i < BLOCK_SERVICES; i++) memblock_close(&s->stepper.service[i]);
    free(s->rule);
    free(s->record);
    free(s);
}

enum status supervisor_run(const struct supervisor_options *o, struct supervisor_result *result)
{
    struct supervisor *s = calloc(1, sizeof *s);
    cpu_set_t cores;
    int known = sched_getaffinity(0, sizeof cores, &cores) == 0;
    enum status st;

    if (!s) return STATUS_NO_MEMORY;
    memset(result, 0, sizeof *result);
    s->o = o;
    s->result = result;
    s->socket = s->dma_latency = s->share_step = s->share_supervisor = s->step.pidfd = -1;
    s->stepper.step.fd = s->stepper.supervisor.fd = -1;
    for (int i = 0; i < BLOCK_SERVICES; i++) s->stepper.service[i].fd = s->member[i].pidfd = -1;
    st = set_up(s);
    if (st == STATUS_OK) st = run(s);
    tear_down(s);
    if (known) sched_setaffinity(0, sizeof cores, &cores);
    return st;
}
