#include "services/opcua/space/nodeset.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxml/xmlwriter.h>

#include "services/opcua/space/nodevalue.h"
#include "services/opcua/server.h"

#define SET "http://opcfoundation.org/UA/2011/03/UANodeSet.xsd"
enum { TEXT = 600, CHUNK = 256 };

/* The nodes found, each once. */
struct set {
    struct server *server;
    UA_NodeId *node;
    size_t n, most;
};

/* ---- finding the nodes ------------------------------------------------------------- */

static int add(struct set *set, const UA_NodeId *id)
{
    if (id->namespaceIndex != set->server->ns) return 1;
    for (size_t i = 0; i < set->n; i++)
        if (UA_NodeId_equal(&set->node[i], id)) return 1;
    if (set->n == set->most) {
        UA_NodeId *more = realloc(set->node, (set->most + CHUNK) * sizeof *more);
        if (!more) return 0;
        set->node = more;
        set->most += CHUNK;
    }
    return UA_NodeId_copy(id, &set->node[set->n++]) == UA_STATUSCODE_GOOD;
}

static UA_BrowseResult browse(const struct set *set, UA_NodeId node, UA_BrowseDirection direction)
{
    UA_BrowseDescription d;

    UA_BrowseDescription_init(&d);
    d.nodeId = node;
    d.browseDirection = direction;
    d.includeSubtypes = true;
    d.resultMask = UA_BROWSERESULTMASK_ALL;
    return UA_Server_browse(set->server->ua, 0, &d);
}

static int add_neighbours(struct set *set, UA_NodeId node)
{
    UA_BrowseResult b = browse(set, node, UA_BROWSEDIRECTION_FORWARD);
    int ok = b.statusCode == UA_STATUSCODE_GOOD;

    for (size_t i = 0; i < b.referencesSize && ok; i++)
        ok = add(set, &b.references[i].nodeId.nodeId);
    UA_BrowseResult_clear(&b);
    return ok;
}

/* From where our nodes hang: the rig, and the types we derive from. */
static int find(struct set *set)
{
    static const UA_UInt32 ROOT[] = {UA_NS0ID_BASEOBJECTTYPE, UA_NS0ID_BASEEVENTTYPE,
                                     UA_NS0ID_AUDITEVENTTYPE, UA_NS0ID_OBJECTSFOLDER};
    int ok = 1;

    for (size_t i = 0; i < sizeof ROOT / sizeof ROOT[0] && ok; i++)
        ok = add_neighbours(set, UA_NODEID_NUMERIC(0, ROOT[i]));
    for (size_t i = 0; i < set->n && ok; i++) ok = add_neighbours(set, set->node[i]);
    return ok;
}

/* ---- writing ----------------------------------------------------------------------- */

static const xmlChar *x(const char *text) { return (const xmlChar *)text; }

__attribute__((format(printf, 3, 4))) static void attribute(xmlTextWriterPtr w, const char *name,
                                                            const char *format, ...)
{
    char text[TEXT];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    xmlTextWriterWriteAttribute(w, x(name), x(text));
}

/* A node id as the file writes it: our namespace is its first. */
static void id_text(const struct set *set, const UA_NodeId *id, char text[TEXT])
{
    char ns[16] = "";

    if (id->namespaceIndex == set->server->ns)
        memcpy(ns, "ns=1;", sizeof "ns=1;");
    else if (id->namespaceIndex)
        snprintf(ns, sizeof ns, "ns=%u;", id->namespaceIndex);
    if (id->identifierType == UA_NODEIDTYPE_STRING)
        snprintf(text, TEXT, "%ss=%.*s", ns, (int)id->identifier.string.length,
                 (const char *)id->identifier.string.data);
    else
        snprintf(text, TEXT, "%si=%u", ns, id->identifier.numeric);
}

static void write_words(xmlTextWriterPtr w, const char *name, const UA_LocalizedText *t)
{
    if (t->text.length == 0) return;
    xmlTextWriterWriteFormatElement(w, x(name), "%.*s", (int)t->text.length,
                                    (const char *)t->text.data);
}

static void write_references(const struct set *set, xmlTextWriterPtr w, const UA_BrowseResult *b)
{
    char text[TEXT];

    xmlTextWriterStartElement(w, x("References"));
    for (size_t i = 0; i < b->referencesSize; i++) {
        const UA_ReferenceDescription *r = &b->references[i];
        xmlTextWriterStartElement(w, x("Reference"));
        id_text(set, &r->referenceTypeId, text);
        attribute(w, "ReferenceType", "%s", text);
        if (!r->isForward) attribute(w, "IsForward", "false");
        id_text(set, &r->nodeId.nodeId, text);
        xmlTextWriterWriteString(w, x(text));
        xmlTextWriterEndElement(w);
    }
    xmlTextWriterEndElement(w);
}

/* The node this one hangs from: source of an inverse HasComponent or HasProperty. */
static void write_parent(const struct set *set, xmlTextWriterPtr w, const UA_BrowseResult *b)
{
    char text[TEXT];

    for (size_t i = 0; i < b->referencesSize; i++) {
        const UA_ReferenceDescription *r = &b->references[i];
        UA_UInt32 type = r->referenceTypeId.identifier.numeric;
        if (r->isForward || (type != UA_NS0ID_HASCOMPONENT && type != UA_NS0ID_HASPROPERTY))
            continue;
        id_text(set, &r->nodeId.nodeId, text);
        attribute(w, "ParentNodeId", "%s", text);
        return;
    }
}

