#include "services/opcua/space/variant.h"

#include <string.h>

UA_StatusCode variant_scalar(UA_Variant *to, const void *value, int type)
{
    return UA_Variant_setScalarCopy(to, value, &UA_TYPES[type]);
}

UA_StatusCode variant_array(UA_Variant *to, const void *value, size_t n, int type)
{
    return UA_Variant_setArrayCopy(to, value, n, &UA_TYPES[type]);
}

UA_StatusCode variant_text(UA_Variant *to, const char *value)
{
    UA_String s = {strlen(value), (UA_Byte *)(uintptr_t)value};
    return variant_scalar(to, &s, UA_TYPES_STRING);
}

UA_StatusCode variant_flag(UA_Variant *to, int value)
{
    UA_Boolean b = value != 0;
    return variant_scalar(to, &b, UA_TYPES_BOOLEAN);
}

UA_StatusCode variant_number(UA_Variant *to, double value)
{
    return variant_scalar(to, &value, UA_TYPES_DOUBLE);
}

UA_StatusCode variant_count(UA_Variant *to, uint64_t value)
{
    return variant_scalar(to, &value, UA_TYPES_UINT64);
}

UA_StatusCode variant_texts(UA_Variant *to, const struct model *m, size_t n,
                            const char *(*name)(const struct model *m, uint32_t i))
{
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) s[i] = UA_String_fromChars(name(m, (uint32_t)i));
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode variant_doubles(UA_Variant *to, size_t n, const void *first, size_t stride)
{
    UA_Double *d = UA_Array_new(n, &UA_TYPES[UA_TYPES_DOUBLE]);

    if (!d) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) memcpy(&d[i], (const char *)first + i * stride, sizeof *d);
    UA_Variant_setArray(to, d, n, &UA_TYPES[UA_TYPES_DOUBLE]);
    return UA_STATUSCODE_GOOD;
}

UA_StatusCode variant_pointers(UA_Variant *to, size_t n, const void *first, size_t stride)
{
    UA_String *s = UA_Array_new(n, &UA_TYPES[UA_TYPES_STRING]);

    if (!s) return UA_STATUSCODE_BADOUTOFMEMORY;
    for (size_t i = 0; i < n; i++) {
        const char *text;
        memcpy(&text, (const char *)first + i * stride, sizeof text);
        s[i] = UA_String_fromChars(text);
    }
    UA_Variant_setArray(to, s, n, &UA_TYPES[UA_TYPES_STRING]);
    return UA_STATUSCODE_GOOD;
}
