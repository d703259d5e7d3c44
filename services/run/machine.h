/* machine.h: what this machine can promise: the conditions of hard real time, each
 * with its state, why it matters, and the command that mends it. Reads /proc, /sys
 * and limits, tries what can be tried. SERVICE context; blocks on the file system. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>

#include "services/run/cores.h"

enum machine_state {
    MACHINE_GOOD,
    MACHINE_NOTE,    /* better otherwise */
    MACHINE_MEND,    /* deadlines are not guaranteed as it is */
    MACHINE_UNKNOWN  /* cannot be seen from here */
};

enum { MACHINE_FACTS = 32, MACHINE_TEXT = 160 };

struct machine_fact {
    const char *key;                /* short name, also in JSON */
    enum machine_state state;
    char found[MACHINE_TEXT];
    const char *why;
    char remedy[MACHINE_TEXT];      /* "" : nothing to do */
};

struct machine {
    struct machine_fact fact[MACHINE_FACTS];
    int n;
    int core;          /* the step's */
    char others[CORES_TEXT]; /* those of the services */
    int rt_kernel;     /* PREEMPT_RT */
    int isolated;      /* that core is */
    int can_fifo;      /* SCHED_FIFO is granted */
    int can_lock;      /* memory can be locked */
    int vdso;          /* the clock needs no system call */
};

/* Look at everything. */
void machine_probe(struct machine *m, const struct cores *cores, int priority);

/* Add a fact; what it found and its remedy are filled in by the caller. */
struct machine_fact *machine_add(struct machine *m, const char *key, enum machine_state state,
                                 const char *why);

/* The file of a library this process has loaded. Returns 0 if there is none. */
int machine_library(const char *name, char *path, size_t size);

/* How many facts must be mended. */
int machine_count(const struct machine *m, enum machine_state state);

/* "good", "note", "mend", "unknown". */
const char *machine_state_text(enum machine_state s);

#endif
