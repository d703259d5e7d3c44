/* variant.h: values into variants, and what a reading function gets to read from.
 * Every function copies; SERVICE context, never blocks. */
#ifndef VARIANT_H
#define VARIANT_H

#include <open62541/types.h>

#include "rt/link/port.h"

struct server;
struct rights_session;

/* What a reading function gets. */
struct variant_ask {
    struct server *server;
    const struct model *model;
    const struct record *record;         /* the turn's */
    const struct record_layout *layout;
    const struct monitor *monitor;
    const struct rights_session *session; /* who asks; NULL: the server itself */
    UA_StatusCode quality;               /* of the turn's simulated values */
    uint32_t index;                      /* of what, as the kind says */
};

/* A scalar or an array of UA_TYPES[type]. */
UA_StatusCode variant_scalar(UA_Variant *to, const void *value, int type);
UA_StatusCode variant_array(UA_Variant *to, const void *value, size_t n, int type);

UA_StatusCode variant_text(UA_Variant *to, const char *value);
UA_StatusCode variant_flag(UA_Variant *to, int value);
UA_StatusCode variant_number(UA_Variant *to, double value);
UA_StatusCode variant_count(UA_Variant *to, uint64_t value);

/* n texts; name(model, i) gives each. */
UA_StatusCode variant_texts(UA_Variant *to, const struct model *m, size_t n,
                            const char *(*name)(const struct model *m, uint32_t i));

/* n doubles of which the i-th lies `stride` bytes behind the one before. */
UA_StatusCode variant_doubles(UA_Variant *to, size_t n, const void *first, size_t stride);

/* n texts of which the i-th pointer lies `stride` bytes behind the one before. */
UA_StatusCode variant_pointers(UA_Variant *to, size_t n, const void *first, size_t stride);

#endif
