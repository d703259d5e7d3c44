#include "services/opcua/act/audit.h"

#include <stdio.h>
#include <string.h>

#include "services/opcua/server.h"

enum { SEVERITY_DONE = 100, SEVERITY_REFUSED = 500 };

static _Thread_local struct server *audited;

static UA_String borrow(const char *text)
{
    return (UA_String){strlen(text), (UA_Byte *)(uintptr_t)text};
}

/* ---- noting ------------------------------------------------------------------------ */

static struct audit_one *new_one(struct server *s, UA_UInt32 type, UA_StatusCode status)
{
    struct audit *a = &s->audit;
    struct audit_one *one = &a->one[a->n];

    if (a->n == AUDIT_PER_BEAT) {
        a->left_out++;
        return NULL;
    }
    a->n++;
    *one = (struct audit_one){.type = type, .status = status, .time_ns = request_scope_clock()};
    return one;
}

void audit_login(struct server *s, const UA_NodeId *session, const char *user, UA_StatusCode status)
{
    struct audit_one *one = new_one(s, UA_NS0ID_AUDITACTIVATESESSIONEVENTTYPE, status);

    if (!one) return;
    snprintf(one->user, sizeof one->user, "%s", user);
    snprintf(one->text, sizeof one->text, "login of %s%s%s", user, status ? " refused: " : "",
             status ? UA_StatusCode_name(status) : "");
    UA_NodeId_copy(session, &one->session);
}

static UA_UInt32 certificate_type(UA_StatusCode status)
{
    switch (status) {
    case UA_STATUSCODE_BADCERTIFICATEUNTRUSTED:
    case UA_STATUSCODE_BADCERTIFICATECHAININCOMPLETE:
        return UA_NS0ID_AUDITCERTIFICATEUNTRUSTEDEVENTTYPE;
    case UA_STATUSCODE_BADCERTIFICATETIMEINVALID:
    case UA_STATUSCODE_BADCERTIFICATEISSUERTIMEINVALID:
        return UA_NS0ID_AUDITCERTIFICATEEXPIREDEVENTTYPE;
    case UA_STATUSCODE_BADCERTIFICATEREVOKED:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOKED:
    case UA_STATUSCODE_BADCERTIFICATEREVOCATIONUNKNOWN:
    case UA_STATUSCODE_BADCERTIFICATEISSUERREVOCATIONUNKNOWN:
        return UA_NS0ID_AUDITCERTIFICATEREVOKEDEVENTTYPE;
    case UA_STATUSCODE_BADCERTIFICATEUSENOTALLOWED:
    case UA_STATUSCODE_BADCERTIFICATEURIINVALID:
        return UA_NS0ID_AUDITCERTIFICATEMISMATCHEVENTTYPE;
    default:
        return UA_NS0ID_AUDITCERTIFICATEINVALIDEVENTTYPE;
    }
}

void audit_certificate(const UA_ByteString *certificate, UA_StatusCode status, const char *words)
{
    struct audit_one *one = audited ? new_one(audited, certificate_type(status), status) : NULL;

    if (!one) return;
    snprintf(one->text, sizeof one->text, "certificate refused: %.200s", words);
    UA_ByteString_copy(certificate, &one->certificate);
}

/* ---- telling ----------------------------------------------------------------------- */

static void set(struct server *s, UA_NodeId event, const char *name, const void *value, int type)
{
    UA_QualifiedName q = {0, borrow(name)};
    UA_Server_writeObjectProperty_scalar(s->ua, event, q, value, &UA_TYPES[type]);
}

static void tell(struct server *s, const struct audit_one *one)
{
    const struct board *b = s->attach->port.board;
    UA_NodeId type = UA_NODEID_NUMERIC(0, one->type), event;
    UA_DateTime time = (one->time_ns + atomic_load(&b->utc_offset_now_ns)) / 100 +
                       UA_DATETIME_UNIX_EPOCH;
    UA_LocalizedText message = {.text = borrow(one->text)};
    UA_String user = borrow(one->user),
              server = UA_Server_getConfig(s->ua)->applicationDescription.applicationUri;
    UA_String source = borrow(one->certificate.length ? "Security/Certificate"
                                                      : "Session/ActivateSession");
    UA_UInt16 severity = one->status ? SEVERITY_REFUSED : SEVERITY_DONE;
    UA_Boolean good = one->status == UA_STATUSCODE_GOOD;

    if (UA_Server_createEvent(s->ua, type, &event) != UA_STATUSCODE_GOOD) return;
    set(s, event, "Message", &message, UA_TYPES_LOCALIZEDTEXT);
    set(s, event, "Severity", &severity, UA_TYPES_UINT16);
    set(s, event, "Time", &time, UA_TYPES_DATETIME);
    set(s, event, "SourceName", &source, UA_TYPES_STRING);
    set(s, event, "ActionTimeStamp", &time, UA_TYPES_DATETIME);
    set(s, event, "Status", &good, UA_TYPES_BOOLEAN);
    set(s, event, "ServerId", &server, UA_TYPES_STRING);
    set(s, event, "ClientUserId", &user, UA_TYPES_STRING);
    if (one->certificate.length)
        set(s, event, "Certificate", &one->certificate, UA_TYPES_BYTESTRING);
    else
        set(s, event, "SessionId", &one->session, UA_TYPES_NODEID);
    UA_Server_triggerEvent(s->ua, event, UA_NODEID_NUMERIC(0, UA_NS0ID_SERVER), NULL, true);
}

static void clear(struct audit *a)
{
    for (int i = 0; i < a->n; i++) {
        UA_NodeId_clear(&a->one[i].session);
        UA_ByteString_clear(&a->one[i].certificate);
    }
    a->n = 0;
}

void audit_tell(struct server *s)
{
    struct audit *a = &s->audit;

    for (int i = 0; i < a->n; i++) tell(s, &a->one[i]);
    clear(a);
    if (a->left_out) {
        struct audit_one more = {.type = UA_NS0ID_AUDITSECURITYEVENTTYPE,
                                 .status = UA_STATUSCODE_BADSECURITYCHECKSFAILED,
                                 .time_ns = request_scope_clock()};
        snprintf(more.text, sizeof more.text, "%llu logins or certificates more",
                 (unsigned long long)a->left_out);
        a->left_out = 0;
        tell(s, &more);
    }
}

void audit_init(struct server *s) { audited = s; }

void audit_free(struct server *s)
{
    clear(&s->audit);
    audited = NULL;
}
