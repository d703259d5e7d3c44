/* rank.h: which rows of the loops are redundant. SETUP context.
 *
 * Per loop block, at the file's pose before assembly: rows scaled to lengths, reduced to
 * the joint coordinates of the tree, pivoted orthogonalisation with an absolute
 * threshold. What falls below is a candidate; the loop is walked along its remaining
 * freedoms, and a candidate that stays within `closure:` is redundant. */
#ifndef RANK_H
#define RANK_H

#include <signal.h>

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"

/* Mark redundant rows, set their springs, count dof; STATUS_REFUSED with a message when
 * a loop does not close. Uses ws at the file's pose as scratch. STATUS_STOPPED once `stop` (may be
 * NULL) is set, heard at every pose and step of a walk. */
MUST_CHECK enum status rank_rows(const struct model *m, struct plan *p, const struct draft *d,
                                 struct workspace *ws, const volatile sig_atomic_t *stop,
                                 struct diag_list *diags);

#endif
