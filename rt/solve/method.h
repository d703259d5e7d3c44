/* method.h: the formulations a step can be done by, a row of functions each.
 *
 * A method shares the evaluation of bodies, joints, forces and rows and the elimination; its
 * scratch and its own way from n to n + 1 are behind the row. The plan says which one moves
 * the mechanism, chosen at load by name (`formulation:` of a rig, --formulation of sim);
 * tick, switching, start and sim call method_advance and know none by name. A new method is a
 * file and a row of METHOD in method.c.
 * RT context, wait-free, no allocation; memsize and init are SETUP. */
#ifndef METHOD_H
#define METHOD_H

#include <stddef.h>

#include "rt/mech/model.h"
#include "rt/mech/plan.h"
#include "rt/mech/workspace.h"
#include "rt/solve/step.h"
#include "rt/status.h"

struct method {
    const char *name;
    const char *help;
    /* Bytes of scratch of its own, and placing it in ws->own (64-byte aligned, zero). */
    size_t (*memsize)(const struct model *m, const struct plan *p);
    void (*init)(const struct model *m, const struct plan *p, struct workspace *ws);
    /* Advance the accepted state by h: see method_advance. */
    enum status (*advance)(const struct model *m, const struct plan *p, struct workspace *ws,
                           double h, const struct step_limits *limits, struct step_report *report);
};

/* All methods, NULL last; the first is the default. */
extern const struct method *const METHOD[];

/* The row of a name; NULL: there is none. */
const struct method *method_find(const char *name);

/* Bytes of a workspace for a plan and its method; placing it with both kinds of scratch.
 * Context: setup. Returns STATUS_TOO_SMALL where memory is too small or not aligned. */
size_t method_memsize(const struct model *m, const struct plan *p);
MUST_CHECK enum status method_init(const struct model *m, const struct plan *p,
                                   struct workspace *ws, void *memory, size_t size);

/* Advance the accepted state by h (s), from ws->t to h later (timeline.h), by the plan's method.
 * Commands are taken from ws->command (SI, one per actuator). Returns report->status; on a bad
 * status the accepted state is the one before. */
MUST_CHECK static inline enum status method_advance(const struct model *m, const struct plan *p,
                                                    struct workspace *ws, double h,
                                                    const struct step_limits *limits,
                                                    struct step_report *report)
{
    return p->method->advance(m, p, ws, h, limits, report);
}

#endif
