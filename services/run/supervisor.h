/* supervisor.h: `trapeze run`: blocks, step process, services, until told to end.
 *
 * Single-threaded for its whole life, since it forks again at every restart. It keeps
 * a writable map of every block (a restarted service inherits its own from here) but
 * writes only its own, and a service's only while that service does not live.
 * Start-up order: machine, blocks, socket, step process, admission, services, autostart.
 * SERVICE context. */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <signal.h>
#include <stdio.h>

#include "services/load/rig/rig.h"
#include "services/run/attach.h"
#include "services/run/cores.h"
#include "services/run/journal.h"
#include "services/run/host.h"
#include "services/run/stepper.h"

enum { SUPERVISOR_ADMITS = 80 }; /* % of the deadline that the longest step may take */

struct supervisor_options {
    const struct rig *rig;
    const struct model *model;
    const struct rig_command *command;   /* per actuator, from rig_bind */
    struct plant plant;                  /* its memory is inherited by the step process */
    int lapack;                          /* 1: the step calls LAPACK */
    int contacts;                        /* a contact may open, a switch act */
    int allow_degraded;
    double duration;                     /* s on the clock; 0: until told to end */
    double until;                        /* s of simulation time; 0: no such end */
    uint64_t steps;                      /* steps; 0: no such end */
    const char *ready;                   /* file that says so when everything is up; NULL */
    double admit;                        /* s for the admission test */
    int admit_only;
    int no_services;
    int insecure;                        /* for the services: loopback without keys */
    const struct tick_inject *inject;    /* tests */
    uint32_t n_inject;
    void (*disturb)(struct stepper *s);  /* tests */
    const struct attach_service *service; /* kinds there are, closed by a NULL name */
    const volatile sig_atomic_t *stop;
    FILE *out;                           /* what it is and how it goes; NULL: silent */
    FILE *log;                           /* what happens; NULL: silent */
    int log_json;                        /* as JSON, one object per line */
    int quiet;                           /* only what is wrong, and the end */
    /* called about ten times a second, for jitter and tests; may be NULL */
    void (*watch)(struct port *port, void *context);
    void *watch_context;
};

/* What a run came to. */
struct supervisor_result {
    struct admission admission;
    struct record record;                /* head of the last one */
    uint64_t misses, skipped, ticks, steps;
    int step_exit;                       /* exit code of the step process, or -signal */
    int restarts;                        /* of services */
    int accepted;                        /* by the admission test */
};

/* Run a rig. Returns STATUS_OK when told to end or the duration is over,
 * STATUS_RIGHTS, STATUS_REFUSED (admission, instance taken, memory), STATUS_TRIPPED or
 * STATUS_NOT_FINITE when a run of given duration ended so, or the step process died
 * (STATUS_IO). Sentences are on stderr. */
MUST_CHECK enum status supervisor_run(const struct supervisor_options *o,
                                      struct supervisor_result *result);

/* ---- inside: shared by supervisor.c, processes.c and console_text.c ---------------------------- */

struct processes_member {
    const struct attach_service *kind;   /* NULL: no such service */
    const struct rig_service *entry;
    pid_t pid;                           /* 0: not running */
    int pidfd;
    int64_t started_ns, again_ns;        /* when to start again; 0: now */
    int64_t backoff_ns;
    uint64_t beat;                       /* heartbeat seen last ... */
    int64_t beat_ns;                     /* ... and when it changed */
    int was_up;                          /* 1: its heart has beaten once */
    int hung;                            /* 1: ended because it hung */
    int refusals;                        /* ends with ATTACH_REFUSED in a row */
    int lost;                            /* 1: given up */
    int terminated;                      /* by SIGTERM, and not started since */
};

struct supervisor {
    const struct supervisor_options *o;
    struct supervisor_result *result;
    struct cores cores;
    struct host machine;
    struct stepper stepper;              /* blocks and set-up of the step process */
    struct tick_rule *rule;
    struct board *board;
    struct port port;                    /* the supervisor's own */
    struct processes_member step, member[BLOCK_SERVICES];
    int n_members;
    int socket, dma_latency;
    int share_step, share_supervisor;    /* read-only descriptors for latecomers */
    char path[ATTACH_PATH];
    int degraded;
    struct record *record;               /* newest seen */
    uint32_t state_at_end, trip_at_end;  /* when the end was asked for */
    struct journal journal;
    const char *why;                     /* the run ends */
    int ready;                           /* said that everything is up */
    int64_t vigil_ns, scheduling_ns;     /* vigil.c: last looks */
    int lost;                            /* services given up */
};

#endif
