/* audit.h: audit events of the server itself: who logged in or was refused, which
 * certificates were refused (Part 5, 6.4; Part 3, 9): AuditActivateSessionEventType,
 * AuditCertificate...EventType. Told by the Server object at the next beat; what is more than
 * AUDIT_PER_BEAT is counted and told as one. Calls of methods are audited in events.h.
 * SERVICE context, one server per thread; never blocks. */
#ifndef AUDIT_H
#define AUDIT_H

#include <stdint.h>

#include <open62541/server.h>

struct server;
enum { AUDIT_PER_BEAT = 16, AUDIT_TEXT = 256, AUDIT_USER = 64 };

struct audit_one {
    UA_UInt32 type;             /* of namespace 0 */
    UA_StatusCode status;
    int64_t time_ns;            /* monotonic */
    char text[AUDIT_TEXT], user[AUDIT_USER];
    UA_NodeId session;
    UA_ByteString certificate;
};

struct audit {
    struct audit_one one[AUDIT_PER_BEAT];
    int n;
    uint64_t left_out;
};

/* Begin, as this thread's server. */
void audit_init(struct server *s);
void audit_free(struct server *s);

/* A session was activated, or refused with this status. */
void audit_login(struct server *s, const UA_NodeId *session, const char *user,
                 UA_StatusCode status);

/* A certificate was refused, by this thread's server, if it has one. */
void audit_certificate(const UA_ByteString *certificate, UA_StatusCode status, const char *words);

/* Tell what is new. */
void audit_tell(struct server *s);

#endif
