/* hang.h: what a motion asks for at the start turns only what hangs on its joint. SETUP
 * context. */
#ifndef HANG_H
#define HANG_H

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"

/* Bring driven coordinates to their motions at t = 0: bodies beyond a driven joint are
 * carried along as one piece. Where loops hold the joint they are assembled, and what
 * hangs on them keeps its place on them. Adds a note where it moves anything by more than
 * `closure:`. Returns 0 without memory. */
int hang_motions(const struct model *m, const struct plan *p, const struct draft *d,
                 struct workspace *ws, struct diag_list *diags);

#endif
