/* Services that misbehave, die, or lose their step or supervisor. Real processes.
 * RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=240 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/rt/realrig.h"

/* What services tell the test: shared memory. */
struct notes {
    _Atomic int64_t scribbles, starts, uid, no_new_privs, could_write_step, could_exec;
    _Atomic int64_t bad_seen_ns, died_ns;
    _Atomic int64_t acquired, writes;
    _Atomic int64_t granted, tried;      /* by the intruder; bit i of granted: act i */
    _Atomic int mode;
};

static struct notes *notes_of(const struct attach *a)
{
    return (struct notes *)(size_t)a->service->keys; /* the test's own use of the field */
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nap(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&t, NULL);
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ (*seed >> 29);
}

/* ---- services ---------------------------------------------------------------------- */

/* A frame with the lease of the record and any bits as values. */
static void send_any(struct attach *a, struct command_frame *f, const struct record *r,
                     uint64_t *seed)
{
    f->lease = r->lease.number;
    f->refresh = f->step = next(seed);
    for (uint32_t i = 0; i < a->port.layout.step.record.n_actuators; i++) {
        uint64_t bits = next(seed);
        f->value[i].counter = next(seed);
        memcpy(&f->value[i].value, &bits, sizeof bits);
    }
    port_command(&a->port, f);
}

static void request_any(struct attach *a, const struct record *r, uint64_t *seed)
{
    struct request q;
    uint64_t *at = (uint64_t *)&q;

    for (size_t k = 0; k < sizeof q / 8; k++) at[k] = next(seed);
    q.kind = (uint32_t)(next(seed) % (REQUEST_COUNT + 2));
    q.lease = r->lease.number;
    q.index = (int32_t)(next(seed) % 7) - 1;
    q.fault.kind = (uint32_t)(next(seed) % FAULT_OVERRUN); /* all but overruns */
    q.fault.target = (uint32_t)(next(seed) % 4);
    if (q.kind == REQUEST_ESTOP || q.kind == REQUEST_PAUSE)
        q.kind = REQUEST_START; /* keep it moving */
    port_send(&a->port, &q);
}

/* In order at first: the authority, then frame by frame any bits, which are looked at.
 * Then random bytes over the whole block, with valid pieces between: leases stolen from
 * the record, requests of every kind, heads that jump. */
static int scribble(struct attach *a)
{
    enum { IN_ORDER = 500 };
    struct notes *n = notes_of(a);
    uint64_t *word = (uint64_t *)((size_t)a->port.command.word - a->port.layout.service.command_at);
    size_t words = a->port.layout.service.size / 8;
    struct record *r = malloc(a->port.layout.step.record.bytes);
    struct command_frame *f = calloc(1, a->port.layout.service.command_bytes);
    struct request acquire = {.kind = REQUEST_ACQUIRE, .index = LEASE_STREAM, .session = 5};
    uint64_t seed = (uint64_t)now();

    for (int i = 0; i < IN_ORDER && r && f && !attach_should_stop(a); i++) {
        if (i % 10 == 0) port_send(&a->port, &acquire);
        port_record(&a->port, r);
        send_any(a, f, r, &seed);
        nap(2000000);
    }
    while (!attach_should_stop(a) && r && f) {
        for (int i = 0; i < 2000; i++)
            word[next(&seed) % words] = next(&seed) >> (next(&seed) % 64);
        port_record(&a->port, r);
        a->port.command.word[0] = next(&seed) % 3 ? ring_head(&a->port.command) : next(&seed);
        send_any(a, f, r, &seed);
        for (int i = 0; i < 4; i++) request_any(a, r, &seed);
        n->scribbles++;
    }
    return 0;
}

/* Drives actuator 0 by stream authority until it is killed. */
static int driver(struct attach *a)
{
    struct notes *n = notes_of(a);
    struct command_frame *f = calloc(1, a->port.layout.service.command_bytes);
    struct request q = {.kind = REQUEST_ACQUIRE, .index = LEASE_STREAM, .session = 5};
    struct reply reply;
    uint64_t ticket = port_send(&a->port, &q);

    n->starts++;
    while (!port_reply(&a->port, ticket, &reply)) nap(500000);
    if (reply.result != REPLY_DONE || !f) return 1;
    n->acquired++;
    f->lease = reply.number;
    while (!attach_should_stop(a)) {
        for (int i = 0; i < TESTRIG_ACTUATORS; i++) {
            f->value[i].counter++;
            f->value[i].value = 8;
        }
        port_command(&a->port, f);
        n->writes++;
        nap(1000000);
    }
    return 0;
}

