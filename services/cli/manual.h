/* manual.h: the tables of config/FORMAT.md, generated from the tables the reader uses,
 * so that the manual cannot go stale. SERVICE context. */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>

#include "services/load/text/schema.h"

/* Print the table of this name as Markdown. Returns 0 if there is none. */
int manual_print(const char *name, FILE *to);

/* The name of table i, NULL behind the last. */
const char *manual_name(int i);

/* Print the keys of a schema as a Markdown table. */
void manual_print_schema(const struct schema *s, FILE *to);

/* Copy a manual from `in` to `out`; what stands between <!-- table NAME --> and
 * <!-- end --> is made anew. Returns the number of tables, or -1 with the name of the
 * unknown one in `unknown` (64 bytes). */
int manual_refresh(FILE *in, FILE *out, char unknown[64]);

#endif
