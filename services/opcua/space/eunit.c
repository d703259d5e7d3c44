#include "services/opcua/space/eunit.h"

#include <stdint.h>
#include <string.h>

#define UNECE "http://www.opcfoundation.org/UA/units/un/cefact"

/* Part 8, 5.6.3: the number is the UNECE common code's letters, one byte each. */
static const struct {
    const char *text, *code, *name;
} UNIT[] = {
    {"", "C62", "one"},
    {"1", "C62", "one"},
    {"m", "MTR", "metre"},
    {"mm", "MMT", "millimetre"},
    {"cm", "CMT", "centimetre"},
    {"km", "KMT", "kilometre"},
    {"rad", "C81", "radian"},
    {"deg", "DD", "degree"},
    {"rad/s", "2A", "radian per second"},
    {"rad/s2", "2B", "radian per second squared"},
    {"deg/s", "E96", "degree per second"},
    {"rpm", "RPM", "revolutions per minute"},
    {"m/s", "MTS", "metre per second"},
    {"km/h", "KMH", "kilometre per hour"},
    {"m/s2", "MSK", "metre per second squared"},
    {"N", "NEW", "newton"},
    {"kN", "B47", "kilonewton"},
    {"N.m", "NU", "newton metre"},
    {"J", "JOU", "joule"},
    {"kJ", "KJO", "kilojoule"},
    {"W", "WTT", "watt"},
    {"kW", "KWT", "kilowatt"},
    {"kg", "KGM", "kilogram"},
    {"s", "SEC", "second"},
    {"ms", "C26", "millisecond"},
    {"us", "B98", "microsecond"},
    {"Hz", "HTZ", "hertz"},
    {"V", "VLT", "volt"},
    {"A", "AMP", "ampere"},
    {"Pa", "PAL", "pascal"},
    {"bar", "BAR", "bar"},
    {"N/m", "4P", "newton per metre"},
    {"N.s/m", "C58", "newton second per metre"},
    {"N.m/rad", "M93", "newton metre per radian"},
    {"kg.m2", "B32", "kilogram metre squared"},
    {"kg/m3", "KMQ", "kilogram per cubic metre"},
    {"kg/m", "KL", "kilogram per metre"},
    {"kg/s", "KGS", "kilogram per second"},
    {"m2", "MTK", "square metre"},
    {"m3", "MTQ", "cubic metre"},
    {"J.s", "B18", "joule second"},
    {"kPa", "KPA", "kilopascal"},
    {"MPa", "MPA", "megapascal"},
    {"g", "GRM", "gram"},
    {"mN", "C20", "millinewton"},
    {"%", "P1", "percent"},
};

static UA_Int32 unit_number(const char *code)
{
    uint32_t n = 0;
    while (*code) n = n << 8 | (uint8_t)*code++;
    return (UA_Int32)n;
}

static UA_LocalizedText borrow(const char *text)
{
    return (UA_LocalizedText){.text = {strlen(text), (UA_Byte *)(uintptr_t)text}};
}

UA_EUInformation eunit_find(const char *text)
{
    UA_EUInformation u = {.namespaceUri = UA_STRING_STATIC(UNECE),
                          .unitId = -1,
                          .displayName = borrow(text),
                          .description = borrow(text)};

    for (size_t i = 0; i < sizeof UNIT / sizeof UNIT[0]; i++)
        if (strcmp(UNIT[i].text, text) == 0) {
            u.unitId = unit_number(UNIT[i].code);
            u.description = borrow(UNIT[i].name);
        }
    return u;
}
