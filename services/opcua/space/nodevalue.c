#include "services/opcua/space/nodevalue.h"

#include <stdio.h>

#include <open62541/server.h>

#include "services/opcua/server.h"

enum { TEXT = 64 };

static const xmlChar *x(const char *text) { return (const xmlChar *)text; }

static void begin(xmlTextWriterPtr w, const char *name)
{
    xmlTextWriterStartElementNS(w, x("uax"), x(name), NULL);
}

static void text(xmlTextWriterPtr w, const char *name, const UA_String *s)
{
    begin(w, name);
    xmlTextWriterWriteFormatString(w, "%.*s", (int)s->length, (const char *)s->data);
    xmlTextWriterEndElement(w);
}

static void words(xmlTextWriterPtr w, const char *name, const UA_LocalizedText *t)
{
    begin(w, name);
    text(w, "Text", &t->text);
    xmlTextWriterEndElement(w);
}

static void number(xmlTextWriterPtr w, const char *name, double value)
{
    begin(w, name);
    xmlTextWriterWriteFormatString(w, "%.17g", value);
    xmlTextWriterEndElement(w);
}

/* ---- one value of each type that occurs -------------------------------------------- */

static void write_string(xmlTextWriterPtr w, const void *v) { text(w, "String", v); }

static void write_double(xmlTextWriterPtr w, const void *v)
{
    number(w, "Double", *(const UA_Double *)v);
}

static void write_uint32(xmlTextWriterPtr w, const void *v)
{
    number(w, "UInt32", *(const UA_UInt32 *)v);
}

static void write_uint64(xmlTextWriterPtr w, const void *v)
{
    begin(w, "UInt64");
    xmlTextWriterWriteFormatString(w, "%llu", (unsigned long long)*(const UA_UInt64 *)v);
    xmlTextWriterEndElement(w);
}

static void write_range(xmlTextWriterPtr w, const void *v)
{
    const UA_Range *r = v;

    begin(w, "Range");
    number(w, "Low", r->low);
    number(w, "High", r->high);
    xmlTextWriterEndElement(w);
}

static void write_unit(xmlTextWriterPtr w, const void *v)
{
    const UA_EUInformation *u = v;

    begin(w, "EUInformation");
    text(w, "NamespaceUri", &u->namespaceUri);
    number(w, "UnitId", u->unitId);
    words(w, "DisplayName", &u->displayName);
    words(w, "Description", &u->description);
    xmlTextWriterEndElement(w);
}

static void write_argument(xmlTextWriterPtr w, const void *v)
{
    const UA_Argument *a = v;

    begin(w, "Argument");
    text(w, "Name", &a->name);
    begin(w, "DataType");
    begin(w, "Identifier");
    xmlTextWriterWriteFormatString(w, "i=%u", a->dataType.identifier.numeric);
    xmlTextWriterEndElement(w);
    xmlTextWriterEndElement(w);
    number(w, "ValueRank", a->valueRank);
    begin(w, "ArrayDimensions");
    xmlTextWriterEndElement(w);
    words(w, "Description", &a->description);
    xmlTextWriterEndElement(w);
}

static const struct {
    int type;
    const char *name;
    UA_UInt32 encoding; /* of a structure: it stands in an ExtensionObject */
    void (*write)(xmlTextWriterPtr w, const void *v);
} TYPE[] = {
    {UA_TYPES_STRING, "String", 0, write_string},
    {UA_TYPES_DOUBLE, "Double", 0, write_double},
    {UA_TYPES_UINT32, "UInt32", 0, write_uint32},
    {UA_TYPES_UINT64, "UInt64", 0, write_uint64},
    {UA_TYPES_RANGE, "Range", UA_NS0ID_RANGE_ENCODING_DEFAULTXML, write_range},
    {UA_TYPES_EUINFORMATION, "EUInformation", UA_NS0ID_EUINFORMATION_ENCODING_DEFAULTXML,
     write_unit},
    {UA_TYPES_ARGUMENT, "Argument", UA_NS0ID_ARGUMENT_ENCODING_DEFAULTXML, write_argument},
};
enum { TYPES = sizeof TYPE / sizeof TYPE[0] };

static void write_one(xmlTextWriterPtr w, int i, const void *v)
{
    if (!TYPE[i].encoding) {
        TYPE[i].write(w, v);
        return;
    }
    begin(w, "ExtensionObject");
    begin(w, "TypeId");
    begin(w, "Identifier");
    xmlTextWriterWriteFormatString(w, "i=%u", TYPE[i].encoding);
    xmlTextWriterEndElement(w);
    xmlTextWriterEndElement(w);
    begin(w, "Body");
    TYPE[i].write(w, v);
    xmlTextWriterEndElement(w);
    xmlTextWriterEndElement(w);
}

static void write_variant(xmlTextWriterPtr w, int i, const UA_Variant *v)
{
    char list[TEXT];

    xmlTextWriterStartElement(w, x("Value"));
    if (UA_Variant_isScalar(v)) {
        write_one(w, i, v->data);
    } else {
        snprintf(list, sizeof list, "ListOf%s",
                 TYPE[i].encoding ? "ExtensionObject" : TYPE[i].name);
        begin(w, list);
        for (size_t k = 0; k < v->arrayLength; k++)
            write_one(w, i, (const char *)v->data + k * v->type->memSize);
        xmlTextWriterEndElement(w);
    }
    xmlTextWriterEndElement(w);
}

void nodevalue_write(struct server *s, xmlTextWriterPtr w, UA_NodeId node)
{
    UA_Variant v;

    UA_Variant_init(&v);
    if (UA_Server_readValue(s->ua, node, &v) == UA_STATUSCODE_GOOD)
        for (int i = 0; i < TYPES; i++)
            if (v.type == &UA_TYPES[TYPE[i].type]) write_variant(w, i, &v);
    UA_Variant_clear(&v);
}
