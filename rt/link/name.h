/* name.h: the words for the numbers that cross a process border, from the one list
 * each stands in. Constant strings; "?" for a number that is none. Context: any. */
#ifndef NAME_H
#define NAME_H

#include <stdint.h>

#include "rt/mech/model.h"

const char *name_state(uint32_t state);
const char *name_policy(uint32_t policy);
const char *name_pace(uint32_t pace);
const char *name_trip(uint32_t trip);
const char *name_cause(uint32_t cause);
const char *name_phase(uint32_t phase);
const char *name_request(uint32_t kind);
const char *name_reply(uint32_t result);
const char *name_fault(uint32_t kind);
const char *name_event(uint32_t kind);
const char *name_lease_end(uint32_t end);

/* An element of a model by its kind and index. */
struct name_element {
    const char *kind, *name;
    struct model_origin at;  /* where it stands in the model file */
};

/* Name an element (enum model_element). Returns 0 if the model has no such. */
int name_element(const struct model *m, uint32_t kind, uint32_t index, struct name_element *e);

/* Severity of an event kind, 1 .. 1000. */
uint32_t name_event_severity(uint32_t kind);

#endif
