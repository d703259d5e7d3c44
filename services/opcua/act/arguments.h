/* arguments.h: the arguments of a method call, looked at before anything uses them.
 *
 * The library checks types and ranks, but lets through a value without a type (a null
 * Variant) and an empty array of structures, whatever a method wants. So each method of
 * the server, ours and those of namespace 0, sees only what was checked here.
 * SERVICE context; never blocks. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <open62541/server.h>

/* What an argument has to be. */
struct arguments_want {
    int16_t type;            /* UA_TYPES_... */
    int16_t rank;            /* -1 one value, 1 a list */
};

/* Good, BadArgumentsMissing, BadTooManyArguments, or BadInvalidArgument where one is
 * empty, of another type or rank, or a list that is not there; `result` (may be NULL) then
 * tells which. */
UA_StatusCode arguments_check(const struct arguments_want *want, size_t n_want,
                              const UA_CallMethodRequest *call, UA_CallMethodResult *result);

/* Put the check before the methods of namespace 0 that can be called (rights.c). */
UA_StatusCode arguments_guard(UA_Server *ua);

#endif