static void write_variable(const struct set *set, xmlTextWriterPtr w, UA_NodeId node)
{
    UA_Server *ua = set->server->ua;
    UA_NodeId type = UA_NODEID_NULL;
    UA_Int32 rank = -1;
    UA_Byte access = 0;
    UA_Double sampling = 0;
    char text[TEXT];

    UA_Server_readDataType(ua, node, &type);
    UA_Server_readValueRank(ua, node, &rank);
    UA_Server_readAccessLevel(ua, node, &access);
    UA_Server_readMinimumSamplingInterval(ua, node, &sampling);
    id_text(set, &type, text);
    attribute(w, "DataType", "%s", text);
    if (rank != -1) attribute(w, "ValueRank", "%d", rank);
    if (rank == 1) attribute(w, "ArrayDimensions", "0");
    if (access != UA_ACCESSLEVELMASK_READ) attribute(w, "AccessLevel", "%u", access);
    if (sampling > 0) attribute(w, "MinimumSamplingInterval", "%g", sampling);
    UA_NodeId_clear(&type);
}

static const char *element_name(UA_NodeClass kind)
{
    switch (kind) {
    case UA_NODECLASS_OBJECTTYPE:
        return "UAObjectType";
    case UA_NODECLASS_VARIABLE:
        return "UAVariable";
    case UA_NODECLASS_METHOD:
        return "UAMethod";
    default:
        return "UAObject";
    }
}

static void write_node(const struct set *set, xmlTextWriterPtr w, UA_NodeId node, UA_NodeClass kind)
{
    UA_Server *ua = set->server->ua;
    UA_BrowseResult b = browse(set, node, UA_BROWSEDIRECTION_BOTH);
    UA_QualifiedName name = {0};
    UA_LocalizedText shown = {0}, help = {0};
    UA_Byte notifier = 0;
    char text[TEXT];

    UA_Server_readBrowseName(ua, node, &name);
    UA_Server_readDisplayName(ua, node, &shown);
    UA_Server_readDescription(ua, node, &help);
    xmlTextWriterStartElement(w, x(element_name(kind)));
    id_text(set, &node, text);
    attribute(w, "NodeId", "%s", text);
    attribute(w, "BrowseName", "%s%.*s", name.namespaceIndex == set->server->ns ? "1:" : "",
              (int)name.name.length, (const char *)name.name.data);
    if (kind != UA_NODECLASS_OBJECTTYPE) write_parent(set, w, &b);
    if (kind == UA_NODECLASS_VARIABLE) write_variable(set, w, node);
    if (kind == UA_NODECLASS_OBJECT &&
        UA_Server_readEventNotifier(ua, node, &notifier) == UA_STATUSCODE_GOOD && notifier)
        attribute(w, "EventNotifier", "%u", notifier);
    write_words(w, "DisplayName", &shown);
    write_words(w, "Description", &help);
    write_references(set, w, &b);
    if (kind == UA_NODECLASS_VARIABLE) nodevalue_write(set->server, w, node);
    xmlTextWriterEndElement(w);
    UA_QualifiedName_clear(&name);
    UA_LocalizedText_clear(&shown);
    UA_LocalizedText_clear(&help);
    UA_BrowseResult_clear(&b);
}

static void write_head(xmlTextWriterPtr w)
{
    time_t now = time(NULL);
    struct tm tm;
    char when[32];

    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    xmlTextWriterStartElement(w, x("UANodeSet"));
    attribute(w, "xmlns", "%s", SET);
    attribute(w, "xmlns:uax", "%s", NODEVALUE_TYPES);
    attribute(w, "LastModified", "%s", when);
    xmlTextWriterStartElement(w, x("NamespaceUris"));
    xmlTextWriterWriteElement(w, x("Uri"), x(SERVER_NAMESPACE));
    xmlTextWriterEndElement(w);
    xmlTextWriterStartElement(w, x("Models"));
    xmlTextWriterStartElement(w, x("Model"));
    attribute(w, "ModelUri", "%s", SERVER_NAMESPACE);
    attribute(w, "Version", "1.0.0");
    attribute(w, "PublicationDate", "%s", when);
    xmlTextWriterStartElement(w, x("RequiredModel"));
    attribute(w, "ModelUri", "http://opcfoundation.org/UA/");
    xmlTextWriterEndElement(w);
    xmlTextWriterEndElement(w);
    xmlTextWriterEndElement(w);
}

/* ---- the whole --------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    UA_Order o = UA_order(a, b, &UA_TYPES[UA_TYPES_NODEID]);
    return o == UA_ORDER_LESS ? -1 : o == UA_ORDER_MORE;
}

static void write_all(struct set *set, xmlTextWriterPtr w)
{
    xmlTextWriterSetIndent(w, 1);
    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
    write_head(w);
    for (int types = 1; types >= 0; types--)
        for (size_t i = 0; i < set->n; i++) {
            UA_NodeClass kind = UA_NODECLASS_UNSPECIFIED;
            UA_Server_readNodeClass(set->server->ua, set->node[i], &kind);
            if ((kind == UA_NODECLASS_OBJECTTYPE) == types) write_node(set, w, set->node[i], kind);
        }
    xmlTextWriterEndDocument(w);
}

enum status nodeset_write(struct server *s, const char *file)
{
    struct set set = {.server = s};
    xmlTextWriterPtr w = NULL;
    enum status status = STATUS_IO;

    if (find(&set)) {
        qsort(set.node, set.n, sizeof *set.node, by_id);
        w = xmlNewTextWriterFilename(file, 0);
    }
    if (w) {
        write_all(&set, w);
        if (xmlTextWriterFlush(w) >= 0) status = STATUS_OK;
        xmlFreeTextWriter(w);
    }
    if (status != STATUS_OK) fprintf(stderr, "trapeze opcua: %s cannot be written\n", file);
    for (size_t i = 0; i < set.n; i++) UA_NodeId_clear(&set.node[i]);
    free(set.node);
    return status;
}
