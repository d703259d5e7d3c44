/* expand.h: a model file unrolled: components opened, repeats counted out.
 * SERVICE context. Blocks: on the file system. */
#ifndef EXPAND_H
#define EXPAND_H

#include "services/load/model/source.h"

/* Unroll the tree of a model file, named `file`, into an empty source whose memory,
 * diags and sets (and max_elements, else a default) are filled in. Component 0 is the model itself. Problems become
 * messages; what could be read is in the source nevertheless, so that later stages
 * find more. Returns STATUS_OK, STATUS_REFUSED or STATUS_NO_MEMORY. */
enum status expand_model(struct source *s, const char *file, const struct node *root) MUST_CHECK;

#endif
