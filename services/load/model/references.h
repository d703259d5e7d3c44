/* references.h: from the names of other elements to their indices, with the nearest known
 * name in the message where there is none. SERVICE context. */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "services/load/model/build.h"

/* A body by name, `ground` for MODEL_GROUND. `connects`: it must be shown to the
 * component the element stands in. Returns 1, or 0 after a message. */
int references_body(struct element *el, const struct node *node, int connects, int32_t *body);

/* Two different bodies, from a list [first, second]. */
int references_between(struct element *el, const struct node *node, int connects, int32_t body[2]);

/* A joint by name. */
int references_joint(struct element *el, const struct node *node, int32_t *joint);

/* A force element or actuator by name. */
int references_force(struct element *el, const struct node *node, int32_t *force);

/* An actuator by name. */
int references_actuator(struct element *el, const struct node *node, int32_t *actuator);

/* A sensor by name. */
int references_sensor(struct element *el, const struct node *node, int32_t *sensor);

/* A coordinate of a joint: the one named by `node`, else the only one of the kinds
 * wanted (enum ref_bits REF_ANGLE, REF_LENGTH). */
int references_coordinate(struct element *el, int32_t joint, const struct node *node,
                          struct place at, unsigned wanted, int32_t *coordinate);

/* Report a type that does not exist; `known` are the names of those that do, equal ones
 * named once. Returns the one that was proposed, or -1: where it fits the element can be
 * read as that for its further messages. */
int references_report_type(struct element *el, const struct node *node, const char *what,
                           const char *const *known, int n_known);

/* Look up what an element of unknown type names, for the messages. */
void references_check_names(struct element *el);

/* 1 if a component may connect to this body; else 0 after a message. */
int references_is_shown(struct element *el, int32_t body, struct place at);

#endif
