/* opcua.h: the OPC UA service as the supervisor sees it: a row of services/run/service_table.c. */
#ifndef OPCUA_H
#define OPCUA_H

#include "services/run/attach.h"

/* With the supervisor's rights: read the settings, find the port, say the address. */
int opcua_prepare(struct attach *a);

/* Without any rights: serve until told to end. */
int opcua_run(struct attach *a);

#endif
