/* name.c: words for numbers, expanded from the lists in the headers. */
#include "rt/link/name.h"

#include "rt/link/account.h"
#include "rt/link/event.h"
#include "rt/link/record.h"
#include "rt/link/request.h"

#include "rt/rtsafe.h"

#define NAME_OF(table, i) ((i) < sizeof(table) / sizeof(table)[0] ? (table)[i] : "?")

#define X(code, text) [code] = text,
#define NAME_TWO(function, LIST)            \
    const char *function(uint32_t i)        \
    {                                       \
        static const char *const TEXT[] = {LIST(X)}; \
        return NAME_OF(TEXT, i);            \
    }
NAME_TWO(name_state, STATE_LIST)
NAME_TWO(name_policy, POLICY_LIST)
NAME_TWO(name_pace, PACE_LIST)
NAME_TWO(name_trip, TRIP_LIST)
NAME_TWO(name_cause, CAUSE_LIST)
NAME_TWO(name_phase, PHASE_LIST)
NAME_TWO(name_reply, REPLY_LIST)
NAME_TWO(name_lease_end, LEASE_END_LIST)
#undef X

#define X(code, text, role, authority) [code] = text,
NAME_TWO(name_request, REQUEST_LIST)
#undef X

#define X(code, text, target, value, help) [code] = text,
NAME_TWO(name_fault, FAULT_LIST)
#undef X

#define X(code, severity, text) [code] = text,
NAME_TWO(name_event, EVENT_LIST)
#undef X

uint32_t name_event_severity(uint32_t kind)
{
#define X(code, severity, text) [code] = severity,
    static const uint32_t SEVERITY[] = {EVENT_LIST(X)};
#undef X
    return kind < EVENT_COUNT ? SEVERITY[kind] : 1;
}

int name_element(const struct model *m, uint32_t kind, uint32_t index, struct name_element *e)
{
    static const char *const KIND[] = {[STEP_BODY] = "body",
                                       [STEP_JOINT] = "joint",
                                       [STEP_FORCE] = "force",
                                       [STEP_ACTUATOR] = "actuator"};
    const uint32_t n[] = {m->bodies.n, m->joints.n, m->forces.n, m->actuators.n};
    uint32_t name = 0;

    if (kind > STEP_ACTUATOR || index >= n[kind]) return 0;
    if (kind == STEP_BODY)
        name = model_bodies(m)[index].name, e->at = model_bodies(m)[index].origin;
    else if (kind == STEP_JOINT)
        name = model_joints(m)[index].name, e->at = model_joints(m)[index].origin;
    else if (kind == STEP_FORCE)
        name = model_forces(m)[index].name, e->at = model_forces(m)[index].origin;
    else
        name = model_actuators(m)[index].name, e->at = model_actuators(m)[index].origin;
    e->kind = KIND[kind];
    e->name = model_text(m, name);
    return 1;
}
