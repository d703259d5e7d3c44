/* view.h: the functions that read one value each, declared from the list of kinds
 * (values.h). rigview.c: the rig, its signals and its model. monview.c: times and counts.
 * laneview.c: the fast lane.
 * Each fills an empty variant. SERVICE context; never blocks. */
#ifndef VIEW_H
#define VIEW_H

#include "services/opcua/pack.h"
#include "services/opcua/values.h"

#define X(code, type, rank, quality, reader) \
    UA_StatusCode reader(const struct pack_ask *a, UA_Variant *to);
VALUES_LIST(X)
#undef X

#endif
