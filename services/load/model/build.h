/* build.h: the model under construction: growing lists, laid out as one block at the
 * end. Used by the files that compile one kind of element each.
 * SERVICE context; lists live in the source's memory, the block is malloc's. */
#ifndef BUILD_H
#define BUILD_H

#include "rt/mech/function.h"
#include "rt/mech/model.h"
#include "services/load/model/source.h"

/* In the order of the spans of struct model. */
enum build_kind {
    BUILD_BODIES,
    BUILD_JOINTS,
    BUILD_COORDINATES,
    BUILD_TERMS,
    BUILD_MOTIONS,
    BUILD_FORCES,
    BUILD_ACTUATORS,
    BUILD_SENSORS,
    BUILD_SWITCHES,
    BUILD_CHANGES,
    BUILD_COMPONENTS,
    BUILD_PARAMETERS,
    BUILD_FUNCTIONS,
    BUILD_CODE,
    BUILD_DERIVES,
    BUILD_SHAPES,
    BUILD_POOL,
    BUILD_TEXT,
    BUILD_COUNT
};

struct build_list {
    void *item;
    size_t n, capacity;
};

struct build {
    struct source *source;
    struct memory *memory;
    struct diag_list *diags;
    struct build_list list[BUILD_COUNT];
    struct names files;  /* path -> text offset */
    struct model head;   /* everything but the spans */
};

/* Start an empty build on a source. */
void build_init(struct build *b, struct source *s);

/* Append n zeroed entries. Returns the first, valid until the next append of this
 * kind, or NULL without memory. */
void *build_add(struct build *b, enum build_kind kind, size_t n);

/* Entry i of a list. */
void *build_at(const struct build *b, enum build_kind kind, size_t i);

/* Number of entries. */
size_t build_count(const struct build *b, enum build_kind kind);

/* Append text; returns its offset ("" without memory). */
uint32_t build_text(struct build *b, const char *text);

/* A place as an origin. */
struct model_origin build_origin(struct build *b, struct place at);

/* Let pool[pool_at] follow a program of live parameters. */
void build_derive(struct build *b, uint32_t pool_at, const struct function_code *code, int n);

/* Append a program; returns its first instruction. */
uint32_t build_code(struct build *b, const struct function_code *code, int n);

/* Lay all lists out as one block. Memory: the caller frees it with free(). Returns
 * NULL without memory. */
struct model *build_finish(const struct build *b);

/* An element being compiled: its node, name and how its numbers are read. */
struct element {
    struct build *build;
    const struct source_element *source;
    const char *path;
    const struct placement *placement;
    struct source_scope where;
    struct expr_scope names;
    struct value_reader reader; /* its scope is `names`: do not copy an element */
};

/* Open an element; `allow` is what its expressions may depend on. */
void build_open(struct build *b, const struct source_element *source, unsigned allow,
                struct element *el);

#endif
