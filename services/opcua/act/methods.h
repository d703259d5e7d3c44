/* methods.h: the methods of the rig, one const row each.
 *
 * A method becomes a request to the step and waits for its answer, at most 5 periods
 * (pending.h); later it returns GoodCompletesAsynchronously with the ticket, and ends with
 * an event that carries it. Every method answers
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
 *   the solver refused it             BadInternalError
 * SERVICE context; blocks the server for at most 5 periods. */
#ifndef METHODS_H
#define METHODS_H

#include <open62541/server.h>

struct server;

/* Add all methods to the rig's type; instances share them. */
UA_StatusCode methods_add(struct server *s, UA_NodeId type);

#endif
