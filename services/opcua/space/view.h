/* view.h: the functions that read one value each, declared from the list of kinds
 * (values.h). read_rig.c: the rig, its signals and its model. read_monitor.c: times and counts.
 * read_lane.c: the fast lane.
 * Each fills an empty variant. SERVICE context; never blocks. */
#ifndef VIEW_H
#define VIEW_H

#include "services/opcua/space/variant.h"
#include "services/opcua/space/values.h"

#define X(code, type, rank, quality, reader) \
    UA_StatusCode reader(const struct variant_ask *a, UA_Variant *to);
VALUES_LIST(X)
#undef X

#endif
