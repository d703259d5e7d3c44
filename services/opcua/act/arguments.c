#include "services/opcua/act/arguments.h"

/* An array without data has no entry to be read; one that says otherwise is none. */
static int is_one(const struct arguments_want *want, const UA_Variant *v)
{
    const UA_DataType *type = &UA_TYPES[want->type];

    if (want->rank < 0) return UA_Variant_hasScalarType(v, type);
    return v->type == type && !UA_Variant_isScalar(v) && v->arrayDimensionsSize <= 1 &&
           (v->arrayLength == 0 || v->data > UA_EMPTY_ARRAY_SENTINEL);
}

UA_StatusCode arguments_check(const struct arguments_want *want, size_t n_want,
                              const UA_CallMethodRequest *call, UA_CallMethodResult *result)
{
    UA_StatusCode *each = NULL, bad = UA_STATUSCODE_GOOD;

    if (call->inputArgumentsSize < n_want) return UA_STATUSCODE_BADARGUMENTSMISSING;
    if (call->inputArgumentsSize > n_want) return UA_STATUSCODE_BADTOOMANYARGUMENTS;
    for (size_t i = 0; i < n_want; i++) {
        if (is_one(&want[i], &call->inputArguments[i])) continue;
        bad = UA_STATUSCODE_BADINVALIDARGUMENT;
        if (result && !each) each = UA_Array_new(n_want, &UA_TYPES[UA_TYPES_STATUSCODE]);
        if (each) each[i] = UA_STATUSCODE_BADTYPEMISMATCH;
    }
    if (each) {
        result->inputArgumentResults = each;
        result->inputArgumentResultsSize = n_want;
    }
    return bad;
}

/* ---- methods of namespace 0: both take the number of a subscription ------------------ */

static const UA_UInt32 GUARDED[] = {UA_NS0ID_SERVER_GETMONITOREDITEMS, UA_NS0ID_SERVER_RESENDDATA};
enum { METHODS = sizeof GUARDED / sizeof GUARDED[0] };

static _Thread_local UA_MethodCallback behind[METHODS];

static UA_StatusCode guard(UA_Server *ua, const UA_NodeId *session, void *session_context,
                           const UA_NodeId *method, void *method_context, const UA_NodeId *object,
                           void *object_context, size_t n_in, const UA_Variant *in, size_t n_out,
                           UA_Variant *out)
{
    static const struct arguments_want WANT = {UA_TYPES_UINT32, -1};
    const UA_CallMethodRequest call = {.inputArguments = (UA_Variant *)(uintptr_t)in,
                                       .inputArgumentsSize = n_in};
    UA_StatusCode bad = arguments_check(&WANT, 1, &call, NULL);
    int i = 0;

    while (i < METHODS && method->identifier.numeric != GUARDED[i]) i++;
    if (!bad && i == METHODS) bad = UA_STATUSCODE_BADMETHODINVALID;
    return bad ? bad
               : behind[i](ua, session, session_context, method, method_context, object,
                           object_context, n_in, in, n_out, out);
}

UA_StatusCode arguments_guard(UA_Server *ua)
{
    UA_StatusCode bad = UA_STATUSCODE_GOOD;

    for (int i = 0; i < METHODS && !bad; i++) {
        UA_NodeId node = UA_NODEID_NUMERIC(0, GUARDED[i]);
        bad = UA_Server_getMethodNodeCallback(ua, node, &behind[i]);
        if (!bad) bad = UA_Server_setMethodNodeCallback(ua, node, guard);
    }
    return bad;
}
