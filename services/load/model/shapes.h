/* shapes.h: what bodies look like: `shape:` of a body, else the solid it is made of.
 * For pictures only; the motion never depends on it. SERVICE context. */
#ifndef SHAPES_H
#define SHAPES_H

#include "services/load/model/build.h"
#include "services/load/text/keys.h"

/* Add the shapes of a body whose place is known: `node` is the value of its key (one map or
 * a list of maps) or NULL; then its solid of this kind (SOLID_COUNT: none) is its shape. */
void shapes_read(struct element *el, const struct node *node, int32_t body, enum keys_solid kind,
                 const struct node *solid);

#endif
