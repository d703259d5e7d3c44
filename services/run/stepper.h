/* stepper.h: the step process: one real-time thread that ticks, and a main thread
 * that waits for signals and for the supervisor's end.
 *
 * Forked by the supervisor with everything mapped. Order: own block writable, all
 * others read-only; memory locked; filters built; rights dropped; thread started;
 * its filter applied; admission test; ticks. Needs no capability from there on.
 * SERVICE context, in the forked process. */
#ifndef STEPPER_H
#define STEPPER_H

#include <sys/types.h>

#include "rt/link/block.h"
#include "rt/tick/admit.h"
#include "rt/time/rtthread.h"
#include "rt/tick/tick.h"
#include "rt/time/vclock.h"
#include "services/run/memblock.h"
#include "services/run/sandbox.h"

struct stepper {
    /* set by the supervisor before the fork */
    struct block_head layout;
    struct memblock step, supervisor, service[BLOCK_SERVICES]; /* service.fd -1: none */
    struct plant plant;
    struct tick_config config;   /* start_ns is set in the thread */
    int core, priority;          /* priority 0: ordinary scheduling */
    int degraded;                /* 1: go on without locked memory and priority */
    int vdso;                    /* clock_gettime needs no system call */
    int contacts;
    int lapack;                  /* 1: the formulation calls LAPACK in the step */
    int64_t admit_ns;            /* time for the admission test; 0: none */
    pid_t supervisor_pid;
    void (*disturb)(struct stepper *s); /* tests: called in the thread before the loop */

    /* in the process */
    struct tick tick;
    struct vclock vclock;
    struct witness witness;      /* what the main thread finds out about the step thread */
    int schedstat, stat;         /* /proc files it reads for that; -1: none */
    int64_t stolen_ns;           /* of the core, as seen last */
    int looks;
    struct admit admit;
    struct rtthread thread;
    struct sandbox_filter thread_filter, main_filter;
    atomic_uint stop;            /* enum trip: end */
    atomic_int failed;           /* the thread could not begin */
};

/* Run the step process; returns its exit code: 0 ended as asked, 3 rights missing, 4
 * tripped, 5 solver fault, 1 anything else (a sentence is on stderr). */
int stepper_run(struct stepper *s);

#endif
