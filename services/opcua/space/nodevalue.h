/* nodevalue.h: a constant value as the XML of OPC 10000-6, 5.3, for nodeset.c.
 * SERVICE context. */
#ifndef NODEVALUE_H
#define NODEVALUE_H

#include <libxml/xmlwriter.h>

#include <open62541/types.h>

#define NODEVALUE_TYPES "http://opcfoundation.org/UA/2008/02/Types.xsd"

struct server;

/* Write the Value element of a variable, where it has a value that does not come from the
 * step. */
void nodevalue_write(struct server *s, xmlTextWriterPtr w, UA_NodeId node);

#endif
