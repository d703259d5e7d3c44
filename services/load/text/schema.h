/* schema.h: which keys a map may have, as const tables.
 *
 * A walk compares a map with its table: unknown keys (with the nearest known
 * one), missing keys and values of the wrong kind become messages; what is right
 * is handed back by index. FORMAT.md is generated from the same tables. Used by
 * models and rigs alike. SERVICE context. */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "rt/mech/field.h"
#include "services/load/text/reader.h"

enum schema_kind {
    SCHEMA_NUMBER,    /* an expression */
    SCHEMA_NUMBERS,   /* a list of numbers */
    SCHEMA_FUNCTION,  /* number, expression in t, or {ramp|sine|table: ...} */
    SCHEMA_FLAG,      /* true or false */
    SCHEMA_CHOICE,    /* one of the words in `choices` */
    SCHEMA_TEXT,      /* any text */
    SCHEMA_NAME,      /* a name of this file */
    SCHEMA_NAMES,     /* a list of names */
    SCHEMA_MAP,       /* keys of its own */
    SCHEMA_LIST,      /* entries of its own */
    SCHEMA_ANY        /* the reader of the key decides */
};

struct schema_key {
    const char *key;
    enum schema_kind kind;
    const char *unit;     /* SI unit of a bare number, "" for a pure number, NULL: none */
    const char *fallback; /* used where the key is missing, as FORMAT.md shows it;
                             NULL: the key is required; "": optional */
    const char *choices;  /* SCHEMA_CHOICE: words separated by blanks */
    const char *help;     /* one clause for FORMAT.md */
};

enum { SCHEMA_MAX_KEYS = 48 };

/* The keys of one kind of map: own keys, then the fields of an element type. */
struct schema {
    const char *what;           /* "a body", "a joint of type revolute" */
    const struct schema_key *key;
    int n_keys;
    const struct field *field;  /* from the element tables of rt/mech, or NULL */
    int n_fields;
};

/* Compare a map with its schema. found[i] is the value of key i (fields follow the
 * keys), NULL where it is missing or of the
 * wrong kind. `name` says whose map it is, for messages.
 * Returns 1 if there was nothing to complain about. */
int schema_walk(const struct schema *s, const struct node *map, const char *name,
                struct diag_list *diags, const struct node *found[SCHEMA_MAX_KEYS]);

/* The word of a kind for messages and FORMAT.md: "a number", "a list of names". */
const char *schema_kind_text(enum schema_kind kind);

#endif
