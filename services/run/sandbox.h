/* sandbox.h: giving rights away: user, capabilities, no-new-privs, system calls.
 *
 * The step thread may call clock_nanosleep, getrusage and exit, nothing else; any
 * other call ends the process. SERVICE context, each process for itself. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <linux/filter.h>

#include "rt/status.h"

/* A system-call filter as the kernel takes it; built before the rights are gone,
 * applied later without allocating. */
struct sandbox_filter {
    struct sock_fprog program;
};

enum sandbox_kind {
    SANDBOX_STEP_THREAD, /* clock_nanosleep, getrusage, exit */
    SANDBOX_STEP_CLOCK,  /* the same and clock_gettime: the clock source has no vDSO */
    SANDBOX_STEP_MAIN,   /* waiting for signals, the supervisor and the thread */
    SANDBOX_SERVICE      /* all but new programs, other processes and the machine */
};

/* Build a filter. Memory: sandbox_free. */
MUST_CHECK enum status sandbox_build(enum sandbox_kind kind, struct sandbox_filter *f);

/* Put the calling thread under the filter, for ever. Needs no-new-privs. */
MUST_CHECK enum status sandbox_apply(const struct sandbox_filter *f);

void sandbox_free(struct sandbox_filter *f);

/* Become an unprivileged user (trapeze if there is one, else nobody) where the
 * process is root; no capabilities; no new privileges. A priority taken and memory
 * locked before stay. */
MUST_CHECK enum status sandbox_drop(void);

#endif
