/* sense.h: what a model file says that is allowed but hardly meant: bodies far from
 * all their joints, joints far from both bodies, sizes that differ by a thousand, gravity
 * that is not the earth's. SERVICE context. */
#ifndef SENSE_H
#define SENSE_H

#include "rt/mech/model.h"
#include "services/base/diag.h"

/* Add a warning for each, with its place in the file. */
void sense_check(const struct model *m, struct diag_list *diags);

#endif
