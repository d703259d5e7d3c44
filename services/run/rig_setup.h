/* rig_setup.h: a rig ready to run: rig file, model, plan, workspaces, bound together.
 * What run, admit, jitter and campaign programs begin with. SERVICE context. */
#ifndef RIG_SETUP_H
#define RIG_SETUP_H

#include "rt/tick/multibody.h"
#include "services/load/rig/rig.h"
#include "services/plan/mechanism.h"
#include "services/run/supervisor.h"

struct rig_setup {
    struct memory memory;
    struct diag_list diags;
    struct rig rig;
    struct model *model;
    struct mechanism mechanism;
    struct workspace spare;          /* for going back */
    void *kept;                      /* snapshots */
    struct multibody multibody;
    struct rig_command *command;     /* per actuator */
    struct supervisor_options options; /* all but what the verb says */
};

/* Load the rig at `path`, with further values of parameters ("name=value").
 * Messages go to stderr. On a status other than STATUS_OK nothing is kept. */
MUST_CHECK enum status rig_setup_create(struct rig_setup *l, const char *path,
                                        const char *const *set, int n_sets);

void rig_setup_destroy(struct rig_setup *l);

#endif
