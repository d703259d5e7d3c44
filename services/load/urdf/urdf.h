/* urdf.h: a robot in URDF becomes the text of a model file.
 *
 * The text is an ordinary model (config/FORMAT.md): people edit it, add joints that
 * close loops, or place it in another model with `use:`. All errors of a file are
 * collected (up to DIAG_MAX); what real files get wrong and ROS lets pass is mended
 * with a warning that names the change, or refused where `strict`. Keeps no state.
 * Place beside the arrow: URDF -> [model file]. SERVICE context; never blocks. */
#ifndef URDF_H
#define URDF_H

#include <stddef.h>

#include "services/base/diag.h"

struct urdf_options {
    int floating;              /* the root moves freely; else it is fixed in space */
    int merge;                 /* links on fixed joints become one body */
    int strict;                /* what would be mended is refused */
    int no_io;                 /* neither actuators nor sensors */
    const char *command;       /* effort, position or velocity for all; NULL: as the file says */
    double density;            /* kg/m3 of links without <inertial>, by their shapes; 0: none */
    const char *const *starts; /* "joint=value" each, values at the start, rad or m */
    int n_starts;
};

/* Import n bytes of URDF; `file` is the name used in messages. `options` may be NULL.
 * Memory: *model is a string of the caller's, to be given to free().
 * Returns STATUS_OK (the messages may hold notes and warnings), STATUS_REFUSED (they hold
 * errors), STATUS_NO_MEMORY; *model is untouched then. */
enum status urdf_import(const char *file, const char *text, size_t n,
                        const struct urdf_options *options, char **model,
                        struct diag_list *diags) MUST_CHECK;

#endif
