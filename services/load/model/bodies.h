/* bodies.h: from the bodies of a source to those of a model. SERVICE context. */
#ifndef BODIES_H
#define BODIES_H

#include "services/load/model/build.h"

/* Compile all bodies, in order: body i of the model is element i of the source. A
 * wrong one is reported and stands in with a unit mass. */
void bodies_compile(struct build *b);

/* World to body axes at the start: a point, a direction. Ground: unchanged. */
void bodies_local_point(const struct build *b, int32_t body, const double world[3],
                        double local[3]);
void bodies_local_direction(const struct build *b, int32_t body, const double world[3],
                            double local[3]);

/* 1 if something may be attached at this point of the body; 0 after a message: point
 * masses carry attachments at their mass centre only. */
int bodies_check_attachment(struct element *el, int32_t body, const double local[3],
                            struct place at);

/* Note every moving body that no joint holds. */
void bodies_note_free(struct build *b);

#endif
