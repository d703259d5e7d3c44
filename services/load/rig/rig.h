/* rig.h: the rig file: which model, how fast, on which core, with which policies and
 * services. Text in, checked struct out; config/FORMAT.md explains the keys from the
 * tables of rig.c.
 *
 * Messages have the quality of the model reader's: place, what is wrong, what would
 * be right. SERVICE context; the rig lives in the given memory arena. */
#ifndef RIG_H
#define RIG_H

#include "services/load/rig/fastlane.h"
#include "services/base/memory.h"
#include "services/load/text/reader.h"

struct model;

/* In the order of their words in the file and of the enums of rt/link/record.h and
 * rt/tick/tick.h, and of the rows of METHOD in rt/solve/method.c (tests/unit/test_rig.c holds them together). */
enum rig_pace { RIG_REALTIME, RIG_LOCKSTEP, RIG_FREE };
enum rig_policy { RIG_SKIP, RIG_FINISH_LATE, RIG_HOLD, RIG_STOP };
enum rig_action { RIG_ZERO, RIG_KEEP, RIG_RAMP };
#define RIG_PACES "realtime lockstep free"
#define RIG_POLICIES "skip finish-late hold stop"
#define RIG_ACTIONS "zero hold ramp"
#define RIG_FORMULATIONS "index3"

/* What happens to an actuator whose commands stop. */
struct rig_command {
    double timeout;      /* s; 0: never */
    double ramp;         /* s */
    int action;          /* enum rig_action */
};

/* An entry of actuators: what differs from `commands`. */
struct rig_actuator {
    const char *name;
    struct place place;
    struct rig_command command;
};

/* A value for a parameter of the model, as --set takes it. */
struct rig_set {
    const char *name, *value;
    struct place place;
};

/* One service: its name and the map of its own keys (NULL: none given). */
struct rig_service {
    const char *name;
    const struct node *keys;
    int required;          /* without it the rig goes safe, and is not armed */
    struct place place;
};

/* A key of the terminal client and what it moves. */
struct rig_key {
    const char *key;       /* left right up down, or a letter */
    const char *actuator;
    double rate;           /* command units per second while held */
    double back;           /* command units per second back to rest when let go; 0: stays */
    struct place place;
};

/* A sensor, or a channel of one (tip.x), that the terminal client shows. */
struct rig_show {
    const char *sensor;
    struct place place;
};

struct rig {
    const char *name, *file, *description;
    const char *model;     /* path of the model file, from where the rig file is */
    double step;           /* s */
    double deadline;       /* s */
    int core;              /* of the step; -1: chosen */
    int *service_core;     /* of the services; n_service_cores 0: all others */
    int priority;          /* FIFO 1 .. 99 */
    double spin;           /* s */
    int pace, policy;
    int trip_consecutive, trip_misses, trip_window;
    int iterations;        /* 0: as the model says */
    int formulation;       /* place in RIG_FORMULATIONS */
    int autostart;
    double lease;          /* s */
    double lockstep_timeout, lockstep_poll; /* s */
    struct rig_command command;
    struct rig_actuator *actuator;
    struct rig_set *set;
    struct rig_service *service;
    struct rig_key *key;
    struct rig_show *show; /* none: all sensors */
    const char **preempt;  /* names of services */
    int n_actuators, n_sets, n_services, n_preempts, n_keys, n_shows, n_service_cores;
    struct place iterations_place, core_place, service_cores_place;
    struct fastlane fastlane; /* of the service opcua */
};

/* 1 if the file can be read and by its keys is a rig, no model. */
int rig_is_rig(const char *path);

/* Read a rig file. Returns STATUS_OK, STATUS_REFUSED (see the messages) or
 * STATUS_NO_MEMORY. Blocks: on the file system. */
enum status rig_read(const char *path, struct memory *memory, struct diag_list *diags,
                     struct rig *rig) MUST_CHECK;

/* The same from n bytes of text; `file` is the name used in messages. */
enum status rig_read_text(const char *file, const char *text, size_t n, struct memory *memory,
                          struct diag_list *diags, struct rig *rig) MUST_CHECK;

/* Hold the rig against its model: actuators that do not exist, an iteration bound
 * above the model's, safe values outside the range, keys of the terminal client.
 * Fills command[n_actuators of the model]. */
enum status rig_bind(const struct rig *rig, const struct model *m, struct diag_list *diags,
                     struct rig_command *command) MUST_CHECK;

/* Print the tables of keys as a section of FORMAT.md. */
void rig_write_format(FILE *to);

#endif
