/* attach.h: how a service process and a latecomer come to the memory blocks.
 *
 * A service is a plain function forked by the supervisor with everything mapped; it
 * runs as an unprivileged user, off the step's core. A latecomer (`top`) asks the
 * supervisor's unix socket, gets descriptors that can only read, and maps those. The
 * socket also is the lock of the instance: one rig name, one supervisor.
 * SERVICE context. */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdio.h>

#include "rt/link/port.h"
#include "services/load/rig/rig.h"
#include "services/run/sandbox.h"

/* A service that can never run by its own settings or surroundings (a key that does not
 * exist, a port taken) says why on stderr and ends with this code: a start again would not
 * help. Any other end is followed by a new start. */
enum { ATTACH_REFUSED = 78 };

/* What a service gets. */
struct attach {
    struct port port;                    /* all blocks; its own two rings */
    const struct rig *rig;
    const struct rig_service *service;   /* its entry of the rig file */
    int insecure;                        /* --insecure: open the loopback without keys */
    int live;                            /* check: this rig runs now, its ports are its own */
    void *state;                         /* what its prepare handed to its run */
    struct sandbox_files files;          /* set by prepare: folders that run uses */
    FILE *out;                           /* where to say things; NULL: silent */
};

/* A kind of service; all but `run` may be NULL and return 0 or an exit code.
 * `check` is called before anything starts, by whoever judges the rig (run, admit,
 * doctor): it holds the settings and the surroundings against what prepare and run will
 * need, says every mistake, changes nothing; only rig, service, insecure and live are set.
 * `prepare` runs in the service's process, still with the supervisor's rights: open key
 * files, bind low ports, take a priority, name the folders that run uses.
 * `start` has no rights any more, but still all system calls: threads are made here, and
 * libraries loaded; neither is possible later.
 * `run` may call what sandbox_calls.c lists; it returns its exit code when
 * attach_should_stop, or never. One that prepares says where it can be reached (port_say)
 * when it can. */
struct attach_service {
    const char *name;
    int (*prepare)(struct attach *a);
    int (*run)(struct attach *a);
    int (*start)(struct attach *a);
    int (*check)(const struct attach *a);
};

/* 1 when the supervisor wants this process to end, or is gone. Ask at least ten
 * times a second: that is the service's heartbeat too, and the supervisor kills and
 * restarts one that has not asked for VIGIL_PATIENCE_S. */
int attach_should_stop(const struct attach *a);

enum { ATTACH_PATH = 108 };

/* The path of an instance's socket, from its rig's name. Returns 0, after a sentence in
 * `why[200]` (may be NULL), where the name is none or the folder cannot be used. */
int attach_path(const char *rig, char path[ATTACH_PATH], char *why);

/* 1 when an instance of this name runs now, and lets this user see it. */
int attach_is_live(const char *rig);

/* Look at every instance that runs here and lets this user see it: `each` gets its name
 * and its port, which ends with the call. */
void attach_rigs(void (*each)(const char *rig, const struct port *port, void *context),
                 void *context);

/* Open the socket for latecomers. Returns a descriptor; -1 with *taken = 1 when an
 * instance of this name lives, else errno. */
int attach_listen(const char *path, int *taken);

/* Serve one latecomer: check who it is, hand over descriptors. Blocks: never. */
void attach_serve(int listening, int step_fd, int supervisor_fd);

enum { ATTACH_RIGS = 64, ATTACH_RIG = 96 };

/* The rigs of this user that run: their names, sorted. Returns how many. */
int attach_list(char name[ATTACH_RIGS][ATTACH_RIG]);

/* As a latecomer: come to the blocks of the instance at `path` (the only one there is
 * where rig is NULL). Returns STATUS_OK; STATUS_REFUSED with a sentence in
 * `why[200]`. The maps stay until the process ends. */
enum status attach_open(const char *rig, struct port *port, char *why) MUST_CHECK;

#endif
