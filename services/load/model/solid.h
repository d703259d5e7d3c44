/* solid.h: mass and inertia of simple solids. SERVICE context; SI units. */
#ifndef SOLID_H
#define SOLID_H

#include "services/load/text/keys.h"
#include "services/load/text/value.h"

/* Read a solid (KEYS_SOLID[kind]). *mass comes in as the body's own mass, or 0 where
 * it has none, and goes out as the mass of the solid. Returns 0 after a message. */
int solid_read(const struct value_reader *r, enum keys_solid kind, const struct node *node,
               const char *what, double *mass, double inertia[9]);

#endif
