/* load.h: a model file becomes a model.
 *
 * Reads, checks, unrolls and compiles; all errors of a file are collected (up to
 * DIAG_MAX). Keeps no state: two loads share nothing. Place on the arrow: file ->
 * [model]. SERVICE context. Blocks: on the file system. */
#ifndef LOAD_H
#define LOAD_H

#include "rt/mech/model.h"
#include "services/base/diag.h"

struct load_options {
    const char *const *sets;      /* "name=value" each, overrides of parameters */
    int n_sets;
    size_t max_elements;          /* bodies, joints, ... after unrolling; 0: 200000 */
    int (*refuse)(void *context); /* tests: non-zero makes the next piece of memory
                                     fail; NULL: never */
    void *context;
};

/* Load a file. `options` may be NULL. Memory: *model is one block of the caller's,
 * given back with load_free. Returns STATUS_OK (the messages may hold notes),
 * STATUS_REFUSED (they hold errors), STATUS_NO_MEMORY; *model is untouched then. */
enum status load_model(const char *path, const struct load_options *options, struct model **model,
                       struct diag_list *diags) MUST_CHECK;

/* The same from n bytes of text; components are looked for beside `path`. */
enum status load_text(const char *path, const char *text, size_t n,
                      const struct load_options *options, struct model **model,
                      struct diag_list *diags) MUST_CHECK;

/* Give a model back; NULL is fine. */
void load_free(struct model *model);

#endif
