/* scope.h: what names mean in expressions: repeat indices first, then the
 * parameters of the component, each read when it is first asked for.
 * SERVICE context. */
#ifndef SCOPE_H
#define SCOPE_H

#include "services/load/model/source.h"

/* An expression scope over a source scope; both must outlive its use. */
struct expr_scope scope_of(struct source_scope *scope, unsigned allow);

/* Declare the parameters of a component. `given` are the values its user passes,
 * read in `user`'s scope; NULL: none. */
void scope_declare(struct source *s, int component, const struct node *parameters,
                   const struct node *given, const struct source_scope *user);

/* Read all parameters that were not asked for yet, and report values of --set that
 * name none. */
void scope_finish(struct source *s);

#endif
