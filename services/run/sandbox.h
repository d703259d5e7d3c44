/* sandbox.h: giving rights away: user, limits, capabilities, no-new-privs, files, system
 * calls.
 *
 * The step thread may call clock_nanosleep, getrusage and exit; any other call ends the
 * process. A service has a list of what it may call (sandbox_calls.c). What is not on it
 * fails with EPERM, so that a library that tries and does without goes on serving; what
 * only an intruder calls (another program, another process's memory, the kernel itself)
 * ends the service at once, by SIGSYS, and the log says so. Beyond the calls, Landlock
 * (where the kernel has it) leaves a service the files it named, no TCP connection of its
 * own making and no signal to others.
 *
 * Started by root, the step and the services have a user each, so that not even a service
 * that got around its filter could touch the step. SERVICE context, each process for
 * itself. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <linux/filter.h>
#include <sys/types.h>

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
    SANDBOX_SERVICE      /* memory, files, network sockets, its own threads' locks */
};

/* Build a filter, for the calling process. Memory: sandbox_free. */
MUST_CHECK enum status sandbox_build(enum sandbox_kind kind, struct sandbox_filter *f);

/* Put the calling thread under the filter, for ever; sandbox_apply_all all threads of the
 * process. Need no-new-privs. */
MUST_CHECK enum status sandbox_apply(const struct sandbox_filter *f);
MUST_CHECK enum status sandbox_apply_all(const struct sandbox_filter *f);

void sandbox_free(struct sandbox_filter *f);

enum sandbox_role { SANDBOX_STEP, SANDBOX_SERVICES };

/* Whom a role runs as where the supervisor is root: the users trapeze-step and trapeze
 * where they exist, else 65533 and 65534 (nobody). Elsewhere both are who started it. */
struct sandbox_user {
    uid_t uid;
    gid_t gid;
    const char *name;    /* "65533" where it has none */
};
struct sandbox_user sandbox_user(enum sandbox_role role);

/* Become that user where the process is root; no capabilities; no new privileges. A
 * priority taken and memory locked before stay. */
MUST_CHECK enum status sandbox_drop(enum sandbox_role role);

enum { SANDBOX_FOLDERS = 4 };

/* The folders a service uses, as descriptors (O_PATH will do). */
struct sandbox_files {
    int read[SANDBOX_FOLDERS], write[SANDBOX_FOLDERS];
    int n_read, n_write;
};

/* Leave the calling thread and its later ones these folders and what the C library
 * reads (/etc, /usr, /dev/urandom). Returns STATUS_OK also where the kernel knows no
 * Landlock: then the user's rights are what is left. */
MUST_CHECK enum status sandbox_files(const struct sandbox_files *files);

/* 1 where the kernel has Landlock. */
int sandbox_has_landlock(void);

/* With rights: how soon the kernel picks the process when memory is short, -1000 never to
 * 1000 first. Takes `wanted`, or the nearest it may. Returns what holds. */
int sandbox_oom_score(int wanted);

/* Bounds of a service: by how many bytes its address space and its private memory may
 * still grow; no core files. */
MUST_CHECK enum status sandbox_limit(size_t address_space, size_t data);

#endif
