/* self_stress.h: which loops need their reactions made unique. SETUP context. */
#ifndef SELF_STRESS_H
#define SELF_STRESS_H

#include "services/plan/draft.h"
#include "services/plan/mechanism.h"

/* Fill plan->null for loops with redundant rows whose joints a sensor watches (all such
 * loops when plan->wrenches was asked for by hand). Returns 0 without memory. */
int self_stress_find(const struct model *m, struct plan *p, const struct draft *d, int all);

#endif
