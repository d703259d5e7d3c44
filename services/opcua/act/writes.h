/* writes.h: commands in: checked, staged, sent as one frame at the end of the turn.
 *
 * A write is refused with its own status: BadTypeMismatch, BadOutOfRange (also NaN and
 * infinity), BadWriteNotSupported (a status that is not Good), BadIndexRangeInvalid,
 * BadUserAccessDenied (no authority), BadInvalidState (the rig takes no commands),
 * BadNoCommunication. A refused value is never sent. SERVICE context; never blocks. */
#ifndef WRITES_H
#define WRITES_H

#include <open62541/server.h>

#include "rt/link/command.h"

struct model;
struct server;
struct rights_session;

struct writes {
    struct command_frame *frame; /* all actuators, cumulative */
    int staged;                  /* something in it is new */
    int64_t refreshed_ns;        /* when a manual session's life was shown last */
    int64_t client_ns;           /* UTC the client gave with the value staged now; 0: none */
};

UA_StatusCode writes_init(struct server *s);
void writes_free(struct server *s);

/* May this session command now? */
UA_StatusCode writes_allowed(struct server *s, struct rights_session *session);

/* Does the rig take commands in this state? */
int writes_is_taken(uint32_t state);

/* Is the value finite and in the range of actuator i? */
int writes_is_in_range(const struct model *m, uint32_t i, double value);

/* Check one value for actuator i. */
UA_StatusCode writes_check(struct server *s, uint32_t i, double value);

/* Take a checked value into the frame of this turn. Needs: writes_allowed; writes.client_ns
 * is the client's own time for it, where it sent one. */
void writes_stage(struct server *s, struct rights_session *session, uint32_t i, double value);

/* The write callbacks of one command and of the array of all commands. */
UA_StatusCode writes_one(UA_Server *ua, const UA_NodeId *session, void *session_context,
                         const UA_NodeId *node, void *node_context, const UA_NumericRange *range,
                         const UA_DataValue *value);
UA_StatusCode writes_all(UA_Server *ua, const UA_NodeId *session, void *session_context,
                         const UA_NodeId *node, void *node_context, const UA_NumericRange *range,
                         const UA_DataValue *value);

/* End of a connection's turn: publish what was staged, and a manual session's life. */
void writes_commit(struct server *s);

#endif
