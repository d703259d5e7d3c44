/* inertia.h: inertia tensors as files write them, and whether a body can have them.
 * SERVICE context; SI units, row-major 3x3, about the mass centre, body axes. */
#ifndef INERTIA_H
#define INERTIA_H

#include "services/load/text/value.h"

/* Read [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three lists of three. Returns 0
 * after a message. */
int inertia_read(const struct value_reader *r, const struct node *node, const char *what,
                 double inertia[9]);

/* The principal moments and, as columns of `axes` (row-major), their axes. */
void inertia_axes(const double inertia[9], double moment[3], double axes[9]);

/* The three principal moments, rising. */
void inertia_principal(const double inertia[9], double moment[3]);

/* 1 if some distribution of mass has this tensor: no negative principal moment,
 * and none larger than the sum of the others. Else 0 after a message. */
int inertia_check(const struct value_reader *r, struct place at, const char *what,
                  const double inertia[9]);

#endif
