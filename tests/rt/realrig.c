#include "tests/rt/realrig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void burn(int64_t ns)
{
    int64_t until = now() + ns;
    while (now() < until) continue;
}

static void take_commands(struct realrig_knobs *k, const double *command)
{
    for (int i = 0; i < TESTRIG_ACTUATORS; i++) {
        double size = isfinite(command[i]) ? fabs(command[i]) : 1e300;
        atomic_store_explicit(&k->command[i], command[i], memory_order_relaxed);
        if (size > k->worst) k->worst = size;
    }
}

static enum status plant_step(void *self, double h, const double *command,
                              const struct step_limits *limits, struct step_report *report)
{
    struct realrig *r = self;
    struct realrig_knobs *k = r->knobs;
    int blocks = k->blocks;

    for (int i = 0; i < blocks; i++) {
        burn(k->block_ns);
        if (i == blocks / 2 && k->delay_ns > 0) {
            burn(k->delay_ns);
            k->delay_ns = 0;
        }
        if (i == blocks / 2 && k->touch) {
            k->page[0]++;
            k->touch = 0;
        }
        if (k->forbidden) {
            k->forbidden = 0;
            (void)!write(2, "", 0);
        }
        if (limits->stamp) limits->stamp(limits->context);
    }
    take_commands(k, command);
    for (int i = 0; i < TESTRIG_CHANNELS; i++) r->x[i] += h * command[i];
    r->t += h;
    k->steps++;
    *report = (struct step_report){.status = STATUS_OK, .iterations = 1};
    return STATUS_OK;
}

static void plant_sensors(void *self, double *channel)
{
    memcpy(channel, ((struct realrig *)self)->x, sizeof((struct realrig *)self)->x);
}

static void plant_poses(void *self, double *pose)
{
    (void)self;
    memset(pose, 0, 7 * sizeof *pose);
}

static void plant_settings(void *self, double *live, uint32_t *released)
{
    (void)self;
    live[0] = 7;
    released[0] = released[1] = 0;
}

static double plant_time(void *self) { return ((struct realrig *)self)->t; }

static void plant_reset(void *self)
{
    struct realrig *r = self;
    memset(r->x, 0, sizeof r->x);
    r->t = 0;
}

static void plant_nothing(void *self, uint32_t slot) { (void)self, (void)slot; }

static enum status plant_parameter(void *self, int index, double value)
{
    (void)self, (void)index, (void)value;
    return STATUS_OK;
}

static enum status plant_joint(void *self, int index, int released)
{
    (void)self, (void)index, (void)released;
    return STATUS_OK;
}

static const struct plant_type PLANT = {
    .step = plant_step,
    .sensors = plant_sensors,
    .poses = plant_poses,
    .settings = plant_settings,
    .time = plant_time,
    .reset = plant_reset,
    .snapshot = plant_nothing,
    .restore = plant_nothing,
    .parameter = plant_parameter,
    .joint = plant_joint,
};

static int share_knobs(struct realrig *r)
{
    r->knobs = mmap(NULL, sizeof *r->knobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0);
    if (r->knobs == MAP_FAILED) return 0;
    r->knobs->page_fd = memfd_create("page", MFD_CLOEXEC);
    if (r->knobs->page_fd < 0 || ftruncate(r->knobs->page_fd, 4096) != 0) return 0;
    r->knobs->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, r->knobs->page_fd, 0);
    r->knobs->block_ns = 5000;
    r->knobs->blocks = 20;
    return r->knobs->page != MAP_FAILED;
}

int realrig_create(struct realrig *r, const char *name)
{
    struct host m;
    struct cores cores;
    struct diag_list diags = {0};

    memset(r, 0, sizeof *r);
    if (cores_choose(&(struct rig){.core = -1}, &cores, &diags) != STATUS_OK) return 0;
    host_probe(&m, &cores, 80);
    testrig_model(&r->model);
    if (!share_knobs(r)) abort();
    r->rig = (struct rig){.name = name,
                          .file = "test",
                          .step = 1e-3,
                          .deadline = 1e-3,
                          .core = -1,
                          .priority = 80,
                          .autostart = 1,
                          .lease = 2,
                          .lockstep_timeout = 1,
                          .lockstep_poll = 50e-6,
                          .trip_window = 1000,
                          .service = r->service};
    for (int i = 0; i < TESTRIG_ACTUATORS; i++)
        r->command[i] = (struct rig_command){.timeout = 0.02, .ramp = 0.01, .action = i};
    r->options = (struct supervisor_options){
        .rig = &r->rig,
        .model = &r->model.m,
        .command = r->command,
        .plant = {.type = &PLANT, .self = r, .limits = {.iterations = 1}},
        .admit = 0.1,
        .allow_degraded = 1, /* a busy machine may fail admission; rights are checked here */
        .stop = &r->stop};
    r->options.plant.limits.stamp = cause_stamp;
    r->options.plant.limits.may_iterate = cause_may_iterate;
    return m.can_fifo && m.can_lock;
}

void realrig_destroy(struct realrig *r)
{
    close(r->knobs->page_fd);
    munmap(r->knobs->page, 4096);
    munmap(r->knobs, sizeof *r->knobs);
}

enum status realrig_run(struct realrig *r, double seconds,
                        void (*watch)(struct port *port, void *context), void *context)
{
    r->options.duration = seconds;
    r->options.watch = watch;
    r->options.watch_context = context;
    return supervisor_run(&r->options, &r->result);
}

uint64_t realrig_accounts(struct port *port, uint64_t *cursor,
                          void (*each)(const struct account *a, void *context), void *context)
{
    struct account a;
    uint64_t lost = 0;
    while (ring_next(&port->account, cursor, &a, &lost) == RING_OK) each(&a, context);
    return lost;
}
