/* markup.h: an XML file as a tree of elements that know their places.
 *
 * Reads with libxml2 under bounds on size, nesting and number of elements; without
 * network, without DTD and so without entities but the five of XML itself. Knows
 * nothing of URDF. SERVICE context; elements live in the given memory and are const
 * to readers. */
#ifndef MARKUP_H
#define MARKUP_H

#include "services/base/memory.h"
#include "services/base/message.h"

enum {
    MARKUP_MAX_BYTES = 16 << 20,  /* of one file */
    MARKUP_MAX_DEPTH = 64,        /* elements in each other */
    MARKUP_MAX_ELEMENTS = 200000, /* of one file */
    MARKUP_MAX_ATTRIBUTES = 500,  /* of one tag */
    MARKUP_MAX_TEXT = 4096        /* bytes kept of the text of one element */
};

struct markup_attribute {
    const char *name; /* without its prefix */
    const char *value;
    struct place place;
};

struct markup {
    const char *name;   /* of the tag, without its prefix */
    const char *prefix; /* "" where it has none */
    const char *text;   /* characters directly inside, blanks at both ends cut off */
    struct place place; /* of its `<` */
    const struct markup_attribute *attribute;
    int n_attributes;
    const struct markup *first; /* first element inside */
    const struct markup *next;  /* next element beside */
};

/* Read n bytes of text; `file` is the name used in messages. Returns STATUS_OK and the
 * root, STATUS_REFUSED (see the messages) or STATUS_NO_MEMORY. Cost: linear. */
enum status markup_read(const char *file, const char *text, size_t n, struct memory *memory,
                        struct diag_list *diags, const struct markup **root) MUST_CHECK;

/* The first element inside with this name and no prefix, or NULL. */
const struct markup *markup_find(const struct markup *in, const char *name);

/* An attribute by name, or NULL. */
const struct markup_attribute *markup_attribute(const struct markup *of, const char *name);

#endif
