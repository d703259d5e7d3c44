/* kind.h: the kinds of services this program has, by the names of the rig file. A new
 * service is its folder and a row in kind.c. */
#ifndef KIND_H
#define KIND_H

#include "services/run/attach.h"

/* Closed by a NULL name. */
extern const struct attach_service KIND_SERVICES[];

#endif
