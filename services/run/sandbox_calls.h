/* sandbox_calls.h: which system calls each kind of process may make. Data and the rules
 * that need a look at arguments. SERVICE context. */
#ifndef SANDBOX_CALLS_H
#define SANDBOX_CALLS_H

#include <seccomp.h>

#include "services/run/sandbox.h"

/* Add the rules of a kind to a filter whose default is sandbox_calls_default. Returns 0,
 * or a negative errno. */
int sandbox_calls_add(scmp_filter_ctx ctx, enum sandbox_kind kind);

/* What happens to a call that no rule names. */
uint32_t sandbox_calls_default(enum sandbox_kind kind);

#endif
