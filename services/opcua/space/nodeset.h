/* nodeset.h: the address space of a rig as NodeSet2 XML (OPC 10000-6, Annex F), for tools
 * that want to know it without a connection.
 *
 * All nodes of our namespace, types first, each with all its references in both
 * directions; values of what never changes (units, ranges, arguments, names, masses).
 * In the file our namespace has index 1. SERVICE context; blocks on the file. */
#ifndef NODESET_H
#define NODESET_H

#include "rt/status.h"

struct server;

/* Write the nodes of a server to a file ("-": standard output). Returns STATUS_OK, or
 * STATUS_IO after a sentence on stderr. */
MUST_CHECK enum status nodeset_write(struct server *s, const char *file);

#endif
