/* compile.h: from a source to a model: the list of what is compiled, in order.
 * SERVICE context. */
#ifndef COMPILE_H
#define COMPILE_H

#include "rt/mech/model.h"
#include "services/load/model/source.h"

/* Compile a source. Memory: *model is the caller's, one free(). Returns STATUS_OK;
 * STATUS_REFUSED when there are errors in the source's messages; STATUS_NO_MEMORY. */
enum status compile_model(struct source *s, struct model **model) MUST_CHECK;

#endif
