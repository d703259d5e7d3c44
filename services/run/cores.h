/* cores.h: which processor cores a rig uses: one for the step thread; the supervisor, the
 * services and the step process's main thread stay on others, where the machine has any.
 * SERVICE context; reads /sys and this process's affinity. */
#ifndef CORES_H
#define CORES_H

#include <sched.h>

#include "services/base/diag.h"
#include "services/load/rig/rig.h"

enum { CORES_TEXT = 128, CORES_NAME = 64 };

struct cores {
    int step;
    int shared;              /* 1: no other core: the services are on the step's */
    cpu_set_t services;
    char clash[CORES_NAME];  /* another running rig whose step is on this core; "": none */
};

/* Choose as the rig says, where it says nothing by itself: for the step an isolated core,
 * else the last one, where there is a choice none that the step of another running rig has; for the services all others this process may use. Holds both against
 * the machine; returns STATUS_REFUSED after messages. */
MUST_CHECK enum status cores_choose(const struct rig *rig, struct cores *c,
                                    struct diag_list *diags);

/* The core the step gets where nothing is said. */
int cores_default(void);

/* 1 if `core` stands in a list like 0-2,5. */
int cores_in_list(const char *list, int core);

/* The first line of a file, "" if there is none. Returns 0 if it cannot be read. */
int cores_line(const char *path, char *text, size_t size);

/* A set as such a list. */
const char *cores_text(const cpu_set_t *set, char text[CORES_TEXT]);

#endif
