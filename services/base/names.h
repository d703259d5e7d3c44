/* names.h: names to numbers by hash, and the known name nearest to a wrong one.
 *
 * Zero-initialise. Keys are not copied: they must live as long as the table.
 * SERVICE context; memory from the given arena. */
#ifndef NAMES_H
#define NAMES_H

#include "services/base/memory.h"

struct names {
    struct memory *memory;
    const char **key;  /* in the order they were added */
    int *value;
    int n;
    int *slot;         /* open addressing, index + 1 into key */
    size_t n_slots;    /* a power of two, or 0 */
};

/* Add a key. Returns 1; 0 if it is there already; -1 when there is no memory. */
int names_add(struct names *t, const char *key, int value);

/* The value of a key, or -1. */
int names_find(const struct names *t, const char *key);

/* The key nearest to a word, or NULL where none is near. Looks at the first few
 * thousand keys only. */
const char *names_nearest(const struct names *t, const char *word);

/* Smallest number of letters to insert, drop, replace or swap that make b of a;
 * words beyond 63 letters are far from everything. */
int names_distance(const char *a, const char *b);

/* 1 if a word at this distance is worth proposing. */
int names_is_near(const char *word, int distance);

/* 1 if text matches [a-z][a-z0-9-]* (elements) or [a-z][a-z0-9_]* (parameters). */
int names_is_name(const char *text);
int names_is_parameter(const char *text);

#endif
