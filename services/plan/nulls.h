/* nulls.h: which loops need their reactions made unique. SETUP context. */
#ifndef NULLS_H
#define NULLS_H

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"

/* Fill plan->null for loops with redundant rows whose joints a sensor watches (all such
 * loops when plan->wrenches was asked for by hand). Returns 0 without memory. */
int nulls_find(const struct model *m, struct plan *p, const struct draft *d, int all);

#endif
