/* reader.h: a YAML file as a tree of nodes that know their places.
 *
 * Reads one document with libyaml under bounds on size, nesting and number of
 * nodes (aliases count as often as they are used, so a bomb is refused at once).
 * Knows nothing of models or rigs. Place on the arrow: file -> [tree] -> source.
 * SERVICE context; nodes live in the given memory and are const to readers. */
#ifndef READER_H
#define READER_H

#include <stdint.h>

#include "services/base/memory.h"
#include "services/base/message.h"

enum {
    READER_MAX_BYTES = 16 << 20,  /* of one file */
    READER_MAX_DEPTH = 32,        /* lists and maps in each other */
    READER_MAX_NODES = 1000000    /* of one file, aliases counted as expanded */
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    int quoted;               /* scalar: written in quotes or as a block */
    int text_column;          /* scalar: column of its first character; 0: unknown */
    int n;                    /* list, map: number of entries */
    uint32_t weight;          /* nodes in this subtree, aliases expanded */
    struct place place;       /* where it begins */
    const char *text;         /* scalar: its text; else NULL */
    const struct node *key;   /* entry of a map: its key, a scalar; else NULL */
    const struct node *first; /* list, map: first entry */
    const struct node *next;  /* next entry of the same list or map */
};

/* Read a file. Returns STATUS_OK and the root, STATUS_REFUSED (see the messages; the
 * root is there if the tree is whole, so that its other mistakes can be told too, else
 * NULL) or STATUS_NO_MEMORY. Blocks: on the file system; only regular files are read. */
enum status reader_read_file(const char *path, struct memory *memory, struct diag_list *diags,
                             const struct node **root) MUST_CHECK;

/* The bytes of a regular file of at most READER_MAX_BYTES, n of them; NULL after a message
 * or where `memory` failed. */
const char *reader_file_text(const char *path, struct memory *memory, struct diag_list *diags,
                             size_t *n);

/* The same from n bytes of text; `file` is the name used in messages. */
enum status reader_read_text(const char *file, const char *text, size_t n, struct memory *memory,
                             struct diag_list *diags, const struct node **root) MUST_CHECK;

/* The entry of a map with this key, or NULL. Cost: linear in the map. */
const struct node *reader_find(const struct node *map, const char *key);

/* 1 if the node is an empty scalar: `key:` with nothing behind it, or ~. */
int reader_is_empty(const struct node *node);

/* "a number", "a list", "a map" ... for messages. */
const char *reader_kind_text(const struct node *node);

#endif
