/* start.h: from the file's pose to a consistent start state. SETUP context.
 *
 * Metric M, tree joints and independent rows only. Steps are limited to 0.2 rad and
 * 0.2 of the mechanism's length. */
#ifndef START_H
#define START_H

#include "rt/solve/evaluate.h"
#include "services/base/diag.h"

/* Put the file's poses, pool, parameters, commands and switches into the workspace. */
void start_place(const struct model *m, const struct plan *p, struct workspace *ws);

/* Close all joints from the present pose. Returns the largest violation left (m, rad);
 * *moved is the largest displacement of a mass centre, or of a point at the radius of inertia
 * by a turn. */
double start_assemble(const struct model *m, const struct plan *p, struct workspace *ws,
                      double *moved);

/* Velocities: those given are kept, the rest has the least kinetic energy. Returns 0 and
 * a message when given ones contradict the joints. */
int start_velocities(const struct model *m, const struct plan *p, struct workspace *ws,
                     struct diag_list *diags);

/* Accelerations and multipliers of the state, and the loads of joints. starting: force elements
 * find their first states, dry friction at rest what it holds; else they keep those they have.
 * Returns the smallest pivot. */
double start_accelerations(const struct model *m, const struct plan *p, struct workspace *ws,
                           int starting);

#endif
