/* host.h: what this machine can promise: the conditions of hard real time, each
 * with its state, why it matters, and the command that mends it. Reads /proc, /sys
 * and limits, tries what can be tried. SERVICE context; blocks on the file system. */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>

#include "services/run/cores.h"

enum host_state {
    HOST_GOOD,
    HOST_NOTE,    /* better otherwise */
    HOST_MEND,    /* deadlines are not guaranteed as it is */
    HOST_UNKNOWN  /* cannot be seen from here */
};

enum { HOST_FACTS = 32, HOST_TEXT = 288 };

struct host_fact {
    const char *key;                /* short name, also in JSON */
    enum host_state state;
    char found[HOST_TEXT];
    const char *why;
    char remedy[HOST_TEXT];      /* "" : nothing to do */
};

struct host {
    struct host_fact fact[HOST_FACTS];
    int n;
    int core;          /* the step's */
    char others[CORES_TEXT]; /* those of the services */
    int rt_kernel;     /* PREEMPT_RT */
    int isolated;      /* that core is */
    int can_fifo;      /* SCHED_FIFO is granted */
    int can_lock;      /* memory can be locked */
    int no_budget;     /* its cgroup gives real-time threads no time */
    int vdso;          /* the clock needs no system call */
};

/* Look at everything. */
void host_probe(struct host *m, const struct cores *cores, int priority);

/* Add a fact; what it found and its remedy are filled in by the caller. */
struct host_fact *host_add(struct host *m, const char *key, enum host_state state, const char *why);

/* The file of a library this process has loaded. Returns 0 if there is none. */
int host_library(const char *name, char *path, size_t size);

/* How many facts must be mended. */
int host_count(const struct host *m, enum host_state state);

/* "good", "note", "mend", "unknown". */
const char *host_state_text(enum host_state s);

#endif
