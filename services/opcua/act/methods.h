/* methods.h: the methods of the rig, one const row each.
 *
 * A method becomes a request to the step, whose answer is its result; how long a client
 * waits for it, and what comes after, is calls.h. Every method answers
 * with Answer (a sentence), Step (when it took effect), Number (what it made) and
 * Ticket. An answer other than done or started comes with a Bad status:
 *   not possible in this state        BadInvalidState
 *   another session holds authority   BadUserAccessDenied
 *   not allowed on this machine       BadRequestNotAllowed
 *   value out of range                BadOutOfRange
 *   no such element                   BadNoMatch
 *   restart needed                    BadNotSupported
 *   no free slot                      BadResourceUnavailable
 *   there is no snapshot              BadNoData
 *   a motion drives what is locked    BadInvalidState
 *   the solver refused it             BadInternalError
 * SERVICE context; never blocks. */
#ifndef METHODS_H
#define METHODS_H

#include <open62541/server.h>

#include "rt/link/request.h"

struct server;
struct rights_session;
struct calls_op;

/* Add all methods to the rig's type; instances share them. */
UA_StatusCode methods_add(struct server *s, UA_NodeId type);

/* The row of the method that is called, -1 for none of the rig's; its kind of request. */
int methods_find(const struct server *s, const UA_CallMethodRequest *call);
uint32_t methods_kind(int row);

/* Look at a call of `session` and fill its request. Returns 1 if the step is to be asked;
 * 0 if `result` says already how it ended. */
int methods_begin(struct server *s, struct rights_session *session, struct calls_op *op,
                  UA_CallMethodResult *result);

/* The result of a call with all its outputs. Memory: UA_CallMethodResult_clear. */
UA_CallMethodResult methods_result(UA_StatusCode status, const char *answer, const struct reply *r);

/* The node of the method that makes this kind of request (-1: any), or by which a text
 * begins ("Arm: ..." or "rig.arm: ..."); null where there is none. Memory: none, the
 * methods' own. */
UA_NodeId methods_node(const struct server *s, const char *text, int kind);

/* The status that stands for an answer (enum reply_result). */
UA_StatusCode methods_status(uint32_t result);

#endif