/* Notes when it sees the step process gone, or the heartbeat stopped for 50 ms. */
static int watcher(struct attach *a)
{
    struct notes *n = notes_of(a);

    n->starts++;
    while (!attach_should_stop(a)) {
        if (!port_step_alive(&a->port) && n->bad_seen_ns == 0) n->bad_seen_ns = now();
        nap(5000000);
    }
    return 0;
}

/* Looks at its own rights. */
static int prisoner(struct attach *a)
{
    struct notes *n = notes_of(a);
    char *const no[] = {NULL};

    n->uid = getuid();
    n->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    /* the step's pages, as this service has them: not to be made writable */
    n->could_write_step = mprotect((void *)((size_t)a->port.monitor / 4096 * 4096), 4096,
                                   PROT_READ | PROT_WRITE) == 0;
    n->starts++;
    if (n->starts == 1) execve("/bin/true", no, no); /* ends it, the next one goes on */
    n->could_exec = n->starts == 1;
    while (!attach_should_stop(a)) nap(10000000);
    return 0;
}

/* A service that was taken over tries to hinder the step. */
static int intruder(struct attach *a)
{
    static const struct sched_param ordinary = {.sched_priority = 0};
    static const struct rlimit second = {1, 1};
    struct notes *n = notes_of(a);
    pid_t step = a->port.board->step_pid, thread = (pid_t)a->port.monitor->thread_id;
    cpu_set_t zero;
    int64_t granted = 0, i = 0;

    CPU_ZERO(&zero);
    CPU_SET(0, &zero);
#define TRY(call) granted |= (int64_t)((call) != -1) << i++
    TRY(kill(step, SIGSTOP));
    TRY(kill(step, SIGKILL));
    TRY(syscall(SYS_tgkill, step, thread, SIGSTOP));
    TRY(syscall(SYS_tkill, thread, SIGSTOP));
    TRY(syscall(SYS_pidfd_open, step, 0));
    TRY(sigqueue(step, SIGTERM, (union sigval){0}));
    TRY(sched_setscheduler(thread, SCHED_OTHER, &ordinary));
    TRY(sched_setparam(thread, &ordinary));
    TRY(sched_setaffinity(thread, sizeof zero, &zero));
    TRY(sched_setaffinity(0, sizeof zero, &zero));
    TRY(prlimit(step, RLIMIT_CPU, &second, NULL));
    TRY(setpriority(PRIO_PROCESS, (id_t)thread, 19));
    TRY(syscall(SYS_ioprio_set, 1, thread, 3 << 13));
    TRY(fork());
    TRY(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    TRY(syscall(SYS_clone, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, 0, 0, 0, 0));
    TRY(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                MAP_FAILED
            ? -1
            : 0);
    TRY(socket(AF_UNIX, SOCK_STREAM, 0));
    TRY(socket(AF_NETLINK, SOCK_RAW, 0));
    TRY(socket(AF_VSOCK, SOCK_STREAM, 0));
    TRY(socket(AF_INET, SOCK_RAW, 1));
    TRY(open("/tmp/trapeze-intruder", O_WRONLY | O_CREAT, 0600));
    TRY(open("/dev/shm/trapeze-intruder", O_WRONLY | O_CREAT, 0600));
    TRY(open("/proc/1/status", O_RDONLY));
#undef TRY
    n->granted = granted;
    n->tried = i;
    n->starts++;
    while (!attach_should_stop(a)) nap(10000000);
    return 0;
}

/* Lives for a while, then hangs for good. */
static int sleeper(struct attach *a)
{
    struct notes *n = notes_of(a);

    n->starts++;
    for (int i = 0; i < 50 && !attach_should_stop(a); i++) nap(10000000);
    while (n->starts == 1) nap(1000000000);
    n->bad_seen_ns = now();
    while (!attach_should_stop(a)) nap(10000000);
    return 0;
}

/* Says that it can never run: at its first start, or after a life. */
static int refuser(struct attach *a)
{
    struct notes *n = notes_of(a);

    n->starts++;
    if (n->mode == 1 && n->starts == 1)
        for (int i = 0; i < 50 && !attach_should_stop(a); i++) nap(10000000);
    return ATTACH_REFUSED;
}

static const struct attach_service KINDS[] = {
    {.name = "scribble", .run = scribble}, {.name = "driver", .run = driver},
    {.name = "watcher", .run = watcher},   {.name = "prisoner", .run = prisoner},
    {.name = "intruder", .run = intruder}, {.name = "sleeper", .run = sleeper},
    {.name = "refuser", .run = refuser},   {.name = NULL}};

/* ---- the rig ----------------------------------------------------------------------- */

struct scene {
    struct realrig rig;
    struct notes *notes;
    struct record *record;
    int64_t killed_ns, safe_ns, restarted_ns;
    uint64_t epoch_before;
    int stage;
};

static int begin(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof scene);
    scene.notes = mmap(NULL, sizeof *scene.notes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(scene.notes, MAP_FAILED);
    if (!realrig_create(&scene.rig, "test-services")) return 1;
    scene.rig.options.service = KINDS;
    scene.record = calloc(1, 1 << 16);
    *state = &scene;
    return 0;
}

static int end(void **state)
{
    struct scene *s = *state;
    realrig_destroy(&s->rig);
    munmap(s->notes, sizeof *s->notes);
    free(s->record);
    return 0;
}

static void add_service(struct scene *s, const char *name)
{
    s->rig.service[s->rig.rig.n_services++] = (struct rig_service){
        .name = name, .keys = (const struct node *)(void *)s->notes, .place = {"test", 1, 1}};
}

/* ---- claims ------------------------------------------------------------------------ */

static void look(struct port *port, void *context)
{
    struct scene *s = context;
    port_record(port, s->record);
}

/* It can neither crash nor stall the step nor get an out-of-range value applied. */
static void a_scribbling_service_does_no_harm(void **state)
{
    struct scene *s = *state;
    const char *text = getenv("TRAPEZE_SECONDS");
    double seconds = text ? atof(text) : 6;
    enum status result;

    add_service(s, "scribble");
    result = realrig_run(&s->rig, seconds, look, s);
    /* it may ask for policy stop, as everybody may while nobody holds the authority */
    assert_true(result == STATUS_OK || result == STATUS_TRIPPED);
    assert_true(s->rig.result.step_exit == 0 || s->rig.result.step_exit == 4);
    assert_int_equal(s->rig.result.restarts, 0);
    assert_true(s->notes->scribbles > 1000);
    /* the heartbeat went on; how many ticks a machine grants is not claimed */
    assert_true(s->rig.result.record.tick > (uint64_t)(seconds * 500));
    /* range of the model: 10, scale 2 */
    assert_true(s->rig.knobs->worst <= 20.0);
    assert_true(s->rig.knobs->worst > 1.0); /* and it did get something through */
}

static void kill_driver(struct port *port, void *context)
{
    struct scene *s = context;
    const struct board_service *b = &port->board->service[1];
    const struct record_actuator *a;

    port_record(port, s->record);
    a = record_actuators(&port->layout.step.record, s->record);
    if (s->stage == 0 && s->notes->acquired == 1 && s->notes->writes > 100) {
        s->epoch_before = b->epoch;
        kill(b->pid, SIGKILL);
        s->killed_ns = now();
        s->stage = 1;
    } else if (s->stage == 1 && a[0].value == 0 && !(a[0].flags & ACTUATOR_LIVE)) {
        s->safe_ns = now();
        s->stage = 2;
    }
    if (s->stage >= 1 && s->restarted_ns == 0 && s->notes->acquired == 2) s->restarted_ns = now();
}

/* Kill -9: the actuator goes safe, the service is up again and holds a new lease within
 * 2 s, and the step process never noticed anything but the epoch. */
static void a_killed_service_goes_safe_and_comes_back(void **state)
{
    struct scene *s = *state;

    add_service(s, "driver");
    assert_int_equal(realrig_run(&s->rig, 4, kill_driver, s), STATUS_OK);
    assert_true(s->killed_ns > 0);
    assert_true(s->restarted_ns > s->killed_ns);
    assert_true(s->restarted_ns - s->killed_ns < 2000000000);
    assert_int_equal(s->rig.result.restarts, 1);
    assert_int_equal(s->notes->starts, 2);
    assert_int_equal(s->rig.result.step_exit, 0);
}

static void stop_driver(struct port *port, void *context)
{
    struct scene *s = context;
    if (s->stage == 0 && s->notes->writes > 100) {
        kill(port->board->service[1].pid, SIGSTOP);
        s->stage = 1;
        s->killed_ns = now();
    }
    port_record(port, s->record);
    if (s->stage == 1 && now() - s->killed_ns > 500000000) {
        const struct record_actuator *a = record_actuators(&port->layout.step.record, s->record);
        s->stage = 2;
        s->safe_ns = (a[0].value == 0) + (a[1].value == 8) + (a[2].value == 1);
        s->epoch_before = a[0].timeouts;
        kill(port->board->service[1].pid, SIGCONT);
    }
}

/* SIGSTOP: zero, hold and ramp are all reached; after SIGCONT it drives again. */
static void a_stopped_service_times_out(void **state)
{
    struct scene *s = *state;

    add_service(s, "driver");
    assert_int_equal(realrig_run(&s->rig, 2, stop_driver, s), STATUS_OK);
    assert_int_equal(s->stage, 2);
    assert_int_equal(s->safe_ns, 3);
    assert_true(s->epoch_before >= 1);
    assert_true(s->notes->writes > 500); /* and on it went */
}

static void kill_step(struct port *port, void *context)
{
    struct scene *s = context;
    if (s->stage == 0 && s->rig.knobs->steps > 300) {
        s->notes->died_ns = now();
        kill(port->board->step_pid, SIGKILL);
        s->stage = 1;
    }
}

static struct scene *alarmed;
static void end_run(int signal)
{
    (void)signal;
    alarmed->rig.stop = 1;
}

/* The services stay up and see it within 100 ms. */
static void a_dead_step_is_seen_by_the_services(void **state)
{
    struct scene *s = *state;
    struct sigaction act = {.sa_handler = end_run}, before;

    add_service(s, "watcher");
    alarmed = s;
    sigaction(SIGALRM, &act, &before);
    alarm(3);
    assert_int_equal(realrig_run(&s->rig, 0, kill_step, s), STATUS_IO);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(s->rig.result.step_exit, -SIGKILL);
    assert_true(s->notes->bad_seen_ns > s->notes->died_ns);
    assert_true(s->notes->bad_seen_ns - s->notes->died_ns < 100000000);
    assert_int_equal(s->notes->starts, 1);
}

/* Supervisor killed -9: the step process goes safe first and ends; so do services. */
static void without_a_supervisor_the_step_goes_safe_and_ends(void **state)
{
    struct scene *s = *state;
    pid_t supervisor, step = 0, service = 0;
    struct port port;
    char why[200];
    int status, gone = 0;

    add_service(s, "driver");
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* the orphans become ours */
    supervisor = fork();
    if (supervisor == 0) {
        enum status r = realrig_run(&s->rig, 30, NULL, NULL);
        _exit(r == STATUS_OK ? 0 : 1);
    }
    for (int i = 0; i < 100 && s->notes->writes < 100; i++) nap(50000000);
    assert_int_equal(attach_open("test-services", &port, why), STATUS_OK);
    port_record(&port, s->record);
    assert_int_equal(s->record->state, STATE_RUNNING);
    step = port.board->step_pid;
    service = port.board->service[1].pid;
    kill(supervisor, SIGKILL);
    waitpid(supervisor, &status, 0);
    for (int i = 0; i < 100 && gone < 2; i++) {
        nap(50000000);
        gone += waitpid(step, &status, WNOHANG) == step && WIFEXITED(status);
        gone += waitpid(service, &status, WNOHANG) == service;
    }
    assert_int_equal(gone, 2);
    port_record(&port, s->record);
    assert_int_equal(s->record->state, STATE_SAFE);
    assert_int_equal(s->record->trip, TRIP_SUPERVISOR);
    assert_true(s->record->quality & RECORD_FINAL);
    assert_true(record_actuators(&port.layout.step.record, s->record)[0].value == 0);
    assert_true(record_actuators(&port.layout.step.record, s->record)[2].value == 1);
    unlink("/run/trapeze/test-services.sock");
}

static void services_have_no_rights(void **state)
{
    struct scene *s = *state;

    add_service(s, "prisoner");
    assert_int_equal(realrig_run(&s->rig, 1, NULL, NULL), STATUS_OK);
    assert_int_equal(s->notes->starts, 2);
    assert_int_equal(s->rig.result.restarts, 1);
    assert_int_not_equal(s->notes->uid, 0);
    assert_int_equal(s->notes->no_new_privs, 1);
    assert_int_equal(s->notes->could_write_step, 0);
    assert_int_equal(s->notes->could_exec, 0);
}

/* Every act is refused, and the step, under another user, goes on as it was. */
static void an_intruder_cannot_touch_the_step(void **state)
{
    struct scene *s = *state;

    add_service(s, "intruder");
    assert_int_equal(realrig_run(&s->rig, 1.5, look, s), STATUS_OK);
    assert_int_equal(s->notes->starts, 1);
    assert_int_equal(s->notes->tried, 24);
    assert_int_equal(s->notes->granted, 0);
    assert_int_equal(s->rig.result.step_exit, 0);
    assert_int_equal(s->rig.result.restarts, 0);
    assert_int_equal(s->record->state, STATE_RUNNING);
}

static int seen_event(struct port *port, uint64_t *cursor, uint32_t kind, struct event *e)
{
    while (ring_next(&port->event, cursor, e, NULL) == RING_OK)
        if (e->kind == kind) return 1;
    return 0;
}

/* Somebody with the rights demotes the step thread: said within 2 s, with its severity. */
static void demote(struct port *port, void *context)
{
    static const struct sched_param ordinary = {.sched_priority = 0};
    struct scene *s = context;
    struct event e;

    if (s->stage == 0 && s->rig.knobs->steps > 300) {
        s->epoch_before = ring_head(&port->event);
        sched_setscheduler((pid_t)port->monitor->thread_id, SCHED_OTHER, &ordinary);
        s->killed_ns = now();
        s->stage = 1;
    }
    if (s->stage == 1 && seen_event(port, &s->epoch_before, EVENT_SCHEDULING, &e)) {
        s->safe_ns = now();
        s->stage = (int)(e.a | e.severity << 4);
        if (port->board->scheduling != (BOARD_POLICY | BOARD_PRIORITY)) s->stage = -1;
    }
}

static void a_demoted_step_is_noticed(void **state)
{
    struct scene *s = *state;

    assert_int_equal(realrig_run(&s->rig, 3, demote, s), STATUS_OK);
    assert_int_equal(s->stage, (BOARD_POLICY | BOARD_PRIORITY) | 800 << 4);
    assert_true(s->safe_ns - s->killed_ns < 2000000000);
}

/* A service that hangs is found by its heart and comes back. */
static void wait_hung(struct port *port, void *context)
{
    struct scene *s = context;
    struct event e;
    if (seen_event(port, &s->epoch_before, EVENT_HUNG, &e) && e.service == 1) s->stage = 1;
    if (s->notes->bad_seen_ns && now() - s->notes->bad_seen_ns > 300000000) s->rig.stop = 1;
}

static void a_hung_service_is_restarted(void **state)
{
    struct scene *s = *state;
    int64_t begin_ns = now();

    add_service(s, "sleeper");
    assert_int_equal(realrig_run(&s->rig, 15, wait_hung, s), STATUS_OK);
    assert_int_equal(s->notes->starts, 2);
    assert_int_equal(s->rig.result.restarts, 1);
    assert_int_equal(s->stage, 1);
    assert_true(s->notes->bad_seen_ns - begin_ns < 9000000000);
}

/* A demanded service that cannot run: the rig is not armed; one that is not demanded is
 * given up after one try, and the end says so. */
static void a_service_that_refuses_is_not_started_again(void **state)
{
    struct scene *s = *state;

    add_service(s, "refuser");
    s->rig.service[0].required = 1;
    assert_int_equal(realrig_run(&s->rig, 1, NULL, NULL), STATUS_REFUSED);
    assert_int_equal(s->notes->starts, 1);
    assert_int_equal(s->rig.result.steps, 0);
    s->notes->starts = 0;
    s->rig.service[0].required = 0;
    assert_int_equal(realrig_run(&s->rig, 1.5, look, s), STATUS_REFUSED);
    assert_int_equal(s->notes->starts, 1);
    assert_int_equal(s->record->state, STATE_RUNNING);
}

/* Lost while the rig runs: a few tries, then the rig goes safe. */
static void without_a_demanded_service_the_rig_goes_safe(void **state)
{
    struct scene *s = *state;

    add_service(s, "refuser");
    s->rig.service[0].required = 1;
    s->notes->mode = 1;
    assert_int_equal(realrig_run(&s->rig, 6, look, s), STATUS_REFUSED);
    assert_int_equal(s->notes->starts, 5);
    assert_int_equal(s->record->state, STATE_SAFE);
    assert_int_equal(s->record->trip, TRIP_SERVICE);
}

/* What /proc says of the step process: unprivileged, no capability, filtered. */
static void read_step_status(struct port *port, void *context)
{
    struct scene *s = context;
    char path[64], line[256];
    FILE *f;

    if (s->stage || s->rig.knobs->steps < 50) return;
    snprintf(path, sizeof path, "/proc/%d/status", (int)port->board->step_pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long caps;
        int n;
        if (sscanf(line, "CapEff: %llx", &caps) == 1 || sscanf(line, "CapPrm: %llx", &caps) == 1)
            s->stage += caps == 0 ? 1 : 100;
        if (sscanf(line, "NoNewPrivs: %d", &n) == 1) s->stage += n == 1 ? 1 : 100;
        if (sscanf(line, "Seccomp: %d", &n) == 1) s->stage += n == 2 ? 1 : 100;
        if (sscanf(line, "Uid: %d", &n) == 1)
            s->stage += (uid_t)n == sandbox_user(SANDBOX_STEP).uid ? 1 : 100;
    }
    if (f) fclose(f);
}

static void the_step_process_has_no_rights(void **state)
{
    struct scene *s = *state;
    assert_int_equal(realrig_run(&s->rig, 1, read_step_status, s), STATUS_OK);
    assert_int_equal(s->stage, 5);
}

static void try_second(struct port *port, void *context)
{
    struct scene *s = context;
    struct realrig *second;
    (void)port;
    if (s->stage || s->rig.knobs->steps < 50) return;
    second = malloc(sizeof *second);
    if (!second) return;
    realrig_create(second, "test-services");
    s->stage = realrig_run(second, 0.2, NULL, NULL) == STATUS_REFUSED ? 1 : 2;
    realrig_destroy(second);
    free(second);
}

static void one_name_runs_once(void **state)
{
    struct scene *s = *state;
    assert_int_equal(realrig_run(&s->rig, 1, try_second, s), STATUS_OK);
    assert_int_equal(s->stage, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_scribbling_service_does_no_harm),
        TEST(a_killed_service_goes_safe_and_comes_back),
        TEST(a_stopped_service_times_out),
        TEST(a_dead_step_is_seen_by_the_services),
        TEST(without_a_supervisor_the_step_goes_safe_and_ends),
        TEST(services_have_no_rights),
        TEST(an_intruder_cannot_touch_the_step),
        TEST(a_demoted_step_is_noticed),
        TEST(a_hung_service_is_restarted),
        TEST(a_service_that_refuses_is_not_started_again),
        TEST(without_a_demanded_service_the_rig_goes_safe),
        TEST(the_step_process_has_no_rights),
        TEST(one_name_runs_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
