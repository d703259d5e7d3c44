/* service_table.h: the kinds of services this program has, by the names of the rig file. A new
 * service is its folder and a row in service_table.c. */
#ifndef SERVICE_TABLE_H
#define SERVICE_TABLE_H

#include "services/run/attach.h"

/* Closed by a NULL name. */
extern const struct attach_service SERVICE_TABLE[];

#endif
