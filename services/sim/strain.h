/* strain.h: what a run went through that its elements are not made for, though every step
 * converged: bushings turned beyond 3 rad. Their angles are a rotation vector, which is unique up
 * to pi only. SERVICE context. */
#ifndef STRAIN_H
#define STRAIN_H

#include <stdio.h>

#include "rt/mech/workspace.h"

/* The worst so far. Zero-initialise. */
struct strain {
    double bushing; /* rad, largest turn of a bushing that resists turns, 0 ... pi */
    int bushing_at; /* its force element */
};

/* Look at the bodies as ws->kin has them. */
void strain_note(struct strain *s, const struct model *m, const struct plan *p,
                 const struct workspace *ws);

/* Warn of what went too far, with its number and what would do. */
void strain_say(const struct strain *s, const struct model *m, FILE *to);

#endif
