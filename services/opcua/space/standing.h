/* standing.h: what the server says of itself in namespace 0: profiles, limits, level of
 * service, the namespace of ours, and which of our nodes tell events. SERVICE context. */
#ifndef STANDING_H
#define STANDING_H

#include <open62541/server.h>

struct server;

/* Fill BuildInfo and the application's own name, in a configuration under construction. */
UA_StatusCode standing_describe(struct server *s, UA_ServerConfig *c);

/* Fill what namespace 0 says, once our own nodes are there. */
UA_StatusCode standing_fill(struct server *s);

#endif
