/* rigspace.h: the nodes of one rig and its model. SERVICE context, at set-up. */
#ifndef RIGSPACE_H
#define RIGSPACE_H

#include <open62541/server.h>

struct server;

/* Fill the address space: types first, then the rig's own nodes. Returns the first bad
 * status. */
UA_StatusCode rigspace_fill(struct server *s);

#endif
