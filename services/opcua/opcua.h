/* opcua.h: the OPC UA service as the supervisor sees it: a row of services/run/service_table.c. */
#ifndef OPCUA_H
#define OPCUA_H

#include "services/run/attach.h"

/* Settings, port, key files: everything wrong is said. Changes nothing. */
int opcua_check(const struct attach *a);

/* With the supervisor's rights: read the settings, find the port, say the address. */
int opcua_prepare(struct attach *a);

/* Without rights: start the fast lane's thread. */
int opcua_start(struct attach *a);

/* Without rights and most system calls: serve until told to end. */
int opcua_run(struct attach *a);

#endif
